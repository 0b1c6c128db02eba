//! The step machine: plan, ask, commit. No I/O: what has to be asked is a value that says so.
//!
//! 1. [`plan()`] looks at a call and decides; the plan is plain data and may wait.
//! 2. [`requests`] says what to ask a summarizer for, if the plan needs one.
//! 3. [`commit`] applies the plan with the answers, or without: then code writes a digest. It always leaves a view that
//!    fits, or says why none can. It may be given a longer history than the plan saw.
//! 4. [`after_model`] learns from what the provider reported.

use crate::budget::{Limits, Window};
use crate::call::Call;
use crate::compose::{self, Material};
use crate::error::{Error, Warning};
use crate::history::History;
use crate::host::{Host, Product};
use crate::json::Json;
use crate::message::{PartKind, Position};
use crate::pairs::{self, Cuts};
use crate::plan::compact::Shape;
use crate::plan::record::{Asked, Plan, Spent};
use crate::plan::{self, Edit, Move, Rung, Scene, compact, seed};
use crate::report::{Notice, Outcome, Parts, Report, Usage};
use crate::state::{Breaker, Clip, Kind, Pending, SessionState};
use crate::summary::request::Request;
use crate::summary::verify::{self, Answer};
use crate::summary::{digest, request};
use crate::text;
use crate::tokens::calibration::Calibration;
use crate::view::{self, Slot, View};

/// Failures of a summarizer in a row before it is left alone, and for how many compactions.
const FAILURES: u64 = 3;
const WAIT: u64 = 8;
/// Compactions in a row with little new before a summarizer is left alone.
const THRASH: u64 = 3;
/// Steps of one commit: more rungs than there are.
const STEPS: usize = 12;

/// What came of a commit.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The state to store.
    pub state: SessionState,
    /// What was done.
    pub report: Report,
    /// The view differs from the input.
    pub changed: bool,
    /// What to send, message by message.
    pub view: Vec<Sent>,
    /// More would be better.
    pub next: Option<Plan>,
}

impl Committed {
    /// Adds what asking has cost, over all rounds of a call; the next plan carries it on.
    pub fn account(&mut self, plan: &Plan, results: &Json) {
        let results = results.list().unwrap_or_default();
        let report = &mut self.report;
        report.calls = plan.spent.calls + results.len() as u64;
        report.failed = report.failed.take().or_else(|| plan.spent.failed.clone());
        let newest = results.iter().rev().map(|result| result.get("usage")).find(|usage| !usage.is_null());
        report.summarizer_usage = newest.unwrap_or(&plan.spent.usage).clone();
        if !plan.spent.before.is_null() {
            report.first_before = plan.spent.before.clone();
        }
        if let Some(next) = &mut self.next {
            next.spent = Spent {
                calls: report.calls,
                failed: report.failed.clone(),
                usage: report.summarizer_usage.clone(),
                before: report.before_json(),
            };
        }
    }
}

/// A place in what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The host's own message.
    Input(usize),
    /// The message the host made in this call under this number.
    Made(u32),
}

/// A call with its history placed and its state current.
pub(crate) struct Work<'a> {
    pub(crate) call: &'a Call,
    pub(crate) history: History<'a>,
    pub(crate) state: SessionState,
    pub(crate) calibration: Calibration,
    pub(crate) window: Window,
}

impl<'a> Work<'a> {
    pub(crate) fn new(call: &'a Call) -> Result<Self, Error> {
        let history = History::resolve(
            &call.records,
            &call.flags,
            offset(call),
            &call.state,
            &call.options.estimator,
            call.options.seed,
        )?;
        let mut state = call.state.clone();
        // What no longer holds is dropped: the newest checkpoint that matches is the newest there is.
        state.checkpoints.truncate(history.active.map_or(0, |active| active + 1));
        let calibration = state.calibration.under(&call.key());
        let mut window = Window::new(call.window, &call.options, call.max_output)?;
        if call.soft {
            window.trigger = crate::budget::share(window.trigger, call.options.shares.soft).max(1);
        }
        Ok(Self { call, history, state, calibration, window })
    }

