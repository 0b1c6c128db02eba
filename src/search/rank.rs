//! BM25 in whole numbers (k1 = 1.2, b = 0.75) over the grams of words, where what is rare counts by its square; a passage
//! lends some of its score to those beside it, because a question and its answer share few words. The first passages that
//! are taken have to show different things.

use super::fuse::fused;
use super::lend::lent;
use super::query::{Effect, Effects, Meeting, Query};
use super::ranked::Ranked;
use super::words::{self, Words};
use crate::base::logarithm;
use crate::base::order;

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
    /// How many passages were counted before it.
    place: u64,
    /// It has a word that was looked for.
    pub has_word: bool,
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
    /// How well it matches with what the passages beside it add to that, and with what a ranker says.
    whole: u64,
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
    spread: Vec<u64>,
    passages: u64,
    length: u64,
    /// Term and how often it stands in a passage, of one after another.
    counts: Vec<(u16, u8)>,
    /// What each of the counts is worth in its passage.
    worths: Vec<u64>,
    /// In how many of the passages that were taken each term stands.
    taken: Vec<u32>,
    /// The passage that is counted.
    meeting: Meeting,
    /// What one of its words means.
    effects: Vec<Effect>,
    /// How many passages were taken.
    count: usize,
    /// A ranker is asked: passages without any of the words are matches, too, and it says which come first.
    all: bool,
    /// Passages with any of the words, in the order of the conversation.
    matches: Vec<Match>,
    /// Which of them were not taken, the best first, once they are scored; those before `front` were taken, too.
    order: Vec<usize>,
    front: usize,
    /// At most so well each match fits what was taken.
    bounds: Vec<u64>,
}

impl Ranking {
    /// Nothing was counted yet. `all`: a ranker is asked.
    pub fn new(query: Query, all: bool) -> Self {
        let terms = query.terms.len();
        Self {
            query,
            spread: vec![0; terms],
            passages: 0,
            length: 0,
            counts: Vec::new(),
            worths: Vec::new(),
            taken: vec![0; terms],
            meeting: Meeting::default(),
            effects: Vec::new(),
            count: 0,
            all,
            matches: Vec::new(),
            order: Vec::new(),
            front: 0,
            bounds: Vec::new(),
        }
    }

    /// What is looked for.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The scored matches that were not taken, the best first.
    pub fn left(&self) -> impl ExactSizeIterator<Item = &Match> {
        self.order[self.front..].iter().map(|&at| &self.matches[at])
    }

    /// Counts the words of a passage; `passage` says where it is.
    pub fn passage(&mut self, text: &str, escaped: bool, passage: Passage) {
        let mut words = Words::default();
        self.meeting.begin(&self.query);
        words::each(text, escaped, &mut |hash, kind, _| {
            words.add(hash, kind);
            self.effects.clear();
            self.query.effects(hash, kind, &mut self.effects);
            self.meeting.meet(&self.query, &self.effects);
        });
        self.counted(words, passage);
    }

    /// Counts the words of a passage that an index knows. `places`: the number of each word in two bytes; `effects`: what
    /// the words mean, by their numbers.
    pub fn indexed(&mut self, words: Words, places: &[u8], effects: &Effects, passage: Passage) {
        self.meeting.begin(&self.query);
        self.meeting.meet_all(&self.query, places, effects);
        self.counted(words, passage);
    }

    /// The words of a passage were counted.
    fn counted(&mut self, words: Words, passage: Passage) {
        let place = self.passages;
        self.passages += 1;
        self.length += words.length;
        let Meeting { met, often, longest, .. } = &self.meeting;
        for &term in met {
            self.spread[usize::from(term)] += 1;
        }
        let has_word = !met.is_empty() && self.query.is_in(often);
        if !has_word && !self.all {
            return;
        }
        let from = self.counts.len();
        self.counts.extend(met.iter().map(|&term| (term, often[usize::from(term)])));
        self.matches.push(Match {
            passage,
            place,
            has_word,
            length: words.length,
            row: *longest,
            counts: (from, self.counts.len()),
            print: words.print,
            score: 0,
            whole: 0,
        });
    }

