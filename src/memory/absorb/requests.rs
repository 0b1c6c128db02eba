//! What a person asked for, required, decided and told, and when a request is answered.

use super::{MOST, Reading, push};
use crate::base::distinct::Distinct;
use crate::base::{markers, quoting, text};
use crate::ingest::asides::Own;
use crate::ingest::content::{ContentPart, medium};
use crate::ingest::typed;
use crate::memory::absorb::Message;
use crate::memory::names::{NAMED, TYPED};
use crate::memory::rules::{self, Cue, Sentence};
use crate::memory::work::EVIDENCE;
use crate::memory::{Entry, in_force, proper, scan, sentences, supersede::supersede, text_agent, wrapped};

/// Bytes from which on a text was pasted, whatever it looks like: what is in it counts as named.
const PASTED: usize = 4_000;
/// Bytes of the request that opens a conversation, and of others.
const OPENING: usize = 1_500;
const REQUEST: usize = 600;
/// Bytes of a sentence that is kept.
pub(super) const SENTENCE: usize = 300;
/// Bytes of a sentence that tells one thing: longer ones are a part of what was asked.
const TOLD: usize = 160;
/// Sentences of one text that are kept, and of one that is as long as instructions are.
pub(super) const SENTENCES: usize = 16;
const FEW_SENTENCES: usize = 6;
const INSTRUCTIONS: usize = 1_500;
/// Bytes below which what is left of a request does not say what it is about, and of what is shown of it in addition.
const BARE: usize = 50;
const LABEL: usize = 80;

impl<'t> Reading<'t> {
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
    pub(super) fn request(&mut self, message: &'t Message) {
        let parts: Vec<_> = message.content.said().filter_map(TypedPart::of).collect();
        let any_typed = parts.iter().any(TypedPart::is_typed);
        // What only an application says asks for nothing, and leaves open what is.
        let is_aside = parts.iter().any(TypedPart::is_aside) && !parts.iter().any(TypedPart::asks);
        let (mut asked, mut agrees) = (String::new(), true);
        for part in parts {
            match part {
                TypedPart::Said(said) => push(&mut asked, &self.asked_in(said, any_typed, message.index, &mut agrees)),
                TypedPart::Medium(label) => push(&mut asked, &label),
            }
        }
        if is_aside {
            return;
        }
        // Whoever only agrees refers to what was asked.
        if !agrees {
            self.answered();
        }
        self.ask(&asked, message.index);
    }

    /// Keeps what a text requires, decides or tells, and returns what it asks for beside that. `agrees` turns false where
    /// it does more than agree.
    fn asked_in(&mut self, said: Said<'t>, any_typed: bool, at: u64, agrees: &mut bool) -> String {
        let Said { text, passages, own } = said;
        self.typed_names(text, at, &passages);
        // What a program put beside it asks for nothing.
        if any_typed && passages.is_empty() {
            return String::new();
        }
        let typed = typed::joined(text, &passages);
        *agrees = *agrees && (typed.trim().is_empty() || self.courtesies.are_all(&typed));
        let kept = self.sentences(text, &passages, at);
        match &own {
            Own::All => asked_beside(&kept, text, any_typed),
            Own::Part(own) => asked_beside(&kept, own, any_typed),
            Own::Nothing => String::new(),
        }
    }