    pub(crate) fn project(&self, host: &mut dyn Host) -> Result<View, Error> {
        view::project(&self.history, &self.state, &self.call.options.estimator, host)
    }

    fn limits(&self, view: &View) -> Limits {
        let range = self.call.options.estimator.slope();
        // What the provider counts beyond our slope stands beside the messages as well.
        let whole = self.calibration.estimate(view.raw() + self.call.beside(), range).tokens;
        let movable = self.calibration.scale(view.raw() - view.fixed(), range);
        self.window.limits(whole.saturating_sub(movable), &self.call.options.shares)
    }

    pub(crate) fn scene<'s>(&'s self, view: &'s View) -> Scene<'s> {
        let lead = self.history.messages.len() - (self.history.end() - self.history.first()) as usize;
        Scene {
            history: &self.history,
            state: &self.state,
            view,
            places: view.places(self.history.messages.len()),
            options: &self.call.options,
            limits: self.limits(view),
            calibration: &self.calibration,
            beside: self.call.beside(),
            cuts: Cuts::of(&self.history.messages[lead..]),
        }
    }

    pub(crate) fn usage(&self, view: &View) -> Usage {
        let range = self.call.options.estimator.slope();
        let estimate = self.calibration.estimate(view.raw() + self.call.beside(), range);
        let usage = self.usage_of(view, estimate.tokens, &|raw| self.calibration.scale(raw, range));
        Usage { bound: estimate.bound, reported: self.calibration.anchor.is_some(), ..usage }
    }

    /// Usage of a view of `tokens` in all, whose parts `scale` by their raw tokens.
    pub(crate) fn usage_of(&self, view: &View, tokens: u64, scale: &dyn Fn(u64) -> u64) -> Usage {
        let raw = view.raw() + self.call.beside();
        let of = Parts::of(view, &self.history);
        let mut parts = Parts {
            system: 0,
            tools: scale(self.call.tools),
            user: scale(of.user),
            assistant: scale(of.assistant),
            results: scale(of.results),
            media: scale(of.media),
            summary: scale(of.summary),
        };
        // What is not explained by anything seen is what the provider adds on its own; a token or two is rounding.
        parts.system = tokens
            .saturating_sub(parts.tools + parts.user + parts.assistant + parts.results + parts.media + parts.summary);
        if self.call.system + of.system == 0 && parts.system < 8 {
            parts.user += std::mem::take(&mut parts.system);
        }
        Usage { tokens, raw, bound: 0, window: self.window.size, trigger: self.window.trigger, reported: false, parts }
    }

    pub(crate) fn request_id(&self) -> String {
        let chain = self.history.chain_at(self.history.end()).unwrap_or(0);
        format!("{}-{}-{:08x}", self.state.revision, self.history.end(), chain as u32)
    }

    pub(crate) fn report(&self, before: Usage) -> Report {
        let mut report = Report {
            before,
            after: before,
            diverged: self.history.diverged.clone(),
            request: self.request_id(),
            ..Report::default()
        };
        report.keep_from = self.state.checkpoints.last().map_or(0, |checkpoint| checkpoint.from);
        let mut warn = |code, path: Option<String>, advice: &str| {
            report.warnings.push(Notice { code, path, advice: advice.to_owned() })
        };
        if self.history.is_view() {
            warn(
                Warning::IsAView,
                Some("messages".into()),
                "These messages begin with a view that precis made. It was recognised, but store the history itself: a view is only for sending.",
            );
        }
        if self.call.max_output.is_none() && self.call.state.pending.is_none() {
            warn(
                Warning::NoReplyLimit,
                Some("maxOutputTokens".into()),
                "No reply limit is known, so the provider's default applies and may not fit beside the prompt: send min(yours, report.replyRoom).",
            );
        }
        if self.call.uncounted_tools > 0 {
            warn(
                Warning::UncountedTools,
                Some("tools".into()),
                "Some tools carry a schema that is no plain JSON schema; they are not counted until the provider reports usage.",
            );
        }
        if self.call.counter_failed {
            warn(
                Warning::CounterFailed,
                Some("tune.tokens.estimator".into()),
                "Your token counter threw or answered no number for some texts; they are counted as a quarter of their bytes.",
            );
        }
        if self.call.unreadable > 0 {
            warn(
                Warning::Opaque,
                Some("messages".into()),
                "Some messages are in no form the format knows; they are passed on untouched, and counted by their size as JSON.",
            );
        }
        for violation in pairs::check(&self.history.messages).iter().take(8) {
            let code = match violation.rule {
                "orphan-result" => Warning::OrphanResult,
                "unanswered-call" => Warning::UnansweredCall,
                "duplicate-id" | "duplicate-result" => Warning::DuplicateId,
                _ => continue,
            };
            warn(code, Some(format!("messages[{}]", violation.index)), violation.message);
        }
        report
    }

