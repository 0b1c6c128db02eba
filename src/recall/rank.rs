//! BM25 in whole numbers: k1 = 1.2, b = 0.75. What has been taken is not looked for as much: a word counts half for each
//! passage with it, so that what is returned shows different things.

use super::words::{self, Kind};
use crate::base::logarithm;

/// Distinct words of a query that count.
const MOST_TERMS: usize = 64;

/// What is looked for.
#[derive(Debug, Default)]
pub struct Query {
    /// Hash and weight of each distinct word.
    terms: Vec<(u64, u64)>,
    /// The words in their order.
    row: Vec<u64>,
    /// Which hashes may be among the terms, by their lowest bits.
    seen: [u64; 16],
}

/// Weight of an ordinary word.
const WORD: u64 = 2;

impl Query {
    /// The words of a text; only so many distinct ones count.
    pub fn of(text: &str) -> Self {
        let mut query = Self::default();
        words::each(text, false, &mut |hash, kind, _| query.add(hash, kind));
        query
    }

    /// There is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn add(&mut self, hash: u64, kind: Kind) {
        let weight = match kind {
            Kind::Letter => return,
            Kind::Word | Kind::Pair => WORD,
            Kind::Alone => WORD / 2,
            Kind::Whole => 3 * WORD,
        };
        if kind != Kind::Whole && self.row.len() < MOST_TERMS {
            self.row.push(hash);
        }
        match self.find(hash) {
            Some(term) => self.terms[term].1 = self.terms[term].1.max(weight),
            None if self.terms.len() < MOST_TERMS => {
                self.terms.push((hash, weight));
                self.seen[(hash & 15) as usize] |= 1 << (hash >> 4 & 63);
            }
            None => {}
        }
    }

    fn find(&self, hash: u64) -> Option<usize> {
        if self.seen[(hash & 15) as usize] >> (hash >> 4 & 63) & 1 == 0 {
            return None;
        }
        self.terms.iter().position(|term| term.0 == hash)
    }
}

/// Where a passage is.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The place of the message among those that can be read.
    pub input: usize,
    /// The message's place in the history.
    pub index: u64,
    /// Which of its texts.
    pub part: usize,
    /// The byte of that text where it begins.
    pub from: usize,
    /// The byte of that text where it ends.
    pub to: usize,
}

/// A passage that holds some of the words.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// Where it is.
    pub passage: Passage,
    /// The byte of the text where the first word that was looked for begins.
    pub at: usize,
    /// Words in it.
    length: u64,
    /// The longest run of words that the query has in the same order.
    row: usize,
    /// Where its counts begin and end.
    counts: (usize, usize),
    /// Hash over its words: what says the same has the same.
    pub print: u64,
    /// How well it matches if nothing was taken yet.
    score: u64,
}

impl Match {
    /// Words in the order of the query: all of them count twice.
    fn with_row(&self, score: u64, most: usize) -> u64 {
        if self.row > 1 { score + score * (self.row as u64 - 1) / (most as u64 - 1) } else { score }
    }
}

/// What was counted so far.
#[derive(Debug)]
pub struct Ranking {
    query: Query,
    /// In how many passages each term stands.
    spread: [u64; MOST_TERMS],
    passages: u64,
    length: u64,
    /// Term and how often it stands in a passage, of one after another.
    counts: Vec<(u8, u8)>,
    /// What each of the counts is worth in its passage.
    worths: Vec<u64>,
    /// In how many of the passages that were taken each term stands.
    taken: [u32; MOST_TERMS],
    /// Passages with any of the terms; the best first, once they are scored.
    pub matches: Vec<Match>,
}

impl Ranking {
    /// Nothing was counted yet.
    pub const fn new(query: Query) -> Self {
        Self {
            query,
            spread: [0; MOST_TERMS],
            passages: 0,
            length: 0,
            counts: Vec::new(),
            worths: Vec::new(),
            taken: [0; MOST_TERMS],
            matches: Vec::new(),
        }
    }

    /// Counts the words of a passage; `passage` says where it is.
    pub fn passage(&mut self, text: &str, escaped: bool, passage: Passage) {
        let query = &self.query;
        let mut found = Match { passage, at: passage.from, length: 0, row: 0, counts: (0, 0), print: 0, score: 0 };
        let mut often = [0_u8; MOST_TERMS];
        let (mut start, mut row, mut first) = (0, 0, None);
        words::each(text, escaped, &mut |hash, kind, at| {
            if matches!(kind, Kind::Word | Kind::Letter) {
                found.length += 1;
                found.print = found.print.rotate_left(5) ^ hash;
            }
            let term = query.find(hash);
            if !matches!(kind, Kind::Whole | Kind::Letter) {
                if query.row.get(row) != Some(&hash) {
                    start = term.and_then(|_| query.row.iter().position(|&other| other == hash)).unwrap_or(usize::MAX);
                    row = start;
                }
                if start < usize::MAX {
                    row += 1;
                    found.row = found.row.max(row - start);
                }
            }
            if let Some(term) = term.filter(|_| kind != Kind::Alone) {
                often[term] = often[term].saturating_add(1);
                first.get_or_insert(at);
            }
        });
        self.passages += 1;
        self.length += found.length;
        let Some(first) = first else { return };
        found.at += first;
        found.counts.0 = self.counts.len();
        for (term, &count) in often.iter().enumerate() {
            if count > 0 {
                self.spread[term] += 1;
                self.counts.push((term as u8, count));
            }
        }
        found.counts.1 = self.counts.len();
        self.matches.push(found);
    }

    /// Says how well each passage matches.
    pub fn score(&mut self) {
        let average = (self.length / self.passages.max(1)).max(1);
        let most = self.query.row.len();
        for found in &mut self.matches {
            let mut score = 0;
            for &(term, often) in &self.counts[found.counts.0..found.counts.1] {
                let (term, often) = (usize::from(term), u64::from(often));
                // ln(1 + (n - d + 1/2) / (d + 1/2)), but for the base.
                let rare = logarithm::of(2 * self.passages + 2) - logarithm::of(2 * self.spread[term] + 1);
                // 2.2 often / (often + 1.2 (0.25 + 0.75 length / average)), in tenths.
                let by = 10 * often * average + 3 * average + 9 * found.length;
                let worth = rare * self.query.terms[term].1 * 22 * often * average / by;
                self.worths.push(worth);
                score += worth;
            }
            found.score = found.with_row(score, most);
        }
        // Of equals the last one first.
        self.matches.reverse();
        self.matches.sort_by_key(|found| core::cmp::Reverse(found.score));
    }

    /// Takes out the match that adds most to those that were taken.
    pub fn take(&mut self) -> Option<Match> {
        let most = self.query.row.len();
        let mut best: Option<(usize, u64)> = None;
        for (at, found) in self.matches.iter().enumerate() {
            if best.is_some_and(|(_, score)| found.score <= score) {
                break;
            }
            let mut score = 0;
            for at in found.counts.0..found.counts.1 {
                score += self.worths[at] >> self.taken[usize::from(self.counts[at].0)].min(MOST_HALVED);
            }
            let score = found.with_row(score, most);
            if best.is_none_or(|(_, known)| score > known) {
                best = Some((at, score));
            }
        }
        let found = self.matches.remove(best?.0);
        for &(term, _) in &self.counts[found.counts.0..found.counts.1] {
            self.taken[usize::from(term)] += 1;
        }
        Some(found)
    }
}

/// How often what a word counts is halved at most.
const MOST_HALVED: u32 = 6;
