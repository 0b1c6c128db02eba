//! What is remembered of what is covered: the request to a summarizer, the judgement of its answer, and what code
//! writes when there is no answer.

pub mod chunk;
pub mod digest;
pub mod facts;
pub mod language;
pub mod note;
pub mod request;
pub mod rules;
pub mod scan;
pub mod transcript;
pub mod verify;

use crate::content::Content;

/// A range of messages to be remembered.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The summary of what came before it.
    pub previous: Option<&'a str>,
    /// Its messages, oldest first; whether a person wrote each.
    pub messages: &'a [(Content, bool)],
    /// Raw tokens of what the result replaces.
    pub raw: u64,
}
