//! Finds in a text what has to be repeated exactly: URLs, e-mail addresses, paths, file names, hosts and ports, versions,
//! hex, numbers of orders, tickets and accounts, amounts, dates, error codes. One pass over the bytes.

use crate::text;

/// Endings that make a word with a dot the name of a file.
const FILES: &str = "py pyi js mjs cjs jsx ts tsx mts rs go c h cc cpp java kt rb php sh json jsonl yaml yml toml md txt cfg ini lock sql html css svg png jpg pdf csv log xml zip gz db env";
/// Endings that make it the name of a host.
const HOSTS: &str = "com org net io dev local internal";

/// Calls `each` with everything found, in order.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut url = false;
        while at < bytes.len() && (in_word(bytes, start, at) || url && b"&=?,;!*%#".contains(&bytes[at])) {
            url |= bytes[at..].starts_with(b"://");
            at += 1;
        }
        if at > start {
            let word = text::between(text, start, at);
            if url {
                each(trim(word))
            } else {
                pieces(word, each)
            }
            continue;
        }
        // "\n" in a text inside a text ends a word, and its letter begins none.
        let escape = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r'));
        at += 1 + usize::from(escape);
    }
}

/// Whether what was found is only an amount, a date, a version, a measure.
pub fn is_weak(found: &str) -> bool {
    let bytes = found.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let unit = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let date = bytes.len() > 7 && bytes[4] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit);
    let name =
        bytes[..bytes.len() - unit].iter().any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b',' | b'-' | b'+' | b'$'));
    date || !name && unit < 3 && !(unit == 0 && digits == bytes.len() && digits > 4)
}

fn in_word(bytes: &[u8], start: usize, at: usize) -> bool {
    match bytes[at] {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'/' | b':' | b'@' | b'~' | b'+' | b'-' => true,
        // Letters with accents, Greek, Cyrillic: languages that part their words.
        0xc3..=0xd3 => true,
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
    let word = word.trim_start_matches([':', '+', '-', ',']);
    word.trim_end_matches(['.', ':', ',', ';', '!', '?', '-', '+', '@', '/', '~', '='])
}

/// A word, taken apart at its colons unless they belong to it: `host:port`, `C:\…`.
fn pieces<'t>(mut word: &'t str, each: &mut dyn FnMut(&'t str)) {
    loop {
        word = trim(word);
        let Some(colon) = word.bytes().position(|byte| byte == b':') else { return one(word, each) };
        let (head, rest) = (text::between(word, 0, colon), text::between(word, colon + 1, word.len()));
        let number = rest.len() > 1 && rest.len() < 6 && rest.bytes().all(|byte| byte.is_ascii_digit());
        let host = !head.contains('/') && !ends_in(head, FILES) && (head.contains('.') || rest.len() > 3);
        if rest.starts_with('\\') || number && host && head.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            return each(word);
        }
        one(trim(head), each);
        word = rest;
    }
}

fn one<'t>(word: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = word.as_bytes();
    let count = |what: &dyn Fn(u8) -> bool| bytes.iter().filter(|&&byte| what(byte)).count();
    if bytes.len() < 2 {
        return;
    }
    let digits = count(&|byte| byte.is_ascii_digit());
    let letters = count(&|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let slashes = count(&|byte| byte == b'/');
    if slashes == 0
        && let Some((name, host)) = word.split_once('@')
    {
        if !name.is_empty() && host.contains('.') {
            return each(word);
        }
        one(name, each);
        return one(host, each);
    }
    if slashes > 0 {
        let rooted = matches!(bytes[0], b'/' | b'~' | b'.') && slashes > 1 || bytes[0] == b'~';
        if letters > 0 && (rooted || slashes > 1 || ends_in(word, FILES)) {
            return each(word);
        }
        return word.split('/').for_each(|part| one(part, each));
    }
    let upper = count(&|byte| byte.is_ascii_uppercase());
    let ticket = upper > 1
        && digits > 0
        && word.split_once('-').is_some_and(|(key, number)| key.len() == upper && number.len() == digits);
    let code = digits == 0
        && bytes.len() > 4
        && letters == upper
        && (word.contains('_') || bytes[0] == b'E' && word != "ERROR");
    let found = digits > 2 && bytes.len() > 3
        || digits > 0 && matches!(bytes[0], b'#' | b'$')
        || ticket
        || code
        || letters > 0 && (ends_in(word, FILES) || ends_in(word, HOSTS))
        || bytes.len() > 7 && (word.ends_with("Error") || word.ends_with("Exception"));
    if found {
        each(word);
    }
}

/// Whether the last part of a word is one of these endings.
fn ends_in(word: &str, endings: &str) -> bool {
    word.rsplit_once('.')
        .is_some_and(|(name, last)| !name.is_empty() && endings.split(' ').any(|ending| ending == last))
}
