//! `last-tool-batch`: keeps the request of the active turn, and everything from the newest batch of calls made for it
//! on. The rest is summarized.

use crate::ladder::Scene;
use crate::model::message::PartKind;

/// The first message of the last uncovered batch of calls in the active turn. Without one, the newest group.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    let messages = &scene.history.messages;
    let turn = scene.active_user().map_or(0, |turn| turn + 1);
    let from = turn.max(scene.history.input_of(scene.covered()).unwrap_or(0)).max(scene.lead());
    let batch = (from..messages.len()).rev().find(|&input| messages[input].has(PartKind::Call));
    batch.map_or(scene.newest(), |batch| batch.min(scene.newest()))
}
