//! The end of a commit: the messages to send, the report, and what the state notes of the request.

use crate::base::error::{Error, Warning};
use crate::base::text;
use crate::call::committed::Committed;
use crate::call::render::{Rendered, first_changed, first_edited, lacking, remember_rewrites, render};
use crate::engine::commit::Commit;
use crate::engine::fast_path;
use crate::engine::fit::Fit;
use crate::engine::skipped;
use crate::ingest::host::Host;
use crate::ladder::RungId;
use crate::ladder::protection;
use crate::limits::thinking;
use crate::report::change::{Action, Change};
use crate::session::own;
use crate::summary::block::Block;

/// The most literal strings of `mustKeep` that warnings name; the others are one number.
const MOST_LOST: usize = 16;

impl Commit<'_> {
    /// Builds the messages to send, the report and the state.
    pub(super) fn finish(mut self, host: &mut dyn Host) -> Result<Committed, Error> {
        let scene = self.work.scene(&self.current);
        let (fit, covers) = (Fit::of(&scene), scene.covered());
        let lost = if self.revised { protection::lost(&scene) } else { Vec::new() };
        if self.revised {
            self.work.state.revision += 1;
        }
        let Rendered { view: sent, messages, joined } = render(&self.work, &mut self.current, host)?;
        if self.is_sent() {
            let known = core::mem::take(&mut self.work.state.own);
            self.work.state.own = own::following(known, self.work.history.passed.take(), (&messages, joined), covers);
        }
        self.warn_of_losses(lost, host)?;
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

    /// Warns of requirements and literal strings that the view no longer holds. `unkept`: what should have been kept whole.
    fn warn_of_losses(&mut self, unkept: Vec<(String, u64)>, host: &mut dyn Host) -> Result<(), Error> {
        if self.cut_requirements {
            self.warn(Warning::RequirementsCut, None, "The summary has no room for everything that was required or requested. Pin these messages, or use a model with a larger window.");
        }
        for (name, count) in unkept {
            let what = if name == "keep" { "messages" } else { "results" };
            let advice = format!(
                "{count} {what} that should be kept whole did not fit and were cleared, cut or summarized. Keep fewer, or use a model with a larger window."
            );
            self.warn(Warning::KeepLost, Some(&name), &advice);
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
        let changed_here =
            if self.revised { first_changed(&self.start.view, &self.current, covered_anew) } else { None };
        // Another model counts tokens differently, so clipped content is cut to a different length.
        let cut_anew = if self.call.counts_anew() { first_edited(&self.current) } else { None };
        self.report.first_changed = changed_here.into_iter().chain(cut_anew).chain(self.start.broken_at).min();
        (self.report.thinking, self.report.provider) = self.work.thinking();
        if self.sends_signed_block() {
            self.report.provider.get_or_insert_default().compacts = true;
        }
        if self.work.demands.0.bound && self.current.has_tail_first() {
            // Whether thinking behind its own summary holds is for the provider to say. A refusal would cost more.
            let controls = thinking::controls(self.call.model.as_deref().unwrap_or_default());
            self.report.provider.get_or_insert_default().controls = Some(controls);
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

    /// Stores what is sent, for the usage that will be reported for it.
    fn store_pending(&mut self) {
        if !self.is_sent() {
            self.work.forget_view(self.start.baseline.as_ref());
            return;
        }
        // A compaction ahead of time is not sent now: the usage of the last request is still expected.
        if self.plan.job.ahead && self.work.state.pending.is_some() {
            return;
        }
        // Requests may be on their way that know nothing of it: no reply is bound to it yet.
        let sent = if self.plan.job.ahead { None } else { self.work.remember_sent(&self.current) };
        self.work.state.pending = Some(self.work.pending(&self.report, sent));
    }
}
