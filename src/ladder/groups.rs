//! Which messages belong together, and the newest that a host wants kept.

use crate::ladder::Scene;
use crate::limits::wishes::Keep;
use crate::model::message::PartKind;
use std::ops::Range;

/// The first of the newest turns and messages to keep.
pub(crate) fn kept_from(scene: &Scene<'_>, keep: Keep) -> usize {
    let (lead, count) = (scene.lead(), scene.history.messages.len());
    let newest = |kept: u64| usize::try_from(kept).unwrap_or(usize::MAX);
    let mut typed = (lead..count).rev().filter(|&input| scene.history.is_typed(input));
    let of_turns = match newest(keep.turns.unwrap_or(0)) {
        0 => count,
        turns => typed.nth(turns - 1).unwrap_or(lead),
    };
    of_turns.min(count.saturating_sub(newest(keep.messages.unwrap_or(0)))).max(lead)
}

/// The messages that stay with a result or a call: its group. In a view that was passed as history, groups are unknown, so
/// these are the adjacent calls, with what was thought before them, and the results behind them.
pub(crate) fn group(scene: &Scene<'_>, input: usize) -> Range<usize> {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    if let Some(at) = input.checked_sub(lead) {
        return scene.cuts.start_of(at) + lead..scene.cuts.end_of(at) + lead;
    }
    let has = |at: usize, kind| messages[at].has(kind);
    let answers = |at: usize| has(at, PartKind::Result) && !has(at, PartKind::Call);
    let calls = |at: usize| has(at, PartKind::Call);
    let mut from = input;
    while from > 0 && answers(from) {
        from -= 1;
    }
    // A format may have a message for each call.
    while from > 0 && !has(from - 1, PartKind::Result) && (calls(from - 1) || has(from - 1, PartKind::Reasoning)) {
        from -= 1;
    }
    let mut end = input + 1;
    while end < lead && !answers(end - 1) && calls(end) && !has(end, PartKind::Result) {
        end += 1;
    }
    while end < lead && answers(end) {
        end += 1;
    }
    from..end
}
