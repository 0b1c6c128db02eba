//! Turns a shape into a checkpoint: the texts that code writes around a summary, and what it notes of the messages.

use crate::base::error::Error;
use crate::base::{markers, text};
use crate::call::input::Call;
use crate::ingest::host::Host;
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::memory::digest;
use crate::model::message::{CHAIN_START, combine};
use crate::session::compaction::{Checkpoint, Kind, Made, framed};
use crate::session::history::History;
use crate::session::outputs;
use crate::session::state::SessionState;
use crate::summary::block::Block;

/// The part of a summary that the model wrote.
pub(crate) fn quotable(checkpoint: &Checkpoint) -> String {
    digest::split(&written(checkpoint).0).0.to_owned()
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
pub(crate) fn checkpoint(
    (call, history, state): (&Call, &History<'_>, &SessionState),
    shape: &Shape,
    Written { kind, digest, shortened, text, bare, block }: Written,
    note: Option<String>,
    host: &mut dyn Host,
) -> Result<Checkpoint, Error> {
    let revision = state.revision + 1;
    let mut made = |text: String, slot: &str| -> Result<Made, Error> {
        let product = host.summary(&text, &message_id(revision, slot), shape.covers.count)?;
        let records = crate::model::message::MessageRecord::split(&product.record).unwrap_or_default();
        let (raw, hash) = records.first().map_or((0, 0), |record| (record.tokens(), record.hash()));
        Ok(Made { text, raw, hash })
    };
    // Where a text has to be as short as can be, nothing stands around it.
    let frame = if bare { Vec::new() } else { call.options.prompt.frame.clone() };
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
        state.checkpoints.iter().find(|checkpoint| checkpoint.from == from).and_then(|checkpoint| checkpoint.from_chain)
    });
    let from_chain = if from == 0 { Some(CHAIN_START) } else { known };
    let from_id = history.input_of(from).and_then(|input| call.ids.get(input).cloned().flatten());
    Ok(Checkpoint {
        revision,
        kind,
        digest,
        shortened,
        covers: shape.covers,
        raw: history.raw_before(shape.covers.count, &state.checkpoints),
        stays: shape.stays.clone(),
        kept_chain,
        from,
        from_chain,
        from_id,
        outputs: history.outputs_at(shape.covers.count),
        sample: sample(history, state, shape.covers.count),
        summary,
        was,
        frame,
        note,
        block,
    })
}

/// A sample of what tools returned in what is covered: that of the checkpoint before, and of what is covered since. So it
/// is the same whether the host holds all of it or loads it from where the state says.
fn sample(history: &History<'_>, state: &SessionState, covers: u64) -> Vec<u64> {
    let active = history.active.map(|active| &state.checkpoints[active]);
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
