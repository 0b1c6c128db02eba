//! The policy of precis itself: climbs the ladder as far as needed.

use crate::base::error::Error;
use crate::call::bound::Start;
use crate::call::committed::{Committed, preview};
use crate::call::context::Work;
use crate::engine::commit::Commit;
use crate::engine::covered_chat;
use crate::engine::editing::Editing;
use crate::engine::policy::Policy;
use crate::engine::questions::{self, Answered, Questions};
use crate::engine::step::{self, Step};
use crate::engine::summarizing;
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::shape::Shape;
use crate::ladder::{self, Move, RungId};
use crate::limits::options::Options;
use crate::limits::thinking_refusal::Complaint;
use crate::report::change;
use crate::report::reasons::{infeasible, why};
use crate::report::{Outcome, Usage};
use crate::session::sent::Mark;
use crate::session::state::SessionState;
use crate::tokens::calibration::{Reply, Reported, UsageReading};

/// Climbs the ladder.
pub(crate) struct Climbing;

impl Policy for Climbing {
    fn usage(&self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<Usage, Error> {
        let start = work.first(host)?;
        Ok(work.usage(&start.view))
    }

    fn plan(&self, work: &mut Work<'_>, asks: bool, host: &mut dyn Host) -> Result<(Plan, Option<Start>), Error> {
        let call = work.call;
        let start = work.first(host)?;
        let view = &start.view;
        let scene = work.scene(view);
        let before = work.usage(view);
        let llm = work.llm(&scene);
        let (mut rung, mut action) = work.decide(&scene, RungId::Pass, llm);
        if asks && llm {
            let falls_short = match action {
                Move::Edit(edit) => falls_short(work, &start, rung, Editing::of(&scene, edit), host)?,
                _ => !scene.fits(view.raw()),
            };
            if falls_short && let asked @ (RungId::Summarize, _) = work.decide(&scene, RungId::Summarize, true) {
                (rung, action) = asked;
            }
        }
        let mut report = work.report(before);
        report.saved = work.saved(view);
        report.cost = work.cost(view, report.saved, None);
        let mut plan = Plan { rung, attempt: 1, ..Plan::default() };
        match &action {
            Move::Pass => {
                report.outcome = if view.is_input(&work.history) { Outcome::Unchanged } else { Outcome::Reused };
                report.rung = Some("pass");
                report.reason = work.idle(&before);
            }
            Move::Compact(shape) => {
                report.outcome = Outcome::Compacted;
                report.rung = Some(rung.as_str());
                report.reason = why(&before, scene.limits.limit, call.now);
                let raw = view.items.iter().map(|item| shape.tokens_of(item, &work.history)).sum::<u64>()
                    + scene.raw(shape.summary_tokens);
                let estimate = scene.estimate(raw);
                report.after =
                    Usage { tokens: estimate.tokens, bound: estimate.bound, raw: raw + call.beside(), ..before };
                report.saved += before.tokens.saturating_sub(report.after.tokens);
                report.keep_from = shape.loads_from();
                let note = if shape.note { shape.summary_tokens / 2 } else { 0 };
                let comes = scene.raw(shape.summary_tokens + note);
                let scale = |raw| scene.estimate_of(raw);
                report.changes = vec![change::covered(rung.as_str(), view, &|item| shape.leaves(item), comes, &scale)];
                if rung == RungId::Summarize {
                    plan.job.ahead = call.soft;
                    if asks {
                        summarizing::start(work, &scene, shape, &mut plan, host)?;
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
        plan.preview = preview(&report);
        plan.action = action;
        Ok((plan, Some(start)))
    }

    fn questions(
        &self,
        work: &mut Work<'_>,
        plan: &Plan,
        shape: &Shape,
        host: &mut dyn Host,
    ) -> Result<Questions, Error> {
        if !work.accepts(shape, true) {
            return Ok(Questions::default());
        }
        let start = begun(work, plan, host)?;
        let scene = work.scene(&start.view);
        let mut questions = questions::write(work, &scene, shape, plan, host)?;
        if let Some(request) = questions.only().filter(|request| request.kind == "summary") {
            covered_chat::add(work, &scene, shape, request, host)?;
        }
        Ok(questions)
    }

    fn commit(
        &self,
        mut work: Work<'_>,
        plan: &Plan,
        answered: Option<Answered<'_>>,
        start: Option<Start>,
        host: &mut dyn Host,
    ) -> Result<Committed, Error> {
        let start = match start {
            Some(start) => start,
            None => begun(&mut work, plan, host)?,
        };
        Commit::new(work.call, plan, answered, work, start).run(host)
    }

    fn after_model(
        &self,
        options: &Options,
        mut state: SessionState,
        usage: Reported,
        request: Option<&str>,
    ) -> SessionState {
        let Reported { output, reasoning, mismatch, unread, .. } = usage;
        let Some(pending) = state.pending.clone() else { return state };
        if request.is_some_and(|request| request != pending.request) {
            return state;
        }
        // A request is measured only once, even if the usage is useless.
        state.pending = None;
        state.unread = unread.unwrap_or(state.unread);
        if let (Some(sent), Some(at), Some(hash)) = (&mut state.sent, pending.at, pending.sent) {
            sent.end = Some(Mark { at: at.count, hash });
        }
        if mismatch {
            let mut learned = state.learned(&pending.key);
            learned.thinking = learned.thinking.or(Some(Complaint::Bound));
            state.learn(learned);
        }
        if let Some(reported) = usage.trusted_prompt().filter(|&prompt| prompt > 1) {
            state.calibration = state.calibration.under(&pending.key);
            let believed = state.calibration.learn(
                UsageReading { raw: pending.raw, reported },
                pending.counted,
                options.estimator.clone().for_model(pending.key.split('|').nth(1)).slope(),
                Some(pending.window).filter(|&window| window > 0),
            );
            // The report proves that the request succeeded. Its size is known only if the report is believed.
            state.went_through(&pending.key, if believed { reported } else { 0 });
            // A parked reading says nothing about the next prompt, and neither does its output.
            if state.calibration.reply.is_none()
                && state
                    .calibration
                    .anchor
                    .is_some_and(|anchor| (anchor.raw, anchor.reported) == (pending.raw, reported))
            {
                state.calibration.reply = pending.at.map(|at| Reply { tokens: output, reasoning, at, raw: 0 });
            }
        }
        state
    }
}

/// Tries an edit and those after it on a copy of the work. Returns whether the request is still too large then: what they
/// gain was only estimated, and after them code would cover messages that the summarizer can still be asked about.
fn falls_short(
    work: &Work<'_>,
    start: &Start,
    mut rung: RungId,
    mut editing: Editing,
    host: &mut dyn Host,
) -> Result<bool, Error> {
    let (mut work, mut now) = (work.clone(), start.view.clone());
    loop {
        let before = (&now, start.baseline.as_ref());
        let edited = step::take(&mut work, before, Step::Edit(editing), false, host)?;
        let helped = edited.is_some();
        now = edited.unwrap_or(now);
        let scene = work.scene(&now);
        let fits = scene.fits(now.raw());
        let from = rung.then(helped).filter(|&from| from < RungId::Summarize && !fits);
        let Some((next, Move::Edit(edit))) = from.map(|from| ladder::next(&scene, from, true)) else {
            return Ok(!fits);
        };
        (rung, editing) = (next, Editing::of(&scene, edit));
    }
}

/// How the call begins. A refusal is applied once; later rounds use what was learned from it.
fn begun(work: &mut Work<'_>, plan: &Plan, host: &mut dyn Host) -> Result<Start, Error> {
    if plan.attempt > 1 { work.begin(host) } else { work.first(host) }
}
