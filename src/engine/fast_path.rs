//! What a call with nothing to do leaves for the next call of the same chat: sums over what it sent. If messages were
//! only appended and there is again nothing to do, the earlier ones need not be read.
//!
//! [`resume`] gives up, and the call is made with all messages, if anything else is asked for (pins, literals, a
//! refusal, a compaction by hand, `sliding-window`), the state decides otherwise, a call waits for its result, or a
//! message breaks a rule. [`repeat`] also steps aside for a reply that is counted as reported, for copies that were
//! sent, and for anything to report.

use crate::base::archive::Record;
use crate::base::error::Error;
use crate::base::json::Json;
use crate::call::committed::Committed;
use crate::call::context::{Work, request_id};
use crate::call::input::Call;
use crate::call::measure::Measure;
use crate::call::repair;
use crate::call::result_rules;
use crate::call::standing::{Measures, Standing};
use crate::call::thinking;
use crate::ingest::pairs::{self, Cuts};
use crate::ladder::RungId;
use crate::limits::strategy::Strategy;
use crate::model::message::{Part, PartKind, Position, combine, hash_text};
use crate::report::reasons::passed;
use crate::report::{Outcome, Report, Usage};
use crate::session::history::History;
use crate::session::lasting;
use crate::session::prefixes;
use crate::session::sent::{self, Mark, SentPrefixes};
use crate::session::state::SessionState;
use crate::session::view::{self, Sums, View};
use crate::tokens::SlopeRange;
use crate::tokens::calibration::Calibration;

/// What a call knows that relies on the one before.
pub(crate) struct Resumed<'a> {
    /// What that call left.
    before: &'a Standing,
    /// The hash of all messages as they are sent, where reasoning may be bound to it.
    sent: Option<u64>,
}

/// Returns what a call that changed nothing leaves, if the next call may rely on it. `known`: if this call relied on the
/// one before.
pub(crate) fn of(
    work: &Work<'_>,
    view: &View,
    start: u64,
    changed: bool,
    known: Option<&Resumed<'_>>,
) -> Option<Standing> {
    let Work { call, history, state, .. } = work;
    let end = history.end();
    let plain = usable(call)
        && call.flags.iter().all(|&flag| flag == 0)
        && !history.is_view()
        && history.diverged.is_none()
        && history.active.map_or(0, |active| active + 1) == call.state.checkpoints.len()
        && state.rewrites == call.state.rewrites
        // Positions beyond the end may hold later.
        && state.clips.iter().all(|clip| clip.up_to.count <= end)
        && [state.cleared, state.failed, state.thoughts].iter().flatten().all(|cleared| cleared.count <= end)
        && !lasting::waits(history, state)
        // Further instructions would belong to those at the start.
        && (start < history.first() || view::leading(history) < history.messages.len())
        && work.faults.is_empty()
        && (start < history.first() || repair::assistant_first(work.call, &work.history).is_none())
        && history.compaction.is_none()
        // What is left out of an open round changes with the turn.
        && history.binds_before.is_none_or(|before| before == u64::MAX)
        && history.pairing().is_settled();
    if !plain {
        return None;
    }
    let Measure { calibration, range, window, beside, system, tools } = work.measure();
    // Nothing else in the call or state affects messages that are appended.
    let again = calibration.reply.is_none()
        && calibration.anchor.is_none_or(|anchor| anchor.reported > 0)
        && calibration.parked.is_none()
        && !state.unread
        && state.rewrites.is_empty()
        && call.options.prices.is_none()
        && !call.options.estimator.charges_result_name()
        && call.must_keep.is_empty()
        && call.uncounted_tools + call.unreadable == 0
        && call.options.tools.uncut().is_none()
        && !call.counter_failed;
    let measures = Measures {
        window,
        slope: calibration.slope(range),
        uncertainty: calibration.uncertainty(range.bound),
        anchor: calibration.anchor,
        beside,
        system,
        tools,
        revision: state.revision,
        // If nothing was learned, no text can differ from what was learned on.
        learned_on: if calibration.learned() { calibration.learned_on() } else { u64::MAX },
    };
    Some(Standing {
        start,
        end: history.position(end)?,
        structure: known.map_or_else(|| structure(call, state), |known| known.before.structure),
        changed,
        saved: known.map_or_else(|| work.saved_raw(view), |known| known.before.saved),
        sums: sums(view, history),
        sent: match known {
            Some(known) => known.sent,
            None => work.prefixes(view).map(|prefixes| prefixes.end().hash),
        },
        measures: again.then_some(measures),
    })
}

