//! Commits a plan in phases: checks whether the plan still holds, judges the summarizer's answers, climbs the ladder,
//! and builds the view and report.

use crate::base::error::{Error, Warning};
use crate::base::text;
use crate::call::brakes::KeepsOut;
use crate::call::committed::Committed;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::call::render::{Rendered, first_changed, first_edited, lacking, remember_rewrites, render};
use crate::engine::covering::Covering;
use crate::engine::fast_path;
use crate::engine::fit::Fit;
use crate::engine::questions::Answered;
use crate::engine::restoring;
use crate::engine::skipped;
use crate::engine::step;
use crate::engine::summarizing::{self, Settled, Summary};
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::protection;
use crate::ladder::{self, Move, RungId, strategies};
use crate::limits::provider_refusal::Refusal;
use crate::report::change::{self, Action, Change};
use crate::report::{Notice, Report};
use crate::session::own;
use crate::session::state::Pending;
use crate::session::view::View;
use crate::summary::block::Block;

/// The most steps of one commit. No history that can be made to fit needs more.
const STEPS: usize = 32;
/// The most literal strings of `mustKeep` that warnings name; the others are one number.
const MOST_LOST: usize = 16;

/// A commit in progress.
pub(crate) struct Commit<'a> {
    call: &'a Call,
    plan: &'a Plan,
    /// The summarizer's answers, if the plan asked for some.
    answered: Option<Answered<'a>>,
    work: Work<'a>,
    /// The view without the plan.
    first: View,
    /// The current view.
    current: View,
    report: Report,
    /// The next action, and the rung that proposed it.
    rung: RungId,
    action: Move,
    /// Whether the plan no longer held and the request was decided again.
    stale: bool,
    /// The summary, until a checkpoint holds it.
    summary: Option<Summary>,
    /// The plan of the next round, if one is needed.
    next: Option<Plan>,
    /// The highest rung that made the view smaller.
    highest: RungId,
    /// Whether the view differs from what the previous state would produce.
    revised: bool,
    /// Whether the number of messages calls for a compaction.
    counts: bool,
    /// Why the summarizer is not called.
    keeps_out: Option<KeepsOut>,
    /// Whether a summary had to leave out requirements of the user.
    cut_requirements: bool,
}

