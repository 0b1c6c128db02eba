//! Faults that the history itself brought, repaired in the view. The host's messages stay as they are. What could pass as
//! authority (an approval that nobody asked for) and what no provider takes (an empty compaction) is always left out;
//! the rest is the option `repair`.

use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::base::markers;
use crate::call::input::Call;
use crate::ingest::approvals;
use crate::ingest::content::ContentPart;
use crate::ingest::host::Host;
use crate::ingest::pairs::{self, MessageRule, Violation};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{Digest, Part, PartKind, Role, hash_text, hex};
use crate::session::history::{History, LeftOut};
use crate::session::state::SessionState;
use crate::session::view::{self, Item, Slot, View};

/// What stands for a result that was never recorded.
const NO_RESULT: &str = "No result of this call was recorded.";

/// What a repair looks at.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) call: &'a Call,
    pub(crate) history: &'a History<'a>,
    pub(crate) state: &'a SessionState,
    /// What providers would refuse about the history.
    pub(crate) faults: &'a [Violation],
}

/// What stands before an assistant's message that would be the first.
const BEGINS: &str = "the conversation begins with the assistant's message below.]";

/// Whether faults of the history are repaired in the view.
pub(crate) fn repairs(call: &Call) -> bool {
    call.options.repair && call.options.preset.is_none()
}

/// Which parts of the history are in no view, by message in their order.
pub(crate) fn left_out(given: Given<'_>) -> Vec<LeftOut> {
    let (call, messages) = (given.call, &given.history.messages);
    let mut all = Vec::new();
    if call.options.preset.is_some() {
        return all;
    }
    let mut compacted = compacted(given).into_iter().peekable();
    let mut unrequested = approvals::unrequested(messages).into_iter().peekable();
    let repaired_from = if repairs(call) && call.leaves_out { continued(given) } else { messages.len() };
    let mut later = given.faults;
    for (input, message) in messages.iter().enumerate() {
        let own;
        (own, later) = later.split_at(later.iter().take_while(|fault| fault.index == input).count());
        if compacted.next_if_eq(&input).is_some() {
            all.push(LeftOut { input, parts: Vec::new(), whole: true, quoted: Vec::new() });
            continue;
        }
        if own.is_empty() && !message.compacts() {
            continue;
        }
        let mut goes = if input >= repaired_from { faulty_parts(message, own) } else { vec![false; message.len()] };
        // Those of messages that are left out as a whole.
        while unrequested.next_if(|answer| answer.index < input).is_some() {}
        while let Some(answer) = unrequested.next_if(|answer| answer.index == input) {
            goes[answer.part] = true;
        }
        for (at, part) in message.parts().enumerate() {
            goes[at] |= part.is_empty_compaction();
        }
        if !goes.contains(&true) {
            continue;
        }
        let whole = remaining(message, &goes) == 0;
        let mut parts: Vec<u32> = chosen(message, &goes).map(|part| part.number).collect();
        parts.dedup();
        let mut orphans = IdMap::default();
        if input >= repaired_from && !whole {
            own.iter()
                .filter(|fault| fault.rule == MessageRule::OrphanResult)
                .for_each(|fault| orphans.insert(fault.subject, 1));
        }
        let results = chosen(message, &goes).filter(|part| part.kind == PartKind::Result);
        let quoted = results.map(|part| part.id).filter(|&id| orphans.get(id).is_some()).collect();
        all.push(LeftOut { input, parts, whole, quoted });
    }
    all
}

/// Messages whose place a provider's own summary takes that can be read: those before it that precis has not covered,
/// apart from instructions, pins and what a person typed last. Before one that only its provider can read everything
/// stays, because another provider may be asked next.
fn compacted(given: Given<'_>) -> Vec<usize> {
    let history = given.history;
    let Some(compaction) = history.compaction.filter(|compaction| compaction.readable) else { return Vec::new() };
    let covered = history.active.map_or(0, |active| given.state.checkpoints[active].covers.count);
    let open = |input: usize| history.index_of(input).is_some_and(|index| index >= covered);
    let from = history.messages.len() - (history.end() - history.first()) as usize;
    let lead = from.max(view::leading(history));
    let cuts = pairs::Cuts::of(&history.messages[from..]);
    if !open(compaction.input) || compaction.input < from || !cuts.is_legal(compaction.input - from) {
        return Vec::new();
    }
    let active = history.active_user();
    let stays = |input: usize| {
        history.is_pinned(input) || active == Some(input) || history.messages[input].role() == Role::System
    };
    let mut goes = Vec::new();
    let mut start = lead;
    while start < compaction.input {
        // What stays brings its whole group.
        let group = start..(cuts.end_of(start - from) + from).min(compaction.input).max(start + 1);
        start = group.end;
        if !group.clone().any(stays) {
            goes.extend(group.filter(|&input| open(input)));
        }
    }
    goes
}

