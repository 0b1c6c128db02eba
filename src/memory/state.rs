//! The memory as plain data, in rows: each value of a state costs time at every call. Whoever wrote it is not trusted:
//! what is shown of it is quoted like any text.
//!
//! A unit is a row `[message, place, kind, text, speaker, tool, header, …]`, a name `[name, context, message, used, seen]`;
//! trailing zeros are left out. A row goes on with `messages back to the call, its place` for what a tool returned, else with
//! `characters of its message, echo of the one before, of the one behind, percent less for a long reply`. A memory of
//! another layout is made again from the messages or, where the host no longer holds them, from the lines of the
//! digest, which are then quoted as `Earlier:`. Damaged rows, positions behind the end and more than 400,000 bytes are
//! refused with their path. A state can claim that somebody typed what nobody did; it is quoted like anything else.

use crate::base::archive::{Archive, Record};
use crate::base::json::Json;
use crate::base::order;
use crate::memory::echo;
use crate::memory::names::Name;
use crate::memory::units::{Kind, Unit};
use crate::memory::work::{Check, Commit, File, Work};
use crate::memory::{Marks, Memory};
use std::borrow::Cow;
use std::rc::Rc;

/// The layout that this library writes and reads. A memory in another one is read as none: it is made again from the
/// messages, or from the text that stands for them.
const LAYOUT: u64 = 4;
/// The most bytes of a memory that is read: several times the most that a host may ask for.
const BYTES_MOST: usize = 400_000;
/// The most rows of one kind.
const ROWS_MOST: usize = 8_000;
/// In a context, what stands for the name itself.
const ITSELF: char = '\u{1}';

impl Memory {
    /// Bytes of all that is remembered in JSON.
    pub fn stored(&mut self) -> usize {
        self.to_json().bytes()
    }
}

impl Record for Memory {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut layout = LAYOUT;
        if archive.reads() {
            layout = 0;
        }
        archive.count("layout", &mut layout);
        if layout != LAYOUT {
            *self = Self::default();
            return;
        }
        archive.position("upTo", &mut self.upto);
        rows(archive, "units", &mut self.units, Unit::to_row, Unit::of_row);
        rows(archive, "names", &mut self.names, Name::to_row, Name::of_row);
        let Work { files, checks, commits, running, shows: _, committing: _, pending: _ } = &mut self.work;
        rows(archive, "files", files, File::to_row, File::of_row);
        rows(archive, "checks", checks, Check::to_row, Check::of_row);
        rows(archive, "commits", commits, Commit::to_row, Commit::of_row);
        let mut of_running: Vec<(String, String)> = running.take().into_iter().collect();
        rows(archive, "running", &mut of_running, pair_to_row, pair_of_row);
        *running = of_running.pop();
        rows(archive, "calls", &mut self.calls, pair_to_row, pair_of_row);
        let Marks { first, last, said, plan } = &mut self.marks;
        for (name, mark) in [("first", first), ("last", last), ("said", said), ("plan", plan)] {
            archive.maybe_count(name, mark);
        }
        if archive.reads() {
            self.check(archive);
        }
    }
}

impl Memory {
    /// Rejects what contradicts itself, and brings the rest in order.
    fn check(&mut self, archive: &mut Archive<'_>) {
        let end = self.upto.count;
        if self.units.iter().any(|unit| unit.at >= end) {
            archive.reject("units");
        }
        if self.names.iter().any(|name| name.at >= end) {
            archive.reject("names");
        }
        let bytes: usize = self.units.iter().map(|unit| unit.text.len()).sum::<usize>()
            + self.names.iter().map(Name::bytes).sum::<usize>();
        if bytes > BYTES_MOST {
            archive.reject("units");
        }
        order::by_key(&mut self.units, |unit| order::both(unit.at, unit.order));
    }
}

