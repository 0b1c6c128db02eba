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
pub(crate) mod text;

use crate::base::error::{Error, Warning};
use crate::base::{markers, millionths};
use crate::call::checkpoint::{self, Written};
use crate::call::committed::{Committed, previewed};
use crate::call::context::Work;
use crate::call::render::{first_changed, render};
use crate::engine::policy::Policy;
use crate::engine::presets::contextguard::text::{fallback, prompt, system, word_limit};
use crate::engine::questions::{Answered, Questions};
use crate::ingest::content::Content;
use crate::ingest::host::{Host, Sent};
use crate::ingest::pairs::Cuts;
use crate::ladder::plan::{Asked, Plan};
use crate::ladder::shape::Shape;
use crate::ladder::{Move, RungId};
use crate::limits::options::Options;
use crate::report::change;
use crate::report::reasons::{infeasible, passed, why};
use crate::report::{Notice, Outcome, Report, Usage};
use crate::session::compaction::Kind;
use crate::session::state::{ContextguardState, Pending, SessionState};
use crate::session::view::{Slot, View, leading};
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::calibration::Reported;

/// Windows of this size or more have a fixed buffer.
const LARGE_WINDOW: u64 = 200_000;
const LARGE_BUFFER: u64 = 20_000;
/// The most rounds of summarizing until the request is below the threshold.
const ATTEMPTS: u64 = 3;
/// The most bytes of a summary. A longer one is rejected, because the state could not hold it.
const SUMMARY_BYTES: usize = 50_000;

/// The buffer of a window: fixed for large windows, a fifth of smaller ones.
pub const fn buffer(window: u64) -> u64 {
    if window >= LARGE_WINDOW { LARGE_BUFFER } else { window / 5 }
}

/// The most tokens of a summary: half of the buffer.
pub const fn summary_tokens(window: u64) -> u64 {
    buffer(window) / 2
}

/// The calibrated count. Until a provider reports usage, it is `trunc(raw × 2.5)`. Then it is `raw` times the last
/// ratio of reported to estimated tokens, which is limited to between 1 and 5, and never less than the reported tokens.
pub fn token_count(raw: u64, known: ContextguardState) -> u64 {
    let ContextguardState { real, last } = known;
    if real == 0 {
        return raw * 5 / 2;
    }
    let corrected = match last {
        0 => raw * 5 / 2,
        last if real < last => raw,
        last if real > last * 5 => raw * 5,
        last => millionths::scale(raw, real, last),
    };
    corrected.max(real)
}

/// The request as the original would see it after its injection.
struct Step {
    view: View,
    raw: u64,
    threshold: u64,
    known: ContextguardState,
}

fn step(work: &Work<'_>, host: &mut dyn Host) -> Result<Step, Error> {
    let view = work.project(host)?;
    let raw = view.raw() + work.call.beside();
    let threshold = work.call.window - buffer(work.call.window);
    Ok(Step { view, raw, threshold, known: work.state.contextguard.unwrap_or_default() })
}

impl Step {
    fn usage(&self, work: &Work<'_>) -> Usage {
        let tokens = token_count(self.raw, self.known);
        let usage =
            work.measure().usage_of(&self.view, &work.history, tokens, &|raw| millionths::scale(raw, tokens, self.raw));
        Usage { raw: self.raw, bound: 0, trigger: self.threshold, reported: self.known.real > 0, ..usage }
    }

    fn fires(&self) -> bool {
        token_count(self.raw, self.known) >= self.threshold
    }
}

/// What a compaction covers: everything except leading instructions and a group with pending calls (B3: the original
/// leaves their results without a call).
fn shape(work: &Work<'_>) -> Option<Shape> {
    let history = &work.history;
    let lead = history.lead();
    let end = Cuts::of(&history.messages[lead..]).pending.map_or(history.messages.len(), |pending| pending + lead);
    let stays = |input: &usize| *input < leading(history) || history.is_pinned(*input);
    let head = (0..end).filter(stays).filter_map(|input| history.index_of(input)).collect::<Vec<_>>();
    let covers = history
        .position(history.index_of(end).filter(|_| end < history.messages.len()).unwrap_or_else(|| history.end()))?;
    let empty = covers.count <= head.len() as u64;
    (!empty).then(|| Shape {
        covers,
        outputs: None,
        head,
        kept: Vec::new(),
        opening: 0,
        note: false,
        summary_tokens: summary_tokens(work.call.window),
    })
}

/// The policy of the preset.
pub(crate) struct Contextguard;

