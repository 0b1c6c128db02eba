//! From raw tokens to the provider's: `estimate = intercept + slope × raw`, learned from reported usage.
//!
//! Each trusted report sets the intercept so that the estimate of what was sent equals what was reported; it is an
//! anchor and survives clears, clips, compactions and rewinds. The reply counts as the provider counted it, where that
//! can be. The slope is learned only from increments between reports. All arithmetic is in whole numbers: slopes in
//! millionths.

use crate::base::archive::{Archive, Record};
use crate::base::millionths::{ratio, scale, times};
use crate::model::message::Position;
use crate::tokens::SlopeRange;

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
/// What a first report may hold that is in no message, as one part in so many of the window: a system prompt and tools
/// that the host did not pass. More than that needs a second report that says the same, for it alone could fill the window.
const HIDDEN: u64 = 8;
/// The least of this in a small window, in tokens, of which it may be a quarter at most.
const HIDDEN_LEAST: u64 = 2_000;
/// Two readings agree if they are no further apart than this part of the smaller request, in millionths. Totals over
/// several requests are further apart: each holds one request more.
const AGREEMENT: u64 = 250_000;
/// Readings that were not believed are counted up to this.
const DOUBTED_MOST: u64 = 1_000;
/// One token for each raw one, in millionths: what text costs of which nothing is known.
const ONE_TO_ONE: u64 = 1_000_000;

/// What was reported for what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Raw tokens of the whole request: view, system, tools, overhead.
    pub raw: u64,
    /// The provider's count of its prompt.
    pub reported: u64,
}

/// Usage as a provider reported it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Tokens of the prompt, all of it; none if nothing reliable was said.
    pub prompt: Option<u64>,
    /// Tokens of the output; 0 if nothing was said.
    pub output: u64,
    /// How many of these are reasoning; 0 if nothing was said.
    pub reasoning: u64,
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
    /// Raw tokens of that request; none in states of earlier versions.
    pub whole_raw: Option<u64>,
    /// Relative errors of guesses, newest last, in millionths.
    pub errors: Vec<u64>,
    /// A reading too far off to believe alone.
    pub parked: Option<Reading>,
    /// Readings in a row that were not believed, the parked one among them.
    pub doubted: u64,
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
            Self {
                grown: self.grown,
                whole: self.whole,
                whole_raw: self.learned_on_whole(),
                errors: self.errors.clone(),
                ..fresh
            }
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
        let (tokens, guessed, new) = match self.anchor {
            Some(anchor) => {
                let at_anchor = self.scale(anchor.raw, range);
                let mut affine = (anchor.reported + scaled).saturating_sub(at_anchor);
                if let Some(reply) = self.reply {
                    let guess = self.scale(reply.raw, range);
                    affine = (affine + reply.counted(guess)).saturating_sub(guess);
                }
                // Less than the anchor's own part of it would mean that the provider adds less than nothing.
                let part = scale(anchor.reported, raw.min(anchor.raw), anchor.raw);
                (affine.max(part), scaled.abs_diff(at_anchor), raw.saturating_sub(anchor.raw))
            }
            None => (scaled, scaled, raw),
        };
        Estimate { tokens, bound: times(guessed, self.uncertainty(range.bound)).max(self.spread(new, range)) }
    }

    /// By how much `new` raw tokens may be more than the slope says because they are another kind of text than it was
    /// learned on: up to one token for each raw one, in proportion to how much was learned on it.
    fn spread(&self, new: u64, range: SlopeRange) -> u64 {
        let short = ONE_TO_ONE.saturating_sub(self.slope(range));
        if !self.learned() || short == 0 {
            return 0;
        }
        let learned_on = self.learned_on();
        let unlike = if new >= learned_on { new } else { scale(new, new, learned_on) };
        times(unlike, short)
    }

    /// Raw tokens that the slope was learned on.
    pub fn learned_on(&self) -> u64 {
        match self.grown {
            Some(grown) if grown.raw > 0 => grown.raw,
            _ => self.learned_on_whole().unwrap_or(0),
        }
    }

    fn learned_on_whole(&self) -> Option<u64> {
        // A state of an earlier version does not say: the newest report is at least as large.
        self.whole_raw.or_else(|| self.whole.and(self.anchor).map(|anchor| anchor.raw))
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

    /// Learns from a report, and returns whether it was believed. `counted`: system and tools were part of `reading.raw`, so
    /// that nothing large is hidden. `window`: what the model takes, if a report above it cannot be of one request.
    pub fn learn(&mut self, reading: Reading, counted: bool, range: SlopeRange, window: Option<u64>) -> bool {
        if reading.raw == 0 || reading.reported == 0 {
            return false;
        }
        if window.is_some_and(|window| reading.reported > window) {
            self.park(reading);
            return false;
        }
        if self.is_outlier(reading, range, window) {
            return false;
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
            self.whole_raw = Some(reading.raw);
        }
        self.anchor = Some(reading);
        self.reply = None;
        true
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

    fn park(&mut self, reading: Reading) {
        self.parked = Some(reading);
        self.doubted = (self.doubted + 1).min(DOUBTED_MOST);
    }

    /// The parked reading, if that is worth a word: a first one, or another after one that was not believed. A single one
    /// is what a compaction may leave behind.
    pub fn doubtful(&self, window: u64) -> Option<u64> {
        let reported = self.parked?.reported;
        (self.anchor.is_none() || self.doubted > 1 || reported > window).then_some(reported)
    }

    fn is_outlier(&mut self, reading: Reading, range: SlopeRange, window: Option<u64>) -> bool {
        let estimate = self.estimate(reading.raw, range);
        let off = estimate.tokens.abs_diff(reading.reported);
        // A total over several requests grows by about a whole request at each step, and the more it has grown the less
        // that looks: what is more than expected is compared with the request alone.
        let own = self.scale(reading.raw, range);
        let whole = if reading.reported > estimate.tokens { estimate.tokens.min(own) } else { estimate.tokens };
        let doubt = times(whole, OUTLIER).max(3 * estimate.bound);
        let believed = match self.anchor {
            Some(_) => off <= doubt,
            None if reading.reported < estimate.tokens => {
                reading.reported >= times(reading.raw, range.least) / PLACEHOLDER
            }
            None => window.is_none_or(|window| off <= doubt + (window / HIDDEN).max(HIDDEN_LEAST.min(window / 4))),
        };
        if believed {
            (self.parked, self.doubted) = (None, 0);
            return false;
        }
        let agrees = self.parked.take().is_some_and(|parked| {
            let expected =
                (parked.reported + self.scale(reading.raw, range)).saturating_sub(self.scale(parked.raw, range));
            let smaller = self.scale(reading.raw.min(parked.raw), range);
            expected.abs_diff(reading.reported) <= times(expected.min(smaller), AGREEMENT)
        });
        if agrees {
            // What was believed until now is refuted, the slope with it.
            *self = Self { key: core::mem::take(&mut self.key), ..Self::default() };
            return false;
        }
        self.park(reading);
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
        archive.maybe_count("wholeRaw", &mut self.whole_raw);
        archive.counts("errors", &mut self.errors);
        archive.maybe_record("parked", &mut self.parked);
        let mut doubted = Some(self.doubted).filter(|&doubted| doubted > 1);
        archive.maybe_count("doubted", &mut doubted);
        self.doubted = if self.parked.is_some() { doubted.unwrap_or(1).clamp(1, DOUBTED_MOST) } else { 0 };
    }
}
