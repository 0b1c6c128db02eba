//! `full`: summarizes the whole past. What the model has not seen yet stays: the newest message with its group, and
//! pending calls.

use crate::ladder::Scene;

/// The first message that stays.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    scene.newest()
}
