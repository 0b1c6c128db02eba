//! The words of a text in any script, for comparing texts: without case, plain ones cut to a stem, pairs of characters
//! where a script writes no spaces. A word is known by its hash alone.

use crate::base::text::{self, lower};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Two neighbouring characters of a script without spaces, or one that stands alone.
    Pair,
    /// A word in small letters, or one that begins a sentence.
    Plain,
    /// A word with a capital inside a sentence.
    Proper,
    /// A number, with what joins its digits: a count, a price, a time.
    Number,
    /// It holds a digit, signs that join its parts, or capitals inside it: it has to be repeated exactly.
    Strong,
}

/// The characters of a word's stem.
const STEM: usize = 7;
/// The shortest joined word whose parts count as words, too, and the shortest part.
const LEAST_JOINED: usize = 7;
const LEAST_PART: usize = 3;

/// Reports each word of a text: its hash and its class, in order. A word may come several times.
pub fn each(text: &str, each: &mut dyn FnMut(u64, Class)) {
    let mut starts_sentence = true;
    let mut chars = text.char_indices().peekable();
    // The end of the word before, for what lies between two words.
    while let Some(&(at, first)) = chars.peek() {
        let shape = shape(first);
        if shape == Shape::Dense {
            let (mut last, mut count) = (first, 0_usize);
            while let Some(&(_, char)) = chars.peek().filter(|(_, char)| self::shape(*char) == Shape::Dense) {
                if count > 0 {
                    each(add(add(START, last), char), Class::Pair);
                }
                (last, count) = (char, count + 1);
                chars.next();
            }
            if count == 1 {
                each(add(START, last), Class::Pair);
            }
            starts_sentence = false;
            continue;
        }
        let signed = is_sign(first)
            && text::between(text, at + first.len_utf8(), text.len()).chars().next().is_some_and(is_part);
        if shape != Shape::Part && !signed {
            starts_sentence |= matches!(first, '.' | '!' | '?' | '…' | ':' | '\n' | '"' | '“' | '¿' | '¡' | '。');
            chars.next();
            continue;
        }
        let word = take(text, at);
        while chars.peek().is_some_and(|(next, _)| *next < at + word.len()) {
            chars.next();
        }
        report(word, starts_sentence, each);
        starts_sentence = false;
    }
}

/// The hashes of the words of a text, with the class of each, sorted by hash and each once.
pub fn of(text: &str) -> Vec<(u64, Class)> {
    let mut all = Vec::new();
    each(text, &mut |word, class| all.push((word, class)));
    sort(&mut all);
    all
}

/// Sorts words by their hash, and leaves each once: of several classes the highest counts.
pub fn sort(words: &mut Vec<(u64, Class)>) {
    words.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
    words.dedup_by_key(|(word, _)| *word);
}

/// Whether a script writes no spaces between the words of a text's characters.
pub fn is_dense(char: char) -> bool {
    shape(char) == Shape::Dense
}

/// Whether a character is a letter or a digit, of any script.
pub fn is_letter(char: char) -> bool {
    matches!(shape(char), Shape::Dense | Shape::Part) && char != '_'
}

/// Whether a text holds any letter or digit.
pub fn says_anything(text: &str) -> bool {
    text.chars().any(is_letter)
}

/// The word that begins at a byte of a text: its letters, and what joins them inside.
fn take(text: &str, at: usize) -> &str {
    let rest = text::between(text, at, text.len());
    let mut end = 0;
    // What may join the next letter to the word.
    let mut joins = false;
    for (offset, char) in rest.char_indices() {
        let next = offset + char.len_utf8();
        match shape(char) {
            Shape::Part => (end, joins) = (next, false),
            Shape::Dense => break,
            _ if offset == 0 => {}
            _ if is_joint(char) && (joins || end == offset) => joins = true,
            _ => break,
        }
    }
    end += usize::from(text::between(rest, end, rest.len()).starts_with('%'));
    text::between(rest, 0, end)
}

