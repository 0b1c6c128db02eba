//! Finds in a text what has to be repeated exactly: URLs, e-mail addresses, paths, file names, hosts and ports, versions,
//! hex, numbers of orders, tickets and accounts, amounts, dates, error codes. One pass over the bytes.

use crate::text;

/// Endings that make a word with a dot the name of a file.
const FILES: &str = " py pyi js mjs cjs jsx ts tsx mts rs go c h cc cpp java kt rb php sh json jsonl yaml yml toml md txt cfg ini lock sql html css svg png jpg pdf csv log xml zip gz db env ";
/// Endings that make it the name of a host.
const HOSTS: &str = " com org net io dev local internal ";

/// Calls `each` with everything found, in order.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        // Most words are letters alone, and nothing behind them can belong to them.
        while at < bytes.len() && KINDS[usize::from(bytes[at])] & (WORD | OTHER) == WORD {
            at += 1;
        }
        let letters = at > start && at < bytes.len() && KINDS[usize::from(bytes[at])] & (WORD | LETTER) == 0;
        if !letters {
            at = start;
        }
        // What the word holds, its last byte left out: that is no part of it if it only ends the sentence.
        let (mut kinds, mut last) = (0, 0);
        let mut url = false;
        while !letters && at < bytes.len() {
            let kind = KINDS[usize::from(bytes[at])];
            if kind & WORD == 0 && !joins(bytes, start, at) && !(url && b"&=?,;!*%#".contains(&bytes[at])) {
                break;
            }
            url |= kind & COLON != 0 && bytes[at..].starts_with(b"://");
            kinds |= last;
            last = kind;
            at += 1;
        }
        if at > start {
            let end = at - usize::from(last & ENDS != 0);
            if url {
                each(trim(text::between(text, start, at)))
            } else if kinds & OTHER != 0 || last & (OTHER | ENDS) == OTHER || may_stand_out(bytes, start, end) {
                pieces(text::between(text, start, at), each)
            }
            continue;
        }
        // "\n" in a text inside a text ends a word, and its letter begins none.
        let escape = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r'));
        at += 1 + usize::from(escape);
    }
}

/// What a byte is; most words hold nothing but letters, and are seen through by this alone.
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        let code = byte as u8;
        if code.is_ascii_alphabetic() || code >= 0x80 {
            kinds[byte] = LETTER;
        }
        // Among them letters with accents, Greek, Cyrillic: languages that part their words.
        if code.is_ascii_alphanumeric()
            || matches!(code, b'.' | b'_' | b'/' | b':' | b'@' | b'~' | b'+' | b'-' | 0xc3..=0xd3)
        {
            kinds[byte] |= WORD;
        }
        if code.is_ascii_uppercase() {
            kinds[byte] |= UPPER;
        }
        if code.is_ascii_digit() {
            kinds[byte] |= DIGIT;
        }
        if code == b'/' {
            kinds[byte] |= SLASH;
        }
        if code == b':' {
            kinds[byte] |= COLON;
        }
        if matches!(code, b'.' | b':' | b',' | b';' | b'!' | b'?' | b'-' | b'+' | b'@' | b'/' | b'~' | b'=') {
            kinds[byte] |= ENDS;
        }
        byte += 1;
    }
    kinds
};
/// Belongs to a word wherever it stands.
const WORD: u8 = 1;
const LETTER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;
const SLASH: u8 = 16;
const COLON: u8 = 32;
/// Ends no name.
const ENDS: u8 = 64;
/// No letter.
const OTHER: u8 = 128;

/// Whether a word of letters alone may be found: the name of an error, or one in capitals.
fn may_stand_out(bytes: &[u8], start: usize, end: usize) -> bool {
    end > start + 4 && (bytes[start] == b'E' || matches!(bytes[end - 1], b'r' | b'n') && end > start + 7)
}

/// Whether what was found is only an amount, a date, a version, a measure.
pub fn is_weak(found: &str) -> bool {
    let bytes = found.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let unit = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let date = bytes.len() > 7 && bytes[4] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit);
    let name = bytes[..bytes.len() - unit]
        .iter()
        .any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b',' | b'-' | b'+' | b'$' | b'~'));
    date || !name && unit < 3 && !(unit == 0 && digits == bytes.len() && digits > 4)
}

