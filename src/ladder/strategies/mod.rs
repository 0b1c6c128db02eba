//! When to compact although nothing is too large, and what to keep when compacting. One strategy a file.

mod full;
mod last_tool_batch;
mod sliding_window;
pub(super) mod tail;

use crate::ladder::Scene;
use crate::limits::strategy::Strategy;

/// Whether the strategy compacts although the request fits.
pub fn fires(scene: &Scene<'_>) -> bool {
    match scene.options.strategy {
        Strategy::Tail | Strategy::Full | Strategy::LastToolBatch => false,
        Strategy::SlidingWindow => sliding_window::fires(scene),
    }
}

/// The message (as an input index) from which on the strategy would like to keep everything. The ladder moves it to a
/// legal cut.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    match scene.options.strategy {
        Strategy::Tail => tail::tail_start(scene),
        Strategy::Full => full::tail_start(scene),
        Strategy::SlidingWindow => sliding_window::tail_start(scene),
        Strategy::LastToolBatch => last_tool_batch::tail_start(scene),
    }
}
