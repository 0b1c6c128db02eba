//! The values of a record: of a text in JSON what stands in it, without the keys, and the numbers, dates and times among
//! that.

use crate::base::text;

/// Where a part of a text that may be JSON stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// Between quotation marks.
    Quoted,
    /// Behind a key that names an amount.
    Amount,
    /// Anywhere else.
    Free,
}

impl Stands {
    /// What stands behind a key.
    pub fn behind(key: &str) -> Self {
        if AMOUNTS.iter().any(|name| key.ends_with(name)) { Self::Amount } else { Self::Free }
    }
}

/// How keys of amounts end.
const AMOUNTS: [&str; 7] = ["price", "amount", "total", "balance", "cost", "fee", "fare"];

/// Calls `each` with what a text that may be JSON says, and where that stands: its values, not the keys; any other text as
/// it is.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str, Stands)) {
    let bytes = text.as_bytes();
    if !begins_json(text.trim_start().as_bytes()) || text::find(text, "\":").is_none() {
        return each(text, Stands::Free);
    }
    let (mut at, mut from) = (0, 0);
    let mut stands = Stands::Free;
    while at < bytes.len() {
        if bytes[at] != b'"' {
            at += 1;
            continue;
        }
        let start = at + 1;
        let mut end = start;
        while end < bytes.len() && bytes[end] != b'"' {
            end += 1 + usize::from(bytes[end] == b'\\');
        }
        let end = end.min(bytes.len());
        let after = bytes.get(end + 1..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
        each(text::between(text, from, at), stands);
        let quoted = text::between(text, start, end);
        if after == Some(&b':') {
            stands = Stands::behind(quoted);
        } else {
            each(quoted, Stands::Quoted);
            stands = Stands::Free;
        }
        at = end + 1;
        from = at.min(bytes.len());
    }
    each(text::between(text, from, bytes.len()), stands);
}

/// Whether a text begins like an object or a list: in a line such as `[File: a.py]` a word comes next.
fn begins_json(text: &[u8]) -> bool {
    let next = text.get(1..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
    match (text.first(), next) {
        (Some(b'{'), Some(b'"' | b'\'')) => true,
        (Some(b'['), Some(next)) => matches!(next, b'{' | b'[' | b'"' | b'\'' | b'-' | b'0'..=b'9'),
        _ => false,
    }
}

/// Calls `each` with the numbers, dates and times in a part of a record: a text of it as a whole, or what stands between
/// its texts.
pub fn each_number<'t>(part: &'t str, stands: Stands, each: &mut dyn FnMut(&'t str)) {
    // Most smaller numbers count or number something; of an amount two digits are worth as much as three.
    let least = if stands == Stands::Amount { 2 } else { 3 };
    if stands == Stands::Quoted {
        return value(part, least, each);
    }
    let bytes = part.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && matches!(bytes[at], b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E') {
            at += 1;
        }
        if at > start {
            value(text::between(part, start, at), least, each);
        } else {
            at += 1;
        }
    }
}

/// Bytes of the longest number, date or time.
const VALUE: usize = 32;

/// A number of `least` digits and more, one with a fraction, a date or a time, if the text is one and nothing else.
fn value<'t>(whole: &'t str, least: usize, each: &mut dyn FnMut(&'t str)) {
    let bytes = whole.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let plain =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':' | b'T' | b'Z' | b'+' | b' ' | b'/');
    if digits < 2 || bytes.len() > VALUE || !bytes[0].is_ascii_digit() && bytes[0] != b'-' || !bytes.iter().all(plain) {
        return;
    }
    let from = usize::from(bytes[0] == b'-');
    let whole = text::between(whole, from, bytes.len());
    let number = whole.strip_suffix(".0").unwrap_or(whole);
    if digits >= least + usize::from(number.len() < whole.len()) || number.contains('.') {
        each(number);
    }
}

/// Whether a text of a record is a name as a whole: a code in capitals (`JFK`), or words that all begin with one.
pub fn is_label(value: &str) -> bool {
    let code = (2..6).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_uppercase());
    let capital = |word: &str| {
        word.len() > 2
            && word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte >= 0x80)
    };
    code || value.len() <= LABEL && value.split(' ').all(capital)
}

/// Bytes of a text in a record that is a name as a whole.
const LABEL: usize = 32;