impl Policy for Contextguard {
    fn usage(&self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<Usage, Error> {
        Ok(step(work, host)?.usage(work))
    }

    fn plan(&self, work: &mut Work<'_>, _: bool, host: &mut dyn Host) -> Result<(Plan, Option<View>), Error> {
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
                requests: Vec::new(),
                report: report.to_json(),
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
        let mut plan = Plan {
            rung: RungId::Summarize,
            action: Move::Compact(shape),
            attempt: 1,
            requests: vec![asked],
            ..Plan::default()
        };
        previewed(&mut plan, &report);
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
        _: Option<View>,
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
        work.state.pending = Some(Pending {
            sent: None,
            request: report.request.clone(),
            raw: request,
            at: None,
            counted: work.call.counted,
            window: 0,
            key: work.call.key(),
        });
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

fn previous(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| checkpoint::body(&checkpoint.summary.text))
}

/// What the summarizer reads: the request without its instructions. The oldest messages are dropped while more than two
/// remain and they exceed 80 % of the window in raw tokens. (C4: the previous summary is not included a second time.)
fn input(work: &Work<'_>, view: &View, shape: &Shape, host: &mut dyn Host) -> Result<Vec<Content>, Error> {
    let covered: Vec<&crate::session::view::Item> = view
        .items
        .iter()
        .filter(|item| !item.fixed && !matches!(item.slot, Slot::Host { index, .. } if index >= shape.covers.count))
        .collect();
    let budget = work.call.window * 4 / 5;
    let mut sum: u64 = covered.iter().map(|item| item.tokens).sum();
    let mut skip = 0;
    while covered.len() - skip > 2 && sum > budget {
        sum -= covered[skip].tokens;
        skip += 1;
    }
    let inputs: Vec<usize> = covered[skip..]
        .iter()
        .filter_map(|item| if let Slot::Host { input, .. } = item.slot { Some(input) } else { None })
        .collect();
    work.history.read(&inputs, host)
}

/// The result of the rounds of a commit.
struct Rounds {
    /// Whether the past was covered.
    compacts: bool,
    /// The raw tokens of the request as it is sent.
    request: u64,
    /// The next round, for which a summarizer must be called.
    next: Option<Plan>,
}

/// Covers the past, and repeats that while the request is above the threshold.
fn cover_in_rounds(
    work: &mut Work<'_>,
    start: &Step,
    plan: &Plan,
    answers: Option<&[Answer]>,
    report: &mut Report,
    host: &mut dyn Host,
) -> Result<Rounds, Error> {
    let valid = |shape: &&Shape| work.history.position(shape.covers.count) == Some(shape.covers);
    let planned = if let Move::Compact(shape) = &plan.action { Some(shape).filter(valid).cloned() } else { None };
    let mut todo = planned.or_else(|| if start.fires() { shape(work) } else { None });
    if work.call.provider_compacts {
        todo = None;
    }
    let mut rounds = Rounds { compacts: todo.is_some(), request: start.raw, next: None };
    let mut answer = answers.and_then(<[Answer]>::first);
    let mut attempt = plan.attempt;
    while let Some(shape) = todo.take() {
        let view = work.project(host)?;
        let contents = input(work, &view, &shape, host)?;
        let text = summary(work, answer.take(), &contents, report);
        let kind = if report.failed.is_some() || answers.is_none() { Kind::Digest } else { Kind::Summary };
        cover(work, &view, &shape, kind, &text, host)?;
        let request = work.project(host)?.raw() + continuation::tokens(work, host)? + work.call.beside();
        rounds.request = request;
        report.reason =
            format!("The compacted request of {request} raw tokens is not below the threshold of {}.", start.threshold);
        if request >= start.threshold && attempt < ATTEMPTS {
            attempt += 1;
            if answers.is_some() {
                rounds.next = Some(again(work, attempt, &shape, (plan, report)));
            } else {
                todo = Some(shape);
            }
        }
    }
    Ok(rounds)
}

/// The text of the answer. Excerpts if there is no usable one.
fn summary(work: &Work<'_>, answer: Option<&Answer>, contents: &[Content], report: &mut Report) -> String {
    let reason = match answer {
        Some(Answer::Text { text, .. }) if !text.is_empty() && text.len() <= SUMMARY_BYTES => return text.clone(),
        Some(Answer::Text { .. } | Answer::Block { .. }) => {
            Some("The summarizer returned no text, or far too much.".to_owned())
        }
        Some(Answer::Failed(reason)) => Some(reason.clone()),
        None => None,
    };
    if let Some(reason) = reason {
        report.warnings.push(Notice {
            code: Warning::SummaryFailed,
            path: Some("summarize".into()),
            advice: format!("{reason} Excerpts took its place."),
        });
        report.failed = Some(reason);
    }
    fallback(contents, previous(&work.state))
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

fn again(work: &Work<'_>, attempt: u64, shape: &Shape, (before, report): (&Plan, &Report)) -> Plan {
    let asked = Asked {
        id: format!("{}-{attempt}", crate::model::message::hex(shape.covers.chain)),
        kind: "summary".into(),
        max_output_tokens: summary_tokens(work.call.window),
    };
    Plan {
        rung: RungId::Summarize,
        action: Move::Compact(shape.clone()),
        attempt,
        requests: vec![asked],
        report: report.to_json(),
        changes: before.changes.clone(),
        ..Plan::default()
    }
}

fn cover(
    work: &mut Work<'_>,
    view: &View,
    shape: &Shape,
    kind: Kind,
    text: &str,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let text = format!("{}\n{text}\n{}", markers::PRESET_SUMMARY, markers::PRESET_SUMMARY_END);
    let checkpoint = {
        let scene = work.scene(view);
        checkpoint::checkpoint(
            &scene,
            shape,
            Written { kind, digest: false, shortened: false, text, bare: true, block: None },
            None,
            &work.call.ids,
            host,
        )?
    };
    // A further round replaces the result of the previous one.
    work.state.uncover(shape.covers.count);
    work.state.push(checkpoint);
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    Ok(())
}

/// The preset's limits for a window, for documentation and tests: buffer, threshold, and the tokens and words of a
/// summary.
pub const fn limits(window: u64) -> [u64; 4] {
    let most = summary_tokens(window);
    [buffer(window), window - buffer(window), most, word_limit(most)]
}
