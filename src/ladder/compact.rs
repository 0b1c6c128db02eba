//! Where to cut when the past is covered, and what of it stays in the view.

use crate::base::archive::{Archive, Record};
use crate::ingest::pairs;
use crate::ladder::{Scene, strategies};
use crate::limits::budget::share;
use crate::limits::wishes::Keep;
use crate::model::message::{Digest, PartKind, Position, Role};
use crate::session::compaction::{Checkpoint, Kind};
use crate::session::reach::LEAST_CLEARED;
use crate::session::view::{Item, Slot};
use std::ops::Range;

/// What a compaction covers and keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Messages before this are covered.
    pub covers: Position,
    /// Indices below it that stay before the summary, in order.
    pub head: Vec<u64>,
    /// Indices below it that stay after the summary, in order.
    pub kept: Vec<u64>,
    /// How many of `kept`, the last ones, stand after the note: the group that opens the turn with signed reasoning.
    pub opening: u64,
    /// The cut lies inside the active turn: a progress note follows the user's message.
    pub note: bool,
    /// Estimated tokens that the summary may have.
    pub summary_tokens: u64,
}

/// Of the room: what a summary may take unless the host says otherwise, in millionths, and the most it may be.
const SUMMARY_SHARE: u64 = 200_000;
const SUMMARY_MOST: u64 = 8_000;
/// Even in a tiny window a summary of a few sentences must be possible.
const SUMMARY_LEAST: u64 = 48;

/// The compaction that the strategy wants. `None` when it would cover nothing new.
pub fn shape(scene: &Scene<'_>) -> Option<Shape> {
    // Cut where a summary is under way, what code writes until then can be replaced by it.
    if let Some(shape) = scene.in_flight.filter(|shape| shape.covers.count > scene.covered()) {
        return Some(shape.clone());
    }
    let lead = scene.lead();
    let wanted = strategies::tail_start(scene).max(lead);
    let cut = scene.cuts.at_or_before(wanted - lead) + lead;
    let shape = of_cut(scene, cut, typed_share(scene))?;
    (shape.covers.count > scene.covered()).then_some(shape)
}

/// The compaction that was asked for by hand: all but what `keep` says, by default the newest turn, or of one that is
/// larger than a tail may be as much as the strategy keeps. `None` when that would cover nothing new.
pub fn by_hand(scene: &Scene<'_>, keep: Keep) -> Option<Shape> {
    if scene.in_flight.is_some() {
        return shape(scene);
    }
    let lead = scene.lead();
    let turns = keep.turns.unwrap_or(u64::from(keep.messages.is_none()));
    let mut wanted = kept_from(scene, Keep { turns: Some(turns), ..keep });
    if keep.turns.is_none() && keep.messages.is_none() {
        wanted = wanted.max(strategies::tail_start(scene));
    }
    let cut = scene.cuts.at_or_before(wanted.clamp(lead, scene.newest()) - lead) + lead;
    of_cut(scene, cut, typed_share(scene)).filter(|shape| shape.covers.count > scene.covered())
}

/// The first of the newest turns and messages that stay.
pub(crate) fn kept_from(scene: &Scene<'_>, keep: Keep) -> usize {
    let (lead, count) = (scene.lead(), scene.history.messages.len());
    let newest = |kept: u64| usize::try_from(kept).unwrap_or(usize::MAX);
    let mut typed = (lead..count).rev().filter(|&input| scene.history.is_typed(input));
    let of_turns = match newest(keep.turns.unwrap_or(0)) {
        0 => count,
        turns => typed.nth(turns - 1).unwrap_or(lead),
    };
    of_turns.min(count.saturating_sub(newest(keep.messages.unwrap_or(0)))).max(lead)
}

/// Estimated tokens that typed messages before a cut may take, apart from the active one.
fn typed_share(scene: &Scene<'_>) -> u64 {
    let typed = if scene.options.strategy.is_bare() { 0 } else { scene.options.shares.typed };
    share(scene.limits.room, typed)
}

