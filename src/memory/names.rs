//! Names and numbers: what has to be repeated exactly or is worth nothing. Found by code, in the text itself, and ranked by
//! who said them, how often they were used and when last.

use crate::base::distinct::Distinct;
use crate::base::markers::NOTICE;
use crate::base::{quoting, references, text};
use crate::ingest::content::Value;
use crate::memory::name_list::NameList;
use crate::memory::values::{self, Stands};
use crate::memory::{Name, cjk, proper, scan};

/// A person typed it.
pub const TYPED: u64 = 1;
/// A call used it.
pub const USED: u64 = 2;
/// A text named it that nobody typed.
pub const NAMED: u64 = 4;
/// A tool printed it.
pub const PRINTED: u64 = 8;
/// It is a value in a record that a tool returned.
pub const VALUE: u64 = 16;

/// No name is longer.
const LONGEST: usize = 200;
/// Bytes of a call's argument that is a name as a whole.
const ARGUMENT: usize = 48;
/// Bytes of a text in a record that is a value: what is longer is output.
const SHORT: usize = 80;
/// No name of letters and digits alone that only a tool printed is longer: so many are the digits of a SHA-256.
const LONGEST_PRINTED: usize = 64;
/// Of what texts and tools say so much is enough: no memory holds a tenth of it.
const ENOUGH: usize = 120_000;
/// Bytes of numbers that tools printed behind which no more are looked for.
const ENOUGH_NUMBERS: usize = 40_000;
/// A name as it was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met<'t> {
    /// As it stands in the text.
    pub text: &'t str,
    /// All who said it.
    pub by: u64,
    /// In how many messages.
    pub seen: u64,
    /// The index of the last message that holds it.
    pub at: u64,
}

/// How much a name is worth by who said it, from nobody on, each combination of [`TYPED`], [`USED`] and [`NAMED`]: measured
/// by how many names of each kind recorded sessions used again (`npm run bench -- recall`, see `docs/recall.md`). What only
/// a tool printed is worth 4.
const WORTH: [u64; 8] = [0, 26, 16, 40, 22, 40, 40, 40];
/// What names of what was left out stand behind in a notice.
pub const NAMED_IN: &str = " Names in it: ";
/// What a value is worth that only records hold.
const VALUES: u64 = 12;
/// More for each message that says it, up to the last: once, twice, ….
const OFTEN: [u64; 6] = [2, 3, 4, 5, 6, 8];
/// Digits of a number that may count things.
const COUNT: usize = 4;
/// Messages since it was said last within which it is worth more.
const NEW: u64 = 6;
const RECENT: u64 = 24;

impl Met<'_> {
    /// What it is worth for the bytes that it takes, where the conversation has come to message `now`; none if it is not
    /// shown at all.
    fn worth(&self, now: u64) -> u64 {
        let weak = scan::is_weak(self.text);
        let printed = self.by & (TYPED | USED | NAMED) == 0;
        let value = self.by & VALUE > 0;
        // Short numbers that only a tool printed are mostly those of lines.
        if printed && !value && weak && self.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return 0;
        }
        // A line of encoded data.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        if printed && self.text.len() > LONGEST_PRINTED && self.text.bytes().all(plain) {
            return 0;
        }
        // A word that begins like a name is hardly ever one if it does not come again.
        let once = self.by & (USED | VALUE) == 0 && self.seen < 2 && proper::is_proper(self.text);
        let said = WORTH[(self.by & 7) as usize];
        let base = if value && printed {
            VALUES * value_rank(self.text) / VALUE_MOST
        } else if printed {
            4
        } else if self.by & (PRINTED | VALUE) > 0 {
            said + said / 3
        } else {
            said
        };
        let often = OFTEN[(self.seen.clamp(1, OFTEN.len() as u64) - 1) as usize];
        let age = now.saturating_sub(self.at);
        let recent = if age <= NEW {
            4
        } else if age <= RECENT {
            3
        } else {
            2
        };
        let worth = base * often * recent * 64 / (self.text.len() as u64 + 12);
        // A short number that no call used counts something ("part 461"): mostly the next one is said next.
        let counts = self.by & (USED | VALUE) == 0
            && self.text.len() <= COUNT
            && self.text.bytes().all(|byte| byte.is_ascii_digit());
        let part = if once || counts {
            8
        } else if weak && printed && !value {
            3
        } else {
            1
        };
        (worth / part).max(1)
    }

    /// The line that shows it: the most trusted who said it.
    pub fn line(&self) -> usize {
        self.by.trailing_zeros().min(3) as usize
    }
}

