//! Messages as the engine sees them: records, content hashes, the hash chain, and positions in it.
//!
//! A record is what the engine keeps of one message. It is a run of 32-bit words, made once per message and cached on
//! the host's side of the boundary. For a history that was read before, only these words cross the boundary. [`MessageRecord`]
//! reads them in place.
//!
//! # Records
//!
//! A record has ten words: its length, role and flags, the content hash (low and high half), the overhead, the number
//! of parts, the hash of what a provider sees, and that of what tools returned. Each part adds eight: kind and mark,
//! part number, tokens, the hash of its id (low and high), bytes, the bytes of the tool's name, and half of that
//! name's hash.
//!
//! # Hashes
//!
//! These definitions are frozen within a major version, because states carry what was made with them. `H` is XXH64
//! with seed 1, the version of the hash. Numbers are little-endian. `join(a, b)` is `H` of the 16 bytes of both.
//!
//! The content hash of a message is `H` over one byte of role; then, if the host names the speaker, the byte 255 and
//! the eight bytes of `H(name)`; then for each part that is covered one byte of kind (0 text, 2 call, 3 result, 4
//! media) and the eight bytes of its content:
//!
//! | part | content |
//! |---|---|
//! | text | `join(0, H(text))`; an empty text is left out |
//! | call | `join(join(H(id), H(name)), value)` |
//! | result | `H(id)` and nothing else, so that a cut copy is the same message; where the id is empty and the result names its tool, `join(H(id), H(name))` |
//! | media | `join(join(kind, bytes), join(join(0, H(reference)), H(print)))`; of inline data the reference is empty, of a reference bytes are 0 and the print is empty |
//! | media inside a result, reasoning, opaque | not covered |
//!
//! | value | hash |
//! |---|---|
//! | null | `join(1, 0)` |
//! | boolean | `join(2, 0 or 1)` |
//! | number | `join(3, H(shortest decimal text))` |
//! | string | `join(4, H(text))` |
//! | array | `join(join(5, count), sum)`; the sum begins with 5 and becomes `join(sum, element)` |
//! | object | `join(join(6, count), sum)`; the sum adds up `join(H(key), value)`, so the order of members does not matter |
//! | bytes | as a string that begins with the eight bytes of `join(7, length)` |
//!
//! The chain begins with `0x7072656369732031`. After each message it is `join(chain, content hash)`.

use core::hash::Hasher as _;
use twox_hash::XxHash64;

/// The version of the content hash. It never changes within a major version, because states hold positions made with
/// it.
pub const HASH_VERSION: u32 = 1;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions: system or developer messages.
    System,
    /// A person, or a program that writes in a person's place.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
}

impl Role {
    /// The role for a word on the tape or in a record.
    pub const fn from_word(word: u32) -> Option<Self> {
        match word {
            0 => Some(Self::System),
            1 => Some(Self::User),
            2 => Some(Self::Assistant),
            3 => Some(Self::Tool),
            _ => None,
        }
    }

    /// The name of the role, as messages and transcripts spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// The kind of a part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Visible text.
    Text,
    /// The model's reasoning.
    Reasoning,
    /// A tool call.
    Call,
    /// The result of a tool call.
    Result,
    /// An image, document, audio, video or other file.
    Media,
    /// A part that the format does not know. It is passed through unchanged.
    Opaque,
    /// The definition of a tool. Occurs only in the pseudo-message that holds the tools.
    Tool,
    /// A request for a person's approval to run a tool.
    ApprovalRequest,
    /// A person's response to an approval request.
    ApprovalResponse,
    /// A provider's own summary of everything before it.
    Compaction,
}

impl PartKind {
    const fn from_word(word: u32) -> Self {
        match word & 0xff {
            0 => Self::Text,
            1 => Self::Reasoning,
            2 => Self::Call,
            3 => Self::Result,
            4 => Self::Media,
            6 => Self::Tool,
            7 => Self::ApprovalRequest,
            8 => Self::ApprovalResponse,
            9 => Self::Compaction,
            _ => Self::Opaque,
        }
    }

    pub(super) const fn word(self) -> u32 {
        match self {
            Self::Text => 0,
            Self::Reasoning => 1,
            Self::Call => 2,
            Self::Result => 3,
            Self::Media => 4,
            Self::Opaque => 5,
            Self::Tool => 6,
            Self::ApprovalRequest => 7,
            Self::ApprovalResponse => 8,
            Self::Compaction => 9,
        }
    }

    const fn bit(self) -> u32 {
        1 << self.word()
    }
}

