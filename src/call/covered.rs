//! What a compaction covers: which messages, what a summarizer reads of them, and what code does.

use crate::base::error::Error;
use crate::base::{order, text};
use crate::call::checkpoint::{is_digest, quotable, written};
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::host::Host;
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::memory::{Memory, Message, digest};
use crate::session::compaction::{Checkpoint, Kind};
use crate::session::history::History;
use crate::session::state::SessionState;

/// What a summarizer reads.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The previous summary.
    pub previous: Option<String>,
    /// The messages, oldest first, each with whether a person typed it.
    pub messages: Vec<(Content, bool)>,
}

/// What code reads to write a digest.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The memory of what was covered before.
    pub memory: Memory,
    /// The messages that are covered now, as they were sent.
    pub messages: Vec<Message>,
    /// The newest summary written by a model.
    pub summary: String,
    /// The raw tokens that the text replaces.
    pub raw: u64,
}

/// The messages that a summary is made from.
#[derive(Clone, Debug, Default)]
pub struct Extent<'a> {
    /// The checkpoint that it continues.
    pub base: Option<&'a Checkpoint>,
    /// The messages, as input indices.
    pub inputs: Vec<usize>,
    /// The raw tokens that it replaces.
    pub raw: u64,
}

/// Selects what `shape` covers in addition to the checkpoint that it continues. With `llm`, provisional digests are
/// skipped: the summary continues the newest checkpoint that is not one, if the host still holds the messages.
pub fn extent<'a>(scene: &Scene<'a>, shape: &Shape, llm: bool) -> Extent<'a> {
    let history = scene.history;
    let active = history.active.map(|active| &scene.state.checkpoints[active]);
    let lasting = history.active.and_then(|active| {
        let is_lasting = |checkpoint: &&Checkpoint| checkpoint.kind == Kind::Summary || checkpoint.block.is_some();
        scene.state.checkpoints[..=active].iter().rev().find(is_lasting)
    });
    let base = match lasting {
        _ if !llm => active,
        Some(lasting) if holds(history, lasting) => Some(lasting),
        _ if history.is_view() => {
            let made = |checkpoint: &&Checkpoint| checkpoint.covers.count == history.first();
            scene.state.checkpoints.iter().rev().find(made).or(active)
        }
        None if history.first() == 0 => None,
        _ => active,
    };
    let from = base.map_or(0, |checkpoint| checkpoint.covers.count);
    // Messages that were kept beside the earlier summary, and do not stay before the new one, become part of the new
    // one.
    let mut kept: Vec<u64> = Vec::new();
    if let Some(checkpoint) = base {
        kept.extend(
            checkpoint.stays.head.iter().filter(|&&index| !shape.stays.heads(index)).chain(&checkpoint.stays.kept),
        );
        order::numbers(&mut kept);
    }
    // A provider's own summary replaces everything before it for the model.
    let compaction = history.compaction.filter(|compaction| compaction.readable);
    let compaction = compaction.and_then(|compaction| history.index_of(compaction.input));
    let is_read = |index: &u64| !shape.stays.heads(*index) && (*index >= from || kept.contains(index));
    let read_from = compaction.filter(|&index| index < shape.covers.count).filter(is_read).unwrap_or(0);
    let was_kept = |index: u64| base.is_some_and(|checkpoint| checkpoint.stays.kept.contains(&index));
    let mut raw = base.map_or(0, |checkpoint| checkpoint.summary.raw);
    let mut inputs = Vec::new();
    for at in 0..kept.len() as u64 + shape.covers.count.saturating_sub(from) {
        let earlier = kept.get(at as usize).filter(|&&index| was_kept(index));
        let index = kept.get(at as usize).copied().unwrap_or_else(|| from + at - kept.len() as u64);
        let head = shape.stays.heads(index);
        let stays = shape.stays.holds(index);
        // The summarizer sees the kept messages whose text is in the view. Code quotes only what is removed.
        let seen = if llm && earlier.is_none() { head } else { stays };
        let Some(input) = history.input_of(index).filter(|_| !seen) else { continue };
        if llm && index < read_from {
            continue;
        }
        inputs.push(input);
        if !stays {
            // A message that only a digest stands for has no place in the view.
            raw += if scene.places[input].is_some() { scene.tokens(input) } else { history.tokens[input] };
        }
    }
    Extent { base, inputs, raw }
}

/// Reads what a summarizer is given for `shape`: see [`extent`].
///
/// # Errors
///
/// If the host cannot read a message.
pub fn material(scene: &Scene<'_>, shape: &Shape, host: &mut dyn Host) -> Result<Material, Error> {
    let history = scene.history;
    let Extent { base, inputs, .. } = extent(scene, shape, true);
    // Code keeps the memory itself. The model is given the text above it.
    let mut newest = base;
    let mut messages = Vec::with_capacity(inputs.len());
    for (content, input) in history.read(&inputs, host)?.into_iter().zip(inputs) {
        // A summary that the state knows counts as one even if its checkpoint no longer holds, for example because the
        // instructions before it have changed. The newest of several includes the others. A message that only looks
        // like a summary does not count.
        let typed = history.is_typed(input);
        match history.summary_at(input).filter(|_| base.is_none() && !typed) {
            Some(checkpoint) => newest = Some(checkpoint),
            None => messages.push((content, typed)),
        }
    }
    Ok(Material { previous: newest.map(quotable), messages })
}

