//! The bound of a memory: what falls out where it is reached. The weakest and longest unused first; a request and what is
//! required only when nothing else is left.

use crate::base::archive::Record;
use crate::base::id_map::IdMap;
use crate::base::json::quoted_bytes;
use crate::base::{quoting, text};
use crate::memory::absorb::Recollection;
use crate::memory::names::Met;
use crate::memory::{Activity, ENTRIES_MOST, Entry, Memory, Name, in_force, listed, need, work};

/// Bytes that an entry, and a name, take beside their text.
const ENTRY: usize = 24;
const NAME: usize = 4;
/// Of the bytes of a memory in JSON, about those that its texts take, in percent.
const TEXT_SHARE: usize = 87;
/// What names have in any case, if there are so many: of the bytes in percent, and all beyond what the rest needs.
const NAMES_SHARE: usize = 5;
const REST: usize = 8_000;
/// Of the bytes, what requests may take in percent: beyond it those in the middle are shown by how they begin.
const TASKS_SHARE: usize = 15;
/// The newest requests: what was wished for with them is not over.
const CURRENT: usize = 3;
/// Bytes of a request in the middle, and of records and outcomes that are long unused.
const BEGINNING: usize = 100;

impl Entry {
    fn bytes(&self) -> usize {
        let more = self.outcome.as_ref().map_or(0, String::len) + self.was.as_ref().map_or(0, String::len);
        self.text.len() + self.who.as_ref().map_or(0, String::len) + more + ENTRY
    }
}

impl Activity {
    fn bytes(&self) -> usize {
        self.what.len() + self.last.len() + self.outcome.as_ref().map_or(0, String::len) + ENTRY
    }
}

impl Name {
    fn bytes(&self) -> usize {
        NAME + if self.listed.is_some() { 0 } else { self.text.len() }
    }
}

impl Memory {
    /// Bytes of all that is remembered: its texts, and a little for each entry.
    pub(super) fn bytes(&mut self) -> usize {
        let names: usize = self.names.iter().map(Name::bytes).sum();
        let work: usize = self.work.iter().map(Activity::bytes).sum();
        self.entries().iter().map(|(_, entries)| entries.iter().map(Entry::bytes).sum::<usize>()).sum::<usize>()
            + names
            + work
    }

    /// Bytes of all that is remembered in JSON.
    pub fn stored(&mut self) -> usize {
        self.to_json().bytes()
    }

    /// Takes the power from what a state that was forged may hold: lines and markers of ours.
    pub(super) fn disarm(&mut self) {
        let plain = |text: &mut String| {
            let quoted = quoting::quote(text);
            // Lines that were marked are not marked again.
            *text = quoted.replace("\n| |", "\n|");
        };
        for (_, entries) in self.entries() {
            for entry in entries {
                plain(&mut entry.text);
                entry.who.iter_mut().for_each(|who| *who = quoting::speaker_label(who));
                entry.outcome.iter_mut().chain(&mut entry.was).for_each(plain);
            }
        }
        for one in &mut self.work {
            plain(&mut one.what);
            plain(&mut one.last);
            one.outcome.iter_mut().for_each(plain);
        }
        for name in &mut self.names {
            quoting::make_one_line(&mut name.text);
        }
    }
}

/// Counts what names take in JSON, where those that were met alike share a row, and those that the newest text lists are
/// numbers in a list.
#[derive(Default)]
struct StoredNames {
    rows: IdMap,
}

impl StoredNames {
    /// Bytes that all of these names take.
    fn all(mut self, names: &[Name]) -> usize {
        let mut left = usize::MAX;
        names.iter().for_each(|name| {
            self.add(name, &mut left);
        });
        usize::MAX - left
    }

    /// Adds a name if what it takes is left.
    fn add(&mut self, name: &Name, left: &mut usize) -> bool {
        let Name { text, by, seen, at, listed } = name;
        let (by, seen, at) = (*by, *seen, *at);
        let digits = |number: u64| number.checked_ilog10().unwrap_or(0) as usize + 1;
        // Numbers beyond these bits would only make two rows count as one.
        let row = (by << 16 | seen.min(0xffff)) << 40;
        let parts = [
            (row, "[,],".len() + digits(by) + digits(seen)),
            (row | (at + 1) << 1, ",".len() + digits(at)),
            (row | (at + 1) << 1 | u64::from(listed.is_some()), "[\"\"],".len()),
        ];
        let new = parts.iter().filter(|(id, _)| self.rows.get(*id).is_none());
        let itself = listed.map_or_else(|| quoted_bytes(text), digits);
        let cost = ",".len() + itself + new.map(|(_, bytes)| bytes).sum::<usize>();
        let fits = cost <= *left;
        if fits {
            *left -= cost;
            parts.iter().for_each(|(id, _)| self.rows.insert(*id, 0));
        }
        fits
    }
}

