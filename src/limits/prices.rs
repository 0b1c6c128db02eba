//! What tokens cost, and how large a request may grow before it is cheaper to compact it.
//!
//! Between two compactions a conversation grows from what a compaction leaves, `b`, by `g` tokens a request. Reading what
//! was added costs `g × cachedRead` more with each request; a compaction writes `b` anew, and may ask a model. Over
//! `h / g` requests both come to the least for a headroom of
//!
//! ```text
//! h = √(2 × g × compaction / cachedRead),   compaction = b × (cacheWrite − cachedRead) + its share of a summary
//! ```
//!
//! With the usual prices (1, 0.1, 1.25) and no model that is `√(23 × b × g)`. The minimum is flat: a growth of twice or
//! half as much costs six in a hundred more of what is paid for reading and compacting.

use crate::base::error::Code;
use crate::base::json::{Fields, misfit};
use crate::limits::names::known;
use crate::tokens::family::Family;

/// What one token costs, in millionths of the host's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Read by a model without a cache.
    pub input: u64,
    /// Read again from the cache.
    pub cached_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
    /// Written by the model.
    pub output: u64,
}

/// What a compaction leaves of the conversation for as little as it can cost: with less, what is needed next is missing
/// (`npm run bench -- bill` shows the recall beside the cost).
const BASE: u64 = 8_000;
/// What a conversation grows by with each request: the mean of the recorded sessions of coding agents and customer service.
const GROWTH: u64 = 700;
/// Of compactions that can ask a model one in so many does: the others clear.
const ASKED: u64 = 3;
/// What a model writes for a summary.
const SUMMARY: u64 = 1_000;
/// A price is at most this, in the host's unit.
const MOST: i64 = 1_000_000;

const NAMES: [&str; 4] = ["input", "cachedRead", "cacheWrite", "output"];

impl Prices {
    /// Reads `tune.prices`; none if there are none. What is not named is in the proportion that is usual for the family.
    pub(crate) fn parse(tune: Fields<'_>, family: Option<Family>) -> Option<Self> {
        if tune.raw("prices").is_null() {
            return None;
        }
        let prices = Fields::of(tune.raw("prices"), "tune.prices", Code::InvalidOption, tune.faults);
        known(prices, &NAMES);
        let usual = usual(family);
        let input = price(prices, "input").unwrap_or(usual[0]);
        let [cached_read, cache_write, output] = [1, 2, 3].map(|at| {
            let proportional = u128::from(input) * u128::from(usual[at]) / u128::from(usual[0]);
            price(prices, NAMES[at]).unwrap_or_else(|| u64::try_from(proportional).unwrap_or(u64::MAX))
        });
        Some(Self { input, cached_read, cache_write, output })
    }

    /// Tokens that the conversation may take before a compaction pays; none if reading costs nothing.
    pub fn room(self, summarizes: bool) -> Option<u64> {
        if self.cached_read == 0 {
            return None;
        }
        let wide = u128::from;
        let mut compaction = wide(BASE) * wide(self.cache_write.saturating_sub(self.cached_read));
        if summarizes {
            compaction += (wide(BASE) * wide(self.input) + wide(SUMMARY) * wide(self.output)) / wide(ASKED);
        }
        let squared = 2 * wide(GROWTH) * compaction / wide(self.cached_read);
        // Where writing is as cheap as reading a compaction costs nothing, but it still has to be worth its loss.
        let headroom = u64::try_from(squared.isqrt()).unwrap_or(u64::MAX).max(BASE / 2);
        Some(headroom.saturating_add(BASE))
    }

    /// What a request costs of which so many tokens are in the cache, in the host's unit.
    pub fn request(self, tokens: u64, cached: u64) -> u64 {
        let cached = cached.min(tokens);
        let cost = u128::from(cached) * u128::from(self.cached_read)
            + u128::from(tokens - cached) * u128::from(self.cache_write);
        u64::try_from(cost / 1_000_000).unwrap_or(u64::MAX)
    }
}

/// Input, cached reading, writing to the cache and output, in millionths: the proportions on the providers' price lists of
/// 2026 for their newest models.
const fn usual(family: Option<Family>) -> [u64; 4] {
    match family {
        Some(Family::O200k | Family::Cl100k | Family::Gemini) => [1_000_000, 100_000, 1_000_000, 8_000_000],
        Some(Family::Claude) | None => [1_000_000, 100_000, 1_250_000, 5_000_000],
    }
}

fn price(prices: Fields<'_>, name: &'static str) -> Option<u64> {
    let given = prices.raw(name);
    if given.is_null() {
        return None;
    }
    let price = given.millionths().filter(|price| (0..=MOST * 1_000_000).contains(price));
    if price.is_none() {
        let path = format!("tune.prices.{name}");
        let expected = "a price for a token from 0 to 1,000,000, in any unit (0.3, or 0.0000003)";
        prices.faults.note(misfit(prices.code, &path, expected, given));
    }
    price.and_then(|price| u64::try_from(price).ok())
}
