//! Which result belongs to which call. Ids alone do not say it: many servers and SDKs send none, the same for all, or
//! the tool's name in their place. So what stands between an assistant's calls and the next message that is not a result
//! is matched by id where ids are unique, else by the tool's name, else by order. Only what then remains has no partner.
//!
//! A window holds the calls of an assistant and the results up to the next message that is none. Where a reply is
//! several items, as in the Responses API, what it says beside its calls does not end the window (`replies`). Two that
//! both have an id of their own, and not the same, are no pair: one result and one call are missing. So where count
//! and order match, a history is sent as it is.
//!
//! A call that the provider executes (`server_tool_use`, `providerExecuted`, a program of the Responses API) may stay
//! open for any number of rounds. Its result comes in a message of the assistant or in an item of its own, it is not
//! cut from it, and none is ever put in its place.

use crate::base::id_map::IdMap;
use crate::base::order;
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::replies;
use crate::model::message::{MessageRecord, Part, PartKind, Role, hash_text};

/// Open calls that a result in a message of the assistant may belong to, beside those it names. Bounds the time for
/// histories in which providers' calls stay open without end.
const MOST_OPEN: usize = 256;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The index of its message.
    pub message: usize,
    /// The index of its part in the message.
    pub part: usize,
    /// The hash of its id.
    pub id: u64,
    /// Half of the hash of the tool's name.
    pub name: u32,
    /// The bytes of the tool's name.
    pub name_bytes: u32,
    /// Whether the provider executes it: its result comes in a message of the assistant, perhaps rounds later.
    pub executed: bool,
    /// Its result: an index in [`Pairing::results`].
    pub result: Option<usize>,
    /// Whether something else than its results follows. Until then it waits.
    pub closed: bool,
    /// Whether it has no result, and an earlier call of the batch has the same id.
    pub repeated: bool,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The index of its message.
    pub message: usize,
    /// The index of its part in the message.
    pub part: usize,
    /// The number that the format replaces it by.
    pub number: u32,
    /// The hash of its id.
    pub id: u64,
    /// Half of the hash of the tool's name, or 0 if it names none.
    pub name: u32,
    /// Its call: an index in [`Pairing::calls`].
    pub call: Option<usize>,
    /// Whether other messages stand between it and its call that no provider accepts there.
    pub late: bool,
    /// Whether it has no call, and another result answered the call with its id.
    pub repeated: bool,
}

/// The calls and results of a run of messages.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The results, in order.
    pub results: Vec<Answer>,
}

impl Pairing {
    /// Pairs the calls and results of messages.
    pub fn of(messages: &[MessageRecord<'_>]) -> Self {
        let mut matching = Matching::new(messages.iter().any(|message| message.has(PartKind::Result)));
        let mut replies = replies::in_items(messages).into_iter().peekable();
        for (index, message) in messages.iter().enumerate() {
            while replies.next_if(|reply| reply.end <= index).is_some() {}
            let is_item = replies.peek().is_some_and(|reply| reply.contains(&index));
            matching.message(index, message, is_item);
        }
        matching.end_window(false);
        matching.pairing
    }

    /// Whether every call has its result.
    pub fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| call.result.is_some())
    }

    /// The call that the result at this place belongs to.
    pub fn call_of(&self, message: usize, part: usize) -> Option<&Call> {
        let at = self.results.binary_search_by_key(&(message, part), |result| (result.message, result.part)).ok()?;
        Some(&self.calls[self.results[at].call?])
    }

    /// Replaces the ids in the text of a message by ids that only the two halves of a pair share. `place` gives where in
    /// the conversation a message stands: what is remembered of a call holds for requests that bring other messages.
    pub fn identify(&self, message: usize, content: &mut Content, place: impl Fn(usize) -> u64) {
        for (part, one) in content.parts.iter_mut().enumerate() {
            if let ContentPart::Call { id, .. } = one {
                *id = pair_id(place(message), part);
            } else if let ContentPart::Result { id, .. } = one {
                let call = self.call_of(message, part).map_or((message, part), |call| (call.message, call.part));
                *id = pair_id(place(call.0), call.1);
            }
        }
    }
}

