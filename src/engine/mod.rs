//! The step machine: plan, ask, commit. No I/O: what has to be asked is a value that says so.
//!
//! 1. [`plan()`] looks at a call and decides; the plan is plain data and may wait.
//! 2. [`requests`] says what to ask a summarizer for, if the plan needs one.
//! 3. [`commit`] applies the plan with the answers, or without: then code writes a digest. It always leaves a view that
//!    fits, or says why none can. It may be given a longer history than the plan saw.
//! 4. [`after_model`] learns from what the provider reported.

mod commit;
mod covering;
mod editing;
pub mod fast_path;
pub(crate) mod past;
pub mod presets;
pub(crate) mod rounds;
pub(crate) mod summarizing;
pub mod waiting;

use crate::base::error::Error;
use crate::call::checkpoint;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::engine::commit::Commit;
use crate::engine::presets::contextguard;
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::{Move, RungId};
use crate::report::reasons::{idle, infeasible, why};
use crate::report::{Outcome, Usage};
use crate::session::state::SessionState;
use crate::session::view::View;
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::calibration::{Reading, Reply};

pub use crate::call::committed::Committed;
pub use crate::ingest::host::Sent;

/// The meter: how full the window is with what the state would send now.
///
/// # Errors
/// When the call is refused.
pub fn usage(call: &Call, host: &mut dyn Host) -> Result<Usage, Error> {
    let mut work = Work::new(call)?;
    if call.options.seed {
        return contextguard::usage(&work, host);
    }
    let view = work.first(host)?;
    Ok(work.usage(&view))
}

/// Decides about a call. Nothing is changed.
///
/// # Errors
/// When the call is refused.
pub fn plan(call: &Call, host: &mut dyn Host) -> Result<Plan, Error> {
    decide(call, true, host).map(|(plan, _)| plan)
}

/// What a decision leaves for a commit of the same call: its work, and what would be sent now.
type Ready<'a> = Option<(Work<'a>, View)>;

/// `asks`: what to ask a summarizer is made out as well, for which the past may have to be read.
fn decide<'a>(call: &'a Call, asks: bool, host: &mut dyn Host) -> Result<(Plan, Ready<'a>), Error> {
    let mut work = Work::new(call)?;
    if call.options.seed {
        return Ok((contextguard::plan(&work, 1, host)?, None));
    }
    let view = work.first(host)?;
    let scene = work.scene(&view);
    let before = work.usage(&view);
    let (rung, action) = work.decide(&scene, RungId::Pass, work.llm(&scene));
    let mut report = work.report(before);
    let mut plan = Plan { rung, attempt: 1, ..Plan::default() };
    match &action {
        Move::Pass => {
            report.outcome = if view.is_input(&work.history) { Outcome::Unchanged } else { Outcome::Reused };
            report.rung = Some("pass");
            report.reason = idle(&before, call.now);
        }
        Move::Compact(shape) => {
            report.outcome = Outcome::Compacted;
            report.rung = Some(rung.as_str());
            report.reason = why(&before, scene.limits.limit, call.now);
            let raw = view.items.iter().filter(|item| shape.leaves(item)).map(|item| item.tokens).sum::<u64>()
                + scene.raw(shape.summary_tokens);
            let estimate = scene.estimate(raw);
            report.after = Usage { tokens: estimate.tokens, bound: estimate.bound, raw: raw + call.beside(), ..before };
            if rung == RungId::Summarize {
                plan.job.ahead = call.soft;
                if asks {
                    summarizing::start(&work, &view, shape, &mut plan, host)?;
                }
            }
        }
        Move::Edit(_) => {
            report.outcome = Outcome::Compacted;
            report.rung = Some(rung.as_str());
            report.reason = why(&before, scene.limits.limit, false);
        }
        Move::Stuck => {
            report.outcome = Outcome::Infeasible;
            report.reason = infeasible(&before);
        }
    }
    plan.report = report.to_json();
    plan.action = action;
    Ok((plan, Some((work, view))))
}

/// How a call begins.
#[derive(Clone, Debug)]
pub enum Begun {
    /// Nothing had to be asked.
    Done(Box<Committed>),
    /// This plan waits for the summarizer.
    Waits(Box<Plan>),
}

