//! The moves of a commit: cutting and clearing, covering the past.

use crate::base::error::Error;
use crate::base::text;
use crate::call::checkpoint;
use crate::call::context::Work;
use crate::ingest::host::Host;
use crate::ladder::compact::{self, Shape};
use crate::ladder::{self, Edit, RungId, Scene};
use crate::model::message::Position;
use crate::session::edits;
use crate::session::state::{Clip, Kind};
use crate::session::view::View;
use crate::summary::{digest, facts};
use crate::tokens;

/// Raw tokens of the largest digest that fills what is left: the state must hold it, beside older ones.
const DIGEST_MOST: u64 = 5_000;
/// About the raw tokens of the lines around a summary.
const FRAME: u64 = 24;
/// Raw tokens of a message beside its text.
const OVERHEAD: u64 = 4;
/// Tries to bring a summary down to a size.
const SHORTER_TRIES: usize = 4;

pub(crate) fn apply(work: &mut Work<'_>, edit: Edit) {
    let Edit { cap, reach, clear, failed } = edit;
    let old = work.history.old();
    if let Some(up_to) = clear.and_then(|index| work.history.position(index)) {
        // What was cleared stays so, also where the tail begins earlier now.
        let held = |before: Option<Position>| before.filter(|at| work.history.position(at.count) == Some(*at));
        let farther = |before: Option<Position>| before.filter(|before| before.count > up_to.count).or(Some(up_to));
        if failed {
            work.state.failed = farther(held(work.state.failed));
        } else {
            let before = held(work.state.cleared);
            let media = before.map_or(0, |before| work.state.media.min(before.count));
            work.state.cleared = farther(before);
            work.state.media = media.max(up_to.count.min(old));
        }
    }
    // What goes as a whole is cleared before anything is cut.
    if let (Some(cap), Some(up_to)) = (cap, work.history.position(work.history.end())) {
        let count = |cleared: Option<Position>| cleared.map_or(0, |cleared| cleared.count);
        let (cleared, failed) = (count(work.state.cleared), count(work.state.failed));
        let cap = cap.max(ladder::LEAST_CAP);
        // Where the cap before is hardly lower it holds on, so that clips stay few while limits are being learned.
        let before = work.state.open_clips().last().map_or(0, |last| last.cap);
        let cap = if before <= cap && before * 8 >= cap * 7 { before } else { cap };
        work.state.clip(Clip { up_to, cap, reach, old, cleared, failed });
    }
}