/// Covers one more group than the active checkpoint does, or as many as are needed to fit, keeping the newest and of the
/// typed messages only the active one.
pub fn trim(scene: &Scene<'_>) -> Option<Shape> {
    let lead = scene.lead();
    let newest = scene.newest();
    let need = scene.view.raw().saturating_sub(scene.raw_below(scene.limits.limit));
    let mut gained = 0;
    let mut cut = usize::try_from(scene.covered().saturating_sub(scene.history.first())).ok()? + lead;
    while cut < newest && gained < need {
        let end = (scene.cuts.end_of(cut - lead) + lead).min(newest);
        gained += (cut..end).filter(|&input| !scene.stays(input)).map(|input| scene.tokens(input)).sum::<u64>();
        cut = end;
    }
    let shape = of_cut(scene, scene.cuts.at_or_before(cut - lead) + lead, 0)?;
    // Where a turn's opening cannot be kept alone the cut moves before the turn, which may be covered already.
    if shape.covers.count < scene.covered() {
        return None;
    }
    // What goes must be more than the note and the word of what was dropped that come.
    let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
    let mut comes = if shape.note && active.is_none_or(|active| active.note.is_none()) { LEAST_CLEARED } else { 0 };
    if active.is_some_and(|active| active.kind != Kind::Trim) {
        comes += LEAST_CLEARED / 2;
    }
    let goes = |item: &&Item| matches!(item.slot, Slot::Host { .. }) && !shape.leaves(item);
    let gone: u64 = scene.view.items.iter().filter(goes).map(|item| item.tokens).sum();
    (gone > comes).then_some(shape)
}

/// Covers nothing more, with less of our own texts: a summary and a note of more than `most` raw tokens get no more.
pub fn shorter(scene: &Scene<'_>, most: u64) -> Option<Shape> {
    let own = |item: &&Item| matches!(item.slot, Slot::Summary | Slot::Note);
    if !scene.view.items.iter().filter(own).any(|item| item.tokens > most) {
        return None;
    }
    let cut = usize::try_from(scene.covered().saturating_sub(scene.history.first())).ok()? + scene.lead();
    let active = &scene.state.checkpoints[scene.history.active?];
    let shape = of_cut(scene, cut, 0).filter(|shape| shape.covers == active.covers)?;
    let (kept, opening) = (active.kept.clone(), active.opening);
    Some(Shape { kept, opening, summary_tokens: scene.estimate_of(most), ..shape })
}

/// The shape with a provider's own summary before ours, if it covers one: only a summary that was made with its text can
/// take its place.
pub fn with_compaction(scene: &Scene<'_>, shape: &Shape) -> Shape {
    let mut shape = shape.clone();
    let index = scene.history.compaction.and_then(|compaction| scene.history.index_of(compaction.input));
    // What an earlier summary was made with is in no view.
    let shown = |index: &u64| scene.history.input_of(*index).is_some_and(|input| scene.places[input].is_some());
    if let Some(index) = index.filter(|&index| index < shape.covers.count && !shape.keeps(index)).filter(shown) {
        shape.head.push(index);
        whole_groups(scene, &mut shape.head, shape.covers.count);
        let head = &shape.head;
        shape.kept.retain(|index| head.binary_search(index).is_err());
    }
    shape
}

impl Shape {
    /// Whether a message that it covers stays before the summary.
    pub fn heads(&self, index: u64) -> bool {
        self.head.binary_search(&index).is_ok()
    }

    /// The first message that a host must load when this is committed.
    pub fn loads_from(&self) -> u64 {
        let kept = self.head.first().into_iter().chain(self.kept.first());
        kept.copied().fold(self.covers.count, u64::min)
    }

    /// Whether a message that it covers stays in the view.
    pub fn keeps(&self, index: u64) -> bool {
        self.heads(index) || self.kept.binary_search(&index).is_ok()
    }

    /// Whether a place in the view still holds what it held.
    pub fn leaves(&self, item: &Item) -> bool {
        matches!(item.slot, Slot::Host { index, .. } if index >= self.covers.count || self.keeps(index))
    }

