//! An error as a row of words, numbers and signs.

/// The most bytes of an error that are read, from its start: what is wrong is said first.
const READ: usize = 16_000;

/// A part of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A word in small letters. Identifiers are parted at `_` and at capital letters: of `max_tokens` the second word is
    /// `joined`.
    Word {
        /// Its letters.
        text: String,
        /// It continues the identifier that the word before it began.
        joined: bool,
    },
    /// A whole number, with or without thousands separators.
    Number(u64),
    /// A number that is not exact: `128k`.
    About(u64),
    /// What looks like a number and is none: `1,2`.
    Figure,
    /// `>`, `<` (both also where `=` follows), `+`, `[`, `]`, `(`, `)`, `:` or `,`.
    Sign(u8),
    /// A sentence, a paragraph or a member of an object ends.
    End,
}

impl Item {
    /// Its letters, if it is a word.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it continues an identifier.
    pub const fn is_joined(&self) -> bool {
        matches!(self, Self::Word { joined: true, .. })
    }
}

/// Takes an error apart.
pub fn items(text: &str) -> Vec<Item> {
    let bytes = &unescaped(&text.as_bytes()[..text.len().min(READ)])[..];
    let mut items: Vec<Item> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        if let Some(end) = end_of_path(bytes, at) {
            at = end;
            continue;
        }
        if is_letter(byte) || byte.is_ascii_digit() {
            let end = end_of_run(bytes, at);
            read_run(&bytes[at..end], &mut items);
            at = end;
            continue;
        }
        let is_last = next.is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b'"' | b'\'' | b')'));
        match byte {
            b'.' | b'!' | b'?' if is_last => items.push(Item::End),
            // A line alone may be the terminal's.
            b'\n' if next == Some(&b'\n') => items.push(Item::End),
            b'{' | b'}' | b';' => items.push(Item::End),
            // Between members of an object.
            b',' if matches!(next, Some(b'"' | b'\'')) || matches!(bytes[..at].last(), Some(b'"' | b'\'')) => {
                items.push(Item::End);
            }
            // `<400>` is a status.
            b'<' if !matches!(next, Some(b'=' | b' ')) => {}
            b'>' | b'<' | b'+' | b'[' | b']' | b'(' | b')' | b':' | b',' => items.push(Item::Sign(byte)),
            _ => {}
        }
        at += 1;
    }
    items
}

/// A text as it was before it was put into JSON, however often: proxies quote the error of the server behind them, which
/// quotes another.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'\\' {
            plain.push(*first);
            continue;
        }
        while let [b'\\', behind @ ..] = rest {
            rest = behind;
        }
        let blank = match rest.first() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            _ => continue,
        };
        plain.push(blank);
        rest = &rest[1..];
    }
    plain
}

/// Where an address or a path ends that begins at a place: what it names is not said. `and/or` is none.
fn end_of_path(bytes: &[u8], from: usize) -> Option<usize> {
    let is_inside = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b')');
    if from > 0 && is_inside(&bytes[from - 1]) && !matches!(bytes[from - 1], b'(' | b'[' | b'=') {
        return None;
    }
    let chunk = bytes[from..].iter().take_while(|byte| is_inside(byte)).count();
    let chunk = &bytes[from..from + chunk];
    let slashes = chunk.iter().filter(|&&byte| byte == b'/').count();
    (slashes > 1 || chunk.len() > 1 && chunk[0] == b'/').then_some(from + chunk.len())
}

/// Letters of other scripts are letters, so that no English word is found inside a word of another language.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 128
}

/// Where letters and digits end that belong together: words, numbers with separators, names such as `gpt-4.1`.
fn end_of_run(bytes: &[u8], from: usize) -> usize {
    let goes_on = |at: usize| bytes.get(at).is_some_and(|&byte| is_letter(byte) || byte.is_ascii_digit());
    let mut at = from;
    while goes_on(at) {
        at += 1;
        let joins = match bytes.get(at) {
            Some(b'-' | b'.' | b':' | b'/') => bytes[from..at].iter().any(u8::is_ascii_digit) || bytes[at] == b'-',
            Some(b',') => bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            _ => false,
        };
        if joins && goes_on(at + 1) {
            at += 1;
        }
    }
    at
}

/// Adds a run: a number, what looks like one, or the words of an identifier.
fn read_run(run: &[u8], items: &mut Vec<Item>) {
    if run[0].is_ascii_digit() {
        if let Some(number) = number(run) {
            items.push(Item::Number(number));
        } else if let Some(thousands) = run.strip_suffix(b"k").or(run.strip_suffix(b"K")).and_then(number) {
            items.push(Item::About(thousands.saturating_mul(1_000)));
        } else if run.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'_')) {
            items.push(Item::Figure);
        }
        // Anything else is an id, a date or a version.
        return;
    }
    let mut joined = false;
    for part in run.split(|byte| matches!(byte, b'_' | b'-' | b'.' | b':' | b'/')) {
        let mut start = 0;
        for at in 1..=part.len() {
            let is_upper = |at: usize| part.get(at).is_some_and(u8::is_ascii_uppercase);
            let is_lower = |at: usize| part.get(at).is_some_and(u8::is_ascii_lowercase);
            let begins = is_upper(at) && (is_lower(at - 1) || is_upper(at - 1) && is_lower(at + 1));
            if at < part.len() && !begins {
                continue;
            }
            let text = String::from_utf8_lossy(&part[start..at]).to_ascii_lowercase();
            items.push(Item::Word { text, joined });
            (start, joined) = (at, true);
        }
    }
}

/// The whole number that digits with or without thousands separators are.
fn number(run: &[u8]) -> Option<u64> {
    let mut groups = run.split(|byte| matches!(byte, b',' | b'_'));
    let first = groups.next()?;
    let parted = run.len() > first.len();
    let fits = |group: &[u8]| group.len() == 3 && group.iter().all(u8::is_ascii_digit);
    if !first.iter().all(u8::is_ascii_digit) || parted && (first.len() > 3 || !groups.all(fits)) {
        return None;
    }
    let digits = run.iter().filter(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |value: u64, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
}