/// The sums of a view, to which those of new messages are added.
fn sums(view: &View, history: &History<'_>) -> Sums {
    Sums { raw: view.raw(), fixed: view.fixed(), parts: view.breakdown(history) }
}

/// The result of [`repeat`].
#[derive(Clone, Debug)]
pub struct Passed {
    /// How full the window is.
    pub usage: Usage,
    /// The end of the history.
    pub at: Position,
    /// Whether earlier compactions were applied.
    pub outcome: Outcome,
    /// The hash of everything that is sent, where reasoning may be bound to it.
    pub sent: Option<u64>,
    /// The id of the request.
    pub request: String,
    /// The reason, as a sentence.
    pub reason: String,
    /// The estimated tokens that compactions keep out of the request.
    pub saved: u64,
    /// What the next call may rely on.
    pub standing: Standing,
}

/// [`resume`] for a call whose state and other input are the same as those of the call that left `standing`: only sums
/// are added. The result is the same as that of `resume`: the state with another `pending`, and the report with other
/// numbers.
///
/// # Errors
///
/// If records are malformed.
pub fn repeat(records: &[u32], standing: &Standing) -> Result<Option<Passed>, Error> {
    let Some(Measures { window, slope, uncertainty, anchor, beside, system, tools, revision, learned_on }) =
        standing.measures
    else {
        return Ok(None);
    };
    let history = History::after(records, standing.end.count, standing.end.chain, &SessionState::default(), None)?;
    let view = added(&history, standing);
    let measure = Measure {
        calibration: &Calibration { anchor, whole: Some(slope), whole_raw: Some(learned_on), ..Calibration::default() },
        range: SlopeRange { least: slope, start: slope, most: slope, bound: uncertainty },
        window,
        beside,
        system,
        tools,
    };
    let usage = measure.usage(&view, &history);
    if measure.window.is_tight(measure.fixed(&view))
        || usage.tokens + usage.bound >= measure.window.trigger
        || !pairs::violations(&history.messages, history.pairing()).is_empty()
        || !history.pairing().is_settled()
    {
        return Ok(None);
    }
    let Some(at) = history.position(history.end()) else { return Ok(None) };
    // Of messages with signed reasoning more has to be remembered.
    if standing.sent.is_some() && history.messages.iter().any(sent::has_signed) {
        return Ok(None);
    }
    let sent = standing.sent.map(|sent| prefixes::append(&mut Vec::new(), &history, sent));
    let next = Standing { end: at, sums: sums(&view, &history), sent, ..*standing };
    let (request, reason) = (request_id(revision, at), passed(&usage));
    let saved = measure.calibration.scale(standing.saved, measure.range);
    Ok(Some(Passed { usage, at, outcome: outcome(next.changed), sent, request, reason, saved, standing: next }))
}

/// The report of the next call that [`repeat`] is enough for, whose outcome, reason, request and numbers stand in place of
/// these. `None` if none will be. `report`: the one of the call that left `standing`.
pub fn template(standing: &Standing, report: &Report) -> Option<Report> {
    standing.measures.map(|_| Report {
        rung: Some(RungId::Pass.as_str()),
        before: report.before,
        after: report.after,
        keep_from: report.keep_from,
        thinking: report.thinking.clone(),
        provider: report.provider,
        ..Report::default()
    })
}

/// The previous view with the new messages.
fn added(history: &History<'_>, standing: &Standing) -> View {
    let mut view = View { items: Vec::new(), before: standing.sums };
    for input in 0..history.messages.len() {
        view.items.push(view::plain(history, input, standing.end.count + input as u64, false));
    }
    view
}

