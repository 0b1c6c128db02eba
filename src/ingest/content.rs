//! Messages with their text. The host is asked for it only where a plan needs it: for a transcript, a digest or a clip.

use crate::base::error::Error;
use crate::base::{encoded, quoting, text};
use crate::ingest::asides;
use crate::ingest::tape::{Decoder, Head, Sink, Slot, Token, ValuePlace};
use crate::model::message::Role;
use std::borrow::Cow;

/// A message with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The author.
    pub role: Role,
    /// The name of whoever wrote it, as the host gave it, or empty. In a text of ours it stands as
    /// [`speaker_label`](crate::base::quoting::speaker_label) makes it.
    pub speaker: String,
    /// Its parts.
    pub parts: Vec<ContentPart>,
    /// The places of parts from which encoded data was taken out when they were read, ascending.
    pub taken: Vec<usize>,
}

impl Content {
    /// What whoever wrote the message said in it: texts and media, without results of tools and what is inside them, and
    /// without what an application framed beside results.
    pub fn said(&self) -> impl Iterator<Item = &ContentPart> {
        let result =
            |part: &ContentPart| if let ContentPart::Result { number, .. } = part { Some(*number) } else { None };
        let results: Vec<u32> = self.parts.iter().filter_map(result).collect();
        self.parts.iter().filter(move |part| match part {
            ContentPart::Text { text, .. } => results.is_empty() || !asides::is_framed(text),
            ContentPart::Media { number, .. } => !results.contains(number),
            ContentPart::Document { .. } => true,
            _ => false,
        })
    }

    /// Of each part which one it is of those that have text, from 1, if there are several of them; else 0.
    pub fn places(&self) -> Vec<usize> {
        let mut last = 0;
        let mut places = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            last += usize::from(part.is_readable());
            places.push(last);
        }
        if last < 2 {
            places.fill(0);
        }
        places
    }
}

/// A part with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPart {
    /// Visible text.
    Text {
        /// The number that the format replaces it by.
        number: u32,
        /// The text.
        text: String,
    },
    /// A document that is text.
    Document {
        /// The number that the format replaces it by.
        number: u32,
        /// The text.
        text: String,
        /// Its title or file name, or empty.
        name: String,
    },
    /// The model's reasoning. Its text is not kept, because no summary may repeat it.
    Reasoning,
    /// A tool call.
    Call {
        /// The number that the format replaces its arguments by, or [`NO_NUMBER`](crate::ingest::tape::NO_NUMBER).
        number: u32,
        /// The call id.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments.
        input: Value,
    },
    /// A tool result.
    Result {
        /// The number that the format replaces it by.
        number: u32,
        /// The id of its call.
        id: String,
        /// The output of the tool.
        output: Value,
        /// Whether the tool failed.
        failed: bool,
    },
    /// An image, document, audio, video or other file.
    Media {
        /// The number that the format replaces it by, or [`NO_NUMBER`](crate::ingest::tape::NO_NUMBER). Media inside a
        /// result have the number of the result.
        number: u32,
        /// 0 image, 1 PDF, 2 audio, 3 video, 4 file.
        kind: u32,
        /// The media type, or empty.
        media_type: String,
        /// The URL or file id. Empty if the data is inline.
        reference: String,
        /// The bytes of inline data.
        bytes: u64,
        /// The file name, or empty.
        name: String,
    },
    /// A provider's own summary of everything before it.
    Compaction {
        /// The text, or empty if it cannot be read.
        text: String,
    },
    /// A part that the format does not know, or that is never read.
    Opaque,
}

impl ContentPart {
    /// Whether it has a text that can be searched and read again.
    pub fn is_readable(&self) -> bool {
        match self {
            Self::Text { text, .. } | Self::Document { text, .. } | Self::Compaction { text } => !text.is_empty(),
            Self::Result { output, .. } => !output.to_text().is_empty(),
            Self::Call { .. } => true,
            _ => false,
        }
    }
}

/// Describes media in words.
pub fn medium(kind: u32, media_type: &str, reference: &str) -> String {
    let mut out = encoded::medium_name(kind).to_owned();
    if !media_type.is_empty() {
        out.push_str(&format!(" ({})", quoting::in_brackets(&text::start(media_type, 60))));
    }
    if !reference.is_empty() {
        out.push_str(&format!(" at {}", quoting::in_brackets(&text::start(reference, 200))));
    }
    out
}

/// A value in the arguments of a call or in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as its shortest decimal text.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Value>),
    /// An object, with its members in order.
    Object(Vec<(String, Value)>),
    /// Binary data of this many bytes.
    Binary(u64),
    /// A medium.
    Medium {
        /// 0 image, 1 PDF, 2 audio, 3 video, 4 file.
        kind: u32,
        /// The media type, or empty.
        media_type: String,
        /// The bytes of its data.
        bytes: u64,
    },
}

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

impl Value {
    /// The text as a person or model reads it: a string without quotes, anything else as compact JSON.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            other => {
                let mut out = String::new();
                other.write_json(&mut out);
                Cow::Owned(out)
            }
        }
    }

    /// The names of the members of an object; none of any other value.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let members = if let Self::Object(members) = self { members.as_slice() } else { &[] };
        members.iter().map(|(key, _)| key.as_str())
    }

    /// Writes compact JSON.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number),
            Self::Text(text) => write_string(text, out),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(key, out);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
            Self::Binary(bytes) => write_string(&format!("{bytes} bytes"), out),
            Self::Medium { kind, media_type, bytes } => {
                write_string(&format!("[{}]", encoded::medium(*kind, media_type, *bytes)), out)
            }
        }
    }
}

/// Writes a JSON string.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{0}'..='\u{1f}' => {
                out.push_str("\\u00");
                out.push(char::from(b'0' + (char as u8 >> 4)));
                out.push(char::from(b"0123456789abcdef"[usize::from(char as u8 & 15)]));
            }
            _ => out.push(char),
        }
    }
    out.push('"');
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
