//! The session's state: plain JSON that goes in and comes out. Untrusted on the way in, complete on the way out.
//!
//! State written by a minor version is read by the one before it: members we do not know are kept, only a higher
//! `version` is refused. A state never holds messages, only positions, summaries and what was learned.

use crate::base::archive::{Archive, Place, Record};
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::limits::budget::Learned;
use crate::memory::Memory;
use crate::model::message::Position;
use crate::session::compaction::{Checkpoint, Kind};
use crate::session::reach::{EVERYTHING, RESULTS};
use crate::tokens::calibration::Calibration;
use crate::tokens::{self, Estimator};

/// The version this library writes and reads.
pub const VERSION: u64 = 1;
/// Checkpoints kept, newest last: older ones serve rewinds.
const CHECKPOINTS: usize = 4;
/// Models whose limits are remembered.
const LEARNED: usize = 4;
/// Rewrites remembered, 55 bytes each: most edits are of results, which need none.
const REWRITES: usize = 64;
/// Clips remembered: those of what is not covered, and a few of what is kept of what is.
const CLIPS: usize = 24;
/// With so many of what is not covered no more are made as long as anything can be covered in their place.
pub const OPEN_CLIPS: usize = 16;
/// Bytes of text over all checkpoints; the oldest go first.
const TEXT_BYTES: usize = 33_000;

/// The largest revision that is read: every change adds one, and above 2^53 a host's compare-and-set sees no difference.
const REVISION_MOST: u64 = 1 << 52;
/// The bytes that a token of a summary stands for on average are fewer: four are usual. What has more is counted again.
const BYTES_A_TOKEN: u64 = 8;
/// More than this nothing but its text adds to the count of a message.
const MESSAGE_MOST: u64 = 4_096;
/// Compactions that a summarizer is left alone for after failures, at most.
pub const WAIT: u64 = 8;
/// Failures and compactions in a row are counted up to this.
const BREAKER_MOST: u64 = 1_000;

/// A lasting edit: every part that it reaches and that is larger than `cap` raw tokens, of messages before `up_to`, is
/// cut to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clip {
    /// Messages before this.
    pub up_to: Position,
    /// Raw tokens.
    pub cap: u64,
    /// How far it reaches: results of tools, or more; see [`clip`](crate::session::reach).
    pub reach: u64,
    /// Messages before this index were old when it was made: of an assistant, only these are cut.
    pub old: u64,
    /// Results of messages before this index were cleared when it was made: they stay as they were.
    pub cleared: u64,
    /// Failed results of messages before this index were.
    pub failed: u64,
}

/// What `beforeModel` leaves for `afterModel`: what was sent, to pair it with what is reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Names the request.
    pub request: String,
    /// Raw tokens sent, all included.
    pub raw: u64,
    /// Where its history ended, if that is known: the reply is what follows.
    pub at: Option<Position>,
    /// System and tools were counted.
    pub counted: bool,
    /// The context window it was made for: no report above it can be of this request. 0 in states of earlier versions.
    pub window: u64,
    /// Under which key.
    pub key: String,
}

/// Brakes on compacting too often or too hopefully.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Failures of the summarizer in a row.
    pub failures: u64,
    /// Calls to go without a summarizer.
    pub wait: u64,
    /// Compactions in a row with little new.
    pub thrash: u64,
}

/// Calibration of the preset `contextguard`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextguardState {
    /// Last reported prompt.
    pub real: u64,
    /// Raw estimate of the request as sent.
    pub last: u64,
}

/// A clipped message and what it was made from, by content hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Of the copy.
    pub made: u64,
    /// Of the original.
    pub from: u64,
}

/// Everything that outlives a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    /// Counts changes of what is sent; the host's compare-and-set.
    pub revision: u64,
    /// Newest last.
    pub checkpoints: Vec<Checkpoint>,
    /// Lasting cuts, by `up_to`.
    pub clips: Vec<Clip>,
    /// Results of messages before this are cleared.
    pub cleared: Option<Position>,
    /// Failed results of messages before this are cleared.
    pub failed: Option<Position>,
    /// Reasoning that is not signed is left out of messages before this.
    pub thoughts: Option<Position>,
    /// Media of messages before this index are cleared.
    pub media: u64,
    /// Indices of messages that none of these edits touches, in order.
    pub spared: Vec<u64>,
    /// Content hashes of clipped messages and of what they were made from: a view given back hashes like its history.
    pub rewrites: Vec<Rewrite>,
    /// What is known of tokens.
    pub calibration: Calibration,
    /// What refusals have taught of the models' limits, newest last.
    pub learned: Vec<Learned>,
    /// What was sent last.
    pub pending: Option<Pending>,
    /// Brakes.
    pub breaker: Breaker,
    /// What is remembered of what is covered.
    pub memory: Option<Memory>,
    /// The preset's own.
    pub contextguard: Option<ContextguardState>,
    /// Members of a later version, kept.
    pub unknown: Vec<(String, Json)>,
}

