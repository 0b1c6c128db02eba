//! A call in progress: the history is placed, the state is current and the limits are known.

use crate::base::error::Error;
use crate::base::order;
use crate::call::covered;
use crate::call::input::Call;
use crate::call::left_out::{self, Given};
use crate::call::measure::Measure;
use crate::call::repair;
use crate::call::result_rules;
use crate::call::severed;
use crate::call::thinking;
use crate::ingest::host::Host;
use crate::ingest::pairs::{self, Cuts, Violation};
use crate::ladder::compact;
use crate::ladder::shape::Shape;
use crate::ladder::{self, Move, RungId, Scene};
use crate::limits::budget::{Limits, Window};
use crate::limits::provider_refusal::Refusal;
use crate::limits::thinking::{Demands, Source};
use crate::model::message::Position;
use crate::report::reasons::{PROVIDER_COMPACTS, idle};
use crate::report::{Cost, Report, Usage};
use crate::session::compaction::{Checkpoint, Kind};
use crate::session::history::{Diverged, History};
use crate::session::sent;
use crate::session::state::{Pending, SessionState};
use crate::session::view::{self, Item, Slot, View};
use crate::tokens::calibration::Calibration;

/// A call with its history placed and its state current. How it begins is a [`Start`](crate::call::bound::Start).
#[derive(Clone)]
pub(crate) struct Work<'a> {
    pub(crate) call: &'a Call,
    pub(crate) history: History<'a>,
    pub(crate) state: SessionState,
    pub(crate) calibration: Calibration,
    pub(crate) window: Window,
    /// What is covered again by code, because what tools had returned in it has changed.
    pub(crate) rebuilds: Option<Shape>,
    /// What a summary that is being written elsewhere will cover.
    pub(crate) in_flight: Option<Shape>,
    /// The legal cuts between the messages after the lead.
    pub(crate) cuts: Cuts,
    /// What providers would refuse in the history.
    pub(crate) faults: Vec<Violation>,
    /// What the provider demands of reasoning, and how that is known.
    pub(crate) demands: (Demands, Source),
}

impl<'a> Work<'a> {
    pub(crate) fn new(call: &'a Call) -> Result<Self, Error> {
        let mut history = History::resolve(
            &call.records,
            &call.flags,
            offset(call),
            &call.state,
            &call.options.estimator,
            call.options.preset.is_some(),
            thinking::binds_all(call, thinking::demands(call, &call.state).0),
        )?;
        if let Some(at) = call.of_other {
            let reason = "The state is bound to another chat than the one that was named. Nothing of it is used.";
            history.diverged = Some(Diverged { reason, at });
        }
        history.keep = &call.must_keep;
        history.references = call.recalls;
        history.drops_system = call.options.wishes.drops_system == Some(true);
        history.rules = result_rules::of(&history, &call.options);
        let mut state = call.state.clone();
        if call.refusal == Some(Refusal::Block) {
            state.checkpoints.iter_mut().for_each(Checkpoint::forget_block);
        }
        // Drops checkpoints that no longer hold: the newest one that matches the history becomes the newest of the
        // state.
        let hold = history.active.map_or(0, |active| active + 1);
        if hold < state.checkpoints.len() {
            state.checkpoints.truncate(hold);
            covered::forget(&mut state, &history);
        }
        let rebuilds = history.outputs_changed.map(|changed| Shape::of(&call.state.checkpoints[changed]));
        if history.is_of_others() {
            // Names that were seen twice would outlive a roll back.
            state.memory = None;
        }
        sent::end_at(&mut state.stale, history.end());
        let demands = thinking::demands(call, &state);
        history.binds_before = thinking::binds_before(call, &history, demands.0);
        history.keeps_reasoning = demands.0.beside_calls;
        let mut calibration = state.calibration.under(&call.key());
        if let Some(reply) = &mut calibration.reply {
            reply.raw = history.reply_after(reply.at);
        }
        if let Some(reply) = &mut calibration.reply
            && state.checkpoints.last().is_some_and(|checkpoint| reply.at.count < checkpoint.covers.count)
        {
            reply.raw = 0;
        }
        let mut faults = pairs::violations(&history.messages, history.pairing());
        faults.extend(severed::severed(&history, &state));
        order::by_key(&mut faults, |fault| fault.index as u128);
        let left_out = left_out::left_out(Given { call, history: &history, state: &state, faults: &faults });
        history.left_out = left_out;
        let lead = history.lead();
        let cuts = match lead {
            0 => Cuts::with(&history.messages, history.pairing()),
            _ => Cuts::of(&history.messages[lead..]),
        };
        let in_flight = call.in_flight.as_ref().and_then(|plan| match &plan.action {
            Move::Compact(shape) if plan.rung == RungId::Summarize => Some(shape.clone()),
            _ => None,
        });
        let in_flight = in_flight.filter(|shape| accepts((&history, &state, &cuts), shape, true));
        // While a summary is in flight, no other is started ahead of time.
        let window = Self::window(call, &state, call.soft && in_flight.is_none())?;
        Ok(Self { call, history, state, calibration, window, rebuilds, in_flight, cuts, faults, demands })
    }

