//! What the ladder looks at: a call with its history placed, and what would be sent now.

use crate::base::millionths;
use crate::ingest::pairs::Cuts;
use crate::ladder::compact::Shape;
use crate::ladder::protection::{self, Hold};
use crate::limits::budget::Limits;
use crate::limits::options::Options;
use crate::session::history::History;
use crate::session::state::SessionState;
use crate::session::view::View;
use crate::tokens::calibration::{Calibration, Estimate};

/// What the ladder looks at.
pub struct Scene<'a> {
    /// The host's messages.
    pub history: &'a History<'a>,
    /// What is known.
    pub state: &'a SessionState,
    /// What would be sent now.
    pub view: &'a View,
    /// What was configured.
    pub options: &'a Options,
    /// What must be kept.
    pub limits: Limits,
    /// Calibration under the key of this call.
    pub calibration: &'a Calibration,
    /// Raw tokens beside the messages: system, tools, overhead.
    pub beside: u64,
    /// What a summary that is being written elsewhere will cover.
    pub in_flight: Option<&'a Shape>,
    /// Where each input message stands in the view.
    pub places: Vec<Option<usize>>,
    /// Legal cuts of the input messages after the lead.
    pub cuts: &'a Cuts,
    /// How firmly each input message stays whole; empty if no tool has a policy.
    pub holds: Vec<Hold>,
    /// The format can make a copy of a message without some of its parts.
    pub leaves_out: bool,
    /// The first of the newest messages that stay whole because the host keeps so many turns or messages.
    pub kept_from: Option<usize>,
}

impl Scene<'_> {
    /// The same, with what the policies of tools hold.
    #[must_use]
    pub(crate) fn held(mut self) -> Self {
        (self.holds, self.kept_from) = protection::holds(&self);
        self
    }

    /// How firmly an input message stays whole.
    pub fn hold(&self, input: usize) -> Hold {
        self.holds.get(input).copied().unwrap_or_default()
    }

    /// Whether an input message stays in the view, whatever is covered.
    pub fn stays(&self, input: usize) -> bool {
        self.hold(input) >= Hold::Kept
    }

    /// Input messages that are the front of a view given back.
    pub fn lead(&self) -> usize {
        self.history.messages.len() - (self.history.end() - self.history.first()) as usize
    }

    /// Start of the newest group, as an input index.
    pub fn newest(&self) -> usize {
        self.cuts.newest() + self.lead()
    }

    /// Messages covered by the active checkpoint.
    pub fn covered(&self) -> u64 {
        self.history.active.map_or(0, |active| self.state.checkpoints[active].covers.count)
    }

    /// Raw tokens of an input message as it stands in the view; nothing if it is not in it.
    pub fn tokens(&self, input: usize) -> u64 {
        self.places[input].map_or(0, |at| self.view.items[at].tokens)
    }

    /// The estimate of a view of `raw` raw tokens.
    pub fn estimate(&self, raw: u64) -> Estimate {
        self.calibration.estimate(raw + self.beside, self.options.estimator.slope())
    }

    /// Whether a view of `raw` raw tokens leaves room for a turn to come: a clip or a clear ends there.
    pub fn leaves_room(&self, raw: u64) -> bool {
        let estimate = self.estimate(raw);
        estimate.tokens + estimate.bound <= self.limits.accept
    }

    /// Whether a view of `raw` raw tokens may be sent.
    pub fn fits(&self, raw: u64) -> bool {
        let estimate = self.estimate(raw);
        estimate.tokens + estimate.bound < self.limits.limit
    }

    /// Raw tokens of `tokens` estimated ones, by the slope alone.
    pub fn raw(&self, tokens: u64) -> u64 {
        let slope = self.calibration.slope(self.options.estimator.slope());
        millionths::ratio(tokens, slope)
    }

    /// Estimated tokens of `raw` raw ones, by the slope alone.
    pub fn estimate_of(&self, raw: u64) -> u64 {
        self.calibration.scale(raw, self.options.estimator.slope())
    }

    /// The largest view, in raw tokens, whose estimate stays below `tokens`.
    pub fn raw_below(&self, tokens: u64) -> u64 {
        let range = self.options.estimator.slope();
        let raw = self.view.raw() + self.beside;
        let mut room = self.calibration.raw_for(tokens, raw, range);
        // The bound grows with the distance from what was reported.
        for _ in 0..4 {
            let estimate = self.calibration.estimate(room, range);
            let over = (estimate.tokens + estimate.bound).saturating_sub(tokens.saturating_sub(1));
            if over == 0 {
                break;
            }
            room = room.saturating_sub(self.raw(over) + 1);
        }
        room.saturating_sub(self.beside)
    }

    /// The input index of the message a person typed last.
    pub fn active_user(&self) -> Option<usize> {
        self.history.active_user()
    }
}
