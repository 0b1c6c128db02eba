//! What all other rooms stand on: errors as values, plain data, cutting text, parts of wholes, how our own texts begin, and quoting
//! what others wrote among them.

pub mod archive;
pub mod distinct;
pub mod error;
pub mod headings;
pub mod id_map;
pub mod json;
pub mod markers;
pub mod millionths;
pub mod quoting;
pub mod references;
pub mod text;
