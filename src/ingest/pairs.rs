//! Calls and their results: which messages belong together, where a conversation may be cut, and the validity checker.

use crate::base::id_map::IdMap;
use crate::ingest::approvals;
use crate::model::message::{Digest, Part, PartKind, Role, combine};

/// The places where a run of messages may be cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// `legal[i]`: whether the messages before `i` and those from `i` on belong to different groups.
    legal: Vec<bool>,
    /// For each place, the nearest legal cut at or before it (0 if there is none), and at or after it.
    before: Vec<usize>,
    after: Vec<Option<usize>>,
    /// The first message of the last group, if calls in it still wait for their results.
    pub pending: Option<usize>,
}

/// Distinguishes the ids of approvals from those of calls.
const APPROVALS: u64 = 0x6170_7072_6f76_616c;

impl Cuts {
    /// Finds the groups: reasoning, assistant messages, their calls and all their results stay together.
    pub fn of(messages: &[Digest<'_>]) -> Self {
        let count = messages.len();
        let mut legal = vec![true; count + 1];
        // Open calls by id. Ids may repeat in every turn ("call_0"), so the newest open call is used.
        let mut open = IdMap::new(messages.iter().map(Digest::len).sum());
        let mut waiting = vec![0_usize; count];
        // Messages whose calls and results need no other message.
        let mut alone = vec![false; count];
        // Pairs as brackets: where they open and close.
        let mut spans = vec![0_i64; count + 2];
        for (index, message) in messages.iter().enumerate() {
            // Whether it has results of earlier calls. The result of a tool that the provider ran is in the same
            // message as its call.
            let mut follows = message.role() == Role::Tool;
            for part in message.parts() {
                if part.kind == PartKind::Call {
                    open.insert(part.id, index as u64);
                    waiting[index] += 1;
                } else if part.kind == PartKind::ApprovalRequest {
                    open.insert(part.id ^ APPROVALS, index as u64);
                } else if part.kind == PartKind::ApprovalResponse
                    && let Some(asked) = open.get(part.id ^ APPROVALS)
                {
                    spans[asked as usize + 1] += 1;
                    spans[index + 1] -= 1;
                } else if part.kind == PartKind::Result {
                    let call = open.remove(part.id).map(|call| call as usize);
                    // A result from the provider without its call belongs to no other message either.
                    follows |= call.map_or(message.role() != Role::Assistant, |call| call != index);
                    if let Some(call) = call {
                        waiting[call] -= 1;
                        spans[call + 1] += 1;
                        spans[index + 1] -= 1;
                    }
                }
            }
            alone[index] = message.role() == Role::Assistant && !follows && message.has(PartKind::Result);
            if index > 0 && (follows || is_bare_reasoning(&messages[index - 1])) {
                legal[index] = false;
            }
        }
        let mut depth = 0;
        for (cut, span) in legal.iter_mut().zip(&spans) {
            depth += span;
            *cut &= depth == 0;
        }
        let settled: Vec<bool> = alone.iter().zip(&waiting).map(|(&alone, &waiting)| alone && waiting == 0).collect();
        let pending = first_pending(messages, &waiting, &settled).map(|first| {
            let start = (0..=first).rev().find(|&start| start == 0 || legal[start]).unwrap_or(0);
            legal[start + 1..=count].fill(false);
            start
        });
        let (before, after) = nearest(&legal);
        Self { legal, before, after, pending }
    }

    /// Whether a cut before message `index` splits no group.
    pub fn is_legal(&self, index: usize) -> bool {
        self.legal.get(index).copied().unwrap_or(false)
    }

    /// The nearest legal cut at or before `index`.
    pub fn at_or_before(&self, index: usize) -> usize {
        self.before.get(index).or(self.before.last()).copied().unwrap_or(0)
    }

    /// The nearest legal cut at or after `index`. The end of the run is always legal unless calls are pending.
    pub fn at_or_after(&self, index: usize) -> Option<usize> {
        self.after.get(index).copied().flatten()
    }

    /// The start of the newest group.
    pub fn newest(&self) -> usize {
        self.at_or_before(self.legal.len().saturating_sub(2))
    }

    /// The start of the group that `index` belongs to.
    pub fn start_of(&self, index: usize) -> usize {
        self.at_or_before(index)
    }

    /// The end of the group that `index` belongs to.
    pub fn end_of(&self, index: usize) -> usize {
        self.at_or_after(index + 1).unwrap_or(self.legal.len() - 1)
    }
}

/// The first message at the end whose calls wait for results. They wait only while nothing but their batch follows.
fn first_pending(messages: &[Digest<'_>], waiting: &[usize], settled: &[bool]) -> Option<usize> {
    let mut pending = None;
    for (index, message) in messages.iter().enumerate().rev() {
        let batch = message.role() == Role::Tool || message.has(PartKind::Result) || message.has(PartKind::Call);
        if !batch || settled[index] {
            break;
        }
        if waiting[index] > 0 {
            pending = Some(index);
        }
    }
    pending
}

/// For each place, the nearest legal cut at or before it (0 if there is none), and at or after it.
fn nearest(legal: &[bool]) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut last = 0;
    let before = legal.iter().enumerate().map(|(at, &legal)| {
        last = if legal { at } else { last };
        last
    });
    let before = before.collect();
    let mut after = vec![None; legal.len()];
    let mut next = None;
    for (at, after) in after.iter_mut().enumerate().rev() {
        if legal[at] {
            next = Some(at);
        }
        *after = next;
    }
    (before, after)
}

/// Whether an assistant message holds only reasoning, encrypted or not. This is a reasoning item of the Responses API,
/// which is bound to the item after it.
fn is_bare_reasoning(message: &Digest<'_>) -> bool {
    message.role() == Role::Assistant
        && message.has(PartKind::Reasoning)
        && message.parts().all(|part| matches!(part.kind, PartKind::Reasoning | PartKind::Opaque))
}

/// Whether every call has its result.
pub fn is_settled(messages: &[Digest<'_>]) -> bool {
    let (mut open, mut count) = (IdMap::default(), 0);
    for part in messages.iter().flat_map(Digest::parts) {
        match part.kind {
            PartKind::Call => {
                count += usize::from(open.get(part.id).is_none());
                open.insert(part.id, 1);
            }
            PartKind::Result => count -= usize::from(open.remove(part.id).is_some()),
            _ => {}
        }
    }
    count == 0
}

/// The rules of providers for the messages of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRule {
    /// No message is empty.
    EmptyContent,
    /// Every call is followed directly by its result.
    UnansweredCall,
    /// No call has two results.
    DuplicateResult,
    /// Every result follows its call.
    OrphanResult,
    /// Every approval response has its request.
    OrphanApproval,
    /// No two open calls share an id.
    DuplicateId,
    /// Roles alternate. Only some providers require it.
    Alternation,
}

impl MessageRule {
    /// The stable name of the rule.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EmptyContent => "empty-content",
            Self::UnansweredCall => "unanswered-call",
            Self::DuplicateResult => "duplicate-result",
            Self::OrphanResult => "orphan-result",
            Self::OrphanApproval => "orphan-approval",
            Self::DuplicateId => "duplicate-id",
            Self::Alternation => "alternation",
        }
    }

    /// Describes a violation of the rule.
    pub const fn complaint(self) -> &'static str {
        match self {
            Self::EmptyContent => "The message has no content.",
            Self::UnansweredCall => "A tool call is not followed by its result.",
            Self::DuplicateResult => "A tool call has two results.",
            Self::OrphanResult => "A tool result does not directly follow its call.",
            Self::OrphanApproval => "The request of an approval response is not in this history.",
            Self::DuplicateId => "A call id is used again while its first call is open.",
            Self::Alternation => "The message has the same role as the one before it.",
        }
    }
}

