//! Cutting text: on character boundaries, by bytes, with something that says so.

use crate::prelude::*;

/// A text out of pieces and whole numbers, as `format!` makes it. What that needs of `core::fmt` would be 4 kB of wasm.
macro_rules! text {
    ($($piece:expr),+ $(,)?) => {{
        let mut out = $crate::prelude::String::new();
        $( $crate::text::Piece::append(&$piece, &mut out); )+
        out
    }};
}
pub(crate) use text;

/// What a text can be made of.
pub trait Piece {
    /// Appends it to a text.
    fn append(&self, out: &mut String);
}

impl Piece for str {
    fn append(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl Piece for String {
    fn append(&self, out: &mut String) {
        out.push_str(self);
    }
}

impl<T: Piece + ?Sized> Piece for &T {
    fn append(&self, out: &mut String) {
        (**self).append(out);
    }
}

impl Piece for u64 {
    fn append(&self, out: &mut String) {
        let (mut digits, mut at, mut rest) = ([0_u8; 20], 20, *self);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits[at..].iter().for_each(|&digit| out.push(char::from(digit)));
    }
}

impl Piece for usize {
    fn append(&self, out: &mut String) {
        (*self as u64).append(out);
    }
}

impl Piece for u32 {
    fn append(&self, out: &mut String) {
        u64::from(*self).append(out);
    }
}

/// The first `bytes` of a text, or a little less; an ellipsis when something was cut.
pub fn start(text: &str, bytes: usize) -> String {
    let text = text.trim();
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut out = between(text, 0, floor(text, bytes)).trim_end().to_owned();
    out.push('…');
    out
}

/// Bytes below which a head says more than two ends.
const LEAST_ENDS: usize = 120;

/// The start of a text's first line that holds something.
pub fn first_line(text: &str, bytes: usize) -> String {
    start(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), bytes)
}

/// About two thirds of the budget from the head and one third from the tail, with what was left out between them; the head
/// alone where both ends would be too short to be read.
pub fn ends(text: &str, bytes: usize) -> String {
    let text = text.trim();
    if text.len() <= bytes {
        return text.to_owned();
    }
    if bytes < LEAST_ENDS {
        return start(text, bytes.saturating_sub("…".len()));
    }
    let room = bytes.saturating_sub(32);
    let head = floor(text, room * 2 / 3);
    let tail = ceil(text, text.len() - room / 3).max(head);
    text![
        between(text, 0, head).trim_end(),
        " [… ",
        characters(between(text, head, tail)),
        " characters …] ",
        between(text, tail, text.len()).trim_start()
    ]
}

/// The text from byte `from` to byte `to`, both character boundaries. Slicing with `[from..to]` would do the same, and
/// bring 6 kB of wasm for the message of a panic.
pub fn between(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// Where `what` begins in a text for the first time. The standard library's search is larger.
pub fn find(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    let first = what.first()?;
    (0..text.len()).find(|&at| text[at] == *first && text[at..].starts_with(what))
}

/// How many characters a text has.
pub fn characters(text: &str) -> usize {
    // All bytes but those that continue a character.
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count()
}

/// The nearest character boundary at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The nearest character boundary at or after `at`.
pub fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The largest cap for which the lengths, each cut to it, sum to at most `budget`.
pub fn level(lengths: &[usize], budget: usize) -> usize {
    let cut_to = |cap: usize| lengths.iter().fold(0_usize, |sum, &length| sum.saturating_add(length.min(cap)));
    if cut_to(usize::MAX) <= budget {
        return usize::MAX;
    }
    let (mut low, mut high) = (0, budget);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if cut_to(middle) <= budget { low = middle } else { high = middle - 1 }
    }
    low
}
