//! The state of a session: plain JSON that the host stores. It is untrusted when it is read, and complete when it is
//! returned.
//!
//! A state written by a later minor version can be read: unknown members are kept, and only a higher `version` is
//! refused. A state never holds messages, only positions, summaries and what was learned.

use crate::base::archive::{Archive, Origin, Record};
use crate::base::error::{Code, Error};
use crate::base::json::{Json, quoted_bytes};
use crate::limits::budget::Learned;
use crate::limits::state_size::{
    CLIP_BYTES, LIST_BYTES, OWN_BYTES, REWRITE_BYTES, STATE_BYTES, TEXT_BYTES, UNKNOWN_BYTES, indices_bytes,
};
use crate::memory::Memory;
use crate::model::message::Position;
use crate::session::clip::Clip;
use crate::session::compaction::{Checkpoint, Kind};
use crate::session::joined;
use crate::session::own::{self, OwnParts};
use crate::session::sent::{self, SentPrefixes, Stale};
use crate::tokens::calibration::Calibration;
use crate::tokens::{self, Estimator};

/// The state version that this library writes and reads.
pub const VERSION: u64 = 1;
/// The most checkpoints, newest last. Older ones are for rewinds.
const CHECKPOINTS: usize = 4;
/// The most models whose limits are stored.
const LEARNED: usize = 4;
/// The most rewrites. Most edits are of results, which need none.
const REWRITES: usize = 64;
/// The most clips: those of uncovered messages, and some of kept messages.
const CLIPS: usize = 24;
/// The most messages, counted from the newest, that are recorded as untouched by edits.
pub const SPARED: usize = 1_000;
/// With this many clips of uncovered messages, no further ones are made as long as something can be covered instead.
pub const OPEN_CLIPS: usize = 16;

/// The highest revision that is read. Every change increments it, and above 2^53 a host's compare-and-set cannot
/// distinguish revisions.
const REVISION_MOST: u64 = 1 << 52;
/// A token of a summary has fewer bytes than this on average; about four are usual. A count that implies more is
/// recomputed.
const BYTES_A_TOKEN: u64 = 8;
/// The bytes of the hash of a chat's name: SHA-256, as hex digits.
const CHAT_BYTES: usize = 64;
/// The most raw tokens of a message beyond those of its text.
const MESSAGE_MOST: u64 = 4_096;
/// The most compactions for which the summarizer is not called after failures.
pub const WAIT: u64 = 8;
/// The highest count of consecutive failures or compactions.
const BREAKER_MOST: u64 = 1_000;

/// What `beforeModel` stores about the request that is sent, for `afterModel` to match with the reported usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// The id of the request.
    pub request: String,
    /// The raw tokens of everything that is sent.
    pub raw: u64,
    /// The end of its history, if known. The reply follows it.
    pub at: Option<Position>,
    /// Whether the system prompt and tools were counted.
    pub counted: bool,
    /// The context window of the request, in tokens. Usage above it cannot belong to the request. 0 in states of
    /// earlier versions.
    pub window: u64,
    /// The key of the calibration.
    pub key: String,
    /// The hash of all its messages as they were sent, where reasoning may be bound to it.
    pub sent: Option<u64>,
}

/// Backoff counters: they limit how often compactions and summarizer calls are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Consecutive failures of the summarizer.
    pub failures: u64,
    /// The number of compactions without a summarizer that are still to come.
    pub wait: u64,
    /// Consecutive summaries by a model with little new content.
    pub thrash: u64,
}

/// The calibration of the preset `contextguard`, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextguardState {
    /// The last reported prompt.
    pub real: u64,
    /// The raw estimate of the request as sent.
    pub last: u64,
}

/// The content hashes of a clipped message and its original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// The hash of the copy.
    pub made: u64,
    /// The hash of the original.
    pub from: u64,
}