/// A violation of a rule in a run of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: MessageRule,
    /// The index of the message.
    pub index: usize,
    /// The call id, or the content hash of the message.
    pub subject: u64,
}

/// Checks that providers accept a run of messages: every result follows its call, batches are whole and together, ids
/// are unique while open, nothing is empty. In the order of the messages.
pub fn check(messages: &[Digest<'_>]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut batch = Batch::default();
    for (index, message) in messages.iter().enumerate() {
        if message.is_empty() {
            found.push(Violation { rule: MessageRule::EmptyContent, index, subject: message.hash() });
        }
        let provider_executed = message.role() == Role::Assistant;
        let results = message.parts().filter(|part| part.kind == PartKind::Result);
        let closes = !message.has(PartKind::Result)
            && message.role() != Role::Tool
            && !(message.has(PartKind::Call) && in_batch(messages, index));
        if closes {
            for (subject, call) in batch.close() {
                found.push(Violation { rule: MessageRule::UnansweredCall, index: call, subject });
            }
        }
        if provider_executed {
            note_calls(message, index, &mut batch, &mut found);
        }
        for Part { id, .. } in results {
            if batch.answer(id) {
                continue;
            }
            if batch.has_answered(id) {
                found.push(Violation { rule: MessageRule::DuplicateResult, index, subject: id });
            } else {
                found.push(Violation { rule: MessageRule::OrphanResult, index, subject: id });
            }
        }
    }
    for approvals::Unrequested { index, id, .. } in approvals::unrequested(messages) {
        found.push(Violation { rule: MessageRule::OrphanApproval, index, subject: id });
    }
    // Unanswered calls and responses without a request are found later than other violations, so the list is sorted by
    // message.
    let mut order: Vec<u64> = (0..).zip(&found).map(|(at, fault)| (fault.index as u64) << 32 | at).collect();
    order.sort_unstable();
    order.into_iter().map(|key| found[key as u32 as usize]).collect()
}

/// The calls of one batch.
#[derive(Default)]
struct Batch {
    /// The calls that wait for a result: id and message. Ids are unique.
    open: Vec<(u64, usize)>,
    /// For each id, the index of its call in `open`, or [`ANSWERED`].
    places: IdMap,
}

/// Stands for a call that has its result.
const ANSWERED: u64 = u64::MAX;

impl Batch {
    /// Ends the batch. Returns the calls that still wait.
    fn close(&mut self) -> Vec<(u64, usize)> {
        self.places.clear();
        core::mem::take(&mut self.open)
    }

    /// Adds a call. Returns false if a call with this id is open.
    fn call(&mut self, id: u64, message: usize) -> bool {
        if self.places.get(id).is_some_and(|place| place != ANSWERED) {
            return false;
        }
        self.places.insert(id, self.open.len() as u64);
        self.open.push((id, message));
        true
    }

    /// Closes the open call that a result belongs to. Returns false if there is none.
    fn answer(&mut self, id: u64) -> bool {
        let Some(place) = self.places.get(id).filter(|&place| place != ANSWERED) else { return false };
        self.open.swap_remove(place as usize);
        if let Some(&(moved, _)) = self.open.get(place as usize) {
            self.places.insert(moved, place);
        }
        self.places.insert(id, ANSWERED);
        true
    }

    fn has_answered(&self, id: u64) -> bool {
        self.places.get(id) == Some(ANSWERED)
    }
}

fn note_calls(message: &Digest<'_>, index: usize, batch: &mut Batch, found: &mut Vec<Violation>) {
    for Part { id, .. } in message.parts().filter(|part| part.kind == PartKind::Call) {
        if !batch.call(id, index) {
            found.push(Violation { rule: MessageRule::DuplicateId, index, subject: id });
        }
    }
}

/// Whether a message continues a batch: its calls may be in several consecutive assistant messages (OpenAI Responses
/// items).
fn in_batch(messages: &[Digest<'_>], index: usize) -> bool {
    index > 0 && messages[index - 1].role() == Role::Assistant && messages[index - 1].has(PartKind::Call)
}

/// Adjacent messages of users, or of the model: violations for providers that require roles to alternate.
pub fn alternation(messages: &[Digest<'_>]) -> Vec<Violation> {
    let repeats = |index: &usize| {
        let role = messages[*index].role();
        messages[index - 1].role() == role && matches!(role, Role::User | Role::Assistant)
    };
    let violation = |index: usize| Violation { rule: MessageRule::Alternation, index, subject: messages[index].hash() };
    (1..messages.len()).filter(repeats).map(violation).collect()
}

/// The violations of a view that its history does not have, and which we would therefore have caused.
pub fn added(view: &[Digest<'_>], history: &[Digest<'_>]) -> Vec<Violation> {
    let mut known = IdMap::default();
    for violation in check(history) {
        let fault = fault(&violation);
        known.insert(fault, known.get(fault).unwrap_or(0) + 1);
    }
    let mut added = check(view);
    added.retain(|violation| {
        let fault = fault(violation);
        let left = known.get(fault).unwrap_or(0);
        if left > 0 {
            known.insert(fault, left - 1);
        }
        left == 0
    });
    added
}

/// Identifies a fault. A call with two results leaves an orphan result when it is covered, so both rules are one fault.
fn fault(violation: &Violation) -> u64 {
    let rule = match violation.rule {
        MessageRule::DuplicateResult => MessageRule::OrphanResult,
        rule => rule,
    };
    combine(rule as u64, violation.subject)
}
