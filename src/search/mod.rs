//! Searching texts, whatever is searched and for whom: words, passages, an index of them, and the order of what matches.
//!
//! Passages are ranked by BM25 in whole numbers (`rank.rs`) over the grams of words, identifiers as a whole, and pairs of
//! letters where a script writes no spaces (`words.rs`).

mod fuse;
pub mod index;
mod lend;
pub mod passages;
pub mod query;
pub mod rank;
mod ranked;
pub mod texts;
mod vectors;
mod words;

pub use ranked::Ranked;