/// The id of a pair by the place of its call, which no host would use.
fn pair_id(message: u64, part: usize) -> String {
    format!("\0{message}.{part}")
}

/// Whether an assistant message says nothing: only reasoning, encrypted or not, and parts that the format does not know.
/// Items of the Responses API stand so between parallel calls.
fn says_nothing(message: &MessageRecord<'_>) -> bool {
    message.role() == Role::Assistant
        && !message.is_empty()
        && message.parts().all(|part| matches!(part.kind, PartKind::Reasoning | PartKind::Opaque))
}

/// A pass over messages. A window holds the calls of an assistant and the results that follow directly.
struct Matching {
    pairing: Pairing,
    /// The calls of the window that have no result.
    calls: Vec<usize>,
    /// The results of the window that have no call.
    answers: Vec<usize>,
    /// Calls that the provider executes and has not answered.
    executed: Vec<usize>,
    /// The newest calls of earlier windows that got no result, by id.
    open: IdMap,
    /// Whether the newest message made calls, apart from messages that say nothing.
    batch: bool,
    /// The id of a part that has none.
    none: u64,
    /// Whether there are results at all.
    answered: bool,
}

impl Matching {
    fn new(answered: bool) -> Self {
        let (pairing, open) = (Pairing::default(), IdMap::default());
        let none = hash_text("");
        Self {
            pairing,
            calls: Vec::new(),
            answers: Vec::new(),
            executed: Vec::new(),
            open,
            batch: false,
            none,
            answered,
        }
    }

    /// Reads the next message. `is_item`: whether it is an item of a reply in several.
    fn message(&mut self, index: usize, message: &MessageRecord<'_>, is_item: bool) {
        let is_assistant = message.role() == Role::Assistant;
        if is_assistant && says_nothing(message) {
            return;
        }
        let (calls, results) = (message.has(PartKind::Call), message.has(PartKind::Result));
        // What a reply says beside its calls does not end it, in items as in one message.
        if is_item && !calls && !results && self.answers.is_empty() {
            return;
        }
        let continues = if is_assistant {
            self.answers.is_empty() && (results || calls && self.batch)
        } else {
            results || message.role() == Role::Tool
        };
        if !continues {
            self.end_window(true);
            if message.role() == Role::User {
                self.give_up_executed();
            }
        }
        self.batch = is_assistant && calls;
        if !calls && !results {
            return;
        }
        let before = self.answers.len();
        for (at, part) in message.parts().enumerate() {
            match part.kind {
                PartKind::Call if is_assistant => self.call(index, at, &part),
                PartKind::Result => {
                    let Part { number, id, name, .. } = part;
                    let (call, late, repeated) = (None, false, false);
                    self.answers.push(self.pairing.results.len());
                    let one = Answer { message: index, part: at, number, id, name, call, late, repeated };
                    self.pairing.results.push(one);
                }
                _ => {}
            }
        }
        if is_assistant && self.answers.len() > before {
            let mut own = self.answers.split_off(before);
            self.answer_own(&mut own);
        }
    }

    fn call(&mut self, message: usize, part: usize, from: &Part) {
        let &Part { id, name, name_bytes, marked: executed, .. } = from;
        let at = self.pairing.calls.len();
        let (result, closed, repeated) = (None, false, false);
        self.pairing.calls.push(Call { message, part, id, name, name_bytes, executed, result, closed, repeated });
        if executed { self.executed.push(at) } else { self.calls.push(at) }
    }

