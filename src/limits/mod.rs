//! The configuration, what providers refuse, and the arithmetic of the window.

pub mod budget;
pub mod estimator;
pub mod names;
pub mod options;
pub mod preset;
pub mod prices;
pub mod provider_refusal;
pub mod shares;
pub mod state_size;
pub mod strategy;
pub mod summary_options;
pub mod thinking;
pub mod thinking_refusal;
pub mod tool_policy;
pub mod wishes;