/// Writes the active checkpoint again, and returns whether it did.
type Rewriting = fn(&mut Work<'_>, &View, &mut dyn Host) -> Result<bool, Error>;

impl<'a> Commit<'a> {
    pub(crate) fn new(
        call: &'a Call,
        plan: &'a Plan,
        answered: Option<Answered<'a>>,
        work: Work<'a>,
        first: View,
    ) -> Self {
        let before = work.usage(&first);
        Self {
            report: work.report(before),
            current: first.clone(),
            // Answers are ignored if the plan asked nothing.
            answered: answered.filter(|_| plan.job.pieces > 0),
            rung: plan.rung,
            action: plan.action.clone(),
            stale: false,
            summary: None,
            next: None,
            highest: RungId::Pass,
            revised: work.state.checkpoints.len() != call.state.checkpoints.len()
                || call.refusal == Some(Refusal::Block)
                || work.broken_at.is_some()
                || call.of_other.is_some(),
            counts: strategies::counts(&work.scene(&first)),
            cut_requirements: false,
            keeps_out: None,
            call,
            plan,
            work,
            first,
        }
    }

    /// Runs all phases.
    ///
    /// # Errors
    ///
    /// If the host cannot read or create a message. Nothing is changed then.
    pub(crate) fn run(mut self, host: &mut dyn Host) -> Result<Committed, Error> {
        self.check();
        self.settle(host)?;
        self.climb(host)?;
        self.restore(host)?;
        self.finish(host)
    }

    /// Checks whether the plan still holds. If not, decides the request again without a summarizer.
    fn check(&mut self) {
        let Self { work, call, .. } = self;
        let scene = work.scene(&self.current);
        if call.options.summarize && self.action != Move::Pass {
            self.keeps_out = work.keeps_out(&scene);
        }
        let holds = match &self.action {
            Move::Compact(shape) => work.accepts(shape, self.answered.is_some()),
            Move::Pass => work.rebuilds.is_none() && scene.fits(self.current.raw()),
            Move::Edit(_) | Move::Stuck => false,
        };
        if holds && !call.provider_compacts {
            return;
        }
        self.stale = true;
        let again = work.decide(&scene, RungId::Pass, false);
        if matches!(self.action, Move::Compact(_)) && !call.provider_compacts {
            self.warn(Warning::StalePlan, Some("plan"), "The history or the state has changed since this plan was made. The request was decided again, without a summarizer.");
        }
        (self.rung, self.action) = again;
    }

    /// Judges the answers: the result is a summary, a further round, or a digest in their place.
    fn settle(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        let (Move::Compact(shape), Some(answered), false) = (self.action.clone(), self.answered, self.stale) else {
            if self.rung == RungId::Summarize {
                self.rung = RungId::Digest;
            }
            return Ok(());
        };
        match summarizing::settle(&mut self.work, &self.first, self.plan, &shape, answered, &mut self.report, host)? {
            Settled::Summary(summary) => self.summary = Some(summary),
            // Until the summary is complete, code makes the view fit if necessary.
            Settled::Next(plan) => self.next = Some(*plan),
            Settled::Failed => {}
        }
        if !self.is_sent() {
            // The view of this commit is not sent, so it stays as it is.
            (self.rung, self.action) = (RungId::Pass, Move::Pass);
        } else if self.summary.is_none() {
            self.work.harden()?;
            let scene = self.work.scene(&self.current);
            let passes = scene.fits(self.current.raw()) && !self.call.now && !strategies::fires(&scene);
            (self.rung, self.action) = if passes {
                (RungId::Pass, Move::Pass)
            } else if self.work.accepts(&shape, false) {
                (RungId::Digest, Move::Compact(shape))
            } else {
                self.work.decide(&scene, RungId::Pass, false)
            };
        }
        Ok(())
    }

    /// Climbs rung by rung, until the view fits or no rung makes it smaller.
    fn climb(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        // A summary may be longer than the digest it replaces.
        let replaces = matches!(&self.action, Move::Compact(shape) if !self.work.accepts(shape, false));
        let mut gained = false;
        for _ in 0..STEPS {
            match self.action {
                Move::Stuck if gained => {
                    // After a late rung cut something, an early one may help again.
                    gained = false;
                    (self.rung, self.action) = ladder::next(&self.work.scene(&self.current), RungId::Pass, false);
                    continue;
                }
                Move::Pass | Move::Stuck => break,
                Move::Edit(_) | Move::Compact(_) => {}
            }
            let helped = self.step(replaces, host)?;
            gained |= helped;
            let scene = self.work.scene(&self.current);
            (self.rung, self.action) = match self.rung.then(helped) {
                Some(from) => ladder::next(&scene, from, false),
                None => (self.rung, Move::Stuck),
            };
        }
        Ok(())
    }

    /// Takes one step, and undoes it if the view did not become smaller. Returns whether it did.
    fn step(&mut self, replaces: bool, host: &mut dyn Host) -> Result<bool, Error> {
        let Self { work, current, summary, .. } = self;
        let (rung, asked, digested) = (self.rung, self.answered.is_some() && !self.stale, self.plan.job.digested);
        let mut lost = false;
        let replaces = rung == RungId::Summarize && replaces;
        let view = step::take(work, current, replaces, host, &mut |work, host| {
            match &self.action {
                Move::Edit(edit) => step::edit(work, current, *edit),
                Move::Compact(shape) => {
                    let summary = summary.take();
                    let reads_all = summary.is_some() && digested == 0;
                    let covering = Covering { view: current, shape, rung, asked, reads_all };
                    lost = covering.make(work, summary, host)?;
                }
                Move::Pass | Move::Stuck => {}
            }
            Ok(())
        })?;
        let Some(view) = view else {
            self.current = self.work.project(host)?;
            return Ok(false);
        };
        self.cut_requirements |= lost;
        self.highest = self.highest.max(self.rung);
        self.revised = true;
        let changes = self.changes(&view);
        self.report.changes.extend(changes);
        self.current = view;
        Ok(true)
    }

    /// Writes a shortened digest again in full if edits made room for it, and puts what the host wants around a summary back.
    fn restore(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        if !self.revised || self.next.is_some() {
            return Ok(());
        }
        if self.highest < RungId::Summarize {
            self.rewrite(restoring::restore, true, host)?;
        }
        self.rewrite(restoring::reframe, false, host)
    }

    /// Writes the active checkpoint again, unless the view no longer fits then. `spares`: it must leave room, too.
    fn rewrite(&mut self, write: Rewriting, spares: bool, host: &mut dyn Host) -> Result<(), Error> {
        let state = self.work.state.clone();
        if !write(&mut self.work, &self.current, host)? {
            return Ok(());
        }
        let view = self.work.project_bound(host)?;
        let scene = self.work.scene(&view);
        if scene.fits(view.raw()) && (!spares || scene.leaves_room(view.raw())) {
            let (count, rung) = (self.work.history.messages.len(), self.highest.as_str());
            let covered = change::covered_between(rung, &self.current, &view, count, &|raw| scene.estimate_of(raw));
            // The change replaces the result of the last covering.
            match self.report.changes.iter_mut().rfind(|change| change.action == Action::Cover) {
                Some(change) => change.after = covered.after,
                None => self.report.changes.push(covered),
            }
            self.current = view;
        } else {
            self.work.state = state;
            self.work.history.active = self.work.state.checkpoints.len().checked_sub(1);
        }
        Ok(())
    }

    /// The changes that a successful step made to messages, derived from the view after it.
    fn changes(&self, view: &View) -> Vec<Change> {
        let (scene, rung) = (self.work.scene(view), self.rung.as_str());
        let (count, scale) = (self.work.history.messages.len(), |raw| scene.estimate_of(raw));
        match &self.action {
            Move::Compact(_) => vec![change::covered_between(rung, &self.current, view, count, &scale)],
            Move::Edit(edit) => {
                let cleared = edit.clear.max(edit.thoughts).unwrap_or(0);
                change::edited_between(rung, &self.current, view, (count, cleared), &scale)
            }
            Move::Pass | Move::Stuck => Vec::new(),
        }
    }

    /// Builds the messages to send, the report and the state.
    fn finish(mut self, host: &mut dyn Host) -> Result<Committed, Error> {
        let fit = Fit::of(&self.work, &self.current);
        if self.revised {
            self.work.state.revision += 1;
        }
        let Rendered { view: sent, messages, joined } = render(&self.work, &mut self.current, host)?;
        if self.is_sent() {
            let covers = self.work.scene(&self.current).covered();
            let known = core::mem::take(&mut self.work.state.own);
            self.work.state.own = own::following(known, self.work.history.passed.take(), (&messages, joined), covers);
        }
        self.warn_of_losses(host)?;
        remember_rewrites(&mut self.work, &self.current);
        let changed = !self.current.is_input(&self.work.history);
        self.complete_report(&fit, changed);
        let is_ours = !self.call.provider_compacts;
        let nothing_done = is_ours && self.highest == RungId::Pass && !self.revised && fit.fits && !fit.tight;
        let (work, current) = (&self.work, &self.current);
        let standing =
            if nothing_done { fast_path::of(work, current, work.history.first(), changed, None) } else { None };
        self.work.state.calibration = self.work.calibration.clone();
        if self.is_sent() {
            let end = self.work.history.position(self.work.history.end());
            self.work.state.fired = end.filter(|_| self.counts || self.work.state.fired == end);
        }
        self.store_pending();
        let Self { work, report, next, .. } = self;
        Ok(Committed { state: work.state, report, changed, view: sent, next, standing })
    }

    /// Warns of requirements and literal strings that the view no longer holds.
    fn warn_of_losses(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        if self.cut_requirements {
            self.warn(Warning::RequirementsCut, None, "The summary has no room for everything that was required or requested. Pin these messages, or use a model with a larger window.");
        }
        if self.revised {
            for (name, count) in protection::lost(&self.work.scene(&self.current)) {
                let what = if name == "keep" { "messages" } else { "results" };
                let advice = format!(
                    "{count} {what} that should be kept whole did not fit and were cleared, cut or summarized. Keep fewer, or use a model with a larger window."
                );
                self.warn(Warning::KeepLost, Some(&name), &advice);
            }
        }
        let lacking = lacking(&self.work, &self.current, host)?;
        let more = lacking.len().saturating_sub(MOST_LOST);
        let lost = lacking.into_iter().take(MOST_LOST).map(|literal| {
            let literal = text::start(literal, 80);
            format!("\"{literal}\" is no longer in the view: the message that contains it had to be cut.")
        });
        for advice in lost.collect::<Vec<_>>() {
            self.warn(Warning::MustKeepLost, Some("mustKeep"), &advice);
        }
        if more > 0 {
            let advice =
                format!("{more} more are no longer in the view: the messages that contain them had to be cut.");
            self.warn(Warning::MustKeepLost, Some("mustKeep"), &advice);
        }
        Ok(())
    }

    fn complete_report(&mut self, fit: &Fit, changed: bool) {
        let checkpoints = &self.work.state.checkpoints;
        let covered_anew = checkpoints.last().map(|checkpoint| checkpoint.revision)
            != self.call.state.checkpoints.last().map(|checkpoint| checkpoint.revision);
        let changed_here = if self.revised { first_changed(&self.first, &self.current, covered_anew) } else { None };
        // Another model counts tokens differently, so clipped content is cut to a different length.
        let cut_anew = if self.call.counts_anew() { first_edited(&self.current) } else { None };
        self.report.first_changed = changed_here.into_iter().chain(cut_anew).chain(self.work.broken_at).min();
        (self.report.thinking, self.report.provider) = self.work.thinking();
        if self.sends_signed_block() {
            self.report.provider.get_or_insert_default().compacts = true;
        }
        self.report.keep_from = checkpoints.last().map_or(0, |checkpoint| checkpoint.from);
        self.report.after = self.work.usage(&self.current);
        self.report.saved = self.work.saved(&self.current);
        self.report.cost = self.work.cost(&self.current, self.report.saved, self.report.first_changed);
        self.report.request = self.work.request_id();
        self.report.rung = Some(self.highest.as_str());
        let covers = |change: &Change| change.action == Action::Cover;
        if self.call.options.summarize && self.answered.is_none() && self.report.changes.iter().any(covers) {
            self.report.skipped = Some(skipped::reason(self.keeps_out, self.plan, self.stale, fit.tight));
        }
        if fit.tight && (fit.fits || !fit.over) {
            self.warn(Warning::Tight, None, "System prompt, tools and pinned messages nearly fill the window: shorten them or use a model with a larger one.");
        }
        (self.report.outcome, self.report.reason) = fit.outcome(&self.work, &self.report, self.highest, changed);
    }

    /// Whether the view has a provider's own summary that must be announced.
    fn sends_signed_block(&self) -> bool {
        let active = self.work.history.active.map(|active| &self.work.state.checkpoints[active]);
        let block = active.and_then(|checkpoint| checkpoint.block.as_ref());
        block.is_some_and(Block::is_signed) && self.current.has_block()
    }

    /// Whether the view is sent. That of a round after which the summarizer is asked again is not.
    const fn is_sent(&self) -> bool {
        self.next.is_none() || !self.call.asking
    }

    /// Stores what is sent, for the usage that will be reported for it.
    fn store_pending(&mut self) {
        if !self.is_sent() {
            self.work.forget_view();
            return;
        }
        // A compaction ahead of time is not sent now: the usage of the last request is still expected.
        if self.plan.job.ahead && self.work.state.pending.is_some() {
            return;
        }
        self.work.remember_sent(&self.current);
        self.work.state.pending = Some(Pending {
            sent: self.work.sent,
            request: self.report.request.clone(),
            raw: self.report.after.raw,
            at: self.work.history.position(self.work.history.end()),
            counted: self.call.counted,
            window: self.call.window,
            key: self.call.key(),
        });
    }

    fn warn(&mut self, code: Warning, path: Option<&str>, advice: &str) {
        self.report.warnings.push(Notice { code, path: path.map(str::to_owned), advice: advice.to_owned() });
    }
}