/// Records as rows. An empty list is written as a missing member.
fn rows<T>(
    archive: &mut Archive<'_>,
    name: &'static str,
    records: &mut Vec<T>,
    to_row: fn(&T) -> Vec<Json>,
    of_row: fn(&[Json]) -> Option<T>,
) {
    let mut all = Json::Null;
    if !archive.reads() && !records.is_empty() {
        all = Json::List(records.iter().map(|record| Json::List(to_row(record))).collect());
    }
    archive.plain(name, &mut all);
    if !archive.reads() || all.is_null() {
        return;
    }
    records.clear();
    let found = all.list().filter(|rows| rows.len() <= ROWS_MOST);
    for row in found.unwrap_or_default() {
        match row.list().and_then(of_row) {
            Some(record) => records.push(record),
            None => return archive.reject(name),
        }
    }
    if found.is_none() {
        archive.reject(name);
    }
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

/// A text, or 0 for none.
fn maybe(value: Option<&Rc<str>>) -> Json {
    value.map_or(Json::Int(0), |value| text(value))
}

/// Reads what [`maybe`] wrote. The inner one is `None` for none.
fn read_maybe(value: Option<&Json>) -> Option<Option<Rc<str>>> {
    match value {
        None | Some(Json::Int(0)) => Some(None),
        Some(value) => Some(Some(Rc::from(value.text()?))),
    }
}

impl Unit<'static> {
    fn to_row(&self) -> Vec<Json> {
        let kind = Kind::ALL.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, name)| name);
        let [speaker, tool, header] = [&self.speaker, &self.tool, &self.header].map(|value| maybe(value.as_ref()));
        let mut row = vec![self.at.into(), self.order.into(), text(kind), text(&self.text), speaker, tool, header];
        if self.kind.is_returned() {
            // How many messages before its own, and one more: in some formats a message holds both.
            let (back, place) = self.call.map_or((0, 0), |(at, place)| (self.at.saturating_sub(at) + 1, place));
            row.extend([back.into(), place.into()]);
        } else {
            let [before, behind] = self.echo;
            row.push(self.length.into());
            row.extend([before, behind, self.answered].map(|percent| Json::from(u64::from(percent))));
        }
        while row.pop_if(|last| matches!(last, Json::Int(0))).is_some() {}
        row
    }

    fn of_row(row: &[Json]) -> Option<Self> {
        let [at, order, kind, said, more @ ..] = row else { return None };
        let kind = Kind::ALL.iter().find(|(_, name)| kind.text() == Some(name))?.0;
        let at = at.count()?;
        let count = |place: usize| more.get(place).map_or(Some(0), Json::count);
        let mut unit = Self {
            at,
            order: order.count()?,
            kind,
            text: Cow::Owned(said.text()?.to_owned()),
            speaker: read_maybe(more.first())?,
            tool: read_maybe(more.get(1))?,
            header: read_maybe(more.get(2))?,
            ..Self::default()
        };
        if kind.is_returned() {
            let (back, place) = (count(3)?, count(4)?);
            unit.call = if back == 0 { None } else { Some(((at + 1).checked_sub(back)?, place)) };
        } else {
            unit.length = count(3)?;
            unit.echo = [count(4)?, count(5)?].map(|echo| echo.min(echo::MOST) as u8);
            unit.answered = count(6)?.min(echo::LEAST_WORTH) as u8;
        }
        Some(unit)
    }
}

impl Name {
    fn to_row(&self) -> Vec<Json> {
        let itself = self.context == self.text;
        let context = if itself {
            Json::Int(0)
        } else if self.context.contains(ITSELF) {
            Json::List(vec![text(&self.context)])
        } else {
            text(&self.context.replacen(&self.text, &ITSELF.to_string(), 1))
        };
        vec![text(&self.text), context, self.at.into(), self.used.into(), self.seen.into()]
    }

    fn of_row(row: &[Json]) -> Option<Self> {
        let [name, context, at, used, seen] = row else { return None };
        let name = name.text()?;
        let context = match context {
            Json::Int(0) => name.to_owned(),
            Json::List(whole) => whole.first()?.text()?.to_owned(),
            context => context.text()?.replacen(ITSELF, name, 1),
        };
        Some(Self { text: name.to_owned(), context, at: at.count()?, used: used.count()?, seen: seen.count()? })
    }
}

impl File {
    fn to_row(&self) -> Vec<Json> {
        let mut row = vec![text(&self.path), self.edits.into(), self.at.into()];
        row.extend(self.runs.then(|| 1_u64.into()));
        row
    }

    fn of_row(row: &[Json]) -> Option<Self> {
        let [path, edits, at, runs @ ..] = row else { return None };
        let runs = match runs {
            [] => false,
            [one] => one.count()? > 0,
            _ => return None,
        };
        Some(Self { path: path.text()?.to_owned(), edits: edits.count()?, at: at.count()?, runs })
    }
}

impl Check {
    fn to_row(&self) -> Vec<Json> {
        vec![text(&self.command), text(&self.verdict), self.at.into()]
    }

    fn of_row(row: &[Json]) -> Option<Self> {
        let [command, verdict, at] = row else { return None };
        Some(Self { command: command.text()?.to_owned(), verdict: verdict.text()?.to_owned(), at: at.count()? })
    }
}

impl Commit {
    fn to_row(&self) -> Vec<Json> {
        vec![text(&self.subject), self.at.into()]
    }

    fn of_row(row: &[Json]) -> Option<Self> {
        let [subject, at] = row else { return None };
        Some(Self { subject: subject.text()?.to_owned(), at: at.count()? })
    }
}

fn pair_to_row(pair: &(String, String)) -> Vec<Json> {
    vec![text(&pair.0), text(&pair.1)]
}

fn pair_of_row(row: &[Json]) -> Option<(String, String)> {
    let [first, second] = row else { return None };
    Some((first.text()?.to_owned(), second.text()?.to_owned()))
}