impl Record for Clip {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("upTo", &mut self.up_to);
        archive.count("cap", &mut self.cap);
        reach(archive, &mut self.reach);
        for (name, count) in [("old", &mut self.old), ("cleared", &mut self.cleared), ("failed", &mut self.failed)] {
            let mut some = Some(*count).filter(|&count| count > 0);
            archive.maybe_count(name, &mut some);
            *count = some.unwrap_or(0);
        }
    }
}

/// A reach in plain data: `typed` for the farthest, a number for those between, nothing for results alone.
pub(crate) fn reach(archive: &mut Archive<'_>, reach: &mut u64) {
    let mut typed = *reach >= EVERYTHING;
    archive.flag("typed", &mut typed);
    let mut between = Some(*reach).filter(|&reach| reach > RESULTS && reach < EVERYTHING);
    archive.maybe_count("reach", &mut between);
    *reach = if typed { EVERYTHING } else { between.unwrap_or(RESULTS).min(EVERYTHING - 1) };
}

impl Record for Pending {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("request", &mut self.request);
        archive.count("raw", &mut self.raw);
        archive.maybe_position("at", &mut self.at);
        archive.flag("counted", &mut self.counted);
        let mut window = Some(self.window).filter(|&window| window > 0);
        archive.maybe_count("window", &mut window);
        self.window = window.unwrap_or(0);
        archive.text("key", &mut self.key);
    }
}

impl Record for Breaker {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("failures", &mut self.failures);
        archive.count("wait", &mut self.wait);
        archive.count("thrash", &mut self.thrash);
        if archive.reads() {
            self.wait = self.wait.min(WAIT);
            self.failures = self.failures.min(BREAKER_MOST);
            self.thrash = self.thrash.min(BREAKER_MOST);
        }
    }
}

impl Record for ContextguardState {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("real", &mut self.real);
        archive.count("last", &mut self.last);
    }
}

impl Record for Rewrite {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.hash("made", &mut self.made);
        archive.hash("from", &mut self.from);
    }
}

const KNOWN: [&str; 16] = [
    "version",
    "revision",
    "checkpoints",
    "clips",
    "cleared",
    "failed",
    "thoughts",
    "media",
    "spared",
    "rewrites",
    "calibration",
    "learned",
    "pending",
    "breaker",
    "memory",
    "seed",
];

impl Record for SessionState {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut version = VERSION;
        archive.count("version", &mut version);
        let mut revision = (!archive.reads()).then_some(self.revision);
        archive.maybe_count("revision", &mut revision);
        match revision {
            Some(revision) if revision <= REVISION_MOST || !archive.reads() => self.revision = revision,
            _ => archive.reject("revision"),
        }
        archive.records("checkpoints", &mut self.checkpoints);
        archive.records("clips", &mut self.clips);
        archive.maybe_position("cleared", &mut self.cleared);
        archive.maybe_position("failed", &mut self.failed);
        archive.maybe_position("thoughts", &mut self.thoughts);
        let mut media = Some(self.media).filter(|&media| media > 0);
        archive.maybe_count("media", &mut media);
        self.media = media.unwrap_or(0);
        archive.counts("spared", &mut self.spared);
        if self.spared.windows(2).any(|pair| pair[0] >= pair[1]) {
            archive.reject("spared");
        }
        archive.records("rewrites", &mut self.rewrites);
        archive.record("calibration", &mut self.calibration);
        archive.records("learned", &mut self.learned);
        archive.maybe_record("pending", &mut self.pending);
        archive.record("breaker", &mut self.breaker);
        archive.maybe_record("memory", &mut self.memory);
        archive.maybe_record("seed", &mut self.contextguard);
        archive.unknown(&KNOWN, &mut self.unknown);
        for (name, length, most) in [
            ("checkpoints", self.checkpoints.len(), CHECKPOINTS),
            ("clips", self.clips.len(), CLIPS),
            ("rewrites", self.rewrites.len(), REWRITES),
            ("learned", self.learned.len(), LEARNED),
        ] {
            if archive.reads() && length > most {
                archive.reject(name);
            }
        }
        if self.checkpoints.windows(2).any(|pair| pair[0].covers.count > pair[1].covers.count) {
            archive.reject("checkpoints");
        }
    }
}

const PLACE: Place = Place {
    name: "state",
    code: Code::InvalidState,
    advice: "This state was changed or cut after precis returned it. Load the last intact copy; without one pass null: the conversation goes on, only its summary is made again.",
};

