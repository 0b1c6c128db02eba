//! The shape of a compaction, as plans carry it.

use crate::base::archive::{Archive, Record};
use crate::model::message::Position;
use crate::session::history::History;
use crate::session::view::{Item, Slot};

/// The shape of a compaction: what it covers and keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Messages before this position are covered.
    pub covers: Position,
    /// What tools had returned before it, if it is known.
    pub outputs: Option<u64>,
    /// The indices of covered messages that stay before the summary, ascending.
    pub head: Vec<u64>,
    /// The indices of covered messages that stay after the summary, ascending.
    pub kept: Vec<u64>,
    /// How many of the last `kept` messages come after the note: the group that opens the turn with signed reasoning.
    pub opening: u64,
    /// Whether the cut is inside the active turn, so that a progress note follows the user's message.
    pub note: bool,
    /// The most estimated tokens of the summary.
    pub summary_tokens: u64,
}

impl Shape {
    /// Whether a covered message stays before the summary.
    pub fn heads(&self, index: u64) -> bool {
        self.head.binary_search(&index).is_ok()
    }

    /// The index of the first message that a host must load once this is committed.
    pub fn loads_from(&self) -> u64 {
        let kept = self.head.first().into_iter().chain(self.kept.first());
        kept.copied().fold(self.covers.count, u64::min)
    }

    /// Whether a covered message stays in the view.
    pub fn keeps(&self, index: u64) -> bool {
        self.heads(index) || self.kept.binary_search(&index).is_ok()
    }

    /// Whether an item of the view stays unchanged.
    pub fn leaves(&self, item: &Item) -> bool {
        matches!(item.slot, Slot::Host { index, .. } if index >= self.covers.count || self.keeps(index))
    }

    /// The raw tokens that an item of the view takes once this is committed. Of a covered message that stays without the
    /// calls before it, results go.
    pub fn tokens_of(&self, item: &Item, history: &History<'_>) -> u64 {
        let Slot::Host { input, index } = item.slot else { return 0 };
        if !self.leaves(item) {
            return 0;
        }
        let is_alone = index < self.covers.count
            && index.checked_sub(1).is_none_or(|before| !self.keeps(before))
            && history.is_typed(input);
        let message = item.record().unwrap_or(history.messages[input]);
        if is_alone { item.tokens.saturating_sub(message.result_tokens()) } else { item.tokens }
    }
}

impl Record for Shape {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("covers", &mut self.covers);
        archive.maybe_hash("outputs", &mut self.outputs);
        archive.counts("head", &mut self.head);
        archive.counts("kept", &mut self.kept);
        let mut opening = Some(self.opening).filter(|&opening| opening > 0);
        archive.maybe_count("opening", &mut opening);
        self.opening = opening.unwrap_or(0);
        if self.opening > self.kept.len() as u64 {
            archive.reject("opening");
        }
        for (name, list) in [("head", &self.head), ("kept", &self.kept)] {
            if list.windows(2).any(|pair| pair[0] >= pair[1]) {
                archive.reject(name);
            }
        }
        archive.flag("note", &mut self.note);
        archive.count("summaryTokens", &mut self.summary_tokens);
    }
}