    /// The sentences of what was typed that are kept as what a person requires, decides or tells.
    fn sentences(&mut self, text: &'t str, passages: &[(usize, usize)], at: u64) -> Vec<&'t str> {
        // Of instructions that come with every task of an agent, the first are enough.
        let most = if text.len() > INSTRUCTIONS { FEW_SENTENCES } else { SENTENCES };
        let mut kept = Vec::new();
        for &(from, to) in passages {
            for sentence in sentences::split(text::between(text, from, to)) {
                if kept.len() < most && !text_agent::is_agents(sentence) && self.sentence(sentence, at) {
                    kept.push(sentence);
                }
            }
        }
        kept
    }

    /// Notes a request, which closes the one before it.
    fn ask(&mut self, asked: &str, at: u64) {
        let cancels = rules::cancels(asked);
        let cancel = cancels.then(|| text::first_line(asked, EVIDENCE));
        self.close(Some(cancel));
        // Whoever says thanks waits for no answer.
        if asked.is_empty() || self.courtesies.are_all(asked) {
            return;
        }
        if matches!(self.memory.tasks.as_slice(), [only] if is_command(&only.text)) {
            self.memory.tasks.clear();
        }
        let most = if self.memory.tasks.is_empty() { OPENING } else { REQUEST };
        let text = quoting::quote(&text::ends(asked, most));
        self.memory.tasks.push(Entry { text, who: self.who.clone(), at, ..Entry::default() });
        // Behind the first one all move up, so many go at once.
        if self.memory.tasks.len() >= 2 * MOST {
            self.trim_tasks();
        }
    }

    /// Of equal requests that came to the same keeps the last one, and the one that opened the conversation.
    pub(super) fn join_repeated(&mut self) {
        let repeated = repeated(&self.memory.tasks);
        let mut at = 0;
        self.memory.tasks.retain(|_| {
            at += 1;
            !repeated[at - 1]
        });
    }

    /// Keeps the request that opened the conversation, and the newest.
    pub(super) fn trim_tasks(&mut self) {
        let over = self.memory.tasks.len().saturating_sub(MOST);
        if over > 0 {
            self.memory.tasks.drain(1..=over);
            self.memory.skipped += over as u64;
        }
    }

    /// Keeps a sentence that is more than a request; whether it did.
    fn sentence(&mut self, sentence: &str, at: u64) -> bool {
        let read = self.words.read(sentence);
        let is_request = match read.kind {
            Sentence::Other => true,
            Sentence::Tells => read.orders || !tells(sentence),
            Sentence::Requires | Sentence::Decides => false,
        };
        if is_request && read.cue == Cue::None && !read.undoes || self.courtesies.are_all(sentence) {
            return false;
        }
        let text = text::start(&quoting::one_line(sentence), SENTENCE);
        let memory = &mut self.memory;
        let was = supersede(memory, (&text, &self.who), at, read);
        let list = match read.kind {
            Sentence::Requires => &mut memory.required,
            Sentence::Decides => &mut memory.decided,
            Sentence::Other if was.is_some() => &mut memory.decided,
            Sentence::Tells if was.is_some() || tells(sentence) => &mut memory.told,
            Sentence::Other | Sentence::Tells => return false,
        };
        let before = list.iter().position(|entry| in_force(entry) && entry.text == text && entry.who == self.who);
        let earlier = before.map(|before| list.remove(before)).unwrap_or_default();
        let passing = read.personal;
        let place = before.map(|_| earlier.place.unwrap_or(earlier.at));
        let who = self.who.clone();
        keep(list, Entry { text, who, at, was: was.or(earlier.was), passing, place, ..Entry::default() });
        true
    }

    /// Closes the requests that are open, if the assistant answered: at the next request (`cancel`: what it calls off), or
    /// where it ended without a call.
    pub(super) fn close(&mut self, cancel: Option<Option<String>>) {
        let answer = self.answer.take_if(|(_, ended)| *ended || cancel.is_some());
        let next = cancel.is_some() && core::mem::take(&mut self.acted);
        let called_off = cancel.flatten();
        let open = self.memory.tasks.iter_mut().rev().take_while(|task| task.outcome.is_none());
        for (at, task) in open.enumerate() {
            match (&answer, &called_off) {
                (_, Some(words)) if at == 0 => (task.outcome, task.cancelled) = (Some(words.clone()), true),
                // What was asked before it without an answer has the same one.
                (Some((words, _)), _) => task.outcome = Some(if at == 0 { words.clone() } else { String::new() }),
                // Whoever goes on after something was done does not wait for an answer.
                (None, _) if next => task.outcome = Some(String::new()),
                _ => {}
            }
        }
    }
}

/// Adds an entry to those of its kind, which are bounded: what no longer holds leaves first, then the oldest.
pub(super) fn keep(list: &mut Vec<Entry>, entry: Entry) {
    list.push(entry);
    if list.len() > MOST {
        let superseded = list.iter().position(|entry| !in_force(entry)).unwrap_or(0);
        list.remove(superseded);
    }
}

/// A part of a person's message that may ask for something.
enum TypedPart<'t> {
    Said(Said<'t>),
    /// A medium, as it is named.
    Medium(String),
}

/// What a text says.
struct Said<'t> {
    text: &'t str,
    /// Where it was typed.
    passages: Vec<(usize, usize)>,
    own: Own,
}

impl<'t> TypedPart<'t> {
    fn of(part: &'t ContentPart) -> Option<Self> {
        match part {
            ContentPart::Text { text, .. } => {
                let text = text_agent::behind_report(text);
                Some(Self::Said(Said { text, passages: typed::passages(text), own: wrapped::asked(text) }))
            }
            ContentPart::Media { kind, media_type, reference, .. } => {
                Some(Self::Medium(format!("[{}]", medium(*kind, media_type, reference))))
            }
            ContentPart::Document { name, .. } if name.is_empty() => Some(Self::Medium("[a document]".to_owned())),
            ContentPart::Document { name, .. } => {
                Some(Self::Medium(format!("[the document {}]", quoting::one_line(&text::start(name, LABEL)))))
            }
            _ => None,
        }
    }

    fn is_typed(&self) -> bool {
        matches!(self, Self::Said(said) if !typed::joined(said.text, &said.passages).trim().is_empty())
    }

    /// Whether an application said all of it.
    fn is_aside(&self) -> bool {
        matches!(self, Self::Said(said) if said.own == Own::Nothing)
    }

    /// Whether it holds anything that no application said.
    fn asks(&self) -> bool {
        match self {
            Self::Said(said) => said.own != Own::Nothing && !said.text.trim().is_empty(),
            Self::Medium(_) => true,
        }
    }
}

/// Whether a request is a command of the program that the conversation is held in: `/mode`.
fn is_command(request: &str) -> bool {
    request.starts_with('/') && !request.contains(char::is_whitespace)
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
    let spoken: Vec<_> = tasks.iter().map(Entry::spoken).collect();
    let mut texts = Distinct::default();
    let mut later: Vec<&Entry> = Vec::new();
    for (at, task) in tasks.iter().enumerate().skip(1).rev() {
        let (number, new) = texts.number(&spoken[at]);
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

/// What a text asks for beside the sentences of it that are kept, which stand elsewhere.
fn asked_beside(kept: &[&str], text: &str, any_typed: bool) -> String {
    let asks = text_agent::request(text);
    let Some(first) = kept.first() else {
        let untagged = if any_typed { asks } else { text_agent::untagged(&asks) };
        return untagged.trim().to_owned();
    };
    let rest = without(&asks, kept, "");
    // "Could you help me with that?" says nothing by itself.
    if !rest.is_empty() && rest.len() < BARE { without(&asks, kept, &text::start(first, LABEL)) } else { rest }
}

/// What is left of a request without the sentences that are kept elsewhere, with a text in place of the first of them.
fn without(asks: &str, kept: &[&str], first: &str) -> String {
    let mut rest = asks.to_owned();
    for (number, sentence) in kept.iter().enumerate() {
        if let Some(at) = text::find(&rest, sentence) {
            rest.replace_range(at..at + sentence.len(), if number == 0 { first } else { "" });
        }
    }
    without_empty(&rest).trim_matches(is_mark).to_owned()
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
