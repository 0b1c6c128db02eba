//! What the fuzz targets share: inputs with a structure, and the rules a view must obey.
//!
//! The targets call the engine natively, with its overflow checks and assertions on. The host they play is the one of
//! the engine's own tests.

#[path = "../../rust/support.rs"]
#[allow(dead_code)]
pub mod support;

pub mod chat;
pub mod rules;
pub mod texts;
pub mod wasm;
