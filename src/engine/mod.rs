//! The step machine: plan, ask, commit. No I/O: what has to be asked is a value that says so.
//!
//! 1. [`plan()`] looks at a call and decides; the plan is plain data and may wait.
//! 2. [`requests`] says what to ask a summarizer for, if the plan needs one.
//! 3. [`commit`] applies the plan with the answers, or without: then code writes a digest. It always leaves a view that
//!    fits, or says why none can. It may be given a longer history than the plan saw.
//! 4. [`after_model`] learns from what the provider reported.

pub mod fast_path;
pub(crate) mod moves;
pub(crate) mod past;
pub mod presets;
pub(crate) mod rounds;
pub(crate) mod summarizing;

use crate::base::error::{Error, Warning};
use crate::base::text;
use crate::call::checkpoint;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::call::render::{first_changed, first_edited, lacking, remember_rewrites, render};
use crate::engine::moves::{apply, cover, step_after};
use crate::engine::presets::contextguard;
use crate::engine::summarizing::Settled;
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::{self, Move, Rung, strategies};
use crate::report::reasons::{idle, infeasible, why};
use crate::report::{Notice, Outcome, Usage};
use crate::session::state::{Pending, SessionState};
use crate::session::view::View;
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::calibration::{Reading, Reply};

pub use crate::call::committed::Committed;
pub use crate::ingest::host::Sent;