/// Set for failed results, calls that the provider executes, signed reasoning, readable provider summaries and framed
/// texts: see [`Part::marked`].
pub(super) const PART_MARK: u32 = 1 << 8;
/// The bit where the kinds of marked parts begin in [`MessageRecord::kinds`].
const MARKED: u32 = 16;
/// The number of a part that the format cannot replace.
pub const NO_NUMBER: u32 = u32::MAX;

const HEAD_WORDS: usize = 10;
const PART_WORDS: usize = 8;

/// One part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// The number that the format replaces it by, or [`NO_NUMBER`].
    pub number: u32,
    /// Its raw tokens.
    pub tokens: u32,
    /// The hash of the call id (calls and results) or approval id, otherwise 0.
    pub id: u64,
    /// The UTF-8 bytes of its text (saturating).
    pub bytes: u32,
    /// The bytes of the tool's name (calls), otherwise 0.
    pub name_bytes: u32,
    /// The low half of the hash of the tool's name (calls, definitions, and results that name it), otherwise 0.
    pub name: u32,
    /// Whether it is a failed result, a call that the provider executes, signed reasoning, a provider's summary with
    /// readable text, the definition of a tool that takes references, or a text that nobody typed: a document, or in a
    /// user's message one that an application framed as a whole.
    pub marked: bool,
}

/// What the engine keeps of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRecord<'a> {
    words: &'a [u32],
    /// One bit for each kind of part present, and the same bits shifted by [`MARKED`] for marked parts. Kept because it
    /// is queried very often.
    kinds: u32,
}

impl Part {
    /// Whether this is a provider's summary with an empty text, which no provider accepts back.
    pub fn is_empty_compaction(&self) -> bool {
        self.kind == PartKind::Compaction && self.marked && self.bytes == 0
    }
}

impl<'a> MessageRecord<'a> {
    /// Splits a run of records. Returns `None` if it is malformed.
    pub fn split(records: &'a [u32]) -> Option<Vec<Self>> {
        let mut rest = records;
        let mut all = Vec::new();
        while let Some(&length) = rest.first() {
            let length = length as usize;
            if length < HEAD_WORDS || length > rest.len() {
                return None;
            }
            let (words, after) = rest.split_at(length);
            // A state may say any number, and an address has 32 bits in wasm.
            let expected = u64::from(words[5]) * PART_WORDS as u64 + HEAD_WORDS as u64;
            if expected != length as u64 || Role::from_word(words[1] & 0xff).is_none() {
                return None;
            }
            let mut kinds = 0;
            for part in words[HEAD_WORDS..].chunks_exact(PART_WORDS) {
                let kind = PartKind::from_word(part[0]).bit();
                kinds |= if part[0] & PART_MARK == 0 { kind } else { kind | kind << MARKED };
            }
            all.push(Self { words, kinds });
            rest = after;
        }
        Some(all)
    }

    /// The author of the message.
    pub fn role(&self) -> Role {
        Role::from_word(self.words[1] & 0xff).unwrap_or(Role::User)
    }

    /// The content hash.
    pub fn hash(&self) -> u64 {
        join(self.words[2], self.words[3])
    }

    /// The hash of the message as a provider sees it: everything that is sent of it but reasoning. Unlike the content
    /// hash, it covers the output of tools.
    pub fn wire(&self) -> u64 {
        join(self.words[6], self.words[7])
    }

    /// The hash of what tools returned in the message: texts, values and media. 0 if it holds no result.
    pub fn outputs(&self) -> u64 {
        join(self.words[8], self.words[9])
    }

    /// The raw tokens of the message apart from its parts.
    pub fn overhead(&self) -> u64 {
        u64::from(self.words[4])
    }

    /// Whether it holds a response to an approval request.
    pub fn approves(&self) -> bool {
        self.has(PartKind::ApprovalResponse)
    }

    /// Whether it holds a provider's own summary.
    pub fn compacts(&self) -> bool {
        self.has(PartKind::Compaction)
    }

    /// The provider's own summary in this message: the last one with text, if there are several.
    pub fn compaction(&self) -> Option<Part> {
        if !self.compacts() {
            return None;
        }
        self.parts().rev().find(|part| part.kind == PartKind::Compaction && !part.is_empty_compaction())
    }

