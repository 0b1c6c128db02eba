//! Converts raw tokens to the provider's: `estimate = intercept + slope × raw`, learned from reported usage.
//!
//! Each trusted report is an anchor: it sets the intercept so that the estimate of the request that was sent equals the
//! reported tokens. It stays valid across clears, clips, compactions and rewinds. The reply counts as the provider
//! counted it, where that is possible. The slope is learned only from increments between reports. All arithmetic is in
//! whole numbers; slopes are in millionths.
//!
//! # What is learned
//!
//! The reply is the assistant's messages that follow the end of the request. Its reported output counts if it can be
//! the reply and nothing else: at least half of its raw tokens, and at most a quarter and 10 more than by the slope.
//! Otherwise the output without its reasoning is tried, and else the reply is estimated like all text. So reasoning
//! that is not sent again, a stream's first usage and a reply that the host rewrote do no harm.
//!
//! The slope is learned from increments of more than 20 raw tokens with a ratio of 0.4 to 4; older ones fade by a
//! sixty-fourth each time. Until there is one, it is reported / raw of the whole request, provided that system or
//! tools were counted.
//!
//! The bound is a share of everything beyond the anchor: the 95th percentile of the last 20 errors, within 1 % and 25
//! %. Where the slope is below 1, new text may be of another kind than the slope was learned on, so the bound is at
//! least `(1 − slope) × new × min(1, new / learned on)` raw tokens. Below the anchor, an estimate is never less than
//! its part of what was reported.
//!
//! # What is believed
//!
//! A report above the window of its request is never believed. Another one is parked if it is off by more than a
//! quarter and by three bounds. A first report is parked only if it is above the estimate by that and an eighth of the
//! window (in small windows 2,000 tokens or a quarter), or below a quarter of the least that is possible. A parked
//! report changes no estimate. It is reported (`usage-doubted`) if it is a first one, above the window, or the second
//! in a row.
//!
//! If the next report agrees with a parked one, all that was believed before is dropped. Two agree if they differ by
//! the growth of the request, but for a quarter of the smaller one; totals over several requests are a whole request
//! further apart. An early total may still pass for the tokens of a dense text; it makes estimates at most twice as
//! high as the estimator's.
//!
//! `afterModel` takes `pending` once, and only for the request it names. Usage that says nothing reliable is ignored:
//! zero or one, missing, partial, or added up over several passes. Of a stream's events the last value counts, of
//! several steps the newest. A summarizer's usage never calibrates.
//!
//! Usage of an unknown shape teaches nothing either. The host cannot see that, so the state notes it, and each call
//! reports it (`usage-unread`) until a usage is read. Hosts that report none on purpose pass nothing.

use crate::base::archive::{Archive, Record};
use crate::base::millionths::{ratio, scale, times};
use crate::model::message::Position;
use crate::tokens::SlopeRange;
use crate::tokens::standstill::Standstill;

pub use crate::tokens::reading::UsageReading;

/// Increments below this many raw tokens are too small to learn the slope from.
const LEAST_INCREMENT: u64 = 20;
/// Increments with a ratio outside this range, in millionths, are not plain growth of the conversation.
const RATIO: core::ops::RangeInclusive<u64> = 400_000..=4_000_000;
/// The bounds of a measured uncertainty, in millionths.
const BOUND_RANGE: (u64, u64) = (10_000, 250_000);
/// The number of recent readings whose errors are kept.
const ERRORS: usize = 20;
/// A reading that is off by more than this share of the request (in millionths), and by more than three bounds, is used
/// only if a second one agrees.
const OUTLIER: u64 = 250_000;