    /// Whether a summarizer may be asked, as far as the brakes are concerned.
    fn llm(&self, scene: &Scene<'_>) -> bool {
        let Breaker { wait, thrash, .. } = self.state.breaker;
        wait == 0 && !(thrash >= THRASH && self.little_new(scene))
    }

    /// Whether little has come since the last compaction.
    fn little_new(&self, scene: &Scene<'_>) -> bool {
        let Some(checkpoint) = self.history.active.map(|active| &self.state.checkpoints[active]) else { return false };
        let new = scene
            .view
            .items
            .iter()
            .filter(|item| matches!(item.slot, Slot::Host { index, .. } if index >= checkpoint.covers.count))
            .map(|item| item.tokens)
            .sum::<u64>();
        self.calibration.scale(new, self.call.options.estimator.slope())
            < crate::budget::share(scene.limits.room, self.call.options.shares.fresh)
    }

    fn decide(&self, scene: &Scene<'_>, from: Rung, llm: bool) -> (Rung, Move) {
        if self.call.now && from == Rung::Pass {
            if let Some(shape) = compact::shape(scene) {
                return (if llm { Rung::Summarize } else { Rung::Digest }, Move::Compact(shape));
            }
        }
        plan::next(scene, from, llm)
    }

    fn asked(&self, shape: &Shape, attempt: u64) -> Asked {
        let most = self
            .call
            .options
            .summarizer
            .max_output
            .map_or(shape.summary_tokens, |limit| limit.min(shape.summary_tokens * 2));
        // Another wish, another question.
        let focus = self
            .call
            .focus
            .as_deref()
            .map_or(String::new(), |focus| format!("-{:08x}", crate::message::hash_text(focus) as u32));
        Asked {
            id: format!("{:016x}-{attempt}{focus}", shape.covers.chain),
            kind: "summary".to_owned(),
            max_output_tokens: most,
        }
    }

    /// Whether a plan may still be committed: its cut is where it was, and nothing newer covers it.
    fn accepts(&self, shape: &Shape) -> bool {
        let covered = self.history.active.map_or(0, |active| self.state.checkpoints[active].covers.count);
        shape.covers.count > covered
            && self.history.leaves_the_newest(shape.covers.count, &shape.head, &shape.kept)
            && self.history.position(shape.covers.count) == Some(shape.covers)
            && shape.head.iter().chain(&shape.kept).all(|&index| self.history.input_of(index).is_some())
    }
}

/// How many messages the host did not load: what it says, or what the place of a message known by its id implies.
fn offset(call: &Call) -> u64 {
    let known = call
        .state
        .checkpoints
        .last()
        .and_then(|checkpoint| checkpoint.from_id.as_ref().map(|id| (checkpoint.from, id)));
    let Some((from, id)) = known.filter(|_| call.offset == 0) else { return call.offset };
    let at = call.ids.iter().position(|other| other.as_ref() == Some(id));
    at.map_or(0, |at| from.saturating_sub(at as u64))
}

/// The meter: how full the window is with what the state would send now.
///
/// # Errors
/// When the call is refused.
pub fn usage(call: &Call, host: &mut dyn Host) -> Result<Usage, Error> {
    let work = Work::new(call)?;
    if call.options.seed {
        return seed::usage(&work, host);
    }
    let view = work.project(host)?;
    Ok(work.usage(&view))
}

