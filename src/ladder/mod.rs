//! The ladder: what to do about a request that does not fit. Climbed only as far as needed; every rung must leave a
//! legal view that is strictly smaller.

pub mod compact;
pub mod keep;
pub mod plan;
pub mod strategies;

use crate::base::millionths;
use crate::ingest::pairs::Cuts;
use crate::limits::budget::{Limits, share};
use crate::limits::options::Options;
use crate::model::message::{Part, PartKind, Role};
use crate::session::edits;
use crate::session::history::History;
use crate::session::reach::{self, LEAST_CLEARED};
use crate::session::state::{OPEN_CLIPS, SessionState};
use crate::session::view::{Item, Slot, View};
use crate::tokens::calibration::{Calibration, Estimate};
use compact::Shape;

/// A clip never leaves less of a part than this: its notice must fit.
pub const LEAST_CAP: u64 = 64;
/// About the raw tokens of the shortest summary or note.
const LEAST_OWN: u64 = 40;

/// What the ladder looks at.
pub struct Scene<'a> {
    /// The host's messages.
    pub history: &'a History<'a>,
    /// What is known.
    pub state: &'a SessionState,
    /// What would be sent now.
    pub view: &'a View,
    /// What was configured.
    pub options: &'a Options,
    /// What must be kept.
    pub limits: Limits,
    /// Calibration under the key of this call.
    pub calibration: &'a Calibration,
    /// Raw tokens beside the messages: system, tools, overhead.
    pub beside: u64,
    /// What a summary that is being written elsewhere will cover.
    pub in_flight: Option<&'a Shape>,
    /// Where each input message stands in the view.
    pub places: Vec<Option<usize>>,
    /// Legal cuts of the input messages after the lead.
    pub cuts: &'a Cuts,
}

/// A rung of the ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Nothing to do.
    #[default]
    Pass,
    /// Giants are cut.
    Clip,
    /// Old results become placeholders.
    Clear,
    /// The past becomes an LLM's summary.
    Summarize,
    /// The past becomes a digest made by code.
    Digest,
    /// Results are cut as far as needed.
    Squeeze,
    /// The oldest kept groups go.
    Trim,
    /// All texts are cut as far as needed.
    Crush,
}

impl Rung {
    /// As reports name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Clip | Self::Squeeze | Self::Crush => "clip",
            Self::Clear => "clear",
            Self::Summarize => "summarize",
            Self::Digest => "digest",
            Self::Trim => "trim",
        }
    }
}

/// Cuts and clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Parts over this many raw tokens are cut to it, in all messages there are now.
    pub cap: Option<u64>,
    /// How far the cut reaches: see [`edits`].
    pub reach: u64,
    /// Results of messages before this history index become placeholders.
    pub clear: Option<u64>,
    /// Of these only those of calls that failed.
    pub failed: bool,
}

/// What to do next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Move {
    /// Send the view as it is.
    #[default]
    Pass,
    /// Cut and clear.
    Edit(Edit),
    /// Cover the past.
    Compact(Shape),
    /// Nothing more can be done.
    Stuck,
}