/// Each increment removes one part in this many of what was learned before. The memory is long because a compaction
/// removes text of any age: after a cut, the error was half of that with a memory of eight increments (measured).
const FADE: u64 = 64;
/// A first report below one part in this many of the least possible count is a placeholder or partial.
const PLACEHOLDER: u64 = 4;
/// One part in this many of the window is what a first report may contain beyond the messages: a system prompt and
/// tools that the host did not pass. A larger surplus needs a second report that agrees, because it alone could fill
/// the window.
const HIDDEN: u64 = 8;
/// The least that is allowed for this surplus in a small window, in tokens, but at most a quarter of the window.
const HIDDEN_LEAST: u64 = 2_000;
/// Two readings agree if they differ by at most this share of the smaller request, in millionths. Totals over several
/// requests differ by more, because each contains one more request.
const AGREEMENT: u64 = 250_000;
/// The highest count of readings that were not believed.
const DOUBTED_MOST: u64 = 1_000;
/// One provider token per raw token, in millionths: the assumption for unknown text.
const ONE_TO_ONE: u64 = 1_000_000;

/// Usage as a provider reported it, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// The whole prompt. `None` if it was not reported.
    pub prompt: Option<u64>,
    /// How many of its tokens were cached, where the report may leave them out of the prompt.
    pub cached: Option<u64>,
    /// Whether the figures are sums over several passes of a model, or over other work of the provider's.
    pub aggregated: bool,
    /// The output, or 0 if not reported.
    pub output: u64,
    /// The part of the output that is reasoning, or 0 if not reported.
    pub reasoning: u64,
    /// Whether the provider left out reasoning because something before it had changed.
    pub mismatch: bool,
    /// Whether something was given from which no count could be read. `None` if nothing was given.
    pub unread: Option<bool>,
}

impl Reported {
    /// The prompt, if the report can be trusted to count the one that was sent, and all of it.
    pub fn trusted_prompt(&self) -> Option<u64> {
        let is_whole = |prompt: u64| self.cached.is_none_or(|cached| cached <= prompt);
        self.prompt.filter(|&prompt| !self.aggregated && prompt > 0 && is_whole(prompt))
    }
}

/// The reply to the newest reported request. It is part of the next prompt, and its tokens are known from the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The reported tokens of the output.
    pub tokens: u64,
    /// How many of them are reported as reasoning.
    pub reasoning: u64,
    /// The end of the request. The reply follows it.
    pub at: Position,
    /// The raw tokens of the reply in the history, or 0 while it is not there.
    pub raw: u64,
}

impl Reply {
    /// What the reply adds to the next prompt, given the `guess` from its text: the reported tokens if they can be all
    /// of the reply and nothing else. That excludes reasoning that is not sent back, usage that is not final, and
    /// replies that the host changed.
    fn counted(self, guess: u64) -> u64 {
        let believed = |tokens: &u64| self.raw > 0 && (self.raw / 2..=guess + guess / 4 + 10).contains(tokens);
        let visible = self.tokens.saturating_sub(self.reasoning);
        [self.tokens, visible].iter().copied().find(believed).unwrap_or(guess)
    }
}

/// What was learned about the tokens of one model. Empty at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    /// The estimator with its family and version, and the model. What was learned under another key does not apply.
    pub key: String,
    /// The newest trusted report.
    pub anchor: Option<UsageReading>,
    /// The reply to the request of that report.
    pub reply: Option<Reply>,
    /// Decayed sums over increments: reported and raw tokens. `None` until the first one.
    pub grown: Option<UsageReading>,
    /// The slope derived from a whole request before any increment, in millionths.
    pub whole: Option<u64>,
    /// The raw tokens of that request. `None` in states of earlier versions.
    pub whole_raw: Option<u64>,
    /// Relative errors of estimates in millionths, the newest last.
    pub errors: Vec<u64>,
    /// A reading that is too far off to be believed until another one agrees.
    pub parked: Option<UsageReading>,
    /// The number of consecutive readings that were not believed, including the parked one.
    pub doubted: u64,
    /// Reports that stand still while the request grows, if there are any.
    pub standstill: Option<Standstill>,
}

/// An estimate with its uncertainty, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The estimate.
    pub tokens: u64,
    /// How much too low the estimate may be.
    pub bound: u64,
}

