//! Separates what a person typed in a message from what they pasted into it: quotations, code, mails, transcripts and
//! our own texts. Only typed text can state requirements, contain the user's own names, and show which language they
//! write in.
//!
//! A document without any frame is known by its shape ([`documents`]). Pasted text with a frame (a fence, quotation marks at the start of lines, a closed tag) ends with the frame, JSON with
//! its last bracket, and a line that a program printed with the line. The end of a mail, a transcript or one of our own
//! texts cannot be found reliably, because its author could imitate any end. So everything after its start counts as
//! pasted.

use crate::base::quoting::{is_unseen, line_end};
use crate::base::{markers, text};
use crate::ingest::asides::{self, Aside};
use crate::ingest::documents;
use crate::ingest::frames::{fence, forwards, header, is_greeting, is_ours, material, may_have_colon, speaks};
use crate::ingest::pasted_json;
use crate::ingest::printed::is_printed;
use crate::shorten::gap::Gap;
use core::iter::Peekable;
use std::vec::IntoIter;

/// The passages of a text that were typed, as pairs of start and end in bytes, in order.
pub fn passages(text: &str) -> Vec<(usize, usize)> {
    let asides = asides::find(text).into_iter().peekable();
    let documents = documents::find(text).into_iter().peekable();
    let mut reader =
        Reader { text, typed: Vec::new(), asides, documents, tags: TAGS, colons: COLONS, cut: CUT, resumed: RESUMED };
    let mut at = 0;
    while let Some(line) = TypedLine::at(text, at) {
        match reader.read(&line) {
            Step::Typed => reader.add(line.from, line.next),
            Step::Pasted(from, to) => {
                reader.add(line.from, from);
                at = to;
                continue;
            }
            Step::Rest(from) => {
                reader.add(line.from, from);
                break;
            }
        }
        at = line.next;
    }
    reader.typed
}

/// The typed passages, joined.
pub fn typed(text: &str) -> String {
    joined(text, &passages(text))
}

/// The passages of a text, joined.
pub fn joined(text: &str, passages: &[(usize, usize)]) -> String {
    let mut out = String::new();
    for &(from, to) in passages {
        out.push_str(text::between(text, from, to));
        out.push(' ');
    }
    out
}

/// The most tags whose end is searched for.
const TAGS: usize = 8;
/// The most lines with a colon that are searched for a reference to a following text.
const COLONS: usize = 64;
/// The most objects of JSON without an end that are read.
const CUT: usize = 8;
/// How often a line is read on behind JSON in it. After that, the rest of such a line counts as pasted.
const RESUMED: usize = 16;

/// A line of a text.
struct TypedLine<'t> {
    from: usize,
    /// The start of the next line.
    next: usize,
    /// The line without invisible characters at its ends.
    seen: &'t str,
}

impl<'t> TypedLine<'t> {
    fn at(text: &'t str, from: usize) -> Option<Self> {
        text.get(from..).filter(|rest| !rest.is_empty())?;
        let (end, next) = line_end(text, from).unwrap_or((text.len(), text.len()));
        Some(Self { from, next, seen: text::between(text, from, end).trim_matches(is_unseen) })
    }
}

/// The result of reading a line.
enum Step {
    /// The line was typed.
    Typed,
    /// Pasted text starts and ends at these bytes.
    Pasted(usize, usize),
    /// Everything from this byte on is pasted.
    Rest(usize),
}

struct Reader<'t> {
    text: &'t str,
    typed: Vec<(usize, usize)>,
    /// What applications put there, as far as it is not read.
    asides: Peekable<IntoIter<Aside>>,
    /// The same of documents.
    documents: Peekable<IntoIter<(usize, usize)>>,
    tags: usize,
    colons: usize,
    cut: usize,
    resumed: usize,
}

