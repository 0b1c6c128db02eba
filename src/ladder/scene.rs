//! The input of the ladder: a call whose history is placed, and its current view.

use crate::base::millionths;
use crate::ingest::pairs::Cuts;
use crate::ladder::hold::Hold;
use crate::ladder::shape::Shape;
use crate::limits::budget::Limits;
use crate::limits::options::Options;
use crate::session::history::History;
use crate::session::state::SessionState;
use crate::session::view::View;
use crate::tokens::calibration::{Calibration, Estimate};

/// The input of the ladder.
pub struct Scene<'a> {
    /// The placed history.
    pub history: &'a History<'a>,
    /// The state.
    pub state: &'a SessionState,
    /// The current view.
    pub view: &'a View,
    /// The options.
    pub options: &'a Options,
    /// The limits of the request.
    pub limits: Limits,
    /// The calibration for this call.
    pub calibration: &'a Calibration,
    /// The raw tokens outside the messages: system prompt, tools and overhead.
    pub beside: u64,
    /// What the summary in flight will cover.
    pub in_flight: Option<&'a Shape>,
    /// The index in the view of each input message.
    pub places: Vec<Option<usize>>,
    /// The legal cuts between the input messages after the lead.
    pub cuts: &'a Cuts,
    /// How firmly each input message is held. Empty if nothing is held.
    pub holds: Vec<Hold>,
    /// The end of the newest request in the history, if known: what comes later was never sent.
    pub sent: Option<u64>,
    /// Whether the format can copy a message without some of its parts.
    pub leaves_out: bool,
    /// The first of the newest messages that the host keeps by number of turns or messages.
    pub kept_from: Option<usize>,
}

impl Scene<'_> {
    /// How firmly an input message is held.
    pub fn hold(&self, input: usize) -> Hold {
        self.holds.get(input).copied().unwrap_or_default()
    }

    /// Whether an input message stays in the view whatever is covered.
    pub fn stays(&self, input: usize) -> bool {
        self.hold(input) >= Hold::Kept
    }

    /// The number of input messages at the front that belong to a view passed as history.
    pub fn lead(&self) -> usize {
        self.history.lead()
    }

    /// The input index of the start of the newest group.
    pub fn newest(&self) -> usize {
        self.cuts.newest() + self.lead()
    }

    /// The number of messages that the active checkpoint covers.
    pub fn covered(&self) -> u64 {
        self.history.active.map_or(0, |active| self.state.checkpoints[active].covers.count)
    }

    /// The raw tokens of an input message in the view, or 0 if it is not there.
    pub fn tokens(&self, input: usize) -> u64 {
        self.places[input].map_or(0, |at| self.view.items[at].tokens)
    }

    /// Estimates a view of `raw` raw tokens.
    pub fn estimate(&self, raw: u64) -> Estimate {
        self.calibration.estimate(raw + self.beside, self.options.estimator.slope())
    }

    /// Whether a view of `raw` raw tokens leaves room for another turn, so that a clip or clear may stop.
    pub fn leaves_room(&self, raw: u64) -> bool {
        let estimate = self.estimate(raw);
        estimate.tokens + estimate.bound <= self.limits.accept
    }

    /// Whether a view of `raw` raw tokens may be sent.
    pub fn fits(&self, raw: u64) -> bool {
        let estimate = self.estimate(raw);
        estimate.tokens + estimate.bound < self.limits.limit
    }

    /// Converts estimated tokens to raw ones, by the slope alone.
    pub fn raw(&self, tokens: u64) -> u64 {
        let slope = self.calibration.slope(self.options.estimator.slope());
        millionths::ratio(tokens, slope)
    }

    /// Converts raw tokens to estimated ones, by the slope alone.
    pub fn estimate_of(&self, raw: u64) -> u64 {
        self.calibration.scale(raw, self.options.estimator.slope())
    }

    /// The largest view, in raw tokens, that is estimated below `tokens`.
    pub fn raw_below(&self, tokens: u64) -> u64 {
        let range = self.options.estimator.slope();
        let raw = self.view.raw() + self.beside;
        let mut room = self.calibration.raw_for(tokens, raw, range);
        // The bound grows with the distance from the reported request.
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

    /// The input index of the last message that a person typed.
    pub fn active_user(&self) -> Option<usize> {
        self.history.active_user()
    }
}