impl Calibration {
    /// Returns what was learned if it was under this key. Otherwise starts from scratch.
    #[must_use]
    pub fn under(&self, key: &str) -> Self {
        if self.key == key {
            return self.clone();
        }
        let estimator = |key: &str| key.split('|').next().map(str::to_owned);
        let fresh = Self { key: key.to_owned(), ..Self::default() };
        // Another model of the same family: the intercept is lost, but the slope of the text is kept.
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

    /// Whether the slope was learned from a report.
    pub const fn learned(&self) -> bool {
        self.grown.is_some() || self.whole.is_some()
    }

    /// The slope, in millionths.
    pub fn slope(&self, range: SlopeRange) -> u64 {
        let slope = match (self.grown, self.whole) {
            (Some(UsageReading { raw, reported }), _) if raw > 0 => ratio(reported, raw),
            (_, Some(whole)) => whole,
            _ => range.start,
        };
        slope.clamp(range.least, range.most)
    }

    /// Converts raw tokens without the intercept.
    pub fn scale(&self, raw: u64, range: SlopeRange) -> u64 {
        times(raw, self.slope(range))
    }

    /// Estimates a request of `raw` raw tokens in total.
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
                // A smaller share than the anchor's ratio would mean that the provider adds less than nothing.
                let part = scale(anchor.reported, raw.min(anchor.raw), anchor.raw);
                (affine.max(part), scaled.abs_diff(at_anchor), raw.saturating_sub(anchor.raw))
            }
            None => (scaled, scaled, raw),
        };
        Estimate { tokens, bound: times(guessed, self.uncertainty(range.bound)).max(self.spread(new, range)) }
    }

    /// How many more tokens `new` raw tokens may have than the slope says, because their text may differ from what it
    /// was learned on: up to one token per raw token, in proportion to the text learned on.
    fn spread(&self, new: u64, range: SlopeRange) -> u64 {
        let short = ONE_TO_ONE.saturating_sub(self.slope(range));
        if !self.learned() || short == 0 {
            return 0;
        }
        let learned_on = self.learned_on();
        let unlike = if new >= learned_on { new } else { scale(new, new, learned_on) };
        times(unlike, short)
    }

    /// The raw tokens that the slope was learned on.
    pub fn learned_on(&self) -> u64 {
        match self.grown {
            Some(grown) if grown.raw > 0 => grown.raw,
            _ => self.learned_on_whole().unwrap_or(0),
        }
    }

    fn learned_on_whole(&self) -> Option<u64> {
        // A state of an earlier version does not hold it. The newest report is at least as large.
        self.whole_raw.or_else(|| self.whole.and(self.anchor).map(|anchor| anchor.raw))
    }

    /// The raw tokens of a request that would be estimated at `tokens`, starting from one of `raw` raw tokens.
    pub fn raw_for(&self, tokens: u64, raw: u64, range: SlopeRange) -> u64 {
        let now = self.estimate(raw, range).tokens;
        let slope = self.slope(range);
        let found = if tokens >= now {
            raw.saturating_add(ratio(tokens - now, slope))
        } else {
            raw.saturating_sub(ratio(now - tokens, slope) + 1)
        };
        // Below the anchor, its ratio is a second bound: see `estimate`.
        match self.anchor {
            Some(anchor) if found < anchor.raw => found.min(scale(tokens, anchor.raw, anchor.reported)),
            _ => found,
        }
    }

    /// How much too low an estimate may be, in millionths. `start` if nothing was measured yet.
    pub fn uncertainty(&self, start: u64) -> u64 {
        if self.errors.is_empty() {
            return start;
        }
        // The 95th percentile: at most one reading in twenty is above it.
        let above = self.errors.len() / 20;
        let percentile = self
            .errors
            .iter()
            .copied()
            .filter(|&error| self.errors.iter().filter(|&&other| other > error).count() <= above)
            .min();
        percentile.unwrap_or(start).clamp(BOUND_RANGE.0, BOUND_RANGE.1)
    }

    /// Learns from a report and returns whether it was believed. `counted`: `reading.raw` includes the system prompt
    /// and tools, so nothing large is missing from it. `window`: the context window, if a report above it cannot be of
    /// a single request.
    pub fn learn(&mut self, reading: UsageReading, counted: bool, range: SlopeRange, window: Option<u64>) -> bool {
        if reading.raw == 0 || reading.reported == 0 {
            return false;
        }
        if window.is_some_and(|window| reading.reported > window) {
            self.park(reading);
            return false;
        }
        if self.stands_still(reading, range) || self.is_outlier(reading, range, window) {
            return false;
        }
        if let Some(anchor) = self.anchor {
            let before = self.estimate(reading.raw, range);
            let guessed = self.scale(reading.raw, range).abs_diff(self.scale(anchor.raw, range));
            if guessed > LEAST_INCREMENT {
                self.errors.push(ratio(before.tokens.abs_diff(reading.reported), guessed).min(1_000_000));
                self.forget_old_errors();
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

    fn forget_old_errors(&mut self) {
        let surplus = self.errors.len().saturating_sub(ERRORS);
        self.errors.drain(..surplus);
    }

    fn grow(&mut self, from: UsageReading, to: UsageReading) {
        let (raw, reported) = (to.raw.saturating_sub(from.raw), to.reported.saturating_sub(from.reported));
        if raw > LEAST_INCREMENT && RATIO.contains(&ratio(reported, raw)) {
            let old = self.grown.unwrap_or_default();
            self.grown = Some(UsageReading {
                raw: old.raw - old.raw / FADE + raw,
                reported: old.reported - old.reported / FADE + reported,
            });
        }
    }

    /// Whether a server has reported the same for so long that it counts less than was sent. What was learned from such
    /// reports is dropped with them: the estimate follows the text again.
    fn stands_still(&mut self, reading: UsageReading, range: SlopeRange) -> bool {
        let own = self.scale(reading.raw, range);
        let mut standstill = self.standstill.unwrap_or_default();
        let hidden = standstill.hides(reading, own);
        let begins = !hidden && standstill.begins(self.parked.or(self.anchor), reading);
        self.standstill = Some(standstill).filter(|known| *known != Standstill::default());
        if begins {
            (self.anchor, self.reply, self.whole, self.whole_raw) = (None, None, None, None);
            self.errors.clear();
            self.doubted = self.doubted.max(1);
        }
        if hidden || begins {
            self.park(reading);
        }
        hidden || begins
    }

    fn park(&mut self, reading: UsageReading) {
        self.parked = Some(reading);
        self.doubted = (self.doubted + 1).min(DOUBTED_MOST);
    }

    /// The tokens of the parked reading if it deserves a warning: it is the first reading, or the second one in a row
    /// that was not believed. A single one can result from a compaction.
    pub fn doubtful(&self, window: u64) -> Option<u64> {
        let reported = self.parked?.reported;
        (self.anchor.is_none() || self.doubted > 1 || reported > window).then_some(reported)
    }

    fn is_outlier(&mut self, reading: UsageReading, range: SlopeRange, window: Option<u64>) -> bool {
        let estimate = self.estimate(reading.raw, range);
        let off = estimate.tokens.abs_diff(reading.reported);
        // A total over several requests grows by about one request per step, and the larger it is, the less that stands
        // out. So a reading above the estimate is compared with the size of the request alone.
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
            // Two agreeing readings refute what was believed before, including the slope.
            let key = core::mem::take(&mut self.key);
            *self = Self { key, standstill: self.standstill, ..Self::default() };
            return false;
        }
        self.park(reading);
        true
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
        self.forget_old_errors();
        archive.maybe_record("parked", &mut self.parked);
        archive.maybe_record("standstill", &mut self.standstill);
        let mut doubted = Some(self.doubted).filter(|&doubted| doubted > 1);
        archive.maybe_count("doubted", &mut doubted);
        self.doubted = if self.parked.is_some() { doubted.unwrap_or(1).clamp(1, DOUBTED_MOST) } else { 0 };
    }
}
