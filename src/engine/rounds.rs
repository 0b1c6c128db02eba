//! Plans the rounds of a summary in pieces: how long the notes on a piece may be, how many pieces a round covers, and
//! how many summarizer calls all rounds take.
//!
//! One `beforeModel` or `compact` asks at most `summarizer.maxCalls` times, merges and corrections among them. One
//! call in four is spared for answers that cannot be used. If there are more pieces than that allows, the newest are
//! asked about; a digest of the oldest and of the previous summary, in a quarter of the budget, stands before the
//! notes in the last question. With one or two calls that is one question, about the newest piece (`summary-limited`).
//! If corrections use up what was to spare, the last call puts all notes together and cuts the longest; if not even
//! that is left, the digest replaces the summary. `plan`, `requests` and `commit` have no limit.

use crate::ladder::plan::NOTES;

/// The raw tokens of notes that a plan may hold between two rounds, the minimum for the notes on one piece, and how
/// many are enough if there are many pieces.
const DRAFT: u64 = 6_000;
const LEAST_NOTES: u64 = 96;
const ENOUGH_NOTES: u64 = 256;
/// The raw tokens of the tags around notes, and the least limit by which an answer is measured.
const TAGS: u64 = 16;
const LEAST_MEASURE: u64 = 64;
/// One in this many of the allowed calls is reserved for an unusable answer.
const SPARE: u64 = 4;

/// The tokens that the notes on each of `pieces` pieces may have, if a request holds `budget` and the summary may have
/// `most`.
pub(crate) fn notes(pieces: u64, budget: u64, most: u64) -> u64 {
    if pieces <= 1 {
        return most;
    }
    let enough = (budget / 16).clamp(LEAST_NOTES, ENOUGH_NOTES);
    (DRAFT / pieces).max(enough).min(most)
}

/// The tokens of notes that are merged from others, but are not the summary yet.
pub(crate) fn merged(budget: u64, most: u64) -> u64 {
    (budget / 4).max(LEAST_NOTES).min(most)
}

/// The raw tokens of notes that one request merges. The rest of the budget is for the previous summary.
pub(crate) const fn together(budget: u64) -> u64 {
    budget * 2 / 3
}

/// The pieces that the next round covers, if `left` are left and the plan holds `held` notes.
pub(crate) fn batch(notes: u64, held: u64, left: u64) -> u64 {
    (DRAFT / notes.max(1)).max(1).min(NOTES.saturating_sub(held)).min(left)
}

/// The most calls that are still needed if a plan holds `held` notes and `left` of `pieces` are left.
pub(crate) fn calls(mut held: u64, mut left: u64, pieces: u64, budget: u64, most: u64) -> u64 {
    let length = notes(pieces, budget, most);
    // The longest answer that is not refused.
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

/// How many of `pieces` can be summarized with at most `limit` calls, including spare calls for unusable answers. At
/// least one.
pub(crate) fn affordable(pieces: u64, budget: u64, most: u64, limit: u64) -> u64 {
    // Usually all notes are merged at once. If all of them are as long as possible, the spare calls are used for that.
    let within = limit - limit / SPARE;
    let fits = |asked: u64| asked == 1 || asked < within && calls(0, asked, asked, budget, most) <= limit;
    if fits(pieces) {
        return pieces;
    }
    // The lower bound fits, the upper bound does not.
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
