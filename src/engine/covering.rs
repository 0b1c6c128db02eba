//! Covering the past: what is written of it, and the checkpoint that holds that.

use crate::base::error::Error;
use crate::base::{millionths, text};
use crate::call::checkpoint::{self, Material};
use crate::call::context::Work;
use crate::ingest::host::Host;
use crate::ladder::compact::{self, Shape};
use crate::ladder::{self, RungId, Scene};
use crate::limits::budget::share;
use crate::session::compaction::Kind;
use crate::session::edits;
use crate::session::state::Breaker;
use crate::session::view::View;
use crate::summary::request::Todo;
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

/// A compaction that is to be made.
pub(crate) struct Covering<'a> {
    /// What would be sent without it.
    pub view: &'a View,
    /// What it covers and keeps.
    pub shape: &'a Shape,
    /// The rung that proposed it.
    pub rung: RungId,
    /// A summarizer was asked, perhaps in vain.
    pub asked: bool,
    /// A model was given the text of all that is covered.
    pub told: bool,
}

/// What stands in the place of the past.
struct Text {
    kind: Kind,
    /// Of a trim: it is a digest, written by code.
    digest: bool,
    text: String,
    /// Something that a person requires or asked for is no longer in it.
    lost: bool,
}

/// What the checkpoint that is trimmed says.
struct Trimmed {
    summary: String,
    digest: bool,
    /// Messages that were dropped after it, with those that are now.
    dropped: u64,
}

