//! Covers the past: writes the text that replaces it, and the checkpoint that holds the text.

use crate::base::error::Error;
use crate::base::json::quoted_bytes;
use crate::base::millionths;
use crate::call::checkpoint::{self, Written};
use crate::call::context::Work;
use crate::call::covered;
use crate::engine::bound_tail;
use crate::engine::literals;
use crate::engine::summarizing::Summary;
use crate::ingest::host::Host;
use crate::ladder::compact;
use crate::ladder::shape::Shape;
use crate::ladder::{self, RungId, Scene};
use crate::limits::state_size::{DIGEST_BYTES, DIGEST_TOKENS, LIST_BYTES, STATE_BYTES};
use crate::memory::Memory;
use crate::memory::digest::{self, LeftOut, Source};
use crate::memory::pool::Pool;
use crate::memory::progress::Steps;
use crate::session::compaction::Kind;
use crate::session::edits::eligibility;
use crate::session::state::Breaker;
use crate::summary::block::Block;
use crate::tokens;

/// The approximate raw tokens of the lines around a summary.
const FRAME: u64 = 24;
/// The raw tokens of a message apart from its text.
const OVERHEAD: u64 = 4;
/// The raw tokens up to which a trimmed text may grow.
const TRIMMED_MOST: u64 = 3_000;
/// The raw tokens from which on a shortened digest shows more than what was said.
const LEAST_WITH_NAMES: u64 = 100;
/// The most attempts to bring a summary down to a size.
const SHORTER_TRIES: usize = 4;

/// A compaction to make.
pub(crate) struct Covering<'a> {
    /// The scene of the view without it.
    pub scene: &'a Scene<'a>,
    /// What to cover and keep.
    pub shape: &'a Shape,
    /// The rung that proposed it.
    pub rung: RungId,
    /// Whether a summarizer was called, even without success.
    pub asked: bool,
    /// Whether the model read the text of everything that is covered.
    pub reads_all: bool,
}

/// A compaction that is written: what it changes in the state.
pub(crate) struct Cover {
    shape: Shape,
    written: Written,
    note: Option<String>,
    memory: Memory,
    breaker: Breaker,
    /// Whether a summary takes the place of a digest of the same.
    replaces: bool,
    /// Whether the text leaves out requirements or requests of the user.
    pub(crate) lost: bool,
}

/// The text that replaces the past.
struct Text {
    kind: Kind,
    /// Whether a trimmed text is a digest, written by code.
    digest: bool,
    text: String,
    left_out: LeftOut,
}

/// The text of the checkpoint that is trimmed.
struct Trimmed {
    summary: String,
    digest: bool,
    /// The number of messages dropped after it, including those dropped now.
    dropped: u64,
}

/// What the size of a digest depends on.
#[derive(Clone, Copy)]
struct Size {
    /// The raw tokens that it replaces.
    replaced: u64,
    /// The raw tokens of the text that it replaces.
    earlier: u64,
    /// The raw tokens of the note beside it.
    note: u64,
    /// The number of messages dropped after it.
    dropped: u64,
    /// Whether it only becomes shorter.
    shorter: bool,
}

