//! Repairs faults of the history in the view. The host's messages are not changed.
//!
//! A history without faults is not touched: the checker is asked once, and that is all.
//!
//! | fault | in the view |
//! |---|---|
//! | a result whose call comes later | follows its call |
//! | a result without its call | a text of ours that quotes it, after the results around it; a sound part beside it stays |
//! | a call answered twice | the first answer |
//! | a call made again with the id of an open one, of which only one has a result | once, also beside signed reasoning, which covers what comes before it; reasoning that would then end its message goes with the call |
//! | a call without a result, and something newer after it | a result of ours: none was recorded |
//! | an empty message | left out, unless it is the newest or the provider takes it (`takesEmpty`: Gemini, the Responses API) |
//! | the history begins with a message of the assistant, and the format says that its provider refuses that (`opening`) | a message of ours before it |
//! | results at the front, where the provider may hold their calls (`continues`: `previous_response_id` of the Responses API); where the format cannot leave parts out (`without`), what shares its message with other parts | as it is |

use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::base::{markers, quoting};
use crate::call::input::Call;
use crate::call::left_out::{Given, continued, remaining};
use crate::ingest::content::ContentPart;
use crate::ingest::host::Host;
use crate::ingest::pairs::{self, MessageRule, Violation};
use crate::model::message::{MessageRecord, PartKind, Role, hash_text, hex};
use crate::session::history::History;
use crate::session::lasting;
use crate::session::view::{self, Item, Slot, View};

/// The text of a result that was never recorded.
const NO_RESULT: &str = "No result of this call was recorded.";
/// The text of the message before an assistant message that would come first.
const BEGINS: &str = "the conversation begins with the assistant's message below.]";

/// The input index of the assistant message at the start of the history, if the provider refuses that.
pub(crate) fn assistant_first(call: &Call, history: &History<'_>) -> Option<usize> {
    if !call.opens_with_user || call.options.preset.is_some() || history.first() > 0 || history.is_view() {
        return None;
    }
    let first = view::leading(history);
    history.messages.get(first).filter(|message| opens_wrongly(message)).map(|_| first)
}

/// Whether a message must not be the first. A provider's own summary stands for everything before it, including the
/// first user message, so it can be.
fn opens_wrongly(message: &MessageRecord<'_>) -> bool {
    message.role() == Role::Assistant && !message.compacts()
}

/// Inserts a message before an assistant message that would be the first of the view, if the provider refuses that.
///
/// # Errors
///
/// If the host cannot create a message.
pub(crate) fn open(given: Given<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    if !given.call.opens_with_user {
        return Ok(());
    }
    let record = |item: &Item| match item.slot {
        Slot::Host { input, .. } => Some(item.record().unwrap_or(given.history.messages[input]).role()),
        _ => None,
    };
    let Some(at) = view.items.iter().position(|item| record(item) != Some(Role::System)) else { return Ok(()) };
    let Slot::Host { input, .. } = view.items[at].slot else { return Ok(()) };
    if !opens_wrongly(&given.history.messages[input]) {
        return Ok(());
    }
    let product = host.summary(&format!("{}{BEGINS}", markers::NOTICE), "precis-opening", 0)?;
    let tokens = product.record().map_or(0, |record| record.tokens());
    view.items.insert(at, Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: true });
    Ok(())
}

/// Repairs the faults that the checker finds, message by message. A result whose call comes later is moved after it; a
/// result without a call becomes text; a second result of a call is removed; a call without a result gets one that says
/// so; empty messages are removed.
///
/// # Errors
///
/// If the host cannot read or create a message.
pub(crate) fn repair(given: Given<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    let history = given.history;
    let has_digest = |item: &Item| matches!(item.slot, Slot::Host { .. }) || item.made.is_some();
    let hosts: Vec<usize> = (0..view.items.len()).filter(|&at| has_digest(&view.items[at])).collect();
    let records = view.records(history);
    let mut found = pairs::check(&records);
    // The provider may hold the calls that the first messages answer.
    let continued = continued(given);
    found.retain(|fault| {
        fault.rule != MessageRule::OrphanResult
            || hosts
                .get(fault.index)
                .is_none_or(|&at| !matches!(view.items[at].slot, Slot::Host { input, .. } if input < continued))
    });
    drop(records);
    if found.is_empty() && history.left_out.iter().all(|left_out| left_out.quoted.is_empty()) {
        return Ok(());
    }
    let mut faults: Vec<(usize, Violation)> = Vec::with_capacity(found.len());
    let mut to_come = IdMap::default();
    let none = hash_text("");
    for fault in found {
        let Some(&at) = hosts.get(fault.index) else { continue };
        if fault.rule == MessageRule::UnansweredCall && fault.subject != none {
            to_come.insert(fault.subject, count(&to_come, fault.subject) + 1);
        }
        faults.push((at, fault));
    }
    let items = core::mem::take(&mut view.items);
    let mut repair = Repair {
        given,
        to_come,
        last: hosts.last().copied(),
        out: Vec::with_capacity(items.len() + faults.len()),
        early: Early::default(),
        texts: Vec::new(),
        unanswered: Vec::new(),
        batch: false,
    };
    let mut rest = faults.as_slice();
    for (at, item) in items.into_iter().enumerate() {
        let count = rest.iter().take_while(|fault| fault.0 == at).count();
        let (own, later) = rest.split_at(count);
        rest = later;
        repair.add(at, item, Faults(own), host)?;
    }
    view.items = repair.finish(host)?;
    Ok(())
}