    /// Says how well each passage matches.
    // Its callers are compiled for size.
    #[inline(never)]
    pub fn score(&mut self) {
        let average = (self.length / self.passages.max(1)).max(1);
        let most = self.query.row.len();
        let weights: Vec<u64> = (self.query.terms.iter().zip(&self.spread))
            .map(|(&(_, weight), &spread)| {
                // ln(1 + (n - d + 1/2) / (d + 1/2)), but for the base, and its square.
                let rare = logarithm::of(2 * self.passages + 2) - logarithm::of(2 * spread + 1);
                ((rare * rare) >> 24) * weight
            })
            .collect();
        self.worths.reserve(self.counts.len());
        for found in &mut self.matches {
            let mut score = 0;
            for &(term, often) in &self.counts[found.counts.0..found.counts.1] {
                let (weight, often) = (weights[usize::from(term)], u64::from(often));
                // 2.2 often / (often + 1.2 (0.25 + 0.75 length / average)), in tenths.
                let by = 10 * often * average + 3 * average + 9 * found.length;
                let worth = weight * 22 * often * average / by;
                self.worths.push(worth);
                score += worth;
            }
            found.score = found.with_row(score, most);
        }
        self.lend();
        // Of equals the last one first.
        self.order = (0..self.matches.len()).rev().collect();
        self.sort();
    }

    fn sort(&mut self) {
        order::by_key(&mut self.order, |&at| (!self.matches[at].whole).into());
    }

    /// Leaves it to the words, as if no ranker were asked.
    pub fn only_words(&mut self) {
        self.order.retain(|&at| self.matches[at].has_word);
        self.all = false;
    }

    /// Takes in what a ranker said of the first matches.
    pub fn fuse(&mut self, ranked: &Ranked) {
        self.order.truncate(MOST_CANDIDATES);
        let words: Vec<(u64, u64)> = self.left().map(|found| (found.place, found.whole)).collect();
        for (&at, fused) in self.order.iter().zip(fused(&words, ranked)) {
            self.matches[at].whole = fused;
        }
        self.sort();
    }

    fn lend(&mut self) {
        let scores: Vec<(u64, u64)> = self.matches.iter().map(|found| (found.place, found.score)).collect();
        for (found, whole) in self.matches.iter_mut().zip(lent(&scores)) {
            found.whole = whole;
        }
    }

    /// Takes out the match that adds most to those that were taken: of the first few by what they have that those before
    /// have not, then the best that is left.
    pub fn take(&mut self) -> Option<Match> {
        let at = if self.count < DIFFERENT && !self.all { self.most_different()? } else { self.front };
        self.count += 1;
        let found = self.matches[*self.order.get(at)?];
        if at == self.front {
            self.front += 1;
        } else {
            self.order.remove(at);
        }
        for &(term, _) in &self.counts[found.counts.0..found.counts.1] {
            self.taken[usize::from(term)] += 1;
        }
        Some(found)
    }

    // Its callers are compiled for size.
    #[inline(never)]
    fn most_different(&mut self) -> Option<usize> {
        if self.count == 1 {
            // Most are asked for: in the order in which they lie in memory.
            self.bounds = self.matches.iter().map(|found| self.different(found)).collect();
        }
        let mut best: Option<(usize, u64)> = None;
        for (at, &own) in self.order.iter().enumerate().skip(self.front) {
            let found = &self.matches[own];
            if best.is_some_and(|(_, score)| found.whole <= score) {
                break;
            }
            // What is taken makes none more different than it was.
            let bound = self.bounds.get(own).copied().unwrap_or(u64::MAX);
            if best.is_some_and(|(_, score)| bound <= score) {
                continue;
            }
            let score = self.different(found);
            if best.is_none_or(|(_, known)| score > known) {
                best = Some((at, score));
            }
            if let Some(bound) = self.bounds.get_mut(own) {
                *bound = score;
            }
        }
        best.map(|(at, _)| at)
    }

    /// How well a match fits with what those that were taken have not.
    fn different(&self, found: &Match) -> u64 {
        let mut score = 0;
        let own = found.counts.0..found.counts.1;
        for (worth, &(term, _)) in self.worths[own.clone()].iter().zip(&self.counts[own]) {
            score += worth >> (2 * self.taken[usize::from(term)]);
        }
        // What is beside it counts for as much as what is left of its own.
        found.whole / 256 * found.with_row(score, self.query.row.len()) / (found.score / 256).max(1)
    }
}

/// Passages that a ranker is asked about.
pub const MOST_CANDIDATES: usize = 512;

/// Passages that are taken by what they add to those before.
const DIFFERENT: usize = 4;
