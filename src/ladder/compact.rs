//! Where to cut when the past is covered, and which messages before the cut stay in the view.
//!
//! # Cuts
//!
//! A cut never splits a group. A message that holds its own results, as those of tools that a provider runs, is a
//! group of its own. Calls at the end that wait for their results are kept with all that belongs to them. If the
//! active turn opens with signed reasoning that is not bound, providers want it to go on opening with reasoning:
//! unless the cut lies before a message that begins with reasoning, the smallest group of the turn that does is kept,
//! after the progress note, and the middle of the turn is covered.
//!
//! A pinned message brings its whole group. One that is no longer pinned stays until the next compaction, because
//! leaving it out would cost the prompt cache. One that is pinned once it is covered joins the head at once, if it
//! belongs to no group. System messages in the middle are ordinary while they are in the tail, and join the head when
//! they are covered; with `systemMessages: "drop-old"` they go with the messages around them, unless they are at the
//! front of the history or among the newest that follow each other.
//!
//! A compaction by hand covers all but the newest turn, or what `keep` of the call or the options says, the more of
//! both. Of a turn that is larger than the strategy's tail it keeps as much as the strategy would. If nothing that may
//! go is left, or a summary would be hardly smaller, the report says that there is nothing to gain.

use crate::base::order;
use crate::ingest::pairs;
use crate::ladder::groups::{group, kept_from};
use crate::ladder::shape::Shape;
use crate::ladder::typed::recent_typed;
use crate::ladder::{Scene, strategies};
use crate::limits::wishes::Keep;
use crate::model::message::{MessageRecord, PartKind, Role};
use crate::session::compaction::Kind;
use crate::session::reach::LEAST_CLEARED;
use crate::session::staying::Staying;
use crate::session::view::{Item, Slot};
use std::ops::Range;

impl Shape {
    /// Whether it covers and keeps the same messages as the active checkpoint.
    pub fn repeats(&self, scene: &Scene<'_>) -> bool {
        let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
        active.is_some_and(|active| active.covers == self.covers && active.stays.kept == self.stays.kept)
    }
}

/// The compaction that the strategy suggests. `None` if it would cover nothing new.
pub fn shape(scene: &Scene<'_>) -> Option<Shape> {
    // With the cut of the summary that is in flight, the summary can later replace what code writes until then.
    if let Some(shape) = scene.in_flight.filter(|shape| shape.covers.count > scene.covered()) {
        return Some(shape.clone());
    }
    let lead = scene.lead();
    let wanted = strategies::tail_start(scene).max(lead);
    let cut = scene.cuts.at_or_before(wanted - lead) + lead;
    let shape = of_cut(scene, cut, scene.typed_most())?;
    (shape.covers.count > scene.covered()).then_some(shape)
}

/// The compaction to make by hand. It covers everything except what `keep` names. The default is the newest turn, but
/// at most what the strategy keeps. `None` if it would cover nothing new.
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
    of_cut(scene, cut, scene.typed_most()).filter(|shape| shape.covers.count > scene.covered())
}

/// Covers one more group than the active checkpoint, or as many as needed to fit. The newest group is kept, and of the
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
    // If the opening of a turn cannot be kept alone, the cut moves before the turn, which may be covered already.
    if shape.covers.count < scene.covered() {
        return None;
    }
    // The removed messages must be larger than the new note and the notice of dropped messages.
    let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
    let mut added = if shape.note && active.is_none_or(|active| active.note.is_none()) { LEAST_CLEARED } else { 0 };
    if active.is_some_and(|active| active.kind != Kind::Trim) {
        added += LEAST_CLEARED / 2;
    }
    let is_hosts = |item: &&Item| matches!(item.slot, Slot::Host { .. });
    let removed = |item: &Item| item.tokens.saturating_sub(shape.tokens_of(item, scene.history));
    let removed: u64 = scene.view.items.iter().filter(is_hosts).map(removed).sum();
    (removed > added).then_some(shape)
}

