//! Names: what has to be repeated exactly, each with a few words around it. They come from calls, results and pasted
//! text; what a sentence says, the sentence itself shows.

use crate::base::distinct;
use crate::base::id_map::IdMap;
use crate::base::order;
use crate::base::text;
use crate::base::words::is_letter;
use crate::ingest::content::{ContentPart, Value};
use crate::memory::message::Message;
use crate::memory::records::leaves;
use crate::model::message::Role;

/// A name with a few words around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// As it stands in the text.
    pub text: String,
    /// The name with the words around it.
    pub context: String,
    /// The index of the last message that holds it.
    pub at: u64,
    /// In how many messages the assistant used it.
    pub used: u64,
    /// In how many messages it stands.
    pub seen: u64,
}

/// Bytes of the shortest and longest name.
const SHORTEST: usize = 3;
const LONGEST: usize = 120;
/// Bytes of a word before a name, and of the one behind it.
const BEFORE: usize = 24;
const AFTER: usize = 16;
/// Lines of a text that are read, and bytes of a line.
const LINES: usize = 600;
const LINE: usize = 4_000;
/// Names that are kept while messages are read, beyond which half of them go.
const MOST: usize = 20_000;
/// The age in messages at which a name counts half.
const HALF: u64 = 120;

impl Name {
    /// How much it is worth: what the assistant used and what came often and lately. In 1/1024.
    pub fn worth(&self, end: u64) -> u64 {
        let count = 10 + 25 * self.used.min(6) + 10 * self.seen.min(5);
        let age = end.saturating_sub(self.at + 1);
        count * 1024 * HALF / (HALF + age)
    }

    /// Bytes that it takes in a state.
    pub fn bytes(&self) -> usize {
        self.context.len() + 22 + if self.context.contains(&self.text) { 0 } else { self.text.len() }
    }
}

/// The names that were met, each once.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// In the order in which they were met first.
    pub all: Vec<Name>,
    numbers: IdMap,
}

impl Names {
    /// Those that are remembered.
    pub fn of(remembered: &[Name]) -> Self {
        let mut names = Self { all: remembered.to_vec(), numbers: IdMap::new(2 * remembered.len()) };
        names.number();
        names
    }

    fn number(&mut self) {
        self.numbers = IdMap::new(2 * self.all.len());
        for (number, name) in self.all.iter().enumerate() {
            self.numbers.insert(distinct::hash(&name.text), number as u64);
        }
    }

    /// Reads the names in the arguments of a call or in what a tool returned: each text in it with the name of the member
    /// it stands in.
    pub fn value(&mut self, at: u64, value: &Value, role: Role) {
        let used = role == Role::Assistant;
        leaves(value, "", &mut |key, text| {
            text.lines().take(LINES).for_each(|text| self.line(at, key, text, used));
        });
    }

    /// Reads the names in the texts of a message that are not the speaker's own.
    pub fn pasted(&mut self, message: &Message) {
        let used = message.content.role == Role::Assistant;
        for part in &message.content.parts {
            if let ContentPart::Text { text, .. } = part {
                text.lines().take(LINES).for_each(|text| self.line(message.index, "", text, used));
            }
        }
    }

    /// Drops the half that is worth least, where there are very many.
    pub fn bound(&mut self, end: u64) {
        if self.all.len() > MOST {
            order::by_key(&mut self.all, |name| (!name.worth(end)).into());
            self.all.truncate(MOST / 2);
            self.number();
        }
    }

    /// Reads the names of a line. `context` stands before it.
    fn line(&mut self, at: u64, context: &str, line: &str, used: bool) {
        let line = text::between(line, 0, text::floor(line, LINE));
        if !may_hold_one(line) {
            return;
        }
        let mut before = [context, ""];
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if may_hold_one(word) && !is_label(word) {
                in_word(word, &mut |name| self.meet(at, name, &before, word, words.peek().copied(), used));
            }
            if is_alphanumeric(word.as_bytes().first()) || word.chars().any(is_letter) {
                before = [before[1], word];
            }
        }
    }

    fn meet(&mut self, at: u64, text: &str, before: &[&str; 2], word: &str, after: Option<&str>, used: bool) {
        let hash = distinct::hash(text);
        let number = self.numbers.get(hash).unwrap_or_else(|| {
            let number = self.all.len() as u64;
            self.numbers.insert(hash, number);
            self.all.push(Name { text: text.to_owned(), at: u64::MAX, ..Name::default() });
            number
        });
        let name = &mut self.all[number as usize];
        let new = name.at != at;
        if new {
            name.seen += 1;
            name.used += u64::from(used);
        }
        if new && name.context.is_empty() || used {
            name.context = context(text, before, word, after);
        }
        name.at = at;
    }
}

