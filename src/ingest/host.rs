//! What the engine asks its host for during a call: the text of messages, and messages created from text. These methods
//! are synchronous, and pure as far as the engine is concerned.

use crate::base::error::Error;
use crate::base::json::Json;
use crate::ingest::content::Content;
use crate::model::message::MessageRecord;

/// An item of the host's task list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// The task.
    pub content: String,
    /// Its status.
    pub status: String,
}

/// A message that the host created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its record, as words.
    pub record: Vec<u32>,
    /// Its number among the messages created in this call.
    pub number: u32,
}

impl Product {
    /// Its record. `None` if its words are malformed.
    pub fn record(&self) -> Option<MessageRecord<'_>> {
        MessageRecord::split(&self.record)?.first().copied()
    }
}

/// A message to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The host's own message with this input index.
    Input(usize),
    /// The message with this number that the host created in this call.
    Made(u32),
}

/// What the host keeps of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptIndex {
    /// What it was given to keep.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// Nothing, and it has no room.
    Nowhere,
}

/// Added to the number of a part in [`Host::replace`]: the copy leaves out the part.
pub const LEFT_OUT: u32 = 1 << 31;

/// The host's side of a call.
pub trait Host {
    /// Returns the messages at these input indices with their text.
    ///
    /// # Errors
    ///
    /// If the host cannot read one of them.
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error>;

    /// Returns the index of the messages from one input index to another, if it was kept and none of them has changed.
    ///
    /// # Errors
    ///
    /// If the boundary fails.
    fn index(&mut self, _from: usize, _to: usize) -> Result<KeptIndex, Error> {
        Ok(KeptIndex::Nothing)
    }

    /// Keeps the index of these messages. A host that keeps none loses time and nothing else.
    ///
    /// # Errors
    ///
    /// If the boundary fails.
    fn keep_index(&mut self, _from: usize, _to: usize, _index: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    /// Creates a message with this text.
    ///
    /// # Errors
    ///
    /// If the format cannot create it.
    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error>;

    /// Creates the message that carries a provider's own summary. Returns `None` if the format has no message for this one.
    ///
    /// # Errors
    ///
    /// If the format cannot create it.
    fn block(&mut self, _block: &Json) -> Result<Option<Product>, Error> {
        Ok(None)
    }

    /// Returns the copy of message `input` that an earlier call cached under `key`.
    ///
    /// # Errors
    ///
    /// If the boundary fails.
    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error>;

    /// Creates a copy of message `input` in which the numbered parts have these texts or are left out ([`LEFT_OUT`]),
    /// and caches it under `key`.
    ///
    /// # Errors
    ///
    /// If the format cannot create it.
    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error>;

    /// Creates a message with the result of the call `id` of the tool `name`, which message `input` makes. Returns `None`
    /// if the format has no such message.
    ///
    /// # Errors
    ///
    /// If the format cannot create it.
    fn result(&mut self, input: usize, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error>;

    /// Merges two messages that must not be adjacent.
    ///
    /// # Errors
    ///
    /// If the format cannot merge them.
    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error>;
}
