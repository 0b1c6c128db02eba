//! Names: what has to be repeated exactly, each with a few words around it. They come from calls, results and pasted
//! text; what a sentence says, the sentence itself shows.

use crate::base::distinct;
use crate::base::id_map::IdMap;
use crate::base::order;
use crate::base::text;
use crate::base::words::is_letter;
use crate::ingest::content::{ContentPart, Value};
use crate::memory::listings::{self, Part};
use crate::memory::message::Message;
use crate::memory::records::leaves;
use crate::memory::trim::{ESCAPE, clean, colour};
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
/// Bytes of an argument that says what a call is about.
const ARGUMENT: usize = 240;
/// Lines of a text that are read, and bytes of a line.
const LINES: usize = 600;
const LINE: usize = 4_000;
/// Names that are kept while messages are read, beyond which half of them go.
const MOST: usize = 20_000;
/// The age in messages at which a name counts half.
const HALF: u64 = 120;
/// The age from which on nothing is read: what stood there counts a tenth, and newer names are many.
const OLD: u64 = 1_000;

impl Name {
    /// How much it is worth: what the assistant used and what came often and lately. In 1/1024.
    pub fn worth(&self, end: u64) -> u64 {
        let count = 10 + 25 * self.used.min(6) + 10 * self.seen.min(5);
        let age = end.saturating_sub(self.at + 1);
        count * 1024 * HALF / (HALF + age)
    }

    /// Whether it may be listed. What stands once and was never taken up is not to be repeated, nor is what only the
    /// assistant wrote.
    pub fn is_listed(&self) -> bool {
        self.seen > 1 && self.seen > self.used && self.tells() && self.matters()
    }

    /// Whether it says something where it stands: there are words around it, or it is a path or an address.
    fn tells(&self) -> bool {
        self.context != self.text || self.text.contains(['/', '.', '@'])
    }

    /// Whether it is to be repeated later: a value or a place, no word of code, that somebody went on with or that a member
    /// holds. Other names of what was read are its own.
    pub fn matters(&self) -> bool {
        let is_word = |text: &str| text.contains(|char: char| is_letter(char) && !char.is_numeric());
        let member = self.context.strip_suffix(&*self.text).and_then(|before| before.strip_suffix(": "));
        // A slash in front makes no place of a word: `/clear`.
        let inside = self.text.strip_prefix('/').unwrap_or(&self.text);
        let is_place = inside.contains(|char: char| char.is_numeric() || matches!(char, '/' | '@'));
        is_place && (self.used > 0 && is_word(&self.text) || member.is_some_and(is_word))
    }

    /// The words around it, or of a name that stands alone the name itself.
    pub fn label(&self) -> String {
        let label = self.context.replacen(&*self.text, "", 1);
        if label.is_empty() { self.text.clone() } else { label }
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
    /// The index behind the last message that is to be read.
    end: u64,
}

impl Names {
    /// Those that are remembered, to be read on up to the message before this index.
    pub fn of(remembered: &[Name], end: u64) -> Self {
        let mut names = Self { all: remembered.to_vec(), numbers: IdMap::default(), end };
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
        if at + OLD < self.end {
            return;
        }
        leaves(value, "", &mut |key, text| {
            // What is written somewhere is not what a call is about.
            let used = role == Role::Assistant && text.len() <= ARGUMENT;
            // What stands in a line of many is no value of the member.
            let key = if text.contains('\n') { "" } else { key };
            let mut left = LINES;
            listings::parts(text, &mut |part| match part {
                _ if left == 0 => {}
                Part::Line(line) => {
                    left -= 1;
                    self.line(at, key, line, used);
                }
                Part::Listing(rows) => {
                    rows.iter().take(left).for_each(|row| self.line(at, "", row, used));
                    left = left.saturating_sub(rows.len());
                }
            });
        });
    }

    /// Reads the names in the texts of a message that are not the speaker's own.
    #[inline(never)]
    pub fn pasted(&mut self, message: &Message) {
        let used = message.content.role == Role::Assistant;
        for part in &message.content.parts {
            if let ContentPart::Text { text, .. } = part {
                text.lines().take(LINES).for_each(|text| self.line(message.index, "", text, used));
            }
        }
    }

    /// Drops the half that is worth least, where there are very many.
    #[inline(never)]
    pub fn bound(&mut self, end: u64) {
        if self.all.len() > MOST {
            order::by_key(&mut self.all, |name| (!name.worth(end)).into());
            self.all.truncate(MOST / 2);
            self.number();
        }
    }

