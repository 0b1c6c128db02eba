//! From raw tokens to the provider's: `estimate = intercept + slope × raw`, learned from reported usage.
//!
//! Each trusted report sets the intercept so that the estimate of what was sent equals what was reported; it is an
//! anchor and survives clears, clips, compactions and rewinds. The reply counts as the provider counted it, where that
//! can be. The slope is learned only from increments between reports. All arithmetic is in whole numbers: slopes in
//! millionths.

use super::SlopeRange;
use crate::archive::{Archive, Record};
use crate::message::Position;
use crate::millionths::{ratio, scale, times};
use crate::prelude::*;

/// Increments below this many raw tokens say nothing about the slope.
const LEAST_INCREMENT: u64 = 20;
/// Increments whose ratio lies outside are not plain growth of the conversation, in millionths.
const RATIO: core::ops::RangeInclusive<u64> = 400_000..=4_000_000;
/// The clamp of a measured uncertainty, in millionths.
const BOUND_RANGE: (u64, u64) = (10_000, 250_000);
/// Readings whose errors are remembered.
const ERRORS: usize = 20;
/// A reading off by more than this (in millionths) and by three bounds waits for a second opinion.
const OUTLIER: u64 = 250_000;

/// Each new increment leaves this part of what was learned before, as one in so many: long, because what a compaction
/// takes away is as old as the session (measured: half the error after a cut that a memory of eight increments has).
const FADE: u64 = 64;
/// A first report below this part of the least possible is a placeholder or a part, as one in so many.
const PLACEHOLDER: u64 = 4;

/// What was reported for what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Raw tokens of the whole request: view, system, tools, overhead.
    pub raw: u64,
    /// The provider's count of its prompt.
    pub reported: u64,
}

/// The reply to the request of the newest report. It is part of the next prompt, and its tokens are known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Tokens of the output as reported.
    pub tokens: u64,
    /// How many of them are reasoning, as far as that was reported.
    pub reasoning: u64,
    /// Where the request ended: the reply is what follows.
    pub at: Position,
    /// Raw tokens of the reply as it stands in the history; 0 while it does not.
    pub raw: u64,
}

impl Reply {
    /// What the reply adds to the next prompt where by its text it would be `guess`: what was reported if that can be all
    /// of it and nothing else. Reasoning that is not sent again, usage that is not final and replies that the host
    /// changed lie outside.
    fn counted(self, guess: u64) -> u64 {
        let believed = |tokens: &u64| self.raw > 0 && (self.raw / 2..=guess + guess / 4 + 10).contains(tokens);
        let visible = self.tokens.saturating_sub(self.reasoning);
        [self.tokens, visible].iter().copied().find(believed).unwrap_or(guess)
    }
}

/// What is known of one model's tokens. Starts empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    /// Family, estimator and its version, model: what was learned under another key does not hold.
    pub key: String,
    /// The newest trusted report.
    pub anchor: Option<Reading>,
    /// The reply to what was sent then.
    pub reply: Option<Reply>,
    /// Decayed sums over increments: reported and raw. Empty until the first one.
    pub grown: Option<Reading>,
    /// Slope found from a whole request, before any increment, in millionths.
    pub whole: Option<u64>,
    /// Relative errors of guesses, newest last, in millionths.
    pub errors: Vec<u64>,
    /// A reading too far off to believe alone.
    pub parked: Option<Reading>,
}

/// An estimate with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Tokens.
    pub tokens: u64,
    /// It may be that many more.
    pub bound: u64,
}

impl Calibration {
    /// What is known, if it was learned under this key; else nothing.
    #[must_use]
    pub fn under(&self, key: &str) -> Self {
        if self.key == key {
            return self.clone();
        }
        let estimator = |key: &str| key.split('|').next().map(str::to_owned);
        let fresh = Self { key: key.to_owned(), ..Self::default() };
        // Another model of the same family: the intercept is gone, what was learned of the text stays.
        if estimator(&self.key) == estimator(key) {
            Self { grown: self.grown, whole: self.whole, errors: self.errors.clone(), ..fresh }
        } else {
            fresh
        }
    }

    /// Whether a report has taught the slope.
    pub const fn learned(&self) -> bool {
        self.grown.is_some() || self.whole.is_some()
    }

    /// Slope in millionths.
    pub fn slope(&self, range: SlopeRange) -> u64 {
        let slope = match (self.grown, self.whole) {
            (Some(Reading { raw, reported }), _) if raw > 0 => ratio(reported, raw),
            (_, Some(whole)) => whole,
            _ => range.start,
        };
        slope.clamp(range.least, range.most)
    }

    /// Tokens of `raw` raw ones, without the intercept.
    pub fn scale(&self, raw: u64, range: SlopeRange) -> u64 {
        times(raw, self.slope(range))
    }

