//! Places a history: which checkpoint of the state holds, and whether the input is one of our views.
//!
//! 1. The newest checkpoint whose position and outputs hold is active; newer ones are dropped. If it is not the
//!    newest, `report.diverged` says why.
//! 2. If the newest checkpoint does not hold, and no message was left out by `offset`, the messages may be a view
//!    given back. A front that is, hash by hash, what a checkpoint made (head, summary, kept, note) stands for what
//!    that checkpoint covers.
//! 3. With an `offset`, chains continue from what the active checkpoint noted. An offset beyond `keepFrom(state)` is
//!    refused. Messages that the host loads for `recall` stand before the first index and are placed by that alone,
//!    because only the checkpoint's own position could vouch for them.

use crate::base::error::{Code, Error};
use crate::base::id_map::IdMap;
use crate::ingest::pairing::Pairing;
use crate::model::message::{CHAIN_START, MessageRecord, Role, combine};
use crate::session::compaction::Checkpoint;
use crate::session::history::{Compaction, Diverged, History, Lead};
use crate::session::outputs;
use crate::session::own::{self, OwnParts};
use crate::session::state::{Rewrite, SessionState};
use crate::session::staying::Staying;
use crate::tokens::Estimator;
use std::cell::OnceCell;

impl<'a> History<'a> {
    /// Places `records` in the conversation that `state` knows. `all`: a checkpoint may cover all messages. `binds_before`:
    /// what is known of it by now, as it decides which checkpoints hold.
    ///
    /// # Errors
    ///
    /// If records are malformed, or `offset` skips messages that the state needs.
    pub fn resolve(
        records: &'a [u32],
        flags: &'a [u8],
        offset: u64,
        state: &'a SessionState,
        estimator: &Estimator,
        all: bool,
        binds_before: Option<u64>,
    ) -> Result<Self, Error> {
        let messages = split(records)?;
        let pairing = OnceCell::new();
        let tokens = tokens(&messages, &pairing, estimator);
        let (own, passed) = own::among(&state.own, &messages);
        let hashes = hashes(&messages, &own, passed.as_ref(), state);
        let mut history = Self {
            compaction: Compaction::newest(&messages),
            messages,
            pairing,
            tokens,
            hashes: Vec::new(),
            own,
            passed,
            flags,
            lead: Vec::new(),
            leads: IdMap::default(),
            first: offset,
            chain: Vec::new(),
            outputs: Vec::new(),
            outputs_changed: None,
            has_other_outputs: false,
            active: None,
            diverged: None,
            keep: &[],
            references: false,
            drops_system: false,
            binds_before,
            keeps_reasoning: false,
            rules: Vec::new(),
            known: &state.checkpoints,
            left_out: Vec::new(),
        };
        let newest = state.checkpoints.last();
        if offset > newest.map_or(0, |checkpoint| checkpoint.from) {
            let need = newest.map_or(0, |checkpoint| checkpoint.from);
            return Err(Error::at(
                Code::HistoryGap,
                "offset",
                format!(
                    "The messages start at index {offset}, but this state needs them from index {need} on. Load them from `keepFrom(state).index`."
                ),
            ));
        }
        history.chain = history.chain_from(&hashes, 0, state);
        history.outputs = history.outputs_from(state);
        let covering = state.checkpoints.iter().rposition(|checkpoint| history.matches(checkpoint, all));
        // The preset knows nothing of what tools returned.
        let holds = |checkpoint: &Checkpoint| history.matches(checkpoint, all) && (all || history.returns(checkpoint));
        history.active = state.checkpoints.iter().rposition(holds);
        history.note_outputs(covering, state);
        if history.active.is_none_or(|active| active + 1 < state.checkpoints.len())
            && offset == 0
            && let Some((index, length, opening)) = history.given_back(&hashes, state)
        {
            let checkpoint = &state.checkpoints[index];
            (history.outputs_changed, history.has_other_outputs) = (None, false);
            history.first = checkpoint.covers.count;
            history.lead = layout(checkpoint);
            // A provider's own summary stands before the other.
            if history.lead.len() + usize::from(opening.is_some()) < length {
                history.lead.insert(checkpoint.stays.head.len(), Lead::Made);
            }
            if let Some(opening) = opening {
                history.lead.insert(opening, Lead::Made);
            }
            for (at, lead) in history.lead.iter().enumerate() {
                if let Lead::Kept(index) = *lead {
                    history.leads.insert(index, at as u64);
                }
            }
            history.chain = chain(checkpoint.covers.chain, &hashes[length..]);
            history.outputs = history.outputs_from(state);
            // The view does not show what was compacted after it, but it holds the messages of that compaction.
            let holds = |newer: &Checkpoint| {
                history.leaves_the_newest(newer.covers.count, &newer.stays)
                    && history.chain_at(newer.covers.count) == Some(newer.covers.chain)
                    && newer.stays.all().all(|&kept| history.input_of(kept).is_some())
            };
            history.active = state.checkpoints.iter().rposition(holds).max(Some(index));
        }
        if let Some(newest) =
            newest.filter(|_| history.active.is_none_or(|active| active + 1 < state.checkpoints.len()))
            && history.outputs_changed.is_none_or(|changed| changed + 1 < state.checkpoints.len())
        {
            let end = history.end();
            let reason = if history.has_other_outputs {
                "Everything that tools returned in what was compacted is different: the state belongs to another chat."
            } else if end < newest.covers.count {
                "The history is shorter than what was compacted: it was rewound, or messages are missing."
            } else {
                "A message that was compacted has been edited, moved or deleted."
            };
            history.diverged = Some(Diverged { reason, at: newest.covers.count });
        }
        history.hashes = hashes;
        Ok(history)
    }

