//! Lines at which pasted text begins: fences, headers of mails, greetings, speakers, and what announces a text.

use crate::base::headings::{KEPT, NOTHING, OPENING};
use crate::base::quoting::is_unseen;
use crate::base::{phrases, text};
use crate::ingest::documents::OWN;

/// Returns the rest of a text that starts with a word, ignoring case.
fn starts_with<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// The mark of a code fence, and how often it is repeated.
pub(super) fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|&char| char == mark).count();
    // Inline code may be enclosed by as many marks.
    let inline = mark == '`' && text::between(line, length, line.len()).contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// Whether only we write such a line.
pub(super) fn is_ours(line: &str) -> bool {
    [OPENING, NOTHING, KEPT].iter().any(|start| line.starts_with(start))
}

/// The starts of lines that precede a forwarded mail.
const FORWARDS: &str = include_str!("phrases/forwards.txt");
/// The ends, before a colon, of lines that name the author of a quotation.
const WROTE: &str = include_str!("phrases/wrote.txt");

#[inline(never)]
pub(super) fn forwards(line: &str) -> bool {
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
pub(super) fn speaks(line: &str) -> bool {
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
pub(super) fn may_have_colon(line: &str) -> bool {
    line.bytes().any(|byte| matches!(byte, b':' | 0xef))
}

/// The value of a mail header, if the line is one.
pub(super) fn header(line: &str) -> Option<&str> {
    if !may_have_colon(line) {
        return None;
    }
    let line = line.trim_start_matches(['*', '-', ' ']);
    let (name, value) = line.split_once([':', '：'])?;
    let name = name.trim_end_matches(['*', ' ']);
    if name.len() > LONGEST_HEADER {
        return None;
    }
    let name = text::lower_case(name);
    phrases::holds(HEADERS, &name).then_some(value).filter(|value| !value.trim_matches(is_unseen).is_empty())
}

/// The greetings of letters.
const GREETINGS: &str = include_str!("phrases/greetings.txt");
/// The most bytes of a greeting.
const LONGEST_GREETING: usize = 80;

/// Whether a line greets somebody, as a letter does.
pub(super) fn is_greeting(line: &str) -> bool {
    let greets = || {
        let start = text::lower_case(line);
        phrases::each(GREETINGS).any(|word| {
            start.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        })
    };
    line.len() <= LONGEST_GREETING && line.ends_with([',', '!', ':', '，', '：', '、', '،']) && greets()
}

/// Verbs that ask to process a text that follows. They need no noun.
const VERBS: &str = include_str!("phrases/processing_verbs.txt");
/// Words that point to a text, and nouns for a text. A line with one of each announces a text.
const POINTERS: &str = include_str!("phrases/text_pointers.txt");
const NOUNS: &str = include_str!("phrases/text_nouns.txt");

/// The most bytes of a sentence that announces a text.
const LONGEST_SENTENCE: usize = 400;

/// The end of the colon after which a line announces a text.
#[inline(never)]
pub(super) fn material(line: &str) -> Option<usize> {
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
    let sentence = text::lower_case(sentence);
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
