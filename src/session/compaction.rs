//! One compaction as the state keeps it: a checkpoint.

use crate::base::archive::{Archive, Record};
use crate::base::markers;
use crate::limits::options::FRAME_MOST;
use crate::model::message::Position;

/// Bytes of one text that is read: some twenty times what is ever asked of a summarizer.
const TEXT_MOST: usize = 1_000_000;

/// What made a checkpoint's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The host's summarizer.
    #[default]
    Summary,
    /// Code: no summarizer, or it failed. The next summary starts again from before it, if the messages are still there.
    Digest,
    /// Nothing: messages were dropped, with a notice.
    Trim,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] = [(Self::Summary, "summary"), (Self::Digest, "digest"), (Self::Trim, "trim")];
}

/// A message that the engine writes into views: its text, and what came of it when the format had made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The text given to the format.
    pub text: String,
    /// Raw tokens of the message the format made, under the estimator of the state's key.
    pub raw: u64,
    /// Its content hash: by this a view that is given back is recognised.
    pub hash: u64,
}

/// One compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The revision that made it; names its messages.
    pub revision: u64,
    /// What made the text.
    pub kind: Kind,
    /// Of a trim: what it left of the text is a digest, written by code.
    pub digest: bool,
    /// Code had to leave out something of what is remembered: it is told again once there is room.
    pub shortened: bool,
    /// Messages before this are covered.
    pub covers: Position,
    /// Raw tokens of all messages before `covers`, as far as they are known: also of those that the host no longer loads.
    pub raw: Option<u64>,
    /// Indices below `covers` that stay in the view before the summary (system messages, pins), ascending.
    pub head: Vec<u64>,
    /// Indices below `covers` that stay in the view after the summary, ascending.
    pub kept: Vec<u64>,
    /// How many of `kept`, the last ones, stand after the note: the group that opens the active turn with signed reasoning.
    pub opening: u64,
    /// Chain over the hashes of all that stay, head first, to recognise a view.
    pub kept_chain: u64,
    /// The first message a host must load, with the chain there if it is known.
    pub from: u64,
    /// See `from`.
    pub from_chain: Option<u64>,
    /// Id of the message at `from`, if the format has ids.
    pub from_id: Option<String>,
    /// The summary message; its text without what the host puts around it.
    pub summary: Made,
    /// That: what stands before and after the text; empty if nothing does.
    pub frame: Vec<String>,
    /// The progress note, if the cut lay inside the active turn.
    pub note: Option<Made>,
}

/// A summary between what the host puts around it, inside the lines by which it is known.
pub fn framed(text: &str, frame: &[String]) -> String {
    let [before, after] = frame else { return text.to_owned() };
    let body = text.strip_prefix(markers::SUMMARY).and_then(|rest| rest.strip_suffix(markers::SUMMARY_END));
    let Some(body) = body else { return text.to_owned() };
    let line = |text: &str| if text.is_empty() { String::new() } else { format!("\n{text}") };
    let (start, end) = (markers::SUMMARY, markers::SUMMARY_END);
    format!("{start}{}\n{}{}\n{end}", line(before), body.trim_matches('\n'), line(after))
}

impl Checkpoint {
    /// The text of the summary message as it is sent.
    pub fn sent(&self) -> String {
        framed(&self.summary.text, &self.frame)
    }

    /// What of `kept` stands before the note.
    pub fn before_note(&self) -> &[u64] {
        self.kept.split_at(self.kept.len() - self.opening as usize).0
    }

    /// What of `kept` stands after it.
    pub fn opening(&self) -> &[u64] {
        self.kept.split_at(self.kept.len() - self.opening as usize).1
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
        archive.counts("head", &mut self.head);
        archive.counts("kept", &mut self.kept);
        let mut opening = Some(self.opening).filter(|&opening| opening > 0);
        archive.maybe_count("opening", &mut opening);
        self.opening = opening.unwrap_or(0);
        if self.opening > self.kept.len() as u64 {
            archive.reject("opening");
        }
        archive.hash("keptChain", &mut self.kept_chain);
        archive.count("from", &mut self.from);
        archive.maybe_hash("fromChain", &mut self.from_chain);
        archive.maybe_text("fromId", &mut self.from_id);
        archive.record("summary", &mut self.summary);
        archive.texts("frame", &mut self.frame);
        if !matches!(self.frame.len(), 0 | 2) || self.frame.iter().any(|text| text.len() > FRAME_MOST) {
            archive.reject("frame");
        }
        archive.maybe_record("note", &mut self.note);
        let first = |list: &[u64]| list.first().copied().unwrap_or(self.covers.count);
        if first(&self.head).min(first(&self.kept)) != self.from {
            archive.reject("from");
        }
        for list in [&self.head, &self.kept] {
            if list.windows(2).any(|pair| pair[0] >= pair[1])
                || list.last().is_some_and(|&last| last >= self.covers.count)
            {
                archive.reject("kept");
            }
        }
    }
}