/// Reports a word, and of a joined one its parts.
fn report(word: &str, starts_sentence: bool, each: &mut dyn FnMut(u64, Class)) {
    let (mut letters, mut digits) = (0_usize, 0_usize);
    let (mut joined, mut inner_capital) = (false, false);
    let (mut first_upper, mut last_lower, mut uppers) = (false, false, 0_usize);
    for char in word.chars() {
        let is_letter = is_part(char) && char != '_';
        if !is_letter {
            joined |= !matches!(char, '\'' | '’');
            last_lower = false;
            continue;
        }
        let digit = char.is_ascii_digit() || !char.is_ascii() && char.is_numeric();
        let upper = !digit && lower(char) != char;
        digits += usize::from(digit);
        inner_capital |= upper && last_lower;
        if letters == 0 {
            first_upper = upper;
        }
        uppers += usize::from(upper && uppers == letters);
        last_lower = !upper && !digit;
        letters += 1;
    }
    if letters == 0 {
        return;
    }
    if digits > 0 || joined || inner_capital || uppers >= 2 {
        if letters > 1 || digits > 0 {
            let class = if digits == letters { Class::Number } else { Class::Strong };
            each(hash(word, usize::MAX), class);
        }
        if joined && word.len() >= LEAST_JOINED {
            for part in word.split(|char: char| !is_part(char) || char == '_') {
                if text::characters(part) >= LEAST_PART {
                    each(hash(part, usize::MAX), Class::Plain);
                }
            }
        }
    } else if letters > 1 {
        let class = if first_upper && !starts_sentence { Class::Proper } else { Class::Plain };
        each(hash(word, STEM), class);
    }
}

/// The hash of a word's first characters, without case.
fn hash(word: &str, most: usize) -> u64 {
    word.chars().take(most).fold(START, |hash, char| {
        let char = lower(char);
        add(hash, if char == 'ς' { 'σ' } else { char })
    })
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// One more character of what is hashed.
fn add(hash: u64, char: char) -> u64 {
    (hash ^ u64::from(u32::from(char))).wrapping_mul(0x0100_0000_01b3).rotate_left(5)
}

/// A sign before a word that belongs to it.
fn is_sign(char: char) -> bool {
    matches!(char, '$' | '€' | '£' | '¥' | '₹' | '#' | '@' | '~')
}

/// A sign that joins parts of a word.
fn is_joint(char: char) -> bool {
    matches!(char, '.' | '-' | '/' | '@' | ':' | '+' | '\'' | '’' | ',' | '=' | '&' | '%' | '#' | '?' | '\\')
}

fn is_part(char: char) -> bool {
    shape(char) == Shape::Part
}

/// What a character is to words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Ends a word, or joins its parts.
    Other,
    /// A letter, a mark on one, a digit or `_`.
    Part,
    /// A letter of a script that writes no spaces, or (hangul) joins to words what others write apart.
    Dense,
}

/// What a character is. The standard library's tables would take kilobytes.
pub fn shape(char: char) -> Shape {
    match u32::from(char) {
        0x30..=0x39 | 0x41..=0x5a | 0x5f | 0x61..=0x7a => Shape::Part,
        0..=0xa9
        | 0xab..=0xb1
        | 0xb4
        | 0xb6..=0xb8
        | 0xbb..=0xbf
        | 0xd7
        | 0xf7
        | 0x55a..=0x55f
        | 0x589..=0x58a
        | 0x5be
        | 0x5c0
        | 0x5c3
        | 0x5f3..=0x5f4
        | 0x600..=0x60f
        | 0x61b..=0x61f
        | 0x66a..=0x66d
        | 0x6d4
        | 0x700..=0x70d
        | 0x964..=0x965
        | 0xe3f
        | 0xe4f
        | 0xe5a..=0xe5b
        | 0x104a..=0x104f
        | 0x1360..=0x1368
        | 0x17d4..=0x17db
        | 0x2000..=0x206f
        | 0x20a0..=0x20bf
        | 0x2190..=0x2bff
        | 0x2e00..=0x2e7f
        | 0x3000..=0x3004
        | 0x3008..=0x3020
        | 0x3030
        | 0x303d
        | 0x30fb
        | 0xfe00..=0xfe6f
        | 0xff00..=0xff0f
        | 0xff1a..=0xff20
        | 0xff3b..=0xff40
        | 0xff5b..=0xff65
        | 0xfff9..=0xfffd
        | 0x1_f000..=0x1_faff => Shape::Other,
        0xe00..=0xeff
        | 0x1000..=0x109f
        | 0x1100..=0x11ff
        | 0x1780..=0x17ff
        | 0x2e80..=0xd7af
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x2_0000..=0x3_ffff => Shape::Dense,
        _ => Shape::Part,
    }
}
