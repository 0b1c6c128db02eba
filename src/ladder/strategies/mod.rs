//! Strategies decide when to compact although the request fits, and what to keep. Each strategy is a file.

mod full;
mod last_tool_batch;
mod sliding_window;
pub(super) mod tail;

use crate::ladder::Scene;
use crate::limits::strategy::Strategy;

/// Whether the strategy compacts although the request fits. It does once for each request: what it could not cover then,
/// it covers when more has come, so that the same request again is the same view.
pub fn fires(scene: &Scene<'_>) -> bool {
    let end = scene.history.position(scene.history.end());
    counts(scene) && (end.is_none() || scene.state.fired != end)
}

/// Whether there are enough messages for the strategy to compact.
pub fn counts(scene: &Scene<'_>) -> bool {
    let most = scene.options.wishes.fires_at();
    if most.is_some_and(|most| scene.history.end() - scene.covered() > most) {
        return true;
    }
    match scene.options.strategy {
        Strategy::Tail | Strategy::Full | Strategy::LastToolBatch => false,
        Strategy::SlidingWindow => sliding_window::fires(scene),
    }
}

/// The input index from which on the strategy suggests to keep everything. The ladder moves it to a legal cut.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    let start = of_strategy(scene);
    let count = scene.history.messages.len();
    let most = scene.options.wishes.most_messages().and_then(|most| usize::try_from(most).ok());
    let start = most.map_or(start, |most| start.max(count.saturating_sub(most)).min(scene.newest()));
    scene.kept_from.map_or(start, |kept| start.min(kept))
}

fn of_strategy(scene: &Scene<'_>) -> usize {
    match scene.options.strategy {
        Strategy::Tail => tail::tail_start(scene),
        Strategy::Full => full::tail_start(scene),
        Strategy::SlidingWindow => sliding_window::tail_start(scene),
        Strategy::LastToolBatch => last_tool_batch::tail_start(scene),
    }
}
