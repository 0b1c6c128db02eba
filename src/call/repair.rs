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
use crate::ingest::pairs::{self, Violation};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{Digest, Part, PartKind, Role, hash_text, hex};
use crate::session::history::{History, LeftOut};
use crate::session::state::SessionState;
use crate::session::view::{self, Item, Slot, View};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
    call.options.repair && !call.options.seed
}

/// Which parts of the history are in no view, by message in their order.
pub(crate) fn left_out(given: Given<'_>) -> Vec<LeftOut> {
    let (call, messages) = (given.call, &given.history.messages);
    let mut all = Vec::new();
    if call.options.seed {
        return all;
    }
    let mut parts: Vec<(usize, Part)> = approvals::unrequested(messages);
    for (input, message) in messages.iter().enumerate().filter(|(_, message)| message.compacts()) {
        parts.extend(message.parts().filter(Part::is_empty_compaction).map(|part| (input, part)));
    }
    let mut orphans: Vec<(usize, u64)> = Vec::new();
    if repairs(call) && call.leaves_out {
        faulty_parts(given, &mut parts);
        let lost = given.faults.iter().filter(|fault| fault.rule == "orphan-result");
        orphans.extend(lost.map(|fault| (fault.index, fault.subject)));
        orphans.sort_unstable();
    }
    let compacted = compacted(given);
    parts.retain(|(input, _)| compacted.binary_search(input).is_err());
    parts.sort_by_key(|(input, _)| *input);
    for of_one in parts.chunk_by(|one, other| one.0 == other.0) {
        let input = of_one[0].0;
        let left_out: Vec<Part> = of_one.iter().map(|(_, part)| *part).collect();
        let whole = remaining(&messages[input], &left_out) == 0;
        let mut numbers: Vec<u32> = left_out.iter().map(|part| part.number).collect();
        numbers.dedup();
        let results = left_out.iter().filter(|part| part.kind == PartKind::Result && !whole).map(|part| part.id);
        let quoted = results.filter(|id| orphans.binary_search(&(input, *id)).is_ok()).collect();
        all.push(LeftOut { input, parts: numbers, whole, quoted });
    }
    let whole = |input| LeftOut { input, parts: Vec::new(), whole: true, quoted: Vec::new() };
    all.extend(compacted.into_iter().map(whole));
    all.sort_by_key(|left_out| left_out.input);
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

/// Results without their calls and calls made twice, where they share their message with sound parts.
fn faulty_parts(given: Given<'_>, parts: &mut Vec<(usize, Part)>) {
    let continued = continued(given);
    for of_one in given.faults.chunk_by(|one, other| one.index == other.index) {
        let input = of_one[0].index;
        if input < continued {
            continue;
        }
        let message = &given.history.messages[input];
        // What is signed stays as it is.
        if message.is_signed() {
            continue;
        }
        let of = |rule: &'static str| of_one.iter().filter(move |fault| fault.rule == rule);
        let mut faulty = Vec::new();
        if message.role() != Role::Assistant {
            let lost = of("orphan-result").chain(of("duplicate-result")).map(|fault| fault.subject);
            faulty = last_of(message, PartKind::Result, lost);
        }
        if remaining(message, &faulty) == 0 {
            // The message goes as a whole, and its results are quoted.
            faulty.clear();
        }
        faulty.extend(last_of(message, PartKind::Call, of("duplicate-id").map(|fault| fault.subject)));
        let alone = remaining(message, &faulty) == 0;
        parts.extend(faulty.into_iter().filter(|part| alone || part.number != NO_NUMBER).map(|part| (input, part)));
    }
}

/// How many messages at the front answer calls that the provider may hold itself (`previous_response_id`).
fn continued(given: Given<'_>) -> usize {
    let answers = |message: &&Digest<'_>| message.role() == Role::Tool || message.has(PartKind::Result);
    if given.call.continues { given.history.messages.iter().take_while(answers).count() } else { 0 }
}

/// Of the parts with these ids the last ones, as many as there are ids: the first of them may be sound.
fn last_of(message: &Digest<'_>, kind: PartKind, ids: impl Iterator<Item = u64>) -> Vec<Part> {
    let mut wanted: BTreeMap<u64, usize> = BTreeMap::new();
    ids.for_each(|id| *wanted.entry(id).or_default() += 1);
    let mut found = Vec::new();
    for part in message.parts().rev().filter(|part| part.kind == kind) {
        if let Some(count) = wanted.get_mut(&part.id).filter(|count| **count > 0) {
            *count -= 1;
            found.push(part);
        }
    }
    found.reverse();
    found
}

/// How many parts are left of a message without these; what is inside a result goes with it.
fn remaining(message: &Digest<'_>, without: &[Part]) -> usize {
    let without: BTreeSet<&Part> = without.iter().collect();
    let mut left = 0;
    let mut inside = None;
    for part in message.parts() {
        let inner = match part.kind {
            PartKind::Media => inside == Some(part.number),
            PartKind::Opaque => inside.is_some(),
            _ => false,
        };
        if inner {
            continue;
        }
        let goes = without.contains(&part);
        inside = (goes && part.kind == PartKind::Result).then_some(part.number);
        left += usize::from(!goes);
    }
    left
}

/// The message of the assistant's that the history begins with, where the provider refuses that.
pub(crate) fn assistant_first(call: &Call, history: &History<'_>) -> Option<usize> {
    if !call.opens_with_user || call.options.seed || history.first() > 0 || history.is_view() {
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
        fault.rule != "orphan-result"
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
        if fault.rule == "unanswered-call" {
            let last = awaited.get(fault.subject).unwrap_or(0).max(at as u64);
            awaited.insert(fault.subject, last);
        }
        faults.push((at, fault));
    }
    faults.sort_by_key(|fault| fault.0);
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
        let is = |rule: &'static str| own.iter().filter(move |fault| fault.1.rule == rule);
        if is("empty-content").next().is_some() && Some(at) != last && !given.call.takes_empty {
            // What it stood between stays apart.
            if role != Role::Tool {
                answer(given, &mut unanswered, &mut early, &mut out, host)?;
                out.append(&mut texts);
                batch = false;
            }
            continue;
        }
        let lost = is("orphan-result").chain(is("duplicate-result")).map(|fault| fault.1.subject);
        let lost = last_of(&message, PartKind::Result, lost);
        if has_result && !lost.is_empty() && remaining(&message, &lost) == 0 {
            let subject = is("orphan-result").next().map(|fault| fault.1.subject);
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
        unanswered.extend(is("unanswered-call").map(|fault| (input, fault.1.subject)));
        if let Some(left_out) = history.left_out(input).filter(|left_out| !left_out.quoted.is_empty()) {
            texts.push(quoted(given, &item, input, Some(&left_out.quoted), host)?);
        }
        out.push(item);
    }
    answer(given, &mut unanswered, &mut early, &mut out, host)?;
    out.extend(early.items.into_iter().flatten());
    out.append(&mut texts);
    view.items = out;
    Ok(())
}

/// Results that wait for their calls.
#[derive(Default)]
struct Early {
    /// In their order, those that were taken left out.
    items: Vec<Option<Item>>,
    /// By call.
    places: BTreeMap<u64, VecDeque<usize>>,
}

impl Early {
    fn push(&mut self, subject: u64, item: Item) {
        self.places.entry(subject).or_default().push_back(self.items.len());
        self.items.push(Some(item));
    }

    /// The first result of this call.
    fn take(&mut self, subject: u64) -> Option<Item> {
        let place = self.places.get_mut(&subject)?.pop_front()?;
        self.items.get_mut(place)?.take()
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
            let tokens = product.digest().map_or(0, |digest| digest.tokens());
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
