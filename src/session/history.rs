//! Places a history in relation to a state: which checkpoint holds, whether it is one of our views, and what was typed.

use crate::base::error::{Code, Error};
use crate::base::id_map::IdMap;
use crate::model::message::{CHAIN_START, Digest, PartKind, Position, Role, combine};
use crate::session::compaction::Checkpoint;
use crate::session::edits::rules::ResultRule;
use crate::session::state::{Rewrite, SessionState};
use crate::tokens::Estimator;

/// The host's `pin` returned true.
const PINNED: u8 = 1;
/// The host's `isTyped` was called, and what it returned.
const ASKED: u8 = 2;
const TYPED: u8 = 4;

/// The reason why the newest checkpoint no longer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// What happened to the history, as a sentence.
    pub reason: &'static str,
    /// The number of messages that the newest checkpoint covered.
    pub at: u64,
}

/// The kind of an input message at the front of a view that was passed as history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    Kept(u64),
    Made,
}

/// The host's messages, placed in the whole conversation.
#[derive(Clone, Debug)]
pub struct History<'a> {
    /// The input messages in order.
    pub messages: Vec<Digest<'a>>,
    /// The raw tokens of each input message.
    pub tokens: Vec<u64>,
    hashes: Vec<u64>,
    flags: &'a [u8],
    lead: Vec<Lead>,
    /// For each history index in the lead, the input index.
    leads: IdMap,
    first: u64,
    /// `chain[i]` is the chain before the `i`-th message after the lead, if known.
    chain: Vec<Option<u64>>,
    /// The index of the checkpoint that holds.
    pub active: Option<usize>,
    /// Set if the newest checkpoint does not hold.
    pub diverged: Option<Diverged>,
    /// Literal strings that edits keep if possible.
    pub keep: &'a [String],
    /// Whether notices say where the model finds the text.
    pub references: bool,
    /// What tool policies say about individual results, in the order of the input.
    pub rules: Vec<ResultRule>,
    /// All checkpoints of the state as it was passed, even those that do not hold. Their messages are recognized by
    /// hash.
    known: &'a [Checkpoint],
    /// Parts that are in no view, in the order of their messages.
    pub left_out: Vec<LeftOut>,
    /// The newest message with a provider's own summary, which stands for everything before it.
    pub compaction: Option<Compaction>,
}

/// A provider's own summary in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// The input index of its message.
    pub input: usize,
    /// Whether its text is readable, so that another summary can replace it.
    pub readable: bool,
}

impl Compaction {
    fn newest(messages: &[Digest<'_>]) -> Option<Self> {
        let of = |(input, message): (usize, &Digest<'_>)| {
            let part = message.compaction().filter(|_| message.role() == Role::Assistant)?;
            Some(Self { input, readable: part.marked })
        };
        messages.iter().enumerate().rev().find_map(of)
    }
}

/// Parts of a message that are in no view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The input index of the message.
    pub input: usize,
    /// The numbers of the parts.
    pub parts: Vec<u32>,
    /// Whether these are all parts of the message.
    pub whole: bool,
    /// The call ids of results among them that are quoted after the message.
    pub quoted: Vec<u64>,
}