/// How much rather a value that only records hold is used again than others: identifiers, numbers and dates, then short
/// codes in capitals, then words and times of day. Measured like [`WORTH`].
fn value_rank(text: &str) -> u64 {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    match (has(u8::is_ascii_digit), text.contains(':'), has(u8::is_ascii_lowercase)) {
        (true, false, _) => VALUE_MOST,
        (false, _, false) => VALUE_MOST / 2,
        _ => 1,
    }
}

const VALUE_MOST: u64 = 6;

/// All that were met.
#[derive(Clone, Debug, Default)]
pub struct Names<'t> {
    all: Vec<Met<'t>>,
    known: Distinct<'t>,
    /// Bytes of numbers that tools printed.
    numbers: usize,
}

impl<'t> Names<'t> {
    /// Goes on from what is remembered.
    pub fn of(remembered: &'t [Name]) -> Self {
        let mut names = Self::default();
        for name in remembered {
            if !name.text.is_empty() && names.known.number(&name.text).1 {
                names.all.push(Met { text: &name.text, by: name.by, seen: name.seen, at: name.at });
            }
        }
        names
    }

    /// Notes all names in a text. `by` returns who said each by its place in the text.
    pub fn read(&mut self, whole: &'t str, at: u64, by: &dyn Fn(usize) -> u64) {
        scan::each(whole, &mut |text| {
            let place = text.as_ptr() as usize - whole.as_ptr() as usize;
            // How much a notice of ours stands for is no name, and neither is where that is found, or the year of a date.
            let before = text::between(whole, 0, place);
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let is_year = is_number && text.len() == 4 && proper::ends_in_day(before);
            if !before.ends_with(NOTICE) && !references::stands_at(whole, place) && !is_year {
                self.add(text, by(place), at);
            }
        });
    }

    /// Notes the names in what a tool printed. Numbers in JSON are no numbers of lines.
    pub fn printed(&mut self, whole: &'t str, at: u64) {
        // What a notice of ours names were values before.
        if let Some(from) = text::find(whole, NOTICE).and_then(|_| text::find(whole, NAMED_IN)) {
            let list = text::between(whole, from + NAMED_IN.len(), whole.len());
            let list = text::between(list, 0, list.find([']', '"']).unwrap_or(list.len()));
            list.split(", ").for_each(|name| self.add(name, VALUE, at));
        }
        values::each(whole, &mut |value, stands| {
            if value.len() < whole.len() {
                self.value(value, stands, at);
            } else {
                self.read(value, at, &|_| PRINTED);
            }
        });
    }

    /// Notes the names in what a tool returned as a record.
    pub fn returned(&mut self, output: &'t Value, at: u64) {
        match output {
            Value::Text(text) => self.printed(text, at),
            other => self.record(other, Stands::Free, at),
        }
    }

    fn record(&mut self, value: &'t Value, stands: Stands, at: u64) {
        match value {
            Value::Text(text) => self.value(text, Stands::Quoted, at),
            Value::Number(number) => self.value(number, stands, at),
            Value::Array(items) => items.iter().for_each(|item| self.record(item, stands, at)),
            Value::Object(members) => {
                members.iter().for_each(|(key, member)| self.record(member, Stands::behind(key), at))
            }
            Value::Null | Value::Bool(_) | Value::Binary(_) | Value::Medium { .. } => {}
        }
    }

