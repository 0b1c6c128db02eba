//! What all other rooms stand on: errors as values, plain data, cutting text, parts of wholes, how our own texts begin.

pub mod archive;
pub mod error;
pub mod id_map;
pub mod json;
pub mod markers;
pub mod millionths;
pub mod text;