impl<'a> History<'a> {
    /// Places `records` in the conversation that `state` knows. `all`: a checkpoint may cover all messages.
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
    ) -> Result<Self, Error> {
        let messages = split(records)?;
        let tokens = tokens(&messages, estimator);
        let hashes = hashes(&messages, state);
        let mut history = Self {
            compaction: Compaction::newest(&messages),
            messages,
            tokens,
            hashes: Vec::new(),
            flags,
            lead: Vec::new(),
            leads: IdMap::default(),
            first: offset,
            chain: Vec::new(),
            active: None,
            diverged: None,
            keep: &[],
            references: false,
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
        history.active = state.checkpoints.iter().rposition(|checkpoint| history.matches(checkpoint, all));
        if history.active.is_none_or(|active| active + 1 < state.checkpoints.len())
            && offset == 0
            && let Some((index, length)) = history.given_back(&hashes, state)
        {
            let checkpoint = &state.checkpoints[index];
            history.first = checkpoint.covers.count;
            history.lead = layout(checkpoint);
            for (at, lead) in history.lead.iter().enumerate() {
                if let Lead::Kept(index) = *lead {
                    history.leads.insert(index, at as u64);
                }
            }
            history.chain = chain(checkpoint.covers.chain, &hashes[length..]);
            // The view does not show what was compacted after it, but it holds the messages of that compaction.
            let holds = |newer: &Checkpoint| {
                history.leaves_the_newest(newer.covers.count, &newer.head, &newer.kept)
                    && history.chain_at(newer.covers.count) == Some(newer.covers.chain)
                    && newer.head.iter().chain(&newer.kept).all(|&kept| history.input_of(kept).is_some())
            };
            history.active = state.checkpoints.iter().rposition(holds).max(Some(index));
        }
        if let Some(newest) =
            newest.filter(|_| history.active.is_none_or(|active| active + 1 < state.checkpoints.len()))
        {
            let end = history.end();
            let reason = if end < newest.covers.count {
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
        let hashes = hashes(&messages, state);
        Ok(Self {
            tokens: match estimator {
                Some(estimator) => tokens(&messages, estimator),
                None => messages.iter().map(Digest::tokens).collect(),
            },
            chain: chain(start, &hashes),
            compaction: Compaction::newest(&messages),
            messages,
            hashes,
            flags: &[],
            lead: Vec::new(),
            leads: IdMap::default(),
            first: end,
            active: state.checkpoints.len().checked_sub(1),
            diverged: None,
            keep: &[],
            references: false,
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

    /// Whether covering this much keeps the newest message, the newest typed one, and the reasoning that opens its turn
    /// in the view. A shortened history may end inside what was covered.
    pub fn leaves_the_newest(&self, covers: u64, head: &[u64], kept: &[u64]) -> bool {
        let typed = (0..self.messages.len()).rev().find(|&input| self.is_typed(input));
        let Some((turn, asked)) = typed.and_then(|input| Some((input, self.index_of(input)?))) else {
            return covers < self.end();
        };
        let opens = || {
            self.input_of(covers).is_none_or(|cut| {
                !self.opens_signed(turn, cut)
                    || kept.iter().any(|&index| index > asked)
                    || self.messages[cut].begins_with_reasoning()
            })
        };
        covers < self.end() && (asked >= covers || (kept.contains(&asked) || head.contains(&asked)) && opens())
    }

    /// Whether the first assistant message between two inputs has signed reasoning. Providers require a turn to open
    /// with it.
    pub fn opens_signed(&self, turn: usize, cut: usize) -> bool {
        let said = self.messages.get(turn..cut).unwrap_or_default();
        let first = said.iter().find(|message| message.role() == Role::Assistant);
        first.is_some_and(|first| first.begins_with_reasoning() && first.is_signed())
    }

    /// Whether a checkpoint holds. The preset covers everything and may be called again.
    fn matches(&self, checkpoint: &Checkpoint, all: bool) -> bool {
        checkpoint.from >= self.first
            && (all || self.leaves_the_newest(checkpoint.covers.count, &checkpoint.head, &checkpoint.kept))
            && self.chain_at(checkpoint.covers.count) == Some(checkpoint.covers.chain)
    }

    /// Whether the input is one of our views with messages appended. Returns its checkpoint, and the length of its
    /// front.
    fn given_back(&self, hashes: &[u64], state: &SessionState) -> Option<(usize, usize)> {
        state.checkpoints.iter().enumerate().rev().find_map(|(index, checkpoint)| {
            let (summary, note) = (checkpoint.head.len(), checkpoint.note.as_ref().map(|note| note.hash));
            let noted = summary + 1 + checkpoint.before_note().len();
            let length = noted + usize::from(note.is_some()) + checkpoint.opening().len();
            let front = hashes.get(..length)?;
            let stays = (0..length).filter(|&at| at != summary && (at != noted || note.is_none())).map(|at| front[at]);
            let same = front[summary] == checkpoint.summary.hash
                && note.is_none_or(|note| front[noted] == note)
                && stays.fold(CHAIN_START, combine) == checkpoint.kept_chain;
            same.then_some((index, length))
        })
    }

    /// Whether the host passed a view in place of its history.
    pub fn is_view(&self) -> bool {
        !self.lead.is_empty()
    }

    /// The content hash of an input message. If it is a copy that we clipped, that of the original.
    pub fn hash(&self, input: usize) -> u64 {
        self.hashes[input]
    }

    /// The history index after the last message.
    pub fn end(&self) -> u64 {
        self.first + (self.messages.len() - self.lead.len()) as u64
    }

    /// The chain before a history index, if known.
    pub fn chain_at(&self, index: u64) -> Option<u64> {
        let at = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.chain.get(at).copied().flatten()
    }

    /// The position before a history index, if its chain is known.
    pub fn position(&self, index: u64) -> Option<Position> {
        self.chain_at(index).map(|chain| Position { count: index, chain })
    }

    /// The raw tokens of the assistant messages after a position, or 0 if the position does not hold.
    pub fn reply_after(&self, position: Position) -> u64 {
        let Some(input) = self.input_of(position.count).filter(|_| self.position(position.count) == Some(position))
        else {
            return 0;
        };
        let reply = self.messages[input..].iter().take_while(|message| message.role() == Role::Assistant);
        self.tokens[input..].iter().zip(reply).map(|(tokens, _)| tokens).sum()
    }

    /// The raw tokens of all messages before a history index, if known. Those of messages that were not loaded are
    /// stored in their checkpoint.
    pub fn raw_before(&self, index: u64, checkpoints: &[Checkpoint]) -> Option<u64> {
        let known = |checkpoint: &Checkpoint| Some((checkpoint.covers.count, checkpoint.raw?));
        let active = checkpoints.get(..self.active.map_or(0, |active| active + 1)).unwrap_or_default();
        let noted = active.iter().rev().filter_map(known).find(|&(count, _)| count >= self.first && count <= index);
        let (from, raw) = noted.or((self.first == 0).then_some((0, 0)))?;
        let loaded = (from..index).map_while(|index| self.input_of(index));
        Some(raw + loaded.map(|input| self.tokens[input]).sum::<u64>())
    }

    /// The input index of a message of the history.
    pub fn input_of(&self, index: u64) -> Option<usize> {
        if index >= self.first {
            let input = usize::try_from(index - self.first).ok()? + self.lead.len();
            return (input < self.messages.len()).then_some(input);
        }
        self.leads.get(index).map(|at| at as usize)
    }

    /// The history index of an input message. `None` if we wrote the message.
    pub fn index_of(&self, input: usize) -> Option<u64> {
        match self.lead.get(input) {
            Some(Lead::Kept(index)) => Some(*index),
            Some(Lead::Made) => None,
            None => Some(self.first + (input - self.lead.len()) as u64),
        }
    }

    /// The history index from which on the input holds all messages.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether a person typed the message. The host decides if it can. Otherwise these are user messages without tool
    /// results that we did not write. The beginning of the text does not matter.
    pub fn is_typed(&self, input: usize) -> bool {
        if self.lead.get(input) == Some(&Lead::Made) {
            return false;
        }
        let flags = self.flags.get(input).copied().unwrap_or(0);
        if flags & ASKED != 0 {
            return flags & TYPED != 0;
        }
        let asks = |message: &Digest<'_>| {
            message.role() == Role::User && !message.has(PartKind::Result) && !message.is_empty()
        };
        let (before, after) = self.messages.split_at(input);
        let Some((message, after)) = after.split_first() else { return false };
        // The newest message is the current request, even if somebody pasted a summary of ours. A progress note comes
        // after the request that it is about.
        let newest = || !before.last().is_some_and(asks) && !after.iter().any(asks);
        asks(message) && (!self.is_made(input) || newest())
    }

    /// Whether we wrote the message, according to the hashes in the state.
    fn is_made(&self, input: usize) -> bool {
        let hash = self.messages[input].hash();
        let made = |checkpoint: &Checkpoint| {
            checkpoint.summary.hash == hash || checkpoint.note.as_ref().is_some_and(|note| note.hash == hash)
        };
        self.known.iter().any(made)
    }

    /// The checkpoint whose summary an input message is, by hash, even if the checkpoint does not hold.
    pub fn summary_at(&self, input: usize) -> Option<&'a Checkpoint> {
        let hash = self.messages[input].hash();
        self.known.iter().rev().find(|checkpoint| checkpoint.summary.hash == hash)
    }

    /// The input index of the last message that a person typed.
    pub fn active_user(&self) -> Option<usize> {
        (0..self.messages.len()).rev().find(|&input| self.is_typed(input))
    }

    /// The history index before which messages are old: they belong to turns before the active one, and the assistant
    /// has answered since.
    pub fn old(&self) -> u64 {
        let index = self.active_user().and_then(|input| self.index_of(input)).unwrap_or(0);
        index.min(self.said_last())
    }

    /// The history index of the last assistant message, or 0 if there is none.
    pub fn said_last(&self) -> u64 {
        let said = (0..self.messages.len()).rev().find(|&input| self.messages[input].role() == Role::Assistant);
        said.and_then(|input| self.index_of(input)).unwrap_or(0)
    }

    /// The parts of a message that are in no view.
    pub fn left_out(&self, input: usize) -> Option<&LeftOut> {
        let at = self.left_out.binary_search_by_key(&input, |left_out| left_out.input).ok()?;
        Some(&self.left_out[at])
    }

    /// Whether the host pinned the message, or it holds a summary of everything before it that only the provider can
    /// read.
    pub fn is_pinned(&self, input: usize) -> bool {
        let opaque = |compaction: Compaction| compaction.input == input && !compaction.readable;
        self.compaction.is_some_and(opaque) || self.is_pinned_by_host(input)
    }

    /// Whether the host pinned the message.
    pub fn is_pinned_by_host(&self, input: usize) -> bool {
        self.flags.get(input).is_some_and(|flags| flags & PINNED != 0)
    }
}

fn split(records: &[u32]) -> Result<Vec<Digest<'_>>, Error> {
    Digest::split(records).ok_or_else(|| {
        Error::new(
            Code::Boundary,
            "The records of the messages are malformed: use the JavaScript and the .wasm of the same precis build.",
        )
    })
}

/// The content hashes of messages. A copy that we clipped has the hash of its original. Several originals can have
/// equal copies, so the copies of a view are matched in order.
fn hashes(messages: &[Digest<'_>], state: &SessionState) -> Vec<u64> {
    let rewrites = &state.rewrites;
    let mut next = 0;
    let of = |message: &Digest<'_>| {
        let hash = message.hash();
        let is_made = |rewrite: &Rewrite| rewrite.made == hash;
        let later = rewrites[next..].iter().position(is_made).map(|at| next + at);
        let Some(at) = later.or_else(|| rewrites.iter().position(is_made)) else { return hash };
        next = at + 1;
        rewrites[at].from
    };
    messages.iter().map(of).collect()
}

/// The raw tokens of each message. Some estimators count a result with the name of its tool, which is in the call.
fn tokens(messages: &[Digest<'_>], estimator: &Estimator) -> Vec<u64> {
    let mut tokens: Vec<u64> = messages.iter().map(Digest::tokens).collect();
    if estimator.charges_result_name() {
        let mut names = IdMap::new(messages.iter().map(Digest::len).sum());
        for (tokens, message) in tokens.iter_mut().zip(messages) {
            for part in message.parts() {
                match part.kind {
                    PartKind::Call => names.insert(part.id, u64::from(part.name_bytes)),
                    PartKind::Result => *tokens += estimator.result_name(names.get(part.id).unwrap_or(0)),
                    _ => {}
                }
            }
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
    let mut all = kept(&checkpoint.head);
    all.push(Lead::Made);
    all.extend(kept(checkpoint.before_note()));
    if checkpoint.note.is_some() {
        all.push(Lead::Made);
    }
    all.extend(kept(checkpoint.opening()));
    all
}
