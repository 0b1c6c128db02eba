//! What outlives a call, and what follows from it: the state, the placed history, its lasting edits, the view.

pub mod breakdown;
pub mod compaction;
pub mod edits;
pub mod history;
pub mod reach;
pub mod state;
pub mod view;