impl SessionState {
    /// Reads a state; null is a fresh one.
    ///
    /// # Errors
    /// When it is none of ours, damaged, or of a newer version. It is never reset silently.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        match json.get("version").count() {
            _ if json.is_null() => Ok(Self::default()),
            Some(VERSION) => Self::from_json(json, PLACE),
            Some(newer) if newer > VERSION => Err(Error::at(
                Code::NewerState,
                "state.version",
                format!(
                    "This state has version {newer}, this library reads {}: update precis before it touches this conversation.",
                    VERSION
                ),
            )),
            _ => Err(Error::at(
                Code::InvalidState,
                "state",
                "This is not a state of precis. Pass what the last call returned, or null for a new conversation.",
            )),
        }
    }

    /// Counts the texts again whose stored count no text of their size has: believed, one of a megabyte would take next to
    /// nothing, and a short one the whole window.
    pub fn recount(&mut self, estimator: &Estimator) {
        let made = self.checkpoints.iter_mut().flat_map(|one| [Some(&mut one.summary), one.note.as_mut()]);
        for made in made.flatten() {
            let bytes = made.text.len() as u64;
            if !(bytes / BYTES_A_TOKEN..=bytes + MESSAGE_MOST).contains(&made.raw) {
                let counted = tokens::of_text(estimator, &made.text);
                made.raw = made.raw.clamp(counted, counted + MESSAGE_MOST);
            }
        }
    }

    /// Removes the checkpoints that cover so many messages or more.
    pub fn uncover(&mut self, count: u64) {
        while self.checkpoints.pop_if(|newest| newest.covers.count >= count).is_some() {}
    }

    /// Adds a checkpoint; the oldest go when there are too many or their texts too long.
    pub fn push(&mut self, checkpoint: Checkpoint) {
        // Whoever takes the place of what covers more has removed it; should one be left, the order still holds.
        debug_assert!(self.checkpoints.iter().all(|older| older.covers.count <= checkpoint.covers.count));
        self.uncover(checkpoint.covers.count + 1);
        self.checkpoints.push(checkpoint);
        let mut bytes: usize = self.checkpoints.iter().map(Self::text_bytes).sum();
        while self.checkpoints.len() > 1 && (self.checkpoints.len() > CHECKPOINTS || bytes > TEXT_BYTES) {
            // The newest summary by a model stays as long as digests quote it.
            let last = self.checkpoints.len() - 1;
            let summary = self.checkpoints.iter().rposition(|one| one.kind == Kind::Summary);
            let oldest = usize::from(summary == Some(0) && last > 1);
            bytes -= Self::text_bytes(&self.checkpoints.remove(oldest));
        }
    }

    /// Adds a clip. The last one becomes a part of it if that cut to the same cap and reached no farther, and nothing was
    /// cleared since but what it had seen. An earlier one stays: what a clip between them left alone because of it would be
    /// cut twice without it, in a history but not in a view of it.
    pub fn clip(&mut self, mut clip: Clip) {
        if let Some(last) = self.clips.pop_if(|last| {
            last.cap == clip.cap
                && last.reach <= clip.reach
                && (last.cleared..=last.up_to.count).contains(&clip.cleared)
                && (last.failed..=last.up_to.count).contains(&clip.failed)
        }) {
            (clip.cleared, clip.failed) = (last.cleared, last.failed);
        }
        self.clips.push(clip);
        let surplus = self.clips.len().saturating_sub(CLIPS);
        self.clips.drain(..surplus);
    }

    /// Clips of what the newest checkpoint leaves uncovered: the same for a history and a view of it.
    pub fn open_clips(&self) -> &[Clip] {
        let covered = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count);
        let closed = self.clips.iter().take_while(|clip| clip.up_to.count <= covered).count();
        self.clips.split_at(closed).1
    }

    /// Remembers the copies that are sent, in their order, and no longer than there is room those of earlier views.
    pub fn rewrite(&mut self, sent: Vec<Rewrite>) {
        self.rewrites.retain(|earlier| sent.iter().all(|rewrite| rewrite.made != earlier.made));
        self.rewrites.extend(sent);
        let surplus = self.rewrites.len().saturating_sub(REWRITES);
        self.rewrites.drain(..surplus);
    }

    /// What is known of the limits under a key.
    pub fn learned(&self, key: &str) -> Learned {
        let known = self.learned.iter().find(|learned| learned.key == key);
        known.cloned().unwrap_or_else(|| Learned { key: key.to_owned(), ..Learned::default() })
    }

    /// Remembers what is known of the limits under a key.
    pub fn learn(&mut self, learned: Learned) {
        self.learned.retain(|other| other.key != learned.key);
        self.learned.push(learned);
        let surplus = self.learned.len().saturating_sub(LEARNED);
        self.learned.drain(..surplus);
    }

    /// A prompt of so many tokens went through: no limit lies below it.
    pub fn went_through(&mut self, key: &str, prompt: u64) {
        if let Some(learned) = self.learned.iter_mut().find(|learned| learned.key == key) {
            learned.window = learned.window.map(|window| window.max(prompt));
            learned.input = learned.input.map(|input| input.max(prompt));
            learned.reply = None;
        }
    }

    fn text_bytes(checkpoint: &Checkpoint) -> usize {
        checkpoint.summary.text.len() + checkpoint.note.as_ref().map_or(0, |note| note.text.len())
    }
}