/// Everything that outlives a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    /// Incremented by every change of what is sent. The host compares it to detect concurrent writes.
    pub revision: u64,
    /// The hash of the name of the chat that it is bound to, if the host has named one.
    pub chat: Option<String>,
    /// The checkpoints, newest last.
    pub checkpoints: Vec<Checkpoint>,
    /// The lasting clips in the order in which they were made. After a rewind, a later one may end earlier.
    pub clips: Vec<Clip>,
    /// Results of messages before this position are cleared.
    pub cleared: Option<Position>,
    /// Failed results of messages before this position are cleared.
    pub failed: Option<Position>,
    /// Unsigned reasoning is left out of messages before this.
    pub thoughts: Option<Position>,
    /// What was sent, as far as reasoning is bound to it.
    pub sent: Option<SentPrefixes>,
    /// Signed reasoning of these messages is left out: what was sent before it has changed since. Ascending.
    pub stale: Vec<Stale>,
    /// Media in messages before this index are cleared.
    pub media: u64,
    /// The ascending indices of messages that none of these edits affects.
    pub spared: Vec<u64>,
    /// The hashes of clipped messages and their originals, so that a view passed as history hashes like the history.
    pub rewrites: Vec<Rewrite>,
    /// Which parts of what was sent are ours, so that a view passed as history is read like the history: of the view that was
    /// passed last, if it was one, and of the newest.
    pub own: Vec<OwnParts>,
    /// What was learned about token counts.
    pub calibration: Calibration,
    /// The limits of models that refusals revealed, newest last.
    pub learned: Vec<Learned>,
    /// Whether nothing could be read from the newest usage that the host gave.
    pub unread: bool,
    /// The last request that was sent.
    pub pending: Option<Pending>,
    /// The backoff counters.
    pub breaker: Breaker,
    /// The end of the last history whose number of messages began a compaction. The same request again begins none.
    pub fired: Option<Position>,
    /// The memory of what is covered.
    pub memory: Option<Memory>,
    /// The state of the preset.
    pub contextguard: Option<ContextguardState>,
    /// Members of a later version, which are kept unchanged.
    pub unknown: Vec<(String, Json)>,
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
        archive.maybe_hash("sent", &mut self.sent);
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

