//! The progress note: what has been done about a request so far. It stands behind the request where a cut lies inside its
//! turn, so that nothing is done twice.

use crate::base::{markers, text};
use crate::memory::digest::{Source, is_work};
use crate::memory::lines::{LEAST, cut_all, cut_work, gap};

/// Bytes of what the assistant said last: a part of the note, and the most.
const SAID_PART: usize = 6;
const SAID: usize = 500;

impl Source<'_> {
    /// The note within about `bytes`, unless nothing has been done yet. Changes, checks and what failed stay longest, then
    /// what is newest.
    pub fn progress(&self, bytes: usize) -> Option<String> {
        let mut out =
            format!("{}: what has been done about it so far. Already done, do not repeat.]", markers::PROGRESS);
        let said = self.known.memory.said.last().filter(|said| self.is_of_turn(said.at) && !(self.visible)(said.at));
        let said = said.map(|said| text::ends(&said.text, (bytes / SAID_PART).clamp(LEAST, SAID)));
        let said = said.map_or_else(String::new, |said| format!("\nThe assistant's last words on it: {said}"));
        let mut lines = Vec::new();
        for one in &self.known.memory.work {
            if self.is_of_turn(one.at) && !(self.visible)(one.at) && is_work(one) {
                lines.push(self.activity(one, usize::MAX));
            }
        }
        if lines.is_empty() && said.is_empty() {
            return None;
        }
        let room = bytes.saturating_sub(out.len() + said.len());
        let mut over = lines.len().saturating_sub((room / LEAST).max(1));
        let left_out = over;
        lines.retain(|line| {
            let goes = over > 0 && !line.matters;
            over -= usize::from(goes);
            !goes
        });
        lines.drain(..over);
        if left_out > 0 {
            out.push('\n');
            out.push_str(&gap(left_out));
        }
        let room = bytes.saturating_sub(out.len() + said.len());
        for line in cut_all(&lines.iter().collect::<Vec<_>>(), room, cut_work) {
            out.push('\n');
            out.push_str(&line);
        }
        out.push_str(&said);
        Some(out)
    }
}
