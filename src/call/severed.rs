//! Results whose calls are covered. No cut is made between the two, but a host may put a result there afterwards, of a call
//! that was given up when the cut was made. In its history it has a call, in the view it has none.

use crate::ingest::pairs::{MessageRule, Violation};
use crate::session::history::History;
use crate::session::state::SessionState;

/// What providers would refuse in the view though not in the history, in the order of the messages.
pub(crate) fn severed(history: &History<'_>, state: &SessionState) -> Vec<Violation> {
    let Some(active) = history.active.filter(|_| !history.is_view()) else { return Vec::new() };
    let Some(first) = history.input_of(state.checkpoints[active].covers.count) else { return Vec::new() };
    let pairing = history.pairing();
    let behind = pairing.results.partition_point(|result| result.message < first);
    let is_covered = |call: usize| pairing.calls[call].message < first && !pairing.calls[call].executed;
    // One that comes too late for its call is a fault of the history as well.
    let lost = pairing.results[behind..].iter().filter(|result| !result.late && result.call.is_some_and(is_covered));
    let violation = |part, index, subject| Violation { rule: MessageRule::OrphanResult, index, part, subject };
    lost.map(|lost| violation(lost.part, lost.message, lost.id)).collect()
}