impl Recollection<'_> {
    /// What of it is kept in the state: within about so many `bytes` of text, and names only as long as all of it takes no
    /// more than `stored` bytes in JSON beside `digest`, the newest text, which need not be said twice.
    pub fn bounded(&self, bytes: usize, stored: usize, digest: &str) -> Memory {
        let bytes = bytes.min(stored * TEXT_SHARE / 100);
        let mut memory = self.memory.clone();
        memory.names.clear();
        memory.entries().into_iter().flat_map(|(_, entries)| entries).for_each(|entry| entry.topic = None);
        let numbers = listed::numbers(digest);
        let names = self.names.iter().map(|Met { text, by, seen, at }| {
            let listed = numbers.get(text).copied();
            Name { text: (*text).to_owned(), by: *by, seen: *seen, at: *at, listed }
        });
        let names: Vec<Name> = names.collect();
        let wanted: usize = names.iter().map(Name::bytes).sum();
        let reserved = (bytes * NAMES_SHARE / 100).max(bytes.saturating_sub(REST));
        let of_names = StoredNames::default().all(&names);
        let room = (bytes - reserved.min(wanted)).min(stored.saturating_sub(reserved.min(of_names)) * TEXT_SHARE / 100);
        memory.skipped += shorten_tasks(&mut memory.tasks, bytes.min(REST) * TASKS_SHARE / 100);
        let mut over = memory.bytes().saturating_sub(room);
        // What is no longer asserted, and what concerned an earlier request alone; then what was done, returned and told,
        // from what is longest unused on.
        let current = memory.tasks.len().checked_sub(CURRENT).map_or(0, |at| memory.tasks[at].at);
        let is_over = |entry: &Entry| !in_force(entry) || entry.passing && entry.at < current;
        for list in [&mut memory.decided, &mut memory.told, &mut memory.required] {
            drop_oldest(list, &mut over, 0, &is_over);
        }
        drop_records(&mut memory.records, &mut over, 4);
        while over > 0 && memory.work.len() > 8 {
            let one = memory.work.iter().position(|one| !one.changes && !work::checks(&one.what)).unwrap_or(0);
            over = over.saturating_sub(memory.work.remove(one).bytes());
        }
        drop_oldest(&mut memory.said, &mut over, 1, &|_| true);
        drop_records(&mut memory.records, &mut over, 0);
        while over > 0 && !memory.work.is_empty() {
            over = over.saturating_sub(memory.work.remove(0).bytes());
        }
        for list in [&mut memory.decided, &mut memory.told] {
            drop_oldest(list, &mut over, 0, &|entry| entry.passing);
        }
        for list in [&mut memory.told, &mut memory.decided, &mut memory.said] {
            drop_oldest(list, &mut over, 0, &|_| true);
        }
        // Names give way before requirements and requests do.
        let mut left = bytes.saturating_sub(memory.bytes());
        let mut left_stored = stored.saturating_sub(memory.stored());
        let mut rows = StoredNames::default();
        for name in names.into_iter().take(ENTRIES_MOST) {
            let cost = name.bytes();
            if cost <= left && rows.add(&name, &mut left_stored) {
                left -= cost;
                memory.names.push(name);
            }
        }
        memory.sort_names();
        let mut over = memory.bytes().saturating_sub(bytes);
        if over > 0 {
            memory.names.clear();
            over = memory.bytes().saturating_sub(bytes);
            drop_oldest(&mut memory.required, &mut over, 1, &|_| true);
            let tasks = memory.tasks.len();
            drop_oldest(&mut memory.tasks, &mut over, 2, &|_| true);
            memory.skipped += (tasks - memory.tasks.len()) as u64;
        }
        memory
    }
}

/// Removes entries for which `may` holds from the one that is longest unused on, as long as something is over and more than
/// `least` are left.
fn drop_oldest(list: &mut Vec<Entry>, over: &mut usize, least: usize, may: &dyn Fn(&Entry) -> bool) {
    while *over > 0 && list.len() > least {
        let oldest = list.iter().enumerate().filter(|(_, entry)| may(entry)).min_by_key(|(_, entry)| entry.at);
        let Some((at, _)) = oldest else { return };
        *over = over.saturating_sub(list.remove(at).bytes());
    }
}

/// Removes the least needed records as long as something is over and more than `least` are left.
fn drop_records(all: &mut Vec<Entry>, over: &mut usize, least: usize) {
    let order = need::by_need(&all.iter().collect::<Vec<_>>());
    let mut stays = vec![true; all.len()];
    for &at in order.iter().skip(least).rev() {
        if *over == 0 {
            break;
        }
        *over = over.saturating_sub(all[at].bytes());
        stays[at] = false;
    }
    let mut stays = stays.into_iter();
    all.retain(|_| stays.next().unwrap_or(true));
}

/// Cuts a text to its beginning, once: what was cut is left as it is.
fn shorten(text: &mut String, bytes: usize) {
    if text.len() > bytes + "…".len() {
        *text = text::start(text, bytes);
    }
}

/// Brings requests to a size: those between the first one and the newest are shown by how they begin, and then go; then all
/// but the newest one are shown in less. How many went.
fn shorten_tasks(tasks: &mut Vec<Entry>, bytes: usize) -> u64 {
    let over = |tasks: &[Entry]| tasks.iter().map(Entry::bytes).sum::<usize>().saturating_sub(bytes);
    let middle = 1..tasks.len().saturating_sub(CURRENT).max(1);
    for at in middle {
        if over(tasks) == 0 {
            return 0;
        }
        let outcome = tasks[at].outcome.iter_mut();
        outcome.for_each(|outcome| shorten(outcome, BEGINNING / 2));
        shorten(&mut tasks[at].text, BEGINNING);
    }
    let mut gone = 0;
    while over(tasks) > 0 && tasks.len() > 1 + CURRENT {
        tasks.remove(1);
        gone += 1;
    }
    let earlier = 1..tasks.len().saturating_sub(1).max(1);
    for (at, most) in earlier.map(|at| (at, BEGINNING * 2)).chain([(0, BEGINNING * 6)]) {
        if over(tasks) > 0 && at + 1 < tasks.len() {
            shorten(&mut tasks[at].text, most);
        }
    }
    gone
}
