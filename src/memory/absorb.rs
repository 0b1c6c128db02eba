//! Reads messages into the memory: what was asked, required, decided and told, what was done with what outcome, what tools
//! returned, and all names.

use crate::base::distinct::Distinct;
use crate::base::{markers, quoting, references, text};
use crate::ingest::content::{Content, ContentPart, Value, medium};
use crate::ingest::typed;
use crate::memory::deeds::Deeds;
use crate::memory::names::{self, Met, NAMED, Names, PRINTED, TYPED, USED};
use crate::memory::rules::{self, Cue, Sentence, Words};
use crate::memory::work::{self, EVIDENCE};
use crate::memory::{Entry, Memory, in_force, proper, said, scan, sentences, supersede::supersede, text_agent};
use crate::model::message::Role;

/// Bytes from which on a text was pasted, whatever it looks like: what is in it counts as named.
const PASTED: usize = 4_000;
/// Bytes of the request that opens a conversation, and of others.
const OPENING: usize = 1_500;
const REQUEST: usize = 600;
/// Bytes of a sentence that is kept, and of what the assistant said.
const SENTENCE: usize = 300;
const SAID: usize = 500;
/// Bytes of a sentence that tells one thing: longer ones are a part of what was asked.
const TOLD: usize = 160;
/// Sentences of one text that are kept, and of one that is as long as instructions are.
const SENTENCES: usize = 16;
const FEW_SENTENCES: usize = 6;
const INSTRUCTIONS: usize = 1_500;
/// Entries of each kind that are kept while messages are read; what they take decides later.
const MOST: usize = 200;
/// Records, the newest, that are looked through for what a call uses.
const USED_RECORDS: usize = 8;
/// What stands in most sentences that report a decision: the others are not read.
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
    /// All names that were met, those of the memory among them: what matters most first.
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
            deeds: Deeds::default(),
            answer: None,
            acted: false,
        };
        for message in messages {
            reading.read(message);
        }
        reading.close(None);
        reading.trim_tasks();
        reading.deeds.conclude(&mut reading.memory);
        let now = messages.last().map_or(memory.upto.count, |last| last.index + 1);
        Self { memory: reading.memory, names: reading.names.ranked(now) }
    }
}

struct Reading<'t> {
    memory: Memory,
    names: Names<'t>,
    words: Words,
    deeds: Deeds<'t>,
    /// How what the assistant said since the last request begins, and whether it ended without a call.
    answer: Option<(String, bool)>,
    /// The assistant spoke or acted since the last request.
    acted: bool,
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
                            self.deeds.printed(&mut self.memory, text, message.index);
                        } else if message.content.role == Role::Assistant {
                            self.names.read_proper(text, message.index, NAMED);
                        }
                    }
                }
                ContentPart::Call { id, name, input, .. } => self.call(id, name, input, message.index),
                ContentPart::Result { id, output, failed, .. } => {
                    self.names.returned(output, message.index);
                    self.deeds.result(&mut self.memory, id, output, *failed, message.index);
                }
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
                ContentPart::Text { text, .. } => text_agent::is_printed(text, self.deeds.waits()),
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
                        for sentence in sentences::split(text::between(text, from, to)) {
                            if left > 0 && !text_agent::is_agents(sentence) && self.sentence(sentence, message.index) {
                                kept.push(sentence);
                                left -= 1;
                            }
                        }
                    }
                    // What is kept as a sentence is shown there.
                    let asks = text_agent::request(text);
                    if kept.is_empty() {
                        let untagged = if any_typed { asks } else { text_agent::untagged(&asks) };
                        push(&mut asked, untagged.trim());
                        continue;
                    }
                    let mut rest = asks;
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
        // Behind the first one all move up, so many go at once.
        if self.memory.tasks.len() >= 2 * MOST {
            self.trim_tasks();
        }
    }

    /// Keeps the request that opened the conversation, and the newest; of equal ones that came to the same, the last one.
    fn trim_tasks(&mut self) {
        let repeated = repeated(&self.memory.tasks);
        let mut at = 0;
        self.memory.tasks.retain(|_| {
            at += 1;
            !repeated[at - 1]
        });
        let over = self.memory.tasks.len().saturating_sub(MOST);
        if over > 0 {
            self.memory.tasks.drain(1..=over);
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
        let edits = if calls { Vec::new() } else { text_agent::edits(&words) };
        let command = text_agent::written(&words).filter(|_| !calls && edits.is_empty());
        if command.is_some() || !edits.is_empty() {
            self.deeds.begin_written();
        }
        let text = |text: &str| Value::Text(text.to_owned());
        for (file, old, new) in &edits {
            let members = [("file", *file), ("old", *old), ("new", *new)];
            let input = Value::Object(members.map(|(key, value)| (key.to_owned(), text(value))).to_vec());
            self.deeds.write(&mut self.memory, "edit", &input, message.index);
        }
        if let Some((_, command)) = command {
            let input = Value::Object(vec![("command".to_owned(), text(command))]);
            self.deeds.write(&mut self.memory, "bash", &input, message.index);
        }
        let ended = !calls && command.is_none();
        let decides = DECISIONS.iter().any(|part| text::find(&words, part).is_some());
        let sentences = if decides { sentences::split(&words) } else { Vec::new() };
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
        // What was changed is shown with the work; of other code its names are kept.
        let plain = if text::find(said, "```").is_some() { Some(said::without_code(said, &edits)) } else { None };
        let said = plain.as_deref().unwrap_or(said);
        if said.is_empty() {
            return;
        }
        self.answer = Some((text::brief(&quoting::one_line(said::substance(said)), EVIDENCE), ended));
        self.say(said, message.index, ended);
    }

    /// Keeps what the assistant said last.
    fn say(&mut self, words: &str, at: u64, ended: bool) {
        let text = quoting::quote(&text::ends(said::without_pleasantries(words), SAID));
        let said = &mut self.memory.said;
        // What is said beside a call is a step: only the last one shows how to go on.
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
                self.answer = Some((text::brief(&quoting::one_line(answer), EVIDENCE), true));
                self.say(answer, at, true);
            }
        }
        if work::thinks(name) || work::finishes(name) && name != "submit" {
            return;
        }
        self.deeds.call(&mut self.memory, id, name, input, at);
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
    proper::each_proper(sentence, &mut |_| found = true);
    found && sentence.len() <= TOLD && !sentence.ends_with(['?', '？', ':']) && !sentence.starts_with(markers::NOTICE)
}

/// Which requests behind the first one are said again later and come to the same then.
fn repeated(tasks: &[Entry]) -> Vec<bool> {
    let mut repeated = vec![false; tasks.len()];
    let mut texts = Distinct::default();
    let mut later: Vec<&Entry> = Vec::new();
    for (at, task) in tasks.iter().enumerate().skip(1).rev() {
        let (number, new) = texts.number(&task.text);
        if new {
            later.push(task);
        } else if (&later[number].outcome, later[number].cancelled) == (&task.outcome, task.cancelled) {
            repeated[at] = true;
        } else {
            later[number] = task;
        }
    }
    repeated
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

/// One more text, with a space between.
fn push(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}
