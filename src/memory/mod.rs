//! What is remembered of a conversation: typed entries, bounded, kept in the state as plain data. They are rendered into
//! the view as far as there is room, and never read back from a text that was shortened: a squeeze shortens what is
//! rendered, not what is known.

pub mod absorb;
mod bound;
pub mod cjk;
mod closed;
mod courtesy;
mod deeds;
pub mod digest;
mod exits;
mod file_effects;
mod lines;
mod listed;
pub mod name_list;
pub mod names;
mod need;
mod outcomes;
mod parse;
mod paths;
mod phrases;
mod progress;
pub mod proper;
pub mod records;
pub mod recover;
pub mod rules;
mod said;
pub mod scan;
mod script;
mod sections;
pub mod sentences;
mod shell;
mod supersede;
mod text_agent;
mod values;
mod work;
mod wrapped;
mod written;

use crate::base::archive::{Archive, Record};
use crate::base::json::Json;
use crate::base::quoting;
use crate::model::message::Position;
use std::borrow::Cow;

/// The most bytes of a memory that is read: several times the text that a host may ask for, which is 64,000 bytes.
const BYTES_MOST: usize = 400_000;
/// Entries of one kind that are read at most.
const ENTRIES_MOST: usize = 4_000;

/// No message of the history.
pub const NOWHERE: u64 = u32::MAX as u64;

/// A sentence, a request or a record, in the words of whoever said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What was said.
    pub text: String,
    /// Whose words it is, if the host names its speakers: the label of the name.
    pub who: Option<String>,
    /// The index of the message that said it, or used it last.
    pub at: u64,
    /// What came of a request, or what a record holds.
    pub outcome: Option<String>,
    /// A request was called off.
    pub cancelled: bool,
    /// It concerns what was under way: a wish or a choice of the speaker, a decision of the assistant, words beside a call.
    pub passing: bool,
    /// What it took the place of.
    pub was: Option<String>,
    /// The index of the message that took its place: it is not asserted any more.
    pub until: Option<u64>,
    /// The index of the message that holds its text, if that is not `at`; [`NOWHERE`] if none is known to.
    pub place: Option<u64>,
    /// What it is about, once that was looked at: no part of the plain data.
    topic: Option<Box<supersede::Topic>>,
}

impl Entry {
    /// Its words, with whose they are if that is known.
    fn spoken(&self) -> Cow<'_, str> {
        self.who.as_ref().map_or(Cow::Borrowed(&self.text), |who| Cow::Owned(format!("{who}: {}", self.text)))
    }
}

/// What was done with one tool to one thing: a program that ran, a file that was changed, or else all calls of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The tool, with the program or the file.
    pub what: String,
    /// A file was changed.
    pub changes: bool,
    /// How often.
    pub calls: u64,
    /// How often it failed.
    pub failures: u64,
    /// What the last call said.
    pub last: String,
    /// What came of it; none if nothing is known.
    pub outcome: Option<String>,
    /// The index of its last message.
    pub at: u64,
}

/// A name or number that has to be repeated exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// As it stands in the text.
    pub text: String,
    /// All who said it: 1 a person typed it, 2 a call used it, 4 another text named it, 8 a tool printed it, 16 it is a value
    /// of a record.
    pub by: u64,
    /// In how many messages.
    pub seen: u64,
    /// The index of the last message that holds it.
    pub at: u64,
    /// Its number among the names that the newest text lists, if it stands there: in plain data that stands for its text.
    pub listed: Option<u64>,
}

/// All that is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Messages before this are in it.
    pub upto: Position,
    /// Requests, oldest first.
    pub tasks: Vec<Entry>,
    /// How many requests after the first were dropped.
    pub skipped: u64,
    /// What a person requires.
    pub required: Vec<Entry>,
    /// What was decided.
    pub decided: Vec<Entry>,
    /// What a person told that holds a name or a number.
    pub told: Vec<Entry>,
    /// What was done.
    pub work: Vec<Activity>,
    /// What tools returned, one line each.
    pub records: Vec<Entry>,
    /// What the assistant said last, oldest first.
    pub said: Vec<Entry>,
    /// Names and numbers, those that matter most first.
    pub names: Vec<Name>,
}

impl Memory {
    /// The entries that are sentences or records.
    fn entries(&mut self) -> [(&'static str, &mut Vec<Entry>); 6] {
        [
            ("tasks", &mut self.tasks),
            ("required", &mut self.required),
            ("decided", &mut self.decided),
            ("told", &mut self.told),
            ("records", &mut self.records),
            ("said", &mut self.said),
        ]
    }

    /// Takes back what messages from this index on have taught: they are gone.
    pub fn roll_back(&mut self, to: Position) {
        if self.upto.count <= to.count {
            return;
        }
        self.upto = to;
        for (_, entries) in self.entries() {
            // What was said or returned before and again behind it is there as it was.
            entries.retain(|entry| entry.at.min(entry.place.unwrap_or(entry.at)) < to.count);
            for entry in entries {
                if entry.at >= to.count {
                    entry.at = entry.place.take().unwrap_or(entry.at);
                }
                entry.until = entry.until.filter(|&until| until < to.count);
            }
        }
        self.work.retain(|one| one.at < to.count);
        self.names.retain(|name| name.at < to.count || name.seen > 1);
    }
}

/// Whether an entry is asserted.
fn in_force(entry: &Entry) -> bool {
    entry.until.is_none()
}

impl Record for Entry {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("text", &mut self.text);
        archive.maybe_text("who", &mut self.who);
        archive.count("at", &mut self.at);
        archive.maybe_text("outcome", &mut self.outcome);
        archive.flag("cancelled", &mut self.cancelled);
        archive.flag("passing", &mut self.passing);
        archive.maybe_text("was", &mut self.was);
        archive.maybe_count("until", &mut self.until);
        archive.maybe_count("place", &mut self.place);
    }
}

