//! What the pieces of a text cost, whichever way they were cut: character by character or by runs of ASCII.
//!
//! Costs are in parts of `ONE`, weights in parts of `tables::FULL`.

use super::lookup;
use super::tables::{self, Class};

/// One token.
pub(super) const ONE: i64 = 1 << lookup::BITS;

/// How many characters a contraction has that begins with an apostrophe and these two; 0 if it is none.
pub(super) fn contracted(first: u32, second: u32) -> usize {
    match (first | 0x20, second | 0x20) {
        // s, t, m, d
        (115 | 116 | 109 | 100, _) => 2,
        // re, ve, ll
        (114 | 118, 101) | (108, 108) => 3,
        _ => 0,
    }
}

/// What the length of a run of Latin letters and its capitals add to its surprise. `capital`: it begins with one.
pub(super) fn shape(surprise: i64, length: u32, capitals: u32, capital: bool) -> i64 {
    let case = match capitals {
        0 => 0,
        _ if length == 1 => 1,
        all if all == length => 3,
        1 if capital => 2,
        _ => 4,
    };
    let size = usize::from(length > 3) + usize::from(length > 7);
    let sum = surprise + part(&tables::LENGTH, length.min(23) as usize) + part(&tables::CASE, case * 3 + size);
    if length > 40 { sum.max(i64::from(length) * (ONE / 5)) } else { sum }
}

/// What a run of blanks costs, and what it leaves for the next piece.
pub(super) struct Blanks {
    /// For its line ends.
    pub lines: i64,
    /// For what follows them.
    pub indent: i64,
    /// An index of [`tables::LEAD`]: the last blank belongs to the word that follows.
    pub lead: usize,
    /// It belongs to the marks that follow.
    pub spaced: bool,
}

/// Blanks up to the last line end and `after` it, the last one with this code, before a character of the class `next`.
pub(super) fn blanks(lines: usize, after: usize, code: u32, next: Option<Class>) -> Blanks {
    let beyond = |count: usize, most: usize, of: i64| ONE + count.saturating_sub(most) as i64 * (ONE / of);
    let mut found = Blanks { lines: 0, indent: 0, lead: 0, spaced: false };
    if lines > 0 {
        found.lines = beyond(lines, 9, 20);
    }
    if after == 0 {
        return found;
    }
    if after > 1 || next.is_none() {
        found.indent = beyond(after, 64, 120);
    }
    let Some(next) = next else { return found };
    if lookup::is_word(next) {
        found.lead = lookup::lead(code, tables::SPACE);
    } else if next != tables::DIGIT && code == 32 {
        found.spaced = true;
    } else {
        found.indent += ONE;
    }
    found
}

/// What a run of marks costs beyond its first token: changes from one to another, repeats, line ends behind it.
pub(super) fn marks_more(surprise: i64, changes: u32, repeats: u32, lines: u32, spaced: bool) -> i64 {
    let part = |at: usize| part(&tables::PUNCT, at);
    let (changes, repeats) = (changes as usize, i64::from(repeats));
    let mut surprise = surprise + part(0) + part(2 + (lines as usize).min(3)) + part(8 + changes.min(11));
    if spaced {
        surprise += part(1);
    }
    surprise += part(20) * changes.saturating_sub(11) as i64;
    surprise += part(21) * repeats + part(22) * repeats.min(8) + part(23) * repeats.min(2);
    // About sixty of one mark are a token, whatever few of them taught.
    if repeats > 16 {
        surprise = surprise.max((repeats - 16) * (ONE / 60));
    }
    lookup::softplus(surprise)
}

/// An entry of a table, 0 behind its end.
#[inline(never)]
pub(super) fn part(table: &[i16], at: usize) -> i64 {
    table.get(at).map_or(0, |part| i64::from(*part))
}