    /// Finds the calls of results in a message of the assistant: the provider executed them, or the format keeps a call
    /// and its result in one message.
    fn answer_own(&mut self, own: &mut Vec<usize>) {
        let from = self.executed.len().saturating_sub(MOST_OPEN);
        let mut calls = self.executed.split_off(from);
        let executed = calls.len();
        let rest = self.calls.len().saturating_sub(MOST_OPEN);
        calls.extend(self.calls.drain(rest..));
        let mut waiting = calls.clone();
        self.pair(&mut waiting, own, false);
        for (at, call) in calls.into_iter().enumerate() {
            if self.pairing.calls[call].result.is_none() {
                if at < executed { self.executed.push(call) } else { self.calls.push(call) }
            }
        }
        for &answer in own.iter() {
            // One that waits longer than others.
            let id = self.pairing.results[answer].id;
            let older = if id == self.none { None } else { self.open.remove(id).map(|call| call as usize) };
            let held = self.executed.iter().chain(&self.calls).copied();
            let mut held = held.filter(|&call| id != self.none && self.pairing.calls[call].id == id);
            if let Some(call) = older.or(held.next_back()).filter(|&call| self.pairing.calls[call].result.is_none()) {
                self.tie(call, answer);
                let Call { executed, closed, .. } = self.pairing.calls[call];
                self.pairing.results[answer].late = closed && !executed;
                self.executed.retain(|&one| one != call);
                self.calls.retain(|&one| one != call);
            }
        }
        own.clear();
    }

    /// Ends the window: `closed` if something else follows than results.
    fn end_window(&mut self, closed: bool) {
        if self.calls.is_empty() && self.answers.is_empty() {
            return;
        }
        let (mut calls, mut answers) = (core::mem::take(&mut self.calls), core::mem::take(&mut self.answers));
        self.pair(&mut calls, &mut answers, closed);
        for answer in answers.drain(..) {
            let id = self.pairing.results[answer].id;
            if id == self.none {
                continue;
            }
            if let Some(call) = self.open.remove(id) {
                self.tie(call as usize, answer);
                self.pairing.results[answer].late = true;
            } else if let Some(at) = self.executed.iter().rposition(|&call| self.pairing.calls[call].id == id) {
                let call = self.executed.remove(at);
                self.tie(call, answer);
            }
        }
        for call in calls.drain(..) {
            self.pairing.calls[call].closed = closed;
            self.wait(call);
        }
        // The next window needs as much room.
        (self.calls, self.answers) = (calls, answers);
    }

    /// The calls of the provider that are open when a person goes on: only a result that names one belongs to it.
    fn give_up_executed(&mut self) {
        for call in core::mem::take(&mut self.executed) {
            self.wait(call);
        }
    }

    /// Keeps a call for a late result that names it.
    fn wait(&mut self, call: usize) {
        let id = self.pairing.calls[call].id;
        if self.answered && id != self.none {
            self.open.insert(id, call as u64);
        }
    }

    fn tie(&mut self, call: usize, answer: usize) {
        self.pairing.calls[call].result = Some(answer);
        self.pairing.results[answer].call = Some(call);
    }

    /// Pairs calls and results by id, then by name, then by order, and leaves those that have no partner. Two that both
    /// have an id that nothing else has, and not the same, are no pair.
    fn pair(&mut self, calls: &mut Vec<usize>, answers: &mut Vec<usize>, closed: bool) {
        // The common case takes no sorting.
        if let ([call], [answer]) = (calls.as_slice(), answers.as_slice())
            && self.pairing.calls[*call].id == self.pairing.results[*answer].id
        {
            self.tie(*call, *answer);
        } else {
            let mut vague = Vague::default();
            self.pair_by_id(calls, answers, closed, &mut vague);
            self.rest(calls, answers);
            self.pair_by_name(calls, answers, Some(&vague));
            self.rest(calls, answers);
            self.pair_in_order(calls, answers, Some(&vague));
        }
        self.rest(calls, answers);
    }

    /// Keeps those without a partner.
    fn rest(&self, calls: &mut Vec<usize>, answers: &mut Vec<usize>) {
        calls.retain(|&call| self.pairing.calls[call].result.is_none());
        answers.retain(|&answer| self.pairing.results[answer].call.is_none());
    }

