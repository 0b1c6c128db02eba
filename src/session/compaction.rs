//! A checkpoint: one compaction as the state stores it.

use crate::base::archive::{Archive, Record};
use crate::base::json::quoted_bytes;
use crate::base::markers;
use crate::limits::state_size::indices_bytes;
use crate::limits::summary_options::FRAME_MOST;
use crate::model::message::Position;
use crate::session::outputs;
use crate::session::staying::Staying;
use crate::summary::block::Block;

/// The most bytes of a text that is read: about twenty times the longest summary that is requested.
const TEXT_MOST: usize = 1_000_000;

/// The most summaries that are known besides the one of a checkpoint: a call may write it more than once.
const MOST_EARLIER: usize = 3;

/// Who wrote the text of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The host's summarizer.
    #[default]
    Summary,
    /// Code: there is no summarizer, or it failed. The next summary starts before this one, if the messages are still
    /// there.
    Digest,
    /// Nobody: messages were dropped, with a notice.
    Trim,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] = [(Self::Summary, "summary"), (Self::Digest, "digest"), (Self::Trim, "trim")];
}

/// A message that the engine writes into views: its text, and the size and hash of the message that the format created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The text that is passed to the format.
    pub text: String,
    /// The raw tokens of the created message, by the estimator of the state's key.
    pub raw: u64,
    /// The content hash of the created message. It identifies a view that is passed as history.
    pub hash: u64,
}

/// One compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The revision that created it. It is part of the ids of its messages.
    pub revision: u64,
    /// Who wrote the text.
    pub kind: Kind,
    /// Whether a trim trimmed a digest.
    pub digest: bool,
    /// Whether code had to leave out something that is in the memory. It is added again once there is room.
    pub shortened: bool,
    /// Messages before this position are covered.
    pub covers: Position,
    /// The raw tokens of all messages before `covers`, if known, including those that the host no longer loads.
    pub raw: Option<u64>,
    /// The messages below `covers` that stay in the view.
    pub stays: Staying,
    /// The hash chain of these messages. It identifies a view.
    pub kept_chain: u64,
    /// The index of the first message that a host must load.
    pub from: u64,
    /// The hash chain at `from`, if known.
    pub from_chain: Option<u64>,
    /// The hash chain of what tools had returned before `covers`, if it is known.
    pub outputs: Option<u64>,
    /// Halves of the hashes of what tools had returned in some covered messages, ascending: which of them are still there
    /// tells a history of which outputs have changed from another chat.
    pub sample: Vec<u64>,
    /// The id of the message at `from`, if the format has ids.
    pub from_id: Option<String>,
    /// The summary message; its text without what the host puts around it.
    pub summary: Made,
    /// The hashes of the summary messages in whose place it was made, for the same messages: a host may pass back a view that
    /// has one of them.
    pub was: Vec<u64>,
    /// What stands before and after the text of that message; empty if nothing does.
    pub frame: Vec<String>,
    /// The progress note, if the cut is inside the active turn.
    pub note: Option<Made>,
    /// The provider's own summary, in a message of its own before the summary message. The newest checkpoint alone has one.
    pub block: Option<Block>,
}

/// A summary between what the host puts around it, inside the lines by which it is known.
pub fn framed(text: &str, frame: &[String]) -> String {
    let [before, after] = frame else { return text.to_owned() };
    let lines = [(markers::SUMMARY, markers::SUMMARY_END), (markers::KEPT, markers::KEPT_END)];
    let inside = |(start, end)| Some((text.strip_prefix(start)?.strip_suffix(end)?, start, end));
    let Some((body, start, end)) = lines.into_iter().find_map(inside) else { return text.to_owned() };
    let line = |text: &str| if text.is_empty() { String::new() } else { format!("\n{text}") };
    format!("{start}{}\n{}{}\n{end}", line(before), body.trim_matches('\n'), line(after))
}

impl Checkpoint {
    /// Notes the checkpoint in whose place this one stands, which covers and keeps the same.
    pub fn replaces(&mut self, earlier: &Self) {
        let own = core::mem::replace(&mut self.was, earlier.was.clone());
        for hash in core::iter::once(earlier.summary.hash).chain(own) {
            if hash != self.summary.hash && !self.was.contains(&hash) {
                self.was.push(hash);
            }
        }
        let surplus = self.was.len().saturating_sub(MOST_EARLIER);
        self.was.drain(..surplus);
    }

    /// Whether a message with this content hash is its summary, or was.
    pub fn is_summary(&self, hash: u64) -> bool {
        self.summary.hash == hash || self.was.contains(&hash)
    }

    /// The text of the summary message as it is sent, behind the provider's own summary or without that.
    pub fn sent(&self, behind_block: bool) -> String {
        let beside = self.block.as_ref().filter(|_| behind_block).and_then(|block| block.within(&self.summary.text));
        framed(&beside.map_or_else(|| self.summary.text.clone(), |(_, beside)| beside), &self.frame)
    }

    /// Leaves the provider's own summary out: from now on the whole text is sent.
    pub fn forget_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.summary.raw = block.whole;
        }
    }

    /// The bytes of its lists in JSON.
    pub fn list_bytes(&self) -> usize {
        let frame: usize = self.frame.iter().map(|text| quoted_bytes(text)).sum();
        self.stays.bytes() + indices_bytes(&self.sample) + frame
    }
}

impl Record for Made {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("text", &mut self.text);
        if self.text.is_empty() || archive.reads() && self.text.len() > TEXT_MOST {
            archive.reject("text");
        }
        archive.count("raw", &mut self.raw);
        archive.hash("hash", &mut self.hash);
    }
}

impl Record for Checkpoint {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let name = Kind::ALL.iter().find(|entry| entry.0 == self.kind && !archive.reads());
        let mut kind = name.map_or("", |entry| entry.1).to_owned();
        archive.text("kind", &mut kind);
        match Kind::ALL.iter().find(|entry| entry.1 == kind) {
            Some(entry) => self.kind = entry.0,
            None => archive.reject("kind"),
        }
        archive.flag("digest", &mut self.digest);
        archive.flag("shortened", &mut self.shortened);
        archive.count("revision", &mut self.revision);
        archive.position("covers", &mut self.covers);
        archive.maybe_count("raw", &mut self.raw);
        self.stays.archive(archive);
        archive.hash("keptChain", &mut self.kept_chain);
        archive.count("from", &mut self.from);
        archive.maybe_hash("fromChain", &mut self.from_chain);
        archive.maybe_hash("outputs", &mut self.outputs);
        archive.counts("sample", &mut self.sample);
        if self.sample.len() > outputs::MOST_SAMPLE || self.sample.windows(2).any(|pair| pair[0] >= pair[1]) {
            archive.reject("sample");
        }
        archive.maybe_text("fromId", &mut self.from_id);
        archive.record("summary", &mut self.summary);
        archive.hashes("was", &mut self.was);
        if self.was.len() > MOST_EARLIER {
            archive.reject("was");
        }
        archive.texts("frame", &mut self.frame);
        if !matches!(self.frame.len(), 0 | 2) || self.frame.iter().any(|text| text.len() > FRAME_MOST) {
            archive.reject("frame");
        }
        archive.maybe_record("note", &mut self.note);
        archive.maybe_record("block", &mut self.block);
        if self.stays.loads_from(self.covers.count) != self.from {
            archive.reject("from");
        }
        if self.stays.all().any(|&index| index >= self.covers.count) {
            archive.reject("kept");
        }
    }
}