    /// Uses the trigger itself in place of the soft mark.
    pub(crate) fn harden(&mut self) -> Result<(), Error> {
        self.window = Self::window(self.call, &self.state, false)?;
        Ok(())
    }

    /// Ignores a reply that a checkpoint covers: it is not part of the next prompt.
    pub(crate) fn forget_covered_reply(&mut self) {
        let covered = self.state.checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count);
        if let Some(reply) = self.calibration.reply.as_mut().filter(|reply| reply.at.count < covered) {
            reply.raw = 0;
        }
    }

    /// The limits of a call, including those that refusals revealed.
    pub(crate) fn window(call: &Call, state: &SessionState, soft: bool) -> Result<Window, Error> {
        let learned = state.learned(&call.key());
        let mut window = Window::under(call.window, &call.options, call.max_output, &learned)?;
        if soft {
            window.trigger = crate::limits::budget::share(window.trigger, call.options.shares.soft).max(1);
        }
        Ok(window)
    }

    pub(crate) fn project(&self, host: &mut dyn Host) -> Result<View, Error> {
        let mut view = view::project(&self.history, &self.state, &self.call.options.estimator, host)?;
        if left_out::repairs(self.call) {
            // A view can only have these faults, unless reasoning is gone that held a reply together.
            if !self.faults.is_empty() || self.history.binds_before.is_some() && !self.state.stale.is_empty() {
                repair::repair(self.given(), &mut view, host)?;
                // If a call was followed only by results of other calls, it shows as unanswered once these are removed.
                repair::repair(self.given(), &mut view, host)?;
            }
            repair::open(self.given(), &mut view, host)?;
        }
        Ok(view)
    }

    /// What a checkpoint is made of.
    pub(crate) fn placed(&self) -> (&Call, &History<'a>, &SessionState) {
        (self.call, &self.history, &self.state)
    }

    /// The input of the repairs.
    fn given(&self) -> Given<'_> {
        Given { call: self.call, history: &self.history, state: &self.state, faults: &self.faults }
    }

    pub(crate) fn limits(&self, view: &View) -> Limits {
        let newest = self.window.pays.map_or(0, |_| self.newest(view));
        self.window.limits(self.measure().fixed(view), newest, &self.call.options)
    }

    /// The estimated tokens of the newest group.
    fn newest(&self, view: &View) -> u64 {
        let from = self.cuts.newest() + self.lead();
        let of_newest = |item: &&Item| matches!(item.slot, Slot::Host { input, .. } if input >= from);
        let raw = view.items.iter().filter(of_newest).map(|item| item.tokens).sum();
        self.scaled(raw)
    }

    /// Converts raw tokens to estimated ones, by the slope alone.
    pub(crate) fn scaled(&self, raw: u64) -> u64 {
        self.calibration.scale(raw, self.call.options.estimator.slope())
    }

    /// The number of input messages that are the front of a view passed as history.
    fn lead(&self) -> usize {
        self.history.lead()
    }

    /// Converts raw tokens of this call into estimates.
    pub(crate) fn measure(&self) -> Measure<'_> {
        let Call { system, tools, options, .. } = self.call;
        let (calibration, window, range) = (&self.calibration, self.window, options.estimator.slope());
        Measure { calibration, range, window, beside: self.call.beside(), system: *system, tools: *tools }
    }

    /// The input of the ladder for a view. It borrows the call, so a scene ends before a step changes anything, and each phase
    /// of a commit makes its own, which costs little beside projecting a view.
    pub(crate) fn scene<'s>(&'s self, view: &'s View) -> Scene<'s> {
        Scene {
            history: &self.history,
            state: &self.state,
            view,
            places: view.places(self.history.messages.len()),
            options: &self.call.options,
            limits: self.limits(view),
            calibration: &self.calibration,
            beside: self.call.beside(),
            in_flight: self.in_flight.as_ref(),
            cuts: &self.cuts,
            holds: Vec::new(),
            sent: self.sent_before(),
            leaves_out: self.call.leaves_out,
            kept_from: None,
        }
        .held()
    }

    pub(crate) fn usage(&self, view: &View) -> Usage {
        self.measure().usage(view, &self.history)
    }

    /// The raw tokens of the history that are not in a view.
    pub(crate) fn saved_raw(&self, view: &View) -> u64 {
        let whole = self.history.raw_before(self.history.end(), &self.state.checkpoints);
        whole.map_or(0, |whole| whole.saturating_sub(view.raw()))
    }

    /// Like [`saved_raw`](Self::saved_raw), in estimated tokens.
    pub(crate) fn saved(&self, view: &View) -> u64 {
        self.scaled(self.saved_raw(view))
    }

    /// The cost of a request that leaves out `saved` tokens and whose view differs from the one before from the item
    /// `changed` on.
    pub(crate) fn cost(&self, view: &View, saved: u64, changed: Option<u64>) -> Option<Cost> {
        let prices = self.call.options.prices?;
        let tokens = self.usage(view).tokens;
        let fresh = |changed| match self.sent_before() {
            Some(sent) => self.fresh(view, sent, changed),
            None => u64::MAX,
        };
        // Without compactions, only new messages would be written to the cache.
        let (now, without) = (fresh(changed.unwrap_or(u64::MAX)), fresh(u64::MAX));
        Some(Cost {
            request: prices.request(tokens, tokens.saturating_sub(now)),
            without: prices.request(tokens + saved, (tokens + saved).saturating_sub(without)),
        })
    }

    /// The number of messages in the previous request, if known.
    fn sent_before(&self) -> Option<u64> {
        let SessionState { pending, calibration, .. } = &self.call.state;
        let pending = pending.as_ref().and_then(|pending| pending.at);
        pending.or_else(|| calibration.reply.map(|reply| reply.at)).map(|at| at.count)
    }

    /// The estimated tokens of a view that are not in the cache: messages from the history index `sent` on, and
    /// everything from the item `changed` on.
    fn fresh(&self, view: &View, sent: u64, changed: u64) -> u64 {
        let is_fresh = |(at, item): &(usize, &Item)| {
            *at as u64 >= changed || matches!(item.slot, Slot::Host { index, .. } if index >= sent)
        };
        let raw = view.items.iter().enumerate().filter(is_fresh).map(|(_, item)| item.tokens).sum();
        self.scaled(raw)
    }

    /// The reason why nothing was done.
    pub(crate) fn idle(&self, usage: &Usage) -> String {
        if self.call.provider_compacts { PROVIDER_COMPACTS.to_owned() } else { idle(usage, self.call.now) }
    }

    pub(crate) fn request_id(&self) -> String {
        let chain = self.history.chain_at(self.history.end()).unwrap_or(0);
        request_id(self.state.revision, Position { count: self.history.end(), chain })
    }

    /// What is noted of the request that is sent, for the usage that will be reported for it. `sent`: the hash of all of it,
    /// where reasoning may be bound to it.
    pub(crate) fn pending(&self, report: &Report, sent: Option<u64>) -> Pending {
        Pending {
            sent,
            request: report.request.clone(),
            raw: report.after.raw,
            at: self.history.position(self.history.end()),
            counted: self.call.counted,
            window: self.call.window,
            key: self.call.key(),
        }
    }

    pub(crate) fn decide(&self, scene: &Scene<'_>, from: RungId, llm: bool) -> (RungId, Move) {
        if self.call.provider_compacts {
            return (RungId::Pass, Move::Pass);
        }
        if self.call.now
            && from == RungId::Pass
            && let Some(shape) = compact::by_hand(scene, self.call.options.wishes.keep.unwrap_or_default())
        {
            return (if llm { RungId::Summarize } else { RungId::Digest }, Move::Compact(shape));
        }
        if let Some(shape) = self.rebuilds.as_ref().filter(|shape| from == RungId::Pass && self.accepts(shape, false)) {
            let shape = Shape { summary_tokens: scene.summary_most(), ..shape.clone() };
            return (RungId::Digest, Move::Compact(shape));
        }
        ladder::next(scene, from, llm)
    }

    /// Whether a plan can still be committed: its cut is at the same place, and nothing newer covers it. With an answer
    /// from a model, digests that code wrote in the meantime do not count.
    pub(crate) fn accepts(&self, shape: &Shape, answered: bool) -> bool {
        accepts((&self.history, &self.state, &self.cuts), shape, answered)
    }
}

