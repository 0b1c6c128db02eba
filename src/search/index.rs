//! The index of a run of messages: all that any search needs to know of their texts. It does not depend on what is asked.
//! The host keeps it as bytes, as it keeps records, and hands it back for the next search.
//!
//! Each distinct word is stored once, with a fold of 16 bits for all that is met in it. A passage is a row of numbers of
//! words. So a search compares folds with those of its query, reads the few words that agree, and then counts numbers.
//! It finds exactly what it would find in the texts.

use super::passages;
use super::query::{Effects, Query};
use super::rank::{Passage, Ranking};
use super::texts::{self, Text};
use super::words::{self, Kind, Words};
use crate::base::id_map::IdMap;
use crate::base::{references, text};
use crate::ingest::content::{Content, ContentPart};
use crate::model::message::hash_text;

/// What kind of part a text is of, as far as searching for what was searched before goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A call that looked something up, with the hash of its id.
    Search(u64),
    /// Any other call.
    Call(u64),
    /// A result.
    Result(u64),
    /// What was said.
    Said,
}

impl Origin {
    /// That of a part.
    pub fn of(part: &ContentPart) -> Self {
        match part {
            ContentPart::Call { id, name, input, .. } if references::is_recall(name, input.keys()) => {
                Self::Search(hash_text(id))
            }
            ContentPart::Call { id, .. } => Self::Call(hash_text(id)),
            ContentPart::Result { id, .. } => Self::Result(hash_text(id)),
            _ => Self::Said,
        }
    }

    const fn words(self) -> [u32; 3] {
        let (kind, id) = match self {
            Self::Said => (0, 0),
            Self::Search(id) => (1, id),
            Self::Call(id) => (2, id),
            Self::Result(id) => (3, id),
        };
        [kind, id as u32, (id >> 32) as u32]
    }

    const fn from_words(kind: u32, low: u32, high: u32) -> Self {
        let id = low as u64 | (high as u64) << 32;
        match kind {
            1 => Self::Search(id),
            2 => Self::Call(id),
            3 => Self::Result(id),
            _ => Self::Said,
        }
    }
}

/// The numbers at the start: of texts, passages, places in passages, distinct words, folds, and bytes of words.
const HEAD: usize = 6;
/// Numbers of a text: its message and part, its origin, and how many passages it has.
const TEXT: usize = 6;
/// Numbers of a passage: its end in the text, its words, and how many places it has.
const PASSAGE: usize = 5;
/// Numbers of a distinct word: where its bytes and its folds end.
const WORD: usize = 2;

/// Distinct words of one index: their numbers have 16 bits.
const MOST_WORDS: usize = 1 << 16;

/// Makes the index of a run of messages.
#[derive(Default)]
struct Builder {
    texts: Vec<u32>,
    passages: Vec<u32>,
    places: Vec<u16>,
    words: Vec<u32>,
    folds: Vec<u16>,
    bytes: String,
    /// The number of each distinct word, by a hash of its bytes.
    known: IdMap,
}

impl Builder {
    fn text(&mut self, message: usize, part: &ContentPart, text: &Text) {
        let [kind, low, high] = Origin::of(part).words();
        let (mut from, mut count) = (0, 0);
        while from < text.text.len() {
            let to = passages::next(&text.text, from);
            self.passage(text::between(&text.text, from, to), text.escaped, to);
            (from, count) = (to, count + 1);
        }
        self.texts.extend([message as u32, text.at as u32, kind, low, high, count]);
    }

    fn passage(&mut self, passage: &str, escaped: bool, to: usize) {
        let (mut all, mut start) = (Words::default(), None);
        let (before, mut folds) = (self.places.len(), self.folds.len());
        words::each(passage, escaped, &mut |hash, kind, at| {
            all.add(hash, kind);
            let from = *start.get_or_insert(at);
            if kind != Kind::End {
                self.folds.push(words::fold(hash));
                return;
            }
            start = None;
            let word = text::between(passage, from, at);
            let number = self.number(word);
            if number < self.words.len() / WORD {
                self.folds.truncate(folds);
            } else {
                self.bytes.push_str(word);
                self.words.extend([self.bytes.len() as u32, self.folds.len() as u32]);
                folds = self.folds.len();
            }
            self.places.push(number as u16);
        });
        let (low, high) = (all.print as u32, (all.print >> 32) as u32);
        self.passages.extend([to as u32, all.length as u32, low, high, (self.places.len() - before) as u32]);
    }

    /// The number of a word that is known, or the next one.
    fn number(&mut self, word: &str) -> usize {
        let next = self.words.len() / WORD;
        let hash = word.bytes().fold(words::START, |hash, byte| words::add(hash, char::from(byte)));
        match self.known.get(hash) {
            Some(number) if bytes_of(&self.words, number as usize, &self.bytes) == word => number as usize,
            // Two words of one hash: the second is stored each time it is met.
            Some(_) => next,
            None => {
                self.known.insert(hash, next as u64);
                next
            }
        }
    }

