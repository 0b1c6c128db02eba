//! How messages enter the engine: decoding the tape, making records in one pass, reading text on demand, and grouping
//! messages.

pub mod approvals;
pub mod asides;
pub mod content;
pub mod content_reader;
pub mod counting;
pub mod documents;
mod frames;
pub mod host;
pub mod json;
mod notation;
pub mod pairing;
pub mod pairs;
pub mod pasted_json;
pub mod printed;
pub mod record_writer;
pub mod replies;
pub mod tape;
pub mod typed;
mod value_hash;
