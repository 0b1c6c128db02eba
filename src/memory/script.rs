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
pub(super) fn parts(script: &str) -> Vec<(usize, usize)> {
    let bytes = script.as_bytes();
    let (mut all, mut quoting) = (Vec::new(), Quoting::default());
    let (mut from, mut line, mut at) = (0, 0, 0);
    while at < bytes.len() && all.len() < MOST {
        let (byte, here) = (bytes[at], at);
        at += 1;
        if !quoting.takes(byte) {
            continue;
        }
        let doubled = matches!(byte, b'&' | b'|') && bytes.get(at) == Some(&byte);
        if byte == b'\n' {
            if let Some(end) = given(script, text::between(script, line, here), at) {
                at = end;
            }
            line = at;
        } else if byte != b';' && !doubled {
            continue;
        }
        at += usize::from(doubled);
        push(script, from, if byte == b'\n' { at } else { here }, &mut all);
        from = at;
    }
    push(script, from, bytes.len(), &mut all);
    all
}

/// Adds a command without the space around it.
fn push(script: &str, from: usize, to: usize, all: &mut Vec<(usize, usize)>) {
    let part = text::between(script, from, to);
    let start = from + part.len() - part.trim_start().len();
    let end = start + part.trim().len();
    if end > start {
        all.push((start, end));
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
pub(super) fn words(mut part: &str) -> Vec<&str> {
    let mut all = Vec::new();
    loop {
        part = part.trim_start();
        let end = word(part);
        if end == 0 {
            return all;
        }
        all.push(text::between(part, 0, end));
        part = text::between(part, end, part.len());
    }
}

/// Whether a word gives a variable its value.
pub(super) fn sets(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
