//! Selects old results to clear, and computes what that saves. Shared by the rungs that clear.
//!
//! Results of tools that are unknown or no longer declared are not cleared before others. A call of a tool that does
//! not exist is answered by an error, and counts as failed wherever the format says so. The result of a tool that is
//! no longer declared cannot be had again, so it should go last rather than first. And what is cleared would change
//! with `tools`, while edits are fixed when they are made.
//!
//! The gain of an edit is estimated when it is proposed, and what was cleared before counts for nothing. Without a
//! summarizer it counts again on purpose: clears reach less far then and come more often, and more of what is used
//! next can be read than in a digest (95 % instead of 94 % in recorded sessions, `node benches/recall.mjs`).

use crate::ladder::hold::Hold;
use crate::ladder::protection;
use crate::ladder::{Scene, strategies};
use crate::model::message::{Part, PartKind, Role};
use crate::session::edits::{call_input, eligibility, placeholder};
use crate::session::lasting::Lasting;
use crate::session::reach::LEAST_CLEARED;
use crate::session::view::Slot;

/// What to clear.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clearing {
    /// Whether to clear only results of failed calls.
    pub failed: bool,
    /// Whether to clear only results of tools that are cleared first.
    pub first: bool,
    /// The raw tokens to save. Nothing more is cleared once they are saved.
    pub enough: Option<u64>,
    /// How many of the newest results to keep.
    pub stay: usize,
}

/// Plans to clear old results before the tail and the arguments of their calls, the oldest first. Returns the history
/// index up to which to clear, and the raw tokens that this saves.
pub fn clearing(scene: &Scene<'_>, Clearing { failed, first, enough, stay }: Clearing) -> Option<(u64, u64)> {
    let tail = strategies::tail::tail_start(scene);
    let tail = scene.kept_from.map_or(tail, |kept| tail.min(kept));
    // The model has not seen anything after its last message.
    let seen = (0..scene.history.messages.len())
        .rev()
        .find(|&input| scene.history.messages[input].role() == Role::Assistant)?;
    let before =
        scene.history.index_of(tail.min(scene.cuts.start_of(seen.checked_sub(scene.lead())?) + scene.lead()))?;
    // In a view that was passed as history, positions inside the covered part are unknown. So kept messages are cleared
    // all together.
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
    let done = Lasting::of(scene.history, scene.state);
    let (mut gained, mut end) = (0, 0);
    for item in scene.view.items.iter().filter(|item| !item.fixed) {
        let Slot::Host { input, index } = item.slot else { continue };
        if index >= before || index >= end && enough.is_some_and(|enough| gained >= enough) {
            continue;
        }
        if scene.hold(input) > Hold::Free || first && !firsts[input] {
            continue;
        }
        let message = item.record().unwrap_or(scene.history.messages[input]);
        // The arguments of a call are cleared with its result: a group is cleared as a whole.
        end = group_end(scene, input).unwrap_or(before).max(covered).min(before);
        // Nothing more is gained from what was cleared already. Without a summarizer it is counted again on purpose (see
        // above).
        let spared = scene.state.spared.binary_search(&index).is_ok();
        let is_done = |part: &Part| {
            scene.options.summarize
                && !spared
                && match part.kind {
                    PartKind::Call => index < done.inputs,
                    PartKind::Result => index < done.cleared || index < done.failed && part.marked,
                    _ => false,
                }
        };
        // Media that people attached are kept during their turn.
        let is_cleared = |part: &Part| {
            eligibility::clearable(part, &message, message.is_signed())
                && !is_done(part)
                && match part.kind {
                    PartKind::Call => !failed,
                    _ if failed => eligibility::is_of_failed(part, &message),
                    _ => index < old || eligibility::is_of_result(part, &message),
                }
        };
        for part in message.parts().filter(is_cleared) {
            let tokens = u64::from(part.tokens);
            // Only results keep names.
            let cost = match part.kind {
                PartKind::Result => placeholder::cleared_tokens(tokens),
                PartKind::Call => call_input::cleared_tokens(tokens),
                _ => LEAST_CLEARED,
            };
            gained += tokens.saturating_sub(cost);
        }
    }
    (gained > 0).then_some((end, gained))
}

/// The history index after the group of a message, or `None` at the end of the history. For kept messages, it is the
/// end of the covered part.
fn group_end(scene: &Scene<'_>, input: usize) -> Option<u64> {
    let lead = scene.lead();
    if input < lead { Some(scene.covered()) } else { scene.history.index_of(scene.cuts.end_of(input - lead) + lead) }
}

/// The history index of the group with the oldest of the newest `stay` messages with results, or the end of the
/// history.
fn from_newest_result(scene: &Scene<'_>, stay: usize) -> u64 {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    // Covered messages do not count, because they may not be loaded, and their groups are unknown in a view.
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
