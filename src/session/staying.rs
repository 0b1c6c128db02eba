//! Which of the messages that a compaction covers stay in the view.

use crate::base::archive::Archive;
use crate::limits::state_size::indices_bytes;

/// The covered messages that stay, as history indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staying {
    /// Those before the summary (system messages, pins), ascending.
    pub head: Vec<u64>,
    /// Those after the summary, ascending.
    pub kept: Vec<u64>,
    /// How many of the last `kept` messages come after the note: the group that opens the active turn with signed
    /// reasoning.
    pub opening: u64,
}

impl Staying {
    /// All of them, `head` first.
    pub fn all(&self) -> impl Iterator<Item = &u64> {
        self.head.iter().chain(&self.kept)
    }

    /// Whether a message stays before the summary.
    pub fn heads(&self, index: u64) -> bool {
        self.head.binary_search(&index).is_ok()
    }

    /// Whether a message stays.
    pub fn holds(&self, index: u64) -> bool {
        self.heads(index) || self.kept.binary_search(&index).is_ok()
    }

    /// Whether a message stays without the one before it, so that calls which it answers are in no view.
    pub fn is_alone(&self, index: u64) -> bool {
        self.holds(index) && index.checked_sub(1).is_none_or(|before| !self.holds(before))
    }

    /// The index of the first message that a host must load, if everything else before `covers` may go.
    pub fn loads_from(&self, covers: u64) -> u64 {
        self.head.first().into_iter().chain(self.kept.first()).copied().fold(covers, u64::min)
    }

    /// The part of `kept` that comes before the note.
    pub fn before_note(&self) -> &[u64] {
        self.kept.split_at(self.kept.len() - self.opening as usize).0
    }

    /// The part of `kept` that comes after the note.
    pub fn opening(&self) -> &[u64] {
        self.kept.split_at(self.kept.len() - self.opening as usize).1
    }

    /// The bytes of the lists in JSON.
    pub fn bytes(&self) -> usize {
        indices_bytes(&self.head) + indices_bytes(&self.kept)
    }

    /// Reads or writes them as members of the record that they belong to.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.counts("head", &mut self.head);
        archive.counts("kept", &mut self.kept);
        let mut opening = Some(self.opening).filter(|&opening| opening > 0);
        archive.maybe_count("opening", &mut opening);
        self.opening = opening.unwrap_or(0);
        if self.opening > self.kept.len() as u64 {
            archive.reject("opening");
        }
        for (name, list) in [("head", &self.head), ("kept", &self.kept)] {
            if list.windows(2).any(|pair| pair[0] >= pair[1]) {
                archive.reject(name);
            }
        }
    }
}
