//! Calls and their results: what belongs together, where a conversation may be cut, and the one checker of legality.

use crate::id_map::IdMap;
use crate::message::{Digest, Part, PartKind, Role};
use crate::prelude::*;

/// Where a run of messages may be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// `legal[i]`: the messages before `i` and those from `i` on belong to different groups.
    legal: Vec<bool>,
    /// The first message of the trailing group whose calls still wait for their results, if any.
    pub pending: Option<usize>,
}

impl Cuts {
    /// Finds the groups: reasoning, assistant messages, their calls and all their results stay together.
    pub fn of(messages: &[Digest<'_>]) -> Self {
        let count = messages.len();
        let mut legal = vec![true; count + 1];
        // Open calls by id. Ids may come again in every turn ("call_0"): the newest open one is meant.
        let mut open = IdMap::new(messages.iter().map(Digest::len).sum());
        let mut waiting = vec![0_usize; count];
        // Pairs as brackets: where they open and close.
        let mut spans = vec![0_i64; count + 2];
        for (index, message) in messages.iter().enumerate() {
            let follows = message.role() == Role::Tool || message.has(PartKind::Result);
            if index > 0 && (follows || is_bare_reasoning(&messages[index - 1])) {
                legal[index] = false;
            }
            for part in message.parts() {
                if part.kind == PartKind::Call {
                    open.insert(part.id, index as u64);
                    waiting[index] += 1;
                } else if part.kind == PartKind::Result
                    && let Some(call) = open.remove(part.id)
                {
                    let call = call as usize;
                    waiting[call] -= 1;
                    spans[call + 1] += 1;
                    spans[index + 1] -= 1;
                }
            }
        }
        let mut depth = 0;
        for (cut, span) in legal.iter_mut().zip(&spans) {
            depth += span;
            *cut &= depth == 0;
        }
        // Calls wait only as long as nothing but their batch follows them.
        let mut pending = None;
        for index in (0..count).rev() {
            let message = &messages[index];
            let batch = message.role() == Role::Tool || message.has(PartKind::Result) || message.has(PartKind::Call);
            if !batch {
                break;
            }
            if waiting[index] > 0 {
                pending = Some(index);
            }
        }
        if let Some(first) = pending {
            let mut start = first;
            while start > 0 && !legal[start] {
                start -= 1;
            }
            for cut in &mut legal[start + 1..=count] {
                *cut = false;
            }
            pending = Some(start);
        }
        Self { legal, pending }
    }

    /// Whether a cut before message `index` splits no group.
    pub fn is_legal(&self, index: usize) -> bool {
        self.legal.get(index).copied().unwrap_or(false)
    }

    /// The nearest legal cut at or before `index`.
    pub fn at_or_before(&self, index: usize) -> usize {
        (0..=index.min(self.legal.len() - 1)).rev().find(|&cut| self.legal[cut]).unwrap_or(0)
    }

    /// The nearest legal cut at or after `index`; the end of the run is always one unless calls are pending.
    pub fn at_or_after(&self, index: usize) -> Option<usize> {
        (index..self.legal.len()).find(|&cut| self.legal[cut])
    }

    /// Start of the newest group.
    pub fn newest(&self) -> usize {
        self.at_or_before(self.legal.len().saturating_sub(2))
    }

    /// Start of the group that `index` belongs to.
    pub fn start_of(&self, index: usize) -> usize {
        self.at_or_before(index)
    }

    /// End of the group that `index` belongs to.
    pub fn end_of(&self, index: usize) -> usize {
        self.at_or_after(index + 1).unwrap_or(self.legal.len() - 1)
    }
}

/// An assistant message that holds nothing but reasoning: a Responses reasoning item, bound to the item after it.
fn is_bare_reasoning(message: &Digest<'_>) -> bool {
    message.role() == Role::Assistant
        && message.parts().len() > 0
        && message.parts().all(|part| part.kind == PartKind::Reasoning)
}

/// Whether every call has its result.
pub fn is_settled(messages: &[Digest<'_>]) -> bool {
    let mut open: Vec<u64> = Vec::new();
    for part in messages.iter().flat_map(Digest::parts) {
        match part.kind {
            PartKind::Call => open.push(part.id),
            PartKind::Result => open.retain(|&id| id != part.id),
            _ => {}
        }
    }
    open.is_empty()
}

/// A rule that a run of messages breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's stable name.
    pub rule: &'static str,
    /// Which message.
    pub index: usize,
    /// What a provider would say.
    pub message: &'static str,
    /// What of: the call id, or the message's content hash.
    pub subject: u64,
}

/// Checks that providers accept a run of messages: every result follows its call, batches are whole and together, ids
/// are unique while open, nothing is empty.
pub fn check(messages: &[Digest<'_>]) -> Vec<Violation> {
    let mut found = Vec::new();
    // Calls that wait for their result: id, message.
    let mut open: Vec<(u64, usize)> = Vec::new();
    let mut answered: Vec<u64> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if message.is_empty() {
            found.push(Violation {
                rule: "empty-content",
                index,
                message: "A message without content.",
                subject: message.hash(),
            });
        }
        let provider_executed = message.role() == Role::Assistant;
        let results = message.parts().filter(|part| part.kind == PartKind::Result);
        let closes = !message.has(PartKind::Result)
            && message.role() != Role::Tool
            && !(message.has(PartKind::Call) && in_batch(messages, index));
        if closes {
            for (subject, call) in open.drain(..) {
                found.push(Violation {
                    rule: "unanswered-call",
                    index: call,
                    message: "A tool call whose result does not follow it.",
                    subject,
                });
            }
            answered.clear();
        }
        if provider_executed {
            note_calls(message, index, &mut open, &mut answered, &mut found);
        }
        for Part { id, .. } in results {
            if let Some(at) = open.iter().position(|&(open_id, _)| open_id == id) {
                open.swap_remove(at);
                answered.push(id);
            } else if answered.contains(&id) {
                found.push(Violation {
                    rule: "duplicate-result",
                    index,
                    message: "A tool call answered twice.",
                    subject: id,
                });
            } else {
                found.push(Violation {
                    rule: "orphan-result",
                    index,
                    message: "A tool result whose call does not come right before it.",
                    subject: id,
                });
            }
        }
    }
    found
}

fn note_calls(
    message: &Digest<'_>,
    index: usize,
    open: &mut Vec<(u64, usize)>,
    answered: &mut Vec<u64>,
    found: &mut Vec<Violation>,
) {
    for Part { id, .. } in message.parts().filter(|part| part.kind == PartKind::Call) {
        if open.iter().any(|&(open_id, _)| open_id == id) {
            found.push(Violation {
                rule: "duplicate-id",
                index,
                message: "A call id used twice while the first call is open.",
                subject: id,
            });
        } else {
            answered.retain(|&known| known != id);
            open.push((id, index));
        }
    }
}

/// Calls of one batch may come as several assistant messages in a row (OpenAI Responses items).
fn in_batch(messages: &[Digest<'_>], index: usize) -> bool {
    index > 0 && messages[index - 1].role() == Role::Assistant && messages[index - 1].has(PartKind::Call)
}

/// Messages of users, or of the model, that follow each other: for providers where roles must alternate.
pub fn alternation(messages: &[Digest<'_>]) -> Vec<Violation> {
    let repeats = |index: &usize| {
        let role = messages[*index].role();
        messages[index - 1].role() == role && matches!(role, Role::User | Role::Assistant)
    };
    let violation = |index: usize| Violation {
        rule: "alternation",
        index,
        message: "A message of the same role as the one before it.",
        subject: messages[index].hash(),
    };
    (1..messages.len()).filter(repeats).map(violation).collect()
}

/// The violations of a view that its history does not have: those we would have added.
pub fn added(view: &[Digest<'_>], history: &[Digest<'_>]) -> Vec<Violation> {
    let mut known: Vec<(&'static str, u64)> = check(history).iter().map(fault).collect();
    let mut added = check(view);
    added.retain(|violation| match known.iter().position(|known| *known == fault(violation)) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    });
    added
}

/// What is wrong with what. A call answered twice leaves an orphan behind when it is covered: one fault, two names.
fn fault(violation: &Violation) -> (&'static str, u64) {
    let rule = if violation.rule == "duplicate-result" { "orphan-result" } else { violation.rule };
    (rule, violation.subject)
}
