//! The configuration, what providers refuse, and the arithmetic of the window.

pub mod budget;
pub mod names;
pub mod options;
pub mod preset;
pub mod prices;
pub mod provider_refusal;
pub mod strategy;
pub mod tool_policy;
pub mod wishes;
