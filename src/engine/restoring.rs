//! Restores what a summary had to do without: once a compaction makes room, a digest is written again from the memory, and
//! what the host wants around a summary is put back.

use crate::base::error::Error;
use crate::base::json::quoted_bytes;
use crate::base::{millionths, text};
use crate::call::checkpoint::{self, Written};
use crate::call::context::Work;
use crate::call::covered;
use crate::engine::literals;
use crate::ingest::host::Host;
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::limits::state_size::{DIGEST_BYTES, DIGEST_TOKENS, LIST_BYTES, STATE_BYTES};
use crate::memory::digest::Source;
use crate::memory::pool::Pool;
use crate::session::compaction::Checkpoint;
use crate::session::view::{Slot, View};
use crate::tokens;

/// A digest is written again if it may grow to at least this percentage of its length. Its place in the prompt cache is
/// worth more than a few lines.
const WORTHWHILE: u64 = 130;

/// The most attempts to find a length for which there is room in the view and in the state.
const TRIES: usize = 4;

/// The active digest written again, if it was shortened and there is now room for more.
///
/// # Errors
///
/// If the host cannot create a message.
pub(crate) fn restored(work: &Work<'_>, view: &View, host: &mut dyn Host) -> Result<Option<Checkpoint>, Error> {
    let newest = work.state.checkpoints.len().checked_sub(1);
    let Some(newest) = newest.filter(|_| work.history.active == newest) else { return Ok(None) };
    let before = &work.state.checkpoints[newest];
    let knows = work.state.memory.as_ref().is_some_and(|memory| memory.upto.count >= before.covers.count);
    if !before.shortened || !knows {
        return Ok(None);
    }
    let room = room(&work.scene(view));
    if room < millionths::scale(before.summary.raw, WORTHWHILE, 100) {
        return Ok(None);
    }
    let mut memory = covered::remembered(work.state.memory.as_ref(), &work.history, before);
    let summary = covered::by_model(&work.state.checkpoints).map(checkpoint::quotable).unwrap_or_default();
    let stays = |index| index >= before.covers.count || before.stays.holds(index);
    let listed = work.state.list_bytes(0) + before.list_bytes();
    let beside = listed.saturating_sub(LIST_BYTES) + before.note.as_ref().map_or(0, |note| quoted_bytes(&note.text));
    let left = STATE_BYTES.saturating_sub(beside + memory.stored()).min(DIGEST_BYTES);
    let known = Pool::of(&memory, &[]);
    let references = work.call.recalls.then_some(before.covers.count);
    let turn = checkpoint::turn_of(&work.history, before);
    let estimator = &work.call.options.estimator;
    let todos = &*work.call.todos;
    let source = Source { known: &known, summary: &summary, todos, visible: &stays, references, turn, estimator };
    let mut most = room;
    let (mut text, mut left_out);
    let mut tries = 0;
    loop {
        (text, left_out) = source.digest(most, false);
        let bytes = quoted_bytes(&text);
        if bytes <= left || tries == TRIES {
            break;
        }
        tries += 1;
        most = millionths::scale(most, left as u64, bytes as u64);
    }
    if quoted_bytes(&text) > left || tokens::of_text(estimator, &text) > room {
        return Ok(None);
    }
    let (earlier, dropped) = checkpoint::written(before);
    let held = work.call.must_keep.iter().filter(|literal| text::find(&earlier, literal).is_some());
    literals::append(&mut text, held);
    let text = checkpoint::summary_text(&checkpoint::trimmed(&text, dropped));
    if text.len() <= before.summary.text.len() {
        return Ok(None);
    }
    let written = Written {
        kind: before.kind,
        digest: before.digest,
        shortened: left_out.more,
        text,
        bare: false,
        block: before.block.clone(),
    };
    written_again(work, before, written, host)
}

/// The active checkpoint with what the host wants around a summary, if its text had to be as short as can be.
///
/// # Errors
///
/// If the host cannot create a message.
pub(crate) fn reframed(work: &Work<'_>, host: &mut dyn Host) -> Result<Option<Checkpoint>, Error> {
    let newest = work.state.checkpoints.len().checked_sub(1).filter(|_| work.call.options.preset.is_none());
    let Some(newest) = newest.filter(|_| work.history.active == newest) else { return Ok(None) };
    let before = &work.state.checkpoints[newest];
    if !before.frame.is_empty() || work.call.options.prompt.frame.is_empty() {
        return Ok(None);
    }
    let Checkpoint { kind, digest, shortened, .. } = *before;
    let written = Written {
        kind,
        digest,
        shortened,
        text: before.summary.text.clone(),
        bare: false,
        block: before.block.clone(),
    };
    written_again(work, before, written, host)
}

/// A checkpoint with another text.
fn written_again(
    work: &Work<'_>,
    before: &Checkpoint,
    written: Written,
    host: &mut dyn Host,
) -> Result<Option<Checkpoint>, Error> {
    let note = before.note.as_ref().map(|note| note.text.clone());
    checkpoint::checkpoint(work.placed(), &Shape::of(before), written, note, host).map(Some)
}

/// Replaces the newest checkpoint with another.
pub(crate) fn replace_newest(work: &mut Work<'_>, mut checkpoint: Checkpoint) {
    if let Some(earlier) = work.state.checkpoints.pop() {
        checkpoint.replaces(&earlier);
    }
    work.state.push(checkpoint);
    work.history.active = work.state.checkpoints.len().checked_sub(1);
}

/// The raw tokens that a digest may have when the view is at the target.
fn room(scene: &Scene<'_>) -> u64 {
    let stays = scene.view.items.iter().filter(|item| !item.fixed && item.slot != Slot::Summary);
    let stays: u64 = stays.map(|item| item.tokens).sum();
    scene.restored_most().saturating_sub(stays).min(DIGEST_TOKENS)
}