    /// Notes the names in a part of a record.
    fn value(&mut self, value: &'t str, stands: Stands, at: u64) {
        let quoted = stands == Stands::Quoted;
        if quoted && values::is_label(value) {
            self.add(value, VALUE, at);
        }
        let mut whole = false;
        values::each_number(value, stands, &mut |found| {
            whole = true;
            self.add(found, VALUE, at);
        });
        // Of a date or a time the parts are no names.
        if quoted && !whole {
            let by = if value.len() <= SHORT { VALUE } else { PRINTED };
            self.read(value, at, &|_| by);
        }
    }

    /// Notes what only a text in words has: words that begin like names, dates in words, quoted phrases, words of scripts
    /// without spaces.
    pub fn read_proper(&mut self, whole: &'t str, at: u64, by: u64) {
        proper::each_proper(whole, &mut |text| self.add(text, by, at));
        proper::each_date(whole, &mut |text| self.add(text, by, at));
        proper::each_phrase(whole, &mut |text| self.add(text, by, at));
        if cjk::is_in(whole) {
            cjk::each(whole, &mut |text| self.add(text, by, at));
        }
    }

    /// Notes what a call used; a short argument is a name as a whole.
    pub fn used(&mut self, argument: &'t str, at: u64) {
        self.read(argument, at, &|_| USED);
        let whole = argument.trim();
        let plain = !whole.contains(['\n', '"', '\\', '{', '[', ';', '<', '＜', '`']);
        let is_name = |word: &str| word.starts_with(|first: char| !first.is_ascii_lowercase());
        // `pending` and `create` are values of an argument that any model writes.
        let is_word = whole.bytes().all(|byte| byte.is_ascii_lowercase());
        if plain
            && !is_word
            && (2..=ARGUMENT).contains(&whole.len())
            && (!whole.contains(' ') || whole.split(' ').all(is_name))
        {
            self.add(whole, USED, at);
        }
    }

    fn add(&mut self, text: &'t str, by: u64, at: u64) {
        let number = by == PRINTED && scan::is_weak(text);
        if text.is_empty() || text.len() > LONGEST || number && self.numbers > ENOUGH_NUMBERS {
            return;
        }
        // Names stand in lines of ours, so they hold neither the end of one nor a marker.
        if quoting::may_break(text) && (text.contains('\\') || quoting::one_line(text) != text) {
            return;
        }
        if by >= NAMED && self.all.len() > ENOUGH && self.known.find(text).is_none() {
            return;
        }
        let (place, new) = self.known.number(text);
        if new {
            self.numbers += if number { text.len() } else { 0 };
            self.all.push(Met { text, by, seen: 1, at });
            return;
        }
        let met = &mut self.all[place];
        met.by |= by;
        if met.at != at {
            met.seen += 1;
            met.at = met.at.max(at);
        }
    }

    /// Those that are shown, by what they are worth where the conversation has come to message `now`; of equals the one that
    /// was met last.
    pub fn ranked(&self, now: u64) -> Vec<Met<'t>> {
        // One number for both: a sort of pairs would be 4 kB of wasm more.
        let mut keys: Vec<u64> = Vec::with_capacity(self.all.len());
        for (place, met) in self.all.iter().enumerate() {
            let worth = met.worth(now).min(PART_MOST);
            if worth > 0 {
                let newest = PART_MOST - met.at.min(PART_MOST);
                keys.push((PART_MOST - worth) << (PLACE_BITS + PART_BITS) | newest << PLACE_BITS | place as u64);
            }
        }
        keys.sort_unstable();
        keys.into_iter().map(|key| self.all[(key & PLACE_MOST) as usize]).collect()
    }
}

/// Bits of the place of a name among all that were met, and of its worth and age, in one number.
const PLACE_BITS: u32 = 24;
const PART_BITS: u32 = 20;
const PLACE_MOST: u64 = (1 << PLACE_BITS) - 1;
const PART_MOST: u64 = (1 << PART_BITS) - 1;

/// Bytes of names in one text behind which no more are looked for.
const LOOKED: usize = 48_000;
/// How often a name stands in a text, up to the last, counts with so much more than that it stands there at all. In JSON
/// what stands there often belongs to all records and distinguishes none of them.
const STANDS: u64 = 3;
const STANDS_MOST: u64 = 4;

