//! Which old results become placeholders, and what that gains: what the rungs that clear have in common.

use crate::ladder::protection::{self, Hold};
use crate::ladder::{Scene, strategies};
use crate::model::message::{Part, PartKind, Role};
use crate::session::edits;
use crate::session::reach::LEAST_CLEARED;
use crate::session::view::Slot;

/// What a clear takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clearing {
    /// Only results of calls that failed.
    pub failed: bool,
    /// Only those of tools that are cleared first.
    pub first: bool,
    /// No more is taken once so many raw tokens are gained.
    pub enough: Option<u64>,
    /// So many of the newest results stay.
    pub stay: usize,
}

/// Clearing old results before the tail, with the inputs of their calls, the oldest first: up to which history index, and
/// what it gains.
pub fn clearing(scene: &Scene<'_>, Clearing { failed, first, enough, stay }: Clearing) -> Option<(u64, u64)> {
    let tail = strategies::tail::tail_start(scene);
    let tail = scene.kept_from.map_or(tail, |kept| tail.min(kept));
    // What the model has not answered yet it has not seen.
    let seen = (0..scene.history.messages.len())
        .rev()
        .find(|&input| scene.history.messages[input].role() == Role::Assistant)?;
    let before =
        scene.history.index_of(tail.min(scene.cuts.start_of(seen.checked_sub(scene.lead())?) + scene.lead()))?;
    // Of what is covered no position inside is known where a view was given back: what is kept of it is cleared as a whole.
    let covered = scene.covered();
    if scene.history.index_of(seen)? < covered {
        return None;
    }
    let before = before.min(from_newest_result(scene, stay)).max(covered);
    let old = scene.history.old();
    let firsts = if first { protection::first(scene) } else { Vec::new() };
    if first && firsts.is_empty() {
        return None;
    }
    let (mut gained, mut end) = (0, 0);
    for item in scene.view.items.iter().filter(|item| !item.fixed) {
        let Slot::Host { input, index } = item.slot else { continue };
        if index >= before || index >= end && enough.is_some_and(|enough| gained >= enough) {
            continue;
        }
        if scene.hold(input) > Hold::Free || first && !firsts[input] {
            continue;
        }
        let message = item.digest().unwrap_or(scene.history.messages[input]);
        // A call's input goes with its result: a group is cleared as a whole.
        end = group_end(scene, input).unwrap_or(before).max(covered).min(before);
        // Media that people attached stay as long as their turn is the active one.
        let goes = |part: &Part| {
            edits::clearable(part, &message)
                && match part.kind {
                    PartKind::Call => !failed,
                    _ if failed => edits::is_of_failed(part, &message),
                    _ => index < old || edits::is_of_result(part, &message),
                }
        };
        for part in message.parts().filter(goes) {
            let tokens = u64::from(part.tokens);
            // Only results leave names behind.
            let cost = match part.kind {
                PartKind::Result => edits::cleared_tokens(tokens),
                PartKind::Call => edits::cleared_input_tokens(tokens),
                _ => LEAST_CLEARED,
            };
            gained += tokens.saturating_sub(cost);
        }
    }
    (gained > 0).then_some((end, gained))
}

/// The history index behind the group of a message, none at the end of the history. What is kept of the past ends where
/// the past does.
fn group_end(scene: &Scene<'_>, input: usize) -> Option<u64> {
    let lead = scene.lead();
    if input < lead { Some(scene.covered()) } else { scene.history.index_of(scene.cuts.end_of(input - lead) + lead) }
}

/// The history index of the group that holds the oldest of the newest `stay` messages with results; the end without one.
fn from_newest_result(scene: &Scene<'_>, stay: usize) -> u64 {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    // Of what is sent and not covered: what is covered need not be loaded, and of a view no groups are known.
    let covered = scene.covered();
    let results = scene.view.items.iter().rev().filter_map(|item| match item.slot {
        Slot::Host { input, index } if input >= lead && index >= covered && messages[input].has(PartKind::Result) => {
            Some(input)
        }
        _ => None,
    });
    let oldest = results.take(stay).last();
    oldest
        .and_then(|input| scene.history.index_of(scene.cuts.start_of(input - lead) + lead))
        .unwrap_or_else(|| scene.history.end())
}
