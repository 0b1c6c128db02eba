//! What is remembered as a text: the digest that stands for a past where no model wrote a summary, and what code keeps
//! beside one that a model wrote. In the order in which one goes on: what was asked, what was agreed, the state of the
//! work, what is open and comes next, then what else is remembered.

use crate::base::distinct::Distinct;
use crate::base::headings::{BEFORE, DECIDED, KEPT, LINES, NAMES, NEXT, OPENING, RECORDS, RULES, TASKS, TOLD, WORK};
use crate::base::{quoting, references, text};
use crate::ingest::host::Todo;
use crate::memory::absorb::Recollection;
use crate::memory::lines::{ARROW, LEAST, Line, cut_work};
use crate::memory::name_list::{Added, NameList};
use crate::memory::names::{self, Met};
use crate::memory::sections::{self, Section};
use crate::memory::{Activity, Entry, in_force, need, proper, records, work};

/// How a request is marked that nobody answered, and one that was called off.
const OPEN: &str = "- [open] ";
const CANCELLED: &str = "- [cancelled] ";
/// Activities from which on those that changed, checked and failed nothing are shortened: only the newest, in so many bytes each.
const CROWDED: usize = 14;
const REST: usize = 6;
const REST_BYTES: usize = 100;
/// Of what is left then, in percent, what names have in any case if there are so many: where there is little room a name
/// says most for its bytes.
const NAMES_SHARE: usize = 60;
/// The same beside a summary by a model, which names things itself.
const NAMES_BESIDE: usize = 20;
/// Bytes of a small text, and what names have at most of those beyond: where there is more room, one reads first what was
/// asked and done.
const SMALL: usize = 2_000;
const NAMES_BEYOND: usize = 35;

/// Bytes of the shortest text that says how what it covers is looked up.
const LEAST_REFERRED: usize = 600;

/// What a text is written of.
pub struct Source<'a> {
    /// What is remembered.
    pub known: &'a Recollection<'a>,
    /// The newest summary by a model; empty if there is none.
    pub summary: &'a str,
    /// The host's todo list.
    pub todos: &'a [Todo],
    /// Whether the message with this index stands in the view: what it says is not repeated.
    pub visible: &'a dyn Fn(u64) -> bool,
    /// Where the model can look up what is covered: how many messages that are.
    pub references: Option<u64>,
    /// The index of the request behind which a progress note shows what was done about it: the digest does not.
    pub turn: Option<u64>,
}

/// What was left out of a text for want of room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// A requirement is not shown whole, or neither a requirement nor a request at all.
    pub required: bool,
    /// Something that was asked, required, decided or told is not shown whole.
    pub remembered: bool,
    /// Names that are known are not shown.
    pub names: bool,
}

