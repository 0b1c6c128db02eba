//! `full`: the whole past is summarized. What the model has not seen yet stays: the newest message, with the group it
//! belongs to, and every pending call.

use crate::ladder::Scene;

/// The first message that stays.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    scene.newest()
}
