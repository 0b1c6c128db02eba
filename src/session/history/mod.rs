//! A history placed in relation to a state: where each input message stands in the whole conversation, the chain and the
//! raw tokens before it, and what is pinned or left out.

mod authorship;
mod resolution;

pub use resolution::is_view_of;

use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::ingest::content::Content;
use crate::ingest::host::Host;
use crate::ingest::pairing::Pairing;
use crate::model::message::{MessageRecord, Position, Role};
use crate::session::compaction::Checkpoint;
use crate::session::edits::rules::ResultRule;
use crate::session::own::OwnParts;
use crate::session::sent::{self, Stale, is_stale};
use std::cell::OnceCell;

/// The host's `pin` returned true.
const PINNED: u8 = 1;

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
    pub messages: Vec<MessageRecord<'a>>,
    pairing: OnceCell<Pairing>,
    /// The raw tokens of each input message.
    pub tokens: Vec<u64>,
    hashes: Vec<u64>,
    /// Of messages at the front that are as they were sent, which of their parts are ours.
    pub(super) own: Vec<Vec<bool>>,
    /// What is known of the view that these messages are.
    pub passed: Option<OwnParts>,
    flags: &'a [u8],
    lead: Vec<Lead>,
    /// For each history index in the lead, the input index.
    leads: IdMap,
    first: u64,
    /// `chain[i]` is the chain before the `i`-th message after the lead, if known.
    chain: Vec<Option<u64>>,
    /// What tools returned before the `i`-th message after the lead, if it is known: see [`outputs`](crate::session::outputs).
    outputs: Vec<Option<u64>>,
    /// Set if what tools returned in front of the newest checkpoint has changed, and nothing else: the index of that
    /// checkpoint.
    pub outputs_changed: Option<usize>,
    /// Whether all that tools returned in front of the newest checkpoint is different.
    has_other_outputs: bool,
    /// The index of the checkpoint that holds.
    pub active: Option<usize>,
    /// Set if the newest checkpoint does not hold.
    pub diverged: Option<Diverged>,
    /// Literal strings that edits keep if possible.
    pub keep: &'a [String],
    /// Whether notices say where the model finds the text.
    pub references: bool,
    /// Whether system messages among the others leave like these, but for the newest.
    pub drops_system: bool,
    /// Stale reasoning is left out of messages before this history index. `None`: the provider does not bind it.
    pub binds_before: Option<u64>,
    /// Whether the provider demands reasoning back that is not signed.
    pub keeps_reasoning: bool,
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

/// Parts of a message that are in no view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The input index of the message.
    pub input: usize,
    /// The numbers of the parts.
    pub parts: Vec<u32>,
    /// Whether these are all parts of the message.
    pub whole: bool,
    /// The indices of results among the parts of the message that are quoted after it.
    pub quoted: Vec<usize>,
}

impl<'a> History<'a> {
    /// Which result belongs to which call.
    pub fn pairing(&self) -> &Pairing {
        self.pairing.get_or_init(|| Pairing::of(&self.messages))
    }

    /// Reads messages whose ids tell every pair from any other: those of the host may be missing, or the same for all.
    ///
    /// # Errors
    ///
    /// If the host cannot read one of them.
    pub fn read(&self, inputs: &[usize], host: &mut dyn Host) -> Result<Vec<Content>, Error> {
        let mut contents = host.read(inputs)?;
        for (content, &input) in contents.iter_mut().zip(inputs) {
            self.pairing().identify(input, content, |input| self.index_of(input).unwrap_or(u64::MAX));
        }
        Ok(contents)
    }

    /// Which parts of an input message are ours, if it is as it was sent. Otherwise empty, which says nothing about them.
    pub fn own(&self, input: usize) -> &[bool] {
        self.own.get(input).map_or(&[], Vec::as_slice)
    }

    /// Whether the host passed a view in place of its history.
    pub fn is_view(&self) -> bool {
        !self.lead.is_empty()
    }

    /// The number of input messages at the front that belong to a view passed as history.
    pub fn lead(&self) -> usize {
        self.lead.len()
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

    /// Whether the newest checkpoint was made of something else than what tools returned in this history.
    pub fn is_of_others(&self) -> bool {
        self.outputs_changed.is_some() || self.has_other_outputs
    }

    /// The chain of what tools returned before a history index, if known.
    pub fn outputs_at(&self, index: u64) -> Option<u64> {
        let at = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.outputs.get(at).copied().flatten()
    }

    /// The messages before a history index, as far as the input holds them after its lead.
    pub fn before(&self, index: u64) -> &[MessageRecord<'a>] {
        self.between(0, index)
    }

    /// The messages from one history index to before another, as far as the input holds them after its lead.
    pub fn between(&self, from: u64, to: u64) -> &[MessageRecord<'a>] {
        let behind = &self.messages[self.lead.len()..];
        let place = |index: u64| index.saturating_sub(self.first).min(behind.len() as u64) as usize;
        behind.get(place(from)..place(to)).unwrap_or_default()
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

    /// Whether the signed reasoning of a message is left out, as far as a format can.
    pub fn loses_reasoning(&self, index: u64, stale: &[Stale]) -> bool {
        self.binds_before.is_some_and(|before| index < before) && is_stale(stale, index)
    }

    /// Whether an input message is sent with signed reasoning.
    pub fn sends_signed(&self, input: usize, stale: &[Stale]) -> bool {
        let message = &self.messages[input];
        let loses = || self.index_of(input).is_some_and(|index| self.loses_reasoning(index, stale));
        message.is_signed() && !(loses() && message.parts().all(|part| !sent::is_fixed(part)))
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