    /// The estimate of a request of `raw` raw tokens in all.
    pub fn estimate(&self, raw: u64, range: SlopeRange) -> Estimate {
        let scaled = self.scale(raw, range);
        let (tokens, guessed) = match self.anchor {
            Some(anchor) => {
                let at_anchor = self.scale(anchor.raw, range);
                let mut affine = (anchor.reported + scaled).saturating_sub(at_anchor);
                if let Some(reply) = self.reply {
                    let guess = self.scale(reply.raw, range);
                    affine = (affine + reply.counted(guess)).saturating_sub(guess);
                }
                // Less than the anchor's own part of it would mean that the provider adds less than nothing.
                let part = scale(anchor.reported, raw.min(anchor.raw), anchor.raw);
                (affine.max(part), scaled.abs_diff(at_anchor))
            }
            None => (scaled, scaled),
        };
        Estimate { tokens, bound: times(guessed, self.uncertainty(range.bound)) }
    }

    /// The raw tokens that bring a request of `raw` raw tokens to `tokens` estimated ones.
    pub fn raw_for(&self, tokens: u64, raw: u64, range: SlopeRange) -> u64 {
        let now = self.estimate(raw, range).tokens;
        let slope = self.slope(range);
        let found = if tokens >= now {
            raw.saturating_add(ratio(tokens - now, slope))
        } else {
            raw.saturating_sub(ratio(now - tokens, slope) + 1)
        };
        // Below the anchor its own proportion is a second bound, see `estimate`.
        match self.anchor {
            Some(anchor) if found < anchor.raw => found.min(scale(tokens, anchor.raw, anchor.reported)),
            _ => found,
        }
    }

    /// How far too low a guess may be, in millionths; `start` before anything was measured.
    pub fn uncertainty(&self, start: u64) -> u64 {
        if self.errors.is_empty() {
            return start;
        }
        // The 95th percentile: at most one reading in twenty lies above it.
        let above = self.errors.len() / 20;
        let percentile = self
            .errors
            .iter()
            .copied()
            .filter(|&error| self.errors.iter().filter(|&&other| other > error).count() <= above)
            .min();
        percentile.unwrap_or(start).clamp(BOUND_RANGE.0, BOUND_RANGE.1)
    }

    /// Learns from a report. `counted`: system and tools were part of `reading.raw`, so that nothing large is hidden.
    pub fn learn(&mut self, reading: Reading, counted: bool, range: SlopeRange) {
        if reading.raw == 0 || reading.reported == 0 || self.is_outlier(reading, range) {
            return;
        }
        if let Some(anchor) = self.anchor {
            let before = self.estimate(reading.raw, range);
            let guessed = self.scale(reading.raw, range).abs_diff(self.scale(anchor.raw, range));
            if guessed > LEAST_INCREMENT {
                self.errors.push(ratio(before.tokens.abs_diff(reading.reported), guessed).min(1_000_000));
                let surplus = self.errors.len().saturating_sub(ERRORS);
                self.errors.drain(..surplus);
            }
            self.grow(anchor, reading);
        } else if counted {
            self.whole = Some(ratio(reading.reported, reading.raw).clamp(range.least, range.most));
        }
        self.anchor = Some(reading);
        self.reply = None;
    }

    fn grow(&mut self, from: Reading, to: Reading) {
        let (raw, reported) = (to.raw.saturating_sub(from.raw), to.reported.saturating_sub(from.reported));
        if raw > LEAST_INCREMENT && RATIO.contains(&ratio(reported, raw)) {
            let old = self.grown.unwrap_or_default();
            self.grown = Some(Reading {
                raw: old.raw - old.raw / FADE + raw,
                reported: old.reported - old.reported / FADE + reported,
            });
        }
    }

    fn is_outlier(&mut self, reading: Reading, range: SlopeRange) -> bool {
        let estimate = self.estimate(reading.raw, range);
        let off = estimate.tokens.abs_diff(reading.reported);
        let believed = match self.anchor {
            Some(_) => off <= times(estimate.tokens, OUTLIER).max(3 * estimate.bound),
            None => reading.reported >= times(reading.raw, range.least) / PLACEHOLDER,
        };
        if believed {
            self.parked = None;
            return false;
        }
        let agrees = self.parked.take().is_some_and(|parked| {
            let expected =
                (parked.reported + self.scale(reading.raw, range)).saturating_sub(self.scale(parked.raw, range));
            expected.abs_diff(reading.reported) <= times(expected, OUTLIER)
        });
        if agrees {
            // What was believed until now is refuted, the slope with it.
            *self = Self { key: core::mem::take(&mut self.key), ..Self::default() };
            return false;
        }
        self.parked = Some(reading);
        true
    }
}

impl Record for Reading {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("raw", &mut self.raw);
        archive.count("reported", &mut self.reported);
    }
}

impl Record for Reply {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("tokens", &mut self.tokens);
        archive.count("reasoning", &mut self.reasoning);
        archive.position("at", &mut self.at);
        archive.count("raw", &mut self.raw);
    }
}

impl Record for Calibration {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("key", &mut self.key);
        archive.maybe_record("anchor", &mut self.anchor);
        archive.maybe_record("reply", &mut self.reply);
        archive.maybe_record("grown", &mut self.grown);
        archive.maybe_count("whole", &mut self.whole);
        archive.counts("errors", &mut self.errors);
        archive.maybe_record("parked", &mut self.parked);
    }
}
