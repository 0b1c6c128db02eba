//! Reads messages into the memory: what was asked, required, decided and told, what was done with what outcome, what tools
//! returned, and all names.

use crate::base::distinct::Latest;
use crate::base::{markers, quoting, references, text};
use crate::ingest::content::{Content, ContentPart, Value, medium};
use crate::ingest::typed;
use crate::memory::names::{self, Met, NAMED, Names, PRINTED, TYPED, USED};
use crate::memory::rules::{self, Cue, Sentence, Words};
use crate::memory::work::{self, EVIDENCE};
use crate::memory::{Activity, Entry, Memory, in_force, records, scan, supersede::supersede};
use crate::model::message::{Role, combine, hash_text};
use std::collections::VecDeque;

/// Bytes from which on a text was pasted, whatever it looks like: what is in it counts as named.
const PASTED: usize = 4_000;
/// Bytes of the request that opens a conversation, and of others.
const OPENING: usize = 1_500;
const REQUEST: usize = 600;
/// Bytes of a sentence that is kept, of what the assistant said, and of a record.
const SENTENCE: usize = 300;
const SAID: usize = 500;
const RECORD: usize = 400;
/// Bytes of a sentence that tells one thing: longer ones are a part of what was asked.
const TOLD: usize = 160;
/// Sentences of one text that are kept, and of one that is as long as instructions are.
const SENTENCES: usize = 16;
const FEW_SENTENCES: usize = 6;
const INSTRUCTIONS: usize = 1_500;
/// Bytes of an output that may be nothing but an error.
const SHORT: usize = 1_000;
/// Entries of each kind that are kept while messages are read; what they take decides later.
const MOST: usize = 200;
/// Programs, files and tools, and records that are looked through for each call.
const USED_MOST: usize = 64;
/// Activities while messages are read, and how many that differ in what they say alone are told apart.
const DEEDS_MOST: usize = 2 * USED_MOST;
const DEEDS: usize = 3;
/// Records, the newest, that are looked through for what a call uses.
const USED_RECORDS: usize = 8;
/// What stands in most sentences that tell a decision: the others are not read.
const DECISIONS: [&str; 12] = [
    "decid",
    "agreed",
    "settled",
    "go with",
    "going with",
    "entschied",
    "décid",
    "решил",
    "决定",
    "決",
    "결정",
    "convenu",
];
/// What the assistant said last.
const SAID_MOST: usize = 4;

/// A message to be remembered.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its index in the history.
    pub index: u64,
    /// What it says, as it was sent.
    pub content: Content,
    /// A person wrote it.
    pub typed: bool,
}

/// A memory with all names that were met.
#[derive(Clone, Debug)]
pub struct Recollection<'t> {
    /// Its entries; its names are not up to date.
    pub memory: Memory,
    /// All names that are told, those of the memory among them: what matters most first.
    pub names: Vec<Met<'t>>,
}

impl<'t> Recollection<'t> {
    /// What is remembered, and what messages add to that.
    pub fn of(memory: &'t Memory, messages: &'t [Message]) -> Self {
        let kept = Memory { names: Vec::new(), ..memory.clone() };
        let mut reading = Reading {
            memory: kept,
            names: Names::of(&memory.names),
            words: Words::default(),
            calls: Latest::default(),
            answer: None,
            acted: false,
            written: Vec::new(),
            outcomes: VecDeque::new(),
            records: VecDeque::new(),
        };
        for message in messages {
            reading.read(message);
        }
        reading.close(None);
        reading.conclude();
        let now = messages.last().map_or(memory.upto.count, |last| last.index + 1);
        Self { memory: reading.memory, names: reading.names.ranked(now) }
    }
}

struct Reading<'t> {
    memory: Memory,
    names: Names<'t>,
    words: Words,
    /// What each call did, by its id, which may come again: a result belongs to the newest one.
    calls: Latest<'t, Deed>,
    /// How what the assistant said since the last request begins, and whether it ended without a call.
    answer: Option<(String, bool)>,
    /// The assistant spoke or acted since the last request.
    acted: bool,
    /// What an assistant without tools did last.
    written: Vec<Deed>,
    /// What came of each activity last; its output is read in the end.
    outcomes: VecDeque<Outcome<'t>>,
    /// The newest outputs that may be records.
    records: VecDeque<Outcome<'t>>,
}

