//! A shell script taken apart: its simple commands, and the words of one.

use crate::base::text;

/// Simple commands of a script that are looked at.
const MOST: usize = 64;

/// Reads a script from left to right and knows what is quoted or a comment.
#[derive(Default)]
struct Quoting {
    quote: u8,
    /// Brackets that are open: `$(…)`.
    depth: usize,
    escaped: bool,
    /// The last byte belongs to a word: a `#` behind it begins no comment.
    in_word: bool,
    comment: bool,
}

impl Quoting {
    /// Takes the next byte. Whether it stands for itself, outside of quotation marks, brackets and comments.
    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        if core::mem::take(&mut self.escaped) {
            return false;
        }
        if self.quote != 0 {
            self.escaped = byte == b'\\' && self.quote != b'\'';
            self.quote = if byte == self.quote { 0 } else { self.quote };
            return false;
        }
        if self.comment {
            self.comment = byte != b'\n';
            return !self.comment && self.depth == 0;
        }
        let starts_word = !core::mem::replace(&mut self.in_word, true);
        match byte {
            b'\\' => self.escaped = true,
            b'\'' | b'"' | b'`' => self.quote = byte,
            b'#' if starts_word => {
                self.comment = true;
                self.in_word = false;
            }
            b'(' => {
                self.depth += 1;
                self.in_word = false;
            }
            b')' if self.depth > 0 => {
                self.depth -= 1;
                self.in_word = false;
            }
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' => {
                self.in_word = false;
                return self.depth == 0;
            }
            _ => return self.depth == 0,
        }
        false
    }
}

/// When a simple command runs, by what stands before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Joint {
    /// In any case.
    #[default]
    Next,
    /// If the one before did not fail.
    And,
    /// If the one before failed.
    Or,
}

/// A simple command of a script.
pub(super) struct Part<'s> {
    /// Where in the script it begins.
    pub at: usize,
    /// The command, with the here-document that is given to it.
    pub text: &'s str,
    pub joint: Joint,
    /// Brackets that open before it, and that close behind it: `(cd web && npm test)`.
    pub opens: usize,
    pub closes: usize,
}

/// Returns the simple commands of a script: what stands between `&&`, `||`, `;` and line breaks, without comments. A
/// here-document belongs to the last command of the line that begins it.
pub(super) fn parts(script: &str) -> impl Iterator<Item = Part<'_>> {
    Parts { script, from: 0, line: 0, open: 0, joint: Joint::Next }.take(MOST)
}

/// The simple commands of a script that are not yet read.
struct Parts<'s> {
    script: &'s str,
    from: usize,
    /// Where the line begins.
    line: usize,
    /// Brackets around commands that are open.
    open: usize,
    /// What stands before the next command.
    joint: Joint,
}

/// Where a simple command ends, and the brackets that close behind it.
struct End {
    at: usize,
    closes: usize,
}

impl<'s> Iterator for Parts<'s> {
    type Item = Part<'s>;

    fn next(&mut self) -> Option<Part<'s>> {
        let mut opens = 0;
        let mut joint = self.joint;
        while self.from < self.script.len() {
            opens += self.open_brackets();
            let from = self.from;
            let End { at, closes } = self.end();
            let text = text::between(self.script, from, at).trim_end();
            let start = from + text.len() - text.trim_start().len();
            let text = text.trim_start();
            if !text.is_empty() && !text.starts_with('#') {
                return Some(Part { at: start, text, joint, opens, closes });
            }
            joint = self.joint;
        }
        None
    }
}