impl Covering<'_> {
    /// Writes the text, from the summary if there is one.
    pub(crate) fn write(&self, work: &Work<'_>, summary: Option<Summary>, host: &mut dyn Host) -> Result<Cover, Error> {
        let scene = self.scene;
        let covered = |active: usize| work.state.checkpoints[active].covers.count;
        let replaces =
            summary.is_some() && work.history.active.is_some_and(|active| covered(active) >= self.shape.covers.count);
        let breaker = self.breaker(work, replaces, summary.is_none());
        let (summary, native) = summary
            .map_or((None, None), |Summary { text, block, sent }| (Some(text), block.map(|block| (block, sent))));
        // What only the provider can read has a digest beside it.
        let summary = summary.filter(|text| !text.is_empty());
        let trimmed = self.trimmed(work);
        // A digest is written again of all that is covered: nothing goes without it.
        let dropped = trimmed.as_ref().filter(|trimmed| !trimmed.digest).map_or(0, |trimmed| trimmed.dropped);
        let mut held = if self.reads_all { self.shape.clone() } else { compact::with_compaction(scene, self.shape) };
        let native =
            native.map(|(block, sent)| Block { tail: bound_tail::behind(&block, work, scene, &held, sent), ..block });
        let has_tail_first = native.as_ref().is_some_and(|block| block.tail.is_some());
        if has_tail_first {
            bound_tail::leave_to_code(&mut held, scene);
        }
        let steps = if has_tail_first { Steps::Precede } else { Steps::Follow };
        let shape = &held;
        // The memory is always derived from what was sent, whoever writes the text above it.
        let known = covered::known(scene, shape, host)?;
        let pool = Pool::of(&known.memory, &known.messages);
        let visible = |index| shape.shows(index);
        let references = work.call.recalls.then_some(shape.covers.count);
        let (summary_before, todos) = (&*known.summary, &*work.call.todos);
        let turn = checkpoint::turn(scene, shape);
        let estimator = &scene.options.estimator;
        let source =
            Source { known: &pool, summary: summary_before, todos, visible: &visible, references, turn, estimator };
        let shorter = self.rung == RungId::Trim && shape.repeats(scene);
        let earlier = scene.history.active.map(|active| &scene.state.checkpoints[active]);
        let mut room = checkpoint::note_tokens(scene, shape);
        // Where nothing came before the request, the note has the room of the digest.
        if turn.is_some() && summary.is_none() && !shorter && !source.tells() {
            let earlier = earlier.and_then(|earlier| earlier.note.as_ref()).map_or(0, |note| note.raw);
            let size = Size { replaced: known.raw, earlier, note: 2 * OVERHEAD, dropped, shorter };
            room = room.max(self.digest_room(scene, shape, size).0.min(DIGEST_TOKENS));
        }
        let note = turn.and_then(|_| source.progress(room, steps));
        let beside = note.as_ref().map_or(0, |note| tokens::of_text(&scene.options.estimator, note) + OVERHEAD);
        let native = native.or_else(|| self.carried(work, summary.is_some() || shorter));
        let taken =
            native.as_ref().filter(|block| !block.is_readable()).map_or(0, |block| block.rest.bytes() as u64 / 4);
        let earlier = earlier.map_or(0, |earlier| earlier.summary.raw);
        let size = Size { replaced: known.raw, earlier, note: beside + taken, dropped, shorter };
        let Text { kind, digest, text, left_out } = match (summary, trimmed) {
            (Some(text), _) => of_model(scene, &source, known.raw, text, replaces),
            (None, Some(trimmed)) if !shorter => {
                let most = self.digest_room(scene, shape, size).0;
                of_trim(scene, &source, known.raw, trimmed, most)
            }
            (None, _) => self.by_code(scene, &source, shape, size),
        };
        // What code keeps stays at the end.
        let (body, kept) = digest::split(&text);
        let mut text = keep_literals(body.to_owned(), scene, shape, &work.call.must_keep, host)?;
        if !kept.is_empty() {
            text.push_str("\n\n");
            text.push_str(kept);
        }
        let text = checkpoint::trimmed(&text, dropped);
        // What a long text, the note and long lists take is not left for the memory.
        let written = quoted_bytes(&text)
            + note.as_deref().map_or(0, quoted_bytes)
            + native.as_ref().map_or(0, |block| block.rest.bytes());
        let listed = work.state.list_bytes(shape.covers.count) + shape.stays.bytes();
        let stored = STATE_BYTES.saturating_sub(written + listed.saturating_sub(LIST_BYTES));
        let upto = if known.memory.upto.count > shape.covers.count { known.memory.upto } else { shape.covers };
        let memory = pool.bounded(stored.min(work.call.options.memory as usize), upto);
        let written = Written {
            kind,
            digest,
            shortened: left_out.more && kind != Kind::Summary,
            text: checkpoint::summary_text(&text),
            bare: shorter,
            block: native,
        };
        Ok(Cover { shape: held, written, note, memory, breaker, replaces, lost: left_out.required })
    }

    /// The provider's own summary that stays in the view: of what is covered, it stands for the beginning. A readable one
    /// stays with its text; a text by code stands behind one that only the provider can read.
    fn carried(&self, work: &Work<'_>, gives_way: bool) -> Option<Block> {
        let active = work.history.active.map(|active| &work.state.checkpoints[active])?;
        let block = active.block.clone().filter(|block| !gives_way || block.is_readable())?;
        // It no longer stands for everything before the turns that follow.
        Some(Block { tail: None, ..block })
    }

    /// The backoff counters after this compaction.
    fn breaker(&self, work: &Work<'_>, replaces: bool, by_code: bool) -> Breaker {
        let mut breaker = work.state.breaker;
        // What code covers costs nothing, so only summaries by a model count.
        if !replaces && self.rung == RungId::Summarize {
            breaker.thrash = if work.little_new(self.scene) { breaker.thrash + 1 } else { 0 };
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
            + checkpoint.stays.kept.len().saturating_sub(self.shape.stays.kept.len()) as u64;
        let dropped = before.saturating_add(more);
        Some(Trimmed { summary, digest: checkpoint::is_digest(checkpoint), dropped })
    }

    /// Writes a digest of the right size.
    fn by_code(&self, scene: &Scene<'_>, source: &Source<'_>, shape: &Shape, size: Size) -> Text {
        let (raw, below) = self.digest_room(scene, shape, size);
        let Size { dropped, shorter, .. } = size;
        let mut room = raw;
        let (mut text, mut left_out);
        let mut tries = 0;
        loop {
            (text, left_out) = source.digest(room, shorter && room < LEAST_WITH_NAMES);
            let whole = checkpoint::summary_text(&checkpoint::trimmed(&text, dropped));
            let size = tokens::of_text(&scene.options.estimator, if shorter { &whole } else { &text });
            let fits = size <= raw || !shorter && size < below + FRAME;
            // Where a token is many bytes, a text may fit into the window and not into the state.
            if fits && text.len() <= DIGEST_BYTES || tries == SHORTER_TRIES {
                break;
            }
            tries += 1;
            room = room.saturating_sub(size.saturating_sub(raw));
            if text.len() > DIGEST_BYTES {
                room = millionths::scale(room, DIGEST_BYTES as u64, text.len() as u64);
            }
        }
        let trims = self.rung == RungId::Trim;
        Text { kind: if trims { Kind::Trim } else { Kind::Digest }, digest: trims, text, left_out }
    }

    /// The raw tokens that a digest aims at, and those that the limit leaves for it.
    fn digest_room(&self, scene: &Scene<'_>, shape: &Shape, size: Size) -> (u64, u64) {
        let Size { replaced, earlier, note, shorter, .. } = size;
        let most = if self.rung == RungId::Trim { shape.summary_tokens / 2 } else { shape.summary_tokens };
        // The rest of the room up to the target can hold more of the memory, but the digest must not exceed the earlier
        // one plus half of what is covered now.
        let stays = scene.view.items.iter().filter(|item| !item.fixed);
        let stays: u64 = stays.map(|item| shape.tokens_of(item, scene.history)).sum();
        let left = scene.digested_most().saturating_sub(stays + note);
        let raw = scene.raw(most).max(left.min(DIGEST_TOKENS)).min(earlier + replaced.saturating_sub(earlier) / 2);
        // If a quarter of it is enough room, nothing else has to be removed.
        let below = scene.raw_below(scene.limits.limit).saturating_sub(scene.view.fixed() + stays + note + FRAME);
        let raw = if below < raw / 2 { raw } else { raw.min(below) }.max(ladder::LEAST_CAP);
        let raw = if shorter { scene.raw(shape.summary_tokens).saturating_sub(OVERHEAD) } else { raw };
        (raw, below)
    }
}

