//! Faults that the history itself brought, repaired in the view (`tune.repair`). The host's messages stay as they are.

use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::base::markers;
use crate::ingest::content::ContentPart;
use crate::ingest::host::Host;
use crate::ingest::pairs::{self, Violation};
use crate::model::message::{PartKind, Role};
use crate::session::history::History;
use crate::session::state::SessionState;
use crate::session::view::{self, Item, Slot, View};
use crate::tokens::Estimator;
use std::collections::{BTreeMap, VecDeque};

/// What stands for a result that was never recorded.
const NO_RESULT: &str = "No result of this call was recorded.";

/// Mends what the checker finds, message by message: a result whose call comes later follows it, one without a call
/// becomes a text, one given twice goes; a call without a result gets one that says so; empty messages go. A result that
/// shares its message with sound parts is left as it is.
///
/// # Errors
/// What a repair looks at.
pub(crate) struct Given<'a> {
    pub(crate) history: &'a History<'a>,
    pub(crate) state: &'a SessionState,
    pub(crate) estimator: &'a Estimator,
}

/// When the host cannot read or make a message.
pub(crate) fn repair(given: &Given<'_>, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    let history = given.history;
    let hosts: Vec<usize> =
        (0..view.items.len()).filter(|&at| matches!(view.items[at].slot, Slot::Host { .. })).collect();
    let found = pairs::check(&view.digests(history));
    if found.is_empty() {
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
        if is("empty-content").next().is_some() && Some(at) != last {
            continue;
        }
        let lost = is("orphan-result").count();
        if has_result && message.len() == lost + is("duplicate-result").count() {
            let subject = is("orphan-result").next().map(|fault| fault.1.subject);
            match subject {
                Some(subject) if message.len() == 1 && awaited.get(subject).is_some_and(|last| last > at as u64) => {
                    early.push(subject, item)
                }
                Some(_) => texts.push(told(given, &item, input, host)?),
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
    given: &Given<'_>,
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
            out.push(Item { slot: Slot::Mended { input }, tokens, made: Some(product), fixed: false });
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
    fn of(given: &Given<'_>, input: usize, host: &mut dyn Host) -> Result<Self, Error> {
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

/// Results without their calls, as a text.
fn told(given: &Given<'_>, item: &Item, input: usize, host: &mut dyn Host) -> Result<Item, Error> {
    let mut text = format!("{}this is the result of a tool call that is not in this history.]", markers::NOTICE);
    for mut content in host.read(&[input])? {
        if item.made.is_some() {
            content = view::as_sent(given.history, given.state, given.estimator, input, content);
        }
        for part in &content.parts {
            if let ContentPart::Result { output, .. } = part {
                text.push('\n');
                text.push_str(&output.to_text());
            }
        }
    }
    let product =
        host.summary(&text, &format!("precis-result-{}", crate::model::message::hex(given.history.hash(input))), 0)?;
    let tokens = product.digest().map_or(0, |digest| digest.tokens());
    Ok(Item { slot: Slot::Mended { input }, tokens, made: Some(product), fixed: item.fixed })
}
