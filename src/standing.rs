//! What a call that had nothing to do leaves for the next one of the same chat: sums over what it sent. Where messages
//! were only appended, and again there is nothing to do, those before need not be looked at.

use crate::archive::Record;
use crate::call::Call;
use crate::engine::Committed;
use crate::error::Error;
use crate::history::History;
use crate::json::Json;
use crate::message::{combine, hash_text};
use crate::pairs;
use crate::plan::strategy::Strategy;
use crate::prelude::*;
use crate::reason::passed;
use crate::report::{Outcome, Parts};
use crate::state::{Pending, SessionState};
use crate::tokens::calibration::Calibration;
use crate::view::{self, Sums, View};
use crate::work::Work;

/// Of numbers: first history index of the input, history index after it, the chain there, the structure of the state,
/// whether the view differs from the input; then raw tokens of the view, those no edit can change, and all by parts.
pub type Standing = [u64; 14];

/// What a call that changed nothing leaves, if the next one may rely on it.
pub(crate) fn of(work: &Work<'_>, view: &View, start: u64, changed: bool) -> Option<Standing> {
    let Work { call, history, state, .. } = work;
    let end = history.end();
    let plain = usable(call)
        && call.flags.iter().all(|&flag| flag == 0)
        && !history.is_view()
        && history.diverged.is_none()
        && history.active.map_or(0, |active| active + 1) == call.state.checkpoints.len()
        && state.rewrites == call.state.rewrites
        // What lies beyond the end may hold later.
        && state.clips.iter().all(|clip| clip.up_to.count <= end)
        && [state.cleared, state.failed].iter().flatten().all(|cleared| cleared.count <= end)
        // Further instructions would belong to those at the start.
        && (start < history.first() || view::leading(history) < history.messages.len())
        && pairs::check(&history.messages).is_empty()
        && pairs::is_settled(&history.messages);
    if !plain {
        return None;
    }
    let Parts { system, tools, user, assistant, results, media, summary } = Parts::of(view, history);
    let (chain, structure) = (history.chain_at(end)?, structure(state));
    let (raw, fixed, changed) = (view.raw(), view.fixed(), u64::from(changed));
    Some([start, end, chain, structure, changed, raw, fixed, system, tools, user, assistant, results, media, summary])
}

/// The call that follows: `call` holds only the messages that are new. Nothing if something has to be done or may have
/// changed; then the call has to be made with all messages. The view is the one before with the new messages.
///
/// # Errors
/// When the call is refused.
pub fn resume(call: &Call, standing: &Standing) -> Result<Option<Committed>, Error> {
    let &[start, end, chain, known, changed, raw, fixed, system, tools, user, assistant, results, media, summary] =
        standing;
    if !usable(call) || !call.must_keep.is_empty() || call.offset != start || structure(&call.state) != known {
        return Ok(None);
    }
    let history = History::after(&call.records, end, chain, &call.state, &call.options.estimator)?;
    let mut calibration = call.state.calibration.under(&call.key());
    if let Some(reply) = &mut calibration.reply {
        if reply.at.count < end {
            return Ok(None);
        }
        reply.raw = history.reply_after(reply.at);
    }
    let window = Work::window(call, &call.state, call.soft)?;
    let mut work = Work { call, history, state: call.state.clone(), calibration, window, in_flight: None };
    let parts = Parts { system, tools, user, assistant, results, media, summary };
    let mut view = View { items: Vec::new(), before: Sums { raw, fixed, parts } };
    for input in 0..work.history.messages.len() {
        let index = end + input as u64;
        view.items.push(view::plain(&work.history, input, index, false));
    }
    let limits = work.limits(&view);
    let usage = work.usage(&view);
    if limits.squeezed || usage.tokens + usage.bound >= limits.limit || !pairs::check(&work.history.messages).is_empty()
    {
        return Ok(None);
    }
    let mut report = work.report(usage);
    report.rung = Some("pass");
    report.outcome = if changed == 1 { Outcome::Projected } else { Outcome::Unchanged };
    report.reason = passed(&usage);
    let standing = of(&work, &view, start, changed == 1);
    work.state.calibration = work.calibration.clone();
    work.state.pending = Some(Pending {
        request: report.request.clone(),
        raw: usage.raw,
        at: work.history.position(work.history.end()),
        counted: call.counted,
        key: call.key(),
    });
    Ok(Some(Committed { state: work.state, report, changed: changed == 1, view: Vec::new(), next: None, standing }))
}

/// Whether a call asks for nothing but what its messages need.
fn usable(call: &Call) -> bool {
    let options = &call.options;
    !options.seed
        && !call.now
        && call.refusal.is_none()
        && call.in_flight.is_none()
        && call.ids.is_empty()
        && options.strategy != Strategy::SlidingWindow
}

/// A hash over what of a state decides how messages are sent.
fn structure(state: &SessionState) -> u64 {
    let (calibration, learned) = (Calibration::default(), Vec::new());
    fold(0, &SessionState { calibration, learned, pending: None, ..state.clone() }.to_json())
}

fn fold(hash: u64, json: &Json) -> u64 {
    match json {
        Json::Text(text) => combine(hash, hash_text(text)),
        Json::Int(number) => combine(hash, *number as u64),
        Json::List(items) => items.iter().fold(combine(hash, items.len() as u64), fold),
        Json::Object(members) => members.iter().fold(combine(hash, members.len() as u64), |hash, (name, member)| {
            fold(combine(hash, hash_text(name)), member)
        }),
        Json::Bool(true) => combine(hash, 1),
        _ => combine(hash, 0),
    }
}