impl Source<'_> {
    /// The digest within about `bytes`. With `least`, what a person required or asked for goes before all else.
    pub fn digest(&self, bytes: usize, least: bool) -> (String, LeftOut) {
        let mut out = String::from(OPENING);
        self.refer(&mut out, bytes);
        let left_out = self.write(&mut out, bytes, least, true);
        (out, left_out)
    }

    /// Appends to a summary by a model what code keeps beside it, within about `bytes`.
    pub fn keep(&self, summary: &mut String, bytes: usize) -> LeftOut {
        disown(summary);
        let mut out = String::from(KEPT);
        self.refer(&mut out, bytes);
        let left_out = self.write(&mut out, bytes, false, false);
        if out.len() > KEPT.len() {
            leave_out(summary, &out);
            summary.push_str("\n\n");
            summary.push_str(&out);
        }
        left_out
    }

    /// Says what is covered and how it is looked up, unless that would take much of the room.
    fn refer(&self, out: &mut String, bytes: usize) {
        if let Some(count) = self.references.filter(|_| bytes >= LEAST_REFERRED) {
            out.push('\n');
            out.push_str(&references::legend(count));
        }
    }

    /// Whether a message belongs to the turn that has a progress note.
    pub(super) fn is_of_turn(&self, at: u64) -> bool {
        self.turn.is_some_and(|turn| at > turn)
    }

    /// A line with the reference of the message it comes from.
    pub(super) fn referred(&self, line: String, at: u64) -> String {
        if self.references.is_none_or(|count| at >= count) { line } else { line + &references::behind(at) }
    }

    /// An entry's place in the history.
    fn entry(&self, line: String, entry: &Entry) -> String {
        self.referred(line, entry.place.unwrap_or(entry.at))
    }

    /// Writes the sections and the names, as much as there is room for. Beside a summary by a model, which is not `whole`,
    /// what it says itself is left out.
    fn write(&self, out: &mut String, bytes: usize, least: bool, whole: bool) -> LeftOut {
        let mut sections = self.sections(bytes, least, whole);
        let asks = self.known.memory.tasks.iter().any(|task| self.is_shown(task));
        let room = bytes.saturating_sub(out.len());
        let (reserved, for_records) = if least { (0, 0) } else { self.reserved(&sections, room, whole) };
        let had = sections.iter().map(|section| section.heading).collect::<Vec<_>>();
        let mut caps = sections::readable(&mut sections, room, reserved);
        if let Some(at) = sections.iter().position(|section| section.heading == RECORDS) {
            caps[at] += for_records;
        }
        let gone = |heading: &&str| sections.iter().all(|section| section.heading != *heading);
        let mut left_out = LeftOut {
            required: false,
            names: false,
            remembered: had.iter().filter(|heading| gone(heading)).any(is_remembered),
        };
        let (mut left, mut begun) = (room, false);
        for (section, cap) in sections.into_iter().zip(caps) {
            let heading = section.heading;
            let rules = heading == RULES;
            let wanted = section.body();
            let body = sections::fit(&section, cap.saturating_sub(heading.len() + 3));
            let is_cut = body.len() < wanted;
            left_out.required |= is_cut && rules;
            left_out.remembered |= is_cut && is_remembered(&heading);
            if body.is_empty() {
                continue;
            }
            begun |= rules || heading == TASKS;
            left = left.saturating_sub(heading.len() + 3 + body.len());
            out.push_str("\n\n");
            out.push_str(heading);
            out.push('\n');
            out.push_str(body.trim_end());
        }
        left_out.names = self.names(out, left);
        left_out.required |= asks && !begun && whole;
        left_out
    }

    /// The sections that have any lines, in their order, with their shares of the room.
    fn sections(&self, bytes: usize, least: bool, whole: bool) -> Vec<Section> {
        let memory = &self.known.memory;
        let list = |entries: &[Entry], write: fn(&Entry) -> String| {
            let shown = entries.iter().filter(|entry| self.is_shown(entry));
            shown.map(|entry| self.entry(write(entry), entry)).collect::<Vec<_>>()
        };
        let plain = |entries: &[Entry]| list(entries, sentence);
        let section = |heading, lines: Vec<String>, share| Section {
            heading,
            lines: lines.into_iter().map(Line::from).collect(),
            left_out: 0,
            share,
        };
        let mut sections = if whole {
            let (work, earlier) = self.work();
            let skipped = usize::try_from(memory.skipped).unwrap_or(usize::MAX);
            let before = Some(self.summary.trim()).filter(|summary| !summary.is_empty());
            let before = before.map(|summary| format!("- {}", quoting::with_breaks(summary, "\n| ")));
            let first = if least { 40 } else { 1 };
            vec![
                Section { left_out: skipped, ..section(TASKS, list(&memory.tasks, request), 28 * first) },
                section(BEFORE, before.into_iter().collect(), 25),
                section(RULES, plain(&memory.required), 50 * first),
                section(DECIDED, plain(&memory.decided), 12),
                section(TOLD, plain(&memory.told), 14),
                Section { heading: WORK, lines: work, left_out: earlier, share: 40 },
                section(NEXT, self.next(), 40),
                section(RECORDS, self.records(bytes / 2), 32),
            ]
        } else {
            vec![
                section(RULES, plain(&memory.required), 25),
                section(DECIDED, plain(&memory.decided), 20),
                section(TOLD, plain(&memory.told), 30),
                section(RECORDS, self.records(bytes / 8), 10),
            ]
        };
        sections.retain(|section| !section.lines.is_empty());
        sections
    }

    /// Whether an entry is asserted, and stands nowhere else in the view.
    fn is_shown(&self, entry: &Entry) -> bool {
        in_force(entry) && !(self.visible)(entry.at)
    }

    /// The bytes reserved for names, and those that records have of them: a name that a record holds is not shown again.
    fn reserved(&self, sections: &[Section], room: usize, whole: bool) -> (usize, usize) {
        let share = if whole { NAMES_SHARE } else { NAMES_BESIDE };
        let rest = room - sections::said(sections, room);
        let small = rest.min(SMALL);
        let most = small * share / 100 + (rest - small) * share.min(NAMES_BEYOND) / 100;
        let wanted = |names: &mut dyn Iterator<Item = &Met<'_>>| {
            let bytes: usize = names.map(|name| name.text.len() + 2).sum();
            most.min(bytes + NAMES.len() + 60)
        };
        let all = wanted(&mut self.known.names.iter());
        let Some(records) = sections.iter().find(|section| section.heading == RECORDS) else { return (all, 0) };
        let mut held: Distinct<'_> = Distinct::default();
        for line in &records.lines {
            names::add(&line.text, &mut held);
        }
        let others = wanted(&mut self.known.names.iter().filter(|name| held.find(name.text).is_none()));
        (all, all - others)
    }

    /// What was done, what failed, what was changed, then checks; the one used last stands last. How much more was done
    /// before.
    fn work(&self) -> (Vec<Line>, usize) {
        let all = &self.known.memory.work;
        // What a record holds is shown there.
        let kept = &self.known.memory.records;
        let is_record = |one: &Activity| one.outcome.is_some() && kept.iter().any(|record| records::is_of(record, one));
        // What matters most stands last: of too many lines the first ones go.
        let is_shown = |one: &Activity| is_work(one) && !is_record(one) && !self.is_of_turn(one.at);
        let at = |wanted: usize| all.iter().filter(move |one| rank(one) == wanted && is_shown(one));
        let mut rest: Vec<&Activity> = at(0).collect();
        let crowded = all.len() > CROWDED;
        // Where much was done, the newest of the rest are enough, in short.
        let more = if crowded { rest.len().saturating_sub(REST) } else { 0 };
        rest.drain(..more);
        let most = if crowded { REST_BYTES } else { usize::MAX };
        let rest = rest.into_iter().map(|one| self.activity(one, most));
        let others = (1..4).flat_map(|rank| at(rank).map(|one| self.activity(one, usize::MAX)));
        (rest.chain(others).collect(), more)
    }

    /// A line of work of at most so many bytes: it may be longer than others if it says what was changed, checked or failed.
    pub(super) fn activity(&self, one: &Activity, most: usize) -> Line {
        let reference = self.referred(String::new(), one.at);
        let mut line = Line { text: activity(one), reference, matters: rank(one) > 0 };
        line.text = cut_work(&line, most);
        line
    }

    /// What is still to be done, and what the assistant said last.
    fn next(&self) -> Vec<String> {
        let memory = &self.known.memory;
        let is_open = |todo: &&Todo| !matches!(todo.status.as_str(), "completed" | "done" | "cancelled" | "canceled");
        let open = self.todos.iter().filter(is_open);
        let mut lines: Vec<String> = open
            .map(|todo| format!("- [{}] {}", quoting::quote(&todo.status), quoting::quote(todo.content.trim())))
            .collect();
        let done = self.todos.len() - lines.len();
        if done > 0 {
            lines.push(format!("- {done} more done"));
        }
        if self.todos.is_empty() {
            // The list that the assistant keeps by a tool.
            let plan = memory.work.iter().rfind(|one| work::plans(&one.what) && !one.last.is_empty());
            lines.extend(plan.map(|plan| format!("- {}", plan.last)));
        }
        // What was said before the newest request is over.
        let newest = memory.tasks.last().map_or(0, |task| task.at);
        let since = memory.said.iter().filter(|entry| entry.at > newest).count().min(2);
        let from = memory.said.len().saturating_sub(since);
        let said = memory.said[from..].iter().filter(|entry| !(self.visible)(entry.at));
        // What stands beside the request that it answers is not repeated.
        let is_repeated = |entry: &&Entry| {
            let is_answer = |task: &Entry| {
                task.outcome
                    .as_deref()
                    .is_some_and(|outcome| !outcome.is_empty() && quoting::one_line(&entry.text) == outcome)
            };
            memory.tasks.iter().any(is_answer)
        };
        let said = said.filter(|entry| !is_repeated(entry) && !self.is_of_turn(entry.at));
        lines.extend(said.map(|entry| self.entry(format!("- The assistant: {}", entry.text), entry)));
        lines
    }

    /// What tools returned, the most important at the end; no more than about so many bytes. That is the newest of each
    /// tool, then the second newest of each: many searches do not push out what they were made for.
    fn records(&self, bytes: usize) -> Vec<String> {
        let all: Vec<&Entry> = self.known.memory.records.iter().filter(|entry| !(self.visible)(entry.at)).collect();
        let mut room = bytes;
        let mut lines = Vec::new();
        for entry in need::by_need(&all).into_iter().map(|at| all[at]) {
            let line = format!("- {}: {}", entry.text, entry.outcome.as_deref().unwrap_or_default());
            let line = self.entry(line, entry);
            if room < LEAST {
                break;
            }
            room = room.saturating_sub(line.len());
            lines.push(line);
        }
        lines.reverse();
        lines
    }

    /// Names that are not shown yet, within so many bytes. Whether there are more.
    fn names(&self, out: &mut String, bytes: usize) -> bool {
        let mut room = bytes.saturating_sub(NAMES.len() + 2);
        let before = out.clone();
        let mut list = NameList::default();
        list.hold_all(&before);
        let mut more = false;
        let mut begun = [false; LINES.len()];
        for name in &self.known.names {
            let is_repeated =
                || name.text.starts_with(|first: char| first >= '\u{3000}') && text::find(&before, name.text).is_some();
            if name.text.contains(", ") && !proper::is_date(name.text) || (self.visible)(name.at) || is_repeated() {
                continue;
            }
            let line = name.line();
            let heading = if begun[line] { 0 } else { LINES[line].len() };
            match list.add(name.text, line, heading, &mut room) {
                Added::Yes => begun[line] = true,
                Added::Shown => {}
                Added::NoRoom => more = true,
            }
        }
        let mut headed = false;
        for (line, start) in LINES.iter().enumerate() {
            let names = list.of_line(line).collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                if !headed {
                    out.push_str("\n\n");
                    out.push_str(NAMES);
                    headed = true;
                }
                out.push('\n');
                out.push_str(start);
                out.push_str(&names);
            }
        }
        more
    }
}

