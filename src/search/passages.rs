//! A text in passages: short enough to be quoted, cut where something ends.

use crate::base::text;

/// Bytes of the longest passage that is cut off a text, and of the longest text that stays whole.
const MOST: usize = 450;
const WHOLE: usize = 600;

/// Where the passage that begins at byte `from` ends.
pub fn next(whole: &str, from: usize) -> usize {
    if whole.len() - from <= WHOLE { whole.len() } else { end(whole, from, from + MOST) }
}

/// The best place to end a text that begins at byte `from`: behind a line, an element, a sentence or a word in its second
/// half, or else at byte `to`. Its first character is never cut, even if it ends behind `to`.
pub fn end(whole: &str, from: usize, to: usize) -> usize {
    let bytes = whole.as_bytes();
    let mut best = (0, text::floor(whole, to).max(text::ceil(whole, from + 1)));
    let least = from + (to - from) / 2;
    let mut at = best.1;
    while at > least && best.0 < 4 {
        let before = |back: usize| at.checked_sub(back).map_or(0, |at| bytes[at]);
        let rank = match (before(2), before(1)) {
            (_, b'\n') | (b'\\', b'n') => 4,
            (b'}' | b']', b',') => 3,
            (b'.' | b'!' | b'?' | b';', b' ') => 2,
            // The full stop of Chinese and Japanese.
            (0x80, 0x82) if before(3) == 0xe3 => 2,
            (_, b' ' | b',') => 1,
            _ => 0,
        };
        if rank > best.0 {
            best = (rank, at);
        }
        at -= 1;
    }
    best.1
}