    /// Places messages appended to a history that ended at `end` with the chain `start` and did not change otherwise.
    /// Without an estimator, each counts as its own record says.
    ///
    /// # Errors
    ///
    /// If records are malformed.
    pub fn after(
        records: &'a [u32],
        end: u64,
        start: u64,
        state: &SessionState,
        estimator: Option<&Estimator>,
    ) -> Result<Self, Error> {
        let messages = split(records)?;
        let hashes: Vec<u64> = messages.iter().map(MessageRecord::hash).collect();
        let pairing = OnceCell::new();
        Ok(Self {
            tokens: match estimator {
                Some(estimator) => tokens(&messages, &pairing, estimator),
                None => messages.iter().map(MessageRecord::tokens).collect(),
            },
            chain: chain(start, &hashes),
            outputs: Vec::new(),
            outputs_changed: None,
            has_other_outputs: false,
            compaction: Compaction::newest(&messages),
            messages,
            pairing,
            hashes,
            own: Vec::new(),
            passed: None,
            flags: &[],
            lead: Vec::new(),
            leads: IdMap::default(),
            first: end,
            active: state.checkpoints.len().checked_sub(1),
            diverged: None,
            keep: &[],
            references: false,
            drops_system: false,
            binds_before: None,
            keeps_reasoning: false,
            rules: Vec::new(),
            known: &[],
            left_out: Vec::new(),
        })
    }

    fn chain_from(&self, hashes: &[u64], lead: usize, state: &SessionState) -> Vec<Option<u64>> {
        if self.first == 0 {
            return chain(CHAIN_START, &hashes[lead..]);
        }
        // In the middle of a conversation, the chain is known only from checkpoints.
        let known = state.checkpoints.iter().rev().find_map(|checkpoint| {
            let anchor = checkpoint
                .from_chain
                .map_or((checkpoint.covers.count, checkpoint.covers.chain), |chain| (checkpoint.from, chain));
            let skip = usize::try_from(anchor.0.checked_sub(self.first)?).ok()?;
            (skip <= hashes.len()).then_some((skip, anchor.1))
        });
        let Some((skip, start)) = known else { return vec![None; hashes.len() + 1] };
        let mut all = vec![None; skip];
        all.extend(chain(start, &hashes[skip..]));
        all
    }

    /// What tools returned before each message after the lead. In the middle of a conversation it is known only from
    /// checkpoints.
    fn outputs_from(&self, state: &SessionState) -> Vec<Option<u64>> {
        let behind = &self.messages[self.lead.len()..];
        if self.first == 0 {
            return outputs::chain(outputs::START, behind);
        }
        let known = state.checkpoints.iter().rev().find_map(|checkpoint| {
            let skip = usize::try_from(checkpoint.covers.count.checked_sub(self.first)?).ok()?;
            Some((skip, checkpoint.outputs?)).filter(|(skip, _)| *skip <= behind.len())
        });
        let Some((skip, start)) = known else { return vec![None; behind.len() + 1] };
        let mut all = vec![None; skip];
        all.extend(outputs::chain(start, &behind[skip..]));
        all
    }