/// What an entry took the place of stands behind this.
const WAS: &str = " (was: ";

/// A sentence with what it took the place of.
fn sentence(entry: &Entry) -> String {
    match &entry.was {
        Some(was) => format!("- {}{WAS}{was})", entry.spoken()),
        None => format!("- {}", entry.spoken()),
    }
}

/// A request with what came of it.
fn request(task: &Entry) -> String {
    let text = task.spoken();
    match &task.outcome {
        None => format!("{OPEN}{text}"),
        Some(words) if task.cancelled => format!("{CANCELLED}{text}{ARROW}{words}"),
        Some(answer) if answer.is_empty() => format!("- {text}"),
        Some(answer) => format!("- {text}{ARROW}{answer}"),
    }
}

/// How much work matters: 3 a check, 2 a change, 1 what failed, 0 all else.
fn rank(one: &Activity) -> usize {
    match one {
        one if one.changes || work::commits(&one.what) => 2,
        one if work::checks(&one.what) => 3,
        one if one.failures > 0 => 1,
        _ => 0,
    }
}

/// Whether a call is work that is shown: it does not only keep a list, or prepare what comes next without failing.
pub(super) fn is_work(one: &Activity) -> bool {
    !work::plans(&one.what) && (one.changes || one.failures > 0 || !work::prepares(&one.what))
}

