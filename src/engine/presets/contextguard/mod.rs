//! The preset `contextguard`: the threshold strategy of adk-utils-go v1.1.0, step by step, independent of the ladder.
//!
//! 1. Estimate: raw tokens (UTF-8 bytes / 4, each field rounded down) × 2.5. Once the provider has reported a prompt: ×
//!    the last ratio of reported to estimated, within 1 and 5, and never less than what was reported.
//! 2. The threshold is the window less a buffer: 20,000 tokens, in windows below 200,000 a fifth. Below it, send the
//!    summary, if there is one, instead of what it covers. Equality fires.
//! 3. At or above it, give the summarizer the conversation, the oldest messages dropped while it exceeds 80 % of the
//!    window. The summary may have half of the buffer. On failure, take the first 200 bytes of each text instead, 24,000
//!    bytes in all.
//! 4. Send the summary and a continuation that quotes the request of the turn, and nothing else of the conversation.
//!    Restart the calibration.
//! 5. If the raw count is still at the threshold, do it again, up to three times in all.
//!
//! The preset guarantees only the invariants 1, 3, 5, 8 and 9. Leading system messages stay; a pinned message further
//! back goes with the rest.
//!
//! # Flaws of the original
//!
//! No strategy has any of them (`git grep "of the original preset" tests/rust`). Recorded figures depend on those that the
//! preset keeps:
//!
//! | kept | in the strategies |
//! |---|---|
//! | A1: a compaction throws away the newest message and results that nobody has seen | the newest group stays, clipped at worst |
//! | A2: from the next step of the same turn on, the user's request is gone | it stays, and a progress note follows it |
//! | A5: only the first text of the request is quoted, and uncut | the request stays as the host's own message |
//! | B5: the same list again sends the summary alone | the newest group is never covered |
//! | C1, C2: fires on calibrated tokens and is content with raw ones; no breaker | one unit, and brakes |
//!
//! Repaired here as well: a summary of an abandoned branch was used (B1), a host that sends only the current turn lost
//! some of it (B2), a call that waits during the compaction lost its result (B3), inserted messages shifted the counts
//! (B4), an empty summary compacted at every step (C3), all sessions shared one lock (F2). The original's sliding window
//! loses its kept tail (B6), panics on short histories (E1), summarizes everything again (E2), sends the whole history
//! when the summarizer fails (E3), moves the cut to the start of a long chain of calls (E4) and does not look at tokens
//! between compactions (E5).

mod continuation;
mod rounds;
mod sizes;
mod step;
pub(crate) mod text;

use crate::base::error::Error;
use crate::base::millionths;
use crate::call::bound::Start;
use crate::call::checkpoint;
use crate::call::committed::{Committed, preview};
use crate::call::context::Work;
use crate::call::render::{first_changed, render};
use crate::engine::policy::Policy;
use crate::engine::presets::contextguard::rounds::{Rounds, cover_in_rounds, input, previous};
use crate::engine::presets::contextguard::step::{Step, shape, step};
use crate::engine::presets::contextguard::text::{prompt, system};
use crate::engine::questions::{Answered, Questions};
use crate::ingest::host::{Host, Sent};
use crate::ladder::plan::{Asked, Plan};
use crate::ladder::shape::Shape;
use crate::ladder::{Move, RungId};
use crate::limits::options::Options;
use crate::report::change;
use crate::report::reasons::{infeasible, passed, why};
use crate::report::{Outcome, Report, Usage};
use crate::session::state::{ContextguardState, Pending, SessionState};
use crate::session::view::Slot;
use crate::summary::request::Request;
use crate::tokens::calibration::Reported;

pub use crate::engine::presets::contextguard::sizes::{buffer, limits, summary_tokens, token_count};

/// The policy of the preset.
pub(crate) struct Contextguard;