    /// Whether tools returned what they had returned when a checkpoint was made, as far as both are known.
    fn returns(&self, checkpoint: &Checkpoint) -> bool {
        let known = checkpoint.outputs.zip(self.outputs_at(checkpoint.covers.count));
        known.is_none_or(|(then, now)| then == now)
    }

    /// Notes that what tools returned has changed, in front of the newest checkpoint whose messages are the same. If all
    /// of it is different, it is another chat in which the same was said.
    fn note_outputs(&mut self, covering: Option<usize>, state: &SessionState) {
        let Some(covering) = covering.filter(|_| covering != self.active) else { return };
        let checkpoint = &state.checkpoints[covering];
        let is_same = outputs::has_any(self.before(checkpoint.covers.count), &checkpoint.sample);
        self.outputs_changed = is_same.then_some(covering);
        self.has_other_outputs = !is_same;
    }

    /// Whether covering this much keeps the newest message, the newest typed one, and the reasoning that opens its turn
    /// in the view. A shortened history may end inside what was covered.
    pub fn leaves_the_newest(&self, covers: u64, stays: &Staying) -> bool {
        let typed = (0..self.messages.len()).rev().find(|&input| self.is_typed(input));
        let Some((turn, asked)) = typed.and_then(|input| Some((input, self.index_of(input)?))) else {
            return covers < self.end();
        };
        let opens = || {
            self.input_of(covers).is_none_or(|cut| {
                !self.opens_signed(turn, cut)
                    || stays.kept.iter().any(|&index| index > asked)
                    || self.messages[cut].begins_with_reasoning()
            })
        };
        covers < self.end() && (asked >= covers || stays.holds(asked) && opens())
    }

    /// Whether the first assistant message between two inputs has signed reasoning. Providers that do not bind it
    /// require a turn to open with it.
    pub fn opens_signed(&self, turn: usize, cut: usize) -> bool {
        if self.binds_before == Some(u64::MAX) {
            return false;
        }
        let said = self.messages.get(turn..cut).unwrap_or_default();
        let first = said.iter().find(|message| message.role() == Role::Assistant);
        first.is_some_and(|first| first.begins_with_reasoning() && first.is_signed())
    }

    /// Whether a checkpoint holds. The preset covers everything and may be called again.
    fn matches(&self, checkpoint: &Checkpoint, all: bool) -> bool {
        checkpoint.from >= self.first
            && (all || self.leaves_the_newest(checkpoint.covers.count, &checkpoint.stays))
            && self.chain_at(checkpoint.covers.count) == Some(checkpoint.covers.chain)
    }
}

/// Whether messages begin with what a checkpoint of this state has made.
pub fn is_view_of(messages: &[MessageRecord<'_>], state: &SessionState) -> bool {
    let hashes: Vec<u64> = messages.iter().map(MessageRecord::hash).collect();
    given_back(&hashes, state, None).is_some()
}

/// Whether the input is one of our views with messages appended. Returns its checkpoint, and the length of its front.
///
/// Several checkpoints may begin alike: one says of more what another had said already, or only left out its note. `covers` is
/// what is known of the summary in this view; the longest front is the whole one.
fn given_back(hashes: &[u64], state: &SessionState, covers: Option<u64>) -> Option<(usize, usize)> {
    let fronts = state.checkpoints.iter().enumerate().filter_map(|(index, checkpoint)| {
        let note = checkpoint.note.as_ref().map(|note| note.hash);
        let front = checkpoint.stays.head.len();
        let block = checkpoint.block.as_ref().is_some_and(|block| hashes.get(front) == Some(&block.hash));
        let summary = front + usize::from(block);
        let noted = summary + 1 + checkpoint.stays.before_note().len();
        let length = noted + usize::from(note.is_some()) + checkpoint.stays.opening().len();
        let front = hashes.get(..length)?;
        let is_ours = |at: usize| at == summary || block && at + 1 == summary || at == noted && note.is_some();
        let stays = (0..length).filter(|&at| !is_ours(at)).map(|at| front[at]);
        let same = checkpoint.is_summary(front[summary])
            && note.is_none_or(|note| front[noted] == note)
            && stays.fold(CHAIN_START, combine) == checkpoint.kept_chain;
        same.then_some((index, length))
    });
    fronts.max_by_key(|&(index, length)| (covers == Some(state.checkpoints[index].covers.count), length))
}

impl History<'_> {
    /// Whether the input is one of our views with messages appended. Returns its checkpoint, the length of its front, and in
    /// it the place of the message that stands before one of the assistant, if there is one.
    fn given_back(&self, hashes: &[u64], state: &SessionState) -> Option<(usize, usize, Option<usize>)> {
        let covers = self.passed.as_ref().map(|passed| passed.covers);
        if let Some((index, length)) = given_back(hashes, state, covers) {
            return Some((index, length, None));
        }
        let opening = self.messages.iter().position(|message| message.role() != Role::System)?;
        self.own.get(opening).filter(|own| !own.is_empty() && own.iter().all(|own| *own))?;
        let rest: Vec<u64> =
            hashes.iter().enumerate().filter(|(at, _)| *at != opening).map(|(_, hash)| *hash).collect();
        let (index, length) = given_back(&rest, state, covers).filter(|&(_, length)| opening < length)?;
        Some((index, length + 1, Some(opening)))
    }
}

