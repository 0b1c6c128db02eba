//! What an assistant said: its answer, what it decided, and the changes and commands that it wrote into its words.

use super::requests::{SENTENCE, SENTENCES, keep};
use super::{Message, Reading, push};
use crate::base::quoting;
use crate::base::text::{self, Starts};
use crate::ingest::content::ContentPart;
use crate::memory::rules::Sentence;
use crate::memory::text_agent::Edit;
use crate::memory::work::{self, EVIDENCE};
use crate::memory::written::{self, Written};
use crate::memory::{Entry, said, sentences, text_agent};

/// Bytes of what the assistant said, and of what it said beside a call.
const SAID: usize = 500;
const FOUND: usize = 200;
/// What the assistant said last.
const SAID_MOST: usize = 4;
/// What stands in most sentences that report a decision: the others are not read.
static DECISIONS: Starts<12> = Starts::new([
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
]);

impl Reading<'_> {
    /// What the assistant said.
    pub(super) fn said(&mut self, message: &Message) {
        let parts = &message.content.parts;
        let calls = parts.iter().any(|part| matches!(part, ContentPart::Call { name, .. } if !work::finishes(name)));
        let mut words = String::new();
        for part in parts {
            if let ContentPart::Text { text, .. } = part {
                push(&mut words, text);
            }
        }
        let unwrapped = said::unwrapped(&words);
        let is_plain = !calls && unwrapped.is_none();
        words = unwrapped.unwrap_or(words);
        if words.is_empty() {
            if let (true, Some((_, ended))) = (calls, &mut self.answer) {
                *ended = false;
            }
            return;
        }
        let edits = if is_plain { text_agent::edits(&words) } else { Vec::new() };
        let written = if is_plain && edits.is_empty() { Written::of(&words) } else { None };
        self.write(&edits, written.as_ref(), message.index);
        let ended = !calls && written.as_ref().is_none_or(|written| written.ends);
        let answer = written.as_ref().and_then(Written::answer);
        self.decided(&words, message.index);
        let said = answer.or(written.as_ref().map(|written| written.said)).unwrap_or(words.trim());
        let is_finish = |part: &ContentPart| matches!(part, ContentPart::Call { name, .. } if work::finishes(name));
        if parts.iter().any(is_finish) && matches!(self.answer, Some((_, true))) {
            return;
        }
        // What was changed is shown with the work; of other code its names are kept.
        let plain = if text::find(said, "```").is_some() { Some(said::without_code(said, &edits)) } else { None };
        let said = plain.as_deref().unwrap_or(said);
        if said.is_empty() {
            // Whoever hands in the work without a word said before what it is.
            if let (true, Some((_, has_ended))) = (ended, &mut self.answer) {
                *has_ended = true;
            }
            return;
        }
        match &mut self.answer {
            // What was found before says more than what comes next.
            Some((_, has_ended)) if said::says_nothing(said) => *has_ended = ended,
            answer => *answer = Some((text::brief(&quoting::one_line(said::substance(said)), EVIDENCE), ended)),
        }
        self.say(said, message.index, ended);
    }

    /// Keeps what the assistant says was decided.
    fn decided(&mut self, words: &str, at: u64) {
        if !DECISIONS.stand_in(words) {
            return;
        }
        for sentence in sentences::split(words).into_iter().take(SENTENCES * 4) {
            if self.words.tell(sentence) == Sentence::Decides && !sentence.ends_with(['?', '？']) {
                let text = text::start(&quoting::one_line(sentence), SENTENCE);
                if self.memory.decided.iter().all(|entry| entry.text != text) {
                    let who = self.who.clone();
                    keep(&mut self.memory.decided, Entry { text, who, at, passing: true, ..Entry::default() });
                }
            }
        }
    }

    /// Notes the edits, or the calls, that an assistant without tools wrote into its words.
    fn write(&mut self, edits: &[Edit<'_>], written: Option<&Written<'_>>, at: u64) {
        let calls = written.map_or(&[][..], |written| &written.calls);
        if !calls.is_empty() || !edits.is_empty() {
            self.deeds.begin_written();
        }
        for (file, old, new) in edits {
            let input = written::object([("file", file), ("old", old), ("new", new)]);
            self.deeds.write(&mut self.memory, "edit", &input, at);
        }
        for call in calls.iter().filter(|call| !work::concludes(call.name) && !work::thinks(call.name)) {
            self.deeds.write(&mut self.memory, call.name, &call.input, at);
        }
        self.handed_in = calls.iter().any(|call| call.name == work::SUBMIT);
    }

    /// Keeps what the assistant said last.
    pub(super) fn say(&mut self, words: &str, at: u64, ended: bool) {
        let text = text::ends(said::without_pleasantries(words), SAID);
        // What is said beside a call is a step: of earlier ones only what was found is of use.
        for list in [&mut self.memory.said, &mut self.said] {
            list.retain(|entry| !entry.passing || !said::says_nothing(&entry.text));
            for entry in list.iter_mut().filter(|entry| entry.passing) {
                entry.text = text::brief(said::substance(&entry.text), FOUND);
            }
        }
        self.said.push(Entry { text, who: self.who.clone(), at, passing: !ended, ..Entry::default() });
        if self.said.len() > SAID_MOST {
            self.said.remove(0);
        }
    }

    /// Drops the questions that the assistant asked: a person answered.
    pub(super) fn answered(&mut self) {
        for list in [&mut self.memory.said, &mut self.said] {
            list.retain(|entry| !entry.text.trim_end().ends_with(['?', '？']));
        }
    }

    /// Takes what was said last into the memory: what is not kept need not be quoted.
    pub(super) fn remember_said(&mut self) {
        let said = &mut self.memory.said;
        said.extend(self.said.drain(..).map(|entry| Entry { text: quoting::quote(&entry.text), ..entry }));
        said.drain(..said.len().saturating_sub(SAID_MOST));
    }
}
