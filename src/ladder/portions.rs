//! How much each part of a view may take once the past is covered: its share of the room or, if the host set a target,
//! of that.
//!
//! With a target of the host's (tokens or a share), a summary may have a quarter of it at most, facts an eighth, the
//! typed message before the last one a tenth. The tail has the rest, beside the progress note and what is held; a
//! digest has what the tail leaves. So a view that was summarized is at or below the target, unless what must stay is
//! larger or the summarizer wrote more than it was asked for.

use crate::base::millionths::times as share;
use crate::ladder::Scene;

/// The tokens of a summary: a share of the room in millionths, with an upper limit.
const SUMMARY_SHARE: u64 = 200_000;
const SUMMARY_MOST: u64 = 8_000;
/// Even in a tiny window, a summary of a few sentences must be possible.
const SUMMARY_LEAST: u64 = 48;
/// The most tokens of the facts beside a summary written by a model.
const FACTS_MOST: u64 = 5_000;
/// The share of the tail unless the host sets it or a target.
const TAIL_SHARE: u64 = 200_000;
/// What the tail leaves of it to a digest, in a small window: a share of the room, and the most estimated tokens.
const TAIL_LEAVES: u64 = 80_000;
const TAIL_LEAVES_MOST: u64 = 160;
/// How far a digest may exceed a target that the host did not set: a share of the room, and the most estimated tokens.
const SMALL_SHARE: u64 = 280_000;
const SMALL_MOST: u64 = 600;

/// The most that these take of a target that the host set, in millionths. The tail has the rest.
const SUMMARY_OF_TARGET: u64 = 250_000;
const FACTS_OF_TARGET: u64 = 125_000;
const TYPED_OF_TARGET: u64 = 100_000;
/// The approximate raw tokens of the lines around a summary and a note.
const FRAMES: u64 = 48;

impl Scene<'_> {
    /// The raw tokens of the conversation in a view at the target.
    fn aim(&self) -> u64 {
        self.raw_below(self.limits.target).saturating_sub(self.view.fixed())
    }

    /// The estimated tokens of a part, but no more than its share of a target that the host set.
    fn within(&self, tokens: u64, of_target: u64) -> u64 {
        if self.limits.aims { tokens.min(self.estimate_of(share(self.aim(), of_target))) } else { tokens }
    }

    /// The most estimated tokens of a summary. A progress note has half as many.
    pub(crate) fn summary_most(&self) -> u64 {
        let tokens = share(self.limits.room, SUMMARY_SHARE).min(SUMMARY_MOST);
        self.within(tokens, SUMMARY_OF_TARGET).max(SUMMARY_LEAST)
    }

    /// The most estimated tokens of the facts beside a summary.
    pub(crate) fn facts_most(&self) -> u64 {
        let tokens = share(self.limits.whole, self.options.shares.facts).min(FACTS_MOST);
        self.within(tokens, FACTS_OF_TARGET)
    }

    /// The estimated tokens that earlier typed messages may take, apart from the active one.
    pub(crate) fn typed_most(&self) -> u64 {
        let typed = if self.options.strategy.is_bare() { 0 } else { self.options.shares.typed };
        self.within(share(self.limits.room, typed), TYPED_OF_TARGET)
    }

    /// The most raw tokens of the tail and, if the host set a target, of all that stays before it. `note`: a progress
    /// note comes into the view, too.
    pub(crate) fn tail_most(&self, note: bool) -> u64 {
        let of_room = |tail| self.raw(share(self.limits.room, tail));
        let tail = self.options.shares.tail;
        if !self.limits.aims {
            let leaves = share(self.limits.room, TAIL_LEAVES).min(TAIL_LEAVES_MOST);
            return tail.map_or_else(|| of_room(TAIL_SHARE).saturating_sub(self.raw(leaves)), of_room);
        }
        let summary = self.summary_most();
        let rest = self.raw(summary + if note { summary / 2 } else { 0 } + self.facts_most()) + FRAMES;
        let left = self.aim().saturating_sub(rest);
        tail.map_or(left, |tail| left.min(of_room(tail)))
    }

    /// The raw tokens of the conversation in a view with a digest.
    pub(crate) fn digested_most(&self) -> u64 {
        // In a small window, the memory is worth more than a later next compaction.
        self.digested(share(self.limits.room, SMALL_SHARE).min(SMALL_MOST))
    }

    /// The same once the digest was restored from messages that are still in the view.
    pub(crate) fn restored_most(&self) -> u64 {
        self.digested(0)
    }

    fn digested(&self, more: u64) -> u64 {
        if self.limits.aims {
            return self.aim().saturating_sub(FRAMES);
        }
        self.raw(share(self.limits.room, self.options.shares.target) + more)
    }
}