/// Which parts of a message are results without their calls or calls made twice, beside sound parts.
fn faulty_parts(message: &Digest<'_>, faults: &[Violation]) -> Vec<bool> {
    let mut goes = vec![false; message.len()];
    // What is signed stays as it is.
    if message.is_signed() {
        return goes;
    }
    let of = |rule: MessageRule| faults.iter().filter(move |fault| fault.rule == rule).map(|fault| fault.subject);
    if message.role() != Role::Assistant {
        mark(
            message,
            PartKind::Result,
            of(MessageRule::OrphanResult).chain(of(MessageRule::DuplicateResult)),
            &mut goes,
        );
    }
    if remaining(message, &goes) == 0 {
        // The message goes as a whole, and its results are quoted.
        goes.fill(false);
    }
    mark(message, PartKind::Call, of(MessageRule::DuplicateId), &mut goes);
    if remaining(message, &goes) > 0 {
        // Without a number nothing can be taken out of a message.
        for (goes, part) in goes.iter_mut().zip(message.parts()) {
            *goes &= part.number != NO_NUMBER;
        }
    }
    goes
}

/// The marked parts of a message.
fn chosen<'a>(message: &'a Digest<'_>, marks: &'a [bool]) -> impl Iterator<Item = Part> + 'a {
    message.parts().zip(marks).filter(|(_, marked)| **marked).map(|(part, _)| part)
}

/// How many messages at the front answer calls that the provider may hold itself (`previous_response_id`).
fn continued(given: Given<'_>) -> usize {
    let answers = |message: &&Digest<'_>| message.role() == Role::Tool || message.has(PartKind::Result);
    if given.call.continues { given.history.messages.iter().take_while(answers).count() } else { 0 }
}

/// Marks of the parts with these ids the last ones, as many as there are ids: the first of them may be sound.
fn mark(message: &Digest<'_>, kind: PartKind, ids: impl Iterator<Item = u64>, marks: &mut [bool]) {
    let mut wanted = IdMap::default();
    ids.for_each(|id| wanted.insert(id, wanted.get(id).unwrap_or(0) + 1));
    for (at, part) in message.parts().enumerate().rev().filter(|(_, part)| part.kind == kind) {
        if let Some(count) = wanted.get(part.id).filter(|&count| count > 0) {
            wanted.insert(part.id, count - 1);
            marks[at] = true;
        }
    }
}

/// How many parts are left of a message without the marked ones; what is inside a result goes with it.
fn remaining(message: &Digest<'_>, goes: &[bool]) -> usize {
    let mut left = 0;
    let mut inside = None;
    for (part, &goes) in message.parts().zip(goes) {
        let inner = match part.kind {
            PartKind::Media => inside == Some(part.number),
            PartKind::Opaque => inside.is_some(),
            _ => false,
        };
        if inner {
            continue;
        }
        inside = (goes && part.kind == PartKind::Result).then_some(part.number);
        left += usize::from(!goes);
    }
    left
}

/// The message of the assistant's that the history begins with, where the provider refuses that.
pub(crate) fn assistant_first(call: &Call, history: &History<'_>) -> Option<usize> {
    if !call.opens_with_user || call.options.preset.is_some() || history.first() > 0 || history.is_view() {
        return None;
    }
    let first = view::leading(history);
    history.messages.get(first).filter(|message| opens_wrongly(message)).map(|_| first)
}

/// A provider's own summary stands for all before it, also for the user's message that came first.
fn opens_wrongly(message: &Digest<'_>) -> bool {
    message.role() == Role::Assistant && !message.compacts()
}

/// Puts a message before an assistant's that would be the first of the view, where the provider refuses that.
///
/// # Errors
/// When the host cannot make a message.
pub(crate) fn open(given: Given<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    if !given.call.opens_with_user {
        return Ok(());
    }
    let digest = |item: &Item| match item.slot {
        Slot::Host { input, .. } => Some(item.digest().unwrap_or(given.history.messages[input]).role()),
        _ => None,
    };
    let Some(at) = view.items.iter().position(|item| digest(item) != Some(Role::System)) else { return Ok(()) };
    let Slot::Host { input, .. } = view.items[at].slot else { return Ok(()) };
    if !opens_wrongly(&given.history.messages[input]) {
        return Ok(());
    }
    let product = host.summary(&format!("{}{BEGINS}", markers::NOTICE), "precis-opening", 0)?;
    let tokens = product.digest().map_or(0, |digest| digest.tokens());
    view.items.insert(at, Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: true });
    Ok(())
}

