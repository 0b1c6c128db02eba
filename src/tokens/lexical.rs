//! `lexical`: the tokens of a text without a vocabulary, in one pass and in whole numbers.
//!
//! Tokenizers first cut a text into pieces: a word with the one character before it, three digits, a run of
//! punctuation, the blanks before a line. That cut follows from the characters alone and is done here as o200k does it;
//! digits and blanks are then as good as exact. What a word or a run costs beyond its first token depends on a
//! vocabulary: it is estimated by how rare its pairs and triples of letters are, through a softplus. Tables, classes of
//! characters and the weights of the families come from `js/scripts/tables.mjs`; `docs/tokens.md` has the measurements.
//!
//! Here the text is cut; what a piece costs is in `cost`, words and runs of ASCII go the quick way of `scan`.

use super::cost::{self, ONE, part};
use super::family::Family;
use super::tables::{self, Class};
use super::{lookup, scan};

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Word,
    /// After a word: an apostrophe that may belong to it.
    Apostrophe,
    /// … and its first letter, where two are needed (`'re`, `'ve`, `'ll`).
    Contraction,
    Digits,
    Blanks,
    Marks,
    /// The line ends after marks belong to them.
    MarksEnd,
}

/// Counts a text that comes in pieces, character by character.
#[derive(Clone, Debug)]
pub struct Lexer {
    weights: &'static [u16; tables::BUCKETS],
    memo: scan::Memo,
    /// In parts of `ONE * FULL`.
    sum: u64,
    state: State,
    /// What precedes the next word and belongs to it: an index of [`tables::LEAD`], 0 nothing.
    lead: usize,
    /// The blank before these marks belongs to them.
    spaced: bool,
    /// What the piece costs beyond its first token, before the softplus.
    surprise: i64,
    /// Words: lower case was seen, so upper case begins a new one. Letters beyond ASCII were seen.
    lower: bool,
    accented: bool,
    /// The run of letters of one script: its class, length, capitals, whether it began with one.
    run: Class,
    length: u32,
    capitals: u32,
    capital: bool,
    /// The letters before, five bits each; the two before as codes, beyond Latin [`FIRST`] where there is none.
    last: usize,
    code: u32,
    before: u32,
    /// Scripts other than Latin: the least it costs, the longest run and its script.
    least: i64,
    script: Class,
    longest: u32,
    /// Digits, blanks, marks read; line ends and where the last one was.
    count: u64,
    line_end: u64,
    lines: u32,
    /// Marks: the first one's class and code, changes, repeats, those beyond ASCII and pictures.
    first: Class,
    first_code: u32,
    changes: u32,
    repeats: u32,
    foreign: u32,
    pictures: u32,
}

impl Lexer {
    /// A counter for this family.
    pub fn new(family: Family) -> Self {
        Self {
            weights: &tables::WEIGHTS[family as usize],
            memo: scan::Memo::default(),
            sum: 0,
            state: State::Start,
            lead: 0,
            spaced: false,
            surprise: 0,
            lower: false,
            accented: false,
            run: 0,
            length: 0,
            capitals: 0,
            capital: false,
            last: 0,
            code: 0,
            before: 0,
            least: 0,
            script: 0,
            longest: 0,
            count: 0,
            line_end: 0,
            lines: 0,
            first: 0,
            first_code: 0,
            changes: 0,
            repeats: 0,
            foreign: 0,
            pictures: 0,
        }
    }

    /// More of the text; `last`: all of it.
    pub fn feed(&mut self, text: &str, last: bool) {
        let end = if last { scan::END } else { 0 };
        self.memo.expect(text.len());
        let mut rest = text;
        loop {
            if self.ends_before(rest) {
                self.close(None);
                self.state = State::Start;
                self.lead = 0;
                rest = &rest[scan::pieces(rest.as_bytes(), end, self.weights, &mut self.memo, &mut self.sum)..];
            }
            let mut characters = rest.chars();
            let Some(character) = characters.next() else { return };
            self.put(character as u32);
            if self.state == State::Word && self.run != tables::LOWER {
                rest = self.letters(rest);
            } else {
                rest = characters.as_str();
            }
        }
    }

