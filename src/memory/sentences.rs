//! The sentences of a text, and which of them are questions or lines that a program printed.

use crate::base::text::{self, Starts};

/// Of a long text, which may be a paste, only its ends are looked at: that many bytes of each.
const LOOKED_AT: usize = 3_000;

/// The sentences of a text, in order; of a long one those at its ends.
pub fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    if text.len() <= 2 * LOOKED_AT {
        split_part(text, &mut out);
        return out;
    }
    // What is left out cuts a sentence on either side of it: those are no sentences.
    split_part(text::between(text, 0, text::floor(text, LOOKED_AT)), &mut out);
    out.pop();
    let first = out.len();
    split_part(text::between(text, text::ceil(text, text.len() - LOOKED_AT), text.len()), &mut out);
    if out.len() > first {
        out.remove(first);
    }
    out
}

/// Adds the sentences of a text.
fn split_part<'t>(part: &'t str, out: &mut Vec<&'t str>) {
    let (mut start, mut looked) = (0, 0);
    while looked < part.len() {
        // Bytes between the signs that may close a sentence are passed over.
        let sign = part.as_bytes()[looked..].iter().position(may_close).map_or(part.len(), |next| looked + next);
        let char = text::between(part, sign, part.len()).chars().next();
        let end = sign + char.map_or(0, char::len_utf8);
        looked = end;
        let closes = match char {
            Some('\n' | '\r' | '。' | '！' | '？' | '；' | '।' | '؟') => true,
            Some('.' | '!' | '?') => {
                !text::between(part, end, part.len()).starts_with(|next: char| !next.is_whitespace())
                    && !abbreviates(part, sign)
                    && !is_inside(part, start, sign)
            }
            _ => false,
        };
        if closes || end == part.len() {
            let sentence = text::between(part, start, end).trim();
            let is_comment = is_comment(sentence);
            let sentence = bare(sentence);
            if !sentence.is_empty() && !is_comment {
                out.push(sentence);
            }
            start = end;
        }
    }
}

/// Bytes within which a bracket closes that a sentence goes on behind.
const BRACKET: usize = 200;

/// Whether a place in a sentence that begins at `start` stands in a bracket that closes soon in the same line.
fn is_inside(text: &str, start: usize, at: usize) -> bool {
    let bytes = text.as_bytes();
    let opened = bytes[start.max(at.saturating_sub(BRACKET))..at].iter().rev().find(|byte| matches!(byte, b'(' | b')'));
    let mut rest = bytes[at + 1..].iter().take(BRACKET).take_while(|byte| **byte != b'\n');
    opened == Some(&b'(') && rest.find(|byte| matches!(byte, b'(' | b')')) == Some(&b')')
}

/// Whether a sign that closes a sentence may begin with this byte.
const fn may_close(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'.' | b'!' | b'?' | 0xd8 | 0xe0 | 0xe3 | 0xef)
}

