//! Passages that applications put around what a person typed: reminders, where it runs, what is open in an editor. They
//! stand in tags of their own, each on lines of its own.

use crate::base::text;

/// What is left of a text without them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfApplication {
    /// There are none.
    All,
    /// A part of it.
    Part(String),
    /// An application said all of it.
    Nothing,
}

/// A passage that an application put into a text, in bytes: it ends behind its last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Where its first line begins.
    pub from: usize,
    /// Where the line behind it begins.
    pub to: usize,
}

/// The tags of asides, as agents and editors write them.
const TAGS: [&str; 22] = [
    "system-reminder",
    "system_reminder",
    REMINDER,
    "skill-context",
    "environment_details",
    "environment_info",
    "environment_context",
    "workspace_info",
    "user_info",
    "project_layout",
    "editorContext",
    "open_and_recently_viewed_files",
    "additional_data",
    "attached_files",
    "attachments",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-stdout",
    "bash-stderr",
    "command-message",
    CONTEXT,
];
/// People write this tag as well: it is an editor's only beside another tag of one.
const CONTEXT: &str = "context";
const REMINDER: &str = "reminderInstructions";
/// The tags that editors put around what a person typed, so that it stands apart from what they add.
const TYPED: [&str; 3] = ["userRequest", "user_query", "user_request"];
/// The most passages of one text whose end is looked for and not found.
const MOST: usize = 16;

/// Finds the asides of a text, in order.
#[inline(never)]
pub fn find(text: &str) -> Vec<Aside> {
    let mut asides: Vec<(Aside, &str)> = Vec::new();
    if memchr::memchr(b'<', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let (mut at, mut without_end, mut is_fenced, mut is_editors) = (0, 0, false, false);
    while let Some((line, next)) = line_at(text, at) {
        is_fenced ^= line.starts_with("```");
        is_editors |= !is_fenced && (opened(line) == Some(REMINDER) || !typed_tags(line).is_empty());
        let name = opened(line).filter(|name| !is_fenced && without_end < MOST && TAGS.contains(name));
        let end = name.and_then(|name| Some((name, end_of(text, at, name)?)));
        if let Some((name, to)) = end {
            asides.push((Aside { from: at, to }, name));
            at = to;
        } else {
            without_end += usize::from(name.is_some());
            at = next;
        }
    }
    asides.retain(|(_, name)| *name != CONTEXT || is_editors);
    asides.into_iter().map(|(aside, _)| aside).collect()
}

/// What a text says without its asides and without the tags around what was typed.
pub fn own(text: &str) -> OfApplication {
    let asides = find(text);
    let mut lines = Vec::new();
    let (mut at, mut is_fenced, mut is_all) = (0, false, asides.is_empty());
    let mut asides = asides.into_iter().peekable();
    while let Some((_, next)) = line_at(text, at) {
        if let Some(aside) = asides.next_if(|aside| aside.from == at) {
            at = aside.to;
            continue;
        }
        let whole = text::between(text, at, next).trim_end_matches(['\n', '\r']);
        is_fenced ^= whole.trim_start().starts_with("```");
        let mut line = whole;
        for (from, to) in typed_tags(whole).into_iter().rev().filter(|_| !is_fenced) {
            line = if from == 0 { text::between(line, to, line.len()) } else { text::between(line, 0, from) };
        }
        is_all &= line.len() == whole.len();
        if line.len() == whole.len() || !line.trim().is_empty() {
            lines.push(line);
        }
        at = next;
    }
    let own = text::joined(&lines, "\n").trim().to_owned();
    match () {
        () if is_all => OfApplication::All,
        () if own.is_empty() => OfApplication::Nothing,
        () => OfApplication::Part(own),
    }
}

/// Where the tags around what was typed stand in a line: one that opens it, one that closes it.
pub fn typed_tags(line: &str) -> Vec<(usize, usize)> {
    let mut tags = Vec::new();
    for name in TYPED {
        let end = line.trim_end().len();
        let (open, close) = (name.len() + "<>".len(), name.len() + "</>".len());
        if line.strip_prefix('<').and_then(|line| line.strip_prefix(name)).is_some_and(|line| line.starts_with('>')) {
            tags.push((0, open));
        }
        let last = text::between(line, end.saturating_sub(close), end);
        if last.strip_prefix("</").and_then(|last| last.strip_suffix('>')) == Some(name) {
            tags.push((end - close, line.len()));
        }
    }
    tags
}

/// The first and last bytes of a text that is read in pieces, as many as show whether it is framed.
#[derive(Debug, Default)]
pub struct Edges {
    head: String,
    tail: String,
}

/// The bytes of either edge: more than the longest tag has.
const EDGE: usize = 96;

impl Edges {
    /// Adds the next piece.
    pub fn push(&mut self, piece: &str) {
        if self.head.len() < EDGE {
            let head = if self.head.is_empty() { piece.trim_start() } else { piece };
            self.head.push_str(text::between(head, 0, text::floor(head, EDGE)));
        }
        let from = text::ceil(piece, piece.len().saturating_sub(EDGE));
        self.tail.push_str(text::between(piece, from, piece.len()));
        let over = text::ceil(&self.tail, self.tail.len().saturating_sub(EDGE));
        self.tail.drain(..over);
    }

    /// Whether an application framed the text: it begins with a tag, ends where that tag closes, and the tag is none of
    /// those that editors put around what was typed.
    pub fn are_frame(&self) -> bool {
        let name = opened(text::first_line(&self.head, EDGE).as_str()).map(str::to_owned);
        name.is_some_and(|name| {
            !TYPED.contains(&name.as_str()) && self.tail.trim_end().ends_with(&format!("</{name}>"))
        })
    }
}

/// Whether an application framed all of a text: see [`Edges::are_frame`].
pub fn is_framed(text: &str) -> bool {
    let mut edges = Edges::default();
    edges.push(text);
    edges.are_frame()
}

/// A line without blanks around it, and where the next one begins.
fn line_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let next = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
    Some((text::between(rest, 0, next).trim(), at + next))
}

/// The name of the tag that a line begins with, if the tag ends in it.
fn opened(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('<')?;
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    let (name, behind) = rest.split_at_checked(length)?;
    (!name.is_empty() && behind.starts_with(['>', ' ']) && behind.contains('>')).then_some(name)
}

/// Where the line behind a passage begins whose first line begins at `from`: nothing may stand behind its last tag.
fn end_of(text: &str, from: usize, name: &str) -> Option<usize> {
    let close = format!("</{name}>");
    let (mut at, mut depth) = (from, 0);
    while let Some((line, next)) = line_at(text, at) {
        let closes = line.ends_with(&close);
        // What programs print begins behind the tag.
        if opened(line) == Some(name) && (closes || name != CONTEXT || line.ends_with('>')) {
            depth += 1;
        } else if depth == 0 {
            return None;
        }
        depth -= usize::from(closes);
        if depth == 0 {
            return Some(next);
        }
        at = next;
    }
    None
}