impl Compaction {
    fn newest(messages: &[MessageRecord<'_>]) -> Option<Self> {
        let of = |(input, message): (usize, &MessageRecord<'_>)| {
            let part = message.compaction().filter(|_| message.role() == Role::Assistant)?;
            Some(Self { input, readable: part.marked })
        };
        messages.iter().enumerate().rev().find_map(of)
    }
}

fn split(records: &[u32]) -> Result<Vec<MessageRecord<'_>>, Error> {
    MessageRecord::split(records).ok_or_else(|| {
        Error::new(
            Code::Boundary,
            "The records of the messages are malformed: use the JavaScript and the .wasm of the same precis build.",
        )
    })
}

/// The content hashes of messages. A copy that we made has the hash of its original: the view that was passed tells it from a
/// message that only says the same. Several originals can have equal copies, so the copies of a view are matched in order.
fn hashes(
    messages: &[MessageRecord<'_>],
    own: &[Vec<bool>],
    passed: Option<&OwnParts>,
    state: &SessionState,
) -> Vec<u64> {
    let rewrites = &state.rewrites;
    let mut next = 0;
    let of = |(input, message): (usize, &MessageRecord<'_>)| {
        let hash = message.hash();
        let has_copy = |passed: &OwnParts| own.get(input).is_some_and(|own| passed.has_copy(input, own));
        if !passed.is_some_and(has_copy) {
            return hash;
        }
        let is_made = |rewrite: &Rewrite| rewrite.made == hash;
        let later = rewrites[next..].iter().position(is_made).map(|at| next + at);
        let Some(at) = later.or_else(|| rewrites.iter().position(is_made)) else { return hash };
        next = at + 1;
        rewrites[at].from
    };
    messages.iter().enumerate().map(of).collect()
}

/// The raw tokens of each message. Some estimators count a result with the name of its tool, which is in the call.
fn tokens(messages: &[MessageRecord<'_>], pairing: &OnceCell<Pairing>, estimator: &Estimator) -> Vec<u64> {
    let mut tokens: Vec<u64> = messages.iter().map(MessageRecord::tokens).collect();
    if estimator.charges_result_name() {
        let pairing = pairing.get_or_init(|| Pairing::of(messages));
        for result in &pairing.results {
            let call = result.call.map(|call| &pairing.calls[call]);
            tokens[result.message] += estimator.result_name(call.map_or(0, |call| u64::from(call.name_bytes)));
        }
    }
    tokens
}

fn chain(start: u64, hashes: &[u64]) -> Vec<Option<u64>> {
    let mut all = Vec::with_capacity(hashes.len() + 1);
    let mut now = start;
    all.push(Some(now));
    for &hash in hashes {
        now = combine(now, hash);
        all.push(Some(now));
    }
    all
}

fn layout(checkpoint: &Checkpoint) -> Vec<Lead> {
    let kept = |indices: &[u64]| indices.iter().map(|&index| Lead::Kept(index)).collect::<Vec<_>>();
    let mut all = kept(&checkpoint.stays.head);
    all.push(Lead::Made);
    all.extend(kept(checkpoint.stays.before_note()));
    if checkpoint.note.is_some() {
        all.push(Lead::Made);
    }
    all.extend(kept(checkpoint.stays.opening()));
    all
}