    /// Pairs what has the same id. Notes which ids say nothing.
    fn pair_by_id(&mut self, calls: &[usize], answers: &[usize], closed: bool, vague: &mut Vague) {
        let mut names: Vec<u64> = calls.iter().map(|&call| self.pairing.calls[call].name.into()).collect();
        order::numbers(&mut names);
        let calls = sorted(calls, |call| self.pairing.calls[call].id);
        let answers = sorted(answers, |answer| self.pairing.results[answer].id);
        for (id, calls, answers) in runs(&calls, &answers) {
            let is_name = id == self.none || names.binary_search(&u64::from(id as u32)).is_ok();
            let alone = calls.len() == 1 && !is_name;
            if !alone {
                vague.calls.extend_from_slice(&calls);
            }
            if is_name || calls.is_empty() && answers.len() > 1 || calls.len() > 1 {
                vague.answers.extend_from_slice(&answers);
            }
            if id == self.none || calls.is_empty() {
                continue;
            }
            if calls.len() > 1 {
                self.pair_by_name(&calls, &answers, None);
            }
            self.pair_in_order(&calls, &answers, None);
            for (at, &call) in calls.iter().enumerate() {
                let waits = self.pairing.calls[call].result.is_none() && (closed || !answers.is_empty());
                self.pairing.calls[call].repeated = waits && at > 0 && !is_name;
            }
            for &answer in answers.iter().filter(|_| alone) {
                self.pairing.results[answer].repeated = self.pairing.results[answer].call.is_none();
            }
        }
        order::indices(&mut vague.calls);
        order::indices(&mut vague.answers);
    }

    /// Pairs what names the same tool. An id may be the name.
    fn pair_by_name(&mut self, calls: &[usize], answers: &[usize], vague: Option<&Vague>) {
        let calls = sorted(calls, |call| u64::from(self.pairing.calls[call].name));
        let named = |answer: usize| {
            let Answer { id, name, .. } = self.pairing.results[answer];
            if name == 0 && id != self.none { id as u32 } else { name }
        };
        let answers = sorted(answers, |answer| u64::from(named(answer)));
        for (name, calls, answers) in runs(&calls, &answers) {
            if name != 0 {
                self.pair_in_order(&calls, &answers, vague);
            }
        }
    }

    /// Pairs the first with the first. With `vague`, two clear ids that differ are no pair.
    fn pair_in_order(&mut self, calls: &[usize], answers: &[usize], vague: Option<&Vague>) {
        let is_free = |this: &Self, call: usize| this.pairing.calls[call].result.is_none();
        let (mut any, mut unclear) = (0, 0);
        for &answer in answers {
            if self.pairing.results[answer].call.is_some() {
                continue;
            }
            let clear = vague.is_some_and(|vague| vague.answers.binary_search(&answer).is_err());
            let next = if clear { &mut unclear } else { &mut any };
            while let Some(&call) = calls.get(*next)
                && !(is_free(self, call)
                    && (!clear || vague.is_none_or(|vague| vague.calls.binary_search(&call).is_ok())))
            {
                *next += 1;
            }
            if let Some(&call) = calls.get(*next) {
                self.tie(call, answer);
            }
        }
    }
}

/// Calls and results of a window whose ids do not tell them from others, in ascending order.
#[derive(Default)]
struct Vague {
    calls: Vec<usize>,
    answers: Vec<usize>,
}

/// Items with their keys, in ascending order.
fn sorted(items: &[usize], key: impl Fn(usize) -> u64) -> Vec<(u64, usize)> {
    let mut all: Vec<(u64, usize)> = items.iter().map(|&item| (key(item), item)).collect();
    order::by_key(&mut all, |&(key, item)| order::both(key, item as u64));
    all
}

/// For each key, the calls and the results with it.
fn runs(calls: &[(u64, usize)], answers: &[(u64, usize)]) -> Vec<(u64, Vec<usize>, Vec<usize>)> {
    let mut all = Vec::new();
    let (mut calls, mut answers) = (calls, answers);
    while let Some(key) = calls.first().into_iter().chain(answers.first()).map(|one| one.0).min() {
        let run = |list: &mut &[(u64, usize)]| {
            let (own, rest) = list.split_at(list.partition_point(|one| one.0 <= key));
            *list = rest;
            own.iter().map(|one| one.1).collect::<Vec<usize>>()
        };
        let own = run(&mut calls);
        all.push((key, own, run(&mut answers)));
    }
    all
}