/// How many are counted for an id.
fn count(counts: &IdMap, id: u64) -> u64 {
    counts.get(id).unwrap_or(0)
}

/// The faults of one message.
#[derive(Clone, Copy)]
struct Faults<'f>(&'f [(usize, Violation)]);

impl<'f> Faults<'f> {
    /// The violations of a rule.
    fn of(self, rule: MessageRule) -> impl Iterator<Item = &'f Violation> + use<'f> {
        self.0.iter().map(|(_, violation)| violation).filter(move |violation| violation.rule == rule)
    }
}

/// A view that is being repaired.
struct Repair<'a> {
    given: Given<'a>,
    /// For each call id, how many calls without a result are still to come.
    to_come: IdMap,
    /// The index of the last message.
    last: Option<usize>,
    /// The items repaired so far.
    out: Vec<Item>,
    /// Results that wait for their calls.
    early: Early,
    /// Texts that wait for the end of the surrounding results.
    texts: Vec<Item>,
    /// Calls without a result so far.
    unanswered: Vec<Unanswered>,
    /// Whether the previous message made calls.
    batch: bool,
}

impl Repair<'_> {
    /// Adds the next item of the view.
    fn add(&mut self, at: usize, item: Item, faults: Faults<'_>, host: &mut dyn Host) -> Result<(), Error> {
        let Slot::Host { input, .. } = item.slot else {
            self.end_results(host)?;
            self.out.append(&mut self.texts);
            self.out.push(item);
            return Ok(());
        };
        let message = item.record().unwrap_or(self.given.history.messages[input]);
        let is_empty = faults.of(MessageRule::EmptyContent).next().is_some();
        if is_empty && Some(at) != self.last && !self.given.call.takes_empty {
            // The messages around the removed one stay separate.
            if message.role() != Role::Tool {
                self.end_results(host)?;
                self.out.append(&mut self.texts);
            }
            self.batch = false;
            return Ok(());
        }
        let lost = faults.of(MessageRule::OrphanResult).chain(faults.of(MessageRule::DuplicateResult));
        let mut removed = vec![false; message.len()];
        lost.for_each(|fault| removed[fault.part] = true);
        if message.has(PartKind::Result) && removed.contains(&true) && remaining(&message, &removed) == 0 {
            let single = message.len() == 1;
            return self.add_orphan(item, input, faults, single, host);
        }
        self.add_whole(item, input, faults, host)
    }

    /// Adds a message that holds only results without calls. A result that is `single` in its message waits for its
    /// call, if one comes later that no other result waits for. Otherwise the message becomes text.
    fn add_orphan(
        &mut self,
        item: Item,
        input: usize,
        faults: Faults<'_>,
        single: bool,
        host: &mut dyn Host,
    ) -> Result<(), Error> {
        // Calls after it are not part of the batch before it, wherever it ends up.
        self.batch = false;
        let Some(subject) = faults.of(MessageRule::OrphanResult).next().map(|fault| fault.subject) else {
            return Ok(());
        };
        if single && count(&self.early.waiting, subject) < count(&self.to_come, subject) {
            self.early.push(subject, item);
        } else {
            self.texts.push(quoted(self.given, &item, input, None, host)?);
        }
        Ok(())
    }

    /// Adds a message that stays.
    fn add_whole(&mut self, item: Item, input: usize, faults: Faults<'_>, host: &mut dyn Host) -> Result<(), Error> {
        let message = item.record().unwrap_or(self.given.history.messages[input]);
        let ends_results = !message.has(PartKind::Result) && message.role() != Role::Tool;
        // The calls of one batch may be in several consecutive messages, and so may their results. Any other message ends
        // the wait for results. What is added comes last: where ids tell nothing, the order of the others counts.
        let calls = message.role() == Role::Assistant && message.has(PartKind::Call);
        let results = message.role() != Role::Assistant && !ends_results;
        let goes_on = calls && self.batch && self.texts.is_empty();
        if !(results || goes_on) {
            self.end_results(host)?;
        }
        if ends_results {
            self.out.append(&mut self.texts);
        }
        self.batch = calls;
        let mut lacking = faults.of(MessageRule::UnansweredCall).peekable();
        if lacking.peek().is_some() {
            let calls: Vec<usize> =
                message.parts().enumerate().filter(|(_, part)| part.kind == PartKind::Call).map(|(at, _)| at).collect();
            for &Violation { part, subject, .. } in lacking {
                self.to_come.insert(subject, count(&self.to_come, subject).saturating_sub(1));
                let number = calls.binary_search(&part).unwrap_or(0);
                self.unanswered.push(Unanswered { input, number, subject });
            }
        }
        if let Some(left_out) = self.given.history.left_out(input).filter(|left_out| !left_out.quoted.is_empty()) {
            self.texts.push(quoted(self.given, &item, input, Some(&left_out.quoted), host)?);
        }
        self.out.push(item);
        Ok(())
    }

    /// Adds results for the calls that have none.
    fn end_results(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        add_results(self.given, &mut self.unanswered, &mut self.early, &mut self.out, host)
    }

    /// Returns the repaired view.
    fn finish(mut self, host: &mut dyn Host) -> Result<Vec<Item>, Error> {
        self.end_results(host)?;
        self.out.extend(self.early.items.into_iter().filter_map(|(item, _)| item));
        self.out.append(&mut self.texts);
        Ok(self.out)
    }
}

