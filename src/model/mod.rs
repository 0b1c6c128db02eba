//! What a message is to the engine: roles, records, hashes, and positions in a history.

pub mod digest_builder;
pub mod message;