impl Scene<'_> {
    /// Input messages that are the front of a view given back.
    pub fn lead(&self) -> usize {
        self.history.messages.len() - (self.history.end() - self.history.first()) as usize
    }

    /// Start of the newest group, as an input index.
    pub fn newest(&self) -> usize {
        self.cuts.newest() + self.lead()
    }

    /// Messages covered by the active checkpoint.
    pub fn covered(&self) -> u64 {
        self.history.active.map_or(0, |active| self.state.checkpoints[active].covers.count)
    }

    /// Raw tokens of an input message as it stands in the view; nothing if it is not in it.
    pub fn tokens(&self, input: usize) -> u64 {
        self.places[input].map_or(0, |at| self.view.items[at].tokens)
    }

    /// The estimate of a view of `raw` raw tokens.
    pub fn estimate(&self, raw: u64) -> Estimate {
        self.calibration.estimate(raw + self.beside, self.options.estimator.slope())
    }

    /// Whether a view of `raw` raw tokens may be sent.
    pub fn fits(&self, raw: u64) -> bool {
        let estimate = self.estimate(raw);
        estimate.tokens + estimate.bound < self.limits.limit
    }

    /// Raw tokens of `tokens` estimated ones, by the slope alone.
    pub fn raw(&self, tokens: u64) -> u64 {
        let slope = self.calibration.slope(self.options.estimator.slope());
        millionths::ratio(tokens, slope)
    }

    /// Estimated tokens of `raw` raw ones, by the slope alone.
    pub fn estimate_of(&self, raw: u64) -> u64 {
        self.calibration.scale(raw, self.options.estimator.slope())
    }

    /// The largest view, in raw tokens, whose estimate stays below `tokens`.
    pub fn raw_below(&self, tokens: u64) -> u64 {
        let range = self.options.estimator.slope();
        let raw = self.view.raw() + self.beside;
        let mut room = self.calibration.raw_for(tokens, raw, range);
        // The bound grows with the distance from what was reported.
        for _ in 0..4 {
            let estimate = self.calibration.estimate(room, range);
            let over = (estimate.tokens + estimate.bound).saturating_sub(tokens.saturating_sub(1));
            if over == 0 {
                break;
            }
            room = room.saturating_sub(self.raw(over) + 1);
        }
        room.saturating_sub(self.beside)
    }

    /// The input index of the message a person typed last.
    pub fn active_user(&self) -> Option<usize> {
        self.history.active_user()
    }

    /// Parts that a clip of this reach may cut: place in the view, raw tokens.
    fn cuttable(&self, reach: u64) -> Vec<(usize, u64)> {
        let mut parts = Vec::new();
        let old = self.history.old();
        for (at, item) in self.view.items.iter().enumerate() {
            let Slot::Host { input, index } = item.slot else { continue };
            if item.fixed {
                continue;
            }
            let message = item.digest().unwrap_or(self.history.messages[input]);
            for part in message.parts() {
                if edits::reaches(&part, &message, reach, index < old) {
                    parts.push((at, u64::from(part.tokens)));
                }
            }
        }
        parts
    }
}

