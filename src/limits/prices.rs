//! What tokens cost, and how large a request may grow before compacting it is cheaper.
//!
//! Between two compactions, a conversation grows by `g` tokens per request from the `b` tokens that a compaction
//! leaves. Reading the growth costs `g × cachedRead` more with every request. A compaction writes `b` to the cache
//! again and may call a model. Spread over `h / g` requests, the sum of both is smallest for this headroom:
//!
//! ```text
//! h = √(2 × g × compaction / cachedRead),   compaction = b × (cacheWrite − cachedRead) + its share of a summary
//! ```
//!
//! With the usual prices (1, 0.1, 1.25) and no model, this is `√(23 × b × g)`. The minimum is flat: if the growth is
//! twice or half the assumed one, reading and compacting cost 6 % more.

use crate::base::json::{Fields, Json, misfit_of};
use crate::limits::names::Group;
use crate::tokens::family::Family;

/// The price of one token, in millionths of the host's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Input that is not cached.
    pub input: u64,
    /// Input read from the cache.
    pub cached_read: u64,
    /// Input written to the cache.
    pub cache_write: u64,
    /// Output.
    pub output: u64,
}

/// The size of the conversation after the cheapest compaction, in tokens. With less, content that is needed next is
/// missing: `npm run bench -- bill` prints the recall next to the cost.
const BASE: u64 = 7_000;
/// The growth of a conversation per request, in tokens: the mean of the recorded sessions of coding agents and customer
/// service.
const GROWTH: u64 = 700;
/// One in this many compactions calls a model, if they can. The others clear.
const ASKED: u64 = 3;
/// The tokens of a summary that a model writes.
const SUMMARY: u64 = 1_000;
/// The highest price, in the host's unit.
const MOST: i64 = 1_000_000;

/// `tune.prices`.
pub const GROUP: Group = Group { names: &NAMES, example: "{ input: 3, output: 15 }" };

const NAMES: [&str; 4] = ["input", "cachedRead", "cacheWrite", "output"];

impl Prices {
    /// Parses `tune.prices`. Returns `None` without them. A missing price is derived from the usual ratios of the
    /// family.
    pub(crate) fn parse(tune: Fields<'_>, family: Option<Family>) -> Option<Self> {
        if tune.raw("prices").is_null() {
            return None;
        }
        let prices = GROUP.inside(tune, "prices", "tune.prices");
        let usual = usual(family);
        let input = price(prices, "input").unwrap_or(usual[0]);
        let [cached_read, cache_write, output] = [1, 2, 3].map(|at| {
            let proportional = u128::from(input) * u128::from(usual[at]) / u128::from(usual[0]);
            price(prices, NAMES[at]).unwrap_or_else(|| u64::try_from(proportional).unwrap_or(u64::MAX))
        });
        Some(Self { input, cached_read, cache_write, output })
    }

    /// The size of the conversation above which a compaction saves money, in tokens. `None` if reading costs nothing.
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
        // If writing is as cheap as reading, a compaction is free, but what it loses must still be worth it.
        let headroom = u64::try_from(squared.isqrt()).unwrap_or(u64::MAX).max(BASE / 2);
        Some(headroom.saturating_add(BASE))
    }

    /// The cost of a request with `cached` of its `tokens` in the cache, in the host's unit.
    pub fn request(self, tokens: u64, cached: u64) -> u64 {
        let cached = cached.min(tokens);
        let cost = u128::from(cached) * u128::from(self.cached_read)
            + u128::from(tokens - cached) * u128::from(self.cache_write);
        u64::try_from(cost / 1_000_000).unwrap_or(u64::MAX)
    }
}

/// The prices of input, cached input, cache writes and output, in millionths: the ratios in the providers' price lists
/// of 2026 for their newest models.
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
    let in_range = |given: &Json| given.millionths().filter(|price| (0..=MOST * 1_000_000).contains(price));
    let price = in_range(given);
    if price.is_none() {
        let path = format!("tune.prices.{name}");
        let expected = "a price for a token from 0 to 1,000,000, in any unit (0.3, or 0.0000003)";
        prices.faults.note(misfit_of(prices.code, &path, expected, given, &|given| in_range(given).is_some()));
    }
    price.and_then(|price| u64::try_from(price).ok())
}
