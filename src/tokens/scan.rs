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

const LEADS: u64 = (1 << Memo::LEAD_BITS) - 1;
const LOWER: u8 = tables::LOWER << 5;
const UPPER: u8 = tables::UPPER << 5;
const MARK: u8 = tables::MARK << 5;
const DIGIT: u8 = tables::DIGIT << 5;
const LINE: u8 = tables::LINE << 5;

/// What short words cost, by their letters: the same ones come again and again. It decides nothing but how long counting
/// takes.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// The letters, and what the word costs with what comes before it in the lowest bits.
    known: Vec<(u64, u64)>,
    /// Bytes that were read before there was room for any.
    bytes: usize,
}

impl Memo {
    /// Remembered words, as the exponent of two.
    const BITS: u32 = 10;
    /// Less text is not worth the room.
    const LEAST: usize = 1_000;
    /// Of a lead.
    const LEAD_BITS: u32 = 6;

    /// Makes room before a text of this length.
    pub fn expect(&mut self, bytes: usize) {
        if self.known.is_empty() {
            self.bytes += bytes;
            if self.bytes >= Self::LEAST {
                self.known = vec![(0, 0); 1 << Self::BITS];
            }
        }
    }

    /// Where a word is remembered, if it can be: its letters (0 for a longer one) and what comes before it.
    fn place(&mut self, letters: u64, lead: usize) -> Option<&mut (u64, u64)> {
        let hash = (letters ^ (lead as u64) << 58).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if letters == 0 { None } else { self.known.get_mut((hash >> (64 - Self::BITS)) as usize) }
    }
}

/// The letters of the word that begins here, if it has at most eight, and no capital but the first: one a byte.
#[inline(always)]
fn short(bytes: &[u8], at: usize) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    let (Some(&next), Some(eight)) = (bytes.get(at + 8), bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)) else {
        return 0;
    };
    let word = u64::from_le_bytes(*eight);
    // In the highest bit of each byte: below "{", and not below "a".
    let low = word & !HIGH;
    let lower = (low + (0x80 - 0x61) * EACH) & !(low + (0x80 - 0x7b) * EACH) & !word & HIGH | 0x80;
    let length = (lower ^ HIGH).trailing_zeros() >> 3;
    let next = if length == 8 { u32::from(next) } else { (word >> (8 * length)) as u32 & 0xff };
    let goes_on = if length == 8 { next | 0x20 } else { next };
    // A longer word, or capitals from the start.
    if length == 8 && (97..=122).contains(&goes_on) || length == 1 && word & 0x20 == 0 && (65..=90).contains(&next) {
        return 0;
    }
    word << (64 - 8 * length) >> (64 - 8 * length)
}

/// Reads pieces from the start of one: adds their weighted cost to `sum` and answers how many bytes they take.
pub fn pieces(bytes: &[u8], weights: &[u16; BUCKETS], memo: &mut Memo, sum: &mut u64) -> usize {
    let weight = |bucket: usize| u64::from(weights[bucket]);
    let one = ONE as u64;
    let (in_word, in_run) = (one * weight(tables::WORD), one * weight(tables::MARK_RUN));
    let mut done = 0;
    let mut total = *sum;
    loop {
        let mut at = done;
        let mut kind = kind_at(bytes, at);
        let mut cost = 0;
        let (mut lead, mut spaced) = (0, false);
        if kind < DIGIT {
            let (start, mut line_end) = (at, at);
            loop {
                if kind == 0 {
                    *sum = total;
                    return done;
                }
                at += 1;
                if kind == LINE {
                    line_end = at;
                }
                kind = kind_at(bytes, at);
                if kind >= DIGIT {
                    break;
                }
            }
            let blank = bytes[at - 1];
            if at - start == 1 && blank == b' ' && kind >= MARK {
                (lead, spaced) = (1, kind < LOWER);
            } else {
                let blanks = cost::blanks(line_end - start, at - line_end, u32::from(blank), Some(kind >> 5));
                cost = blanks.lines as u64 * weight(tables::LINES) + blanks.indent as u64 * weight(tables::INDENT);
                (lead, spaced) = (blanks.lead, blanks.spaced);
            }
        }
        if (MARK..LOWER).contains(&kind) {
            let start = at;
            let (mut last, mut surprise, mut repeats) = (kind, 0, 0);
            loop {
                at += 1;
                kind = kind_at(bytes, at);
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
                    kind = kind_at(bytes, at);
                }
            } else if count == 1 && !spaced && kind >= LOWER {
                lead = lookup::FIRST_MARK + usize::from(last & 31);
            }
            if kind == 0 {
                break;
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
                continue;
            }
        }
        if kind >= LOWER {
            let start = at;
            let letters = if memo.known.is_empty() { 0 } else { short(bytes, at) };
            let place = memo.place(letters, lead);
            let known = place.as_deref().filter(|known| known.0 == letters && known.1 & LEADS == lead as u64);
            if let Some(known) = known {
                cost += known.1 >> Memo::LEAD_BITS;
                at += 8 - (letters.leading_zeros() >> 3) as usize;
                kind = kind_at(bytes, at);
                if kind == 0 {
                    break;
                }
            } else {
                let mut surprise = i64::from(tables::LEAD[lead]);
                let mut capitals = usize::from(kind >= UPPER);
                // The two letters before, as the index of their pair; the letter before them is behind it.
                let mut last = usize::from(kind & 31);
                surprise += lookup::pair(last);
                loop {
                    at += 1;
                    kind = kind_at(bytes, at);
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
                if kind == 0 {
                    break;
                }
                last = last << 5 & 0x7fff;
                surprise += lookup::pair(last) + lookup::triple(last);
                let length = at - start;
                surprise = cost::shape(surprise, length as u32, capitals as u32, true);
                let word = in_word + lookup::softplus(surprise) as u64 * weight(tables::WORD_MORE);
                cost += word;
                if let Some(place) = place {
                    *place = (letters, word << Memo::LEAD_BITS | lead as u64);
                }
            }
            if bytes[at] == b'\'' {
                let (next, after) = (kind_at(bytes, at + 1), kind_at(bytes, at + 2));
                if next == 0 || after == 0 {
                    break;
                }
                at += cost::contracted(u32::from(bytes[at + 1]), u32::from(bytes[at + 2]));
            }
        } else {
            // Digits.
            let start = at;
            while kind == DIGIT {
                at += 1;
                kind = kind_at(bytes, at);
            }
            if kind == 0 {
                break;
            }
            let digits = (at - start) as u64;
            cost += digits.div_ceil(3) * one * weight(tables::NUMBER) + digits * one * weight(tables::NUMBER_DIGITS);
        }
        total += cost;
        done = at;
    }
    *sum = total;
    done
}

/// Class of a byte, 0 if its pieces are left to the lexer.
pub fn class(byte: u8) -> u8 {
    KINDS[usize::from(byte)] >> 5
}

#[inline(always)]
fn kind_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(0, |&byte| KINDS[usize::from(byte)])
}