    /// Letters of the script of the first one, whose run was begun: answers what follows them.
    #[inline(never)]
    fn letters<'a>(&mut self, text: &'a str) -> &'a str {
        let [begun, each, beyond, least] = lookup::script(self.run);
        let range = lookup::range(self.last);
        let bytes = text.as_bytes();
        let (mut code, mut before, mut length) = (self.code, self.before, self.length);
        let mut surprise = if length == 0 { begun } else { 0 };
        let mut at = 0;
        while let Some(&first @ 0xc0..0xf0) = bytes.get(at) {
            let more = |by: usize| bytes.get(at + by).map_or(0, |byte| u32::from(byte & 63));
            let (mut next, mut size) = (u32::from(first & 31) << 6 | more(1), 2);
            if first >= 0xe0 {
                (next, size) = ((next & 0x3ff) << 6 | more(2), 3);
            }
            if !range.contains(&next) {
                break;
            }
            at += size;
            // The character by itself, after the one before it, and after the two before it.
            let [by_itself, by_last, by_before] = lookup::OTHER;
            let mut sum = next.wrapping_mul(by_itself);
            surprise += lookup::other(sum);
            sum = sum.wrapping_add(code.wrapping_mul(by_last));
            surprise += lookup::other(sum);
            if before != FIRST {
                surprise += lookup::other(sum.wrapping_add(before.wrapping_mul(by_before)));
            }
            (before, code) = (code, next);
            length += 1;
        }
        let begun_with = core::mem::replace(&mut self.length, length);
        let more = |than: u32| i64::from(length.saturating_sub(than) - begun_with.saturating_sub(than));
        surprise += each * more(0) + beyond * more(4);
        self.least += least * more(0);
        (self.code, self.before) = (code, before);
        self.surprise += surprise;
        &text[at..]
    }

    /// Whether a piece of ASCII begins here, as far as two bytes can tell.
    fn ends_before(&self, text: &str) -> bool {
        let Some(&[byte, next]) = text.as_bytes().first_chunk() else { return false };
        let class = scan::class(byte);
        class > 0
            && scan::class(next) > 0
            && match self.state {
                State::Start => true,
                State::Word => !lookup::is_word(class) && u32::from(byte) != APOSTROPHE,
                State::Digits => class != tables::DIGIT,
                State::MarksEnd => class != tables::LINE,
                _ => false,
            }
    }

    /// The tokens of what was fed since the last call, rounded.
    pub fn take(&mut self) -> u64 {
        self.close(None);
        self.state = State::Start;
        self.lead = 0;
        self.spaced = false;
        let whole = ONE as u64 * tables::FULL;
        let sum = core::mem::take(&mut self.sum);
        // Nothing that was written costs nothing.
        if sum == 0 { 0 } else { ((sum + whole / 2) / whole).max(1) }
    }

    fn put(&mut self, code: u32) {
        let (class, symbol) = lookup::classify(code, self.last);
        loop {
            match self.state {
                State::Word => {
                    if lookup::is_word(class) {
                        let upper = lookup::is_upper(class);
                        if upper && self.lower {
                            self.close_word();
                            self.open_word();
                        }
                        return self.letter(class, symbol);
                    }
                    self.close_word();
                    self.state = if code == APOSTROPHE { State::Apostrophe } else { State::Start };
                    if code == APOSTROPHE {
                        return;
                    }
                }
                State::Apostrophe => {
                    self.state = match cost::contracted(code, 0) {
                        2 => State::Start,
                        _ if matches!(code | 0x20, 114 | 118 | 108) => State::Contraction,
                        _ => {
                            self.open_marks(APOSTROPHE, tables::MARK);
                            continue;
                        }
                    };
                    self.code = code;
                    return;
                }
                State::Contraction => {
                    self.state = State::Start;
                    if cost::contracted(self.code, code) == 3 {
                        return;
                    }
                    let held = self.code;
                    self.open_marks(APOSTROPHE, tables::MARK);
                    self.put(held);
                }
                State::Digits => {
                    if class == tables::DIGIT {
                        self.count += 1;
                        return;
                    }
                    self.close_digits();
                }
                State::Blanks => {
                    if lookup::is_blank(class) {
                        self.count += 1;
                        self.code = code;
                        if class == tables::LINE {
                            self.line_end = self.count;
                        }
                        return;
                    }
                    self.close_blanks(Some(class));
                }
                State::Marks => {
                    if lookup::is_mark(class) {
                        return self.mark(code, class);
                    }
                    if self.count == 1 && !self.spaced && lookup::is_word(class) {
                        self.lead = lookup::lead(self.first_code, self.first);
                        self.state = State::Start;
                    } else if class == tables::LINE {
                        self.lines = 0;
                        self.state = State::MarksEnd;
                    } else {
                        self.close_marks();
                    }
                }
                State::MarksEnd => {
                    if class == tables::LINE {
                        self.lines += u32::from(code == 10);
                        return;
                    }
                    self.close_marks();
                }
                State::Start => {
                    if lookup::is_word(class) {
                        self.open_word();
                        return self.letter(class, symbol);
                    }
                    self.lead = 0;
                    if lookup::is_mark(class) {
                        return self.open_marks(code, class);
                    }
                    self.count = 1;
                    self.code = code;
                    self.line_end = u64::from(class == tables::LINE);
                    self.state = if class == tables::DIGIT { State::Digits } else { State::Blanks };
                    return;
                }
            }
        }
    }

    /// Ends what is being read.
    fn close(&mut self, next: Option<Class>) {
        match self.state {
            State::Start => {}
            State::Word => self.close_word(),
            State::Digits => self.close_digits(),
            State::Blanks => self.close_blanks(next),
            State::Marks | State::MarksEnd => self.close_marks(),
            State::Apostrophe => {
                self.open_marks(APOSTROPHE, tables::MARK);
                self.close_marks();
            }
            State::Contraction => {
                let held = self.code;
                self.open_marks(APOSTROPHE, tables::MARK);
                self.put(held);
                self.close_word();
            }
        }
    }

    #[inline(never)]
    fn pay(&mut self, bucket: usize, cost: i64) {
        let weight = self.weights.get(bucket).copied().unwrap_or(tables::FULL as u16);
        self.sum += cost as u64 * u64::from(weight);
    }

    #[inline(never)]
    fn open_word(&mut self) {
        self.state = State::Word;
        self.surprise = part(&tables::LEAD, self.lead);
        self.lead = 0;
        self.lower = false;
        self.accented = false;
        self.run = 0;
        self.least = 0;
        self.longest = 0;
        self.script = 0;
        self.code = FIRST;
        self.before = FIRST;
    }

    #[inline(never)]
    fn letter(&mut self, class: Class, symbol: usize) {
        if lookup::is_latin(class) {
            let upper = lookup::is_upper(class);
            self.lower |= !upper;
            self.accented |= class > tables::UPPER;
            if self.run != tables::LOWER {
                self.close_run();
                self.run = tables::LOWER;
                self.capital = upper;
                self.last = 0;
                self.code = FIRST;
                self.before = FIRST;
            }
            self.last = (self.last << 5 | symbol) & 0x7fff;
            self.surprise += lookup::pair(self.last);
            if self.length > 0 {
                self.surprise += lookup::triple(self.last);
            }
            self.length += 1;
            self.capitals += u32::from(upper);
            return;
        }
        if self.run != class {
            self.close_run();
            self.run = class;
        }
        // What it costs is for `letters`.
        self.last = symbol;
        self.lower |= class <= tables::LAST_CASED;
    }

    /// Ends a run of letters of one script within a word.
    #[inline(never)]
    fn close_run(&mut self) {
        if self.run == tables::LOWER {
            self.surprise += lookup::end(self.last);
            self.surprise = cost::shape(self.surprise, self.length, self.capitals, self.capital);
            // Counts only where another script is in the word.
            self.least += ONE / 2;
        } else if self.length > self.longest {
            self.longest = self.length;
            self.script = self.run;
        }
        self.length = 0;
        self.capitals = 0;
    }

    #[inline(never)]
    fn close_word(&mut self) {
        let other = self.run != tables::LOWER;
        self.close_run();
        if other {
            let [by_itself, by_last, _] = lookup::OTHER;
            self.surprise += lookup::other(LAST.wrapping_mul(by_itself).wrapping_add(self.code.wrapping_mul(by_last)));
        }
        let more = lookup::softplus(self.surprise);
        if self.longest > 0 {
            self.pay(lookup::bucket(self.script), (ONE + more).max(self.least));
        } else if self.accented {
            self.pay(tables::ACCENTED_WORD, ONE + more);
        } else {
            self.pay(tables::WORD, ONE);
            self.pay(tables::WORD_MORE, more);
        }
    }

    #[inline(never)]
    fn close_digits(&mut self) {
        self.pay(tables::NUMBER, self.count.div_ceil(3) as i64 * ONE);
        self.pay(tables::NUMBER_DIGITS, self.count as i64 * ONE);
        self.state = State::Start;
    }

    /// Ends a run of blanks before a character of the class `next`.
    #[inline(never)]
    fn close_blanks(&mut self, next: Option<Class>) {
        self.state = State::Start;
        let after = (self.count - self.line_end) as usize;
        let blanks = cost::blanks(self.line_end as usize, after, self.code, next);
        self.pay(tables::LINES, blanks.lines);
        self.pay(tables::INDENT, blanks.indent);
        self.lead = blanks.lead;
        self.spaced = blanks.spaced;
    }

    #[inline(never)]
    fn open_marks(&mut self, code: u32, class: Class) {
        self.state = State::Marks;
        self.first = class;
        self.first_code = code;
        self.surprise = 0;
        self.count = 0;
        self.lines = 0;
        self.changes = 0;
        self.repeats = 0;
        self.foreign = 0;
        self.pictures = 0;
        if code < 32 || code == 127 {
            self.pay(tables::MARKS_MORE, ONE);
        }
        self.mark(code, class);
    }

    #[inline(never)]
    fn mark(&mut self, code: u32, class: Class) {
        // What UTF-16 needs two units for was counted as two.
        let units = 1 + u32::from(code > 0xffff);
        let follows = self.count > 0;
        self.count += u64::from(units);
        if class == tables::PICTURE {
            self.pictures += units;
            self.foreign += units;
        } else {
            let repeats = follows && code == self.code;
            if follows {
                self.repeats += u32::from(repeats);
                self.changes += u32::from(!repeats);
                if code < 128 && self.code < 128 {
                    self.surprise += lookup::marks(self.code, code);
                }
            }
            if class >= tables::CJK_MARK {
                self.foreign += 1;
                let at = usize::from(class - tables::CJK_MARK) + 1;
                self.surprise += part(&tables::PUNCT, 24 + at);
                if repeats {
                    self.surprise += part(&tables::PUNCT, 32 + at);
                }
            }
        }
        self.code = code;
    }

    #[inline(never)]
    fn close_marks(&mut self) {
        self.state = State::Start;
        let spaced = core::mem::take(&mut self.spaced);
        if self.foreign == 0 && self.count <= 2 && self.lines == 0 {
            return self.pay(tables::MARK_RUN, ONE);
        }
        let more = cost::marks_more(self.surprise, self.changes, self.repeats, self.lines, spaced);
        if self.foreign == 0 {
            self.pay(tables::MARK_RUN, ONE);
            return self.pay(tables::MARKS_MORE, more);
        }
        let pictures = i64::from(self.pictures) * (ONE * 103 / 100);
        let others = if u64::from(self.pictures) == self.count { 0 } else { ONE + more };
        self.pay(tables::SYMBOLS, pictures + others);
    }
}

const APOSTROPHE: u32 = 39;

/// What stands before the first letter of another script than Latin, and what behind the last one.
const FIRST: u32 = 1;
const LAST: u32 = 2;
