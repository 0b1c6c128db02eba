//! What a call demands of reasoning, and what its state knows of what was sent.

use crate::call::input::Call;
use crate::limits::thinking::{self, Demands, Source};
use crate::limits::thinking_refusal::Complaint;
use crate::session::history::History;
use crate::session::prefixes::Sent;
use crate::session::sent::{Mark, Stale};
use crate::session::state::SessionState;

/// What the provider demands of reasoning, and how that is known: from a refusal, from the host, from the model's id.
pub(crate) fn demands(call: &Call, state: &SessionState) -> (Demands, Source) {
    let table = call.model.as_deref().and_then(thinking::of_model);
    let usual = table.unwrap_or_else(|| thinking::of_unknown(call.may_be_bound));
    match (state.learned(&call.key()).thinking, call.options.wishes.binds_thinking) {
        (Some(Complaint::Bound | Complaint::Invalid), _) => {
            (Demands { bound: true, round: false, ..usual }, Source::Learned)
        }
        (Some(Complaint::Missing), _) => (Demands { bound: false, round: true, ..usual }, Source::Learned),
        (Some(Complaint::MissingBesideCalls), _) => (Demands { beside_calls: true, ..usual }, Source::Learned),
        (None, Some(bound)) => {
            let beside_calls = usual.beside_calls && table.is_some();
            (Demands { bound, beside_calls, ..usual }, Source::Host)
        }
        (None, None) => (usual, if table.is_some() { Source::Model } else { Source::Default }),
    }
}

/// The history index before which stale reasoning is left out, if any is.
pub(crate) fn binds_before(call: &Call, history: &History<'_>, demands: Demands) -> Option<u64> {
    binds(call, demands)?;
    let turn = history.active_user().filter(|_| demands.round).and_then(|input| history.index_of(input));
    Some(turn.unwrap_or(u64::MAX))
}

/// What is known of that before the history is placed: everything, unless it ends where the open round begins.
pub(crate) fn binds_all(call: &Call, demands: Demands) -> Option<u64> {
    binds(call, demands).filter(|()| !demands.round).map(|()| u64::MAX)
}

fn binds(call: &Call, demands: Demands) -> Option<()> {
    (demands.bound && call.leaves_out && call.options.preset.is_none()).then_some(())
}

/// Whether the system prompt or the tools are others than those of the request before.
pub(crate) fn is_another_request(call: &Call, state: &SessionState) -> bool {
    let sent = state.sent.as_ref().map_or([None; 2], |sent| sent.beside);
    sent.iter()
        .zip(&call.beside_hashes)
        .any(|(before, now)| before.zip(*now).is_some_and(|(before, now)| before != now))
}

/// The hashes of the system prompt and of the tools; those of the request before where this one does not name them.
pub(crate) fn beside(call: &Call, before: [Option<u64>; 2]) -> [Option<u64>; 2] {
    let [system, tools] = call.beside_hashes;
    [system.or(before[0]), tools.or(before[1])]
}

/// What is remembered of what was sent.
pub(crate) fn known(state: &SessionState) -> Option<Vec<Mark>> {
    let sent = state.sent.as_ref()?;
    let mut marks = sent.marks.clone();
    marks.extend(last(state));
    Some(marks)
}

/// The end of the request that was sent last.
pub(crate) fn last(state: &SessionState) -> Option<Mark> {
    let pending = state.pending.as_ref().and_then(|pending| Some(Mark { at: pending.at?.count, hash: pending.sent? }));
    pending.or_else(|| state.sent.as_ref().and_then(|sent| sent.end))
}

/// What a call begins with, as far as reasoning is bound to it.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    /// The reasoning that was left out before.
    pub(crate) stale: Vec<Stale>,
    pub(crate) sent: Sent,
}