    /// Its parts, in order.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = Part> + ExactSizeIterator + Clone + use<'a> {
        self.words[HEAD_WORDS..].chunks_exact(PART_WORDS).map(|words| Part {
            kind: PartKind::from_word(words[0]),
            number: words[1],
            tokens: words[2],
            id: join(words[3], words[4]),
            bytes: words[5],
            name_bytes: words[6],
            name: words[7],
            marked: words[0] & PART_MARK != 0,
        })
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.words[5] as usize
    }

    /// The raw tokens of the whole message.
    pub fn tokens(&self) -> u64 {
        self.overhead() + self.parts().map(|part| u64::from(part.tokens)).sum::<u64>()
    }

    /// Whether it holds a part of this kind.
    pub fn has(&self, kind: PartKind) -> bool {
        self.kinds & kind.bit() != 0
    }

    /// Whether it holds a marked part of this kind.
    pub fn has_marked(&self, kind: PartKind) -> bool {
        self.kinds >> MARKED & kind.bit() != 0
    }

    /// Whether it holds nothing that a provider accepts as content.
    pub fn is_empty(&self) -> bool {
        self.parts().all(|part| part.kind == PartKind::Text && part.bytes == 0)
    }

    /// Whether it holds anything that its author said. Beside results of tools that is a text that no application framed:
    /// what else stands there belongs to the results.
    pub fn says_something(&self) -> bool {
        if !self.has(PartKind::Result) {
            return !self.is_empty();
        }
        self.parts().any(|part| part.kind == PartKind::Text && part.bytes > 0 && !part.marked)
    }

    /// The numbers of its results.
    pub fn results(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> =
            self.parts().filter(|part| part.kind == PartKind::Result).map(|part| part.number).collect();
        numbers.dedup();
        numbers
    }

    /// The raw tokens of its results, with what is inside them.
    pub fn result_tokens(&self) -> u64 {
        let mut inside = None;
        let mut tokens = 0;
        for part in self.parts() {
            let is_inner = match part.kind {
                PartKind::Result => true,
                PartKind::Media => inside == Some(part.number),
                PartKind::Opaque => inside.is_some(),
                _ => false,
            };
            inside = is_inner.then(|| if part.kind == PartKind::Result { part.number } else { inside.unwrap_or(0) });
            tokens += if is_inner { u64::from(part.tokens) } else { 0 };
        }
        tokens
    }

    /// Whether it holds reasoning that must be sent back unchanged.
    pub fn is_signed(&self) -> bool {
        self.has_marked(PartKind::Reasoning)
    }

    /// Whether it is an assistant message that begins with reasoning.
    pub fn begins_with_reasoning(&self) -> bool {
        self.role() == Role::Assistant && self.parts().next().is_some_and(|part| part.kind == PartKind::Reasoning)
    }

    /// The words of the record with these numbers of its parts.
    pub fn numbered(&self, numbers: &[u32]) -> Vec<u32> {
        let mut words = self.words.to_vec();
        for (part, &number) in words[HEAD_WORDS..].chunks_exact_mut(PART_WORDS).zip(numbers) {
            part[1] = number;
        }
        words
    }

    /// The words of the record.
    pub fn words(&self) -> &'a [u32] {
        self.words
    }
}

const fn join(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// The hash of a text.
pub fn hash_text(text: &str) -> u64 {
    let mut hash = XxHash64::with_seed(u64::from(HASH_VERSION));
    hash.write(text.as_bytes());
    hash.finish()
}

/// Combines two hashes in order.
pub fn combine(first: u64, second: u64) -> u64 {
    let mut hash = XxHash64::with_seed(u64::from(HASH_VERSION));
    hash.write(&(u128::from(second) << 64 | u128::from(first)).to_le_bytes());
    hash.finish()
}

/// The value of the chain before the first message.
pub const CHAIN_START: u64 = 0x7072_6563_6973_2031;

/// A place in a history: the number of messages before it, and the running hash of their content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of messages before it.
    pub count: u64,
    /// The running hash of their content hashes.
    pub chain: u64,
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}

impl Position {
    /// The start of any history.
    pub const START: Self = Self { count: 0, chain: CHAIN_START };

    /// Returns the position after one more message with this content hash.
    #[must_use]
    pub fn after(self, hash: u64) -> Self {
        Self { count: self.count + 1, chain: combine(self.chain, hash) }
    }
}

/// Formats a 64-bit value as 16 hex digits, as in a state.
pub fn hex(value: u64) -> String {
    digits(value, 16)
}

/// Formats the last 8 hex digits of a value.
pub fn short_hex(value: u64) -> String {
    digits(value, 8)
}

fn digits(value: u64, count: u32) -> String {
    (0..count).rev().map(|digit| char::from(b"0123456789abcdef"[(value >> (4 * digit) & 15) as usize])).collect()
}

/// Parses 16 hex digits.
pub fn from_hex(text: &str) -> Option<u64> {
    (text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
}