/// Reads what code needs to cover `shape`: the memory, and everything covered beyond it, including messages that stay
/// in the view.
///
/// # Errors
///
/// If the host cannot read a message.
pub fn known(scene: &Scene<'_>, shape: &Shape, host: &mut dyn Host) -> Result<Known, Error> {
    let (history, state) = (scene.history, scene.state);
    let active = history.active.map(|active| &state.checkpoints[active]);
    let mut memory = active.map_or_else(Memory::default, |active| remembered(state.memory.as_ref(), history, active));
    let mut summary = history.active.and_then(|active| by_model(state.checkpoints.get(..=active)?));
    let inputs: Vec<usize> =
        (memory.upto.count..shape.covers.count).filter_map(|index| history.input_of(index)).collect();
    let mut messages = Vec::with_capacity(inputs.len());
    for (content, input) in history.read(&inputs, host)?.into_iter().zip(inputs) {
        let typed = history.is_typed(input);
        let index = history.index_of(input).unwrap_or(0);
        // Code reads messages as they were sent, so a view that was passed as history reads the same.
        // A summary that the state knows counts as one even if its checkpoint no longer holds, for example because the
        // instructions before it have changed.
        let ours = history.summary_at(input).filter(|_| active.is_none() && !typed);
        if let Some(checkpoint) = ours {
            let remembered = state.memory.as_ref().filter(|memory| memory.upto == checkpoint.covers);
            memory =
                remembered.map_or_else(|| Memory::of_text(&by_code(checkpoint), index), |memory| memory.moved(index));
            summary = Some(checkpoint).filter(|one| !is_digest(one));
            continue;
        }
        messages.push(Message { index, content, typed });
    }
    let summary = summary.map(quotable).unwrap_or_default();
    Ok(Known { memory, messages, summary, raw: extent(scene, shape, false).raw })
}

/// The newest summary written by a model. A trimmed one is used only if there is no other.
pub(crate) fn by_model(checkpoints: &[Checkpoint]) -> Option<&Checkpoint> {
    let newest_first = || checkpoints.iter().rev();
    let trimmed = |one: &&Checkpoint| one.kind == Kind::Trim && !one.digest;
    newest_first().find(|one| one.kind == Kind::Summary).or_else(|| newest_first().find(trimmed))
}

/// The memory of what a checkpoint covers: that of the state, rolled back to the checkpoint. If the state has none that
/// reaches it, it is made again from the messages. If the host does not hold these, the text of the checkpoint is quoted.
pub(crate) fn remembered(memory: Option<&Memory>, history: &History<'_>, active: &Checkpoint) -> Memory {
    match memory {
        Some(memory) if memory.upto.count >= active.covers.count => {
            let mut memory = memory.clone();
            memory.roll_back(active.covers);
            memory
        }
        _ if history.first() == 0 && !history.is_view() => Memory::default(),
        _ => {
            let gone = (0..active.covers.count).rev().find(|&index| !active.stays.holds(index)).unwrap_or(0);
            let note = active.note.as_ref().map_or("", |note| &note.text);
            let text = format!("{}\n{note}", by_code(active));
            Memory { upto: active.covers, ..Memory::of_text(&text, gone) }
        }
    }
}

/// Forgets what is remembered of messages that are gone, or are others now: what follows the newest checkpoint. Where the
/// messages before it are there, the memory is made again of them.
pub(crate) fn forget(state: &mut SessionState, history: &History<'_>) {
    // A view of ours in front of which something has changed: the memory goes with its summary.
    if (0..history.messages.len()).any(|input| history.summary_at(input).is_some()) {
        return;
    }
    let is_whole = history.first() == 0 && !history.is_view();
    let Some(covers) = state.checkpoints.last().map(|newest| newest.covers).filter(|_| !is_whole) else {
        state.memory = None;
        return;
    };
    if let Some(memory) = state.memory.as_mut().filter(|memory| memory.upto.count > covers.count) {
        // Nothing tells where a name was seen before.
        memory.names.retain(|name| name.at < covers.count);
        memory.roll_back(covers);
    }
}

/// The part of a checkpoint's text that code wrote.
fn by_code(checkpoint: &Checkpoint) -> String {
    let (text, _) = written(checkpoint);
    if is_digest(checkpoint) { text } else { digest::split(&text).1.to_owned() }
}

fn holds(history: &History<'_>, checkpoint: &Checkpoint) -> bool {
    history.first() <= checkpoint.covers.count
}

/// Whether the material contains a literal string.
pub fn mentions(material: &Material, literal: &str) -> bool {
    material.previous.as_ref().is_some_and(|previous| text::find(previous, literal).is_some())
        || material.messages.iter().any(|(message, _)| says(message, literal))
}

/// Whether a message contains a literal string.
pub fn says(message: &Content, literal: &str) -> bool {
    let holds = |text: &str| text::find(text, literal).is_some();
    message.parts.iter().any(|part| match part {
        ContentPart::Text { text, .. } | ContentPart::Document { text, .. } => holds(text),
        ContentPart::Call { input, .. } => holds(&input.to_text()),
        ContentPart::Result { output, .. } => holds(&output.to_text()),
        ContentPart::Media { reference, .. } => holds(reference),
        ContentPart::Compaction { text } => holds(text),
        ContentPart::Reasoning | ContentPart::Opaque => false,
    })
}
