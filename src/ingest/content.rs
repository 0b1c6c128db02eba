//! Messages with their text. The host is asked for it only where a plan needs it: for a transcript, a digest or a clip.

use crate::base::{encoded, quoting, text};
use crate::ingest::asides;
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
