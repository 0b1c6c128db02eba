//! `sliding-window`: compacts at a number of messages, whatever their size, and keeps the newest 30 % of that number.

use crate::ladder::Scene;

/// The number of messages since the last compaction at which it starts a new one.
const FIRES_AT: usize = 20;
/// The number of messages to keep: 30 % of [`FIRES_AT`].
const KEEPS: usize = 6;

/// Whether there are enough messages since the last compaction.
pub fn fires(scene: &Scene<'_>) -> bool {
    scene.history.end() - scene.covered() > FIRES_AT as u64
}

/// The first message that stays. Fewer messages stay if the request is too large.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    let count = scene.history.messages.len();
    let wanted = count.saturating_sub(KEEPS);
    let by_size =
        if scene.fits(scene.view.raw()) { wanted } else { crate::ladder::strategies::tail::tail_start(scene) };
    wanted.max(by_size).min(scene.newest())
}