    fn finish(self) -> Option<Vec<u8>> {
        let words = self.words.len() / WORD;
        if words > MOST_WORDS {
            return None;
        }
        let head = [
            self.texts.len() / TEXT,
            self.passages.len() / PASSAGE,
            self.places.len(),
            words,
            self.folds.len(),
            self.bytes.len(),
        ];
        let mut bytes = Vec::new();
        for number in head {
            bytes.extend((number as u32).to_le_bytes());
        }
        for number in self.texts.iter().chain(&self.passages).chain(&self.words) {
            bytes.extend(number.to_le_bytes());
        }
        for number in self.places.iter().chain(&self.folds) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.bytes.as_bytes());
        Some(bytes)
    }
}

fn bytes_of<'a>(words: &[u32], number: usize, bytes: &'a str) -> &'a str {
    let from = number.checked_sub(1).map_or(0, |before| words[before * WORD]);
    text::between(bytes, from as usize, words[number * WORD] as usize)
}

/// Makes the index of messages, numbered from 0 on. `None` if they have too many distinct words.
pub fn of(messages: &[Content]) -> Option<Vec<u8>> {
    let mut builder = Builder::default();
    for (message, content) in messages.iter().enumerate() {
        for text in texts::of(content) {
            builder.text(message, &content.parts[text.at], &text);
        }
    }
    builder.finish()
}

/// An index that is read.
pub struct Index<'a> {
    texts: Vec<u32>,
    passages: Vec<u32>,
    words: Vec<u32>,
    places: &'a [u8],
    folds: &'a [u8],
    bytes: &'a str,
}

/// A text of an index: its message, its part, what it is of, and its passages with their places.
pub struct Indexed {
    /// Which of the messages of the run.
    pub message: usize,
    /// Which part of the message.
    pub part: usize,
    /// What it is of.
    pub origin: Origin,
    /// Its first passage, and how many it has.
    passages: (usize, usize),
    /// Where the words of its first passage begin.
    place: usize,
}

impl<'a> Index<'a> {
    /// Reads one. `None` if it is none.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut take = |count: usize| {
            let (taken, after) = rest.split_at_checked(count)?;
            rest = after;
            Some(taken)
        };
        let head = numbers(take(4 * HEAD)?);
        let count = |at: usize| head[at] as usize;
        let texts = numbers(take(4 * TEXT * count(0))?);
        let passages = numbers(take(4 * PASSAGE * count(1))?);
        let words = numbers(take(4 * WORD * count(3))?);
        let (places, folds) = (take(2 * count(2))?, take(2 * count(4))?);
        let bytes = std::str::from_utf8(take(count(5))?).ok()?;
        Some(Self { texts, passages, words, places, folds, bytes })
    }

    /// Its texts, in order.
    pub fn texts(&self) -> Vec<Indexed> {
        let (mut passage, mut place) = (0, 0);
        let mut all = Vec::new();
        for text in self.texts.chunks_exact(TEXT) {
            let count = text[5] as usize;
            all.push(Indexed {
                message: text[0] as usize,
                part: text[1] as usize,
                origin: Origin::from_words(text[2], text[3], text[4]),
                passages: (passage, count),
                place,
            });
            let passages = self.passages.chunks_exact(PASSAGE).skip(passage).take(count);
            place += passages.map(|passage| passage[4] as usize).sum::<usize>();
            passage += count;
        }
        all
    }

    /// What each of its words means for a query.
    // Its callers are compiled for size.
    #[inline(never)]
    pub fn effects(&self, query: &Query) -> Effects {
        let count = self.words.len() / WORD;
        let mut all = Effects::new(count);
        let (mut number, mut read) = (0, None);
        let mut own = Vec::new();
        for (at, &fold) in self.folds.as_chunks().0.iter().enumerate() {
            if !query.may_have(u16::from_le_bytes(fold)) {
                continue;
            }
            // The word that it is of.
            while number < count && self.words[number * WORD + 1] as usize <= at {
                number += 1;
            }
            if number < count && read != Some(number) {
                read = Some(number);
                own.clear();
                words::each(bytes_of(&self.words, number, self.bytes), false, &mut |hash, kind, _| {
                    query.effects(hash, kind, &mut own);
                });
                all.set(number, &own);
            }
        }
        all
    }

    /// Counts the passages of a text; `passage` says of which text they are.
    pub fn count(&self, text: &Indexed, effects: &Effects, ranking: &mut Ranking, passage: Passage) {
        let (first, count) = text.passages;
        let (mut from, mut place) = (0, text.place);
        for numbers in self.passages.chunks_exact(PASSAGE).skip(first).take(count) {
            let (to, next) = (numbers[0] as usize, place + numbers[4] as usize);
            let places = self.places.get(2 * place..2 * next).unwrap_or_default();
            let words = Words { length: numbers[1].into(), print: u64::from(numbers[2]) | u64::from(numbers[3]) << 32 };
            ranking.indexed(words, places, effects, Passage { from, to, ..passage });
            (from, place) = (to, next);
        }
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}
