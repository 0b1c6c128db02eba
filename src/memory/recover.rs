//! A memory from a text in the view: where the state that held it was lost, or an earlier version wrote it.

use crate::base::headings::{DECIDED, LINES, NAMES, RULES, TASKS, TOLD};
use crate::base::references;
use crate::memory::{Entry, Memory, NOWHERE, Name};

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
        if let Some((from, list)) =
            LINES.iter().enumerate().find_map(|(from, start)| Some((from, line.strip_prefix(start)?)))
        {
            if heading == NAMES {
                // No name holds a comma before a space.
                let names = list.split(", ").filter(|name| !name.is_empty());
                memory.names.extend(names.map(|name| Name { text: name.to_owned(), by: 1 << from, seen: 1, at }));
            }
            continue;
        }
        let Some(text) = references::without(line).strip_prefix("- ") else { continue };
        let list = match heading {
            RULES => &mut memory.required,
            DECIDED => &mut memory.decided,
            TOLD => &mut memory.told,
            TASKS => &mut memory.tasks,
            _ => continue,
        };
        let state = STATES.iter().position(|state| text.starts_with(state));
        let text = state.map_or(text, |state| text.strip_prefix(STATES[state]).unwrap_or(text));
        let (text, outcome) = match text.split_once(" → ") {
            Some((text, outcome)) if state != Some(0) => (text, Some(outcome.to_owned())),
            _ => (text, None),
        };
        let cancelled = state == Some(2);
        list.push(Entry { text: text.to_owned(), at, outcome, cancelled, place: Some(NOWHERE), ..Entry::default() });
    }
    memory
}
