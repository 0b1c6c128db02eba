//! The blocks of a message: paragraphs, lists, headings, fenced code, as blank lines and headings part them.

use crate::base::quoting::{is_unseen, line_end};
use crate::base::text;
use crate::base::words::is_dense;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lines of text.
    Lines,
    /// Points of a list.
    List,
    /// A heading, with the lines right below it.
    Heading,
    /// All lines are indented as code is.
    Indented,
    /// `---`, members and `---`.
    FrontMatter,
    /// It has a frame of its own: a fence, or marks of a quotation before each line.
    Framed,
}

/// A line without invisible characters at its ends.
#[derive(Clone, Copy, Debug)]
pub struct BlockLine<'t> {
    pub from: usize,
    pub text: &'t str,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block<'t> {
    pub from: usize,
    /// Behind its last line.
    pub to: usize,
    pub kind: Kind,
    /// Of a heading, from 1.
    pub level: usize,
    /// The heading is underlined.
    pub ruled: bool,
    /// At least one.
    pub lines: Vec<BlockLine<'t>>,
}

impl<'t> Block<'t> {
    pub fn first(&self) -> &'t str {
        self.lines[0].text
    }

    pub fn last(&self) -> &'t str {
        self.lines[self.lines.len() - 1].text
    }

    pub fn size(&self) -> usize {
        self.to - self.from
    }

    /// The name that its first line begins with.
    pub fn label(&self) -> Option<&'t str> {
        label(self.first())
    }
}

/// The most blocks that are looked at. The last one is all of the rest.
const MOST: usize = 2_000;
/// The most tags whose end is searched for.
const TAGS: usize = 8;

/// The blocks of a text, in order.
pub fn of(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut reader = Lines { text, at: 0 };
    let mut is_open = false;
    let mut tags = TAGS;
    while let Some((line, next, indent)) = reader.next() {
        if line.text.is_empty() {
            is_open &= blocks.len() > MOST;
            continue;
        }
        if is_fence(line.text) {
            reader.skip_to(is_fence);
            blocks.push(block(line, reader.at, Kind::Framed));
            is_open = false;
            continue;
        }
        let is_first = blocks.last().is_none_or(|last| last.kind == Kind::Framed) || !is_open;
        if tags > 0
            && let Some(name) = tag(line.text)
        {
            tags -= 1;
            if let Some(end) = closed(text, line.from, name) {
                reader.at = end;
                blocks.push(block(line, end, Kind::Framed));
                is_open = false;
                continue;
            }
        }
        if line.text == "---"
            && is_first
            && let Some(end) = front_matter(text, next)
        {
            reader.at = end;
            blocks.push(block(line, end, Kind::FrontMatter));
            is_open = false;
            continue;
        }
        let level = line.text.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&level) && line.text[level..].starts_with(' ');
        if is_heading || !is_open {
            let kind = match () {
                () if is_heading => Kind::Heading,
                () if line.text.starts_with(['>', '＞']) => Kind::Framed,
                () if is_point(line.text) => Kind::List,
                () if indent >= INDENT => Kind::Indented,
                () => Kind::Lines,
            };
            blocks.push(Block { level: if is_heading { level } else { 0 }, ..block(line, next, kind) });
            is_open = true;
            continue;
        }
        let Some(last) = blocks.last_mut() else { continue };
        // A title may be underlined.
        if last.lines.len() == 1 && last.kind == Kind::Lines && is_rule(line.text) {
            (last.kind, last.level, last.ruled) = (Kind::Heading, 1, true);
        }
        if last.kind == Kind::Indented && indent < INDENT {
            last.kind = Kind::Lines;
        }
        // Lines right above points belong to them.
        if last.kind == Kind::Lines && last.lines.len() < 3 && is_point(line.text) {
            last.kind = Kind::List;
        }
        last.lines.push(line);
        last.to = next;
    }
    blocks
}