impl Covering<'_> {
    /// Makes the checkpoint, with the summary if there is one. Whether something that a person requires or asked for is no
    /// longer in the text.
    pub(crate) fn make(
        &self,
        work: &mut Work<'_>,
        summary: Option<String>,
        host: &mut dyn Host,
    ) -> Result<bool, Error> {
        let covered = |active: usize| work.state.checkpoints[active].covers.count;
        let replaces =
            summary.is_some() && work.history.active.is_some_and(|active| covered(active) >= self.shape.covers.count);
        let breaker = self.breaker(work, replaces, summary.is_none());
        let trimmed = self.trimmed(work);
        let dropped = trimmed.as_ref().map_or(0, |trimmed| trimmed.dropped);
        let scene = work.scene(self.view);
        let held;
        let shape = if self.told {
            self.shape
        } else {
            held = compact::with_compaction(&scene, self.shape);
            &held
        };
        // Facts are always of what was sent and of the newest summary, whoever writes what stands above them.
        let mut material = checkpoint::material(&scene, shape, false, host)?;
        let shorter = self.rung == RungId::Trim && shape.repeats(&scene);
        if let Some(trimmed) = trimmed.as_ref().filter(|_| shorter) {
            (material.previous, material.condensed) = (Some(trimmed.summary.clone()), trimmed.digest);
        }
        let Text { kind, digest, text, lost } = match (summary, trimmed) {
            (Some(text), _) => of_model(&scene, &material, text, replaces),
            (None, Some(trimmed)) if !shorter => of_trim(&scene, &material, &trimmed),
            (None, _) => self.by_code(&scene, &material, shape, dropped, shorter, &work.call.todos),
        };
        // Facts stay at the end.
        let (body, section) = facts::split(&text);
        let mut text = keep_literals(body.to_owned(), &scene, shape, &work.call.must_keep, host)?;
        if !section.is_empty() {
            text.push_str("\n\n");
            text.push_str(section);
        }
        let text = checkpoint::trimmed(&text, dropped);
        self.push(work, shape, (kind, digest), &text, replaces, host)?;
        work.state.breaker = breaker;
        Ok(lost)
    }

    /// The brakes after this compaction.
    fn breaker(&self, work: &Work<'_>, replaces: bool, by_code: bool) -> Breaker {
        let mut breaker = work.state.breaker;
        if !replaces {
            breaker.thrash = if work.little_new(&work.scene(self.view)) { breaker.thrash + 1 } else { 0 };
        }
        if by_code && !self.asked && self.rung <= RungId::Digest {
            breaker.wait = breaker.wait.saturating_sub(1);
        }
        breaker
    }

    fn trimmed(&self, work: &Work<'_>) -> Option<Trimmed> {
        let active = work.history.active.filter(|_| self.rung == RungId::Trim)?;
        let checkpoint = &work.state.checkpoints[active];
        let (summary, before) = checkpoint::written(checkpoint);
        let more = self.shape.covers.count - checkpoint.covers.count
            + checkpoint.kept.len().saturating_sub(self.shape.kept.len()) as u64;
        let dropped = before.saturating_add(more);
        Some(Trimmed { summary, digest: checkpoint::is_digest(checkpoint), dropped })
    }

    /// A digest, brought to its size.
    fn by_code(
        &self,
        scene: &Scene<'_>,
        material: &Material,
        shape: &Shape,
        dropped: u64,
        shorter: bool,
        todos: &[Todo],
    ) -> Text {
        let (raw, below) = self.digest_room(scene, material, shape, shorter);
        let mut bytes = usize::try_from(raw * 4).unwrap_or(usize::MAX);
        let (mut text, mut lost);
        let mut tries = 0;
        loop {
            (text, lost) = digest::write(&material.source(), todos, bytes, shorter);
            let whole = checkpoint::summary_text(&checkpoint::trimmed(&text, dropped));
            let size = tokens::of_text(&scene.options.estimator, if shorter { &whole } else { &text });
            // Where identifiers or scripts take far more tokens, and so it would not fit, fewer bytes have to do.
            if size <= raw || !shorter && size < below + FRAME || tries == SHORTER_TRIES {
                break;
            }
            tries += 1;
            bytes = millionths::scale(bytes.min(text.len()) as u64, raw, size) as usize;
        }
        let trims = self.rung == RungId::Trim;
        Text { kind: if trims { Kind::Trim } else { Kind::Digest }, digest: trims, text, lost }
    }

    /// Raw tokens that a digest aims at, and those that the limit leaves for it.
    fn digest_room(&self, scene: &Scene<'_>, material: &Material, shape: &Shape, shorter: bool) -> (u64, u64) {
        let most = if self.rung == RungId::Trim { shape.summary_tokens / 2 } else { shape.summary_tokens };
        // The digest is code's own text: four bytes a raw token. What is left up to the target is room for facts. But
        // never more than half of what it replaces.
        let stays = self.view.items.iter().filter(|item| !item.fixed && shape.leaves(item));
        let stays: u64 = stays.map(|item| item.tokens).sum();
        let note = if shape.note { scene.raw(most) / 2 } else { 0 };
        let room = share(scene.limits.room, scene.options.shares.target);
        let left = scene.raw(room).saturating_sub(stays + note);
        let raw = scene.raw(most).max(left.min(DIGEST_MOST)).min(material.raw / 2);
        // Where a quarter of it has to do, nothing else has to go.
        let below = scene.raw_below(scene.limits.limit).saturating_sub(self.view.fixed() + stays + note + FRAME);
        let raw = if below < raw / 4 { raw } else { raw.min(below) }.max(ladder::LEAST_CAP);
        let raw = if shorter { scene.raw(shape.summary_tokens).saturating_sub(OVERHEAD) } else { raw };
        (raw, below)
    }

    /// Puts the checkpoint into the state.
    fn push(
        &self,
        work: &mut Work<'_>,
        shape: &Shape,
        kind: (Kind, bool),
        text: &str,
        replaces: bool,
        host: &mut dyn Host,
    ) -> Result<(), Error> {
        if replaces {
            // What code wrote of more than this gives way, with its note.
            work.state.uncover(shape.covers.count + 1);
            work.history.active = work.state.checkpoints.len().checked_sub(1);
        }
        let scene = work.scene(self.view);
        let same = work.history.active.map(|active| &work.state.checkpoints[active]);
        let note = match same.filter(|same| replaces && same.covers == shape.covers) {
            Some(same) => same.note.as_ref().map(|note| note.text.clone()),
            None => checkpoint::progress(&scene, shape, host)?,
        };
        let text = checkpoint::summary_text(text);
        let checkpoint = checkpoint::checkpoint(&scene, shape, kind, text, note, &work.call.ids, host)?;
        if replaces {
            work.state.uncover(shape.covers.count);
        }
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
        Ok(())
    }
}

/// A model's summary, with the facts that it may leave out.
fn of_model(scene: &Scene<'_>, material: &Material, mut text: String, replaces: bool) -> Text {
    let bytes = checkpoint::facts_bytes(scene, if replaces { u64::MAX } else { material.raw });
    let rules = bytes * facts::RULES_SHARE / 100;
    let lost = facts::append(&mut text, known(material), &material.messages, bytes, rules);
    Text { kind: Kind::Summary, digest: false, text, lost }
}

/// The text as it was. What is trimmed must make room: facts may stay as many as they are. Only requirements may grow, by
/// about half of what goes.
fn of_trim(scene: &Scene<'_>, material: &Material, Trimmed { summary, digest, .. }: &Trimmed) -> Text {
    let before = tokens::of_text(&scene.options.estimator, summary);
    let goes = usize::try_from(material.raw.saturating_sub(before) * 2).unwrap_or(usize::MAX);
    let known = known(material);
    let bytes = known.len() + 2;
    let mut text = facts::split(summary).0.to_owned();
    let lost = facts::append(&mut text, known, &material.messages, bytes, bytes + goes);
    Text { kind: Kind::Trim, digest: *digest, text, lost }
}

/// The facts of the summary before.
fn known(material: &Material) -> &str {
    facts::split(material.previous.as_deref().unwrap_or_default()).1
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