    /// Reads the names of a line, which is the value of the member `key` if that is not empty.
    fn line(&mut self, at: u64, key: &str, line: &str, used: bool) {
        let line = text::between(line, 0, text::floor(line, LINE));
        let mut before = [(0, 0); 2];
        let mut at_byte = 0;
        while let Some(word) = Word::next(line, at_byte) {
            let Word { text: plain, end, may_hold_one } = word;
            at_byte = end;
            if may_hold_one && !is_label(plain) {
                let place = Occurrence { key, line, before, word: (end - plain.len(), end) };
                in_word(plain, &mut |name| self.meet(at, name, &place, used));
            }
            if is_alphanumeric(plain.as_bytes().first()) || plain.chars().any(is_letter) {
                before = [before[1], (end - plain.len(), end)];
            }
        }
    }

    fn meet(&mut self, at: u64, text: &str, place: &Occurrence<'_>, used: bool) {
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
            name.context = place.context(text);
        }
        name.at = at;
    }
}

/// What of a text stands around a name up to the next bracket, quotation mark or operator: what lies beyond is code.
fn phrase<'t>(text: &'t str, name: &str) -> &'t str {
    const CODE: &[char] = &['{', '}', '[', ']', '(', ')', '<', '>', '=', ';', '|', '*', '"', '\'', '`', '\\'];
    let Some(at) = text::find(text, name) else { return text };
    let (before, behind) = (text::between(text, 0, at), text::between(text, at + name.len(), text.len()));
    let from = before.rfind(CODE).map_or(0, |at| at + 1);
    let to = behind.find(CODE).unwrap_or(behind.len());
    text::between(text, from, at + name.len() + to)
        .trim_matches(|char: char| char.is_whitespace() || matches!(char, ',' | ':' | '.' | '?'))
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

/// What a byte is to names.
const SPACE: u8 = 1;
/// A digit or a sign that every other name has inside.
const MARK: u8 = 2;
/// A sign that makes a name where a letter follows it.
const JOINT: u8 = 4;
const SMALL: u8 = 8;
const CAPITAL: u8 = 16;
/// It may be part of a name, as may each letter that is not ASCII.
const PART: u8 = 32;
/// No name ends with it.
const TAIL: u8 = 64;
/// It begins what sets a colour.
const COLOUR: u8 = 128;

const BYTES: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 0;
    while at < all.len() {
        let byte = at as u8;
        all[at] = match byte {
            b'0'..=b'9' => MARK | PART,
            b'_' | b'%' => MARK | PART,
            b'a'..=b'z' => SMALL | PART,
            b'A'..=b'Z' => CAPITAL | PART,
            b'/' | b'@' => MARK | PART | TAIL,
            b'.' | b'-' => JOINT | PART | TAIL,
            b':' | b'+' | b'#' | b'=' | b'&' | b'?' | b'~' | b'$' => PART | TAIL,
            0x80.. => PART,
            ESCAPE => COLOUR,
            byte if byte.is_ascii_whitespace() => SPACE,
            _ => 0,
        };
        at += 1;
    }
    all
};

const fn class(byte: u8) -> u8 {
    BYTES[byte as usize]
}

/// A word of a line, up to the next blank.
struct Word<'t> {
    text: &'t str,
    /// The byte behind it.
    end: usize,
    /// Whether it has what every name has: a digit, a sign inside, or a capital behind a small letter. Most words have none
    /// of them, and reading them is most of the work.
    may_hold_one: bool,
}

impl<'t> Word<'t> {
    /// The first word from a byte on.
    fn next(line: &'t str, from: usize) -> Option<Self> {
        let rest = line.as_bytes().get(from..)?;
        let from = from + rest.iter().position(|byte| class(*byte) != SPACE)?;
        let mut may_hold_one = line.as_bytes()[from] == b'-';
        let (mut last, mut end) = (0, from);
        for &byte in &line.as_bytes()[from..] {
            let class = class(byte);
            if class == SPACE {
                break;
            }
            may_hold_one |= class & MARK != 0
                || last & JOINT != 0 && class & (SMALL | CAPITAL) != 0
                || last & SMALL != 0 && class & CAPITAL != 0;
            (last, end) = (class, end + 1);
        }
        Some(Self { text: text::between(line, from, end), end, may_hold_one })
    }
}

/// Reports the names in a text, in order.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    let mut at = 0;
    while let Some(word) = Word::next(text, at) {
        at = word.end;
        if word.may_hold_one {
            in_word(word.text, each);
        }
    }
}

