//! Separates what a person typed in a message from what they pasted into it: quotations, code, mails, transcripts and
//! our own texts. Only typed text can state requirements, contain the user's own names, and show which language they
//! write in.
//!
//! A document without any frame is known by its shape ([`documents`]). Pasted text with a frame (a fence, quotation marks at the start of lines, a closed tag) ends with the frame, JSON with
//! its last bracket, and a line that a program printed with the line. The end of a mail, a transcript or one of our own
//! texts cannot be found reliably, because its author could imitate any end. So everything after its start counts as
//! pasted.

use crate::base::headings::{KEPT, NOTHING, OPENING};
use crate::base::quoting::{is_unseen, line_end};
use crate::base::{markers, phrases, text};
use crate::ingest::asides::{self, Aside};
use crate::ingest::documents::{self, OWN};
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
        let greeting = || {
            let start = lower_case(line.seen);
            phrases::each(GREETINGS).any(|word| {
                start
                    .strip_prefix(word)
                    .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
            })
        };
        line.seen.len() <= LONGEST_GREETING
            && line.seen.ends_with([',', '!', ':', '，', '：', '、', '،'])
            && greeting()
            && self
                .typed
                .iter()
                .any(|&(from, to)| !text::between(self.text, from, to).trim_matches(is_unseen).is_empty())
            && self.line_after(line.next).is_some()
    }
}

/// Converts a text to lower case.
fn lower_case(text: &str) -> String {
    text.chars().map(text::lower).collect()
}

/// Returns the rest of a text that starts with a word, ignoring case.
fn starts_with<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// The mark of a code fence, and how often it is repeated.
fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|&char| char == mark).count();
    // Inline code may be enclosed by as many marks.
    let inline = mark == '`' && text::between(line, length, line.len()).contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// Whether only we write such a line.
fn is_ours(line: &str) -> bool {
    [OPENING, NOTHING, KEPT].iter().any(|start| line.starts_with(start))
}

/// The starts of lines that precede a forwarded mail.
const FORWARDS: &str = include_str!("phrases/forwards.txt");
/// The ends, before a colon, of lines that name the author of a quotation.
const WROTE: &str = include_str!("phrases/wrote.txt");

#[inline(never)]
fn forwards(line: &str) -> bool {
    let line = line.trim_start_matches('*');
    let may_start = line.starts_with(['-', '_', 'b', 'B']);
    if may_start && phrases::each(FORWARDS).any(|start| starts_with(line, start).is_some()) {
        return true;
    }
    // "On 3 May 2024, Ann wrote:". In German, the name comes after the verb.
    let dated = line.bytes().any(|byte| byte.is_ascii_digit()) || line.contains('@');
    let start = line.trim_end_matches([':', '：', ' ', '\u{a0}']);
    dated
        && start.len() < line.len()
        && phrases::each(WROTE).any(|word| start.ends_with(word) || text::find(start, &format!(" {word} ")).is_some())
}

/// Whether a line starts like a line of a transcript.
#[inline(never)]
fn speaks(line: &str) -> bool {
    const SPEAKERS: [&str; 3] = ["user", "assistant", "human"];
    SPEAKERS.iter().any(|who| {
        starts_with(line, who).is_some_and(|rest| rest.trim_start_matches(is_unseen).starts_with([':', '：']))
    })
}

/// The names of mail headers.
const HEADERS: &str = include_str!("phrases/mail_headers.txt");

/// The most bytes of the name of a header.
const LONGEST_HEADER: usize = 24;

/// Whether a line holds the first byte of one of the characters that are a colon. Most lines do not, and to look for
/// characters takes much longer.
fn may_have_colon(line: &str) -> bool {
    line.bytes().any(|byte| matches!(byte, b':' | 0xef))
}

/// The value of a mail header, if the line is one.
fn header(line: &str) -> Option<&str> {
    if !may_have_colon(line) {
        return None;
    }
    let line = line.trim_start_matches(['*', '-', ' ']);
    let (name, value) = line.split_once([':', '：'])?;
    let name = name.trim_end_matches(['*', ' ']);
    if name.len() > LONGEST_HEADER {
        return None;
    }
    let name = lower_case(name);
    phrases::holds(HEADERS, &name).then_some(value).filter(|value| !value.trim_matches(is_unseen).is_empty())
}

/// The greetings of letters.
const GREETINGS: &str = include_str!("phrases/greetings.txt");
/// The most bytes of a greeting.
const LONGEST_GREETING: usize = 80;

/// Verbs that ask to process a text that follows. They need no noun.
const VERBS: &str = include_str!("phrases/processing_verbs.txt");
/// Words that point to a text, and nouns for a text. A line with one of each announces a text.
const POINTERS: &str = include_str!("phrases/text_pointers.txt");
const NOUNS: &str = include_str!("phrases/text_nouns.txt");

/// The most bytes of a sentence that announces a text.
const LONGEST_SENTENCE: usize = 400;

/// The end of the colon after which a line announces a text.
#[inline(never)]
fn material(line: &str) -> Option<usize> {
    let (colon, length) = line
        .char_indices()
        .filter(|&(at, char)| char == '：' || char == ':' && line[at + 1..].chars().next().is_none_or(is_unseen))
        .map(|(at, char)| (at, char.len_utf8()))
        .next()?;
    let end = colon + length;
    let before = text::between(line, 0, colon);
    // Only the sentence that ends here counts.
    let sentence = before
        .rfind(['.', '!', '?', '。', '！', '？'])
        .map_or(before, |at| text::between(before, text::ceil(before, at + 1), before.len()));
    if sentence.len() > LONGEST_SENTENCE {
        return None;
    }
    let sentence = lower_case(sentence);
    let pairs = Pairs::of(&sentence);
    let has = |words: &'static str| {
        phrases::each(words).any(|word| pairs.may_hold(word) && text::find(&sentence, word).is_some())
    };
    if has(OWN) {
        return None;
    }
    let last = end == line.len();
    (has(VERBS) || last && has(POINTERS) && has(NOUNS)).then_some(end)
}

/// The pairs of neighbouring bytes of a text, by their hashes: of a hundred phrases most are ruled out by their first pair.
struct Pairs([u64; 16]);

impl Pairs {
    fn of(text: &str) -> Self {
        let mut all = [0; 16];
        for pair in text.as_bytes().windows(2) {
            let (at, bit) = Self::place(pair[0], pair[1]);
            all[at] |= bit;
        }
        Self(all)
    }

    fn may_hold(&self, phrase: &str) -> bool {
        let &[first, second, ..] = phrase.as_bytes() else { return true };
        let (at, bit) = Self::place(first, second);
        self.0[at] & bit != 0
    }

    fn place(first: u8, second: u8) -> (usize, u64) {
        let hash = (usize::from(first) * 37 + usize::from(second)) % 1024;
        (hash / 64, 1 << (hash % 64))
    }
}