/// Covers what a shape says, with the summary if there is one. `asked`: a summarizer was asked in vain. Whether something
/// that a person requires or asked for is no longer told. `told`: a model was given the text of all that is covered.
pub(crate) fn cover(
    work: &mut Work<'_>,
    view: &View,
    shape: &Shape,
    rung: RungId,
    summary: Option<String>,
    (asked, told): (bool, bool),
    host: &mut dyn Host,
) -> Result<bool, Error> {
    let mut breaker = work.state.breaker;
    let replaces = work
        .history
        .active
        .is_some_and(|active| summary.is_some() && work.state.checkpoints[active].covers.count >= shape.covers.count);
    if !replaces {
        breaker.thrash = if work.little_new(&work.scene(view)) { breaker.thrash + 1 } else { 0 };
    }
    if summary.is_none() && !asked && rung <= RungId::Digest {
        breaker.wait = breaker.wait.saturating_sub(1);
    }
    let mut dropped = 0;
    let trimmed = work.history.active.filter(|_| rung == RungId::Trim).map(|active| {
        let checkpoint = &work.state.checkpoints[active];
        let (summary, before) = checkpoint::written(checkpoint);
        let more = shape.covers.count - checkpoint.covers.count
            + checkpoint.kept.len().saturating_sub(shape.kept.len()) as u64;
        dropped = before.saturating_add(more);
        (summary, checkpoint::is_digest(checkpoint))
    });
    let scene = work.scene(view);
    let held;
    let shape = if told {
        shape
    } else {
        held = compact::with_compaction(&scene, shape);
        &held
    };
    // Facts are always of what was sent and of the newest summary, whoever writes what stands above them.
    let mut material = checkpoint::material(&scene, shape, false, host)?;
    let shorter = rung == RungId::Trim && shape.repeats(&scene);
    if let Some((summary, digest)) = trimmed.as_ref().filter(|_| shorter) {
        (material.previous, material.condensed) = (Some(summary.clone()), *digest);
    }
    let known = facts::split(material.previous.as_deref().unwrap_or_default()).1;
    let mut lost;
    let written = match (summary, trimmed.filter(|_| !shorter)) {
        (Some(text), _) => {
            let bytes = checkpoint::facts_bytes(&scene, if replaces { u64::MAX } else { material.raw });
            Some(((Kind::Summary, false), text, bytes, bytes * facts::RULES_SHARE / 100))
        }
        (None, Some((summary, digest))) => {
            // What is trimmed must make room: facts may stay as many as they are. Only requirements may grow, by about half
            // of what goes.
            let before = tokens::of_text(&scene.options.estimator, &summary);
            let goes = usize::try_from(material.raw.saturating_sub(before) * 2).unwrap_or(usize::MAX);
            let bytes = known.len() + 2;
            Some(((Kind::Trim, digest), facts::split(&summary).0.to_owned(), bytes, bytes + goes))
        }
        (None, None) => None,
    };
    let (kind, text) = match written {
        Some((kind, mut text, bytes, rules)) => {
            lost = facts::append(&mut text, known, &material.messages, bytes, rules);
            (kind, text)
        }
        None => {
            let most = if rung == RungId::Trim { shape.summary_tokens / 2 } else { shape.summary_tokens };
            // The digest is code's own text: four bytes a raw token. What is left up to the target is room for facts. But
            // never more than half of what it replaces.
            let stays = view.items.iter().filter(|item| !item.fixed && shape.leaves(item));
            let stays: u64 = stays.map(|item| item.tokens).sum();
            let note = if shape.note { scene.raw(most) / 2 } else { 0 };
            let room = crate::limits::budget::share(scene.limits.room, scene.options.shares.target);
            let left = scene.raw(room).saturating_sub(stays + note);
            let raw = scene.raw(most).max(left.min(DIGEST_MOST)).min(material.raw / 2);
            // Where a quarter of it has to do, nothing else has to go.
            let below = scene.raw_below(scene.limits.limit).saturating_sub(view.fixed() + stays + note + FRAME);
            let raw = if below < raw / 4 { raw } else { raw.min(below) }.max(ladder::LEAST_CAP);
            let raw = if shorter { scene.raw(shape.summary_tokens).saturating_sub(OVERHEAD) } else { raw };
            let mut bytes = usize::try_from(raw * 4).unwrap_or(usize::MAX);
            let mut text;
            let mut tries = 0;
            loop {
                (text, lost) = digest::write(&material.source(), &work.call.todos, bytes, shorter);
                let whole = checkpoint::summary_text(&checkpoint::trimmed(&text, dropped));
                let size = tokens::of_text(&scene.options.estimator, if shorter { &whole } else { &text });
                // Where identifiers or scripts take far more tokens, and so it would not fit, fewer bytes have to do.
                if size <= raw || !shorter && size < below + FRAME || tries == SHORTER_TRIES {
                    break;
                }
                tries += 1;
                bytes = crate::base::millionths::scale(bytes.min(text.len()) as u64, raw, size) as usize;
            }
            (if rung == RungId::Trim { (Kind::Trim, true) } else { (Kind::Digest, false) }, text)
        }
    };
    // Facts stay at the end.
    let (body, section) = facts::split(&text);
    let mut text = keep_literals(body.to_owned(), &scene, shape, &work.call.must_keep, host)?;
    if !section.is_empty() {
        text.push_str("\n\n");
        text.push_str(section);
    }
    let text = checkpoint::trimmed(&text, dropped);
    if replaces {
        // What code wrote of more than this gives way, with its note.
        work.state.uncover(shape.covers.count + 1);
        work.history.active = work.state.checkpoints.len().checked_sub(1);
    }
    let scene = work.scene(view);
    let same = work.history.active.map(|active| &work.state.checkpoints[active]);
    let note = match same.filter(|same| replaces && same.covers == shape.covers) {
        Some(same) => same.note.as_ref().map(|note| note.text.clone()),
        None => checkpoint::progress(&scene, shape, host)?,
    };
    let checkpoint =
        checkpoint::checkpoint(&scene, shape, kind, checkpoint::summary_text(&text), note, &work.call.ids, host)?;
    if replaces {
        work.state.uncover(shape.covers.count);
    }
    work.state.breaker = breaker;
    let history = &work.history;
    // Of what is covered, clips concern only what is kept and larger than they leave it.
    work.state.clips.retain(|clip| {
        clip.up_to.count > shape.covers.count
            || shape.kept.iter().any(|&index| {
                history.input_of(index).is_some_and(|input| edits::cuts(clip, &history.messages[input], index))
            })
    });
    work.state.push(checkpoint);
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    work.forget_covered_reply();
    Ok(lost)
}

/// Appends the literal strings that must stay and would go with what is covered, also where it had been cut before.
fn keep_literals(
    mut text: String,
    scene: &Scene<'_>,
    shape: &Shape,
    literals: &[String],
    host: &mut dyn Host,
) -> Result<String, Error> {
    if literals.is_empty() {
        return Ok(text);
    }
    let material = checkpoint::material(scene, shape, true, host)?;
    let mut heading = "\n\n## To be kept literally";
    for literal in literals {
        if !literal.is_empty() && text::find(&text, literal).is_none() && checkpoint::mentions(&material, literal) {
            text.push_str(heading);
            heading = "";
            text.push_str("\n- ");
            text.push_str(literal);
        }
    }
    Ok(text)
}