/// Whether a word names what follows it: `path:`.
fn is_label(word: &str) -> bool {
    let name = word.strip_suffix(':').unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Where a name stands.
struct Occurrence<'t> {
    /// The member whose value the line is, or nothing.
    key: &'t str,
    line: &'t str,
    /// The two words before, and the word that holds the name: where they begin and end.
    before: [(usize, usize); 2],
    word: (usize, usize),
}

impl Occurrence<'_> {
    /// A name with the words around it, as they stand in the line.
    fn context(&self, name: &str) -> String {
        let Self { key, line, before, word: (mut from, mut to) } = *self;
        let begins = before.iter().all(|(start, end)| start == end);
        if to - from > name.len() + BEFORE {
            return name.to_owned();
        }
        let mut left = BEFORE + 8;
        for (start, end) in before.into_iter().rev() {
            if end == start || end - start > left.min(BEFORE) {
                break;
            }
            (from, left) = (start, left - (end - start));
        }
        let after = Word::next(line, to).filter(|word| word.text.len() <= AFTER);
        if let Some(after) = after.filter(|word| word.text.chars().any(|char| is_letter(char) && !char.is_numeric())) {
            to = after.end;
        }
        let whole = phrase(strip(text::between(line, from, to)), name);
        // What was stripped may be the start of the name.
        let whole = if whole.contains(name) { clean(whole).into_owned() } else { name.to_owned() };
        if key.is_empty() || !begins { whole } else { format!("{key}: {whole}") }
    }
}

/// Reports the names in a word.
fn in_word<'t>(word: &'t str, each: &mut dyn FnMut(&'t str)) {
    let mut at = 0;
    while let Some(start) = word.as_bytes()[at..].iter().position(|byte| class(*byte) & (PART | COLOUR) != 0) {
        let mut from = at + start;
        if word.as_bytes()[from] == ESCAPE {
            at = from + colour(&word.as_bytes()[from..]);
            continue;
        }
        let mut end = from;
        while word.as_bytes().get(end).is_some_and(|byte| class(*byte) & PART != 0) {
            end += 1;
        }
        at = end;
        match word.as_bytes().get(from.wrapping_sub(1)) {
            // A tag is none.
            Some(b'<') if from == 1 || word.as_bytes()[from] == b'/' => continue,
            Some(b'\\') => from += escape(&word.as_bytes()[from..end]),
            _ => {}
        }
        let part = text::between(word, from, end);
        if part.is_ascii() {
            of_part(part, each);
        } else {
            part.split(|char: char| !char.is_ascii() && !is_letter(char) && !matches!(char, '€' | '£' | '¥'))
                .for_each(|part| of_part(part, each));
        }
    }
}

/// The bytes of an escape in a text that begins behind its backslash: of `\nThis` the `n`, of `\u003cdiv` the `u003c`.
fn escape(bytes: &[u8]) -> usize {
    match bytes {
        [b'n' | b't' | b'r', next, ..] if next.is_ascii_uppercase() => 1,
        [b'u', code @ ..] if code.len() >= 4 && code[..4].iter().all(u8::is_ascii_hexdigit) => 5,
        _ => 0,
    }
}

/// Reports the name that a part of a word is.
fn of_part<'t>(part: &'t str, each: &mut dyn FnMut(&'t str)) {
    let tail = part.bytes().rev().take_while(|byte| class(*byte) & TAIL != 0).count();
    let mut name = text::between(part, 0, part.len() - tail);
    // Most names begin with a letter or a digit.
    if !is_alphanumeric(name.as_bytes().first()) {
        if name.starts_with("..") || name.starts_with("./") || name.starts_with("//") {
            name = name.trim_start_matches(['.', '/']);
        }
        name = name.trim_start_matches([':', '=', '&', '?', '+', '%']);
    }
    if memchr::memchr(b'=', name.as_bytes()).is_some() && !name.contains('?') {
        name = name.rsplit('=').next().unwrap_or(name);
    }
    if is_name(name) {
        each(name);
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
        let is_alphanumeric = if char.is_ascii() { char.is_ascii_alphanumeric() } else { is_letter(char) };
        digit |= char.is_ascii_digit();
        letters += usize::from(is_alphanumeric);
        joined |= matches!(char, '_' | '/' | '@')
            || last == '.' && char.is_alphabetic() && last_but_one.is_alphabetic()
            || last.is_ascii_lowercase() && char.is_ascii_uppercase();
        // Nothing that follows makes it none.
        if joined && letters > 1 {
            return true;
        }
        (last_but_one, last) = (last, char);
    }
    letters > 1 && (digit && name.len() > SHORTEST || joined)
}
