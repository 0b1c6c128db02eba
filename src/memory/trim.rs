//! How a line is kept: with single blanks, and without its middle where it is long.

use crate::base::text;
use std::borrow::Cow;

/// A line without blanks around it and colours, and with one blank for several.
pub fn clean(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    let bytes = line.as_bytes();
    if memchr::memchr(ESCAPE, bytes).is_some() {
        return Cow::Owned(text::spaced(without_colours(line).trim()));
    }
    let many = memchr::memchr(b'\t', bytes).is_some() || memchr::memmem::find(bytes, b"  ").is_some();
    if many { Cow::Owned(text::spaced(line)) } else { Cow::Borrowed(line) }
}

/// What begins a sequence that sets a colour.
pub const ESCAPE: u8 = 0x1b;

/// The bytes of the sequence that a text begins with: `ESC [ 1 ; 34 m`.
pub fn colour(bytes: &[u8]) -> usize {
    let rest = bytes.strip_prefix(&[ESCAPE, b'[']).unwrap_or_default();
    let parameters = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'?')).count();
    if rest.get(parameters).is_some_and(u8::is_ascii_alphabetic) { parameters + 3 } else { 1 }
}

fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(next) = memchr::memchr(ESCAPE, &line.as_bytes()[at..]) {
        out.push_str(text::between(line, at, at + next));
        at += next + colour(&line.as_bytes()[at + next..]);
    }
    out.push_str(text::between(line, at, line.len()));
    out
}

/// A text cut to this many characters of its start and end.
pub fn cut(text: Cow<'_, str>, (head, tail): (usize, usize)) -> Cow<'_, str> {
    if text.len() <= head + tail + 3 {
        return text;
    }
    // Where the start is ASCII, characters are bytes.
    let boundary = |at: usize| match text.as_bytes().get(..=at) {
        Some(start) if start.is_ascii() => Some(at),
        _ => text.char_indices().nth(at).map(|(at, _)| at),
    };
    if boundary(head + tail + 3).is_none() {
        return text;
    }
    let start = boundary(head).unwrap_or(text.len());
    let end = if tail == 0 { text.len() } else { text.char_indices().rev().nth(tail - 1).map_or(0, |(at, _)| at) };
    let end = end.max(start);
    let (start, end) = (text::between(&text, 0, start).trim_end(), text::between(&text, end, text.len()));
    // Formatting them takes several times as long.
    let mut out = String::with_capacity(start.len() + end.len() + '…'.len_utf8());
    [start, "…", end].into_iter().for_each(|part| out.push_str(part));
    Cow::Owned(out)
}