/// Repairs what the checker finds, message by message: a result whose call comes later follows it, one without a call
/// becomes a text, one given twice goes; a call without a result gets one that says so; empty messages go.
///
/// # Errors
/// When the host cannot read or make a message.
pub(crate) fn repair(given: Given<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    let history = given.history;
    let has_digest = |item: &Item| matches!(item.slot, Slot::Host { .. }) || item.made.is_some();
    let hosts: Vec<usize> = (0..view.items.len()).filter(|&at| has_digest(&view.items[at])).collect();
    let mut found = pairs::check(&view.digests(history));
    // The calls that the first messages answer may be held by the provider.
    let continued = continued(given);
    found.retain(|fault| {
        fault.rule != MessageRule::OrphanResult
            || hosts
                .get(fault.index)
                .is_none_or(|&at| !matches!(view.items[at].slot, Slot::Host { input, .. } if input < continued))
    });
    if found.is_empty() && history.left_out.iter().all(|left_out| left_out.quoted.is_empty()) {
        return Ok(());
    }
    let mut faults: Vec<(usize, Violation)> = Vec::with_capacity(found.len());
    // By call the last place where it has no result.
    let mut awaited = IdMap::default();
    for fault in found {
        let Some(&at) = hosts.get(fault.index) else { continue };
        if fault.rule == MessageRule::UnansweredCall {
            let last = awaited.get(fault.subject).unwrap_or(0).max(at as u64);
            awaited.insert(fault.subject, last);
        }
        faults.push((at, fault));
    }
    let last = hosts.last().copied();
    let mut out: Vec<Item> = Vec::with_capacity(view.items.len() + faults.len());
    // Results that wait for their calls, and texts that wait for the end of the results around them.
    let (mut early, mut texts) = (Early::default(), Vec::new());
    let mut unanswered: Vec<(usize, u64)> = Vec::new();
    let mut rest = faults.as_slice();
    let mut batch = false;
    for (at, item) in core::mem::take(&mut view.items).into_iter().enumerate() {
        let count = rest.iter().take_while(|fault| fault.0 == at).count();
        let (own, later) = rest.split_at(count);
        rest = later;
        let Slot::Host { input, .. } = item.slot else {
            answer(given, &mut unanswered, &mut early, &mut out, host)?;
            out.append(&mut texts);
            out.push(item);
            continue;
        };
        let message = item.digest().unwrap_or(history.messages[input]);
        let (role, has_result, has_call) = (message.role(), message.has(PartKind::Result), message.has(PartKind::Call));
        let is = |rule: MessageRule| own.iter().filter(move |fault| fault.1.rule == rule);
        if is(MessageRule::EmptyContent).next().is_some() && Some(at) != last && !given.call.takes_empty {
            // What it stood between stays apart.
            if role != Role::Tool {
                answer(given, &mut unanswered, &mut early, &mut out, host)?;
                out.append(&mut texts);
                batch = false;
            }
            continue;
        }
        let lost = is(MessageRule::OrphanResult).chain(is(MessageRule::DuplicateResult)).map(|fault| fault.1.subject);
        let mut goes = vec![false; message.len()];
        mark(&message, PartKind::Result, lost, &mut goes);
        if has_result && goes.contains(&true) && remaining(&message, &goes) == 0 {
            let subject = is(MessageRule::OrphanResult).next().map(|fault| fault.1.subject);
            match subject {
                Some(subject) if message.len() == 1 && awaited.get(subject).is_some_and(|last| last > at as u64) => {
                    early.push(subject, item)
                }
                Some(_) => texts.push(quoted(given, &item, input, None, host)?),
                None => {}
            }
            continue;
        }
        // Calls of one batch may come as several messages in a row; what else comes ends the wait for results.
        let calls = role == Role::Assistant && has_call;
        if !(calls && batch && texts.is_empty()) {
            answer(given, &mut unanswered, &mut early, &mut out, host)?;
        }
        if !has_result && role != Role::Tool {
            out.append(&mut texts);
        }
        batch = calls;
        unanswered.extend(is(MessageRule::UnansweredCall).map(|fault| (input, fault.1.subject)));
        if let Some(left_out) = history.left_out(input).filter(|left_out| !left_out.quoted.is_empty()) {
            texts.push(quoted(given, &item, input, Some(&left_out.quoted), host)?);
        }
        out.push(item);
    }
    answer(given, &mut unanswered, &mut early, &mut out, host)?;
    out.extend(early.items.into_iter().filter_map(|(item, _)| item));
    out.append(&mut texts);
    view.items = out;
    Ok(())
}

