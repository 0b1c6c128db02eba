//! A memory from a text in the view: where the state that held it was lost, or an earlier version wrote it.

use crate::base::headings::{DECIDED, NAMES, RULES, TASKS, TOLD, WORK};
use crate::base::{references, text};
use crate::memory::lines::ARROW;
use crate::memory::{Activity, Entry, Memory, NOWHERE, Name, listed};

/// How requests begin, those of an earlier version among them.
const STATES: [&str; 3] = ["[open] ", "[answered] ", "[cancelled] "];

/// What a text of ours says, as if the message with the index `at` had said it all: one that is no longer in the view.
pub fn of(text: &str, at: u64) -> Memory {
    let mut memory = Memory::default();
    let mut heading = "";
    for line in text.lines() {
        if line.starts_with("## ") {
            heading = line;
            continue;
        }
        if heading == NAMES {
            listed::each(line, &mut |from, name| {
                memory.names.push(Name { text: name.to_owned(), by: 1 << from, seen: 1, at, ..Name::default() });
            });
            continue;
        }
        let Some(text) = references::without(line).strip_prefix("- ") else { continue };
        let list = match heading {
            RULES => &mut memory.required,
            DECIDED => &mut memory.decided,
            TOLD => &mut memory.told,
            TASKS => &mut memory.tasks,
            WORK => {
                memory.work.extend(activity(text, at));
                continue;
            }
            _ => continue,
        };
        let state = STATES.iter().position(|state| text.starts_with(state));
        let text = state.map_or(text, |state| text.strip_prefix(STATES[state]).unwrap_or(text));
        let (text, outcome) = match text.split_once(ARROW) {
            Some((text, outcome)) if state != Some(0) => (text, Some(outcome.to_owned())),
            _ => (text, None),
        };
        let cancelled = state == Some(2);
        list.push(Entry { text: text.to_owned(), at, outcome, cancelled, place: Some(NOWHERE), ..Entry::default() });
    }
    memory
}

/// What a progress note says was done, as if the message with the index `at` had done it all.
pub fn work(note: &str, at: u64) -> Vec<Activity> {
    let lines = note.lines().filter_map(|line| references::without(line).strip_prefix("- "));
    lines.filter_map(|line| activity(line, at)).collect()
}

/// A line of work, of an earlier version as well: `edit a.rs (2×, 1 failed): new ← was old → outcome`.
fn activity(line: &str, at: u64) -> Option<Activity> {
    if line.starts_with('(') {
        return None;
    }
    let (done, outcome) = match line.rfind(ARROW) {
        Some(arrow) => (text::between(line, 0, arrow), Some(line[arrow + ARROW.len()..].to_owned())),
        None => (line, None),
    };
    let (head, last) = done.split_once(": ").unwrap_or((done, ""));
    let counted = head.strip_suffix(')').and_then(|head| head.rsplit_once(" ("));
    let counted = counted.and_then(|(what, counts)| Some((what, counts.split_once('×')?)));
    let (what, (calls, failures)) = counted.unwrap_or((head, ("1", "")));
    let count = |text: &str| text::whole(text.trim_matches(|char: char| !char.is_ascii_digit())).unwrap_or(0);
    Some(Activity {
        what: what.to_owned(),
        calls: count(calls).max(1),
        failures: count(failures),
        last: last.to_owned(),
        outcome,
        at,
        ..Activity::default()
    })
}
