//! What a message is to the engine: roles, records, hashes, positions in a history.

pub mod message;
