//! Learns from a refusal: how many tokens the last request really had, and what the model really takes.
//!
//! 1. A stated limit is remembered under the key of the calibration. The smaller one of it and the configured one
//!    holds. A reported prompt above it raises it again.
//! 2. A stated count of the prompt is a reading of the pending request, believed at once (within a factor of 16 of its
//!    raw tokens). If only the limit of the prompt is stated, the prompt had at least as many.
//! 3. If the prompt fits, but not beside the reply, nothing has to be compacted: `replyRoom` is exact now. If a reply
//!    that was refused is sent again, the trigger leaves room for it from then on.
//! 4. If nothing that was said explains the refusal, the window is taken for 0.9 of what was sent. `overflow: true` is
//!    such a refusal.
//! 5. Unless it was the reply, trigger and hard limit of this call are at most what was sent. So the view is smaller,
//!    or the outcome is `infeasible`. Refusals in a row go strictly down.

use crate::base::error::Error;
use crate::base::millionths;
use crate::call::bound::{Start, difference};
use crate::call::context::Work;
use crate::ingest::host::Host;
use crate::limits::provider_refusal::{Overflow, Refusal};
use crate::session::view::View;
use crate::tokens::calibration::UsageReading;

/// If nothing else explains a refusal, the window is assumed to be this share of what was sent, in millionths.
const GUESS: u64 = 900_000;
/// A stated count that differs from the raw tokens by more than this factor is assumed to be about something else.
const BELIEVABLE: u64 = 16;

impl Work<'_> {
    /// Begins the call, and applies the provider's refusal of the last request.
    pub(crate) fn first(&mut self, host: &mut dyn Host) -> Result<Start, Error> {
        if let Some(Refusal::Thinking(complaint)) = self.call.refusal {
            let before = self.project(host)?;
            self.learn_of_thinking(complaint);
            let start = self.begin(host)?;
            let broken_at = start.broken_at.into_iter().chain(difference(&before, &start.view)).min();
            return Ok(Start { broken_at, ..start });
        }
        let start = self.begin(host)?;
        if let Some(Refusal::TooLong(overflow)) = self.call.refusal {
            self.learn_from(overflow, &start.view)?;
        }
        Ok(start)
    }

    fn learn_from(&mut self, overflow: Overflow, view: &View) -> Result<(), Error> {
        let call = self.call;
        let soft = call.soft && self.in_flight.is_none();
        let range = call.options.estimator.slope();
        let mut learned = self.state.learned(&call.key());
        // The refused request is the one that was sent last, if known. Otherwise it is assumed to be the current view.
        let (raw, counted) = match &self.state.pending {
            Some(pending) if pending.key == learned.key => (pending.raw, pending.counted),
            _ => (view.raw() + call.beside(), call.counted),
        };
        let whole =
            overflow.total.zip(overflow.reply.or(call.max_output)).map(|(total, reply)| total.saturating_sub(reply));
        let guessed = self.calibration.estimate(raw, range).tokens;
        let counted_by_provider =
            overflow.prompt.or(whole).or(overflow.least.or(overflow.input).filter(|&least| least > guessed));
        let plausible = |&tokens: &u64| raw / BELIEVABLE <= tokens && tokens <= raw.saturating_mul(BELIEVABLE);
        if let Some(reported) = counted_by_provider.filter(plausible) {
            let reading = UsageReading { raw, reported };
            // A count in a refusal is believed without a second report.
            self.calibration.parked = Some(reading);
            self.calibration.learn(reading, counted, range, None);
            (self.calibration.parked, self.calibration.doubted) = (None, 0);
        }
        let sent = self.calibration.estimate(raw, range).tokens;
        learned.window = overflow.limit.or(learned.window);
        learned.input = overflow.input.or(learned.input);
        self.state.learn(learned.clone());
        self.window = Self::window(call, &self.state, soft)?;
        let beside = overflow.reply.zip(overflow.limit).filter(|&(reply, limit)| sent < limit && sent + reply > limit);
        if let Some((reply, _)) = beside {
            // This prompt fits with a shorter reply, and the report says how short. If the reply is refused again, room
            // is made for it.
            let is_first = learned.reply.is_none();
            learned.reserve = if is_first { learned.reserve } else { learned.reserve.max(Some(reply)) };
            learned.reply = Some(reply);
            self.state.learn(learned);
            self.window = Self::window(call, &self.state, soft)?;
            if is_first {
                return Ok(());
            }
        } else if sent < self.window.hard && overflow.input.is_none_or(|input| sent < input) {
            learned.window = Some(millionths::times(sent.min(self.window.size), GUESS).max(1));
            self.state.learn(learned);
            self.window = Self::window(call, &self.state, soft)?;
        }
        // Whatever the limits are, the same request must not be sent again.
        self.window.trigger = self.window.trigger.min(sent).max(1);
        self.window.hard = self.window.hard.min(sent).max(1);
        Ok(())
    }
}
