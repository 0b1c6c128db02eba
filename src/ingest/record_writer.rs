//! Turns a tape into records: one pass that hashes and counts, and keeps no text.

use crate::base::error::Error;
use crate::base::references;
use crate::ingest::asides::Edges;
use crate::ingest::notation::Notation;
use crate::ingest::tape::{Decoder, Head, Sink, Slot, Token, ValuePlace};
use crate::ingest::value_hash::{self, Foldings};
use crate::model::message::{HASH_VERSION, Part, PartKind, Role, combine, hash_text};
use crate::model::record_builder::RecordBuilder;
use crate::tokens::{Counter, Estimator, Medium, Rule};
use core::hash::Hasher as _;
use twox_hash::XxHash64;

/// Writes the records of messages from a tape that arrives in pieces.
pub struct RecordWriter {
    decoder: Decoder,
    state: State,
}

impl RecordWriter {
    /// Creates a writer that counts with this estimator.
    pub fn new(estimator: Estimator) -> Self {
        let counter = estimator.counter();
        let state = State {
            estimator,
            records: Vec::new(),
            message: None,
            role: Role::User,
            part: None,
            counter,
            text: hasher(),
            fresh: true,
            edges: None,
            embedded: None,
            values: Foldings::default(),
        };
        Self { decoder: Decoder::default(), state }
    }

    /// Reads a piece of the tape.
    ///
    /// # Errors
    ///
    /// If it is malformed.
    pub fn push(&mut self, ops: &[u32], bytes: &[u8]) -> Result<(), Error> {
        self.decoder.feed(ops, bytes, &mut self.state)
    }

    /// Returns the records of all messages on the tape.
    ///
    /// # Errors
    ///
    /// If the tape ends inside a part.
    pub fn finish(mut self) -> Result<Vec<u32>, Error> {
        self.decoder.finish()?;
        self.state.end_message();
        Ok(self.state.records)
    }
}

/// The part that is being read.
struct Open {
    part: Part,
    tokens: u64,
    bytes: u64,
    /// The content hash so far. `None` if the hash does not cover this part.
    content: Option<u64>,
    /// The hash so far of everything that is sent of it.
    wire: u64,
    /// The hash of what a tool returned, of a result.
    output: u64,
    medium: Option<Medium>,
}

struct State {
    estimator: Estimator,
    records: Vec<u32>,
    message: Option<RecordBuilder>,
    role: Role,
    part: Option<Open>,
    counter: Counter,
    /// The hash of the string that is being read.
    text: XxHash64,
    /// Whether the next chunk is the first of its string.
    fresh: bool,
    /// Of a text in a user's message, how it begins and ends.
    edges: Option<Edges>,
    /// The medium in a value whose media type follows, and the hash of its data.
    embedded: Option<(Medium, u64)>,
    values: Foldings,
}

fn hasher() -> XxHash64 {
    XxHash64::with_seed(u64::from(HASH_VERSION))
}

impl State {
    fn end_message(&mut self) {
        self.end_part();
        if let Some(message) = self.message.take() {
            self.records.extend(message.finish());
        }
    }

    fn end_part(&mut self) {
        let Some(mut open) = self.part.take() else { return };
        open.part.marked |= self.edges.take().is_some_and(|edges| edges.are_frame());
        if let Some(medium) = &open.medium {
            open.tokens += u64::from(self.estimator.media(medium));
            // The hash covers the size and the data, however they are written: base64, bytes and data URLs of one image
            // hash equally.
            let identity = combine(u64::from(medium.kind), medium.bytes);
            open.content = Some(combine(identity, open.content.unwrap_or(0)));
        }
        let bytes = if let Some(medium) = &open.medium { medium.bytes } else { open.bytes };
        let part = Part { tokens: clamp(open.tokens), bytes: clamp(bytes), ..open.part };
        // An empty text does not change the hash, because SDKs drop and add such parts.
        let content = open.content.filter(|_| part.kind != PartKind::Text || open.bytes > 0);
        if let Some(message) = &mut self.message {
            message.add(self.estimator.part_overhead(part.kind));
            let output = if part.kind == PartKind::Result { open.output } else { open.content.unwrap_or(0) };
            message.part(part, content, open.wire, output);
        }
    }