    /// Whether it covers what is covered already, and keeps the same of it.
    pub fn repeats(&self, scene: &Scene<'_>) -> bool {
        let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
        active.is_some_and(|active| active.covers == self.covers && active.kept == self.kept)
    }
}

/// `typed`: estimated tokens that typed messages before the cut may take, apart from the active one.
fn of_cut(scene: &Scene<'_>, cut: usize, mut typed: u64) -> Option<Shape> {
    let history = scene.history;
    let covers = history.position(history.index_of(cut).unwrap_or_else(|| history.end()))?;
    let (mut head, mut kept) = (Vec::new(), Vec::new());
    let active = scene.active_user();
    let inside = active.is_some_and(|active| active < cut);
    let mut opened = Vec::new();
    if let Some(turn) = active.filter(|_| inside) {
        match opening(scene, turn, cut) {
            Some(group) => opened = group,
            None => {
                return of_cut(scene, scene.cuts.at_or_before(turn.checked_sub(scene.lead())?) + scene.lead(), typed);
            }
        }
    }
    let recent = recent_typed(scene, cut);
    let held = held_compaction(scene);
    // Newest first: the budget for typed messages goes to the newer one.
    for input in (0..cut).rev() {
        let Some(index) = history.index_of(input) else { continue };
        let Some(at) = scene.places[input] else { continue };
        let fixed = scene.view.items[at].fixed && (!held.contains(&input) || history.is_pinned(input));
        if fixed || history.messages[input].role() == Role::System {
            head.push(index);
        } else if inside && active == Some(input) {
            kept.push(index);
        } else if recent.contains(&input) {
            let cost = scene.estimate_of(scene.view.items[at].tokens);
            if cost <= typed {
                typed -= cost;
                kept.push(index);
            }
        } else if scene.stays(input) && may_stay(scene, index, cut, &opened) {
            kept.push(index);
        }
    }
    head.reverse();
    kept.extend(&opened);
    kept.sort_unstable();
    kept.dedup();
    // What is held of the turn after its opening stands behind the note as well.
    let opening = opened.first().map_or(0, |first| kept.iter().filter(|index| *index >= first).count());
    whole_groups(scene, &mut head, covers.count);
    let covered = covers.count.saturating_sub(scene.covered());
    let stays = (head.len() + kept.len()) as u64;
    // Something must go: covering only what stays anyway makes nothing smaller.
    if scene.history.active.is_none() && covered <= stays {
        return None;
    }
    let summary_tokens = share(scene.limits.room, SUMMARY_SHARE).clamp(SUMMARY_LEAST, SUMMARY_MOST);
    Some(Shape {
        covers,
        head,
        kept,
        opening: opening as u64,
        note: inside && !scene.options.strategy.is_bare(),
        summary_tokens,
    })
}

/// Whether what is held at a history index can stay: in a turn that has to open with signed reasoning nothing stands before
/// that.
fn may_stay(scene: &Scene<'_>, index: u64, cut: usize, opened: &[u64]) -> bool {
    let turn = scene.active_user().filter(|&turn| turn < cut && scene.history.opens_signed(turn, cut));
    let asked = turn.and_then(|turn| scene.history.index_of(turn));
    asked.is_none_or(|asked| index < asked) || opened.first().is_some_and(|&first| index > first)
}

/// The group of a provider's own summary that an earlier compaction kept, and that the next may take the place of. In a
/// view that was given back groups are not known: there only one that stands alone is.
fn held_compaction(scene: &Scene<'_>) -> Range<usize> {
    let Some(compaction) = scene.history.compaction.filter(|compaction| compaction.readable) else { return 0..0 };
    let (input, lead) = (compaction.input, scene.lead());
    let message = &scene.history.messages[input];
    match input.checked_sub(lead) {
        Some(at) => scene.cuts.start_of(at) + lead..scene.cuts.end_of(at) + lead,
        None if message.has(PartKind::Call) || message.has(PartKind::Reasoning) => 0..0,
        None => input..input + 1,
    }
}

