//! Selects the parts of a history that are in no view. Parts that could pass as authority (an approval that nobody
//! requested) and parts that no provider accepts (an empty compaction) are always left out. With the option `repair`,
//! so are parts without their counterparts.
//!
//! A provider's own compaction is sent as it is until a summary that was made with its text replaces it: a digest by
//! code stands behind it, the next summary by a model takes its place. One that nobody else can read is kept like a
//! pin as long as it is the newest. Where room is lacking for it, `compaction-lost` names it. An empty one, which
//! providers refuse, is left out (`empty-compaction`).

use crate::call::input::Call;
use crate::ingest::approvals;
use crate::ingest::pairs::{self, MessageRule, Violation};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{MessageRecord, Part, PartKind, Role};
use crate::session::history::{History, LeftOut};
use crate::session::state::SessionState;
use crate::session::view;

/// The input of the repairs.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) call: &'a Call,
    pub(crate) history: &'a History<'a>,
    pub(crate) state: &'a SessionState,
    /// What providers would refuse in the history.
    pub(crate) faults: &'a [Violation],
}

/// Whether faults of the history are repaired in the view.
pub(crate) fn repairs(call: &Call) -> bool {
    call.options.repair && call.options.preset.is_none()
}

/// The parts of the history that are in no view, in the order of their messages.
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
        let mut removed = if input >= repaired_from { faulty_parts(message, own) } else { vec![false; message.len()] };
        // Skips those in messages that are left out as a whole.
        while unrequested.next_if(|answer| answer.index < input).is_some() {}
        while let Some(answer) = unrequested.next_if(|answer| answer.index == input) {
            removed[answer.part] = true;
        }
        for (at, part) in message.parts().enumerate() {
            removed[at] |= part.is_empty_compaction();
        }
        if !removed.contains(&true) {
            continue;
        }
        let whole = remaining(message, &removed) == 0;
        let mut parts: Vec<u32> = chosen(message, &removed).map(|part| part.number).collect();
        parts.dedup();
        let is_quoted = |fault: &&Violation| {
            fault.rule == MessageRule::OrphanResult && removed[fault.part] && input >= repaired_from && !whole
        };
        let quoted = own.iter().filter(is_quoted).map(|fault| fault.part).collect();
        all.push(LeftOut { input, parts, whole, quoted });
    }
    all
}

/// The messages that a readable summary of the provider replaces: those before it that precis has not covered, except
/// instructions, pins and the last message typed by a person. If only the provider can read its summary, everything
/// before it stays, because the next request may go to another provider.
fn compacted(given: Given<'_>) -> Vec<usize> {
    let history = given.history;
    let Some(compaction) = history.compaction.filter(|compaction| compaction.readable) else { return Vec::new() };
    let covered = history.active.map_or(0, |active| given.state.checkpoints[active].covers.count);
    let open = |input: usize| history.index_of(input).is_some_and(|index| index >= covered);
    let from = history.lead();
    let lead = from.max(view::leading(history));
    let cuts = pairs::Cuts::of(&history.messages[from..]);
    if !open(compaction.input) || compaction.input < from || !cuts.is_legal(compaction.input - from) {
        return Vec::new();
    }
    let active = history.active_user();
    let stays = |input: usize| {
        let is_instruction = history.messages[input].role() == Role::System && !history.is_old_system(input);
        history.is_pinned(input) || active == Some(input) || is_instruction
    };
    let mut removed = Vec::new();
    let mut start = lead;
    while start < compaction.input {
        // A message that stays keeps its whole group.
        let group = start..(cuts.end_of(start - from) + from).min(compaction.input).max(start + 1);
        start = group.end;
        if !group.clone().any(stays) {
            removed.extend(group.filter(|&input| open(input)));
        }
    }
    removed
}

/// Marks the parts of a message that are results without calls, or repeated calls, if sound parts remain. A signature
/// covers what comes before it, so a repeated call leaves a message with signed reasoning as well.
fn faulty_parts(message: &MessageRecord<'_>, faults: &[Violation]) -> Vec<bool> {
    let mut removed = vec![false; message.len()];
    let mark = |rules: &[MessageRule], removed: &mut [bool]| {
        faults.iter().filter(|fault| rules.contains(&fault.rule)).for_each(|fault| removed[fault.part] = true);
    };
    if message.role() != Role::Assistant {
        mark(&[MessageRule::OrphanResult, MessageRule::DuplicateResult], &mut removed);
    }
    if remaining(message, &removed) == 0 {
        // The message is removed as a whole, and its results are quoted.
        removed.fill(false);
    }
    mark(&[MessageRule::DuplicateId], &mut removed);
    if faults.iter().any(|fault| fault.rule == MessageRule::DuplicateId) {
        remove_last_reasoning(message, &mut removed);
    }
    if remaining(message, &removed) > 0 {
        // A part without a number cannot be removed from a message.
        for (removed, part) in removed.iter_mut().zip(message.parts()) {
            *removed &= part.number != NO_NUMBER;
        }
    }
    removed
}

/// Marks the reasoning behind everything else that remains: no message of a provider ends with it.
fn remove_last_reasoning(message: &MessageRecord<'_>, removed: &mut [bool]) {
    let says = |(part, removed): (Part, &bool)| part.kind != PartKind::Reasoning && !removed;
    let end = message.parts().zip(&*removed).rposition(says).map_or(0, |last| last + 1);
    removed[end..].fill(true);
}

/// The marked parts of a message.
fn chosen<'a>(message: &'a MessageRecord<'_>, marks: &'a [bool]) -> impl Iterator<Item = Part> + 'a {
    message.parts().zip(marks).filter(|(_, marked)| **marked).map(|(part, _)| part)
}

/// The number of messages at the front that may answer calls held by the provider (`previous_response_id`).
pub(super) fn continued(given: Given<'_>) -> usize {
    let answers = |message: &&MessageRecord<'_>| message.role() == Role::Tool || message.has(PartKind::Result);
    if given.call.continues { given.history.messages.iter().take_while(answers).count() } else { 0 }
}

/// The number of parts without the marked ones. Parts inside a result are removed with it.
pub(super) fn remaining(message: &MessageRecord<'_>, removed: &[bool]) -> usize {
    let mut left = 0;
    let mut inside = None;
    for (part, &removed) in message.parts().zip(removed) {
        let inner = match part.kind {
            PartKind::Media => inside == Some(part.number),
            PartKind::Opaque => inside.is_some(),
            _ => false,
        };
        if inner {
            continue;
        }
        inside = (removed && part.kind == PartKind::Result).then_some(part.number);
        left += usize::from(!removed);
    }
    left
}
