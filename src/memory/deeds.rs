//! What was done: calls as activities, what came of each, and the records that tools returned.

use crate::base::distinct::Latest;
use crate::base::{quoting, text};
use crate::ingest::content::Value;
use crate::memory::file_effects::FileEffects;
use crate::memory::work::{self, EVIDENCE};
use crate::memory::{Activity, Entry, Memory, closed, exits, need, outcomes, parse, paths, records};
use crate::model::message::{combine, hash_text};
use std::collections::VecDeque;

/// Bytes of a record.
const RECORD: usize = 400;
/// Activities, and records, that are looked through for each call.
const USED_MOST: usize = 64;
/// Activities while messages are read, and how many that differ in what they say alone stay apart.
const DEEDS_MOST: usize = 2 * USED_MOST;
const DEEDS: usize = 3;

/// What was done while messages are read. What it comes to stands in the memory that each method is given.
#[derive(Default)]
pub(super) struct Deeds<'t> {
    /// What each call did, by its id, which may come again: a result belongs to the newest one.
    calls: Latest<'t, Deed>,
    /// What an assistant without tools did last.
    written: Vec<Deed>,
    /// What came of each activity last; its output is read in the end.
    outcomes: VecDeque<Outcome<'t>>,
    /// The newest outputs that may be records.
    records: VecDeque<Outcome<'t>>,
}

/// What distinguishes an activity from others: see [`Activity`]. Of changes and checks all calls are one.
#[derive(Clone)]
struct Deed {
    /// The hash of the rest: comparing it is enough for most.
    id: u64,
    what: String,
    last: Option<String>,
    /// It writes into the file that is open.
    writes: bool,
    /// What it does to files, by what it is: no part of what distinguishes it.
    effects: Option<FileEffects>,
}

impl PartialEq for Deed {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.what == other.what && self.last == other.last && self.writes == other.writes
    }
}

impl Deed {
    fn new(what: String, last: Option<String>, writes: bool) -> Self {
        let id = combine(hash_text(&what), last.as_deref().map_or(0, hash_text));
        Self { id, what, last, writes, effects: None }
    }

    fn is(&self, one: &Activity) -> bool {
        one.what == self.what && self.last.as_ref().is_none_or(|last| *last == one.last)
    }
}

/// What came of an activity.
struct Outcome<'t> {
    deed: Deed,
    /// What its call said, in short.
    call: String,
    output: Output<'t>,
    failed: bool,
    at: u64,
    /// A later call did not fail.
    over: bool,
}