/// Whether a byte belongs to the word that began at `start` because of what stands beside it.
fn joins(bytes: &[u8], start: usize, at: usize) -> bool {
    match bytes[at] {
        0x80..=0xbf => at > start && matches!(bytes[at - 1], 0xc3..=0xd3),
        b'#' | b'$' => at == start,
        // Thousands.
        b',' => at > start && bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
        // Behind a drive's letter.
        b'\\' => at > start + 1 && bytes[start + 1] == b':',
        _ => false,
    }
}

fn trim(word: &str) -> &str {
    let bytes = word.as_bytes();
    let (mut start, mut end) = (0, bytes.len());
    while start < end && matches!(bytes[start], b':' | b'+' | b'-' | b',') {
        start += 1;
    }
    while start < end && KINDS[usize::from(bytes[end - 1])] & ENDS != 0 {
        end -= 1;
    }
    text::between(word, start, end)
}

/// A word, taken apart at its colons unless they belong to it: `host:port`, `C:\…`.
fn pieces<'t>(mut word: &'t str, each: &mut dyn FnMut(&'t str)) {
    loop {
        word = trim(word);
        let Some(colon) = word.bytes().position(|byte| byte == b':') else { return one(word, each) };
        let (head, rest) = (text::between(word, 0, colon), text::between(word, colon + 1, word.len()));
        let number = rest.len() > 1 && rest.len() < 6 && rest.bytes().all(|byte| byte.is_ascii_digit());
        let host = !head.contains('/') && !ends_in(head.as_bytes(), FILES) && (head.contains('.') || rest.len() > 3);
        if rest.starts_with('\\') || number && host && head.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            return each(word);
        }
        one(trim(head), each);
        word = rest;
    }
}

fn one<'t>(word: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = word.as_bytes();
    if bytes.len() < 2 {
        return;
    }
    let (mut digits, mut letters, mut upper, mut slashes) = (0, 0, 0, 0);
    for &byte in bytes {
        let kind = KINDS[usize::from(byte)];
        digits += usize::from(kind & DIGIT != 0);
        letters += usize::from(kind & LETTER != 0);
        upper += usize::from(kind & UPPER != 0);
        slashes += usize::from(kind & SLASH != 0);
    }
    let place = |what: u8| bytes.iter().position(|&byte| byte == what);
    if slashes == 0
        && let Some(at) = place(b'@')
    {
        let (name, host) = (text::between(word, 0, at), text::between(word, at + 1, word.len()));
        if at > 0 && host.as_bytes().contains(&b'.') {
            return each(word);
        }
        one(name, each);
        return one(host, each);
    }
    if slashes > 0 {
        let rooted = matches!(bytes[0], b'/' | b'~' | b'.') && slashes > 1 || bytes[0] == b'~';
        if letters > 0 && (rooted || slashes > 1 || ends_in(bytes, FILES)) {
            return each(word);
        }
        return word.split('/').for_each(|part| one(part, each));
    }
    let ticket = || upper > 1 && digits > 0 && upper + digits + 1 == bytes.len() && place(b'-') == Some(upper);
    let code = || {
        digits == 0
            && bytes.len() > 4
            && letters == upper
            // ECONNRESET is one; EXACTLY, EVERY, ERRORS are words.
            && (bytes.contains(&b'_') || bytes[0] == b'E' && !b"LVX".contains(&bytes[1]) && !word.starts_with("ERR"))
    };
    let found = digits > 2 && bytes.len() > 3
        || digits > 0 && matches!(bytes[0], b'#' | b'$')
        || ticket()
        || code()
        || letters > 0 && (ends_in(bytes, FILES) || ends_in(bytes, HOSTS))
        || bytes.len() > 7 && (bytes.ends_with(b"Error") || bytes.ends_with(b"Exception"));
    if found {
        each(word);
    }
}

/// Whether the last part of a word is one of these endings.
fn ends_in(word: &[u8], endings: &str) -> bool {
    let dot = word.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
    let Some(dot) = dot else { return false };
    let (ending, endings) = (&word[dot + 1..], endings.as_bytes());
    // Spaces stand around each of them.
    (1..endings.len().saturating_sub(ending.len()))
        .any(|at| endings[at - 1] == b' ' && endings[at..].starts_with(ending) && endings[at + ending.len()] == b' ')
}