/// A word without brackets and quotation marks around it.
fn strip(word: &str) -> &str {
    const MARKS: &[char] =
        &['{', '}', '[', ']', '"', '\'', '`', '(', ')', '<', '>', ',', ';', '|', '“', '”', '。', '，'];
    let bytes = word.as_bytes();
    if is_alphanumeric(bytes.first()) && is_alphanumeric(bytes.last()) { word } else { word.trim_matches(MARKS) }
}

fn is_alphanumeric(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether a text holds what every name has: a digit, a sign inside, or a capital behind a small letter. Most words have
/// none of them, and reading them is most of the work.
pub fn may_hold_one(text: &str) -> bool {
    let mut small = false;
    text.bytes().any(|byte| {
        let found =
            matches!(byte, b'0'..=b'9' | b'_' | b'/' | b'@' | b'-' | b'.') || small && byte.is_ascii_uppercase();
        small = byte.is_ascii_lowercase();
        found
    })
}

/// Whether a word names what follows it: `path:`.
fn is_label(word: &str) -> bool {
    let name = word.strip_suffix(':').unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// A name with the words around it.
fn context(name: &str, before: &[&str; 2], word: &str, after: Option<&str>) -> String {
    let mut out = String::new();
    let before = before.map(strip);
    let both = before.iter().filter(|word| !word.is_empty());
    let length: usize = both.clone().map(|word| word.len() + 1).sum();
    for word in both.skip(usize::from(length > BEFORE + 8)) {
        let from = text::ceil(word, word.len().saturating_sub(BEFORE));
        out.push_str(text::between(word, from, word.len()));
        out.push(' ');
    }
    let plain = strip(word);
    out.push_str(if plain.len() <= name.len() + BEFORE && plain.contains(name) { plain } else { name });
    let after = strip(after.unwrap_or_default());
    if after.chars().any(|char| is_letter(char) && !char.is_numeric()) {
        out.push(' ');
        out.push_str(text::between(after, 0, text::floor(after, AFTER)));
    }
    out
}

/// Reports the names in a word.
pub fn in_word<'t>(word: &'t str, each: &mut dyn FnMut(&'t str)) {
    let is_part = |char: char| match char {
        '_' | '.' | '-' | '/' | '@' | ':' | '+' | '#' | '=' | '&' | '?' | '%' | '~' | '$' | '€' | '£' | '¥' => true,
        _ => is_letter(char),
    };
    for part in word.split(|char| !is_part(char)) {
        let mut name = part.trim_end_matches(['.', ':', '=', '-', '/', '+', '&', '?', '#', '~', '@', '$']);
        if name.starts_with("..") || name.starts_with("./") || name.starts_with("//") {
            name = name.trim_start_matches(['.', '/']);
        }
        name = name.trim_start_matches([':', '=', '&', '?', '+', '%']);
        if name.contains('=') && !name.contains('?') {
            name = name.rsplit('=').next().unwrap_or(name);
        }
        if is_name(name) {
            each(name);
        }
    }
}

/// Whether a word has to be repeated exactly: it holds a digit, signs inside, or a capital behind a small letter.
fn is_name(name: &str) -> bool {
    if name.len() < SHORTEST || name.len() > LONGEST {
        return false;
    }
    let (mut last, mut last_but_one) = ('\0', '\0');
    let (mut digit, mut joined, mut letters) = (false, name.starts_with('-'), 0_usize);
    for char in name.chars() {
        let is_digit = char.is_ascii_digit();
        digit |= is_digit;
        letters += usize::from(if char.is_ascii() { char.is_ascii_alphanumeric() } else { is_letter(char) });
        joined |= matches!(char, '_' | '/' | '@')
            || last == '.' && char.is_alphabetic() && last_but_one.is_alphabetic()
            || last.is_ascii_lowercase() && char.is_ascii_uppercase();
        (last_but_one, last) = (last, char);
    }
    letters > 1 && (digit && name.len() > SHORTEST || joined)
}

/// Whether a text holds a name, and not as a part of a longer word.
pub fn holds(text: &str, name: &str) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let (all, wanted) = (text.as_bytes(), name.as_bytes());
    let mut from = 0;
    while let Some(at) = text::find(text::between(text, from, text.len()), name).map(|at| at + from) {
        let end = at + wanted.len();
        let before = at > 0 && is_word(all.get(at - 1)) && is_word(wanted.first());
        let after = is_word(all.get(end)) && is_word(wanted.last());
        if !(before || after) {
            return true;
        }
        from = text::ceil(text, at + 1);
    }
    false
}
