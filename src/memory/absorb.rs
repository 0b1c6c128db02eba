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
use crate::model::message::Role;
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
/// Entries of each kind that are kept while messages are read; what they take decides later.
const MOST: usize = 200;
/// Programs, files and tools, and records that are looked through for each call.
const USED_MOST: usize = 64;
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
            written: None,
            outcomes: Vec::new(),
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
    calls: Latest<'t, String>,
    /// The first line of what the assistant said since the last request, and whether it ended without a call.
    answer: Option<(String, bool)>,
    /// What an assistant without tools did last.
    written: Option<String>,
    /// What came of each activity last; its output is read in the end.
    outcomes: Vec<Outcome<'t>>,
    /// The newest outputs that may be records.
    records: VecDeque<Outcome<'t>>,
}

/// What came of an activity.
struct Outcome<'t> {
    what: String,
    /// What its call said, in short.
    call: String,
    output: Output<'t>,
    failed: bool,
    at: u64,
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
            self.said(message);
        }
    }

    /// Whether a message that passes for a person's is what a program printed.
    fn is_printed(&self, message: &Message) -> bool {
        message.content.parts.iter().all(|part| match part {
            ContentPart::Text { text, .. } => work::is_printed(text),
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
        for part in &message.content.parts {
            match part {
                ContentPart::Text { text, .. } => {
                    let passages = typed::passages(text);
                    self.typed_names(text, message.index, &passages);
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
                    if kept.is_empty() {
                        push(&mut asked, text.trim());
                        continue;
                    }
                    let mut rest = text.clone();
                    for sentence in kept {
                        if let Some(at) = text::find(&rest, sentence) {
                            rest.replace_range(at..at + sentence.len(), "");
                        }
                    }
                    push(
                        &mut asked,
                        rest.trim_matches(|char: char| char.is_whitespace() || matches!(char, '-' | '*' | '.')),
                    );
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
        let called_off = cancel.flatten();
        let open = self.memory.tasks.iter_mut().rev().take_while(|task| task.outcome.is_none());
        for (at, task) in open.enumerate() {
            match (&answer, &called_off) {
                (_, Some(words)) if at == 0 => (task.outcome, task.cancelled) = (Some(words.clone()), true),
                (Some((words, _)), _) => task.outcome = Some(words.clone()),
                _ => {}
            }
        }
    }

    /// What the assistant said.
    fn said(&mut self, message: &Message) {
        let parts = &message.content.parts;
        let calls = parts.iter().any(|part| matches!(part, ContentPart::Call { .. }));
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
        let command = work::written(&words).filter(|_| !calls);
        if let Some(command) = command {
            let input = Value::Object(vec![("command".to_owned(), Value::Text(command.to_owned()))]);
            self.written = Some(self.activity("bash", &input, message.index));
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
        self.answer = Some((quoting::one_line(&text::first_line(&words, EVIDENCE)), ended));
        let said = command.and_then(|command| words.split_once(command)).map_or(words.as_str(), |(said, _)| said);
        let said = said.trim_end_matches(|char: char| char.is_ascii_lowercase() || char.is_whitespace() || char == '`');
        let text = quoting::quote(&text::ends(if command.is_some() { said } else { words.trim() }, SAID));
        let said = &mut self.memory.said;
        // What is said beside a call is a step: only the last one tells how to go on.
        said.retain(|entry| !entry.passing);
        said.push(Entry { text, at: message.index, passing: !ended, ..Entry::default() });
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
        let what = self.activity(name, input, at);
        self.calls.set(id, what);
    }

    /// Notes a call: what it did.
    fn activity(&mut self, name: &str, input: &Value, at: u64) -> String {
        let told = work::told(name, input);
        let what = quoting::one_line(&told.what);
        let all = &mut self.memory.work;
        // The one used last stands last.
        let known = all.iter().position(|one| one.what == what);
        let earlier = known.map(|known| all.remove(known)).unwrap_or_default();
        all.push(Activity {
            what: what.clone(),
            changes: told.changes,
            calls: earlier.calls.saturating_add(1),
            last: quoting::one_line(&told.last),
            outcome: None,
            at,
            ..earlier
        });
        if all.len() > USED_MOST {
            all.remove(all.iter().position(|one| !work::checks(&one.what) && !one.changes).unwrap_or(0));
        }
        what
    }

    fn result(&mut self, id: &str, output: &'t Value, failed: bool, at: u64) {
        names::leaves(output, &mut |text| self.names.printed(text, at));
        let Some(what) = self.calls.get(id).cloned() else { return };
        self.outcome(&what, Output::Value(output), failed, at);
    }

    /// What a program printed that an assistant without tools ran.
    fn output_of_written(&mut self, text: &'t str, at: u64) {
        if let Some(what) = self.written.take() {
            self.outcome(&what, Output::Text(text), false, at);
        }
    }

    fn outcome(&mut self, what: &str, output: Output<'t>, failed: bool, at: u64) {
        let Some(one) = self.memory.work.iter_mut().rfind(|one| one.what == what) else { return };
        one.failures = one.failures.saturating_add(u64::from(failed));
        one.at = at;
        let outcome = || Outcome { what: what.to_owned(), call: one.last.clone(), output, failed, at };
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
        if failed || !one.changes {
            self.outcomes.retain(|other| other.what != what);
            self.outcomes.push(outcome());
            if self.outcomes.len() > USED_MOST {
                self.outcomes.remove(0);
            }
        }
    }

    /// Reads the outputs that are told: of each activity the last one, and the newest records.
    fn conclude(&mut self) {
        for Outcome { what, output, failed, .. } in core::mem::take(&mut self.outcomes) {
            let Some(one) = self.memory.work.iter_mut().rfind(|one| one.what == what) else { continue };
            let told = match output {
                Output::Value(value) => work::outcome(value),
                Output::Text(text) => work::outcome_of(text),
            };
            let told = told.map(|told| quoting::one_line(&told));
            one.outcome = told.map(|told| if failed { format!("failed: {told}") } else { told });
        }
        for Outcome { what, call, output, at, .. } in core::mem::take(&mut self.records) {
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
    let mut found = sentence.bytes().any(|byte| byte.is_ascii_digit()) || rules::names_something(sentence);
    scan::each(sentence, &mut |_| found = true);
    let proper = &mut |_: &str| found = true;
    scan::each_proper(sentence, proper);
    found && sentence.len() <= TOLD && !sentence.ends_with(['?', '？', ':']) && !sentence.starts_with(markers::NOTICE)
}

/// One more text, with a space between.
fn push(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}