/// The lowest rung from `from` on that helps. `llm`: a summary may be asked for.
pub fn next(scene: &Scene<'_>, from: Rung, llm: bool) -> (Rung, Move) {
    let raw = scene.view.raw();
    let fits = scene.fits(raw);
    let fires = from == Rung::Pass && scene.in_flight.is_none() && strategies::fires(scene);
    if fits && !fires {
        return (Rung::Pass, Move::Pass);
    }
    if !fits && !fires && from <= Rung::Clear && scene.state.open_clips().len() < OPEN_CLIPS {
        let cap = scene.raw(share(scene.limits.room, scene.options.shares.part)).max(LEAST_CAP);
        let clipped = |reach| raw.saturating_sub(gain(&scene.cuttable(reach), cap));
        let acceptable = |raw: u64| {
            let estimate = scene.estimate(raw);
            estimate.tokens + estimate.bound <= scene.limits.accept
        };
        for reach in [reach::RESULTS, reach::ARGUMENTS, reach::ASSISTANT] {
            let clipped = clipped(reach);
            if from <= Rung::Clip && clipped < raw && acceptable(clipped) {
                return (Rung::Clip, Move::Edit(Edit { cap: Some(cap), reach, ..Edit::default() }));
            }
        }
        let worthwhile = scene.raw(share(scene.limits.room, scene.options.shares.clear));
        // What went wrong is missed least.
        if let Some((clear, gained)) = clearing(scene, Clearing { failed: true, ..Clearing::default() })
            && gained >= worthwhile
            && acceptable(raw.saturating_sub(gained))
        {
            return (Rung::Clear, Move::Edit(Edit { clear: Some(clear), failed: true, ..Edit::default() }));
        }
        // Down to the target and no further; if that is not enough with the newest results whole, without them.
        let enough = Some(raw.saturating_sub(scene.raw_below(scene.limits.target)));
        for stay in [NEWEST_RESULTS, 0] {
            if let Some((clear, gained)) = clearing(scene, Clearing { enough, stay, ..Clearing::default() })
                && gained >= worthwhile
                && let more = gain_after(scene, clear, cap)
                && acceptable(raw.saturating_sub(gained + more))
            {
                // What stays is cut only if it is too much.
                let cap = Some(cap).filter(|_| more > 0 && !acceptable(raw.saturating_sub(gained)));
                return (
                    Rung::Clear,
                    Move::Edit(Edit { cap, reach: reach::RESULTS, clear: Some(clear), failed: false }),
                );
            }
        }
        if let Some(edit) = unavoidable(scene) {
            return (Rung::Clear, Move::Edit(edit));
        }
    }
    if from <= Rung::Digest
        && let Some(shape) = compact::shape(scene)
    {
        let rung =
            if llm && !scene.limits.squeezed && from <= Rung::Summarize { Rung::Summarize } else { Rung::Digest };
        return (rung, Move::Compact(shape));
    }
    if fits {
        return (Rung::Pass, Move::Pass);
    }
    // Down to the target, so that the next request has room; if that is out of reach, to the limit.
    let aims = [scene.raw_below(scene.limits.target), scene.raw_below(scene.limits.limit)];
    let level_to = |parts: &[(usize, u64)], least: u64| {
        aims.iter().find_map(|&aim| level(parts, raw, aim).filter(|&cap| cap >= least))
    };
    if from <= Rung::Squeeze
        && let Some((clear, gained)) = clearing(scene, Clearing::default())
        && scene.fits(raw.saturating_sub(gained))
    {
        return (Rung::Squeeze, Move::Edit(Edit { clear: Some(clear), ..Edit::default() }));
    }
    for reach in [reach::RESULTS, reach::ASSISTANT] {
        if from <= Rung::Squeeze
            && let Some(cap) = level_to(&scene.cuttable(reach), scene.raw(scene.limits.room) / 20)
        {
            return (Rung::Squeeze, Move::Edit(Edit { cap: Some(cap), reach, ..Edit::default() }));
        }
    }
    if from <= Rung::Trim
        && let Some(shape) = compact::trim(scene)
    {
        return (Rung::Trim, Move::Compact(shape));
    }
    if from <= Rung::Crush {
        let parts = scene.cuttable(reach::EVERYTHING);
        // Our own texts are cut to the level of all others; to their least only if it can be sent then.
        let own = |item: &&Item| matches!(item.slot, Slot::Summary | Slot::Note);
        let own: Vec<_> = scene.view.items.iter().filter(own).map(|item| (0, item.tokens)).collect();
        let mut all = parts.clone();
        all.extend_from_slice(&own);
        let most = level_to(&all, 0).or_else(|| {
            let least = scene.estimate(raw.saturating_sub(gain(&parts, LEAST_CAP) + gain(&own, LEAST_OWN)));
            (least.tokens + least.bound < scene.limits.window.hard).then_some(LEAST_OWN)
        });
        if from <= Rung::Trim
            && let Some(shape) = most.and_then(|most| compact::shorter(scene, most))
        {
            return (Rung::Trim, Move::Compact(shape));
        }
        let level = level_to(&parts, 0);
        // The last rung does what it can, also when that is not enough.
        let cap = Some(level.unwrap_or(LEAST_CAP)).filter(|&cap| parts.iter().any(|&(_, tokens)| tokens > cap));
        let clear = clearing(scene, Clearing::default()).filter(|_| level.is_none()).map(|(clear, _)| clear);
        if cap.is_some() || clear.is_some() {
            return (Rung::Crush, Move::Edit(Edit { cap, reach: reach::EVERYTHING, clear, failed: false }));
        }
    }
    (Rung::Crush, Move::Stuck)
}

/// When the results of the newest group alone are too large, covering the past cannot be enough: they are cut to one
/// level, old ones cleared, and nobody has to be asked.
fn unavoidable(scene: &Scene<'_>) -> Option<Edit> {
    let newest = scene.history.index_of(scene.newest())?;
    let after = |index: u64| {
        let parts = scene.cuttable(reach::RESULTS).into_iter();
        let stays =
            parts.filter(|&(at, _)| matches!(scene.view.items[at].slot, Slot::Host { index: own, .. } if own >= index));
        stays.collect::<Vec<_>>()
    };
    let raw = scene.view.raw();
    let accept = scene.raw_below(scene.limits.accept);
    let own: u64 = after(newest).iter().map(|part| part.1).sum();
    if own + scene.view.fixed() <= accept {
        return None;
    }
    let (clear, gained) =
        clearing(scene, Clearing::default()).map_or((None, 0), |(clear, gained)| (Some(clear), gained));
    let cap = level(&after(clear.unwrap_or(0)), raw.saturating_sub(gained), accept)?;
    (cap >= scene.raw(scene.limits.room) / 20).then_some(Edit {
        cap: Some(cap),
        reach: reach::RESULTS,
        clear,
        failed: false,
    })
}

