//! Keeps both ends of a text: two thirds of the result are from the start, one third from the end. Cuts are moved to a
//! line end if one is near.

use crate::base::{markers, text};
use crate::shorten::gap::Gap;

/// Cuts a text to both ends within about `bytes`.
pub fn within(text: &str, bytes: usize, advice: &str) -> String {
    Parted::of(text, false).keep(bytes, advice)
}

/// A text in which something may already be missing. Its ends can be cut repeatedly.
pub struct Parted<'t> {
    head: &'t str,
    /// The characters missing between start and end.
    hidden: usize,
    tail: &'t str,
    /// The characters of the whole text, including the missing ones.
    characters: usize,
    /// Whether the text is written as a JSON string.
    escaped: bool,
}

impl<'t> Parted<'t> {
    /// Finds our own notices in a text. Text between several notices counts as missing. `escaped`: the text is the
    /// inside of a JSON string, and is cut only between escapes.
    pub fn of(text: &'t str, escaped: bool) -> Self {
        let mut parted = Self { head: text, hidden: 0, tail: "", characters: 0, escaped };
        let (mut from, mut last) = (0, 0);
        while let Some(start) = text::find(text::between(text, from, text.len()), markers::NOTICE) {
            let start = from + start;
            let Some((gap, end)) = Gap::begins(text::between(text, start, text.len())) else {
                from = start + 1;
                continue;
            };
            if last == 0 {
                parted.head = text::between(text, 0, start);
                parted.head = parted.head.strip_suffix(parted.line_end()).unwrap_or(parted.head);
            } else {
                parted.hidden = parted.hidden.saturating_add(text::characters(text::between(text, last, start)));
            }
            parted.hidden = parted.hidden.saturating_add(gap.characters);
            last = start + end;
            from = last;
            parted.tail = text::between(text, last, text.len());
            parted.tail = parted.tail.strip_prefix(parted.line_end()).unwrap_or(parted.tail);
        }
        parted.characters = parted.hidden.saturating_add(text::characters(parted.head) + text::characters(parted.tail));
        parted
    }

    fn line_end(&self) -> &'static str {
        if self.escaped { "\\n" } else { "\n" }
    }

    /// Keeps both ends within about `bytes`.
    pub fn keep(&self, bytes: usize, advice: &str) -> String {
        let room = bytes.saturating_sub(LEAST_NOTICE + advice.len());
        let (front, back) = (room * 2 / 3, room - room * 2 / 3);
        // If an earlier cut left less than is wanted now, its line ends are kept.
        let whole = |part: &str, wanted: usize| self.hidden > 0 && wanted > part.len();
        let kept = if whole(self.head, front) { self.head.len() } else { self.floor(self.head, front) };
        let (head, after) = (text::between(self.head, 0, kept), text::between(self.head, kept, self.head.len()));
        let (mut ending, mut stays) = (self.tail, text::characters(head));
        if self.hidden == 0 {
            // A line end that remains in place is not missing.
            ending = after.strip_prefix(self.line_end()).unwrap_or(after);
            stays += after.len() - ending.len();
        }
        let from = if whole(ending, back) { 0 } else { self.ceil(ending, ending.len().saturating_sub(back)) };
        let ending = text::between(ending, from, ending.len());
        stays += text::characters(ending);
        let (end, notice) = (self.line_end(), Gap { characters: self.characters - stays, lines: 0 }.notice(advice));
        format!("{head}{end}{notice}{end}{ending}")
    }

    fn floor(&self, text: &str, at: usize) -> usize {
        let at = text::floor(text, at);
        if self.escaped {
            return before_escape(text, at);
        }
        let from = text::floor(text, at.saturating_sub(LINE_REACH));
        text::between(text, from, at).bytes().rposition(|byte| byte == b'\n').map_or(at, |line| from + line)
    }

    fn ceil(&self, text: &str, at: usize) -> usize {
        let mut at = text::ceil(text, at);
        if self.escaped {
            while at < text.len() && (before_escape(text, at) < at || !text.is_char_boundary(at)) {
                at += 1;
            }
            return at;
        }
        let to = text::ceil(text, at + LINE_REACH);
        text::between(text, at, to).bytes().position(|byte| byte == b'\n').map_or(at, |line| at + line + 1)
    }
}

/// The bytes of a notice with a number of seven digits, and of the characters around it.
const LEAST_NOTICE: usize = 48;
/// How many bytes a cut may move to reach a line end.
const LINE_REACH: usize = 160;

/// The start of the escape or surrogate pair that a cut at `at` would split. Otherwise `at`.
fn before_escape(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    if let Some(slash) = (at.saturating_sub(5)..at).rev().find(|&slash| bytes[slash] == b'\\') {
        // In a run of backslashes, every second one is escaped.
        let run = (0..=slash).rev().take_while(|&slash| bytes[slash] == b'\\').count();
        let length = if bytes.get(slash + 1) == Some(&b'u') { 6 } else { 2 };
        if run % 2 == 1 && slash + length > at {
            at = slash;
        }
    }
    // Two escapes may be one character.
    let surrogate = |from: usize, kinds: &[u8]| {
        let escape = bytes.get(from..from + 4).unwrap_or_default();
        escape.starts_with(b"\\u") && escape[2] | 0x20 == b'd' && kinds.contains(&(escape[3] | 0x20))
    };
    if at >= 6 && surrogate(at, b"cdef") && surrogate(at - 6, b"89ab") {
        at -= 6;
    }
    at
}