impl Cover {
    /// Adds the checkpoint to the state.
    ///
    /// # Errors
    ///
    /// If the host cannot create a message.
    pub(crate) fn apply(self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<(), Error> {
        let Self { shape, written, note, memory, breaker, replaces, lost: _ } = self;
        work.state.memory = Some(memory);
        if replaces {
            // A digest that covers more than this is replaced together with its note.
            work.state.uncover(shape.covers.count + 1);
            work.history.active = work.state.checkpoints.len().checked_sub(1);
        }
        let same = work.history.active.map(|active| &work.state.checkpoints[active]);
        let note = match same.filter(|same| replaces && same.covers == shape.covers) {
            Some(same) => same.note.as_ref().map(|note| note.text.clone()),
            None => note,
        };
        let mut checkpoint = checkpoint::checkpoint(work.placed(), &shape, written, note, host)?;
        let kept = (checkpoint.covers, &checkpoint.stays.head, &checkpoint.stays.kept);
        let earlier = same.filter(|same| replaces && (same.covers, &same.stays.head, &same.stays.kept) == kept);
        if let Some(earlier) = earlier.cloned() {
            checkpoint.replaces(&earlier);
        }
        if replaces {
            work.state.uncover(shape.covers.count);
        }
        let (history, stale) = (&work.history, &work.state.stale);
        // For covered messages, only clips that still cut a kept message are needed.
        work.state.clips.retain(|clip| {
            clip.up_to.count > shape.covers.count
                || shape.stays.kept.iter().any(|&index| {
                    history.input_of(index).is_some_and(|input| {
                        eligibility::cuts(clip, &history.messages[input], index, history.sends_signed(input, stale))
                    })
                })
        });
        work.state.spared.retain(|&index| shape.shows(index));
        work.state.push(checkpoint);
        work.history.active = work.state.checkpoints.len().checked_sub(1);
        work.state.breaker = breaker;
        work.forget_covered_reply();
        Ok(())
    }
}

/// A summary written by a model, with what code adds to it.
fn of_model(scene: &Scene<'_>, source: &Source<'_>, replaced: u64, mut text: String, replaces: bool) -> Text {
    let room = checkpoint::facts_tokens(scene, if replaces { u64::MAX } else { replaced });
    let left_out = source.keep(&mut text, room);
    Text { kind: Kind::Summary, digest: false, text, left_out }
}

/// The trimmed text. What a model wrote of it stays, but for lines that code keeps below it. What code keeps may grow by
/// about half of what is removed, because trimming must make room; a digest to no more than `most` raw tokens.
fn of_trim(scene: &Scene<'_>, source: &Source<'_>, replaced: u64, trimmed: Trimmed, most: u64) -> Text {
    let Trimmed { summary, digest, .. } = trimmed;
    let before = tokens::of_text(&scene.options.estimator, &summary);
    let removed = replaced.saturating_sub(before) / 2;
    let grown = |size: u64| (size + removed).min(size.max(TRIMMED_MOST));
    if digest {
        let (text, left_out) = source.digest(grown(before).min(most), false);
        return Text { kind: Kind::Trim, digest, text, left_out };
    }
    let (body, kept) = digest::split(&summary);
    let mut text = body.to_owned();
    let left_out = source.keep(&mut text, grown(tokens::of_text(&scene.options.estimator, kept)));
    Text { kind: Kind::Trim, digest, text, left_out }
}

/// Appends literal strings that must stay and would be lost with the covered messages, even if they had been cut
/// before.
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
    let material = covered::material(scene, shape, host)?;
    literals::append(&mut text, literals.iter().filter(|literal| covered::mentions(&material, literal)));
    Ok(text)
}
