//! Cutting text: on character boundaries, by bytes, with something that says so.

use crate::prelude::*;

/// A text out of pieces and whole numbers, as `format!` makes it. What that needs of `core::fmt` would be 4 kB of wasm.
///
/// What is literal is put together when this is compiled: appending it piece by piece would be 3 kB.
macro_rules! text {
    (@ [$($pattern:tt)*] [$($piece:expr,)*]) => {{
        let mut out = $crate::text::Pattern::of(concat!($($pattern)*));
        $( $crate::text::Piece::fill(&$piece, &mut out); )*
        out.end()
    }};
    (@ [$($pattern:tt)*] [$($piece:expr,)*] $literal:literal $(, $($rest:tt)*)?) => {
        text!(@ [$($pattern)* $literal,] [$($piece,)*] $($($rest)*)?)
    };
    (@ [$($pattern:tt)*] [$($piece:expr,)*] $next:expr $(, $($rest:tt)*)?) => {
        text!(@ [$($pattern)* "\0",] [$($piece,)* $next,] $($($rest)*)?)
    };
    ($($piece:tt)+) => { text!(@ [] [] $($piece)+) };
}
pub(crate) use text;

/// A text being made out of a pattern, in which a NUL stands for each piece.
pub struct Pattern {
    out: String,
    rest: &'static str,
}

impl Pattern {
    /// Nothing of `pattern` is filled in yet.
    #[inline(never)]
    pub fn of(pattern: &'static str) -> Self {
        Self { out: String::new(), rest: pattern }
    }

    /// Fills in the next piece.
    #[inline(never)]
    pub fn fill(&mut self, piece: &str) {
        if let Some((before, after)) = self.rest.split_once('\0') {
            self.out.push_str(before);
            self.rest = after;
        }
        self.out.push_str(piece);
    }

    /// The whole text.
    #[inline(never)]
    pub fn end(mut self) -> String {
        self.out.push_str(self.rest);
        self.out
    }
}

/// What a text can be made of.
pub trait Piece {
    /// Fills it in.
    fn fill(&self, out: &mut Pattern);
}

impl Piece for str {
    fn fill(&self, out: &mut Pattern) {
        out.fill(self);
    }
}

impl Piece for String {
    fn fill(&self, out: &mut Pattern) {
        out.fill(self);
    }
}

impl<T: Piece + ?Sized> Piece for &T {
    fn fill(&self, out: &mut Pattern) {
        (**self).fill(out);
    }
}

impl Piece for u64 {
    fn fill(&self, out: &mut Pattern) {
        let (mut digits, mut at, mut rest) = ([0_u8; 20], 20, *self);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        out.fill(core::str::from_utf8(&digits[at..]).unwrap_or_default());
    }
}

impl Piece for usize {
    fn fill(&self, out: &mut Pattern) {
        (*self as u64).fill(out);
    }
}

impl Piece for u32 {
    fn fill(&self, out: &mut Pattern) {
        u64::from(*self).fill(out);
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