/// Results that wait for their calls.
#[derive(Default)]
struct Early {
    /// In their order, those that were taken left out; and where the next one of the same call is.
    items: Vec<(Option<Item>, Option<u64>)>,
    /// By call the first that waits, and the last.
    first: IdMap,
    last: IdMap,
}

impl Early {
    fn push(&mut self, subject: u64, item: Item) {
        let at = self.items.len() as u64;
        match self.last.get(subject) {
            Some(last) => self.items[last as usize].1 = Some(at),
            None => self.first.insert(subject, at),
        }
        self.last.insert(subject, at);
        self.items.push((Some(item), None));
    }

    /// The first result of this call.
    fn take(&mut self, subject: u64) -> Option<Item> {
        let (item, next) = self.items.get_mut(self.first.get(subject)? as usize)?;
        match next {
            Some(next) => self.first.insert(subject, *next),
            None => {
                self.first.remove(subject);
                self.last.remove(subject);
            }
        }
        item.take()
    }
}

/// Gives each call without a result one: its own that came too early, or one that says that there is none.
fn answer(
    given: Given<'_>,
    unanswered: &mut Vec<(usize, u64)>,
    early: &mut Early,
    out: &mut Vec<Item>,
    host: &mut dyn Host,
) -> Result<(), Error> {
    // The calls of the message that was read last.
    let mut asking = Calls::default();
    for (input, subject) in core::mem::take(unanswered) {
        if let Some(item) = early.take(subject) {
            out.push(item);
            continue;
        }
        if asking.input != Some(input) {
            asking = Calls::of(given, input, host)?;
        }
        if let Some((id, name)) = asking.find(subject)
            && let Some(product) = host.result(id, name, NO_RESULT)?
        {
            let named = given.call.options.estimator.result_name(name.len() as u64);
            let tokens = product.digest().map_or(0, |digest| digest.tokens()) + named;
            out.push(Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: false });
        }
    }
    Ok(())
}

/// The calls of one message.
#[derive(Default)]
struct Calls {
    input: Option<usize>,
    /// By the hash of its id a call's number among them; of equal ones the first.
    numbers: IdMap,
    /// Ids and tools.
    calls: Vec<(String, String)>,
}

impl Calls {
    fn of(given: Given<'_>, input: usize, host: &mut dyn Host) -> Result<Self, Error> {
        let mut all = Self { input: Some(input), ..Self::default() };
        let parts = given.history.messages[input].parts().filter(|part| part.kind == PartKind::Call);
        for (number, part) in parts.enumerate() {
            if all.numbers.get(part.id).is_none() {
                all.numbers.insert(part.id, number as u64);
            }
        }
        for part in host.read(&[input])?.into_iter().flat_map(|content| content.parts) {
            if let ContentPart::Call { id, name, .. } = part {
                all.calls.push((id, name));
            }
        }
        Ok(all)
    }

    fn find(&self, subject: u64) -> Option<(&str, &str)> {
        let (id, name) = self.calls.get(self.numbers.get(subject)? as usize)?;
        Some((id, name))
    }
}

/// Results without their calls, as a text: all of a message, or those with these call ids.
fn quoted(
    given: Given<'_>,
    item: &Item,
    input: usize,
    ids: Option<&[u64]>,
    host: &mut dyn Host,
) -> Result<Item, Error> {
    let mut text = format!("{}this is the result of a tool call that is not in this history.]", markers::NOTICE);
    for mut content in host.read(&[input])? {
        if item.made.is_some() {
            content = view::as_sent(given.history, given.state, &given.call.options.estimator, input, content);
        }
        for part in &content.parts {
            if let ContentPart::Result { id, output, .. } = part
                && ids.is_none_or(|ids| ids.contains(&hash_text(id)))
            {
                text.push('\n');
                text.push_str(&output.to_text());
            }
        }
    }
    let product = host.summary(&text, &format!("precis-result-{}", hex(given.history.hash(input))), 0)?;
    let tokens = product.digest().map_or(0, |digest| digest.tokens());
    Ok(Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: item.fixed })
}
