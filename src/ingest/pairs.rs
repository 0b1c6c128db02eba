//! Calls and their results: which messages belong together, where a conversation may be cut, and the validity checker.

use crate::base::id_map::IdMap;
use crate::base::order;
use crate::ingest::approvals;
use crate::ingest::pairing::Pairing;
use crate::ingest::replies;
use crate::model::message::{MessageRecord, PartKind, Role, combine};

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

impl Cuts {
    /// Finds the groups: calls and all their results stay together, and reasoning with the rest of its reply.
    pub fn of(messages: &[MessageRecord<'_>]) -> Self {
        Self::with(messages, &Pairing::of(messages))
    }

    /// Finds the groups of messages whose pairs are known.
    pub fn with(messages: &[MessageRecord<'_>], pairing: &Pairing) -> Self {
        let count = messages.len();
        let mut legal = vec![true; count + 1];
        let mut waiting = vec![0_usize; count];
        // Whether a message has results of earlier calls. The result of a tool that the provider ran may be in the same
        // message as its call, and without a call it belongs to no other message either.
        let mut follows: Vec<bool> = messages.iter().map(|message| message.role() == Role::Tool).collect();
        // Pairs as brackets: where they open and close.
        let mut spans = Spans(vec![0; count + 2]);
        for call in pairing.calls.iter().filter(|call| call.result.is_none()) {
            waiting[call.message] += 1;
        }
        for result in &pairing.results {
            let call = result.call.map(|call| pairing.calls[call].message);
            follows[result.message] |=
                call.map_or(messages[result.message].role() != Role::Assistant, |call| call != result.message);
            if let Some(call) = call {
                spans.add(call, result.message);
            }
        }
        approvals::pairs(messages, |asked, answered| spans.add(asked, answered));
        // Messages whose calls and results need no other message.
        let settled = |index: usize| {
            let message = &messages[index];
            let alone = message.role() == Role::Assistant && !follows[index] && message.has(PartKind::Result);
            alone && waiting[index] == 0
        };
        let settled: Vec<bool> = (0..count).map(settled).collect();
        for index in 1..count {
            legal[index] = !follows[index];
        }
        for reply in replies::in_items(messages) {
            spans.add(reply.start, reply.end - 1);
        }
        spans.close(&mut legal);
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

/// Pairs of messages that no cut may separate, as brackets.
struct Spans(Vec<i64>);

impl Spans {
    fn add(&mut self, first: usize, last: usize) {
        self.0[first + 1] += 1;
        self.0[last + 1] -= 1;
    }

    /// Takes away the cuts inside pairs.
    fn close(&self, legal: &mut [bool]) {
        let mut depth = 0;
        for (cut, span) in legal.iter_mut().zip(&self.0) {
            depth += span;
            *cut &= depth == 0;
        }
    }
}

/// The first message at the end whose calls wait for results. They wait only while nothing but their batch follows.
fn first_pending(messages: &[MessageRecord<'_>], waiting: &[usize], settled: &[bool]) -> Option<usize> {
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

/// Whether every call of a run has its result.
pub fn is_settled(messages: &[MessageRecord<'_>]) -> bool {
    !messages.iter().any(|message| message.has(PartKind::Call)) || Pairing::of(messages).is_settled()
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
    /// The index of the call or result in the message, otherwise 0.
    pub part: usize,
    /// The call id, or the content hash of the message.
    pub subject: u64,
}

/// Checks that providers accept a run of messages: every result follows its call, batches are whole and together, no id
/// is used again for a call without a result, nothing is empty. In the order of the messages.
pub fn check(messages: &[MessageRecord<'_>]) -> Vec<Violation> {
    violations(messages, &Pairing::of(messages))
}

/// [`check`] for messages whose pairs are known.
pub fn violations(messages: &[MessageRecord<'_>], pairing: &Pairing) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, message) in messages.iter().enumerate().filter(|(_, message)| message.is_empty()) {
        found.push(Violation { rule: MessageRule::EmptyContent, index, part: 0, subject: message.hash() });
    }
    let is_late = |result: usize| pairing.results[result].late;
    for call in &pairing.calls {
        // What the provider executes may go on for any number of rounds.
        let lacks = call.closed && !call.executed && call.result.is_none_or(is_late);
        let rule = match call.repeated && call.result.is_none() {
            true => MessageRule::DuplicateId,
            false if lacks => MessageRule::UnansweredCall,
            false => continue,
        };
        found.push(Violation { rule, index: call.message, part: call.part, subject: call.id });
    }
    for result in pairing.results.iter().filter(|result| result.call.is_none() || result.late) {
        let rule = if result.repeated { MessageRule::DuplicateResult } else { MessageRule::OrphanResult };
        found.push(Violation { rule, index: result.message, part: result.part, subject: result.id });
    }
    for approvals::Unrequested { index, part, id } in approvals::unrequested(messages) {
        found.push(Violation { rule: MessageRule::OrphanApproval, index, part, subject: id });
    }
    order::by_key(&mut found, |fault| fault.index as u128);
    found
}

/// Adjacent messages of users, or of the model: violations for providers that require roles to alternate.
pub fn alternation(messages: &[MessageRecord<'_>]) -> Vec<Violation> {
    let repeats = |index: &usize| {
        let role = messages[*index].role();
        messages[index - 1].role() == role && matches!(role, Role::User | Role::Assistant)
    };
    let violation =
        |index: usize| Violation { rule: MessageRule::Alternation, index, part: 0, subject: messages[index].hash() };
    (1..messages.len()).filter(repeats).map(violation).collect()
}

/// The violations of a view that its history does not have, and which we would therefore have caused.
pub fn added(view: &[MessageRecord<'_>], history: &[MessageRecord<'_>]) -> Vec<Violation> {
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