/// Decides about a call, and commits the decision unless the host's summarizer has to be asked first.
///
/// # Errors
/// When the call is refused, or the host cannot read or make a message.
pub fn begin(call: &Call, host: &mut dyn Host) -> Result<Begun, Error> {
    let (plan, ready) = decide(call, call.options.summarize, host)?;
    if call.options.summarize && !plan.requests.is_empty() {
        return Ok(Begun::Waits(Box::new(plan)));
    }
    apply_plan(call, &plan, None, ready, host).map(|committed| Begun::Done(Box::new(committed)))
}

/// What a plan asks a summarizer for, with the texts. Empty when the plan needs none, or no longer holds.
///
/// # Errors
/// When the call is refused, or the host cannot read a message.
pub fn requests(call: &Call, plan: &Plan, host: &mut dyn Host) -> Result<Vec<Request>, Error> {
    let mut work = Work::new(call)?;
    let (Move::Compact(shape), Some(asked)) = (&plan.action, plan.requests.first()) else { return Ok(Vec::new()) };
    if call.options.seed {
        return contextguard::requests(&work, shape, asked, host);
    }
    if !work.accepts(shape, true) {
        return Ok(Vec::new());
    }
    let view = if plan.attempt > 1 { work.project(host)? } else { work.first(host)? };
    summarizing::ask(&work, &view, shape, plan, None, host)
}

/// Applies a plan. Without answers to what it asks for, code writes a digest in their place.
///
/// # Errors
/// When the call is refused, or the host cannot read or make a message. Nothing has changed then.
pub fn commit(call: &Call, plan: &Plan, answers: Option<&[Answer]>, host: &mut dyn Host) -> Result<Committed, Error> {
    apply_plan(call, plan, answers, None, host)
}

fn apply_plan(
    call: &Call,
    plan: &Plan,
    answers: Option<&[Answer]>,
    ready: Ready<'_>,
    host: &mut dyn Host,
) -> Result<Committed, Error> {
    if let Some((work, first)) = ready {
        return Commit::new(call, plan, answers, work, first).run(host);
    }
    let mut work = Work::new(call)?;
    if call.options.seed {
        return contextguard::commit(work, plan, answers, host);
    }
    // A refusal counts once; later rounds go on with what it taught.
    let first = if plan.attempt > 1 { work.project(host)? } else { work.first(host)? };
    Commit::new(call, plan, answers, work, first).run(host)
}

/// Usage as a provider reported it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Tokens of the prompt, all of it; none if nothing reliable was said.
    pub prompt: Option<u64>,
    /// Tokens of the output; 0 if nothing was said.
    pub output: u64,
    /// How many of these are reasoning; 0 if nothing was said.
    pub reasoning: u64,
}

/// Learns from what a provider reported for the request that is pending. Anything that does not fit is ignored.
pub fn after_model(
    call: &crate::limits::options::Options,
    state: &SessionState,
    usage: Reported,
    request: Option<&str>,
) -> SessionState {
    let Reported { prompt, output, reasoning } = usage;
    let mut state = state.clone();
    if call.seed {
        return contextguard::after_model(state, prompt, request);
    }
    let Some(pending) = state.pending.clone() else { return state };
    if request.is_some_and(|request| request != pending.request) {
        return state;
    }
    // One reading for each request, whatever it is worth.
    state.pending = None;
    if let Some(reported) = prompt.filter(|&prompt| prompt > 1) {
        state.calibration = state.calibration.under(&pending.key);
        let believed = state.calibration.learn(
            Reading { raw: pending.raw, reported },
            pending.counted,
            call.estimator.clone().for_model(pending.key.split('|').nth(1)).slope(),
            Some(pending.window).filter(|&window| window > 0),
        );
        // That the request went through is certain; how large it was, only if the report is believed.
        state.went_through(&pending.key, if believed { reported } else { 0 });
        // A reading that is parked says nothing about the next prompt, nor does its output.
        if state.calibration.reply.is_none()
            && state.calibration.anchor.is_some_and(|anchor| (anchor.raw, anchor.reported) == (pending.raw, reported))
        {
            state.calibration.reply = pending.at.map(|at| Reply { tokens: output, reasoning, at, raw: 0 });
        }
    }
    state
}

/// The first message a host must load for a state, and its id if the format has ids.
pub fn keep_from(state: &SessionState) -> (u64, Option<&str>) {
    state.checkpoints.last().map_or((0, None), |checkpoint| (checkpoint.from, checkpoint.from_id.as_deref()))
}

/// The newest summary, for people to read.
pub fn summary_of(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| checkpoint::body(&checkpoint.summary.text))
}