/// Steps of one commit: more than any history needs that can be helped.
const STEPS: usize = 32;

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
    let (rung, action) = work.decide(&scene, Rung::Pass, work.llm(&scene));
    let mut report = work.report(before);
    let mut plan = Plan { rung, attempt: 1, ..Plan::default() };
    match &action {
        Move::Pass => {
            report.outcome = if view.is_input(&work.history) { Outcome::Unchanged } else { Outcome::Projected };
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
            if rung == Rung::Summarize {
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
    let (mut work, first) = match ready {
        Some(ready) => ready,
        None => {
            let mut work = Work::new(call)?;
            if call.options.seed {
                return contextguard::commit(work, plan, answers, host);
            }
            // A refusal is heeded once; later rounds go on with what it taught.
            let first = if plan.attempt > 1 { work.project(host)? } else { work.first(host)? };
            (work, first)
        }
    };
    let before = work.usage(&first);
    let mut report = work.report(before);
    let mut current = first.clone();
    let (mut rung, mut action) = (plan.rung, plan.action.clone());
    // To what asks nobody there are no answers.
    let answers = answers.filter(|_| plan.job.pieces > 0);
    let stale = match &action {
        Move::Compact(shape) => !work.accepts(shape, answers.is_some()),
        Move::Pass => !work.scene(&current).fits(current.raw()),
        Move::Edit(_) | Move::Stuck => true,
    };
    if stale {
        if matches!(action, Move::Compact(_)) {
            report.warnings.push(Notice { code: Warning::StalePlan, path: Some("plan".into()), advice: "The history or the state has moved on since this plan was made; the request was decided anew, without a summarizer.".into() });
        }
        let scene = work.scene(&current);
        (rung, action) = work.decide(&scene, Rung::Pass, false);
    }
    let (mut summary, mut next) = (None, None);
    if let (Move::Compact(shape), Some(answers), false) = (&action, answers, stale) {
        match summarizing::settle(&mut work, &first, plan, shape, answers, &mut report, host)? {
            Settled::Summary(text) => summary = Some(text),
            // Until there is one, code helps, if help is needed.
            Settled::Next(plan) => next = Some(*plan),
            Settled::Failed => {}
        }
        if next.is_some() && call.asking {
            // Nobody sends what there is until then: it stays as it is.
            (rung, action) = (Rung::Pass, Move::Pass);
        } else if summary.is_none() {
            work.harden()?;
            let scene = work.scene(&current);
            (rung, action) = if scene.fits(current.raw()) && !call.now && !strategies::fires(&scene) {
                (Rung::Pass, Move::Pass)
            } else if work.accepts(shape, false) {
                (Rung::Digest, action)
            } else {
                work.decide(&scene, Rung::Pass, false)
            };
        }
    } else if rung == Rung::Summarize {
        rung = Rung::Digest;
    }
    let mut revised = work.state.checkpoints.len() != call.state.checkpoints.len();
    let mut highest = Rung::Pass;
    let mut gained = false;
    let replaces = matches!(&action, Move::Compact(shape) if !work.accepts(shape, false));
    let mut untold = false;
    for _ in 0..STEPS {
        let state = work.state.clone();
        let mut lost = false;
        match &action {
            Move::Stuck if gained => {
                // What a late rung cut may let an early one help now.
                gained = false;
                (rung, action) = ladder::next(&work.scene(&current), Rung::Pass, false);
                continue;
            }
            Move::Pass | Move::Stuck => break,
            Move::Edit(edit) => apply(&mut work, *edit),
            Move::Compact(shape) => {
                let asked = answers.is_some() && !stale;
                let told = summary.is_some() && plan.job.digested == 0;
                lost = cover(&mut work, &current, shape, rung, summary.take(), (asked, told), host)?;
            }
        }
        let view = work.project(host)?;
        // A summary in the place of what code wrote may be longer.
        let helped = view.raw() < current.raw() || rung == Rung::Summarize && replaces;
        gained |= helped;
        untold |= helped && lost;
        if helped {
            highest = highest.max(rung);
            revised = true;
            current = view;
        } else {
            // A rung that makes nothing smaller is not taken; brakes it put on stay on.
            work.state = SessionState { breaker: work.state.breaker, ..state };
            work.history.active = work.state.checkpoints.len().checked_sub(1);
            current = work.project(host)?;
        }
        let scene = work.scene(&current);
        (rung, action) = match step_after(rung, helped) {
            Some(from) => ladder::next(&scene, from, false),
            None => (rung, Move::Stuck),
        };
    }
    let scene = work.scene(&current);
    let (fits, squeezed) = (scene.fits(current.raw()), scene.limits.squeezed);
    let estimate = scene.estimate(current.raw());
    let hard = estimate.tokens + estimate.bound >= scene.limits.window.hard;
    drop(scene);
    if revised {
        work.state.revision += 1;
    }
    let sent = render(&work, &mut current, host)?;
    if untold {
        report.warnings.push(Notice { code: Warning::RequirementsCut, path: None, advice: "The summary cannot tell all that was required or asked for: pin these messages, or use a larger window.".into() });
    }
    for literal in lacking(&work, &current, host)? {
        report.warnings.push(Notice {
            code: Warning::MustKeepLost,
            path: Some("mustKeep".into()),
            advice: format!(
                "\"{}\" no longer stands in the view: what holds it had to be cut.",
                text::start(literal, 80)
            ),
        });
    }
    remember_rewrites(&mut work, &current);
    report.after = work.usage(&current);
    let covered_anew = work.state.checkpoints.last().map(|checkpoint| checkpoint.revision)
        != call.state.checkpoints.last().map(|checkpoint| checkpoint.revision);
    let changed_here = if revised { first_changed(&first, &current, covered_anew) } else { None };
    // Another model counts its tokens otherwise, so what is cut is cut to another length.
    let cut_anew = if call.counts_anew() { first_edited(&current) } else { None };
    report.first_changed = changed_here.into_iter().chain(cut_anew).min();
    report.keep_from = work.state.checkpoints.last().map_or(0, |checkpoint| checkpoint.from);
    report.request = work.request_id();
    report.rung = Some(highest.as_str());
    let changed = !current.is_input(&work.history);
    (report.outcome, report.reason) = if !fits && hard {
        (Outcome::Infeasible, infeasible(&report.after))
    } else if !fits && !squeezed {
        (
            Outcome::Squeezed,
            format!(
                "Nothing more of the request can be covered or cut: it stays between the trigger of {} and the hard limit.",
                report.after.trigger
            ),
        )
    } else if squeezed {
        report.warnings.push(Notice { code: Warning::Squeezed, path: None, advice: "System prompt, tools and pinned messages nearly fill the window: shorten them or use a model with a larger one.".into() });
        (
            Outcome::Squeezed,
            format!(
                "What cannot be changed takes more than nine tenths of the trigger of {} tokens; the conversation was brought below the hard limit.",
                report.after.trigger
            ),
        )
    } else if highest > Rung::Pass {
        (Outcome::Compacted, format!("{} Now {} tokens.", why(&before, before.trigger, call.now), report.after.tokens))
    } else if changed {
        (Outcome::Projected, idle(&report.after, call.now))
    } else {
        (Outcome::Unchanged, idle(&report.after, call.now))
    };
    let stands = highest == Rung::Pass && !revised && fits && !squeezed;
    let standing = if stands { fast_path::of(&work, &current, work.history.first(), changed, None) } else { None };
    work.state.calibration = work.calibration.clone();
    // What is made ahead of time is not sent now: what was sent still waits for its usage.
    if !(plan.job.ahead && work.state.pending.is_some()) {
        work.state.pending = Some(Pending {
            request: report.request.clone(),
            raw: report.after.raw,
            at: work.history.position(work.history.end()),
            counted: call.counted,
            window: call.window,
            key: call.key(),
        });
    }
    Ok(Committed { state: work.state, report, changed, view: sent, next, standing })
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
