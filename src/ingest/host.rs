//! What the engine asks of its host in the middle of a call: text of messages, and messages made from text. Synchronous,
//! and pure as far as the engine is concerned.

use crate::base::error::Error;
use crate::ingest::content::Content;
use crate::model::message::Digest;

/// An item of the host's todo list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: String,
}

/// A message that the host made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its digest.
    pub record: Vec<u32>,
    /// Its place among the messages made in this call.
    pub number: u32,
}

impl Product {
    /// Its digest, unless the record is malformed.
    pub fn digest(&self) -> Option<Digest<'_>> {
        Digest::split(&self.record)?.first().copied()
    }
}

/// A place in what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The host's own message.
    Input(usize),
    /// The message the host made in this call under this number.
    Made(u32),
}

/// In the number of a part given to [`Host::replace`]: the part is left out of the copy.
pub const LEFT_OUT: u32 = 1 << 31;

/// The host's side of a call.
pub trait Host {
    /// The messages at these input indices, with their text.
    ///
    /// # Errors
    /// When the host cannot read one of them.
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error>;

    /// Makes the message that carries `text`.
    ///
    /// # Errors
    /// When the format cannot make it.
    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error>;

    /// The copy of message `input` that an earlier call made under `key`, if it is still known.
    ///
    /// # Errors
    /// When the boundary fails.
    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error>;

    /// Makes a copy of message `input` in which the numbered parts have these texts, or are left out ([`LEFT_OUT`]), and
    /// remembers it under `key`.
    ///
    /// # Errors
    /// When the format cannot make it.
    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error>;

    /// Makes a message that answers the call `id` of the tool `name`; none if the format has no such message.
    ///
    /// # Errors
    /// When the format cannot make it.
    fn result(&mut self, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error>;

    /// Makes one message of two that must not follow each other.
    ///
    /// # Errors
    /// When the format cannot make it.
    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error>;
}
