//! The tape is how messages cross the boundary: a run of 32-bit ops, and the UTF-8 bytes of their strings.
//!
//! | op | words after it | followed by |
//! |---|---|---|
//! | 1 message | role | its parts |
//! | 2 text | part | string |
//! | 3 reasoning | signed and 2 × part | string |
//! | 4 call | part, executed | string id, string name, value |
//! | 5 result | part, failed | string id, string name, value |
//! | 6 media | kind and part × 16, bytes low, bytes high, width, height | string type, string reference, string print, string name |
//! | 7 opaque | | value |
//! | 8 tool | | string name, string description, value |
//! | 9 approval request | part | string id, value |
//! | 10 approval response | part | string id, value |
//! | 11 compaction | part, readable | string text, value |
//! | 12 speaker | | string name, of the message and no part of it |
//! | 13 document | part | string text, string name |
//! | 16 string, 17 chunk | bytes | (a chunk: more of the same string follows) |
//! | 18 null, 19 false, 20 true, 22 array, 23 object, 24 end | | |
//! | 21 number | bytes | |
//! | 25 binary | bytes low, bytes high | string, its bytes as Latin-1 |
//! | 26 count | tokens | |
//! | 27 medium in a value | kind, bytes low, bytes high, width, height, hash low, hash high | string, its media type |
//!
//! The part of reasoning, a call or media is its number plus one, or 0 if the format cannot replace it.
//!
//! Roles are 0 system, 1 user, 2 assistant, 3 tool. Media are 0 image, 1 PDF, 2 audio, 3 video, 4 file. The width of a
//! PDF is its pages, that of audio and video their seconds. The print of a medium is a hash of all its inline data, as
//! 16 hex digits. Object members are keys and values in turn. A number is the bytes of its shortest decimal text. A
//! count is the host's answer for the string or whole value before it, where the host counts.
//!
//! The system prompt and the tools cross as messages of their own. A message whose format never said a role, or whose
//! `read` threw, crosses as an assistant message with one opaque part, the whole object: nothing is trusted for having
//! no role. A document that is text is shortened like a text; nobody typed it, so it states no request.

use crate::base::error::{Code, Error};
use crate::model::message::Role;

/// The role of a string on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Text or reasoning.
    Body,
    /// A call's id.
    Id,
    /// A tool's name.
    Name,
    /// A tool's description.
    Description,
    /// The media type.
    MediaType,
    /// The URL or file id of media.
    Reference,
    /// A few bytes of inline media data, which distinguish it from other data of the same size.
    Print,
    /// The file name of media, or the name of a document.
    Title,
    /// The name of a member.
    Key,
    /// A string value.
    Value,
    /// The name of whoever wrote the message.
    Speaker,
}

/// The start of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Text.
    Text {
        /// Its number in the message.
        number: u32,
    },
    /// Reasoning.
    Reasoning {
        /// Its number in the message, or [`NO_NUMBER`].
        number: u32,
        /// Whether it must stay unchanged.
        signed: bool,
    },
    /// A tool call.
    Call {
        /// Its number in the message, or [`NO_NUMBER`].
        number: u32,
        /// Whether the provider executes it.
        executed: bool,
    },
    /// A tool result.
    Result {
        /// Its number in the message.
        number: u32,
        /// Whether the tool failed.
        failed: bool,
    },
    /// An image, document, audio, video or other file.
    Media {
        /// Its number in the message, or [`NO_NUMBER`].
        number: u32,
        /// 0 image, 1 PDF, 2 audio, 3 video, 4 file.
        kind: u32,
        /// The bytes of inline data.
        bytes: u64,
        /// The width in pixels, or 0 if unknown.
        width: u32,
        /// The height in pixels, or 0 if unknown.
        height: u32,
    },
    /// A part that the format does not know.
    Opaque,
    /// The definition of a tool.
    Tool,
    /// A request for approval to run a tool.
    ApprovalRequest {
        /// Its number in the message.
        number: u32,
    },
    /// The response to an approval request.
    ApprovalResponse {
        /// Its number in the message.
        number: u32,
    },
    /// A document that is text.
    Document {
        /// Its number in the message.
        number: u32,
    },
    /// A provider's own summary of everything before it.
    Compaction {
        /// Its number in the message.
        number: u32,
        /// Whether its text can be read.
        readable: bool,
    },
}

pub use crate::model::message::NO_NUMBER;

