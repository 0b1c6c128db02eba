//! The progress note: what has been done about a request so far. It stands behind the request where a cut lies inside its
//! turn, so that nothing is done twice.

use crate::base::{markers, quoting, text};
use crate::memory::digest::{Source, is_work};
use crate::memory::lines::{LEAST, Line, cut_all, cut_work, gap};
use crate::memory::{Activity, Entry, closed, outcomes, work};
use std::collections::BTreeMap;

/// Bytes of what the assistant said last: a part of the note, and the most.
const SAID_PART: usize = 6;
const SAID: usize = 500;
/// Bytes of a line that says what was done and what came of it.
const LINE: usize = LEAST * 3 / 2;
/// Of what only looked at something, so much is shown at least: the newest. And the part of the lines that it may have.
const LOOKED: usize = 6;
const LOOKED_PART: usize = 4;
/// So many files with names alike share a line.
const SCRATCH: usize = 3;

impl Source<'_> {
    /// The note within about `bytes`, unless nothing has been done yet. Changes, checks and what failed stay longest, then
    /// what is newest.
    pub fn progress(&self, bytes: usize) -> Option<String> {
        let mut out =
            format!("{}: what has been done about it so far. Already done, do not repeat.]", markers::PROGRESS);
        let said = self.said(bytes);
        let is_told = |one: &&Activity| self.is_of_turn(one.at) && !(self.visible)(one.at) && is_work(one);
        let work: Vec<&Activity> = self.known.memory.work.iter().filter(is_told).collect();
        if work.is_empty() && said.is_empty() {
            return None;
        }
        let looked = work.iter().filter(|one| outcomes::only_looks(one)).count();
        let room = bytes.saturating_sub(out.len() + said.len());
        let mut unseen = looked.saturating_sub(LOOKED.max(room / LINE / LOOKED_PART));
        let mut left_out = unseen;
        let scratch = scratch(&work);
        let mut lines: Vec<Line> = Vec::new();
        for (at, one) in work.iter().enumerate() {
            if outcomes::only_looks(one) && unseen > 0 {
                unseen -= 1;
                continue;
            }
            match scratch[at] {
                Scratch::Joined => {}
                Scratch::Last(count) => {
                    lines.push(Line { text: together(one, count), ..self.activity(one, usize::MAX) })
                }
                Scratch::Alone => {
                    let line = self.activity(one, usize::MAX);
                    lines.push(Line { matters: line.matters && !closed::is_undone(one), ..line });
                }
            }
        }
        let mut over = lines.len().saturating_sub((room / LINE).max(1));
        left_out += over;
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

    /// What the assistant said on the request in a note of about so many `bytes`: what it found, then its last words.
    fn said(&self, bytes: usize) -> String {
        let all = self.known.memory.said.iter();
        let mut all: Vec<&Entry> = all.filter(|said| self.is_of_turn(said.at) && !(self.visible)(said.at)).collect();
        let Some(last) = all.pop() else { return String::new() };
        let most = (bytes / SAID_PART).clamp(LEAST, SAID);
        let mut out = String::new();
        // What was found comes second: the newest first, as far as it fits.
        let mut room = bytes / SAID_PART;
        for said in all.iter().rev() {
            let line = self.referred(format!("\n- The assistant: {}", quoting::one_line(&said.text)), said.at);
            if line.len() > room {
                break;
            }
            room -= line.len();
            out.insert_str(0, &line);
        }
        out + &format!("\nThe assistant's last words on it: {}", text::ends(&last.text, most))
    }
}

/// How a new file is shown.
#[derive(Clone, Copy, PartialEq)]
enum Scratch {
    Alone,
    /// With the newest one of its kind.
    Joined,
    /// For so many.
    Last(usize),
}

/// Which of the new files share a line: `test_a.py`, `test_b.py`, `test_c.py`.
fn scratch(work: &[&Activity]) -> Vec<Scratch> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let kinds: Vec<_> = work.iter().map(|one| made(one).and_then(kind)).collect();
    kinds.iter().flatten().for_each(|kind| *counts.entry(*kind).or_default() += 1);
    let mut left = counts.clone();
    let mut all = Vec::new();
    for kind in kinds {
        let count = kind.and_then(|kind| counts.get(&kind)).copied().unwrap_or(0);
        all.push(match kind.and_then(|kind| left.get_mut(&kind)) {
            Some(left) if count >= SCRATCH => {
                *left -= 1;
                if *left == 0 { Scratch::Last(count) } else { Scratch::Joined }
            }
            _ => Scratch::Alone,
        });
    }
    all
}

/// The file that an activity made, if it is still there and nothing else was done to it.
fn made(one: &Activity) -> Option<&str> {
    let remains = work::creates(&one.what) && one.failures == 0 && !closed::is_undone(one);
    closed::file(one).filter(|_| remains)
}

/// What the name of a file begins with up to the sign that parts its words, and its ending.
fn kind(file: &str) -> Option<(&str, &str)> {
    let (name, ending) = file.rsplit_once('.')?;
    let slash = name.rfind('/').map_or(0, |at| at + 1);
    let sign = text::between(name, slash, name.len()).find(['_', '-'])?;
    Some((text::between(name, 0, slash + sign + 1), ending))
}

/// The line of several new files.
fn together(newest: &Activity, count: usize) -> String {
    let file = made(newest).unwrap_or_default();
    let (start, ending) = kind(file).unwrap_or_default();
    let one = &newest.last;
    format!("- wrote {count} {start}*.{ending}, the last one {file}: {one}")
}