impl Parts<'_> {
    /// Skips the brackets that stand before a command. Returns how many.
    fn open_brackets(&mut self) -> usize {
        let mut count = 0;
        loop {
            let rest = text::between(self.script, self.from, self.script.len());
            let inside = rest.trim_start().strip_prefix('(').filter(|inside| !inside.starts_with('('));
            let Some(inside) = inside else { break };
            self.from = self.script.len() - inside.len();
            count += 1;
        }
        self.open += count;
        count
    }

    /// Goes on to the next simple command. Returns where this one ends.
    fn end(&mut self) -> End {
        let (bytes, mut quoting) = (self.script.as_bytes(), Quoting::default());
        let (mut closes, mut closed) = (0, None);
        for at in self.from..bytes.len() {
            let byte = bytes[at];
            if !quoting.takes(byte) {
                continue;
            }
            let joint = match byte {
                b')' if self.open > 0 => {
                    self.open -= 1;
                    closes += 1;
                    closed = closed.or(Some(at));
                    continue;
                }
                b'\n' | b';' => Joint::Next,
                b'&' if bytes.get(at + 1) == Some(&byte) => Joint::And,
                b'|' if bytes.get(at + 1) == Some(&byte) => Joint::Or,
                _ => continue,
            };
            self.joint = joint;
            self.from = at + if joint == Joint::Next { 1 } else { 2 };
            let mut end = at;
            if byte == b'\n' {
                let line = text::between(self.script, self.line, at);
                self.line = heredoc_end(self.script, line, at + 1).unwrap_or(at + 1);
                self.from = self.line;
                end = self.from;
            }
            return End { at: closed.unwrap_or(end), closes };
        }
        self.from = bytes.len();
        End { at: closed.unwrap_or(self.from), closes }
    }
}

/// Returns where the here-document ends that `line` begins and whose text stands from `from` on, if it begins one.
fn heredoc_end(script: &str, line: &str, from: usize) -> Option<usize> {
    let delimiter = heredoc_delimiter(line)?;
    let mut at = from;
    for line in text::between(script, from, script.len()).split_inclusive('\n') {
        at += line.len();
        if line.trim() == delimiter {
            return Some(at);
        }
    }
    None
}

/// Returns the line that ends the here-document which a line begins: `EOF` for `cat <<'EOF'`.
pub(super) fn heredoc_delimiter(line: &str) -> Option<&str> {
    text::find(line, "<<")?;
    let (bytes, mut quoting) = (line.as_bytes(), Quoting::default());
    let at = (0..bytes.len()).find(|&at| quoting.takes(bytes[at]) && bytes[at..].starts_with(b"<<"))?;
    let rest = text::between(line, at + 2, line.len());
    let delimiter = rest.trim_start_matches('-').split_whitespace().next()?.trim_matches(['\'', '"', ')', ';']);
    (!delimiter.is_empty() && !delimiter.starts_with('<')).then_some(delimiter)
}

/// Returns what a simple command gives its output to: what stands behind `|`.
pub(super) fn piped(part: &str) -> Option<&str> {
    let mut quoting = Quoting::default();
    let at = part.bytes().position(|byte| quoting.takes(byte) && byte == b'|')?;
    Some(text::between(part, at + 1, part.len()))
}

/// Where the first word of a text ends.
pub(super) fn word(text: &str) -> usize {
    let mut quoting = Quoting::default();
    let ends = |byte: u8| quoting.takes(byte) && byte.is_ascii_whitespace();
    text.bytes().position(ends).unwrap_or(text.len())
}

/// Returns the words of a simple command, without a comment or a here-document behind them.
pub(super) fn words(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    core::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        while let Some(next_line) = rest.strip_prefix("\\\n") {
            rest = next_line.trim_start_matches([' ', '\t']);
        }
        if rest.starts_with(['#', '\n']) {
            return None;
        }
        let end = word(rest);
        let next = text::between(rest, 0, end);
        rest = text::between(rest, end, rest.len());
        (end > 0).then_some(next)
    })
}

/// Whether a word says where output goes, or is where the next program of a pipeline begins.
pub(super) fn is_redirect(word: &str) -> bool {
    word.starts_with(['|', '&']) || word.trim_start_matches(|char: char| char.is_ascii_digit()).starts_with(['>', '<'])
}

/// Whether a word gives a variable its value.
pub(super) fn sets(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
