//! Leaves out reasoning that is bound to something else than what is sent before it now, where the provider checks that.
//!
//! At the start of a call the marks of the state are compared with the view that the state would give now. Where they
//! agree, the whole beginning of that view is what was sent. Each view of the call is then compared with that. From
//! the first message whose prefix differs, in the order of the view, signed reasoning up to the end of the history is
//! noted in `stale`. Covered messages count as well, because they may come back. Only what is sent counts: the view of
//! a round after which the summarizer is asked again leaves no trace.
//!
//! What is noted stays noted, because reasoning that was produced without it would be broken by its return. A run ends
//! where the history ended, so what is produced later stays, and a rewind shortens it. If there are too many runs, the
//! oldest reasoning goes, which breaks nothing after it; nothing is ever taken out of the middle. A message of nothing
//! but stale reasoning goes as a whole. Where a provider demands the reasoning of the open round, that stays.

use crate::base::error::Error;
use crate::call::context::Work;
use crate::call::thinking::{self, Baseline};
use crate::ingest::host::Host;
use crate::limits::thinking as rules;
use crate::limits::thinking_refusal::Complaint;
use crate::report::{Provider, Thinking};
use crate::session::prefixes::{Prefixes, Sent};
use crate::session::sent::{self, SentPrefixes, Stale};
use crate::session::view::View;

/// How a call begins.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The view, without reasoning that is no longer valid because of what happened since the last request.
    pub(crate) view: View,
    /// What each view of the call is compared with, where reasoning may be bound to it.
    pub(crate) baseline: Option<Baseline>,
    /// The index in the view of the first message whose reasoning was found to be stale.
    pub(crate) broken_at: Option<u64>,
}

impl Work<'_> {
    /// What is sent before each message, if reasoning is bound to it.
    pub(crate) fn prefixes(&self, view: &View) -> Option<Prefixes> {
        self.history.binds_before.map(|_| Prefixes::of(view, &self.history, &self.state))
    }

    /// Begins the call: looks at what has happened since the last request.
    pub(crate) fn begin(&mut self, host: &mut dyn Host) -> Result<Start, Error> {
        let whole = self.project(host)?;
        let Some(first) = self.prefixes(&whole) else {
            return Ok(Start { view: whole, baseline: None, broken_at: None });
        };
        let is_another = thinking::is_another_request(self.call, &self.state);
        let sent = Sent::new(thinking::known(&self.state), &first, &self.history, is_another);
        let baseline = Some(Baseline { stale: self.state.stale.clone(), sent });
        let view = self.stripped(whole.clone(), baseline.as_ref(), host)?;
        let broken_at = difference(&whole, &view);
        Ok(Start { view, baseline, broken_at })
    }

    /// Projects the view without the reasoning that is no longer valid. What counts is what was sent: views between were
    /// not.
    pub(crate) fn project_bound(&mut self, baseline: Option<&Baseline>, host: &mut dyn Host) -> Result<View, Error> {
        self.forget_view(baseline);
        let view = self.project(host)?;
        self.stripped(view, baseline, host)
    }

    /// A view without reasoning that is not valid in it.
    fn stripped(&mut self, view: View, baseline: Option<&Baseline>, host: &mut dyn Host) -> Result<View, Error> {
        let (Some(baseline), Some(spared)) = (baseline, self.history.binds_before) else { return Ok(view) };
        let Some(now) = self.prefixes(&view) else { return Ok(view) };
        if let Some(Stale { from, to }) = baseline.sent.stood_for(&now) {
            sent::leave_out(&mut self.state.stale, from, to);
        }
        let Some(from) = baseline.sent.stale_from(&now, spared) else { return Ok(view) };
        sent::leave_out(&mut self.state.stale, from, self.history.end());
        self.project(host)
    }

    /// Learns from a refusal of reasoning. What the provider refused is not known, so all that was sent goes.
    pub(crate) fn learn_of_thinking(&mut self, complaint: Complaint) {
        let mut learned = self.state.learned(&self.call.key());
        learned.thinking = Some(complaint);
        self.state.learn(learned);
        if complaint == Complaint::MissingBesideCalls {
            self.state.thoughts = None;
        }
        let (demands, source) = thinking::demands(self.call, &self.state);
        self.demands = (demands, source);
        self.history.binds_before = thinking::binds_before(self.call, &self.history, demands);
        self.history.keeps_reasoning = demands.beside_calls;
        if demands.bound {
            // The reply to a request that was sent in place of the refused one is valid.
            let sent = thinking::last(&self.state).map(|mark| mark.at).filter(|&at| at <= self.history.end() && at > 0);
            sent::leave_out(&mut self.state.stale, 0, sent.unwrap_or(self.history.end()).max(1));
        }
    }

    /// Forgets what a view would leave out: it is not sent.
    pub(crate) fn forget_view(&mut self, baseline: Option<&Baseline>) {
        if let Some(baseline) = baseline {
            self.state.stale.clone_from(&baseline.stale);
        }
    }

    /// Remembers what is sent. Returns the hash of all of it, where reasoning may be bound to it.
    pub(crate) fn remember_sent(&mut self, view: &View) -> Option<u64> {
        let now = self.prefixes(view)?;
        let before = self.state.sent.take().unwrap_or_default();
        let beside = thinking::beside(self.call, before.beside);
        self.state.sent = Some(SentPrefixes { beside, marks: now.marks(&before.marks), end: before.end });
        Some(now.end().hash)
    }

    /// Whether the view lacks reasoning of these messages. What was thought in covered ones is in no view anyway, unless
    /// they stay.
    fn lacks(&self, gap: &Stale) -> bool {
        let Some(checkpoint) = self.state.checkpoints.last() else { return true };
        let is_in = |index: u64| (gap.from..gap.to).contains(&index);
        let is_pinned = |input: usize| self.history.is_pinned(input) && self.history.index_of(input).is_some_and(is_in);
        gap.to > checkpoint.covers.count
            || checkpoint.stays.all().any(|&index| is_in(index))
            || (0..self.history.messages.len()).any(is_pinned)
    }

    /// What the report says of reasoning, if any is left out or a refusal has taught something of it.
    pub(crate) fn thinking(&self) -> (Option<Thinking>, Option<Provider>) {
        let (demands, source) = self.demands;
        let shown: Vec<Stale> = self.state.stale.iter().filter(|gap| self.lacks(gap)).copied().collect();
        if self.call.options.preset.is_some() || shown.is_empty() && source != rules::Source::Learned {
            return (None, None);
        }
        let is_left_out = self.history.binds_before.is_some();
        let left_out = if is_left_out { shown } else { Vec::new() };
        let thinking = Thinking { bound: demands.bound, source, left_out };
        let controls = rules::controls(self.call.model.as_deref().unwrap_or_default());
        (Some(thinking), demands.bound.then_some(Provider { controls: Some(controls), ..Provider::default() }))
    }
}

/// The index of the first item in which a view differs from the one before.
pub(super) fn difference(before: &View, view: &View) -> Option<u64> {
    let at = before.items.iter().zip(&view.items).take_while(|(before, now)| before == now).count();
    (before.items.len() != view.items.len() || at < view.items.len()).then_some(at as u64)
}