/// The names in a text, each once: first those worth most for the bytes they take. Recorded sessions use short names and
/// those that stand there several times again rather than long ones and the first ones, and of the values of JSON ids and
/// codes rather than amounts and dates.
pub fn in_text(text: &str) -> Vec<&str> {
    let mut found = Distinct::default();
    let mut counts: Vec<u64> = Vec::new();
    let mut left = LOOKED;
    let mut add = |name, left: &mut usize| {
        if *left == 0 {
            return;
        }
        let (place, new) = found.number(name);
        if new {
            *left = left.saturating_sub(str::len(name));
            counts.push(0);
        }
        counts[place] += 1;
    };
    let mut json = false;
    values::each(text, &mut |value, stands| {
        if value.len() < text.len() {
            json = true;
            values::each_number(value, stands, &mut |name| add(name, &mut left));
            if stands == Stands::Quoted && values::is_label(value) {
                add(value, &mut left);
            }
        }
        for line in value.split('\n') {
            if left == 0 {
                break;
            }
            scan::each(line, &mut |name| {
                // A notice may stand inside JSON.
                let place = name.as_ptr() as usize - line.as_ptr() as usize;
                if !scan::is_weak(name) && !name.contains('\\') && !references::stands_at(line, place) {
                    add(name, &mut left);
                }
            });
        }
    });
    let worth = |place: usize| {
        let name = found.all[place];
        let stands = if json { STANDS } else { STANDS + counts[place].min(STANDS_MOST) };
        stands * if json { value_rank(name) } else { rank(name) } * 4_096 / (name.len() as u64 + 2)
    };
    let mut places: Vec<usize> = (0..counts.len()).collect();
    places.sort_by_key(|&place| core::cmp::Reverse(worth(place)));
    places.into_iter().map(|place| found.all[place]).collect()
}

/// Digits of the shortest hash.
const HASH: usize = 7;

/// How much rather a name in a text that is no JSON is used again than a number, a date or a hash.
fn rank(name: &str) -> u64 {
    let has = |is: fn(&u8) -> bool| name.as_bytes().iter().any(is);
    let dated = name.as_bytes().first().is_some_and(u8::is_ascii_digit) && name.contains([':', '-']);
    let hash = name.len() >= HASH && !has(|byte| !byte.is_ascii_hexdigit());
    let word = has(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    if dated || hash || !word { 1 } else { 2 }
}

/// Adds the names of a text to those that are known.
pub(super) fn add<'t>(text: &'t str, known: &mut Distinct<'t>) {
    scan::each(text, &mut |name| {
        known.number(name);
    });
}

/// Of these names of one text those that are neither in a list of names nor among the names of `shown`, within about `bytes`,
/// in their order in the text.
pub fn missing(names: &[&str], list: &str, shown: &str, bytes: usize) -> String {
    let mut known = NameList::default();
    // Values of JSON are names that no text shows to be one.
    list.split(", ").for_each(|name| known.hold(name));
    known.hold_all(shown);
    // What stands in JSON may be a name that no text shows to be one.
    let json = shown.trim_start().starts_with(['{', '[']);
    let mut room = bytes;
    for name in names {
        // What has no room is not looked for: there may be thousands of names, and much that is shown.
        if !(json && (name.len() + 2 > room || text::find(shown, name).is_some())) {
            known.add(name, 0, 0, &mut room);
        }
    }
    let mut chosen: Vec<&str> = known.of_line(0).collect();
    chosen.sort_unstable_by_key(|name| name.as_ptr() as usize);
    chosen.join(", ")
}

/// All texts and numbers inside a value.
pub fn leaves<'v>(value: &'v Value, each: &mut dyn FnMut(&'v str)) {
    match value {
        Value::Text(text) | Value::Number(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, each)),
        Value::Object(members) => members.iter().for_each(|(_, item)| leaves(item, each)),
        Value::Null | Value::Bool(_) | Value::Binary(_) | Value::Medium { .. } => {}
    }
}