/// Covers nothing more, but shortens our own texts: the summary and the note get at most `most` raw tokens.
pub fn shorter(scene: &Scene<'_>, most: u64) -> Option<Shape> {
    let own = |item: &&Item| matches!(item.slot, Slot::Block | Slot::Summary | Slot::Note);
    if !scene.view.items.iter().filter(own).any(|item| item.tokens > most) {
        return None;
    }
    let cut = usize::try_from(scene.covered().saturating_sub(scene.history.first())).ok()? + scene.lead();
    let active = &scene.state.checkpoints[scene.history.active?];
    let shape = of_cut(scene, cut, 0).filter(|shape| shape.covers == active.covers)?;
    let (kept, opening) = (active.stays.kept.clone(), active.stays.opening);
    let stays = Staying { kept, opening, ..shape.stays };
    Some(Shape { stays, summary_tokens: scene.estimate_of(most), ..shape })
}

/// Adds a provider's own summary to the head of a shape that covers it. Only a summary that was made from its text can
/// replace it.
pub fn with_compaction(scene: &Scene<'_>, shape: &Shape) -> Shape {
    let mut shape = shape.clone();
    let index = scene.history.compaction.and_then(|compaction| scene.history.index_of(compaction.input));
    // If an earlier summary was made from it, it is in no view.
    let shown = |index: &u64| scene.history.input_of(*index).is_some_and(|input| scene.places[input].is_some());
    if let Some(index) = index.filter(|&index| index < shape.covers.count && !shape.stays.holds(index)).filter(shown) {
        let Staying { head, kept, .. } = &mut shape.stays;
        head.push(index);
        whole_groups(scene, head, shape.covers.count);
        kept.retain(|index| head.binary_search(index).is_err());
    }
    shape
}