fn block(line: BlockLine<'_>, to: usize, kind: Kind) -> Block<'_> {
    Block { from: line.from, to, kind, level: 0, ruled: false, lines: vec![line] }
}

/// Columns from which on a line is indented as code is.
const INDENT: usize = 4;

/// Reads a text line by line.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    /// The next line, where the one behind it begins, and how far it is indented.
    fn next(&mut self) -> Option<(BlockLine<'t>, usize, usize)> {
        let from = self.at;
        self.text.get(from..).filter(|rest| !rest.is_empty())?;
        let (end, mut next) = line_end(self.text, from).unwrap_or((self.text.len(), self.text.len()));
        let is_double = text::between(self.text, end, next + 1) == "\r\n";
        next += usize::from(is_double);
        self.at = next;
        let whole = text::between(self.text, from, end);
        let columns = whole.chars().take_while(|char| matches!(char, ' ' | '\t'));
        let indent = columns.map(|char| if char == '\t' { INDENT } else { 1 }).sum();
        Some((BlockLine { from, text: whole.trim_matches(is_unseen) }, next, indent))
    }

    /// Goes on behind the next such line, or to the end.
    fn skip_to(&mut self, is_end: fn(&str) -> bool) {
        while let Some((line, ..)) = self.next() {
            if is_end(line.text) {
                break;
            }
        }
    }
}

/// The name of the tag that a line opens with.
fn tag(line: &str) -> Option<&str> {
    let name = line.strip_prefix('<').filter(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()))?;
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    Some(text::between(name, 0, length))
}

/// Where the text ends that a tag opens at a byte: behind the line in which that tag closes for the last time.
fn closed(text: &str, from: usize, name: &str) -> Option<usize> {
    let close = format!("</{name}");
    let end = from + text::between(text, from, text.len()).rfind(&close)? + close.len();
    Some(line_end(text, end).map_or(text.len(), |(_, next)| next))
}

fn is_fence(line: &str) -> bool {
    line.starts_with("~~~") || line.strip_prefix("```").is_some_and(|rest| !rest.contains('`'))
}

/// Where front matter ends whose first member begins at a byte.
fn front_matter(text: &str, from: usize) -> Option<usize> {
    const MOST: usize = 40;
    let mut lines = Lines { text, at: from };
    for at in 0..MOST {
        let (line, next, indent) = lines.next()?;
        if line.text == "---" {
            return (at > 0).then_some(next);
        }
        let is_member = line
            .text
            .split_once(':')
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        if !is_member && indent == 0 && !is_point(line.text) {
            return None;
        }
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| byte == b'=')
}

/// Whether a line is a point of a list.
pub fn is_point(line: &str) -> bool {
    if line.starts_with(['•', '‣', '◦', '・']) {
        return true;
    }
    if line.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && line[1..].starts_with(") ") {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let marks: &[char] = if digits > 0 { &['.', ')', '、', '．'] } else { &['-', '*', '+', '–'] };
    digits <= 3
        && rest.starts_with(marks)
        && rest.chars().nth(1).is_none_or(|next| next == ' ' || digits > 0 && !next.is_ascii_digit())
}

/// Whether a line ends as a sentence does.
pub fn ends_sentence(line: &str) -> bool {
    line.trim_end_matches(['"', '”', '“', '»', '«', ')', '\'', '’', '」', '』', '*', '_'])
        .ends_with(['.', '!', '?', '…', '。', '！', '？', '؟', '।', '۔', ';'])
}

/// The words of a line; where a script writes no spaces, two characters count as one.
pub fn words(line: &str) -> usize {
    let dense = line.chars().filter(|char| is_dense(*char)).count();
    let spaced =
        line.split_whitespace().filter(|word| word.chars().any(|char| char.is_alphanumeric() && !is_dense(char)));
    spaced.count() + dense / 2
}

/// The name that a line begins with, before a colon. A time may stand before it.
pub fn label(line: &str) -> Option<&str> {
    const LONGEST: usize = 32;
    const WORDS: usize = 3;
    let (name, said) = line.trim_start_matches(|char: char| !char.is_alphabetic()).split_once([':', '：'])?;
    let name = name.trim_end_matches(|char: char| char == '*' || char == '_' || is_unseen(char));
    let is_name = !name.is_empty() && name.len() <= LONGEST && name.split_whitespace().count() <= WORDS;
    (is_name && !said.trim().is_empty() && !said.starts_with("//")).then_some(name)
}