/// A call without a result.
#[derive(Clone, Copy)]
struct Unanswered {
    /// The input index of its message.
    input: usize,
    /// Its place among the calls of the message as it is sent.
    number: usize,
    /// The hash of its id.
    subject: u64,
}

/// Results that wait for their calls.
#[derive(Default)]
struct Early {
    /// The results in order, `None` once taken, each with the index of the next one of the same call.
    items: Vec<(Option<Item>, Option<u64>)>,
    /// For each call, the index of the first and the last waiting result.
    first: IdMap,
    last: IdMap,
    /// For each call id, how many results wait.
    waiting: IdMap,
}

impl Early {
    fn push(&mut self, subject: u64, item: Item) {
        let at = self.items.len() as u64;
        match self.last.get(subject) {
            Some(last) => self.items[last as usize].1 = Some(at),
            None => self.first.insert(subject, at),
        }
        self.last.insert(subject, at);
        self.waiting.insert(subject, count(&self.waiting, subject) + 1);
        self.items.push((Some(item), None));
    }

    /// Takes the first waiting result of this call.
    fn take(&mut self, subject: u64) -> Option<Item> {
        let (item, next) = self.items.get_mut(self.first.get(subject)? as usize)?;
        match next {
            Some(next) => self.first.insert(subject, *next),
            None => {
                self.first.remove(subject);
                self.last.remove(subject);
            }
        }
        self.waiting.insert(subject, count(&self.waiting, subject).saturating_sub(1));
        item.take()
    }
}

/// Adds a result for each call without one: its own, if it came too early, or one that says there is none.
fn add_results(
    given: Given<'_>,
    unanswered: &mut Vec<Unanswered>,
    early: &mut Early,
    out: &mut Vec<Item>,
    host: &mut dyn Host,
) -> Result<(), Error> {
    // The calls of the message that was read last.
    let mut asking = Calls::default();
    for Unanswered { input, number, subject } in core::mem::take(unanswered) {
        if let Some(item) = early.take(subject) {
            out.push(item);
            continue;
        }
        if asking.input != Some(input) {
            asking = Calls::of(given, input, host)?;
        }
        if let Some((id, name)) = asking.calls.get(number)
            && let Some(product) = host.result(input, id, name, NO_RESULT)?
        {
            let named = given.call.options.estimator.result_name(name.len() as u64);
            let tokens = product.record().map_or(0, |record| record.tokens()) + named;
            out.push(Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: false });
        }
    }
    Ok(())
}

/// The calls of one message as it is sent.
#[derive(Default)]
struct Calls {
    input: Option<usize>,
    /// The id and tool name of each call.
    calls: Vec<(String, String)>,
}

impl Calls {
    fn of(given: Given<'_>, input: usize, host: &mut dyn Host) -> Result<Self, Error> {
        let left_out = given.history.left_out(input).map_or([].as_slice(), |left_out| &left_out.parts);
        let mut calls = Vec::new();
        for part in host.read(&[input])?.into_iter().flat_map(|content| content.parts) {
            if let ContentPart::Call { id, name, number, .. } = part
                && !left_out.contains(&number)
            {
                calls.push((id, name));
            }
        }
        Ok(Self { input: Some(input), calls })
    }
}

/// Quotes results without their calls as text: all of a message, or those at these places in it.
fn quoted(
    given: Given<'_>,
    item: &Item,
    input: usize,
    parts: Option<&[usize]>,
    host: &mut dyn Host,
) -> Result<Item, Error> {
    let mut text =
        format!("{}quoted below is the result of a tool call that is not in this history.]", markers::NOTICE);
    for mut content in host.read(&[input])? {
        if item.made.is_some() {
            content = lasting::as_sent(given.history, given.state, &given.call.options.estimator, input, content);
        }
        for (at, part) in content.parts.iter().enumerate() {
            if let ContentPart::Result { output, .. } = part
                && parts.is_none_or(|parts| parts.contains(&at))
            {
                text.push('\n');
                text.push_str(&quoting::quote(&output.to_text()));
            }
        }
    }
    let product = host.summary(&text, &format!("precis-result-{}", hex(given.history.hash(input))), 0)?;
    let tokens = product.record().map_or(0, |record| record.tokens());
    Ok(Item { slot: Slot::Repaired { input }, tokens, made: Some(product), fixed: item.fixed })
}