/// The shape of a cut. `typed`: the estimated tokens that earlier typed messages may take, apart from the active one.
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
    // The newest first, so that newer typed messages use the budget before older ones.
    for input in (0..cut).rev() {
        let Some(index) = history.index_of(input) else { continue };
        let Some(at) = scene.places[input] else { continue };
        // What is no longer pinned is covered. In a view that was passed as history, the group of a pinned message is
        // unknown, so all of its head stays.
        let is_system = history.messages[input].role() == Role::System;
        let is_old = is_system && history.is_old_system(input);
        let in_head = input < scene.lead() && scene.view.items[at].fixed && !held.contains(&input) && !is_old;
        if in_head || history.is_pinned(input) || is_system && !is_old {
            let has_group = [PartKind::Call, PartKind::Result].iter().any(|&kind| history.messages[input].has(kind));
            let was_kept =
                scene.history.active.is_some_and(|active| scene.state.checkpoints[active].stays.kept.contains(&index));
            if input < scene.lead() && was_kept && has_group {
                // It is pinned late: it stays where it is, with those around it that belong to it.
                kept.extend(group(scene, input).filter_map(|member| history.index_of(member)));
            } else {
                head.push(index);
            }
        } else if inside && active == Some(input) && stays_alone(scene, input) {
            kept.push(index);
        } else if recent.contains(&input) && stays_alone(scene, input) {
            let item = &scene.view.items[at];
            let results = item.record().unwrap_or(history.messages[input]).result_tokens();
            let cost = scene.estimate_of(item.tokens.saturating_sub(results));
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
    order::numbers(&mut kept);
    kept.dedup();
    whole_groups(scene, &mut head, covers.count);
    // What a pinned message brings along stands before the summary, and nowhere else; but a turn opens with its reasoning.
    head.retain(|index| !opened.contains(index));
    kept.retain(|index| head.binary_search(index).is_err());
    // Messages that are held in the turn after its opening come after the note, too.
    let opening = opened.first().map_or(0, |first| kept.iter().filter(|index| *index >= first).count());
    let covered = covers.count.saturating_sub(scene.covered());
    let stays = (head.len() + kept.len()) as u64;
    // Covering only messages that stay anyway makes nothing smaller.
    if scene.history.active.is_none() && covered <= stays {
        return None;
    }
    Some(Shape {
        covers,
        outputs: history.outputs_at(covers.count),
        stays: Staying { head, kept, opening: opening as u64 },
        note: inside && !scene.options.strategy.is_bare(),
        summary_tokens: scene.summary_most(),
    })
}

/// Whether a typed message can stay without the calls before it: what was typed beside their results can be sent alone.
fn stays_alone(scene: &Scene<'_>, input: usize) -> bool {
    scene.leaves_out || !scene.history.messages[input].has(PartKind::Result)
}

/// Whether a held message can stay. In a turn that must open with signed reasoning, no other message may come before
/// the reasoning.
fn may_stay(scene: &Scene<'_>, index: u64, cut: usize, opened: &[u64]) -> bool {
    let turn = scene.active_user().filter(|&turn| turn < cut && scene.history.opens_signed(turn, cut));
    let asked = turn.and_then(|turn| scene.history.index_of(turn));
    asked.is_none_or(|asked| index < asked) || opened.first().is_some_and(|&first| index > first)
}

/// The group of a provider's own summary that an earlier compaction kept and the next one may replace. In a view that
/// was passed as history, groups are unknown, so only a summary in a message of its own counts.
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

/// Extends the head so that a pinned message keeps its whole group.
fn whole_groups(scene: &Scene<'_>, head: &mut Vec<u64>, below: u64) {
    let lead = scene.lead();
    order::numbers(head);
    let (mut members, mut done) = (Vec::new(), 0);
    for &index in head.iter() {
        let Some(input) = scene.history.input_of(index).filter(|&input| input >= lead) else { continue };
        let message = &scene.history.messages[input];
        if message.role() != Role::Assistant && !message.has(PartKind::Result) {
            continue;
        }
        let end = scene.cuts.end_of(input - lead);
        let group = scene.cuts.start_of(input - lead).max(done)..end;
        members
            .extend(group.filter_map(|member| scene.history.index_of(member + lead)).filter(|&member| member < below));
        done = end;
    }
    head.append(&mut members);
    order::numbers(head);
    head.dedup();
}

/// If the active turn has signed reasoning, providers require it to open with reasoning. Unless the message after the
/// cut begins with reasoning, the smallest group that does is kept. Returns an empty list if nothing must be kept, and
/// `None` if no such group can be kept alone.
fn opening(scene: &Scene<'_>, turn: usize, cut: usize) -> Option<Vec<u64>> {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    let begins = |input: usize| messages.get(input).is_some_and(MessageRecord::begins_with_reasoning);
    if !scene.history.opens_signed(turn, cut) || begins(cut) {
        return Some(Vec::new());
    }
    // The group that opened the turn in the last compaction can do so again. Other groups are certain to be loaded only
    // if they were not covered before.
    let active = scene.history.active.map(|active| &scene.state.checkpoints[active]);
    let asked = scene.history.index_of(turn);
    let mut groups = Vec::new();
    if let Some(earlier) =
        active.map(|active| active.stays.opening()).filter(|earlier| earlier.first() > asked.as_ref())
    {
        groups.push(earlier.to_vec());
    }
    let from = scene.covered().saturating_sub(scene.history.first()) as usize + lead;
    for input in from.max(turn + 1)..cut {
        if begins(input) && scene.cuts.is_legal(input - lead) {
            let end = scene.cuts.end_of(input - lead) + lead;
            // A call without its result would wait for a result after the cut.
            if !pairs::is_settled(&messages[input..end]) {
                continue;
            }
            groups.push((input..end).filter_map(|member| scene.history.index_of(member)).collect());
        }
    }
    let tokens = |group: &Vec<u64>| {
        group.iter().filter_map(|&index| scene.history.input_of(index)).map(|input| scene.tokens(input)).sum::<u64>()
    };
    // Of groups with the same size, the newest.
    let mut smallest = (u64::MAX, None);
    for group in groups {
        let size = tokens(&group);
        if size <= smallest.0 {
            smallest = (size, Some(group));
        }
    }
    smallest.1
}
