//! Writes the record of a message, part by part: the words that [`crate::model::message`] defines and reads.

use crate::model::message::{HASH_VERSION, NO_NUMBER, PART_MARK, Part, PartKind, Role, combine};
use core::hash::Hasher;
use twox_hash::XxHash64;

/// Builds one record.
pub struct RecordBuilder {
    words: Vec<u32>,
    hash: ContentHash,
    wire: u64,
    outputs: u64,
    /// The number of the result that media may be inside of.
    inside: Option<u32>,
}

impl RecordBuilder {
    /// Starts a message of this role without parts.
    pub fn new(role: Role, overhead: u32) -> Self {
        let words = vec![0, role as u32, 0, 0, overhead, 0, 0, 0, 0, 0];
        Self { words, hash: ContentHash::new(role), wire: role as u64, outputs: 0, inside: None }
    }

    /// Adds a part. `content` is what the content hash covers of it. With `None`, the hash does not cover the part.
    /// `wire` is the hash of everything that is sent of it, `output` that of what a tool returned.
    pub fn part(&mut self, part: Part, content: Option<u64>, wire: u64, output: u64) {
        let is_inner = part.kind == PartKind::Media && self.inside == Some(part.number);
        match part.kind {
            PartKind::Result => self.inside = Some(part.number).filter(|&number| number != NO_NUMBER),
            PartKind::Opaque => {}
            _ if is_inner => {}
            _ => self.inside = None,
        }
        if is_inner || part.kind == PartKind::Result {
            self.outputs = combine(self.outputs, combine(u64::from(part.marked), output));
        }
        // What a tool returned is covered by the other hash.
        let content = content.filter(|_| !is_inner);
        let own = combine(u64::from(part.kind.word()) << 1 | u64::from(part.marked), wire);
        self.wire = match part.kind {
            PartKind::Reasoning => self.wire,
            PartKind::Text if part.bytes == 0 => self.wire,
            // To a provider, tools are a set.
            PartKind::Tool => self.wire.wrapping_add(own),
            _ => combine(self.wire, own),
        };
        let mark = if part.marked { PART_MARK } else { 0 };
        self.words.extend_from_slice(&[
            part.kind.word() | mark,
            part.number,
            part.tokens,
            part.id as u32,
            (part.id >> 32) as u32,
            part.bytes,
            part.name_bytes,
            part.name,
        ]);
        self.words[5] += 1;
        if let Some(content) = content {
            self.hash.part(part.kind, content);
        }
    }

    /// Names the speaker, by the hash of the name. The same words of somebody else are another message.
    pub fn speaker(&mut self, name: u64) {
        self.hash.speaker(name);
    }

    /// Adds raw tokens of the message apart from its parts.
    pub fn add(&mut self, overhead: u32) {
        self.words[4] = self.words[4].saturating_add(overhead);
    }

    /// Returns the finished record.
    pub fn finish(mut self) -> Vec<u32> {
        let hash = self.hash.finish();
        self.words[0] = self.words.len() as u32;
        self.words[2] = hash as u32;
        self.words[3] = (hash >> 32) as u32;
        self.words[6] = self.wire as u32;
        self.words[7] = (self.wire >> 32) as u32;
        self.words[8] = self.outputs as u32;
        self.words[9] = (self.outputs >> 32) as u32;
        self.words
    }
}

/// The content hash of a message. It covers the role, the speaker's name, text, tool names, call ids and arguments (as values), and of media
/// the kind, the size, the address and a few bytes of the data, but neither their type nor their name. Of a tool
/// result it covers only the call id (without one, the tool's name), because SDKs rewrite tool output between requests, and people edit their own
/// messages but not tool output. It does not cover reasoning, provider options, metadata, cache control, timestamps and
/// message ids.
struct ContentHash(XxHash64);

/// In the content hash, what stands for the kind of a part before the name of the speaker.
const SPEAKER: u8 = 0xff;

impl ContentHash {
    fn new(role: Role) -> Self {
        let mut hash = XxHash64::with_seed(u64::from(HASH_VERSION));
        hash.write(&[role as u8]);
        Self(hash)
    }

    fn part(&mut self, kind: PartKind, content: u64) {
        self.write(kind.word() as u8, content);
    }

    fn speaker(&mut self, name: u64) {
        self.write(SPEAKER, name);
    }

    fn write(&mut self, kind: u8, content: u64) {
        let mut bytes = [0; 9];
        bytes[0] = kind;
        bytes[1..].copy_from_slice(&content.to_le_bytes());
        self.0.write(&bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}
