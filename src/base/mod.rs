//! The basis of all other modules: errors as values, plain data, cutting text, shares of wholes, the markers of our own
//! texts, quoting other people's text inside them, lists of phrases in several languages, counts as sizes, and logarithms.

pub mod archive;
pub mod distinct;
pub mod encoded;
pub mod error;
pub mod headings;
pub mod id_map;
pub mod json;
pub mod logarithm;
pub mod markers;
pub mod millionths;
pub mod named;
pub mod order;
pub mod phrases;
pub mod quoting;
pub mod references;
pub mod sentences;
pub mod sizes;
pub mod text;
pub mod words;