/// What a tool returned, or what a program printed.
#[derive(Clone, Copy)]
enum Output<'t> {
    Value(&'t Value),
    Text(&'t str),
}

impl<'t> Deeds<'t> {
    /// Notes a call of a tool.
    pub fn call(&mut self, memory: &mut Memory, id: &'t str, name: &str, input: &Value, at: u64) {
        let deed = activity(&mut memory.work, name, input, at);
        self.calls.set(id, deed);
    }

    /// An assistant without tools writes something new.
    pub fn begin_written(&mut self) {
        self.written.clear();
    }

    /// Notes what an assistant without tools wrote to be done.
    pub fn write(&mut self, memory: &mut Memory, name: &str, input: &Value, at: u64) {
        self.written.push(activity(&mut memory.work, name, input, at));
    }

    /// Whether an assistant without tools waits for what a program prints.
    pub fn waits(&self) -> bool {
        !self.written.is_empty()
    }

    /// Notes what a tool returned.
    pub fn result(&mut self, memory: &mut Memory, id: &str, output: &'t Value, failed: bool, at: u64) {
        let Some(deed) = self.calls.get(id).cloned() else { return };
        self.outcome(memory, deed, Output::Value(output), failed, at);
    }

    /// Notes what a program printed that an assistant without tools ran.
    pub fn printed(&mut self, memory: &mut Memory, text: &'t str, at: u64) {
        let failed = outcomes::is_failure(text);
        for deed in core::mem::take(&mut self.written) {
            self.outcome(memory, deed, Output::Text(text), failed, at);
        }
    }

    /// Notes which commits an agent took back with which edits were made.
    pub fn undone(&mut self, memory: &mut Memory, said: &str, at: u64) {
        for removed in outcomes::undone(said) {
            closed::undo(&mut memory.work, removed.split(' ').next().unwrap_or_default());
            let what = format!("undid {}", text::start(&quoting::one_line(removed), EVIDENCE));
            memory.work.push(Activity { what, changes: true, calls: 1, at, ..Activity::default() });
        }
        if memory.work.len() > DEEDS_MOST {
            gather(&mut memory.work, DEEDS);
        }
    }

    fn outcome(&mut self, memory: &mut Memory, mut deed: Deed, output: Output<'t>, failed: bool, at: u64) {
        let printed = match output {
            Output::Value(Value::Text(text)) => text.as_str(),
            Output::Text(text) => text,
            Output::Value(_) => "",
        };
        let Some(mut place) = memory.work.iter().rposition(|one| deed.is(one)) else { return };
        if let (true, Some(file)) = (deed.writes, outcomes::shown(printed)) {
            deed = opened(&mut memory.work, place, &file);
            place = memory.work.len() - 1;
        }
        let one = &mut memory.work[place];
        let failed = failed || outcomes::has_failed(one, printed);
        let failed = failed && !outcomes::found_nothing(&one.what, printed);
        one.failures = one.failures.saturating_add(u64::from(failed));
        one.at = at;
        if let (true, true, Some(commit)) = (work::commits(&one.what), failed, outcomes::commit_of(printed)) {
            one.outcome = Some(format!("{commit}, then failed"));
        }
        if let (true, false, Some(commits)) = (one.changes, failed, outcomes::commits(printed)) {
            one.outcome = Some(commits);
        }
        let outcome = || Outcome { deed: deed.clone(), call: one.last.clone(), output, failed, at, over: false };
        let is_record = match output {
            Output::Value(Value::Text(text)) => text.trim_start().starts_with(['{', '[']),
            Output::Value(value) => matches!(value, Value::Object(_) | Value::Array(_)),
            Output::Text(text) => text.trim_start().starts_with(['{', '[']),
        };
        if is_record && !failed {
            self.records.push_back(outcome());
            if self.records.len() > USED_MOST {
                self.records.pop_front();
            }
        }
        // What was changed says more than that it was.
        if failed || !one.changes || outcomes::complains(printed) {
            if let Some(known) = self.outcomes.iter().rposition(|other| other.deed == deed) {
                self.outcomes.remove(known);
            }
            self.outcomes.push_back(outcome());
            if self.outcomes.len() > DEEDS_MOST {
                self.outcomes.pop_front();
            }
        } else {
            // Why it failed before is shown as long as nothing else is.
            self.outcomes.iter_mut().filter(|other| other.deed == deed).for_each(|other| other.over = true);
        }
        if one.changes && !failed {
            let files: Vec<String> = closed::files(one).into_iter().map(str::to_owned).collect();
            files.iter().for_each(|file| self.forget(memory, file, None));
        }
        if let Some(effects) = deed.effects.filter(|effects| !(failed && effects.alone || exits::left_files(printed))) {
            self.apply_effects(memory, &effects, at);
        }
    }

    /// Drops the records of a file: it is not any more what they say. Those of `source` are kept.
    fn forget(&mut self, memory: &mut Memory, file: &str, source: Option<&str>) {
        if !file.is_empty() {
            let is_of =
                |word: &str| paths::is_same(word, file) && !source.is_some_and(|from| paths::is_same(word, from));
            let holds = |text: &str| text.split([' ', ',']).any(|word| word.contains(['.', '/']) && is_of(word));
            memory.records.retain(|record| !holds(&record.text));
            self.records.retain(|record| !holds(&record.call));
        }
    }

    /// Notes what became of files, and which changes did not last.
    fn apply_effects(&mut self, memory: &mut Memory, effects: &FileEffects, at: u64) {
        let what = quoting::one_line(&effects.what);
        if !effects.alone {
            let known = memory.work.iter().position(|one| one.changes && one.what == what);
            let earlier = known.map(|known| memory.work.remove(known)).unwrap_or_default();
            let calls = earlier.calls.saturating_add(1);
            memory.work.push(Activity { what: what.clone(), changes: true, calls, at, outcome: None, ..earlier });
        }
        for effect in &effects.all {
            closed::close(&mut memory.work, effect, &what);
            for file in effect.files() {
                self.forget(memory, file, effect.source());
            }
        }
    }

    /// Reads the outputs that are shown: of each activity the last one, and the newest records.
    pub fn conclude(self, memory: &mut Memory) {
        for Outcome { deed, output, failed, over, .. } in self.outcomes {
            let Some(one) = memory.work.iter_mut().rfind(|one| deed.is(one)) else { continue };
            // It is void, or committed. Why it failed before a commit is shown behind that.
            let committed = one.outcome.take_if(|outcome| over && outcome.starts_with(closed::COMMIT));
            if one.outcome.is_some() {
                continue;
            }
            let shown = match output {
                Output::Value(value) => outcomes::outcome(one, value),
                Output::Text(text) => outcomes::outcome_of(one, text),
            };
            let shown = shown.map(|shown| text::spaced(&quoting::one_line(&shown))).unwrap_or_default();
            one.outcome = Some(match (failed, over) {
                (true, true) => {
                    let before = outcomes::behind("failed before", &shown);
                    committed.map_or(before.clone(), |commit| format!("{commit}{}{before}", closed::BEHIND_COMMITS))
                }
                (true, false) if !exits::is_shown(&shown) => outcomes::behind("failed", &shown),
                _ => shown,
            });
            one.outcome.take_if(|outcome| outcome.is_empty());
        }
        gather_alike(&mut memory.work);
        gather(&mut memory.work, DEEDS);
        for Outcome { deed: Deed { what, .. }, call, output, at, .. } in self.records {
            let key = if call.is_empty() { what } else { format!("{what} {}", text::start(&call, EVIDENCE / 2)) };
            let parsed = match output {
                Output::Value(value) => records::line_beside(value, RECORD, &key),
                Output::Text(text) => parse::strict(text)
                    .or_else(|| parse::lines(text))
                    .and_then(|value| records::line_beside(&value, RECORD, &key)),
            };
            let Some(line) = parsed else { continue };
            let records = &mut memory.records;
            records.retain(|record| record.text != key);
            records.push(Entry { text: key, outcome: Some(quoting::one_line(&line)), at, ..Entry::default() });
            if records.len() > USED_MOST {
                let last = need::by_need(&records.iter().collect::<Vec<_>>()).pop();
                last.map(|last| records.remove(last));
            }
        }
    }
}

/// Notes a call: what it did.
fn activity(all: &mut Vec<Activity>, name: &str, input: &Value, at: u64) -> Deed {
    let described = work::describe(name, input);
    let (what, last) = (quoting::one_line(&described.what), text::spaced(&quoting::one_line(&described.last)));
    let is_one = described.changes || work::checks(&what) || work::plans(name);
    let mut deed = Deed::new(what, Some(last.clone()).filter(|_| !is_one), described.writes);
    deed.effects = described.effects;
    // The one used last stands last.
    let known = all.iter().rposition(|one| deed.is(one));
    let earlier = known.map(|known| all.remove(known)).unwrap_or_default();
    all.push(Activity {
        what: deed.what.clone(),
        changes: described.changes,
        calls: earlier.calls.saturating_add(1),
        last,
        outcome: None,
        at,
        ..earlier
    });
    if all.len() > DEEDS_MOST {
        gather(all, DEEDS);
    }
    deed
}

/// Joins activities that differ in what they say alone, but for the newest ones of each kind.
fn gather(all: &mut Vec<Activity>, apart: usize) {
    let mut at = all.len();
    while at > 0 {
        at -= 1;
        if all[at].changes || work::checks(&all[at].what) {
            continue;
        }
        let alike = |one: &Activity| one.what == all[at].what && !one.changes;
        if all[at + 1..].iter().filter(|one| alike(one)).count() < apart {
            continue;
        }
        let Some(earlier) = all[..at].iter().rposition(alike) else { continue };
        let earlier = all.remove(earlier);
        at -= 1;
        join(&mut all[at], &earlier);
        at += 1;
    }
    while all.len() > USED_MOST {
        let weakest = all.iter().position(|one| !work::checks(&one.what) && !one.changes);
        all.remove(weakest.or_else(|| all.iter().position(closed::is_undone)).unwrap_or(0));
    }
}

/// Joins activities of the same kind that came to the same.
fn gather_alike(all: &mut Vec<Activity>) {
    let mut at = all.len();
    while at > 0 {
        at -= 1;
        let one = &all[at];
        let alike = |other: &Activity| {
            other.what == one.what && !other.changes && other.outcome.is_some() && other.outcome == one.outcome
        };
        if let Some(earlier) = all[..at].iter().rposition(alike) {
            let earlier = all.remove(earlier);
            at -= 1;
            join(&mut all[at], &earlier);
            at += 1;
        }
    }
}

/// An activity that wrote into the file that was open, now that this is known: it counts with the others of the file.
fn opened(all: &mut Vec<Activity>, place: usize, file: &str) -> Deed {
    let mut one = all.remove(place);
    one.what = format!("{} {}", one.what, quoting::one_line(file));
    one.changes = true;
    let deed = Deed::new(one.what.clone(), None, false);
    if let Some(known) = all.iter().position(|other| deed.is(other)) {
        let earlier = all.remove(known);
        one.calls = one.calls.saturating_add(earlier.calls);
        one.failures = one.failures.saturating_add(earlier.failures);
    }
    all.push(one);
    deed
}

/// Adds to an activity an earlier one of its kind: what was done first stands first, as far as there is room.
fn join(one: &mut Activity, earlier: &Activity) {
    const BETWEEN: &str = "; ";
    const MORE: &str = "…; ";
    one.calls = one.calls.saturating_add(earlier.calls);
    one.failures = one.failures.saturating_add(earlier.failures);
    if earlier.last.is_empty() || one.last.starts_with(MORE) || text::find(&one.last, &earlier.last).is_some() {
        return;
    }
    let fits = earlier.last.len() + BETWEEN.len() + one.last.len() <= EVIDENCE;
    one.last = if fits { format!("{}{BETWEEN}{}", earlier.last, one.last) } else { format!("{MORE}{}", one.last) };
}
