//! What is looked for: the words of a query, the grams of each, and what each of these weighs.

use super::words::{self, Kind};

/// Distinct words of a query that count, and the grams and pairs of them all.
const MOST_WORDS: usize = 64;
const MOST_TERMS: usize = 512;
/// Slots of the table of terms: enough that most lookups end at once.
const SLOTS: usize = 2 * MOST_TERMS;
/// A slot without a term.
const EMPTY: u16 = u16::MAX;

/// A word has about as many grams as letters: what weighs as much as a word, of text that has no grams.
const GRAM: u64 = 2;
const PAIR: u64 = 3 * GRAM;
/// An identifier weighs as much as three words.
const WHOLE: u64 = 9 * GRAM;

/// What is looked for.
#[derive(Debug)]
pub struct Query {
    /// Hash and weight of each distinct gram, pair and identifier.
    pub terms: Vec<(u64, u64)>,
    /// The words in their order.
    pub row: Vec<u64>,
    /// The terms of each word, one word after another, and where each word ends.
    of_words: Vec<u16>,
    ends: Vec<usize>,
    slots: Vec<u16>,
    /// How many distinct words were read.
    distinct: usize,
}

impl Query {
    /// The words of a text; only so many distinct ones count.
    pub fn of(text: &str) -> Self {
        let mut query = Self {
            terms: Vec::new(),
            row: Vec::new(),
            of_words: Vec::new(),
            ends: Vec::new(),
            slots: vec![EMPTY; SLOTS],
            distinct: 0,
        };
        words::each(text, false, &mut |hash, kind, _| query.add(hash, kind));
        query.of_words.truncate(query.start());
        query
    }

    /// There is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn add(&mut self, hash: u64, kind: Kind) {
        if self.distinct == MOST_WORDS {
            return;
        }
        match kind {
            Kind::Letter => {}
            Kind::Gram => self.term(hash, GRAM),
            Kind::Word => self.word(hash),
            Kind::Whole => {
                self.term(hash, WHOLE);
                self.end();
            }
            Kind::Pair | Kind::Alone => {
                self.term(hash, if kind == Kind::Pair { PAIR } else { PAIR / 2 });
                self.word(hash);
            }
        }
    }

    /// A term of the word that is being read.
    fn term(&mut self, hash: u64, weight: u64) {
        let known = self.find(hash);
        if known.is_none() && self.terms.len() == MOST_TERMS {
            return;
        }
        let term = known.unwrap_or_else(|| {
            let slot = self.slot(hash);
            self.slots[slot] = self.terms.len() as u16;
            self.terms.push((hash, weight));
            self.terms.len() - 1
        });
        if !self.of_words[self.start()..].contains(&(term as u16)) {
            self.of_words.push(term as u16);
        }
    }

    /// Where the terms of the word that is being read begin.
    fn start(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The word is read.
    fn word(&mut self, hash: u64) {
        if self.row.contains(&hash) {
            self.of_words.truncate(self.start());
        } else {
            self.distinct += 1;
            self.end();
        }
        if self.row.len() < MOST_WORDS {
            self.row.push(hash);
        }
    }

    fn end(&mut self) {
        self.ends.push(self.of_words.len());
    }

    /// The term with a hash.
    pub fn find(&self, hash: u64) -> Option<usize> {
        Some(self.slots[self.slot(hash)]).filter(|&term| term != EMPTY).map(usize::from)
    }

    /// The slot of a term, or the one where it belongs.
    fn slot(&self, hash: u64) -> usize {
        let mut slot = (hash ^ hash >> 32) as usize % SLOTS;
        while self.slots[slot] != EMPTY && self.terms[usize::from(self.slots[slot])].0 != hash {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// Whether a text that has each term so often has a word of the query, or half of its grams.
    pub fn is_in(&self, often: &[u8]) -> bool {
        let mut from = 0;
        self.ends.iter().any(|&end| {
            let terms = &self.of_words[from..end];
            from = end;
            let here = terms.iter().filter(|&&term| often[usize::from(term)] > 0).count();
            here > 0 && 2 * here >= terms.len()
        })
    }
}