/// A value other than a string, or the start or end of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as its shortest decimal text.
    Number(&'a str),
    /// An array begins.
    Array,
    /// An object begins.
    Object,
    /// An array or object ends.
    End,
    /// Binary data of this many bytes, which follow as a string.
    Binary(u64),
    /// A medium in a value. Its media type follows as a string.
    Medium {
        /// 0 image, 1 PDF, 2 audio, 3 video, 4 file.
        kind: u32,
        /// The bytes of its data.
        bytes: u64,
        /// The width in pixels, or the pages or seconds; 0 if unknown.
        width: u32,
        /// The height in pixels, or 0 if unknown.
        height: u32,
        /// A hash of its data.
        print: u64,
    },
}

/// The place of a token or string in the value that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuePlace {
    /// The nesting depth. 0 outside of arrays and objects.
    pub depth: usize,
    /// Whether the container is an object, and this is the value of a member or the end of the object.
    pub in_object: bool,
    /// The number of elements or members before this one in its container.
    pub index: usize,
}

/// Receives a decoded tape.
pub trait Sink {
    /// A message starts; the previous one is complete.
    fn message(&mut self, role: Role);
    /// A part starts; the previous one is complete.
    fn part(&mut self, head: Head);
    /// A chunk of a string.
    fn chunk(&mut self, slot: Slot, place: ValuePlace, text: &str, last: bool);
    /// A value other than a string, or the start or end of a container.
    fn token(&mut self, token: Token<'_>, place: ValuePlace);
    /// The host's own count of the previous string or value.
    fn count(&mut self, tokens: u32);
    /// A top-level value or string of the part is complete.
    fn complete(&mut self, slot: Slot);
}

const SPEAKER: &[Slot] = &[Slot::Speaker];
const DOCUMENT: &[Slot] = &[Slot::Body, Slot::Title];
const TEXT: &[Slot] = &[Slot::Body];
const CALL: &[Slot] = &[Slot::Id, Slot::Name, Slot::Value];
const RESULT: &[Slot] = &[Slot::Id, Slot::Name, Slot::Value];
const MEDIA: &[Slot] = &[Slot::MediaType, Slot::Reference, Slot::Print, Slot::Title];
const OPAQUE: &[Slot] = &[Slot::Value];
const APPROVAL: &[Slot] = &[Slot::Id, Slot::Value];
const COMPACTION: &[Slot] = &[Slot::Body, Slot::Value];
const TOOL: &[Slot] = &[Slot::Name, Slot::Description, Slot::Value];

#[derive(Debug)]
struct Frame {
    object: bool,
    index: usize,
    /// Whether the next item is the key of an object.
    key: bool,
}

/// Decodes a tape that arrives in pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    slots: &'static [Slot],
    frames: Vec<Frame>,
    open: bool,
    started: bool,
}

/// The deepest nesting. The host's side writes what is deeper than 1,000 as JSON in a string.
const DEEPEST: usize = 1_024;