const KNOWN: [&str; 22] = [
    "version",
    "revision",
    "chat",
    "checkpoints",
    "clips",
    "cleared",
    "failed",
    "thoughts",
    "sent",
    "stale",
    "media",
    "spared",
    "rewrites",
    "own",
    "calibration",
    "learned",
    "unread",
    "pending",
    "breaker",
    "fired",
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
        archive.maybe_text("chat", &mut self.chat);
        if self.chat.as_ref().is_some_and(|chat| chat.len() > CHAT_BYTES) {
            archive.reject("chat");
        }
        archive.records("checkpoints", &mut self.checkpoints);
        archive.records("clips", &mut self.clips);
        archive.maybe_position("cleared", &mut self.cleared);
        archive.maybe_position("failed", &mut self.failed);
        archive.maybe_position("thoughts", &mut self.thoughts);
        archive.maybe_record("sent", &mut self.sent);
        archive.records("stale", &mut self.stale);
        if self.stale.iter().any(|gap| gap.from >= gap.to) || self.stale.windows(2).any(|two| two[0].to >= two[1].from)
        {
            archive.reject("stale");
        }
        let mut media = Some(self.media).filter(|&media| media > 0);
        archive.maybe_count("media", &mut media);
        self.media = media.unwrap_or(0);
        archive.counts("spared", &mut self.spared);
        if self.spared.windows(2).any(|pair| pair[0] >= pair[1]) {
            archive.reject("spared");
        }
        archive.records("rewrites", &mut self.rewrites);
        archive.records("own", &mut self.own);
        archive.record("calibration", &mut self.calibration);
        archive.records("learned", &mut self.learned);
        archive.flag("unread", &mut self.unread);
        archive.maybe_record("pending", &mut self.pending);
        archive.record("breaker", &mut self.breaker);
        archive.maybe_position("fired", &mut self.fired);
        archive.maybe_record("memory", &mut self.memory);
        if archive.reads() && self.memory.as_ref().is_some_and(|memory| memory.upto.count == 0) {
            // One in another layout: it is made again.
            self.memory = None;
        }
        archive.maybe_record("seed", &mut self.contextguard);
        archive.unknown(&KNOWN, UNKNOWN_BYTES, &mut self.unknown);
        for (name, length, most) in [
            ("checkpoints", self.checkpoints.len(), CHECKPOINTS),
            ("clips", self.clips.len(), CLIPS),
            ("rewrites", self.rewrites.len(), REWRITES),
            ("learned", self.learned.len(), LEARNED),
            ("stale", self.stale.len(), sent::MOST_STALE),
            ("spared", self.spared.len(), SPARED),
            ("own", self.own.len(), own::MOST),
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

const PLACE: Origin = Origin {
    name: "state",
    code: Code::InvalidState,
    advice: "This state was changed or truncated after precis returned it. Load the last intact copy. Without one, pass null: the conversation continues, and only its summary is made again.",
};

impl SessionState {
    /// Reads a state. Null is a new one.
    ///
    /// # Errors
    ///
    /// If it is not a state of precis, damaged, or of a newer version. It is never reset silently.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        match json.get("version").count() {
            _ if json.is_null() => Ok(Self::default()),
            Some(VERSION) => Self::from_json(json, PLACE),
            Some(newer) if newer > VERSION => Err(Error::at(
                Code::NewerState,
                "state.version",
                format!(
                    "This state has version {newer}, but this version of precis reads {}. Update precis before you continue this conversation.",
                    VERSION
                ),
            )),
            _ if json.text().is_some() => Err(Error::at(
                Code::InvalidState,
                "state",
                "The state is a string. Pass the object that `JSON.parse` makes of it.",
            )),
            _ => Err(Error::at(
                Code::InvalidState,
                "state",
                "This is not a state of precis. Pass the member `state` of what the last call returned, or null for a new chat.",
            )),
        }
    }

    /// Binds the state to the chat whose name has this hash. Of a state that is bound to another chat nothing is used but its
    /// revision, by which hosts compare; then the number of messages that it covered is returned as well.
    #[must_use]
    pub fn of_chat(self, chat: &str) -> (Self, Option<u64>) {
        let is_other = self.chat.as_deref().is_some_and(|bound| bound != chat);
        let covered = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count);
        let state = if is_other { Self { revision: self.revision, ..Self::default() } } else { self };
        (Self { chat: Some(chat.to_owned()), ..state }, is_other.then_some(covered))
    }

    /// Recounts texts whose stored count is impossible for their size. Otherwise a text of a megabyte could claim to
    /// take almost nothing, and a short one to take the whole window.
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

    /// Removes the checkpoints that cover `count` messages or more.
    pub fn uncover(&mut self, count: u64) {
        while self.checkpoints.pop_if(|newest| newest.covers.count >= count).is_some() {}
    }

    /// Adds a checkpoint. The oldest are removed if there are too many or their texts are too long.
    pub fn push(&mut self, checkpoint: Checkpoint) {
        // The caller has removed the checkpoints that cover more. If one is left, the order must still hold.
        debug_assert!(self.checkpoints.iter().all(|older| older.covers.count <= checkpoint.covers.count));
        self.uncover(checkpoint.covers.count + 1);
        // One call may cover more and more. What it made on the way is in no view that was sent, and must not take the place of
        // a checkpoint whose view a host may pass back. But digests quote a summary by a model.
        let is_on_the_way = |one: &mut Checkpoint| one.revision == checkpoint.revision && one.kind != Kind::Summary;
        while self.checkpoints.pop_if(is_on_the_way).is_some() {}
        // A provider's own summary is large, and the next one stands for it as well.
        self.checkpoints.iter_mut().for_each(Checkpoint::forget_block);
        self.checkpoints.push(checkpoint);
        let mut bytes: usize = self.checkpoints.iter().map(Self::text_bytes).sum();
        let mut lists: usize = self.list_bytes(0) + self.checkpoints.iter().map(Checkpoint::list_bytes).sum::<usize>();
        let remembered = self.memory.as_mut().filter(|_| self.checkpoints.len() > 1).map_or(0, Memory::stored);
        let is_large = |bytes: usize, lists: usize| {
            bytes > TEXT_BYTES || bytes + remembered + lists.saturating_sub(LIST_BYTES) > STATE_BYTES
        };
        while self.checkpoints.len() > 1 && (self.checkpoints.len() > CHECKPOINTS || is_large(bytes, lists)) {
            // The newest summary written by a model stays while digests quote it.
            let last = self.checkpoints.len() - 1;
            let summary = self.checkpoints.iter().rposition(|one| one.kind == Kind::Summary);
            let oldest = usize::from(summary == Some(0) && last > 1);
            let removed = self.checkpoints.remove(oldest);
            bytes -= Self::text_bytes(&removed);
            lists -= removed.list_bytes();
        }
    }

    /// About the bytes of the lists that grow with the history, in JSON, without those of checkpoints and without what
    /// is about messages before an index alone.
    pub fn list_bytes(&self, from: u64) -> usize {
        let spared = self.spared.split_at(self.spared.partition_point(|&index| index < from)).1;
        let clips = self.clips.iter().filter(|clip| clip.up_to.count > from).count();
        // This call may add one.
        let own = (self.own.len() + 1).min(own::MOST);
        let words: usize = self.own.iter().map(OwnParts::joined_words).sum();
        let own = own * OWN_BYTES + words * joined::WORD_BYTES;
        indices_bytes(spared) + clips * CLIP_BYTES + self.rewrites.len() * REWRITE_BYTES + own
    }

    /// Adds a clip. It replaces the last one if that had the same cap and no farther reach, and if everything cleared
    /// since was known to it. Earlier clips stay: without them, messages that a later clip left alone would be cut
    /// twice, but only in a history and not in a view of it.
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

    /// The clips of messages after the newest checkpoint. They are the same for a history and a view of it.
    pub fn open_clips(&self) -> impl Iterator<Item = &Clip> {
        let covered = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count);
        self.clips.iter().filter(move |clip| clip.up_to.count > covered)
    }

    /// Stores the copies that are sent, in order, and as many of earlier views as there is room for.
    pub fn rewrite(&mut self, sent: Vec<Rewrite>) {
        self.rewrites.retain(|earlier| sent.iter().all(|rewrite| rewrite.made != earlier.made));
        self.rewrites.extend(sent);
        let surplus = self.rewrites.len().saturating_sub(REWRITES);
        self.rewrites.drain(..surplus);
    }

    /// The known limits of the model with this key.
    pub fn learned(&self, key: &str) -> Learned {
        let known = self.learned.iter().find(|learned| learned.key == key);
        known.cloned().unwrap_or_else(|| Learned { key: key.to_owned(), ..Learned::default() })
    }

    /// Stores the known limits of a model.
    pub fn learn(&mut self, learned: Learned) {
        self.learned.retain(|other| other.key != learned.key);
        self.learned.push(learned);
        let surplus = self.learned.len().saturating_sub(LEARNED);
        self.learned.drain(..surplus);
    }

    /// Records that a prompt of this many tokens succeeded: no limit is below it.
    pub fn went_through(&mut self, key: &str, prompt: u64) {
        if let Some(learned) = self.learned.iter_mut().find(|learned| learned.key == key) {
            learned.window = learned.window.map(|window| window.max(prompt));
            learned.input = learned.input.map(|input| input.max(prompt));
            learned.reply = None;
        }
    }

    fn text_bytes(checkpoint: &Checkpoint) -> usize {
        quoted_bytes(&checkpoint.summary.text) + checkpoint.note.as_ref().map_or(0, |note| quoted_bytes(&note.text))
    }
}
