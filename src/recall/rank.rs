//! BM25 in whole numbers (k1 = 1.2, b = 0.75) over the grams of words, where what is rare counts by its square; a passage
//! lends some of its score to those beside it, because a question and its answer share few words. The first passages that
//! are taken have to show different things.

use super::Ranked;
use super::fuse::fused;
use super::query::Query;
use super::words::{self, Kind};
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
    /// The byte of the text where the first word that was looked for begins.
    pub at: usize,
    /// How many passages were counted before it.
    place: u64,
    /// It has a word that was looked for.
    has_word: bool,
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
    /// What the passages beside it add to that.
    around: u64,
    /// How well it matches with all that is known of it.
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
    /// How often each term stands in the passage that is counted.
    often: Vec<u8>,
    /// How many passages were taken.
    count: usize,
    /// A ranker is asked: passages without any of the words are matches, too, and it says which come first.
    all: bool,
    /// Passages with any of the words; the best first, once they are scored.
    pub matches: Vec<Match>,
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
            often: vec![0; terms],
            count: 0,
            all,
            matches: Vec::new(),
        }
    }

    /// Counts the words of a passage; `passage` says where it is.
    pub fn passage(&mut self, text: &str, escaped: bool, passage: Passage) {
        let place = self.passages;
        let (query, often) = (&self.query, &mut self.often);
        let (mut length, mut print) = (0, 0);
        let (mut words, mut grams) = (None, None);
        let mut row = Row::default();
        often.fill(0);
        words::each(text, escaped, &mut |hash, kind, at| {
            if matches!(kind, Kind::Word | Kind::Letter) {
                length += 1;
                print = u64::rotate_left(print, 5) ^ hash;
            }
            if matches!(kind, Kind::Word | Kind::Pair | Kind::Alone) && row.next(&query.row, hash) {
                words.get_or_insert(at);
            }
            if let Some(term) = query.find(hash).filter(|_| kind != Kind::Alone) {
                often[term] = often[term].saturating_add(1);
                grams.get_or_insert(at);
            }
        });
        self.passages += 1;
        self.length += length;
        let from = self.counts.len();
        for (term, &count) in often.iter().enumerate() {
            if count > 0 {
                self.spread[term] += 1;
                self.counts.push((term as u16, count));
            }
        }
        let first = words.or(grams).filter(|_| query.is_in(often));
        if first.is_none() && !self.all {
            self.counts.truncate(from);
            return;
        }
        let (at, counts) = (passage.from + first.unwrap_or(0), (from, self.counts.len()));
        let row = row.longest;
        self.matches.push(Match {
            passage,
            at,
            place,
            has_word: first.is_some(),
            length,
            row,
            counts,
            print,
            score: 0,
            around: 0,
            whole: 0,
        });
    }

    /// Says how well each passage matches.
    pub fn score(&mut self) {
        let average = (self.length / self.passages.max(1)).max(1);
        let most = self.query.row.len();
        for found in &mut self.matches {
            let mut score = 0;
            for &(term, often) in &self.counts[found.counts.0..found.counts.1] {
                let (term, often) = (usize::from(term), u64::from(often));
                // ln(1 + (n - d + 1/2) / (d + 1/2)), but for the base, and its square.
                let rare = logarithm::of(2 * self.passages + 2) - logarithm::of(2 * self.spread[term] + 1);
                let rare = (rare * rare) >> 24;
                // 2.2 often / (often + 1.2 (0.25 + 0.75 length / average)), in tenths.
                let by = 10 * often * average + 3 * average + 9 * found.length;
                let worth = rare * self.query.terms[term].1 * 22 * often * average / by;
                self.worths.push(worth);
                score += worth;
            }
            found.score = found.with_row(score, most);
        }
        self.lend();
        // Of equals the last one first.
        self.matches.reverse();
        self.sort();
    }

    fn sort(&mut self) {
        order::by_key(&mut self.matches, |found| (!found.whole).into());
    }

    /// Leaves it to the words, as if no ranker were asked.
    pub fn only_words(&mut self) {
        self.matches.retain(|found| found.has_word);
        self.all = false;
    }

    /// Takes in what a ranker said of the first matches.
    pub fn fuse(&mut self, ranked: &Ranked) {
        let first = self.matches.len().min(MOST_CANDIDATES);
        let words: Vec<u64> = self.matches[..first].iter().map(|found| found.whole).collect();
        self.matches.truncate(first);
        for (found, fused) in self.matches.iter_mut().zip(fused(&words, ranked)) {
            found.whole = fused;
        }
        self.sort();
    }

    /// Three eighths of a score for the passages next to it, half of that for those behind them.
    fn lend(&mut self) {
        for at in 0..self.matches.len() {
            let place = self.matches[at].place;
            let near = at.saturating_sub(2)..(at + 3).min(self.matches.len());
            let around = self.matches[near].iter().map(|other| match other.place.abs_diff(place) {
                1 => other.score * 3 / 8,
                2 => other.score * 3 / 16,
                _ => 0,
            });
            self.matches[at].around = around.sum();
            self.matches[at].whole = self.matches[at].score + self.matches[at].around;
        }
    }

    /// Takes out the match that adds most to those that were taken: of the first few by what they have that those before
    /// have not, then the best that is left.
    pub fn take(&mut self) -> Option<Match> {
        let at = if self.count < DIFFERENT && !self.all { self.most_different()? } else { 0 };
        self.count += 1;
        if at >= self.matches.len() {
            return None;
        }
        let found = self.matches.remove(at);
        for &(term, _) in &self.counts[found.counts.0..found.counts.1] {
            self.taken[usize::from(term)] += 1;
        }
        Some(found)
    }

    fn most_different(&self) -> Option<usize> {
        let most = self.query.row.len();
        let mut best: Option<(usize, u64)> = None;
        for (at, found) in self.matches.iter().enumerate() {
            if best.is_some_and(|(_, score)| found.whole <= score) {
                break;
            }
            let mut score = 0;
            for at in found.counts.0..found.counts.1 {
                score += self.worths[at] >> (2 * self.taken[usize::from(self.counts[at].0)]);
            }
            // What is beside it counts for as much as what is left of its own.
            let whole = found.whole / 256;
            let score = whole * found.with_row(score, most) / (found.score / 256).max(1);
            if best.is_none_or(|(_, known)| score > known) {
                best = Some((at, score));
            }
        }
        best.map(|(at, _)| at)
    }
}

/// How far the words of a passage follow those of the query in their order.
#[derive(Default)]
struct Row {
    /// Where in the query the words that follow it begin, and the place of the next one.
    run: Option<(usize, usize)>,
    longest: usize,
}

impl Row {
    /// The next word of the passage; whether the query has it.
    fn next(&mut self, query: &[u64], hash: u64) -> bool {
        let goes_on = self.run.filter(|&(_, next)| query.get(next) == Some(&hash));
        self.run = goes_on
            .or_else(|| query.iter().position(|&other| other == hash).map(|at| (at, at)))
            .map(|(start, next)| (start, next + 1));
        self.longest = self.longest.max(self.run.map_or(0, |(start, next)| next - start));
        self.run.is_some()
    }
}

/// Passages that a ranker is asked about.
pub const MOST_CANDIDATES: usize = 512;

/// Passages that are taken by what they add to those before.
const DIFFERENT: usize = 4;
