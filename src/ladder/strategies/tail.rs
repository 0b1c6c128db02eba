//! `tail`: keeps the newest groups verbatim, as many as fit into their share of the room, and at least the newest one.

use crate::ladder::Scene;
use crate::limits::budget::share;

/// The first message of the tail.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    let budget = scene.raw(share(scene.limits.room, scene.options.shares.tail));
    let lead = scene.lead();
    let mut start = scene.newest();
    let mut kept: u64 = (start..scene.history.messages.len()).map(|input| scene.tokens(input)).sum();
    while start > lead {
        let group = scene.cuts.start_of(start - 1 - lead) + lead;
        kept += (group..start).map(|input| scene.tokens(input)).sum::<u64>();
        if kept > budget {
            break;
        }
        start = group;
    }
    start
}
