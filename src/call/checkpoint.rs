//! Turns a shape into a checkpoint: selects the messages of the summary, and adds the texts that code writes around it.

use crate::base::error::Error;
use crate::base::order;
use crate::base::{markers, text};
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::host::Host;
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::memory::{Memory, Message, digest};
use crate::model::message::{CHAIN_START, combine};
use crate::session::compaction::{Checkpoint, Kind, Made, framed};
use crate::session::history::History;
use crate::session::outputs;
use crate::session::state::SessionState;
use crate::summary::block::Block;

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

/// The part of a summary that the model wrote.
pub(crate) fn quotable(checkpoint: &Checkpoint) -> String {
    digest::split(&written(checkpoint).0).0.to_owned()
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

/// Whether code wrote the text of a checkpoint as a digest, which can be continued section by section. The checkpoint
/// says so, because a model can begin its text like a digest.
pub(crate) fn is_digest(checkpoint: &Checkpoint) -> bool {
    let by_code = checkpoint.kind == Kind::Digest || checkpoint.kind == Kind::Trim && checkpoint.digest;
    by_code && !is_of_preset(checkpoint)
}

/// Whether the preset `contextguard` made a checkpoint.
fn is_of_preset(checkpoint: &Checkpoint) -> bool {
    checkpoint.summary.text.starts_with(markers::PRESET_SUMMARY)
}

/// The text of a checkpoint with its facts, but without the note about messages dropped after it, and the number of
/// these messages.
pub(crate) fn written(checkpoint: &Checkpoint) -> (String, u64) {
    let text = body(&checkpoint.summary.text);
    // Only a trim adds this note.
    let (text, count) = if checkpoint.kind == Kind::Trim { dropped(text) } else { (text, 0) };
    let mut text = text.to_owned();
    if is_of_preset(checkpoint) {
        // The preset keeps no facts: a model wrote the text under our headings.
        digest::disown(&mut text);
    }
    (text, count)
}

/// The most raw tokens of what code keeps beside a summary written by a model: their share of the room, but at most a
/// quarter of the replaced raw tokens.
pub fn facts_tokens(scene: &Scene<'_>, raw: u64) -> u64 {
    scene.raw(scene.facts_most()).min(raw / 4)
}

fn holds(history: &History<'_>, checkpoint: &Checkpoint) -> bool {
    history.first() <= checkpoint.covers.count
}

/// The text of a summary message.
pub fn summary_text(body: &str) -> String {
    format!("{}\n{body}\n{}", markers::SUMMARY, markers::SUMMARY_END)
}

/// The text of a summary message without its first and last line.
pub fn body(text: &str) -> &str {
    let frames = [(markers::SUMMARY, markers::SUMMARY_END), (markers::PRESET_SUMMARY, markers::PRESET_SUMMARY_END)];
    frames.iter().find_map(|(start, end)| text.strip_prefix(start)?.strip_suffix(end)).map_or(text, str::trim)
}

/// The history index of the request that a shape cuts behind, inside its turn: a progress note follows it.
pub fn turn(scene: &Scene<'_>, shape: &Shape) -> Option<u64> {
    scene.active_user().filter(|_| shape.note).and_then(|turn| scene.history.index_of(turn))
}

/// The same of a checkpoint that has a note.
pub fn turn_of(history: &History<'_>, checkpoint: &Checkpoint) -> Option<u64> {
    let is_typed = |index: &&u64| history.input_of(**index).is_some_and(|input| history.is_typed(input));
    checkpoint.note.as_ref().and_then(|_| checkpoint.stays.all().filter(is_typed).max()).copied()
}

/// The raw tokens of the progress note of a shape.
pub fn note_tokens(scene: &Scene<'_>, shape: &Shape) -> u64 {
    let raw = scene.raw(shape.summary_tokens);
    if shape.repeats(scene) { raw * 3 / 4 } else { (raw / 2).max(LEAST_NOTE) }
}

/// The minimum raw tokens of a note, in the smallest window.
const LEAST_NOTE: u64 = 100;

/// The text of a checkpoint and how it was made: see [`Checkpoint`].
#[derive(Clone, Debug)]
pub struct Written {
    /// What made it.
    pub kind: Kind,
    /// Whether a trim trimmed a digest.
    pub digest: bool,
    /// Whether the text leaves out something that is in the memory.
    pub shortened: bool,
    /// The text with its first and last line.
    pub text: String,
    /// Nothing of the host's stands around it.
    pub bare: bool,
    /// The provider's own summary.
    pub block: Option<Block>,
}

/// Creates the checkpoint of a shape and its messages.
///
/// # Errors
///
/// If the format cannot create a message.
pub fn checkpoint(
    scene: &Scene<'_>,
    shape: &Shape,
    Written { kind, digest, shortened, text, bare, block }: Written,
    note: Option<String>,
    ids: &[Option<String>],
    host: &mut dyn Host,
) -> Result<Checkpoint, Error> {
    let history = scene.history;
    let revision = scene.state.revision + 1;
    let mut made = |text: String, slot: &str| -> Result<Made, Error> {
        let product = host.summary(&text, &message_id(revision, slot), shape.covers.count)?;
        let records = crate::model::message::MessageRecord::split(&product.record).unwrap_or_default();
        let (raw, hash) = records.first().map_or((0, 0), |record| (record.tokens(), record.hash()));
        Ok(Made { text, raw, hash })
    };
    // Where a text has to be as short as can be, nothing stands around it.
    let frame = if bare { Vec::new() } else { scene.options.prompt.frame.clone() };
    let mut summary = Made { text: text.clone(), ..made(framed(&text, &frame), SUMMARY_SLOT)? };
    let mut was = Vec::new();
    let block = match block.and_then(|block| block.within(&text).map(|parts| (block, parts))) {
        Some((block, (native, beside))) => {
            let behind = made(framed(&beside, &frame), SUMMARY_SLOT)?;
            let whole = core::mem::replace(&mut summary, Made { text, ..behind });
            was.extend((whole.hash != summary.hash).then_some(whole.hash));
            Some((Block { whole: whole.raw, ..block }, native))
        }
        None => None,
    };
    let note = note.map(|note| made(note, NOTE_SLOT)).transpose()?;
    let block = match block {
        Some((block, native)) => host.block(&native)?.map(|product| {
            let (raw, hash) = product.record().map_or((0, 0), |record| (record.tokens(), record.hash()));
            Block { raw, hash, ..block }
        }),
        None => None,
    };
    let hash = |index: &u64| history.input_of(*index).map_or(0, |input| history.hash(input));
    let kept_chain = shape.stays.all().map(hash).fold(CHAIN_START, combine);
    let from = shape.loads_from();
    let known = history.chain_at(from).or_else(|| {
        scene
            .state
            .checkpoints
            .iter()
            .find(|checkpoint| checkpoint.from == from)
            .and_then(|checkpoint| checkpoint.from_chain)
    });
    let from_chain = if from == 0 { Some(CHAIN_START) } else { known };
    let from_id = history.input_of(from).and_then(|input| ids.get(input).cloned().flatten());
    Ok(Checkpoint {
        revision,
        kind,
        digest,
        shortened,
        covers: shape.covers,
        raw: history.raw_before(shape.covers.count, &scene.state.checkpoints),
        stays: shape.stays.clone(),
        kept_chain,
        from,
        from_chain,
        from_id,
        outputs: history.outputs_at(shape.covers.count),
        sample: sample(scene, shape.covers.count),
        summary,
        was,
        frame,
        note,
        block,
    })
}

/// A sample of what tools returned in what is covered: that of the checkpoint before, and of what is covered since. So it
/// is the same whether the host holds all of it or loads it from where the state says.
fn sample(scene: &Scene<'_>, covers: u64) -> Vec<u64> {
    let history = scene.history;
    let active = history.active.map(|active| &scene.state.checkpoints[active]);
    let (from, earlier) = active.map_or((0, &[][..]), |active| (active.covers.count, &active.sample));
    outputs::sample(earlier, history.between(from, covers))
}

/// The part of a message id that distinguishes the messages of one revision.
pub const SUMMARY_SLOT: &str = "summary";
/// See [`SUMMARY_SLOT`].
pub const NOTE_SLOT: &str = "note";

/// The stable id of a message that precis makes.
pub fn message_id(revision: u64, slot: &str) -> String {
    format!("precis-{revision}-{slot}")
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

/// The text before and after the number of dropped messages.
const DROPPED: [&str; 2] = ["\n\n(", " messages after that were dropped without a summary.)"];

/// Splits a summary into its text and the number of messages that its note says were dropped after it.
pub fn dropped(summary: &str) -> (&str, u64) {
    let earlier = summary.strip_suffix(DROPPED[1]).and_then(|rest| {
        let at = rest.rfind('(')?;
        let count = text::whole(text::between(rest, at + 1, rest.len()))?;
        Some((text::between(rest, 0, at).trim_end(), count))
    });
    earlier.unwrap_or((summary, 0))
}

/// A summary with a note of how many messages were dropped after it because there was no room.
pub fn trimmed(summary: &str, dropped: u64) -> String {
    if dropped == 0 {
        return summary.to_owned();
    }
    format!("{summary}{}{dropped}{}", DROPPED[0], DROPPED[1])
}
