//! A shell script taken apart: its simple commands, and the words of one.

use crate::base::text;

/// Simple commands of a script that are looked at.
const MOST: usize = 64;

/// Reads a script from left to right and knows what is quoted.
#[derive(Default)]
struct Quoting {
    quote: u8,
    /// Brackets that are open: `$(…)`.
    depth: usize,
    escaped: bool,
}

impl Quoting {
    /// Takes the next byte. Whether it stands for itself, outside of quotation marks and brackets.
    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        if core::mem::take(&mut self.escaped) {
            return false;
        }
        if byte == b'\\' && self.quote != b'\'' {
            self.escaped = true;
        } else if self.quote != 0 {
            self.quote = if byte == self.quote { 0 } else { self.quote };
        } else if matches!(byte, b'\'' | b'"' | b'`') {
            self.quote = byte;
        } else if byte == b'(' {
            self.depth += 1;
        } else if byte == b')' {
            self.depth = self.depth.saturating_sub(1);
        } else {
            return self.depth == 0;
        }
        false
    }
}

/// The simple commands of a script, by where they begin and end: what stands between `&&`, `||`, `;` and breaks of lines.
/// A text that is given in the script itself belongs to the command that it is given to.
pub(super) fn parts(script: &str) -> impl Iterator<Item = (usize, usize)> {
    Parts { script, from: 0, line: 0 }.take(MOST)
}

/// The simple commands of a script that are not yet read.
struct Parts<'s> {
    script: &'s str,
    from: usize,
    /// Where the line begins.
    line: usize,
}

impl Iterator for Parts<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        while self.from < self.script.len() {
            let from = self.from;
            let end = self.end();
            let part = text::between(self.script, from, end).trim_end();
            let start = from + part.len() - part.trim_start().len();
            if start < from + part.len() {
                return Some((start, from + part.len()));
            }
        }
        None
    }
}

impl Parts<'_> {
    /// Goes on to the next simple command. Returns where this one ends.
    fn end(&mut self) -> usize {
        let (bytes, mut quoting) = (self.script.as_bytes(), Quoting::default());
        for at in self.from..bytes.len() {
            let byte = bytes[at];
            if !quoting.takes(byte) {
                continue;
            }
            match byte {
                b'\n' => {
                    let line = text::between(self.script, self.line, at);
                    self.line = given(self.script, line, at + 1).unwrap_or(at + 1);
                    self.from = self.line;
                    return self.from;
                }
                b';' => {
                    self.from = at + 1;
                    return at;
                }
                b'&' | b'|' if bytes.get(at + 1) == Some(&byte) => {
                    self.from = at + 2;
                    return at;
                }
                _ => {}
            }
        }
        self.from = bytes.len();
        self.from
    }
}

/// Where a text ends that is given to the command in `line` from `from` on: `<<EOF`.
fn given(script: &str, line: &str, from: usize) -> Option<usize> {
    let mark = mark(line)?;
    let mut at = from;
    for line in text::between(script, from, script.len()).split_inclusive('\n') {
        at += line.len();
        if line.trim() == mark {
            return Some(at);
        }
    }
    None
}

/// What ends a text that is given behind a line.
pub(super) fn mark(line: &str) -> Option<&str> {
    let (before, mark) = line.split_once("<<")?;
    let mark = mark.trim_start_matches('-').split_whitespace().next()?.trim_matches(['\'', '"', ')', ';']);
    (!mark.is_empty() && !mark.starts_with('<') && before.matches(['"', '\'']).count() % 2 == 0).then_some(mark)
}

/// Where the first word of a text ends.
pub(super) fn word(text: &str) -> usize {
    let mut quoting = Quoting::default();
    let ends = |byte: u8| quoting.takes(byte) && byte.is_ascii_whitespace();
    text.bytes().position(ends).unwrap_or(text.len())
}

/// The words of a simple command.
pub(super) fn words(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    core::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = word(rest);
        let next = text::between(rest, 0, end);
        rest = text::between(rest, end, rest.len());
        (end > 0).then_some(next)
    })
}

/// Whether a word gives a variable its value.
pub(super) fn sets(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
