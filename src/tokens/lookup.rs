//! How the tables of [`lexical`](super::lexical) are read.

use super::tables::{self, Class};

/// One token, as the exponent of two.
pub const BITS: u32 = 10;

/// A part of a word.
pub fn is_word(class: Class) -> bool {
    (tables::LOWER..tables::CJK_MARK).contains(&class)
}

/// A letter of the Latin script.
pub fn is_latin(class: Class) -> bool {
    (tables::LOWER..=tables::VIETNAMESE).contains(&class)
}

/// A capital that begins a new piece after lower case.
pub fn is_upper(class: Class) -> bool {
    class == tables::UPPER || class == tables::ACCENTED_UPPER
}

/// Punctuation, symbols, pictures, control characters.
pub fn is_mark(class: Class) -> bool {
    class == tables::MARK || class >= tables::CJK_MARK
}

/// Blanks and line ends.
pub fn is_blank(class: Class) -> bool {
    class <= tables::BLANK
}

/// Class of a character and its number: for letters and marks of ASCII among them, for letters of other scripts that of
/// their range. `near`: a range to look in first.
#[inline(never)]
pub fn classify(code: u32, near: usize) -> (Class, usize) {
    if let Some(packed) = tables::ASCII.get(code as usize) {
        return (packed >> 5, usize::from(packed & 31));
    }
    if code > 0xffff {
        return (tables::PICTURE, 0);
    }
    let mut place = near;
    if !range(near).contains(&code) {
        place = 0;
        let mut step = tables::STARTS.len().next_power_of_two() / 2;
        while step > 0 {
            if tables::STARTS.get(place + step).is_some_and(|start| u32::from(*start) <= code) {
                place += step;
            }
            step >>= 1;
        }
    }
    let class = tables::CLASSES.get(place).copied().unwrap_or(tables::MARK);
    let number = match class {
        tables::ACCENTED | tables::ACCENTED_UPPER => 27,
        tables::EXTENDED => 28,
        tables::VIETNAMESE => 29,
        _ => place,
    };
    (class, number)
}

/// The characters of the range of this number.
pub fn range(number: usize) -> core::ops::Range<u32> {
    let start = |at: usize| tables::STARTS.get(at).map_or(0x1_0000, |start| u32::from(*start));
    start(number)..start(number + 1)
}

/// The first mark in [`tables::LEAD`].
pub const FIRST_MARK: usize = 3;

/// What a word costs more or less for the one character before it that belongs to it.
#[inline(never)]
pub fn lead(code: u32, class: Class) -> usize {
    match code {
        32 => 1,
        9 => 2,
        33..=126 => FIRST_MARK + classify(code, 0).1,
        0..=127 => 0,
        _ => match class {
            tables::CJK_MARK => 35,
            tables::MARK_BEYOND => 36,
            _ => 37,
        },
    }
}

/// The four numbers of a script: per run, per character, more beyond four characters, least cost per character.
#[inline(never)]
pub fn script(class: Class) -> [i64; 4] {
    let at = usize::from(class.saturating_sub(tables::FIRST_SCRIPT));
    tables::SCRIPTS.get(at).map_or([0; 4], |numbers| numbers.map(i64::from))
}

/// The bucket of words in this script.
pub fn bucket(class: Class) -> usize {
    tables::FIRST_BUCKET + usize::from(class.saturating_sub(tables::FIRST_SCRIPT))
}

/// The last two of three letters, five bits each.
#[inline(always)]
pub fn pair(letters: usize) -> i64 {
    level(&tables::PAIRS, &tables::PAIR_LEVELS, letters)
}

/// Three letters, five bits each.
#[inline(always)]
pub fn triple(letters: usize) -> i64 {
    let hash = (letters as u32).wrapping_mul(GOLDEN);
    level(&tables::TRIPLES, &tables::TRIPLE_LEVELS, (hash >> tables::TRIPLE_SHIFT) as usize)
}

/// The end of a word after these letters, five bits each.
#[inline(never)]
pub fn end(letters: usize) -> i64 {
    let letters = letters << 5 & 0x7fff;
    pair(letters) + triple(letters)
}

/// By what a character of another script, the one before it and the one before that are multiplied; the sum of the one,
/// the two, or all of them is for [`other`].
pub const OTHER: [u32; 3] =
    [31_u32.wrapping_mul(GOLDEN), 0x1f35_u32.wrapping_mul(GOLDEN), 0x3_a0b1_u32.wrapping_mul(GOLDEN)];

/// What the sum of up to three characters in a row costs.
#[inline(always)]
pub fn other(sum: u32) -> i64 {
    level(&tables::OTHERS, &tables::OTHER_LEVELS, (sum >> tables::OTHER_SHIFT) as usize)
}

/// Two ASCII marks in a row.
#[inline(never)]
pub fn marks(first: u32, second: u32) -> i64 {
    let number = |code: u32| tables::ASCII.get(code as usize).map_or(0, |packed| usize::from(packed & 31));
    level(&tables::MARK_PAIRS, &tables::MARK_LEVELS, number(first) << 5 | number(second))
}

/// `ln(1 + e^(4 z)) / 4`, by a table of its distance from the two straight lines it lies between.
#[inline(always)]
pub fn softplus(surprise: i64) -> i64 {
    let distance = (surprise.unsigned_abs() >> (BITS - 4)) as usize;
    surprise.max(0) + tables::SOFT.get(distance).map_or(0, |part| i64::from(*part))
}

const GOLDEN: u32 = 2_654_435_761;

/// Four bits an entry, each the number of a level. The size of the table is a power of two.
#[inline(always)]
pub fn level<const N: usize>(packed: &[u8; N], levels: &[i16; 16], at: usize) -> i64 {
    let byte = packed[(at >> 1) & (N - 1)];
    i64::from(levels[usize::from(byte >> ((at & 1) * 4) & 15)])
}
