//! The sizes of the preset: its buffer, its threshold, and how it counts.

use crate::base::millionths;
use crate::engine::presets::contextguard::text::word_limit;
use crate::session::state::ContextguardState;

/// Windows of this size or more have a fixed buffer.
const LARGE_WINDOW: u64 = 200_000;
const LARGE_BUFFER: u64 = 20_000;

/// The buffer of a window: fixed for large windows, a fifth of smaller ones.
pub const fn buffer(window: u64) -> u64 {
    if window >= LARGE_WINDOW { LARGE_BUFFER } else { window / 5 }
}

/// The most tokens of a summary: half of the buffer.
pub const fn summary_tokens(window: u64) -> u64 {
    buffer(window) / 2
}

/// The calibrated count. Until a provider reports usage, it is `trunc(raw × 2.5)`. Then it is `raw` times the last
/// ratio of reported to estimated tokens, which is limited to between 1 and 5, and never less than the reported tokens.
pub fn token_count(raw: u64, known: ContextguardState) -> u64 {
    let ContextguardState { real, last } = known;
    if real == 0 {
        return raw * 5 / 2;
    }
    let corrected = match last {
        0 => raw * 5 / 2,
        last if real < last => raw,
        last if real > last * 5 => raw * 5,
        last => millionths::scale(raw, real, last),
    };
    corrected.max(real)
}

/// The preset's limits for a window, for documentation and tests: buffer, threshold, and the tokens and words of a
/// summary.
pub const fn limits(window: u64) -> [u64; 4] {
    let most = summary_tokens(window);
    [buffer(window), window - buffer(window), most, word_limit(most)]
}