/// What [`Work::accepts`] says, of the parts of a call that decide it.
fn accepts((history, state, cuts): (&History<'_>, &SessionState, &Cuts), shape: &Shape, answered: bool) -> bool {
    let lasting = |checkpoint: &&Checkpoint| !answered || checkpoint.kind == Kind::Summary;
    let covered = state.checkpoints.iter().rev().find(lasting).map_or(0, |checkpoint| checkpoint.covers.count);
    let count = shape.covers.count;
    // Messages that were added or deleted may have joined what a plan meant to separate.
    let input = history.input_of(count).unwrap_or(history.messages.len());
    let splits_no_group = input.checked_sub(history.lead()).is_none_or(|at| cuts.is_legal(at));
    count > covered
        && shape.outputs.zip(history.outputs_at(count)).is_none_or(|(then, now)| then == now)
        && history.leaves_the_newest(count, &shape.stays)
        && history.position(count) == Some(shape.covers)
        && splits_no_group
        && shape.stays.all().all(|&index| history.input_of(index).is_some())
}

/// The id of a request: it depends on everything that is sent before the reply.
pub(crate) fn request_id(revision: u64, at: Position) -> String {
    format!("{revision}-{}-{}", at.count, crate::model::message::short_hex(at.chain))
}

/// The number of messages that the host did not load: as stated, or derived from a message found by its id.
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
