//! How a past in pieces is asked for: how long the notes on a piece may be, how many pieces a round takes, and how many
//! calls of the summarizer all rounds take together.

use crate::ladder::plan::NOTES;

/// Raw tokens of notes that a plan may hold between two rounds; how few the notes on a piece may have, and how many are
/// enough if there are many.
const DRAFT: u64 = 6_000;
const LEAST_NOTES: u64 = 96;
const ENOUGH_NOTES: u64 = 256;
/// Raw tokens of the tags around notes, and the fewest by which an answer is measured.
const TAGS: u64 = 16;
const LEAST_MEASURE: u64 = 64;
/// Of the calls that are allowed, one of so many is kept for an answer that cannot be used.
const SPARE: u64 = 4;

/// Tokens that the notes on one of so many pieces may have, where a request holds `budget` and the summary may have
/// `most`.
pub(crate) fn notes(pieces: u64, budget: u64, most: u64) -> u64 {
    if pieces <= 1 {
        return most;
    }
    let enough = (budget / 16).clamp(LEAST_NOTES, ENOUGH_NOTES);
    (DRAFT / pieces).max(enough).min(most)
}

/// Tokens that notes may have which are put together from others, but are not yet the summary.
pub(crate) fn merged(budget: u64, most: u64) -> u64 {
    (budget / 4).max(LEAST_NOTES).min(most)
}

/// Raw tokens of notes that one request puts together. The rest of the budget is for the previous summary.
pub(crate) const fn together(budget: u64) -> u64 {
    budget * 2 / 3
}

/// Pieces that the next round asks about: `left` are left, and the plan holds so many notes already.
pub(crate) fn batch(notes: u64, held: u64, left: u64) -> u64 {
    (DRAFT / notes.max(1)).max(1).min(NOTES.saturating_sub(held)).min(left)
}

/// Calls that are still needed at most where a plan holds `held` notes and `left` of `pieces` have not been asked about.
pub(crate) fn calls(mut held: u64, mut left: u64, pieces: u64, budget: u64, most: u64) -> u64 {
    let length = notes(pieces, budget, most);
    // As long as an answer may be before it is refused.
    let longest = (length.max(merged(budget, most)) * 3 / 2).max(LEAST_MEASURE) + TAGS;
    let group = (together(budget) / longest).max(2);
    let mut calls = 0;
    loop {
        if held > 1 {
            calls += held / group + u64::from(held % group > 1);
            held = held.div_ceil(group);
        } else if left > 0 {
            let more = batch(length, held, left);
            calls += more;
            held += more;
            left -= more;
        } else {
            return calls;
        }
    }
}

/// How many of `pieces` can be asked about with at most `limit` calls, with some to spare for answers that cannot be
/// used. At least one.
pub(crate) fn affordable(pieces: u64, budget: u64, most: u64, limit: u64) -> u64 {
    // Mostly all notes go together at once; where each is as long as it may be, the spare calls are used for that.
    let within = limit - limit / SPARE;
    let fits = |asked: u64| asked == 1 || asked < within && calls(0, asked, asked, budget, most) <= limit;
    if fits(pieces) {
        return pieces;
    }
    // The first fits, the last does not.
    let (mut least, mut most) = (1, pieces.min(limit + 1));
    while least + 1 < most {
        let middle = least.midpoint(most);
        if fits(middle) {
            least = middle;
        } else {
            most = middle;
        }
    }
    least
}
