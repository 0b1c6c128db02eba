//! The shape of a compaction, as plans carry it.

use crate::base::archive::{Archive, Record};
use crate::model::message::Position;
use crate::session::compaction::Checkpoint;
use crate::session::history::History;
use crate::session::staying::Staying;
use crate::session::view::{Item, Slot};

/// The shape of a compaction: what it covers and keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Messages before this position are covered.
    pub covers: Position,
    /// What tools had returned before it, if it is known.
    pub outputs: Option<u64>,
    /// The covered messages that stay.
    pub stays: Staying,
    /// Whether the cut is inside the active turn, so that a progress note follows the user's message.
    pub note: bool,
    /// The most estimated tokens of the summary.
    pub summary_tokens: u64,
}

impl Shape {
    /// The shape of a checkpoint, which is covered again.
    pub fn of(checkpoint: &Checkpoint) -> Self {
        let Checkpoint { covers, stays, note, .. } = checkpoint;
        Self { covers: *covers, outputs: None, stays: stays.clone(), note: note.is_some(), summary_tokens: 0 }
    }

    /// The index of the first message that a host must load once this is committed.
    pub fn loads_from(&self) -> u64 {
        self.stays.loads_from(self.covers.count)
    }

    /// Whether a message is in the view once this is committed.
    pub fn shows(&self, index: u64) -> bool {
        index >= self.covers.count || self.stays.holds(index)
    }

    /// Whether an item of the view stays unchanged.
    pub fn leaves(&self, item: &Item) -> bool {
        matches!(item.slot, Slot::Host { index, .. } if self.shows(index))
    }

    /// The raw tokens that an item of the view takes once this is committed. Of a covered message that stays without the
    /// calls before it, results go.
    pub fn tokens_of(&self, item: &Item, history: &History<'_>) -> u64 {
        let Slot::Host { input, index } = item.slot else { return 0 };
        if !self.leaves(item) {
            return 0;
        }
        let is_alone = index < self.covers.count && self.stays.is_alone(index) && history.is_typed(input);
        let message = item.record().unwrap_or(history.messages[input]);
        if is_alone { item.tokens.saturating_sub(message.result_tokens()) } else { item.tokens }
    }
}

impl Record for Shape {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("covers", &mut self.covers);
        archive.maybe_hash("outputs", &mut self.outputs);
        self.stays.archive(archive);
        archive.flag("note", &mut self.note);
        archive.count("summaryTokens", &mut self.summary_tokens);
    }
}
