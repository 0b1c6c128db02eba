//! What only a text in words has: dates in words, quoted phrases, words that begin like names.

use crate::base::text;
use crate::memory::scan::has_humps;

/// Calls `each` with dates in words ("May 20, 2024") and times of day ("7:00 AM").
pub fn each_date<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut from = 0;
    // Both have digits, which most of a text has not.
    while let Some(at) = bytes[from..].iter().position(u8::is_ascii_digit).map(|next| from + next) {
        let count = digits(at);
        from = at + count;
        if !is_word_start(bytes, at) {
            continue;
        }
        let end = at + count;
        if let Some(month) = month_before(text, at).filter(|_| count < 3) {
            let year = bytes[end..].starts_with(b", ") && digits(end + 2) == 4;
            each(text::between(text, month, if year { end + 6 } else { end }));
        }
        // The seconds of a longer time are none.
        let opens = count < 3 && (at == 0 || bytes[at - 1] != b':');
        if opens && bytes.get(end) == Some(&b':') && digits(end + 1) == 2 {
            let end = end + 3;
            let half = bytes[end..].starts_with(b" AM") || bytes[end..].starts_with(b" PM");
            if bytes.get(end) != Some(&b':') {
                each(text::between(text, at, if half { end + 3 } else { end }));
            }
        }
    }
}

/// Whether a text ends in the month and the day of a date whose year comes next: "on May 20, ".
pub fn ends_in_day(text: &str) -> bool {
    let Some(rest) = text.strip_suffix(", ") else { return false };
    let digits = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..3).contains(&digits) && month_before(rest, rest.len() - digits).is_some()
}

/// Whether the byte before a place belongs to no word.
fn is_word_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || !is_in_word(bytes[at - 1])
}

/// Where the name of a month begins that stands before a place, with a blank between.
fn month_before(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = at.checked_sub(1).filter(|&end| bytes[end] == b' ')?;
    let length = bytes[..end].iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let start = end - length;
    (is_word_start(bytes, start) && is_month(text::between(text, start, end))).then_some(start)
}

/// Whether a word begins like the name of a month in the languages that begin them alike.
fn is_month(word: &str) -> bool {
    const MONTHS: [&str; 15] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mai", "Okt", "Dez"];
    word.starts_with(|first: char| first.is_ascii_uppercase()) && MONTHS.iter().any(|month| word.starts_with(month))
}

/// Calls `each` with the phrases of a text: two words and more in a line between backticks or quotation marks, without
/// what only code has.
pub fn each_phrase<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    for mark in ["`", "\""] {
        if text::find(text, mark).is_none() {
            continue;
        }
        for line in text.split('\n') {
            // What is behind the last mark stands between no two of them.
            let marks = line.matches(mark).count();
            let quoted = line.split(mark).take(marks).skip(1).step_by(2);
            quoted.filter(|quoted| is_phrase(quoted)).for_each(&mut *each);
        }
    }
}

fn is_phrase(quoted: &str) -> bool {
    let words = quoted.split(' ').filter(|word| word.len() > 1).count();
    // A comma ends a name where names are listed.
    let plain = |byte: u8| !b"{};=<>\\|,".contains(&byte);
    words > 1 && quoted.len() <= PHRASE && quoted.trim() == quoted && quoted.bytes().all(plain)
}

/// Bytes of the longest phrase.
const PHRASE: usize = 60;

/// Calls `each` with the words of a text that begin like a name in the middle of a sentence, what follows them alike with
/// them, and with what stands between the quotation marks of Chinese and Japanese.
pub fn each_proper<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let capital = |at: usize| bytes[at].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    let may_begin = |byte: &u8| byte.is_ascii_uppercase() || *byte == MARK;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(may_begin).map(|next| from + next) {
        from = at + 1;
        // 「…」, 《…》
        if bytes[at] == MARK {
            if bytes[at..].starts_with("「".as_bytes()) || bytes[at..].starts_with("《".as_bytes()) {
                // The mark that ends it begins within so many bytes.
                let rest = text::between(text, at + 3, text::floor(text, at + 3 + QUOTED + 2));
                if let Some(end) = rest.find(['」', '》']).filter(|&end| end < QUOTED) {
                    each(text::between(rest, 0, end));
                }
            }
            continue;
        }
        let may_be_name = capital(at) && goes_on(bytes, at);
        let mut end = if may_be_name { word_end(bytes, at) } else { at };
        if end <= at + 2 {
            continue;
        }
        while bytes.get(end) == Some(&b' ') && end + 2 < bytes.len() && capital(end + 1) && end - at < QUOTED {
            end = word_end(bytes, end + 1);
        }
        from = end;
        let name = text::between(text, at, end);
        // The month of a date is no name.
        let dated = bytes.get(end) == Some(&b' ') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(dated && is_month(name)) {
            each(name);
        }
    }
}

/// The first byte of the quotation marks of Chinese and Japanese.
const MARK: u8 = 0xe3;

/// Whether a word begins at a place and goes on a sentence: a word with a letter stands before it, and nothing between
/// them ends one.
fn goes_on(bytes: &[u8], at: usize) -> bool {
    let between = bytes[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'-' | b'\'' | b'(' | b'/')).count();
    let mut before = bytes[..at - between].iter().rev().take_while(|byte| is_in_word(**byte));
    between > 0 && before.any(u8::is_ascii_alphabetic)
}

/// Bytes of a name of several words.
const QUOTED: usize = 48;

fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_in_word(**byte)).count()
}

const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether a name ends in a year: the only one with a comma in it.
pub fn is_date(found: &str) -> bool {
    let year = found.split_once(", ").map_or("", |(_, year)| year);
    year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is made of words alone, of which only their first letters are capitals.
pub fn is_proper(found: &str) -> bool {
    // Scripts without capitals have no words that only begin like names.
    !found.starts_with(|first: char| first >= '\u{3000}')
        && !found.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation())
        && !has_humps(found.as_bytes())
        && found.bytes().any(|byte| byte.is_ascii_lowercase() || byte >= 0x80)
}