impl Policy for Contextguard {
    fn usage(&self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<Usage, Error> {
        Ok(step(work, host)?.usage(work))
    }

    fn plan(&self, work: &mut Work<'_>, _: bool, host: &mut dyn Host) -> Result<(Plan, Option<Start>), Error> {
        let step = step(work, host)?;
        let before = step.usage(work);
        let mut report = work.report(before);
        report.saved = work.saved(&step.view);
        let fires = !work.call.provider_compacts && (work.call.now || step.fires());
        let Some(shape) = shape(work).filter(|_| fires) else {
            report.outcome = if step.view.is_input(&work.history) { Outcome::Unchanged } else { Outcome::Reused };
            report.reason = if work.call.provider_compacts { work.idle(&before) } else { passed(&before) };
            let plan = Plan {
                rung: RungId::Pass,
                action: Move::Pass,
                attempt: 1,
                preview: preview(&report),
                ..Plan::default()
            };
            return Ok((plan, None));
        };
        report.outcome = Outcome::Compacted;
        report.rung = Some("summarize");
        report.reason = why(&before, step.threshold, work.call.now);
        let asked = Asked {
            id: format!("{}-1", crate::model::message::hex(shape.covers.chain)),
            kind: "summary".into(),
            max_output_tokens: shape.summary_tokens,
        };
        report.keep_from = shape.loads_from();
        let scale = |raw| millionths::scale(raw, before.tokens, before.raw.max(1));
        let comes = millionths::ratio(shape.summary_tokens, scale(1_000_000));
        let change = change::covered("summarize", &step.view, &|item| shape.leaves(item), comes, &scale);
        report.saved += change.tokens.saturating_sub(change.after);
        report.changes = vec![change];
        let plan = Plan {
            rung: RungId::Summarize,
            action: Move::Compact(shape),
            attempt: 1,
            requests: vec![asked],
            preview: preview(&report),
            ..Plan::default()
        };
        Ok((plan, None))
    }

    fn questions(
        &self,
        work: &mut Work<'_>,
        plan: &Plan,
        shape: &Shape,
        host: &mut dyn Host,
    ) -> Result<Questions, Error> {
        let Some(asked) = plan.requests.first() else { return Ok(Questions::default()) };
        let step = step(work, host)?;
        let contents = input(work, &step.view, shape, host)?;
        let previous = previous(&work.state);
        Ok(Questions::of(vec![Request {
            id: asked.id.clone(),
            kind: "summary",
            system: system(asked.max_output_tokens),
            prompt: prompt(&contents, previous, &work.call.todos),
            max_output_tokens: asked.max_output_tokens,
            ..Request::default()
        }]))
    }

    fn commit(
        &self,
        mut work: Work<'_>,
        plan: &Plan,
        answered: Option<Answered<'_>>,
        _: Option<Start>,
        host: &mut dyn Host,
    ) -> Result<Committed, Error> {
        let answers = answered.map(|answered| answered.answers);
        let start = step(&work, host)?;
        let mut report = work.report(start.usage(&work));
        let Rounds { compacts, request, next } = cover_in_rounds(&mut work, &start, plan, answers, &mut report, host)?;
        let mut view = work.project(host)?;
        let mut sent = render(&work, &mut view, host)?.view;
        if compacts {
            // The calibration is reset, then stored for the request as it is sent.
            work.state.contextguard = Some(ContextguardState { real: 0, last: request });
            let text = continuation::message(&work, host)?;
            let product = host.summary(&text, &checkpoint::message_id(work.state.revision + 1, "continuation"), 0)?;
            let place = view.items.iter().position(|item| item.slot == Slot::Summary).map_or(sent.len(), |at| at + 1);
            sent.insert(place, Sent::Made(product.number));
            work.state.revision += 1;
        } else {
            let known = work.state.contextguard.unwrap_or_default();
            work.state.contextguard = Some(ContextguardState { last: request, ..known });
        }
        let changed = compacts || !view.is_input(&work.history);
        report.rung = Some(match (compacts, report.failed.is_some() || answers.is_none()) {
            (false, _) => "pass",
            (true, false) => "summarize",
            (true, true) => "digest",
        });
        report.saved = work.saved(&view);
        if compacts {
            let (count, rung) = (work.history.messages.len(), report.rung.unwrap_or("digest"));
            let scale = |raw| millionths::scale(raw, report.before.tokens, report.before.raw.max(1));
            report.changes = vec![change::covered_between(rung, &start.view, &view, count, &scale)];
        }
        report.first_changed = if compacts { first_changed(&start.view, &view, true) } else { None };
        let known = if compacts { work.state.contextguard.unwrap_or_default() } else { start.known };
        report.after = Step { view, raw: request, known, ..start }.usage(&work);
        report.keep_from = work.state.checkpoints.last().map_or(0, |checkpoint| checkpoint.from);
        report.request = work.request_id();
        (report.outcome, report.reason) = outcome(&work, &report, compacts, changed);
        work.state.pending = Some(Pending { at: None, window: 0, ..work.pending(&report, None) });
        Ok(Committed { state: work.state, report, changed, view: sent, next, standing: None })
    }

    fn after_model(
        &self,
        _: &Options,
        mut state: SessionState,
        usage: Reported,
        request: Option<&str>,
    ) -> SessionState {
        if state.pending.take_if(|pending| request.is_none_or(|request| request == pending.request)).is_none() {
            return state;
        }
        if let Some(real) = usage.trusted_prompt() {
            let known = state.contextguard.unwrap_or_default();
            state.contextguard = Some(ContextguardState { real, ..known });
        }
        state
    }
}

fn outcome(work: &Work<'_>, report: &Report, compacts: bool, changed: bool) -> (Outcome, String) {
    let (before, after) = (&report.before, &report.after);
    if work.call.provider_compacts {
        (if changed { Outcome::Reused } else { Outcome::Unchanged }, work.idle(after))
    } else if after.tokens >= work.call.window {
        (Outcome::Infeasible, infeasible(after))
    } else if compacts {
        let why = why(before, before.trigger, work.call.now);
        (Outcome::Compacted, format!("{why} Now {} tokens.", after.tokens))
    } else {
        (if changed { Outcome::Reused } else { Outcome::Unchanged }, passed(after))
    }
}