/// What was done, how often, and what came of it.
fn activity(one: &Activity) -> String {
    let mut line = format!("- {}", one.what);
    if one.calls > 1 {
        line.push_str(&format!(" ({}×", one.calls));
        if one.failures > 0 {
            line.push_str(&format!(", {} failed", one.failures));
        }
        line.push(')');
    }
    if !one.last.is_empty() {
        line.push_str(": ");
        line.push_str(&one.last);
    }
    if let Some(outcome) = &one.outcome {
        line.push_str(ARROW);
        line.push_str(outcome);
    }
    line
}

/// Whether a section holds what was asked, required, decided or told.
fn is_remembered(heading: &&str) -> bool {
    [TASKS, RULES, DECIDED, TOLD].contains(heading)
}

/// Splits a summary in what a model wrote and what code kept beside it.
pub fn split(summary: &str) -> (&str, &str) {
    let at =
        if summary.starts_with(KEPT) { Some(0) } else { text::find(summary, &format!("\n{KEPT}")).map(|at| at + 1) };
    let at = at.unwrap_or(summary.len());
    (text::between(summary, 0, at).trim_end(), text::between(summary, at, summary.len()))
}

/// Leaves the lines out of a summary that stand word for word in what is kept beside it, also as what is no longer so.
fn leave_out(summary: &mut String, kept: &str) {
    fn said(line: &str) -> &str {
        let line = references::without(line.trim()).trim_start_matches(['-', '*', ' ']);
        line.strip_prefix("was: ").unwrap_or(line).trim_end_matches(['.', '。'])
    }
    let mut known = Distinct::default();
    for line in kept.lines().filter(|line| line.starts_with("- ")) {
        known.number(said(line));
        // A model that says what is so now need not say what it was.
        if let Some(at) = text::find(line, WAS) {
            known.number(said(&line[..at]));
            known.number(said(references::without(&line[at + WAS.len()..]).trim_end_matches(')')));
        }
    }
    let lines = summary.split_inclusive('\n');
    let others: String = lines.filter(|line| known.find(said(line)).is_none()).collect();
    if !others.trim().is_empty() {
        summary.clear();
        summary.push_str(others.trim_end());
    }
}

/// Makes other headings of ours in a text that somebody else wrote, and of markers what is none: only what we write
/// ourselves may stand under them.
pub fn disown(text: &mut String) {
    let plain = quoting::without_markers(&quoting::with_breaks(text, "\n"));
    text.clear();
    for line in plain.split_inclusive('\n') {
        if [KEPT, RULES, NAMES].iter().any(|heading| line.starts_with(heading)) {
            text.push('#');
        }
        text.push_str(line);
    }
}
