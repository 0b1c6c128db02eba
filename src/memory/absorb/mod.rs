//! Reads messages into the memory: what was asked, required, decided and told, what was done with what outcome, what tools
//! returned, and all names.

mod replies;
mod requests;

use crate::base::{quoting, references, text};
use crate::ingest::asides;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::memory::courtesy::Courtesies;
use crate::memory::deeds::Deeds;
use crate::memory::names::{self, Met, NAMED, Names, PRINTED, USED};
use crate::memory::rules::Words;
use crate::memory::work::{self, EVIDENCE};
use crate::memory::{Entry, Memory, text_agent};
use crate::model::message::Role;

/// Entries of each kind that are kept while messages are read; what they take decides later.
const MOST: usize = 200;
/// Records, the newest, that are looked through for what a call uses.
const USED_RECORDS: usize = 8;

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
            courtesies: Courtesies::default(),
            deeds: Deeds::default(),
            answer: None,
            said: Vec::new(),
            who: None,
            acted: false,
            handed_in: false,
        };
        for message in messages {
            reading.read(message);
        }
        reading.close(None);
        reading.remember_said();
        reading.join_repeated();
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
    courtesies: Courtesies,
    deeds: Deeds<'t>,
    /// How what the assistant said since the last request begins, and whether it ended without a call.
    answer: Option<(String, bool)>,
    /// What the assistant said last, as it was said.
    said: Vec<Entry>,
    /// Who speaks, if the host names its speakers.
    who: Option<String>,
    /// The assistant spoke or acted since the last request.
    acted: bool,
    /// An assistant without tools has just handed in its work to SWE-agent.
    handed_in: bool,
}

impl<'t> Reading<'t> {
    fn read(&mut self, message: &'t Message) {
        self.who = Some(quoting::speaker_label(&message.content.speaker)).filter(|who| !who.is_empty());
        let printed = message.content.role == Role::Tool || message.typed && self.is_printed(message);
        let from = if printed { PRINTED } else { NAMED };
        // Where the work is accepted, SWE-agent ends the conversation: more that is printed refuses it.
        let refused = core::mem::take(&mut self.handed_in) && printed;
        if let Some((_, ended)) = self.answer.as_mut().filter(|_| refused) {
            *ended = false;
        }
        let is_behind = |part: &ContentPart| matches!(part, ContentPart::Text { text, .. } if text_agent::behind_report(text).len() < text.len());
        let asks = message.typed && (!printed || message.content.parts.iter().any(is_behind));
        // What a person says beside results follows what these came of.
        let behind_results = message.content.parts.iter().any(|part| matches!(part, ContentPart::Result { .. }));
        if asks && !behind_results {
            self.request(message);
        }
        for part in &message.content.parts {
            match part {
                ContentPart::Text { text, .. } => {
                    // What was typed was read with the request.
                    if !message.typed || printed || behind_results && asides::is_framed(text) {
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
                    if message.content.role == Role::User {
                        self.deeds.undone(&mut self.memory, text, message.index);
                    }
                }
                ContentPart::Call { id, name, input, .. } => self.call(id, name, input, message.index),
                ContentPart::Result { id, output, failed, .. } => {
                    self.names.returned(output, message.index);
                    self.deeds.result(&mut self.memory, id, output, *failed, message.index);
                }
                ContentPart::Document { text, .. } => self.names.printed(text, message.index),
                ContentPart::Media { reference, .. } => self.names.read(reference, message.index, &|_| from),
                ContentPart::Compaction { text } => self.names.read(text, message.index, &|_| USED),
                ContentPart::Reasoning | ContentPart::Opaque => {}
            }
        }
        if asks && behind_results {
            self.request(message);
        }
        if message.content.role == Role::Assistant {
            self.acted = true;
            self.said(message);
        }
    }

    /// Whether a message that passes for a person's is what a program printed.
    fn is_printed(&self, message: &Message) -> bool {
        // What opens a conversation is no answer to anything.
        let spoke = self.acted || !self.said.is_empty() || !self.memory.said.is_empty() || !self.memory.work.is_empty();
        spoke
            && message.content.parts.iter().all(|part| match part {
                ContentPart::Text { text, .. } => text_agent::is_printed(text, self.deeds.waits()),
                _ => false,
            })
    }

    fn call(&mut self, id: &'t str, name: &str, input: &'t Value, at: u64) {
        // Where the model looks something up is no name.
        if references::is_recall(name, input.keys()) {
            return;
        }
        names::leaves(input, &mut |argument| {
            self.names.used(argument, at);
            // A record that is used is a newer one.
            if (4..40).contains(&argument.len()) {
                for record in self.memory.records.iter_mut().rev().take(USED_RECORDS) {
                    let holds = |text: &str| text::find(text, argument).is_some();
                    if holds(&record.text) || record.outcome.as_deref().is_some_and(holds) {
                        record.place = record.place.or(Some(record.at));
                        record.at = record.at.max(at);
                    }
                }
            }
        });
        if let Some(answer) = work::answer(name, input) {
            self.answer = Some((text::brief(&quoting::one_line(answer), EVIDENCE), true));
            self.say(answer, at, true);
        }
        if work::thinks(name) || work::concludes(name) {
            return;
        }
        self.deeds.call(&mut self.memory, id, name, input, at);
    }
}

/// One more text, with a space between.
fn push(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}
