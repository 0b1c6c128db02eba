//! Reads messages with their text from a tape.

use crate::base::encoded;
use crate::base::error::Error;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::tape::{Decoder, Head, Sink, Slot, Token, ValuePlace};
use crate::model::message::Role;
use std::borrow::Cow;

/// Reads a complete tape into messages with text.
///
/// # Errors
///
/// If the tape is malformed.
pub fn read(ops: &[u32], bytes: &[u8]) -> Result<Vec<Content>, Error> {
    let mut reader = Reader::default();
    reader.push(ops, bytes)?;
    reader.finish()
}

/// Reads a tape that arrives in pieces into messages with text.
#[derive(Default)]
pub struct Reader {
    decoder: Decoder,
    collector: Collector,
}

impl Reader {
    /// Reads a piece of the tape.
    ///
    /// # Errors
    ///
    /// If it is malformed.
    pub fn push(&mut self, ops: &[u32], bytes: &[u8]) -> Result<(), Error> {
        self.decoder.feed(ops, bytes, &mut self.collector)
    }

    /// Returns the messages on the tape.
    ///
    /// # Errors
    ///
    /// If the tape ends inside a part.
    pub fn finish(self) -> Result<Vec<Content>, Error> {
        self.decoder.finish()?;
        Ok(self.collector.messages)
    }
}

#[derive(Default)]
struct Collector {
    messages: Vec<Content>,
    /// The pieces of the string that is being read. A single growing text would exist twice whenever it is moved to a
    /// larger buffer.
    pieces: Vec<String>,
    /// The containers that are being filled. The next key is stored beside its object.
    values: Vec<(Value, String)>,
    /// The value whose string follows.
    binary: Option<Value>,
}

impl Collector {
    fn last(&mut self) -> Option<&mut ContentPart> {
        self.messages.last_mut().and_then(|message| message.parts.last_mut())
    }

    /// A string of a value as it is read. What a model called with stays as it is: where the input is shortened, all of it
    /// is written again.
    fn readable(&mut self, text: String) -> String {
        if matches!(self.last(), Some(ContentPart::Call { .. })) { text } else { self.without_data(text) }
    }

    /// A text of the last part without encoded data: nobody reads that, and no cut may go through it.
    fn without_data(&mut self, text: String) -> String {
        let Cow::Owned(without) = encoded::without(&text) else { return text };
        if let Some(message) = self.messages.last_mut() {
            message.taken.push(message.parts.len().saturating_sub(1));
            message.taken.dedup();
        }
        without
    }

    fn value(&mut self, value: Value) {
        match self.values.last_mut() {
            Some((Value::Array(items), _)) => items.push(value),
            Some((Value::Object(members), key)) => members.push((core::mem::take(key), value)),
            _ => {
                if let Some(ContentPart::Call { input: slot, .. } | ContentPart::Result { output: slot, .. }) =
                    self.last()
                {
                    *slot = value;
                }
            }
        }
    }
}

impl Sink for Collector {
    fn message(&mut self, role: Role) {
        self.messages.push(Content { role, speaker: String::new(), parts: Vec::new(), taken: Vec::new() });
    }

    fn part(&mut self, head: Head) {
        let part = match head {
            Head::Text { number } => ContentPart::Text { number, text: String::new() },
            Head::Document { number } => ContentPart::Document { number, text: String::new(), name: String::new() },
            Head::Reasoning { .. } => ContentPart::Reasoning,
            Head::Call { number, .. } => {
                ContentPart::Call { number, id: String::new(), name: String::new(), input: Value::Null }
            }
            Head::Result { number, failed } => {
                ContentPart::Result { number, id: String::new(), output: Value::Null, failed }
            }
            Head::Media { number, kind, bytes, .. } => ContentPart::Media {
                number,
                kind,
                media_type: String::new(),
                reference: String::new(),
                bytes,
                name: String::new(),
            },
            Head::Compaction { .. } => ContentPart::Compaction { text: String::new() },
            Head::Opaque | Head::Tool | Head::ApprovalRequest { .. } | Head::ApprovalResponse { .. } => {
                ContentPart::Opaque
            }
        };
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(part);
        }
    }

    fn chunk(&mut self, slot: Slot, _place: ValuePlace, text: &str, last: bool) {
        if !last {
            self.pieces.push(text.to_owned());
            return;
        }
        let text = if self.pieces.is_empty() {
            text.to_owned()
        } else {
            let mut whole = String::with_capacity(self.pieces.iter().map(String::len).sum::<usize>() + text.len());
            core::mem::take(&mut self.pieces).iter().for_each(|piece| whole.push_str(piece));
            whole.push_str(text);
            whole
        };
        let text = match (slot, self.last()) {
            (Slot::Body, Some(ContentPart::Text { .. } | ContentPart::Document { .. })) => self.without_data(text),
            _ => text,
        };
        match slot {
            Slot::Key => {
                if let Some((_, key)) = self.values.last_mut() {
                    *key = text;
                }
            }
            Slot::Speaker => {
                if let Some(message) = self.messages.last_mut() {
                    message.speaker = text;
                }
            }
            Slot::Value => {
                let value = match self.binary.take() {
                    Some(Value::Medium { kind, bytes, .. }) => Value::Medium { kind, bytes, media_type: text },
                    Some(binary) => binary,
                    None => Value::Text(self.readable(text)),
                };
                self.value(value);
            }
            _ => match (slot, self.last()) {
                (Slot::Body, Some(ContentPart::Text { text: body, .. } | ContentPart::Document { text: body, .. })) => {
                    *body = text
                }
                (Slot::Body, Some(ContentPart::Compaction { text: body })) => *body = text,
                (Slot::Id, Some(ContentPart::Call { id, .. } | ContentPart::Result { id, .. })) => *id = text,
                (Slot::Name, Some(ContentPart::Call { name, .. })) => *name = text,
                (Slot::MediaType, Some(ContentPart::Media { media_type, .. })) => *media_type = text,
                (Slot::Reference, Some(ContentPart::Media { reference, .. })) => *reference = text,
                (Slot::Title, Some(ContentPart::Media { name, .. } | ContentPart::Document { name, .. })) => {
                    *name = text
                }
                _ => {}
            },
        }
    }

    fn token(&mut self, token: Token<'_>, _place: ValuePlace) {
        match token {
            Token::Null => self.value(Value::Null),
            Token::Bool(bool) => self.value(Value::Bool(bool)),
            Token::Number(text) => self.value(Value::Number(text.to_owned())),
            Token::Array => self.values.push((Value::Array(Vec::new()), String::new())),
            Token::Object => self.values.push((Value::Object(Vec::new()), String::new())),
            Token::End => {
                if let Some((value, _)) = self.values.pop() {
                    self.value(value);
                }
            }
            Token::Binary(bytes) => self.binary = Some(Value::Binary(bytes)),
            Token::Medium { kind, bytes, .. } => {
                self.binary = Some(Value::Medium { kind, media_type: String::new(), bytes })
            }
        }
    }

    fn count(&mut self, _tokens: u32) {}

    fn complete(&mut self, _slot: Slot) {}
}
