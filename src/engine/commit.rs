//! Commits a plan in phases: checks whether the plan still holds, and decides the request again without a summarizer if not;
//! judges the summarizer's answers; climbs the ladder; and builds the view and report.

mod ending;

use crate::base::error::{Error, Warning};
use crate::call::bound::Start;
use crate::call::brakes::KeepsOut;
use crate::call::committed::Committed;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::engine::covering::Covering;
use crate::engine::editing::Editing;
use crate::engine::questions::{self, Answered};
use crate::engine::restoring;
use crate::engine::step::{self, Step};
use crate::engine::summarizing::{self, Settled, Summary};
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::{self, Move, RungId, Scene, strategies};
use crate::limits::provider_refusal::Refusal;
use crate::report::change::{self, Action, Change};
use crate::report::{Notice, Report};
use crate::session::compaction::Checkpoint;
use crate::session::view::View;

/// The most steps of one commit. No history that can be made to fit needs more.
const STEPS: usize = 32;

/// A commit in progress.
pub(crate) struct Commit<'a> {
    call: &'a Call,
    plan: &'a Plan,
    /// The summarizer's answers, if the plan asked for some.
    answered: Option<Answered<'a>>,
    work: Work<'a>,
    /// How the call begins: its view is the one without the plan.
    start: Start,
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

impl<'a> Commit<'a> {
    pub(crate) fn new(
        call: &'a Call,
        plan: &'a Plan,
        answered: Option<Answered<'a>>,
        work: Work<'a>,
        start: Start,
    ) -> Self {
        // Answers are ignored if the plan asked nothing.
        let answered = answered.filter(|_| plan.job.pieces > 0);
        let scene = work.scene(&start.view);
        let stale = call.provider_compacts || !holds(&work, &scene, &plan.action, answered.is_some());
        let (rung, action) =
            if stale { work.decide(&scene, RungId::Pass, false) } else { (plan.rung, plan.action.clone()) };
        let asks = call.options.summarize && plan.action != Move::Pass;
        let mut commit = Self {
            report: work.report(work.usage(&start.view)),
            current: start.view.clone(),
            answered,
            rung,
            action,
            stale,
            summary: None,
            next: None,
            highest: RungId::Pass,
            revised: work.state.checkpoints.len() != call.state.checkpoints.len()
                || call.refusal == Some(Refusal::Block)
                || start.broken_at.is_some()
                || call.of_other.is_some(),
            counts: strategies::counts(&scene),
            cut_requirements: false,
            keeps_out: if asks { work.keeps_out(&scene) } else { None },
            call,
            plan,
            work,
            start,
        };
        if stale && matches!(plan.action, Move::Compact(_)) && !call.provider_compacts {
            commit.warn(Warning::StalePlan, Some("plan"), "The history or the state has changed since this plan was made. The request was decided again, without a summarizer.");
        }
        commit
    }

    /// Runs all phases.
    ///
    /// # Errors
    ///
    /// If the host cannot read or create a message. Nothing is changed then.
    pub(crate) fn run(mut self, host: &mut dyn Host) -> Result<Committed, Error> {
        self.settle(host)?;
        self.climb(host)?;
        self.restore(host)?;
        self.finish(host)
    }

    /// Judges the answers: the result is a summary, a further round, or a digest in their place.
    fn settle(&mut self, host: &mut dyn Host) -> Result<(), Error> {
        let (Move::Compact(shape), Some(answered), false) = (self.action.clone(), self.answered, self.stale) else {
            if self.rung == RungId::Summarize {
                self.rung = RungId::Digest;
            }
            return Ok(());
        };
        let again;
        let questions = match answered.questions {
            Some(questions) => questions,
            None => {
                let scene = self.work.scene(&self.start.view);
                again = questions::write(&self.work, &scene, &shape, self.plan, host)?;
                &again
            }
        };
        let judged = (questions, answered.answers);
        match summarizing::settle(&mut self.work, self.plan, &shape, judged, &mut self.report) {
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
        let asked = self.answered.is_some() && !self.stale;
        let (mut from, mut gained) = (None, false);
        for _ in 0..STEPS {
            let scene = self.work.scene(&self.current);
            if let Some(from) = from {
                (self.rung, self.action) = ladder::next(&scene, from, false);
            }
            if self.action == Move::Stuck && gained {
                // After a late rung cut something, an early one may help again.
                gained = false;
                (self.rung, self.action) = ladder::next(&scene, RungId::Pass, false);
            }
            let rung = self.rung;
            let step = match &self.action {
                Move::Pass | Move::Stuck => break,
                Move::Edit(edit) => Step::Edit(Editing::of(&scene, *edit)),
                Move::Compact(shape) => {
                    let summary = self.summary.take();
                    let reads_all = summary.is_some() && self.plan.job.digested == 0;
                    let covering = Covering { scene: &scene, shape, rung, asked, reads_all };
                    Step::Cover(Box::new(covering.write(&self.work, summary, host)?))
                }
            };
            let helped = self.step(step, replaces && rung == RungId::Summarize, host)?;
            gained |= helped;
            from = rung.then(helped);
            if from.is_none() {
                self.action = Move::Stuck;
            }
        }
        Ok(())
    }

    /// Takes one step, and undoes it if the view did not become smaller. Returns whether it did.
    fn step(&mut self, step: Step, replaces: bool, host: &mut dyn Host) -> Result<bool, Error> {
        let lost = matches!(&step, Step::Cover(cover) if cover.lost);
        let before = (&self.current, self.start.baseline.as_ref());
        let Some(view) = step::take(&mut self.work, before, step, replaces, host)? else {
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
            let restored = restoring::restored(&self.work, &self.current, host)?;
            self.replace(restored, true, host)?;
        }
        let reframed = restoring::reframed(&self.work, host)?;
        self.replace(reframed, false, host)
    }

    /// Replaces the active checkpoint, unless the view no longer fits then. `spares`: it must leave room, too.
    fn replace(&mut self, checkpoint: Option<Checkpoint>, spares: bool, host: &mut dyn Host) -> Result<(), Error> {
        let Some(checkpoint) = checkpoint else { return Ok(()) };
        let state = self.work.state.clone();
        restoring::replace_newest(&mut self.work, checkpoint);
        let view = self.work.project_bound(self.start.baseline.as_ref(), host)?;
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
        let (rung, count) = (self.rung.as_str(), self.work.history.messages.len());
        let scale = |raw| self.work.scaled(raw);
        match &self.action {
            Move::Compact(_) => vec![change::covered_between(rung, &self.current, view, count, &scale)],
            Move::Edit(edit) => {
                let cleared = edit.clear.max(edit.thoughts).unwrap_or(0);
                change::edited_between(rung, &self.current, view, (count, cleared), &scale)
            }
            Move::Pass | Move::Stuck => Vec::new(),
        }
    }

    /// Whether the view is sent. That of a round after which the summarizer is asked again is not.
    const fn is_sent(&self) -> bool {
        self.next.is_none() || !self.call.asking
    }

    fn warn(&mut self, code: Warning, path: Option<&str>, advice: &str) {
        self.report.warnings.push(Notice { code, path: path.map(str::to_owned), advice: advice.to_owned() });
    }
}

/// Whether what a plan does can still be done. `answered`: with an answer from a model.
fn holds(work: &Work<'_>, scene: &Scene<'_>, action: &Move, answered: bool) -> bool {
    match action {
        Move::Compact(shape) => work.accepts(shape, answered),
        Move::Pass => work.rebuilds.is_none() && scene.fits(scene.view.raw()),
        Move::Edit(_) | Move::Stuck => false,
    }
}