impl Decoder {
    /// Decodes a piece: whole ops and their bytes.
    ///
    /// # Errors
    ///
    /// If the tape is malformed, which means that the JavaScript and the engine are of different builds.
    pub fn feed(&mut self, ops: &[u32], bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Error> {
        let mut ops = ops.iter().copied();
        let mut rest = bytes;
        while let Some(op) = ops.next() {
            let mut word = || ops.next().ok_or_else(malformed);
            match op {
                1 => {
                    let role = Role::from_word(word()?).ok_or_else(malformed)?;
                    self.idle()?;
                    self.started = true;
                    sink.message(role);
                }
                2..=11 | 13 => {
                    let (head, slots) = match op {
                        2 => (Head::Text { number: word()? }, TEXT),
                        3 => {
                            let word = word()?;
                            (Head::Reasoning { number: (word >> 1).wrapping_sub(1), signed: word & 1 != 0 }, TEXT)
                        }
                        4 => (Head::Call { number: word()?.wrapping_sub(1), executed: word()? != 0 }, CALL),
                        5 => (Head::Result { number: word()?, failed: word()? != 0 }, RESULT),
                        6 => {
                            let (kind, low, high) = (word()?, word()?, word()?);
                            let bytes = u64::from(low) | u64::from(high) << 32;
                            let (number, kind) = ((kind >> 4).wrapping_sub(1), kind & 15);
                            (Head::Media { number, kind, bytes, width: word()?, height: word()? }, MEDIA)
                        }
                        7 => (Head::Opaque, OPAQUE),
                        8 => (Head::Tool, TOOL),
                        9 => (Head::ApprovalRequest { number: word()? }, APPROVAL),
                        10 => (Head::ApprovalResponse { number: word()? }, APPROVAL),
                        13 => (Head::Document { number: word()? }, DOCUMENT),
                        _ => (Head::Compaction { number: word()?, readable: word()? != 0 }, COMPACTION),
                    };
                    self.idle()?;
                    if !self.started {
                        return Err(malformed());
                    }
                    self.slots = slots;
                    sink.part(head);
                }
                12 => {
                    self.idle()?;
                    if !self.started {
                        return Err(malformed());
                    }
                    self.slots = SPEAKER;
                }
                16 | 17 => {
                    let text = take(&mut rest, word()?)?;
                    self.string(text, op == 16, sink)?;
                }
                18 => self.token(Token::Null, sink)?,
                19 => self.token(Token::Bool(false), sink)?,
                20 => self.token(Token::Bool(true), sink)?,
                21 => {
                    let text = take(&mut rest, word()?)?;
                    self.token(Token::Number(text), sink)?;
                }
                22 => self.token(Token::Array, sink)?,
                23 => self.token(Token::Object, sink)?,
                24 => self.end(sink)?,
                25 => {
                    let (low, high) = (word()?, word()?);
                    let place = self.place();
                    sink.token(Token::Binary(u64::from(low) | u64::from(high) << 32), place);
                }
                27 => {
                    let (kind, low, high, width, height) = (word()?, word()?, word()?, word()?, word()?);
                    let bytes = u64::from(low) | u64::from(high) << 32;
                    let print = u64::from(word()?) | u64::from(word()?) << 32;
                    let place = self.place();
                    sink.token(Token::Medium { kind, bytes, width, height, print }, place);
                }
                26 => sink.count(word()?),
                _ => return Err(malformed()),
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(malformed()) }
    }

    /// Ends the tape.
    ///
    /// # Errors
    ///
    /// If a part is incomplete.
    pub fn finish(&self) -> Result<(), Error> {
        self.idle()
    }

    fn idle(&self) -> Result<(), Error> {
        if self.slots.is_empty() && self.frames.is_empty() && !self.open { Ok(()) } else { Err(malformed()) }
    }

    fn place(&self) -> ValuePlace {
        self.frames.last().map_or(ValuePlace { depth: 0, in_object: false, index: 0 }, |frame| ValuePlace {
            depth: self.frames.len(),
            in_object: frame.object,
            index: frame.index,
        })
    }

    fn string(&mut self, text: &str, last: bool, sink: &mut dyn Sink) -> Result<(), Error> {
        let place = self.place();
        let slot = match self.frames.last() {
            Some(Frame { object: true, key: true, .. }) => Slot::Key,
            Some(_) => Slot::Value,
            None => *self.slots.first().ok_or_else(malformed)?,
        };
        self.open = !last;
        sink.chunk(slot, place, text, last);
        if last {
            if slot == Slot::Key {
                self.frames.last_mut().ok_or_else(malformed)?.key = false;
            } else {
                self.advance(sink)?;
            }
        }
        Ok(())
    }

    fn token(&mut self, token: Token<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
        let fits = match self.frames.last() {
            Some(frame) => !frame.object || !frame.key,
            None => self.slots.first() == Some(&Slot::Value),
        };
        if !fits || self.open {
            return Err(malformed());
        }
        let place = self.place();
        sink.token(token, place);
        match token {
            Token::Array | Token::Object => {
                if self.frames.len() >= DEEPEST {
                    return Err(malformed());
                }
                let object = token == Token::Object;
                self.frames.push(Frame { object, index: 0, key: object });
                Ok(())
            }
            _ => self.advance(sink),
        }
    }

    fn end(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        let place = self.place();
        let frame = self.frames.pop().ok_or_else(malformed)?;
        if self.open || frame.object && !frame.key {
            return Err(malformed());
        }
        sink.token(Token::End, place);
        self.advance(sink)
    }

    /// Ends a value: advances to the next element, member or slot.
    fn advance(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        if let Some(frame) = self.frames.last_mut() {
            frame.index += 1;
            frame.key = frame.object;
        } else {
            let (slot, after) = self.slots.split_first().ok_or_else(malformed)?;
            self.slots = after;
            sink.complete(*slot);
        }
        Ok(())
    }
}

fn take<'a>(rest: &mut &'a [u8], length: u32) -> Result<&'a str, Error> {
    let (head, tail) = rest.split_at_checked(length as usize).ok_or_else(malformed)?;
    *rest = tail;
    core::str::from_utf8(head).map_err(|_| malformed())
}

fn malformed() -> Error {
    Error::new(
        Code::Boundary,
        "The message data that reached the engine is malformed: use the JavaScript and the .wasm of the same precis build.",
    )
}