/// Whether the point at a place only shortens a word: "e.g.", "No. 5", or counts: "1. ".
fn abbreviates(text: &str, at: usize) -> bool {
    let word = text::between(text, 0, at).rsplit([' ', '\n', '(']).next().unwrap_or_default();
    matches!(
        word,
        "e.g" | "i.e" | "etc" | "vs" | "No" | "Nr" | "z.B" | "d.h" | "bzw" | "p.ej" | "Mr" | "Mrs" | "Ms" | "Dr"
    ) || !word.is_empty() && word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line is a comment in code: a heading begins with a capital letter.
fn is_comment(line: &str) -> bool {
    line.strip_prefix("# ").is_some_and(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
}

/// A sentence without the sign of the list it stands in.
fn bare(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.len() + 1 < sentence.len() => rest,
        _ => sentence,
    };
    rest.trim_start_matches(['-', '*', '•', '–', ' ', '\t', '#'])
}

/// Whether a sentence is a question.
pub(super) fn asks(sentence: &str) -> bool {
    static POLITE: Starts<5> = Starts::new(["Could you ", "Can you ", "Would you ", "could you ", "can you "]);
    if POLITE.begin(sentence)
        && ["ensure", "make sure", "without "].iter().any(|part| text::find(sentence, part).is_some())
    {
        return false;
    }
    let end = sentence.trim_end_matches(['"', '\'', ')', '*', '”', '»', ' ']);
    end.ends_with(['?', '？', '؟', '吗', 'か']) || end.ends_with("か。")
}

/// Whether a line was printed by a program or is code: it begins like one, or holds more signs than words do.
pub(super) fn is_output(line: &str) -> bool {
    static STARTS: Starts<16> = Starts::new([
        "//", "/*", "#!", "$ ", ">>>", "+++", "---", "@@", "diff ", "INFO", "WARN", "ERROR", "DEBUG", "[", "at ",
        "self.",
    ]);
    let bytes = line.as_bytes();
    let (mut signs, mut marks) = (0, 0);
    for byte in bytes {
        marks |= SIGN_KINDS[usize::from(*byte)];
        signs += usize::from(SIGN_KINDS[usize::from(*byte)] & SIGN);
    }
    // key: Value
    let key = if marks & COLON > 0 { text::find(line, ": ") } else { None };
    let blanks = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b' ').count();
    let setting = key.is_some_and(|key| {
        key + 2 < line.len() && blanks(&bytes[..key]) == 0 && blanks(bytes) < 3 && !line.ends_with('.')
    });
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let numbered = digits > 0 && matches!(bytes.get(digits), Some(b':' | b'-' | b'|' | b'\t' | b'/'));
    numbered
        || is_statement(line)
        || setting
        || STARTS.begin(line)
        || marks & CODE > 0 && SIGNS.iter().any(|sign| text::find(line, sign).is_some())
        || calls(line)
        || signs * 8 > bytes.len()
}

/// Whether a line is a statement of a program: people begin sentences with the same words.
fn is_statement(line: &str) -> bool {
    // Most lines need not be looked at any further.
    if !matches!(line.as_bytes().first(), Some(b'c' | b'd' | b'f' | b'i' | b'r')) {
        return false;
    }
    let Some(end) = text::find(line, " ") else { return false };
    let (word, rest) = (text::between(line, 0, end), &line.as_bytes()[end + 1..]);
    let holds = |signs: &[u8]| rest.iter().any(|byte| signs.contains(byte));
    let joins = |part| text::find(line, part).is_some();
    let is_code = match word {
        "def" | "class" => holds(b"(") || matches!(rest.last(), Some(b':' | b'{')),
        "from" => return joins(" import "),
        "import" => holds(b"{\"'") || joins(" as "),
        "return" => holds(b"{[(\"=") || rest.last() == Some(&b';'),
        _ => return false,
    };
    is_code || !holds(b" ")
}

/// Whether a line ends with a call that is given a text: `raise ValueError("…")`, `mkdir(f'…')`.
fn calls(line: &str) -> bool {
    line.ends_with(')')
        && line.match_indices('(').any(|(at, _)| {
            let given = text::between(line, at + 1, line.len());
            let given = given.strip_prefix(['f', 'r', 'b']).unwrap_or(given);
            given.starts_with(['"', '\''])
                && text::between(line, 0, at).ends_with(|last: char| last.is_ascii_alphanumeric())
        })
}

/// Signs of code.
const SIGNS: [&str; 12] = ["()", "=>", "};", "{}", "</", "==", "->", "::", " = ", "();", " += ", " -= "];

/// Counts as a sign that few sentences have; begins a sign of code; a colon.
const SIGN: u8 = 1;
const CODE: u8 = 2;
const COLON: u8 = 4;

/// What each byte of a line is, as far as signs go.
const SIGN_KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let code = byte as u8;
        if code.is_ascii_punctuation() && !matches!(code, b'\'' | b'"' | b',' | b'.' | b'`' | b'!' | b'-' | b'_' | b'/')
        {
            kinds[byte] |= SIGN;
        }
        if code == b':' {
            kinds[byte] |= COLON;
        }
        byte += 1;
    }
    let mut at = 0;
    while at < SIGNS.len() {
        let sign = SIGNS[at].as_bytes();
        let first = if sign[0] == b' ' { sign[1] } else { sign[0] };
        kinds[first as usize] |= CODE;
        at += 1;
    }
    kinds
};
