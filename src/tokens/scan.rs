//! The quick way through text of ASCII: whole pieces, a run of bytes at a time, to the same counts as character by
//! character. What it cannot see the end of (the end of what was fed, a character beyond ASCII, a control character) it
//! leaves to the lexer.

use super::cost::{self, ONE, marks_more};
use super::lookup;
use super::tables::{self, BUCKETS};
use crate::prelude::*;

/// Class and number of each byte as [`tables::ASCII`] has them; 0: none of ours.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        // A mark without a number is a control character.
        if tables::ASCII[byte] != tables::MARK << 5 {
            kinds[byte] = tables::ASCII[byte];
        }
        byte += 1;
    }
    kinds
};

const SPACE: u8 = tables::SPACE << 5;
const LINE: u8 = tables::LINE << 5;
const DIGIT: u8 = tables::DIGIT << 5;
const MARK: u8 = tables::MARK << 5;
const APOSTROPHE: u8 = KINDS[b'\'' as usize];
const LOWER: u8 = tables::LOWER << 5;
const UPPER: u8 = tables::UPPER << 5;

/// What words cost, by their letters: the same ones come again and again. It decides nothing but how long counting
/// takes.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// The bytes of a word with the one before it, and what they cost.
    known: Vec<[u64; 3]>,
    /// Bytes that were read before there was room for any.
    bytes: usize,
}

impl Memo {
    /// Remembered words, as the exponent of two.
    const BITS: u32 = 10;
    /// Less text is not worth the room.
    const LEAST: usize = 1_000;

    /// Makes room before a text of this length.
    pub fn expect(&mut self, bytes: usize) {
        if self.known.is_empty() {
            self.bytes += bytes;
            if self.bytes >= Self::LEAST {
                self.known = vec![[0; 3]; 1 << Self::BITS];
            }
        }
    }
}

/// Any byte with the lower-case letters behind it, the first of which may be upper case: at most 15 bytes. They are in
/// the second number, the first eight in the first one if there are that many.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<(u64, u64, usize)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let eight = |at: usize| bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight));
    // The highest bit of the first byte that is no lower-case letter: below "a" or above "z". What is set beyond is noise.
    let end = |word: u64| (word.wrapping_add(0x05 * EACH) | !word.wrapping_add(0x1f * EACH)) & (EACH << 7);
    let start = eight(at)?;
    let after = end(start >> 8 | 0x20);
    if after << 8 != 0 {
        let below = (after - 1) & !after;
        return Some((0, start & (below << 1 | 1), 1 + (after.trailing_zeros() >> 3) as usize));
    }
    let more = eight(at + 8)?;
    let after = end(more);
    let below = after.checked_sub(1)? & !after;
    Some((start, more & below >> 7, 8 + (after.trailing_zeros() >> 3) as usize))
}