/// The newest typed messages before `cut`, apart from the active one, that follow what is covered already: at most one
/// beside the active message, so that the last two typed messages stay.
fn recent_typed(scene: &Scene<'_>, cut: usize) -> Vec<usize> {
    let mut typed = (0..scene.history.messages.len()).rev().filter(|&input| scene.history.is_typed(input)).take(2);
    let pair = [typed.next(), typed.next()];
    pair.into_iter().flatten().filter(|&input| input < cut && Some(input) != scene.active_user()).collect()
}

/// A pinned message brings its whole group.
fn whole_groups(scene: &Scene<'_>, head: &mut Vec<u64>, below: u64) {
    let lead = scene.lead();
    head.sort_unstable();
    let (mut members, mut done) = (Vec::new(), 0);
    for &index in head.iter() {
        let Some(input) = scene.history.input_of(index).filter(|&input| input >= lead) else { continue };
        let message = &scene.history.messages[input];
        if !message.has(PartKind::Call) && !message.has(PartKind::Result) && !message.has(PartKind::Reasoning) {
            continue;
        }
        let end = scene.cuts.end_of(input - lead);
        let group = scene.cuts.start_of(input - lead).max(done)..end;
        members
            .extend(group.filter_map(|member| scene.history.index_of(member + lead)).filter(|&member| member < below));
        done = end;
    }
    head.append(&mut members);
    head.sort_unstable();
    head.dedup();
}

/// With signed reasoning in the active turn, providers want the turn to open with it: unless the cut itself lies before a
/// message that begins with reasoning, one group that does stays, the smallest there is. Else nothing has to. `None`: there is
/// no such group that can be kept alone.
fn opening(scene: &Scene<'_>, turn: usize, cut: usize) -> Option<Vec<u64>> {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    let begins = |input: usize| messages.get(input).is_some_and(Digest::begins_with_reasoning);
    if !scene.history.opens_signed(turn, cut) || begins(cut) {
        return Some(Vec::new());
    }
    // What opened the turn at the last compaction may do so again; of the rest only what is covered anew is sure to be here.
    let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
    let asked = scene.history.index_of(turn);
    let mut groups = Vec::new();
    if let Some(earlier) = active.map(Checkpoint::opening).filter(|earlier| earlier.first() > asked.as_ref()) {
        groups.push(earlier.to_vec());
    }
    let from = scene.covered().saturating_sub(scene.history.first()) as usize + lead;
    for input in from.max(turn + 1)..cut {
        if begins(input) && scene.cuts.is_legal(input - lead) {
            let end = scene.cuts.end_of(input - lead) + lead;
            // A call without its result would wait for one of what follows the cut.
            if !pairs::is_settled(&messages[input..end]) {
                continue;
            }
            groups.push((input..end).filter_map(|member| scene.history.index_of(member)).collect());
        }
    }
    let tokens = |group: &Vec<u64>| {
        group.iter().filter_map(|&index| scene.history.input_of(index)).map(|input| scene.tokens(input)).sum::<u64>()
    };
    // The newest of equals.
    let mut smallest = (u64::MAX, None);
    for group in groups {
        let size = tokens(&group);
        if size <= smallest.0 {
            smallest = (size, Some(group));
        }
    }
    smallest.1
}

impl Record for Shape {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("covers", &mut self.covers);
        archive.counts("head", &mut self.head);
        archive.counts("kept", &mut self.kept);
        let mut opening = Some(self.opening).filter(|&opening| opening > 0);
        archive.maybe_count("opening", &mut opening);
        self.opening = opening.unwrap_or(0);
        if self.opening > self.kept.len() as u64 {
            archive.reject("opening");
        }
        for (name, list) in [("head", &self.head), ("kept", &self.kept)] {
            if list.windows(2).any(|pair| pair[0] >= pair[1]) {
                archive.reject(name);
            }
        }
        archive.flag("note", &mut self.note);
        archive.count("summaryTokens", &mut self.summary_tokens);
    }
}