impl Reader<'_> {
    fn add(&mut self, from: usize, to: usize) {
        match self.typed.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ if from < to => self.typed.push((from, to)),
            _ => {}
        }
    }

    fn read(&mut self, line: &TypedLine<'_>) -> Step {
        let seen = line.seen;
        if seen.is_empty() {
            return Step::Typed;
        }
        while self.documents.next_if(|(from, _)| *from < line.from).is_some() {}
        if let Some((from, to)) = self.documents.next_if(|(from, _)| *from == line.from) {
            return if self.holds_ours(from, to) { Step::Rest(from) } else { Step::Pasted(from, to) };
        }
        if let Some(fence) = fence(seen) {
            return Step::Pasted(line.from, self.after_fence(line.next, fence));
        }
        if seen.starts_with(['>', '＞']) {
            return Step::Pasted(line.from, line.next);
        }
        while self.asides.next_if(|aside| aside.from < line.from).is_some() {}
        if let Some(aside) = self.asides.next_if(|aside| aside.from == line.from) {
            return Step::Pasted(line.from, aside.to);
        }
        if let Some(&(from, to)) = asides::typed_tags(seen).first() {
            let start = seen.as_ptr() as usize - self.text.as_ptr() as usize;
            return Step::Pasted(start + from, start + to);
        }
        if let Some(end) = self.after_tag(line) {
            return Step::Pasted(line.from, end);
        }
        if let Some((from, end)) = self.json(line) {
            return Step::Pasted(from, end);
        }
        if is_ours(seen) || forwards(seen) || speaks(seen) || self.is_mail(line) || self.greets(line) {
            return Step::Rest(line.from);
        }
        if let Some(at) = self.marker(line) {
            return Step::Rest(at);
        }
        if is_printed(seen) {
            return Step::Pasted(line.from, line.next);
        }
        let named = if self.colons > 0 && may_have_colon(seen) && seen.contains([':', '：']) {
            self.colons -= 1;
            material(seen)
        } else {
            None
        };
        match named {
            Some(end) if end < seen.len() => {
                let at = seen.as_ptr() as usize - self.text.as_ptr() as usize;
                Step::Rest(at + end)
            }
            Some(_) if self.names_material(line.next) => Step::Rest(line.next),
            _ => Step::Typed,
        }
    }

    /// Whether a document holds one of our own texts, so that its end may be an imitation, too.
    fn holds_ours(&self, from: usize, to: usize) -> bool {
        let mut lines =
            core::iter::successors(TypedLine::at(self.text, from), |line| TypedLine::at(self.text, line.next));
        lines.by_ref().take_while(|line| line.from < to).any(|line| is_ours(line.seen) || self.marker(&line).is_some())
    }

    /// The next line that is not empty.
    fn line_after(&self, mut at: usize) -> Option<TypedLine<'_>> {
        loop {
            let line = TypedLine::at(self.text, at)?;
            if !line.seen.is_empty() {
                return Some(line);
            }
            at = line.next;
        }
    }

    /// Whether the text after a line such as "Translate this:" has no frame of its own.
    fn names_material(&self, after: usize) -> bool {
        self.line_after(after).is_none_or(|line| {
            fence(line.seen).is_none() && !line.seen.starts_with(['>', '＞', '<']) && !line.seen.starts_with("\"\"\"")
        })
    }

    fn after_fence(&self, mut at: usize, (mark, length): (char, usize)) -> usize {
        while let Some(line) = TypedLine::at(self.text, at) {
            at = line.next;
            let closes = fence(line.seen).is_some_and(|(other, many)| other == mark && many >= length);
            if closes && line.seen.chars().all(|char| char == mark) {
                break;
            }
        }
        at
    }

    /// The end of the text that a line opens with a tag or three quotation marks. It is the last closing one, so that
    /// the text between cannot end it early.
    #[inline(never)]
    fn after_tag(&mut self, line: &TypedLine<'_>) -> Option<usize> {
        let quotes = line.seen.starts_with("\"\"\"");
        let name =
            line.seen.strip_prefix('<').filter(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()));
        if !quotes && name.is_none() || self.tags == 0 {
            return None;
        }
        self.tags -= 1;
        let close = match name {
            Some(name) => {
                let length =
                    name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
                format!("</{}", text::between(name, 0, length))
            }
            None => "\"\"\"".to_owned(),
        };
        let opened = line.seen.as_ptr() as usize - self.text.as_ptr() as usize + 3;
        let rest = self.text.get(opened..)?;
        let end = opened + rest.rfind(&close)? + close.len();
        // The rest of the closing line belongs to the pasted text.
        Some(TypedLine::at(self.text, end).map_or(self.text.len(), |line| line.next))
    }

    /// Where JSON that was pasted starts in a line, and where it ends. Short JSON in a sentence was typed.
    #[inline(never)]
    fn json(&mut self, line: &TypedLine<'_>) -> Option<(usize, usize)> {
        if self.cut == 0 {
            return None;
        }
        let seen = line.seen.as_ptr() as usize - self.text.as_ptr() as usize;
        let from = pasted_json::start(self.text, seen, seen + line.seen.len())?;
        let Some(end) = pasted_json::end(self.text, from) else {
            self.cut -= 1;
            return (from == seen).then_some((from, line.next));
        };
        let last = TypedLine::at(self.text, end).map_or(self.text.len(), |rest| rest.next);
        let goes_on = !text::between(self.text, end, last).trim_matches(is_unseen).is_empty();
        let is_alone = from == seen && !goes_on;
        if !is_alone && end <= line.next && end - from <= pasted_json::LONGEST_TYPED {
            return None;
        }
        // Each time, all of the rest of the line is looked at.
        let reads_on = goes_on && self.resumed > 0;
        self.resumed -= usize::from(reads_on);
        Some((from, if reads_on { end } else { last }))
    }

    /// The position of one of our markers in a line. The notice of a gap does not count: then we cut the typed text.
    #[inline(never)]
    fn marker(&self, line: &TypedLine<'_>) -> Option<usize> {
        let whole = text::between(self.text, line.from, line.next);
        let places = whole.bytes().enumerate().filter(|(_, byte)| *byte == b'[');
        let ours = |at: usize| {
            let rest = text::between(whole, at, whole.len());
            markers::begins(rest) && Gap::begins(rest).is_none()
        };
        places.map(|(at, _)| at).find(|&at| ours(at)).map(|at| line.from + at)
    }

    /// Whether a mail with headers starts here.
    #[inline(never)]
    fn is_mail(&self, line: &TypedLine<'_>) -> bool {
        let Some(value) = header(line.seen) else { return false };
        value.contains('@') || self.line_after(line.next).is_some_and(|next| header(next.seen).is_some())
    }

    /// Whether a letter starts here: a greeting that comes after other text.
    #[inline(never)]
    fn greets(&self, line: &TypedLine<'_>) -> bool {
        is_greeting(line.seen)
            && self
                .typed
                .iter()
                .any(|&(from, to)| !text::between(self.text, from, to).trim_matches(is_unseen).is_empty())
            && self.line_after(line.next).is_some()
    }
}