/// Reads pieces from the start of one: adds their weighted cost to `sum` and answers how many bytes they take. `end`:
/// [`END`] if the text ends here, 0 if more may come.
pub fn pieces(bytes: &[u8], end: u8, weights: &[u16; BUCKETS], memo: &mut Memo, sum: &mut u64) -> usize {
    let weight = |bucket: usize| u64::from(weights[bucket]);
    let kind_at = |at: usize| bytes.get(at).map_or(end, |&byte| KINDS[usize::from(byte)]);
    let one = ONE as u64;
    let (in_word, in_run) = (one * weight(tables::WORD), one * weight(tables::MARK_RUN));
    let mut total = *sum;
    let mut done = 0;
    let mut kind = kind_at(0);
    // A control character, one beyond ASCII, the end.
    'pieces: while kind >= SPACE {
        let mut at = done;
        let cost = 'word: {
            let next = kind_at(at + 1);
            let mut found = None;
            if next >= LOWER
                && kind != DIGIT
                && let Some((first, last, length)) = word(bytes, at)
            {
                let after = kind_at(at + length);
                // Not where capitals go on.
                if length > 2 || after < UPPER {
                    let hash = (first ^ last.wrapping_mul(GOLDEN)).wrapping_mul(GOLDEN);
                    if let Some(place) = memo.known.get_mut((hash >> (64 - Memo::BITS)) as usize) {
                        if place[0] == first && place[1] == last {
                            at += length;
                            kind = after;
                            break 'word place[2];
                        }
                        found = Some((place, [first, last], at + length));
                    }
                }
            }
            let mut cost = 0;
            let (mut lead, mut spaced) = (0, false);
            if kind == SPACE && next >= MARK {
                at += 1;
                kind = next;
                (lead, spaced) = (1, kind < LOWER);
            } else if kind < DIGIT {
                let (start, mut line_end) = (at, at);
                loop {
                    at += 1;
                    if kind == LINE {
                        line_end = at;
                    }
                    kind = kind_at(at);
                    if kind >= DIGIT {
                        break;
                    }
                    if kind < SPACE {
                        break 'pieces;
                    }
                }
                let blanks = cost::blanks(line_end - start, at - line_end, u32::from(bytes[at - 1]), Some(kind >> 5));
                cost = blanks.lines as u64 * weight(tables::LINES) + blanks.indent as u64 * weight(tables::INDENT);
                (lead, spaced) = (blanks.lead, blanks.spaced);
            }
            if (MARK..LOWER).contains(&kind) {
                let start = at;
                let (mut last, mut surprise, mut repeats) = (kind, 0, 0);
                loop {
                    at += 1;
                    kind = kind_at(at);
                    if !(MARK..LOWER).contains(&kind) {
                        break;
                    }
                    surprise += lookup::level(
                        &tables::MARK_PAIRS,
                        &tables::MARK_LEVELS,
                        usize::from(last & 31) << 5 | usize::from(kind & 31),
                    );
                    repeats += u32::from(kind == last);
                    last = kind;
                }
                let count = at - start;
                let mut lines = 0;
                if kind == LINE {
                    while kind == LINE {
                        lines += u32::from(bytes[at] == b'\n');
                        at += 1;
                        kind = kind_at(at);
                    }
                } else if count == 1 && !spaced && kind >= LOWER {
                    lead = lookup::FIRST_MARK + usize::from(last & 31);
                }
                if kind == 0 {
                    break 'pieces;
                }
                if at - start > 1 || kind < LOWER || spaced {
                    cost += in_run;
                    if count > 2 || lines > 0 {
                        let changes = count as u32 - 1 - repeats;
                        let more = marks_more(surprise, changes, repeats, lines, spaced);
                        cost += more as u64 * weight(tables::MARKS_MORE);
                    }
                    total += cost;
                    done = at;
                    continue 'pieces;
                }
            }
            let start = at;
            if kind < LOWER {
                while kind == DIGIT {
                    at += 1;
                    kind = kind_at(at);
                }
                if kind == 0 {
                    break 'pieces;
                }
                let digits = (at - start) as u64;
                total += cost
                    + digits.div_ceil(3) * one * weight(tables::NUMBER)
                    + digits * one * weight(tables::NUMBER_DIGITS);
                done = at;
                continue 'pieces;
            }
            let mut surprise = i64::from(tables::LEAD[lead]);
            let mut capitals = usize::from(kind >= UPPER);
            // The two letters before, as the index of their pair; the letter before them is behind it.
            let mut last = usize::from(kind & 31);
            surprise += lookup::pair(last);
            loop {
                at += 1;
                kind = kind_at(at);
                if kind < LOWER {
                    break;
                }
                if kind >= UPPER {
                    if capitals < at - start {
                        break;
                    }
                    capitals += 1;
                }
                last = (last << 5 | usize::from(kind & 31)) & 0x7fff;
                surprise += lookup::pair(last) + lookup::triple(last);
            }
            last = last << 5 & 0x7fff;
            surprise += lookup::pair(last) + lookup::triple(last);
            surprise = cost::shape(surprise, (at - start) as u32, capitals as u32, true);
            cost += in_word + lookup::softplus(surprise) as u64 * weight(tables::WORD_MORE);
            if let Some((place, [first, last], end)) = found
                && at == end
            {
                *place = [first, last, cost];
            }
            cost
        };
        if kind == APOSTROPHE {
            let (next, after) = (kind_at(at + 1), kind_at(at + 2));
            if next < SPACE || after < SPACE {
                break;
            }
            at += cost::contracted(u32::from(bytes[at + 1]), u32::from(bytes[at + 2]));
            kind = kind_at(at);
        } else if kind == 0 {
            break;
        }
        total += cost;
        done = at;
    }
    *sum = total;
    done
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A text ends here. Below every class, and not what is left to the lexer.
pub const END: u8 = 1;

/// Class of a byte, 0 if its pieces are left to the lexer.
pub fn class(byte: u8) -> u8 {
    KINDS[usize::from(byte)] >> 5
}
