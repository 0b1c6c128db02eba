//! What a message is to the engine: roles, records, hashes, and positions in a history.

pub mod message;
pub mod record_builder;
