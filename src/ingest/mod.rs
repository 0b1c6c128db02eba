//! How messages come in: decoding the tape, digesting in one pass, text on demand, and which messages belong together.

pub mod approvals;
pub mod content;
pub mod digester;
pub mod host;
pub mod pairs;
pub mod tape;
pub mod typed;