/// Continues after the previous call: `call` holds only the new messages. Returns `None` if something must be done or
/// may have changed; the call must then be made with all messages. The view is the previous one with the new messages.
///
/// # Errors
///
/// If the call is refused.
pub fn resume(call: &Call, standing: &Standing) -> Result<Option<Committed>, Error> {
    let &Standing { start, end, structure: known, changed, .. } = standing;
    if !usable(call) || !call.must_keep.is_empty() || call.offset != start || structure(call, &call.state) != known {
        return Ok(None);
    }
    let mut history = History::after(&call.records, end.count, end.chain, &call.state, Some(&call.options.estimator))?;
    let demands = thinking::demands(call, &call.state);
    history.binds_before = thinking::binds_before(call, &history, demands.0);
    if has_to_be_cut(call, &history)
        || history.binds_before.is_some() != standing.sent.is_some()
        || history.binds_before.is_some_and(|before| before < u64::MAX)
        || thinking::is_another_request(call, &call.state)
        // A state that was lost, or is an earlier one, does not know what was sent.
        || standing.sent.is_some_and(|hash| thinking::last(&call.state) != Some(Mark { at: end.count, hash }))
    {
        return Ok(None);
    }
    let mut calibration = call.state.calibration.under(&call.key());
    if let Some(reply) = &mut calibration.reply {
        if reply.at.count < end.count {
            return Ok(None);
        }
        reply.raw = history.reply_after(reply.at);
    }
    let window = Work::window(call, &call.state, call.soft)?;
    let mut state = call.state.clone();
    let sent = standing.sent.map(|sent| {
        let SentPrefixes { beside, mut marks, end } = state.sent.take().unwrap_or_default();
        let sent = prefixes::append(&mut marks, &history, sent);
        state.sent = Some(SentPrefixes { beside: thinking::beside(call, beside), marks, end });
        sent
    });
    let faults = pairs::violations(&history.messages, history.pairing());
    let cuts = Cuts::with(&history.messages, history.pairing());
    let mut work =
        Work { call, history, state, calibration, window, rebuilds: None, in_flight: None, cuts, faults, demands };
    let view = added(&work.history, standing);
    let limits = work.window.limits(work.measure().fixed(&view), 0, &call.options);
    let usage = work.usage(&view);
    if limits.tight
        || usage.tokens + usage.bound >= limits.limit
        || !work.faults.is_empty()
        || work.history.compaction.is_some()
    {
        return Ok(None);
    }
    let mut report = work.report(usage);
    report.rung = Some(RungId::Pass.as_str());
    report.outcome = outcome(changed);
    report.reason = passed(&usage);
    report.saved = work.scaled(standing.saved);
    report.cost = work.cost(&view, report.saved, None);
    let standing = of(&work, &view, start, changed, Some(&Resumed { before: standing, sent }));
    work.state.calibration = work.calibration.clone();
    work.state.pending = Some(work.pending(&report, sent));
    Ok(Some(Committed { state: work.state, report, changed, view: Vec::new(), next: None, standing }))
}

/// Whether a result among the new messages may exceed what the policy of some tool allows.
fn has_to_be_cut(call: &Call, history: &History<'_>) -> bool {
    call.options.tools.uncut().is_some_and(|tokens| {
        let cap = result_rules::cap(tokens, &call.options.estimator);
        let over = |part: Part| part.kind == PartKind::Result && u64::from(part.tokens) > cap;
        history.messages.iter().any(|message| message.parts().any(over))
    })
}

/// The outcome of a call with nothing to do.
const fn outcome(changed: bool) -> Outcome {
    if changed { Outcome::Reused } else { Outcome::Unchanged }
}

/// Whether a call asks for nothing beyond fitting its messages.
fn usable(call: &Call) -> bool {
    let options = &call.options;
    options.preset.is_none()
        && !call.now
        && !call.counts_anew()
        && call.refusal.is_none()
        && call.of_other.is_none()
        && call.in_flight.is_none()
        && call.ids.is_empty()
        && options.strategy != Strategy::SlidingWindow
        && options.wishes.fires_at().is_none()
}

/// A hash over everything in a call and its state that decides how messages are sent.
fn structure(call: &Call, state: &SessionState) -> u64 {
    let (calibration, learned) = (Calibration::default(), Vec::new());
    let state = SessionState { calibration, learned, unread: false, pending: None, sent: None, ..state.clone() };
    fold(u64::from(call.recalls), &state.clone().to_json())
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