/// What tells an activity from others: see [`Activity`]. Of changes and checks all calls are one.
#[derive(Clone)]
struct Deed {
    /// The hash of the rest: most are told apart by it alone.
    id: u64,
    what: String,
    last: Option<String>,
    /// It writes into the file that is open.
    writes: bool,
}

impl PartialEq for Deed {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.what == other.what && self.last == other.last && self.writes == other.writes
    }
}

impl Deed {
    fn new(what: String, last: Option<String>, writes: bool) -> Self {
        let id = combine(hash_text(&what), last.as_deref().map_or(0, hash_text));
        Self { id, what, last, writes }
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

impl<'t> Reading<'t> {
    fn read(&mut self, message: &'t Message) {
        let printed = message.content.role == Role::Tool || message.typed && self.is_printed(message);
        let from = if printed { PRINTED } else { NAMED };
        if message.typed && !printed {
            self.request(message);
        }
        for part in &message.content.parts {
            match part {
                ContentPart::Text { text, .. } => {
                    // What was typed was read with the request.
                    if !message.typed || printed {
                        if printed {
                            self.names.printed(text, message.index);
                        } else {
                            self.names.read(text, message.index, &|_| from);
                        }
                        if printed {
                            self.output_of_written(text, message.index);
                        } else if message.content.role == Role::Assistant {
                            self.names.read_proper(text, message.index, NAMED);
                        }
                    }
                }
                ContentPart::Call { id, name, input, .. } => self.call(id, name, input, message.index),
                ContentPart::Result { id, output, failed, .. } => self.result(id, output, *failed, message.index),
                ContentPart::Media { reference, .. } => self.names.read(reference, message.index, &|_| from),
                ContentPart::Compaction { text } => self.names.read(text, message.index, &|_| USED),
                ContentPart::Reasoning | ContentPart::Opaque => {}
            }
        }
        if message.content.role == Role::Assistant {
            self.acted = true;
            self.said(message);
        }
    }

    /// Whether a message that passes for a person's is what a program printed.
    fn is_printed(&self, message: &Message) -> bool {
        // What opens a conversation is no answer to anything.
        let spoke = self.acted || !self.memory.said.is_empty() || !self.memory.work.is_empty();
        spoke
            && message.content.parts.iter().all(|part| match part {
                ContentPart::Text { text, .. } => work::is_printed(text, !self.written.is_empty()),
                _ => false,
            })
    }

    /// The names in a text that a person typed, and in what they pasted into it.
    fn typed_names(&mut self, text: &'t str, at: u64, passages: &[(usize, usize)]) {
        let short = passages.iter().map(|(from, to)| to - from).sum::<usize>() < PASTED;
        self.names.read(text, at, &|place| {
            let passage = passages.partition_point(|&(from, _)| from <= place).checked_sub(1);
            let is_typed = short && passage.is_some_and(|passage| place < passages[passage].1);
            if is_typed { TYPED } else { NAMED }
        });
        if short {
            for &(from, to) in passages {
                self.names.read_proper(text::between(text, from, to), at, TYPED);
            }
        }
    }

    /// What a person asks for, requires, decides or tells.
    fn request(&mut self, message: &'t Message) {
        let mut asked = String::new();
        let passages = |part: &ContentPart| match part {
            ContentPart::Text { text, .. } => typed::passages(text),
            _ => Vec::new(),
        };
        let parts: Vec<_> = message.content.parts.iter().map(|part| (part, passages(part))).collect();
        let any_typed = parts.iter().any(|(part, passages)| {
            matches!(part, ContentPart::Text { text, .. } if !typed::joined(text, passages).trim().is_empty())
        });
        for (part, passages) in parts {
            match part {
                ContentPart::Text { text, .. } => {
                    self.typed_names(text, message.index, &passages);
                    // What a program put beside it asks for nothing.
                    if any_typed && passages.is_empty() {
                        continue;
                    }
                    let mut kept = Vec::new();
                    // Of instructions that come with every task of an agent, the first are enough.
                    let mut left = if text.len() > INSTRUCTIONS { FEW_SENTENCES } else { SENTENCES };
                    for &(from, to) in &passages {
                        for sentence in rules::sentences(text::between(text, from, to)) {
                            if left > 0 && self.sentence(sentence, message.index) {
                                kept.push(sentence);
                                left -= 1;
                            }
                        }
                    }
                    // What is kept as a sentence is told there.
                    let asks = work::without_prompt(text);
                    if kept.is_empty() {
                        let untagged = if any_typed { asks.to_owned() } else { work::untagged(asks) };
                        push(&mut asked, untagged.trim());
                        continue;
                    }
                    let mut rest = asks.to_owned();
                    for sentence in kept {
                        if let Some(at) = text::find(&rest, sentence) {
                            rest.replace_range(at..at + sentence.len(), "");
                        }
                    }
                    push(&mut asked, without_empty(&rest).trim_matches(is_mark));
                }
                ContentPart::Media { kind, media_type, reference, .. } => {
                    push(&mut asked, &format!("[{}]", medium(*kind, media_type, reference)));
                }
                _ => {}
            }
        }
        let cancels = rules::cancels(&asked);
        let cancel = cancels.then(|| text::first_line(&asked, EVIDENCE));
        self.close(Some(cancel));
        if asked.is_empty() {
            return;
        }
        let most = if self.memory.tasks.is_empty() { OPENING } else { REQUEST };
        let text = quoting::quote(&text::ends(&asked, most));
        self.memory.tasks.push(Entry { text, at: message.index, ..Entry::default() });
        if self.memory.tasks.len() > MOST {
            self.memory.tasks.remove(1);
        }
    }

    /// Keeps a sentence that is more than a request; whether it did.
    fn sentence(&mut self, sentence: &str, at: u64) -> bool {
        let read = self.words.read(sentence);
        let is_request = match read.kind {
            Sentence::Other => true,
            Sentence::Tells => !tells(sentence),
            Sentence::Requires | Sentence::Decides => false,
        };
        if is_request && read.cue == Cue::None {
            return false;
        }
        let text = text::start(&quoting::one_line(sentence), SENTENCE);
        let memory = &mut self.memory;
        let was = supersede(memory, &text, at, read);
        let list = match read.kind {
            Sentence::Requires => &mut memory.required,
            Sentence::Decides => &mut memory.decided,
            Sentence::Other | Sentence::Tells if was.is_some() => &mut memory.decided,
            Sentence::Tells if tells(sentence) => &mut memory.told,
            Sentence::Other | Sentence::Tells => return false,
        };
        let before = list.iter().position(|entry| in_force(entry) && entry.text == text);
        let earlier = before.map(|before| list.remove(before)).unwrap_or_default();
        let passing = read.personal;
        list.push(Entry { text, at, was: was.or(earlier.was), passing, ..Entry::default() });
        if list.len() > MOST {
            let superseded = list.iter().position(|entry| !in_force(entry)).unwrap_or(0);
            list.remove(superseded);
        }
        true
    }

    /// Closes the requests that are open, if the assistant answered: at the next request (`cancel`: what it calls off), or
    /// where it ended without a call.
    fn close(&mut self, cancel: Option<Option<String>>) {
        let answer = self.answer.take_if(|(_, ended)| *ended || cancel.is_some());
        let next = cancel.is_some() && core::mem::take(&mut self.acted);
        let called_off = cancel.flatten();
        let open = self.memory.tasks.iter_mut().rev().take_while(|task| task.outcome.is_none());
        for (at, task) in open.enumerate() {
            match (&answer, &called_off) {
                (_, Some(words)) if at == 0 => (task.outcome, task.cancelled) = (Some(words.clone()), true),
                (Some((words, _)), _) => task.outcome = Some(words.clone()),
                // Whoever goes on after something was done does not wait for an answer.
                (None, _) if next => task.outcome = Some(String::new()),
                _ => {}
            }
        }
    }

    /// What the assistant said.
    fn said(&mut self, message: &Message) {
        let parts = &message.content.parts;
        let calls = parts.iter().any(|part| matches!(part, ContentPart::Call { name, .. } if !work::finishes(name)));
        let mut words = String::new();
        for part in parts {
            if let ContentPart::Text { text, .. } = part {
                push(&mut words, text);
            }
        }
        if words.is_empty() {
            if let (true, Some((_, ended))) = (calls, &mut self.answer) {
                *ended = false;
            }
            return;
        }
        let edits = if calls { Vec::new() } else { work::edits(&words) };
        let command = work::written(&words).filter(|_| !calls && edits.is_empty());
        if command.is_some() || !edits.is_empty() {
            self.written.clear();
        }
        let text = |text: &str| Value::Text(text.to_owned());
        for (file, old, new) in &edits {
            let members = [("file", *file), ("old", *old), ("new", *new)];
            let input = Value::Object(members.map(|(key, value)| (key.to_owned(), text(value))).to_vec());
            let deed = self.activity("edit", &input, message.index);
            self.written.push(deed);
        }
        if let Some((_, command)) = command {
            let input = Value::Object(vec![("command".to_owned(), text(command))]);
            let deed = self.activity("bash", &input, message.index);
            self.written.push(deed);
        }
        let ended = !calls && command.is_none();
        let decides = DECISIONS.iter().any(|part| text::find(&words, part).is_some());
        let sentences = if decides { rules::sentences(&words) } else { Vec::new() };
        for sentence in sentences.into_iter().take(SENTENCES * 4) {
            if self.words.tell(sentence) == Sentence::Decides && !sentence.ends_with(['?', '？']) {
                let text = text::start(&quoting::one_line(sentence), SENTENCE);
                if self.memory.decided.iter().all(|entry| entry.text != text) {
                    self.memory.decided.push(Entry { text, at: message.index, passing: true, ..Entry::default() });
                }
            }
        }
        let said = command.map_or(words.trim(), |(said, _)| said);
        let is_finish = |part: &ContentPart| matches!(part, ContentPart::Call { name, .. } if work::finishes(name));
        if parts.iter().any(is_finish) && matches!(self.answer, Some((_, true))) {
            return;
        }
        // What was changed is told with the work.
        let plain = if edits.is_empty() { None } else { Some(without_code(said, &edits)) };
        let said = plain.as_deref().unwrap_or(said);
        if said.is_empty() {
            return;
        }
        self.answer = Some((work::brief(&quoting::one_line(work::substance(said)), EVIDENCE), ended));
        self.say(said, message.index, ended);
    }

    /// Keeps what the assistant said last.
    fn say(&mut self, words: &str, at: u64, ended: bool) {
        let text = quoting::quote(&text::ends(words, SAID));
        let said = &mut self.memory.said;
        // What is said beside a call is a step: only the last one tells how to go on.
        said.retain(|entry| !entry.passing);
        said.push(Entry { text, at, passing: !ended, ..Entry::default() });
        if said.len() > SAID_MOST {
            said.remove(0);
        }
    }

    fn call(&mut self, id: &'t str, name: &str, input: &'t Value, at: u64) {
        // Where the model looks something up is no name.
        if name == references::TOOL
            && matches!(input, Value::Object(members) if members.iter().any(|(key, _)| key == references::ARGUMENT))
        {
            return;
        }
        names::leaves(input, &mut |argument| {
            self.names.used(argument, at);
            // A record that is used is a newer one.
            if (4..40).contains(&argument.len()) {
                for record in self.memory.records.iter_mut().rev().take(USED_RECORDS) {
                    let holds = |text: &str| text::find(text, argument).is_some();
                    if record.outcome.as_deref().is_some_and(holds) {
                        record.place = record.place.or(Some(record.at));
                        record.at = record.at.max(at);
                    }
                }
            }
        });
        if work::finishes(name) && name != "submit" {
            let mut answer = "";
            names::leaves(input, &mut |text| answer = if text.len() > answer.len() { text } else { answer });
            if !answer.is_empty() {
                self.answer = Some((work::brief(&quoting::one_line(answer), EVIDENCE), true));
                self.say(answer, at, true);
            }
        }
        if work::thinks(name) || work::finishes(name) && name != "submit" {
            return;
        }
        let deed = self.activity(name, input, at);
        self.calls.set(id, deed);
    }

    /// Notes a call: what it did.
    fn activity(&mut self, name: &str, input: &Value, at: u64) -> Deed {
        let told = work::told(name, input);
        let (what, last) = (quoting::one_line(&told.what), work::spaced(&quoting::one_line(&told.last)));
        let is_one = told.changes || work::checks(&what) || work::plans(name);
        let deed = Deed::new(what, Some(last.clone()).filter(|_| !is_one), told.writes);
        let all = &mut self.memory.work;
        // The one used last stands last.
        let known = all.iter().position(|one| deed.is(one));
        let earlier = known.map(|known| all.remove(known)).unwrap_or_default();
        all.push(Activity {
            what: deed.what.clone(),
            changes: told.changes,
            calls: earlier.calls.saturating_add(1),
            last,
            outcome: None,
            at,
            ..earlier
        });
        if all.len() > DEEDS_MOST {
            self.gather(DEEDS);
        }
        deed
    }

    /// Tells activities that differ in what they say alone as one, but for the newest ones of each kind.
    fn gather(&mut self, apart: usize) {
        let all = &mut self.memory.work;
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
            all.remove(all.iter().position(|one| !work::checks(&one.what) && !one.changes).unwrap_or(0));
        }
    }

    /// Tells activities of the same kind that came to the same as one.
    fn gather_alike(&mut self) {
        let all = &mut self.memory.work;
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

    fn result(&mut self, id: &str, output: &'t Value, failed: bool, at: u64) {
        self.names.returned(output, at);
        let Some(deed) = self.calls.get(id).cloned() else { return };
        self.outcome(deed, Output::Value(output), failed, at);
    }

    /// What a program printed that an assistant without tools ran.
    fn output_of_written(&mut self, text: &'t str, at: u64) {
        let failed = work::is_failure(text);
        for deed in core::mem::take(&mut self.written) {
            self.outcome(deed, Output::Text(text), failed, at);
        }
    }

    fn outcome(&mut self, mut deed: Deed, output: Output<'t>, failed: bool, at: u64) {
        let printed = match output {
            Output::Value(Value::Text(text)) => text.as_str(),
            Output::Text(text) => text,
            Output::Value(_) => "",
        };
        let Some(place) = self.memory.work.iter().rposition(|one| deed.is(one)) else { return };
        if let (true, Some(file)) = (deed.writes, work::shown(printed)) {
            deed = self.opened(place, file);
        }
        let Some(one) = self.memory.work.iter_mut().rfind(|one| deed.is(one)) else { return };
        let failed = failed || (one.changes || printed.len() < SHORT) && work::is_failure(printed);
        one.failures = one.failures.saturating_add(u64::from(failed));
        one.at = at;
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
        if failed || !one.changes || work::complains(printed) {
            if let Some(known) = self.outcomes.iter().rposition(|other| other.deed == deed) {
                self.outcomes.remove(known);
            }
            self.outcomes.push_back(outcome());
            if self.outcomes.len() > DEEDS_MOST {
                self.outcomes.pop_front();
            }
        } else {
            // Why it failed before is told as long as nothing else is.
            self.outcomes.iter_mut().filter(|other| other.deed == deed).for_each(|other| other.over = true);
        }
    }

    /// An activity that wrote into the file that was open, now that this is known: it counts with the others of the file.
    fn opened(&mut self, place: usize, file: &str) -> Deed {
        let all = &mut self.memory.work;
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

    /// Reads the outputs that are told: of each activity the last one, and the newest records.
    fn conclude(&mut self) {
        for Outcome { deed, output, failed, over, .. } in core::mem::take(&mut self.outcomes) {
            let Some(one) = self.memory.work.iter_mut().rfind(|one| deed.is(one)) else { continue };
            let told = match output {
                Output::Value(value) => work::outcome(&one.what, value),
                Output::Text(text) => work::outcome_of(&one.what, text),
            };
            let told = told.map(|told| work::spaced(&quoting::one_line(&told)));
            one.outcome = told.map(|told| match (failed, over) {
                (true, true) => format!("failed before: {told}"),
                (true, false) => format!("failed: {told}"),
                _ => told,
            });
        }
        self.gather_alike();
        self.gather(DEEDS);
        for Outcome { deed: Deed { what, .. }, call, output, at, .. } in core::mem::take(&mut self.records) {
            let key = if call.is_empty() { what } else { format!("{what} {}", text::start(&call, EVIDENCE / 2)) };
            let parsed = match output {
                Output::Value(value) => records::line(value, RECORD),
                Output::Text(text) => records::parse(text).and_then(|value| records::line(&value, RECORD)),
            };
            let Some(line) = parsed else { continue };
            let records = &mut self.memory.records;
            records.retain(|record| record.text != key);
            records.push(Entry { text: key, outcome: Some(quoting::one_line(&line)), at, ..Entry::default() });
            if records.len() > USED_MOST {
                let oldest = records.iter().map(|record| record.at).min();
                records.remove(records.iter().position(|record| Some(record.at) == oldest).unwrap_or(0));
            }
        }
    }
}

/// Whether a sentence tells something that has to be repeated exactly.
fn tells(sentence: &str) -> bool {
    // Whoever tells how something is called or how many there are of it expects that to be known.
    const ASKS: [&str; 8] = ["Give ", "give ", "Show ", "show ", "Write ", "write ", "Make ", "make "];
    if ASKS.iter().any(|verb| sentence.starts_with(verb)) {
        return false;
    }
    let mut found = sentence.bytes().any(|byte| byte.is_ascii_digit()) || rules::names_something(sentence);
    scan::each(sentence, &mut |_| found = true);
    let proper = &mut |_: &str| found = true;
    scan::each_proper(sentence, proper);
    found && sentence.len() <= TOLD && !sentence.ends_with(['?', '？', ':']) && !sentence.starts_with(markers::NOTICE)
}

/// Adds to an activity an earlier one of its kind.
fn join(one: &mut Activity, earlier: &Activity) {
    one.calls = one.calls.saturating_add(earlier.calls);
    one.failures = one.failures.saturating_add(earlier.failures);
    if !earlier.last.is_empty() && text::find(&one.last, &earlier.last).is_none() && one.last.len() < EVIDENCE {
        one.last = text::start(&format!("{}; {}", one.last, earlier.last), EVIDENCE);
    }
}

/// What stands around the words of a request.
fn is_mark(char: char) -> bool {
    char.is_whitespace() || matches!(char, '-' | '*' | '.')
}

/// A text without lines that nothing but a mark is left of.
fn without_empty(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() || !line.trim_matches(is_mark).is_empty() {
            out.push_str(line);
        }
    }
    out
}

/// What is said beside blocks of code.
fn without_code(said: &str, edits: &[work::Edit<'_>]) -> String {
    let words = |part: &'_ str| {
        let part = part.trim();
        let file = edits.iter().find(|(file, ..)| part.ends_with(file)).map_or(0, |(file, ..)| file.len());
        text::between(part, 0, part.len() - file).trim().to_owned()
    };
    let parts: Vec<String> = said.split("```").step_by(2).map(words).filter(|part| !part.is_empty()).collect();
    text::joined(&parts.iter().map(String::as_str).collect::<Vec<_>>(), " ")
}

/// One more text, with a space between.
fn push(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}
