//! What outlives a call, and what is derived from it: the state, the placed history, its lasting edits, and the view.

pub mod breakdown;
pub mod clip;
pub mod compaction;
pub mod edits;
pub mod history;
pub mod joined;
pub mod lasting;
pub mod outputs;
pub mod own;
pub mod prefixes;
pub mod reach;
pub mod sent;
pub mod state;
pub mod staying;
pub mod view;
