//! Lists of phrases in several languages. Each is a text file beside the module that reads it: a line begins with the
//! code of its language (ISO 639-1) or, where it continues the one before, with blanks, and bars part its phrases.

use crate::base::text;

/// Bytes of the margin that names the language.
const MARGIN: usize = 4;

/// The phrases of a list, in the order of the file.
pub fn each(list: &'static str) -> Phrases {
    Phrases { rest: text::between(list, MARGIN, list.len()) }
}

/// The phrases of a list that are not yet read.
pub struct Phrases {
    rest: &'static str,
}

impl Iterator for Phrases {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let bytes = self.rest.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'|', b'\n', bytes).unwrap_or(bytes.len());
        let parts = if bytes.get(end) == Some(&b'\n') { 1 + MARGIN } else { 1 };
        let next = (end + parts).min(bytes.len());
        let phrase = text::between(self.rest, 0, end);
        self.rest = text::between(self.rest, next, bytes.len());
        Some(phrase)
    }
}

/// Whether a list holds a phrase.
pub fn holds(list: &str, phrase: &str) -> bool {
    let bytes = list.as_bytes();
    let mut from = 0;
    while let Some(at) = text::find(text::between(list, from, list.len()), phrase).map(|at| from + at) {
        let end = at + phrase.len();
        let is_first = || at.checked_sub(MARGIN).is_some_and(|start| start == 0 || bytes[start - 1] == b'\n');
        let begins = || bytes[at - 1] == b'|' || is_first();
        if matches!(bytes.get(end), Some(b'|' | b'\n') | None) && at > 0 && begins() {
            return true;
        }
        from = end;
    }
    false
}