impl Record for Activity {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("what", &mut self.what);
        archive.flag("changes", &mut self.changes);
        archive.count("calls", &mut self.calls);
        archive.count("failures", &mut self.failures);
        archive.text("last", &mut self.last);
        archive.maybe_text("outcome", &mut self.outcome);
        archive.count("at", &mut self.at);
    }
}

impl Record for Memory {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("upTo", &mut self.upto);
        for (name, entries) in self.entries() {
            archive.records(name, entries);
        }
        archive.count("skipped", &mut self.skipped);
        archive.records("work", &mut self.work);
        let mut names = Json::List(Name::to_rows(&self.names));
        archive.plain("names", &mut names);
        if !archive.reads() {
            return;
        }
        for row in names.list().unwrap_or_default() {
            match Name::of_row(row) {
                Some(mut of_row) => self.names.append(&mut of_row),
                None => archive.reject("names"),
            }
        }
        if !names.is_null() && names.list().is_none() {
            archive.reject("names");
        }
        let most = self.names.len().max(self.work.len());
        let most = self.entries().into_iter().fold(most, |most, (_, entries)| most.max(entries.len()));
        if most > ENTRIES_MOST || self.bytes() > BYTES_MOST {
            archive.reject("upTo");
        }
        // Whoever wrote them, they stand in lines of ours.
        self.disarm();
    }
}

impl Memory {
    /// Notes which names the newest text of the session lists: in plain data they stand in that text alone.
    pub fn refer(&mut self, text: &str) {
        let numbers = listed::numbers(text);
        for name in &mut self.names {
            name.listed = numbers.get(&name.text).copied();
        }
        self.sort_names();
    }

    /// Brings names in the order of the rows that plain data has of them.
    fn sort_names(&mut self) {
        self.names.sort_by_key(|name| (name.by, name.seen, name.at, name.listed.unwrap_or(u64::MAX)));
    }

    /// Takes the names that plain data refers to from the text that lists them. One that is no longer there, because
    /// somebody took it out of the text, is forgotten, and so is whatever refers to a name a second time.
    pub fn resolve(&mut self, text: &str) {
        let mut known: Vec<Option<&str>> = listed::of(text).into_iter().map(Some).collect();
        self.names.retain_mut(|name| {
            let Some(number) = name.listed else { return true };
            let text = usize::try_from(number).ok().and_then(|number| known.get_mut(number)?.take());
            name.text = text.map(str::to_owned).unwrap_or_default();
            quoting::make_one_line(&mut name.text);
            !name.text.is_empty()
        });
    }
}

impl Name {
    /// In plain data names that follow one another share a row if the same said them in as many messages: by, seen, and
    /// the index of each last message with the names in it. There are many. Of those that the newest text lists the numbers
    /// stand in a list, as one text: each value of a state costs time at every call.
    fn to_rows(names: &[Self]) -> Vec<Json> {
        let mut rows = Vec::new();
        for alike in names.chunk_by(|one, next| (one.by, one.seen) == (next.by, next.seen)) {
            let mut row: Vec<Json> = vec![alike[0].by.into(), alike[0].seen.into()];
            for met in alike.chunk_by(|one, next| one.at == next.at) {
                row.push(met[0].at.into());
                let numbers = met.iter().filter_map(|name| name.listed);
                let numbers = numbers.fold(String::new(), |numbers, number| {
                    let space = if numbers.is_empty() { "" } else { " " };
                    numbers + space + &number.to_string()
                });
                if !numbers.is_empty() {
                    row.push(Json::List(vec![Json::Text(numbers)]));
                }
                let others = met.iter().filter(|name| name.listed.is_none());
                row.extend(others.map(|name| Json::Text(name.text.clone())));
            }
            rows.push(Json::List(row));
        }
        rows
    }

    /// The names of a row; of one name in a state of an earlier layout, where its text came first.
    fn of_row(row: &Json) -> Option<Vec<Self>> {
        let turned;
        let row = match row.list()? {
            [text, by, seen, at] if text.text().is_some() => {
                turned = [by, seen, at, text].map(Clone::clone);
                &turned
            }
            row => row,
        };
        let [by, seen, met @ ..] = row else { return None };
        let by = by.count().filter(|by| (1..32).contains(by))?;
        let seen = seen.count()?;
        let mut names = Vec::new();
        let mut at = None;
        let mut is_named = true;
        for one in met {
            if let Some(count) = one.count().filter(|_| is_named) {
                (at, is_named) = (Some(count), false);
                continue;
            }
            let name = Self { by, seen, at: at?, ..Self::default() };
            match one.list() {
                Some([numbers]) => {
                    for number in numbers.text()?.split(' ') {
                        names.push(Self { listed: Some(number.parse().ok()?), ..name.clone() });
                    }
                }
                _ => names.push(Self { text: one.text()?.to_owned(), ..name }),
            }
            is_named = true;
        }
        (is_named && !names.is_empty()).then_some(names)
    }
}
