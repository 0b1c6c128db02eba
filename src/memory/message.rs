//! A message as the memory reads it.

use crate::ingest::content::Content;

/// A message to be remembered.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its index in the history.
    pub index: u64,
    /// What it says, as it was sent.
    pub content: Content,
    /// A person wrote it.
    pub typed: bool,
}
