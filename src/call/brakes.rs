//! What keeps the summarizer out.
//!
//! Two brakes do, both stored in the state. After three unusable answers in a row, eight compactions go without it.
//! After three summaries by a model in a row with little new, it rests until more has come that no such summary stands
//! for, whatever code covered meanwhile. Clears, clips and digests cost nothing and do not count.

use crate::call::checkpoint;
use crate::call::context::Work;
use crate::ladder::Scene;
use crate::limits::budget;
use crate::session::compaction::Checkpoint;
use crate::session::state::Breaker;
use crate::session::view::Slot;

/// The number of consecutive summaries by a model with little new content after which the summarizer is not called.
const THRASH: u64 = 3;

/// Why a summarizer that exists is not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepsOut {
    /// It failed several times in a row. So many compactions are still made without it.
    Failures(u64),
    /// A summary is being written already.
    InFlight,
    /// There was little new the last times, and there is little now.
    LittleNew,
    /// What tools had returned has changed: what was taken from it is written again by code.
    OutputsChanged,
}

impl Work<'_> {
    /// Whether the backoff counters allow calling the summarizer.
    pub(crate) fn llm(&self, scene: &Scene<'_>) -> bool {
        self.keeps_out(scene).is_none()
    }

    /// Why the summarizer is not called, if it is not.
    pub(crate) fn keeps_out(&self, scene: &Scene<'_>) -> Option<KeepsOut> {
        let Breaker { wait, thrash, .. } = self.state.breaker;
        if wait > 0 {
            return Some(KeepsOut::Failures(wait));
        }
        if self.rebuilds.is_some() {
            return Some(KeepsOut::OutputsChanged);
        }
        if self.in_flight.is_some() {
            return Some(KeepsOut::InFlight);
        }
        (thrash >= THRASH && self.little_without_summary(scene)).then_some(KeepsOut::LittleNew)
    }

    /// Whether there is little new content since the last compaction.
    pub(crate) fn little_new(&self, scene: &Scene<'_>) -> bool {
        let Some(active) = self.history.active else { return false };
        self.is_little(scene, self.new_since(scene, &self.state.checkpoints[active]))
    }

    /// Whether there is little that no summary by a model stands for: what only code covered since is as good as new.
    fn little_without_summary(&self, scene: &Scene<'_>) -> bool {
        let Some(active) = self.history.active else { return false };
        let held = &self.state.checkpoints[..=active];
        let (newest, by_model) = (&held[active], held.iter().rfind(|held| !checkpoint::is_digest(held)));
        let Some(by_model) = by_model else { return false };
        let covered = newest.raw.zip(by_model.raw).map_or(0, |(all, before)| all.saturating_sub(before));
        self.is_little(scene, self.new_since(scene, newest) + covered)
    }

    /// The raw tokens in the view of messages after a checkpoint.
    fn new_since(&self, scene: &Scene<'_>, checkpoint: &Checkpoint) -> u64 {
        scene
            .view
            .items
            .iter()
            .filter(|item| matches!(item.slot, Slot::Host { index, .. } if index >= checkpoint.covers.count))
            .map(|item| item.tokens)
            .sum()
    }

    fn is_little(&self, scene: &Scene<'_>, raw: u64) -> bool {
        self.scaled(raw) < budget::share(scene.limits.room, self.call.options.shares.fresh)
    }
}
