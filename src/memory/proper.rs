//! What only a text in words has: dates in words, quoted phrases, words that begin like names.

use crate::base::text;
use crate::memory::scan::has_humps;

/// Calls `each` with dates in words ("May 20, 2024") and times of day ("7:00 AM").
pub fn each_date<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    for at in 0..bytes.len() {
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] < 0x80;
        if !begins {
            continue;
        }
        if bytes[at].is_ascii_uppercase() {
            let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let month = is_month(text::between(text, at, at + length));
            let day = if month && bytes.get(at + length) == Some(&b' ') { digits(at + length + 1) } else { 0 };
            if day == 1 || day == 2 {
                let mut end = at + length + 1 + day;
                if bytes[end..].starts_with(b", ") && digits(end + 2) == 4 {
                    end += 6;
                }
                each(text::between(text, at, end));
            }
        } else if bytes[at].is_ascii_digit() {
            let hours = digits(at);
            if hours < 3 && bytes.get(at + hours) == Some(&b':') && digits(at + hours + 1) == 2 {
                let end = at + hours + 3;
                let half = bytes[end..].starts_with(b" AM") || bytes[end..].starts_with(b" PM");
                if bytes.get(end) != Some(&b':') {
                    each(text::between(text, at, if half { end + 3 } else { end }));
                }
            }
        }
    }
}

/// Whether a word begins like the name of a month in the languages that begin them alike.
fn is_month(word: &str) -> bool {
    const MONTHS: [&str; 15] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mai", "Okt", "Dez"];
    MONTHS.iter().any(|month| word.starts_with(month))
}

/// Calls `each` with the phrases of a text: two words and more in a line between backticks or quotation marks, without
/// what only code has.
pub fn each_phrase<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    for mark in ['`', '"'] {
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
    let mut at = 0;
    // Whether the word before allows a name here: it ends no sentence.
    let mut inside = false;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            // 「…」, 《…》, “…”
            if bytes[at] == 0xe3
                && (bytes[at..].starts_with("「".as_bytes()) || bytes[at..].starts_with("《".as_bytes()))
            {
                let rest = text::between(text, at + 3, text.len());
                if let Some(end) = rest.find(['」', '》']).filter(|&end| end < QUOTED) {
                    each(text::between(rest, 0, end));
                }
            }
            inside = match bytes[at] {
                b' ' => inside,
                b'-' | b'\'' | b'(' | b'/' => inside,
                _ => false,
            };
            at += 1;
            continue;
        }
        let start = at;
        let mut end = word_end(bytes, at);
        let capital =
            |at: usize| bytes[at].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if inside && capital(start) && end > start + 2 {
            while bytes.get(end) == Some(&b' ') && end + 2 < bytes.len() && capital(end + 1) && end - start < QUOTED {
                end = word_end(bytes, end + 1);
            }
            let name = text::between(text, start, end);
            // The month of a date is no name.
            let dated = bytes.get(end) == Some(&b' ') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            if !(dated && is_month(name)) {
                each(name);
            }
        }
        inside = true;
        at = end;
    }
}

/// Bytes of a name of several words.
const QUOTED: usize = 48;

fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80).count()
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