fn gain(parts: &[(usize, u64)], cap: u64) -> u64 {
    parts.iter().map(|&(_, tokens)| tokens.saturating_sub(cap)).sum()
}

/// Raw tokens that a clip gains on what a clear before history index `clear` leaves.
fn gain_after(scene: &Scene<'_>, clear: u64, cap: u64) -> u64 {
    let after = scene
        .cuttable(reach::RESULTS)
        .into_iter()
        .filter(|&(at, _)| matches!(scene.view.items[at].slot, Slot::Host { index, .. } if index >= clear));
    gain(&after.collect::<Vec<_>>(), cap)
}

/// What a clear takes.
#[derive(Clone, Copy, Debug, Default)]
struct Clearing {
    /// Only results of calls that failed.
    failed: bool,
    /// No more is taken once so many raw tokens are gained.
    enough: Option<u64>,
    /// So many of the newest results stay.
    stay: usize,
}

/// Results that a clear leaves whole, the newest ones, if that is enough.
const NEWEST_RESULTS: usize = 3;

/// Clearing old results before the tail, with the inputs of their calls, the oldest first: up to which history index, and
/// what it gains.
fn clearing(scene: &Scene<'_>, Clearing { failed, enough, stay }: Clearing) -> Option<(u64, u64)> {
    let tail = strategies::tail::tail_start(scene);
    // What the model has not answered yet it has not seen.
    let seen = (0..scene.history.messages.len())
        .rev()
        .find(|&input| scene.history.messages[input].role() == Role::Assistant)?;
    let before =
        scene.history.index_of(tail.min(scene.cuts.start_of(seen.checked_sub(scene.lead())?) + scene.lead()))?;
    let before = before.min(from_newest_result(scene, stay));
    let old = scene.history.old();
    let (mut gained, mut end) = (0, 0);
    for item in scene.view.items.iter().filter(|item| !item.fixed) {
        let Slot::Host { input, index } = item.slot else { continue };
        if index >= before || index >= end && enough.is_some_and(|enough| gained >= enough) {
            continue;
        }
        let message = item.digest().unwrap_or(scene.history.messages[input]);
        // A call's input goes with its result: a group is cleared as a whole.
        end = scene.history.index_of(group_end(scene, input)).unwrap_or(before).min(before);
        // Media that people attached stay as long as their turn is the active one.
        let goes = |part: &Part| {
            edits::clearable(part, &message)
                && match part.kind {
                    PartKind::Call => !failed,
                    _ if failed => edits::is_of_failed(part, &message),
                    _ => index < old || edits::is_of_result(part, &message),
                }
        };
        for part in message.parts().filter(goes) {
            let tokens = u64::from(part.tokens);
            // Only results leave names behind.
            let cost = match part.kind {
                PartKind::Result => edits::cleared_tokens(tokens),
                PartKind::Call => edits::CLEARED_INPUT,
                _ => LEAST_CLEARED,
            };
            gained += tokens.saturating_sub(cost);
        }
    }
    (gained > 0).then_some((end, gained))
}

/// The input index behind the group of a message.
fn group_end(scene: &Scene<'_>, input: usize) -> usize {
    let lead = scene.lead();
    if input < lead { input + 1 } else { scene.cuts.end_of(input - lead) + lead }
}

/// The history index of the group that holds the oldest of the newest `stay` messages with results; the end without one.
fn from_newest_result(scene: &Scene<'_>, stay: usize) -> u64 {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    // Of what is sent: what is covered need not be loaded.
    let results = scene.view.items.iter().rev().filter_map(|item| match item.slot {
        Slot::Host { input, .. } if input >= lead && messages[input].has(PartKind::Result) => Some(input),
        _ => None,
    });
    let oldest = results.take(stay).last();
    oldest
        .and_then(|input| scene.history.index_of(scene.cuts.start_of(input - lead) + lead))
        .unwrap_or_else(|| scene.history.end())
}

/// The cap that brings a view of `raw` raw tokens to `budget` by cutting `parts`, if any does.
fn level(parts: &[(usize, u64)], raw: u64, budget: u64) -> Option<u64> {
    let need = raw.saturating_sub(budget);
    if need == 0 {
        return None;
    }
    let (mut low, mut high) = (LEAST_CAP, parts.iter().map(|part| part.1).max()?);
    if gain(parts, low) < need {
        return None;
    }
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if gain(parts, middle) >= need { low = middle } else { high = middle - 1 }
    }
    Some(low)
}