    /// Adds a complete value to its container or to the part.
    fn value(&mut self, hash: u64) {
        if self.values.add(hash) {
            return;
        }
        if let Some(open) = &mut self.part {
            // Of what a format does not know, hosts may change marks for the cache.
            if open.part.kind != PartKind::Opaque {
                open.wire = combine(open.wire, hash);
            }
            if open.part.kind == PartKind::Result {
                open.output = hash;
            }
            if matches!(open.part.kind, PartKind::Call | PartKind::Tool) {
                open.content = open.content.map(|content| combine(content, hash));
            }
        }
    }

    /// How values of the part that is being read are written.
    fn notation(&self) -> Notation {
        Notation::of(self.estimator.rule, self.part.as_ref().map(|open| open.part.kind))
    }

    fn settle(&mut self) {
        let tokens = self.counter.take();
        if let Some(open) = &mut self.part {
            open.tokens += tokens;
        }
    }
}

/// The token that separates the name of a speaker from what they say.
const NAME_FRAME: u64 = 1;

fn clamp(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl Sink for State {
    fn message(&mut self, role: Role) {
        self.end_message();
        self.message = Some(RecordBuilder::new(role, self.estimator.message_overhead(role)));
        self.role = role;
    }

    fn part(&mut self, head: Head) {
        self.end_part();
        let (kind, number, marked) = match head {
            Head::Text { number } => (PartKind::Text, number, false),
            Head::Document { number } => (PartKind::Text, number, true),
            Head::Reasoning { number, signed } => (PartKind::Reasoning, number, signed),
            Head::Call { number, executed } => (PartKind::Call, number, executed),
            Head::Result { number, failed } => (PartKind::Result, number, failed),
            Head::Media { number, .. } => (PartKind::Media, number, false),
            Head::Opaque => (PartKind::Opaque, 0, false),
            Head::Tool => (PartKind::Tool, 0, false),
            Head::ApprovalRequest { number } => (PartKind::ApprovalRequest, number, false),
            Head::ApprovalResponse { number } => (PartKind::ApprovalResponse, number, false),
            Head::Compaction { number, readable } => (PartKind::Compaction, number, readable),
        };
        let hashed =
            matches!(kind, PartKind::Text | PartKind::Call | PartKind::Result | PartKind::Media | PartKind::Tool);
        let content = hashed.then_some(0);
        let medium = if let Head::Media { kind, bytes, width, height, .. } = head {
            Some(Medium { kind, bytes, width, height, type_bytes: 0, reference_bytes: 0 })
        } else {
            None
        };
        self.edges = (matches!(head, Head::Text { .. }) && self.role == Role::User).then(Edges::default);
        let part = Part { kind, number, tokens: 0, id: 0, bytes: 0, name_bytes: 0, name: 0, marked };
        self.part = Some(Open { part, tokens: 0, bytes: 0, content, wire: 0, output: 0, medium });
    }

    fn chunk(&mut self, slot: Slot, place: ValuePlace, text: &str, last: bool) {
        self.text.write(text.as_bytes());
        if slot == Slot::Speaker {
            self.counter.feed(text);
            self.fresh = last;
            if last {
                let hash = core::mem::replace(&mut self.text, hasher()).finish();
                self.message.iter_mut().for_each(|message| message.speaker(hash));
            }
            return;
        }
        let bytes = text.len() as u64;
        let (notation, edge) = (self.notation(), (self.fresh, last));
        let Some(open) = &mut self.part else { return };
        match slot {
            Slot::Body => {
                open.bytes += bytes;
                if let Some(edges) = &mut self.edges {
                    edges.push(text);
                }
                self.counter.feed(text);
            }
            // The medium was counted; nobody reads the name of its type.
            Slot::Value if self.embedded.is_some() => {}
            Slot::Value => {
                open.bytes += bytes;
                notation.string(&mut self.counter, text, place, edge);
            }
            Slot::Key => {
                open.bytes += bytes;
                notation.key(&mut self.counter, text, place, edge);
            }
            // The name of a result is part of its call, and is counted there.
            Slot::Name if open.part.kind == PartKind::Result => {}
            Slot::Name => {
                open.part.name_bytes = open.part.name_bytes.saturating_add(text.len() as u32);
                self.counter.feed(text);
            }
            Slot::Description => self.counter.feed(text),
            Slot::MediaType => {
                if let Some(medium) = &mut open.medium {
                    medium.type_bytes += bytes;
                }
            }
            Slot::Reference => {
                if let Some(medium) = &mut open.medium {
                    medium.reference_bytes += bytes;
                }
            }
            Slot::Id | Slot::Print | Slot::Title | Slot::Speaker => {}
        }
        self.fresh = last;
        if !last {
            return;
        }
        let hash = core::mem::replace(&mut self.text, hasher()).finish();
        if let Some(open) = self.part.as_mut().filter(|_| !matches!(slot, Slot::Key | Slot::Value | Slot::MediaType)) {
            open.wire = combine(open.wire, hash);
        }
        match slot {
            Slot::Key => {
                self.values.key(hash);
                if let Some(open) = self.part.as_mut().filter(|open| open.part.kind == PartKind::Tool) {
                    open.part.marked |= hash == hash_text(references::ARGUMENT);
                }
                if notation.separates(place) {
                    self.settle();
                }
            }
            Slot::Value => {
                if let Some((medium, print)) = self.embedded.take() {
                    let tokens = self.estimator.media(&medium);
                    self.part.iter_mut().for_each(|open| open.tokens += u64::from(tokens));
                    self.value(value_hash::medium(medium.bytes, hash, print));
                } else {
                    self.value(value_hash::text(hash));
                }
                if notation.separates(place) {
                    self.settle();
                }
            }
            Slot::Id => {
                if let Some(open) = &mut self.part {
                    open.part.id = hash;
                    open.content = open.content.map(|_| hash);
                }
            }
            Slot::Name if self.part.as_ref().is_some_and(|open| open.part.kind == PartKind::Result) => {
                if let Some(open) = self.part.as_mut().filter(|_| hash != hash_text("")) {
                    open.part.name = hash as u32;
                    // Only where a result has no id does its name identify it: SDKs add and drop the name beside one.
                    open.content = open.content.map(|id| if id == hash_text("") { combine(id, hash) } else { id });
                }
            }
            Slot::Body | Slot::Name | Slot::Reference | Slot::Print => {
                if let Some(open) = &mut self.part
                    && slot == Slot::Name
                {
                    open.part.name = hash as u32;
                }
                if let Some(open) = &mut self.part
                    && let Some(content) = open.content
                {
                    open.content = Some(combine(content, hash));
                }
            }
            Slot::Description | Slot::MediaType | Slot::Title | Slot::Speaker => {}
        }
    }

    fn token(&mut self, token: Token<'_>, place: ValuePlace) {
        let notation = self.notation();
        notation.token(&mut self.counter, &token, place);
        match token {
            Token::Null => self.value(value_hash::null()),
            Token::Bool(bool) => self.value(value_hash::bool(bool)),
            Token::Number(text) => {
                let mut hash = hasher();
                hash.write(text.as_bytes());
                self.value(value_hash::number(hash.finish()));
                if let Some(open) = &mut self.part {
                    open.bytes += text.len() as u64;
                }
            }
            Token::Array => self.values.open_array(),
            Token::Object => self.values.open_object(),
            Token::End => {
                if let Some(hash) = self.values.close() {
                    self.value(hash);
                }
            }
            Token::Medium { kind, bytes, width, height, print } => {
                let medium = Medium { kind, bytes, width, height, type_bytes: 0, reference_bytes: 0 };
                self.embedded = Some((medium, print));
            }
            // The bytes follow as a string.
            Token::Binary(length) => self.text.write(&value_hash::binary(length).to_le_bytes()),
        }
        if notation.ends_argument(&token, place) {
            self.settle();
        }
    }

    fn count(&mut self, tokens: u32) {
        match (&mut self.part, &mut self.message) {
            (Some(open), _) => open.tokens += u64::from(tokens),
            // Of what stands before the parts: the name of the speaker.
            (None, Some(message)) => message.add(tokens),
            (None, None) => {}
        }
    }

    fn complete(&mut self, slot: Slot) {
        if slot == Slot::Speaker {
            let tokens = self.counter.take();
            // The preset counts no names.
            let counts = self.estimator.rule == Rule::Lexical;
            self.message.iter_mut().filter(|_| counts).for_each(|message| message.add(clamp(tokens + NAME_FRAME)));
        } else {
            self.settle();
        }
    }
}