/// Decides about a call. Nothing is changed.
///
/// # Errors
/// When the call is refused.
pub fn plan(call: &Call, host: &mut dyn Host) -> Result<Plan, Error> {
    let work = Work::new(call)?;
    if call.options.seed {
        return seed::plan(&work, 1, host);
    }
    let view = work.project(host)?;
    let scene = work.scene(&view);
    let before = work.usage(&view);
    let (rung, action) = work.decide(&scene, Rung::Pass, work.llm(&scene));
    let mut report = work.report(before);
    let mut requests = Vec::new();
    match &action {
        Move::Pass => {
            report.outcome = if view.is_input(&work.history) { Outcome::Unchanged } else { Outcome::Projected };
            report.rung = Some("pass");
            report.reason = passed(&before);
        }
        Move::Compact(shape) => {
            report.outcome = Outcome::Compacted;
            report.rung = Some(rung.as_str());
            report.reason = why(&before, scene.limits.limit, call.now);
            let stays = |item: &view::Item| matches!(item.slot, Slot::Host { index, .. } if index >= shape.covers.count || shape.head.contains(&index) || shape.kept.contains(&index));
            let raw = view.items.iter().filter(|item| stays(item)).map(|item| item.tokens).sum::<u64>()
                + scene.raw(shape.summary_tokens);
            let estimate = scene.estimate(raw);
            report.after = Usage { tokens: estimate.tokens, bound: estimate.bound, raw: raw + call.beside(), ..before };
            if rung == Rung::Summarize {
                requests.push(work.asked(shape, 1));
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
    Ok(Plan { rung, action, attempt: 1, requests, report: report.to_json(), spent: Spent::default() })
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
    let plan = plan(call, host)?;
    if call.options.summarize && !plan.requests.is_empty() {
        return Ok(Begun::Waits(Box::new(plan)));
    }
    commit(call, &plan, None, host).map(|committed| Begun::Done(Box::new(committed)))
}

/// What a plan asks a summarizer for, with the texts. Empty when the plan needs none, or no longer holds.
///
/// # Errors
/// When the call is refused, or the host cannot read a message.
pub fn requests(call: &Call, plan: &Plan, host: &mut dyn Host) -> Result<Vec<Request>, Error> {
    let work = Work::new(call)?;
    let (Move::Compact(shape), Some(asked)) = (&plan.action, plan.requests.first()) else { return Ok(Vec::new()) };
    if call.options.seed {
        return seed::requests(&work, shape, asked, host);
    }
    if !work.accepts(shape) {
        return Ok(Vec::new());
    }
    let view = work.project(host)?;
    let material = compose::material(&work.scene(&view), shape, true, host)?;
    let window = call.options.summarizer.window.unwrap_or(call.window);
    let bytes = request::material_bytes(window, asked.max_output_tokens, &work.calibration, &call.options.estimator);
    Ok(vec![Request {
        id: asked.id.clone(),
        kind: "summary",
        system: request::system(asked.max_output_tokens, call.focus.as_deref()),
        prompt: request::prompt(&material.source(), &call.todos, bytes),
        max_output_tokens: asked.max_output_tokens,
    }])
}

/// Applies a plan. Without answers to what it asks for, code writes a digest in their place.
///
/// # Errors
/// When the call is refused, or the host cannot read or make a message. Nothing has changed then.
pub fn commit(call: &Call, plan: &Plan, answers: Option<&[Answer]>, host: &mut dyn Host) -> Result<Committed, Error> {
    let mut work = Work::new(call)?;
    if call.options.seed {
        return seed::commit(work, plan, answers, host);
    }
    let first = work.project(host)?;
    let before = work.usage(&first);
    let mut report = work.report(before);
    let mut current = first.clone();
    let (mut rung, mut action) = (plan.rung, plan.action.clone());
    let stale = match &action {
        Move::Compact(shape) => !work.accepts(shape),
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
    let answers = answers.filter(|_| !stale);
    let mut revised = work.state.checkpoints.len() != call.state.checkpoints.len();
    let mut highest = Rung::Pass;
    for _ in 0..STEPS {
        let state = work.state.clone();
        match &action {
            Move::Pass | Move::Stuck => break,
            Move::Edit(edit) => apply(&mut work, *edit),
            Move::Compact(shape) => cover(
                &mut work,
                &current,
                shape,
                rung,
                answers.and_then(<[Answer]>::first).filter(|_| rung == Rung::Summarize),
                &mut report,
                host,
            )?,
        }
        let view = work.project(host)?;
        let helped = view.raw() < current.raw();
        if helped {
            // What was planned as a summary is a digest if no usable summary came.
            let digested = rung == Rung::Summarize
                && work.state.checkpoints.last().is_some_and(|checkpoint| checkpoint.kind == Kind::Digest);
            highest = highest.max(if digested { Rung::Digest } else { rung });
            revised = true;
            current = view;
        } else {
            // A rung that makes nothing smaller is not taken; brakes it put on stay on.
            work.state = SessionState { breaker: work.state.breaker, ..state };
            work.history.active = work.state.checkpoints.len().checked_sub(1);
            current = work.project(host)?;
        }
        let scene = work.scene(&current);
        let from = step_after(rung, helped);
        (rung, action) = plan::next(&scene, from, false);
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
    remember_rewrites(&mut work, &current);
    report.after = work.usage(&current);
    let covered_anew = work.state.checkpoints.last().map(|checkpoint| checkpoint.revision)
        != call.state.checkpoints.last().map(|checkpoint| checkpoint.revision);
    report.first_changed = if revised { first_changed(&first, &current, covered_anew) } else { None };
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
        (Outcome::Projected, passed(&report.after))
    } else {
        (Outcome::Unchanged, passed(&report.after))
    };
    work.state.calibration = work.calibration.clone();
    work.state.pending = Some(Pending {
        request: report.request.clone(),
        raw: report.after.raw,
        counted: call.counted,
        key: call.key(),
    });
    Ok(Committed { state: work.state, report, changed, view: sent, next: None })
}

/// The rung from which to look on after a move.
fn step_after(rung: Rung, helped: bool) -> Rung {
    match rung {
        Rung::Pass | Rung::Clip => Rung::Clear,
        Rung::Clear => Rung::Digest,
        // With less room taken, more may have to go: as long as that helps.
        Rung::Summarize | Rung::Digest if helped => Rung::Digest,
        Rung::Summarize | Rung::Digest => Rung::Squeeze,
        Rung::Squeeze => Rung::Trim,
        Rung::Trim if helped => Rung::Trim,
        Rung::Trim | Rung::Crush => Rung::Crush,
    }
}

fn apply(work: &mut Work<'_>, edit: Edit) {
    let Edit { cap, typed, clear } = edit;
    if let (Some(cap), Some(up_to)) = (cap, work.history.position(work.history.end())) {
        let cap = cap.max(plan::LEAST_CAP);
        // A wider or harder cut makes the older ones needless.
        work.state.clips.retain(|clip| clip.cap < cap || clip.typed && !typed);
        work.state.clips.push(Clip { up_to, cap, typed });
    }
    if let Some(up_to) = clear.and_then(|index| work.history.position(index)) {
        work.state.cleared = Some(up_to);
    }
}

/// Covers what a shape says, with the answer's text if there is a usable one.
fn cover(
    work: &mut Work<'_>,
    view: &View,
    shape: &Shape,
    rung: Rung,
    answer: Option<&Answer>,
    report: &mut Report,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let options = &work.call.options;
    let scene = work.scene(view);
    let little_new = work.little_new(&scene);
    let mut breaker = work.state.breaker;
    breaker.thrash = if little_new { breaker.thrash + 1 } else { 0 };
    let mut judged = None;
    if let Some(answer) = answer {
        let material = compose::material(&scene, shape, true, host)?;
        let most = scene.raw(shape.summary_tokens) * 3 / 2;
        match verify::judge(answer, material.raw, most.max(64), &options.estimator) {
            Ok(text) => {
                breaker.failures = 0;
                judged = Some((Kind::Summary, keep_literals(text, &material, &work.call.must_keep)));
            }
            Err(reason) => {
                breaker.failures += 1;
                if breaker.failures >= FAILURES {
                    breaker = Breaker { failures: 0, wait: WAIT, ..breaker };
                }
                report.warnings.push(Notice {
                    code: Warning::SummaryFailed,
                    path: Some("summarize".into()),
                    advice: format!("{reason} A digest made by code took its place; the next compaction tries again."),
                });
                report.failed = Some(reason);
            }
        }
    } else if rung <= Rung::Digest {
        breaker.wait = breaker.wait.saturating_sub(1);
    }
    let trimmed = work.history.active.filter(|_| rung == Rung::Trim).map(|active| {
        let checkpoint = &work.state.checkpoints[active];
        (
            Kind::Trim,
            compose::trimmed(
                compose::body(&checkpoint.summary.text),
                shape.covers.count - checkpoint.covers.count
                    + checkpoint.kept.len().saturating_sub(shape.kept.len()) as u64,
            ),
        )
    });
    let (kind, text) = match judged.or(trimmed) {
        Some(made) => made,
        None => {
            let material = compose::material(&scene, shape, false, host)?;
            let tokens = if rung == Rung::Trim { shape.summary_tokens / 2 } else { shape.summary_tokens };
            // The digest is code's own text: four bytes a raw token, but never more than half of what it replaces.
            let raw = scene.raw(tokens).min(material.raw / 2).max(plan::LEAST_CAP);
            let text = digest::write(&material.source(), usize::try_from(raw * 4).unwrap_or(usize::MAX));
            (
                if rung == Rung::Trim { Kind::Trim } else { Kind::Digest },
                keep_literals(text, &material, &work.call.must_keep),
            )
        }
    };
    let note = compose::progress(&scene, shape, host)?;
    let checkpoint =
        compose::checkpoint(&scene, shape, kind, compose::summary_text(&text), note, &work.call.ids, host)?;
    work.state.breaker = breaker;
    work.state.push(checkpoint);
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    Ok(())
}

/// Appends the literal strings that must stay and would go with the material.
fn keep_literals(mut text: String, material: &Material, literals: &[String]) -> String {
    let gone: Vec<&str> = literals
        .iter()
        .map(String::as_str)
        .filter(|literal| {
            !literal.is_empty() && text::find(&text, literal).is_none() && compose::mentions(material, literal)
        })
        .collect();
    if !gone.is_empty() {
        text.push_str("\n\n## To be kept literally");
        for literal in gone {
            text.push_str("\n- ");
            text.push_str(literal);
        }
    }
    text
}

/// Has the host make what is not its own, and says what to send.
pub(crate) fn render(work: &Work<'_>, view: &mut View, host: &mut dyn Host) -> Result<Vec<Sent>, Error> {
    let checkpoint = work.history.active.map(|active| &work.state.checkpoints[active]);
    let mut sent = Vec::with_capacity(view.items.len());
    for item in &mut view.items {
        let made = |text: &str, slot: &str, host: &mut dyn Host| -> Result<Option<Product>, Error> {
            checkpoint
                .map(|checkpoint| {
                    host.summary(text, &compose::message_id(checkpoint.revision, slot), checkpoint.covers.count)
                })
                .transpose()
        };
        match (item.slot, checkpoint) {
            (Slot::Summary, Some(checkpoint)) => {
                item.made = made(&checkpoint.summary.text, compose::SUMMARY_SLOT, host)?
            }
            (Slot::Note, Some(checkpoint)) => {
                if let Some(note) = &checkpoint.note {
                    item.made = made(&note.text, compose::NOTE_SLOT, host)?;
                }
            }
            _ => {}
        }
        match (&item.made, item.slot) {
            (Some(product), _) => sent.push(Sent::Made(product.number)),
            (None, Slot::Host { input, .. }) => sent.push(Sent::Input(input)),
            (None, _) => {}
        }
    }
    Ok(sent)
}

/// Notes the hashes of edited messages whose content hash differs from the original's.
fn remember_rewrites(work: &mut Work<'_>, view: &View) {
    for item in &view.items {
        if let (Some(product), Slot::Host { input, .. }) = (&item.made, item.slot)
            && let Some(made) = crate::message::Digest::split(&product.record).and_then(|all| all.first().copied())
            && work.history.messages[input].has(PartKind::Text)
        {
            work.state.rewrite(made.hash(), work.history.hash(input));
        }
    }
}

/// The first place where two views differ.
pub(crate) fn first_changed(before: &View, after: &View, covered_anew: bool) -> Option<u64> {
    let same = |(left, right): &(&view::Item, &view::Item)| match (left.slot, right.slot) {
        (Slot::Host { .. }, Slot::Host { .. }) => {
            left.slot == right.slot
                && left.made.as_ref().map(|product| &product.record)
                    == right.made.as_ref().map(|product| &product.record)
        }
        // Messages of ours are made anew when something is covered anew.
        (left, right) => left == right && !covered_anew,
    };
    let common = before.items.iter().zip(&after.items).take_while(same).count();
    (common < before.items.len().max(after.items.len())).then_some(common as u64)
}

pub(crate) fn passed(usage: &Usage) -> String {
    format!("The request of about {} tokens is below the trigger of {}.", usage.tokens, usage.trigger)
}

pub(crate) fn why(usage: &Usage, limit: u64, asked: bool) -> String {
    if asked {
        return format!("Compaction was asked for at about {} tokens.", usage.tokens);
    }
    if usage.tokens + usage.bound < limit {
        return format!(
            "The strategy compacts at this number of messages; the request had about {} tokens.",
            usage.tokens
        );
    }
    format!("The request of about {} tokens (up to {} more) reached the trigger of {limit}.", usage.tokens, usage.bound)
}

pub(crate) fn infeasible(usage: &Usage) -> String {
    let parts = usage.parts;
    format!(
        "Even the smallest legal view of about {} tokens does not fit the window of {}: system and what the provider adds {}, tools {}, user {}, assistant {}, tool results {}, media {}, summary {}. Shorten the largest of them or use a larger window.",
        usage.tokens,
        usage.window,
        parts.system,
        parts.tools,
        parts.user,
        parts.assistant,
        parts.results,
        parts.media,
        parts.summary
    )
}

/// Learns from what a provider reported for the request that is pending. Anything that does not fit is ignored.
pub fn after_model(
    call: &crate::options::Options,
    state: &SessionState,
    prompt: Option<u64>,
    request: Option<&str>,
) -> SessionState {
    let mut state = state.clone();
    if call.seed {
        return seed::after_model(state, prompt, request);
    }
    let Some(pending) = state.pending.clone() else { return state };
    if request.is_some_and(|request| request != pending.request) {
        return state;
    }
    // One reading for each request, whatever it is worth.
    state.pending = None;
    if let Some(reported) = prompt.filter(|&prompt| prompt > 1) {
        state.calibration = state.calibration.under(&pending.key);
        state.calibration.learn(
            crate::tokens::calibration::Reading { raw: pending.raw, reported },
            pending.counted,
            call.estimator.slope(),
        );
    }
    state
}

/// The first message a host must load for a state, and its id if the format has ids.
pub fn keep_from(state: &SessionState) -> (u64, Option<&str>) {
    state.checkpoints.last().map_or((0, None), |checkpoint| (checkpoint.from, checkpoint.from_id.as_deref()))
}

/// The newest summary, for people to read.
pub fn summary_of(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| compose::body(&checkpoint.summary.text))
}

/// A position for tests and tools: where a history of these records ends.
pub fn end_of(records: &[u32]) -> Option<Position> {
    Some(
        crate::message::Digest::split(records)?
            .iter()
            .fold(Position::START, |position, digest| position.after(digest.hash())),
    )
}

/// Usage as plain JSON.
pub fn usage_json(usage: Usage) -> Json {
    usage.to_json()
}
