//! The words of a text in any script, for comparing texts: without case, plain ones cut to a stem, pairs of characters
//! where a script writes no spaces. A word is known by its hash alone.

use crate::base::order;
use crate::base::text::{self, lower};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Two neighbouring characters of a script without spaces, or one that stands alone.
    Pair,
    /// A word in small letters, or one that begins a sentence.
    Plain,
    /// Words in small letters that hyphens join: a command, or a word with its pronoun.
    Compound,
    /// A word with a capital inside a sentence.
    Proper,
    /// A number, with what joins its digits: a count, a price, a time.
    Number,
    /// It holds a digit, signs that join its parts, or capitals inside it: it has to be repeated exactly.
    Strong,
}

impl Class {
    /// Whether a word of it may be a value that is replaced by another one, or what a tool returned and somebody uses.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Compound | Self::Number | Self::Strong)
    }
}

/// The characters of a word's stem.
const STEM: usize = 7;
/// The shortest joined word whose parts count as words, too, and the shortest part.
const LEAST_JOINED: usize = 7;
const LEAST_PART: usize = 3;

/// Reports each word of a text: its hash and its class, in order. A word may come several times.
pub fn each(text: &str, each: &mut dyn FnMut(u64, Class)) {
    let mut starts_sentence = true;
    let mut at = 0;
    while let Some((first, shape)) = char_at(text, at) {
        let next = at + first.len_utf8();
        if shape == Shape::Dense {
            let (mut last, mut alone) = (first, true);
            at = next;
            while let Some((char, Shape::Dense)) = char_at(text, at) {
                each(add(add(START, last), char), Class::Pair);
                (last, alone) = (char, false);
                at += char.len_utf8();
            }
            if alone {
                each(add(START, last), Class::Pair);
            }
            starts_sentence = false;
        } else if shape == Shape::Part || is_sign(first) && matches!(char_at(text, next), Some((_, Shape::Part))) {
            let word = Word::at(text, at);
            word.report(text, at, starts_sentence, each);
            starts_sentence = false;
            at = word.end;
        } else {
            starts_sentence |= matches!(first, '.' | '!' | '?' | '…' | ':' | '\n' | '"' | '“' | '¿' | '¡' | '。');
            at = next;
        }
    }
}

/// The character at a byte of a text, and what it is.
fn char_at(text: &str, at: usize) -> Option<(char, Shape)> {
    let byte = *text.as_bytes().get(at)?;
    if byte.is_ascii() {
        return Some((char::from(byte), if IS_PART[usize::from(byte)] { Shape::Part } else { Shape::Other }));
    }
    let char = text::between(text, at, text.len()).chars().next()?;
    Some((char, shape(char)))
}

/// Whether each ASCII character is a letter, a digit or `_`: most texts hold few others.
const IS_PART: [bool; 128] = {
    let mut all = [false; 128];
    let mut at = 0;
    while at < all.len() {
        all[at] = (at as u8).is_ascii_alphanumeric() || at as u8 == b'_';
        at += 1;
    }
    all
};

/// The hashes of the words of a text, with the class of each, sorted by hash and each once.
pub fn of(text: &str) -> Vec<(u64, Class)> {
    let mut all = Vec::new();
    each(text, &mut |word, class| all.push((word, class)));
    // Of several classes the highest counts.
    order::by_key(&mut all, |&(word, class)| order::both(word, u64::from(!(class as u8))));
    all.dedup_by_key(|(word, _)| *word);
    all
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

/// A word of a text: its letters, and what joins them inside.
struct Word {
    /// The byte behind it.
    end: usize,
    /// The hash of all of it, and of its stem.
    whole: u64,
    stem: u64,
    letters: usize,
    digits: usize,
    /// It holds more than letters, digits and apostrophes.
    joined: bool,
    /// It holds more than those and hyphens.
    marked: bool,
    inner_capital: bool,
    first_upper: bool,
    /// Capitals that it begins with, and all.
    uppers: usize,
    capitals: usize,
    last_lower: bool,
    characters: usize,
}

impl Word {
    /// Reads the word that begins at a byte.
    fn at(text: &str, from: usize) -> Self {
        let mut word = Self {
            end: from,
            whole: START,
            stem: START,
            letters: 0,
            digits: 0,
            joined: false,
            marked: false,
            inner_capital: false,
            first_upper: false,
            uppers: 0,
            capitals: 0,
            last_lower: false,
            characters: 0,
        };
        let mut at = from;
        while let Some((char, shape)) = char_at(text, at) {
            let next = at + char.len_utf8();
            match shape {
                Shape::Part => {
                    // What joins this letter to those before it.
                    for joint in text::between(text, word.end, at).chars() {
                        word.take(joint, false);
                    }
                    word.take(char, char != '_');
                    word.end = next;
                }
                Shape::Other if at == from || word.end > from && is_joint(char) => {}
                _ => break,
            }
            at = next;
        }
        if text.as_bytes().get(word.end) == Some(&b'%') {
            word.take('%', false);
            word.end += 1;
        }
        word
    }

    /// Takes the next character.
    fn take(&mut self, char: char, is_letter: bool) {
        let small = lower(char);
        let folded = if small == 'ς' { 'σ' } else { small };
        self.whole = add(self.whole, folded);
        if self.characters < STEM {
            self.stem = add(self.stem, folded);
        }
        self.characters += 1;
        if !is_letter {
            self.joined |= !matches!(char, '\'' | '’');
            self.marked |= !matches!(char, '\'' | '’' | '-');
            self.last_lower = false;
            return;
        }
        let digit = char.is_ascii_digit() || !char.is_ascii() && char.is_numeric();
        let upper = !digit && small != char;
        self.digits += usize::from(digit);
        self.inner_capital |= upper && self.last_lower;
        self.first_upper |= upper && self.letters == 0;
        self.capitals += usize::from(upper);
        self.uppers += usize::from(upper && self.uppers == self.letters);
        self.last_lower = !upper && !digit;
        self.letters += 1;
    }

    /// Reports it, and of a joined one its parts.
    fn report(&self, text: &str, from: usize, starts_sentence: bool, each: &mut dyn FnMut(u64, Class)) {
        let &Self { end, letters, digits, joined, .. } = self;
        if digits > 0 || joined || self.inner_capital || self.uppers >= 2 {
            if letters > 1 || digits > 0 {
                let is_compound =
                    digits == 0 && !self.marked && self.capitals <= usize::from(self.first_upper && starts_sentence);
                let class = match () {
                    () if digits == letters => Class::Number,
                    () if is_compound => Class::Compound,
                    () => Class::Strong,
                };
                each(self.whole, class);
            }
            // A value is the same word whatever it is given to.
            if let Some(given) = memchr::memrchr(b'=', text::between(text, from, end).as_bytes()) {
                Self::at(text, from + given + 1).report(text, from + given + 1, starts_sentence, each);
            }
            if joined && end - from >= LEAST_JOINED && letters > 0 {
                for part in text::between(text, from, end).split(|char: char| !is_part(char) || char == '_') {
                    if text::characters(part) >= LEAST_PART {
                        each(hash(part), Class::Plain);
                    }
                }
            }
        } else if letters > 1 {
            let class = if self.first_upper && !starts_sentence { Class::Proper } else { Class::Plain };
            each(self.stem, class);
        }
    }
}

/// The hash of a word's characters, without case.
fn hash(word: &str) -> u64 {
    word.chars().fold(START, |hash, char| {
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
