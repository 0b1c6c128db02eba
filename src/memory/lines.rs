//! The lines of a digest and of a progress note: how they are cut to the room that they have.

use crate::base::{references, text};
use crate::memory::paths;

/// Stands before what came of something.
pub(super) const ARROW: &str = " → ";
/// How an outcome begins that a later one has made good.
const BEFORE_THAT: &str = "failed before";
/// Bytes below which a line says nothing, and of the shortest line that a section has.
pub(super) const LEAST: usize = 80;

/// An entry of a digest.
pub(super) struct Line {
    pub text: String,
    /// The reference behind it, with the space before it: a line that is cut keeps it.
    pub reference: String,
    /// It says what was changed, checked or failed: where lines are cut it may be longer than others.
    pub matters: bool,
}

/// How much longer a line that matters may be.
const WEIGHT: usize = 2;

/// How a line is cut to so many bytes.
pub(super) type Cut = fn(&Line, usize) -> String;

impl From<String> for Line {
    fn from(mut text: String) -> Self {
        let reference = text.split_off(references::without(&text).len());
        Self { text, reference, matters: false }
    }
}

impl Line {
    /// Bytes of it and of the break behind it.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.reference.len() + 1
    }

    /// The line within so many bytes.
    pub fn cut_to(&self, bytes: usize, cut: Cut) -> String {
        cut(self, bytes.saturating_sub(self.reference.len())) + &self.reference
    }
}

/// What stands for entries that are left out.
pub(super) fn gap(count: usize) -> String {
    format!("(… {count} more …)")
}

/// Bytes of lines with their breaks.
pub(super) fn bytes(lines: &[Line]) -> usize {
    lines.iter().map(Line::bytes).sum()
}

/// Lines cut to so many bytes with their breaks: the longest ones, and those that matter less than others.
pub(super) fn cut_all(lines: &[&Line], budget: usize, cut: Cut) -> Vec<String> {
    let weight = |line: &Line| if line.matters { WEIGHT } else { 1 };
    // A line of weight two counts as two lines of half its length.
    let parts = |line: &&Line| {
        let (length, weight) = (line.bytes(), weight(line));
        (0..weight).map(move |part| (length + part) / weight)
    };
    let lengths: Vec<usize> = lines.iter().flat_map(parts).collect();
    let cap = text::level(&lengths, budget);
    lines.iter().map(|line| line.cut_to(cap.saturating_mul(weight(line)).saturating_sub(1), cut)).collect()
}

/// A line within so many bytes: where it says what came of something, both are cut.
pub(super) fn cut_sentence(line: &Line, bytes: usize) -> String {
    const HALF: Came = Came { share: 50, least: 36 };
    parted(&line.text, bytes, &HALF)
}

/// A request within so many bytes: it says more than how its answer begins.
pub(super) fn cut_request(line: &Line, bytes: usize) -> String {
    const ANSWER: Came = Came { share: 30, least: 70 };
    parted(&line.text, bytes, &ANSWER)
}

/// Work within so many bytes: a short line rather says what was done than what came of it, unless it matters.
pub(super) fn cut_work(line: &Line, bytes: usize) -> String {
    /// Bytes below which half of a line does not even say what it is about.
    const SHORT: usize = 100;
    const OUTCOME: Came = Came { share: 50, least: 24 };
    const ASIDE: Came = Came { share: 40, least: 28 };
    parted(&line.text, bytes, if line.matters || bytes >= SHORT { &OUTCOME } else { &ASIDE })
}

/// Of a line that is cut, what came of something: its part in percent, and the bytes below which it would say nothing.
struct Came {
    share: usize,
    least: usize,
}

/// A line within so many bytes, of which what came of something has its part.
fn parted(line: &str, bytes: usize, of: &Came) -> String {
    let arrow = text::find(line, ARROW).filter(|_| line.len() > bytes);
    let Some(at) = arrow else { return ends(line, bytes) };
    let (what, came) = (text::between(line, 0, at), text::between(line, at + ARROW.len(), line.len()));
    let room = bytes.saturating_sub(ARROW.len());
    // What one of them leaves of its part is the other's.
    let part = if came.starts_with(BEFORE_THAT) { room / 3 } else { room * of.share / 100 };
    let part = part.max(room.saturating_sub(what.len()));
    if part < of.least && came.len() > part {
        return ends(what, bytes);
    }
    let came = ends(came, part);
    format!("{}{ARROW}{came}", ends(what, room.saturating_sub(came.len())))
}

/// Both ends of a text in so many bytes; where it is cut to its beginning, that ends with a whole name.
fn ends(text: &str, bytes: usize) -> String {
    let out = text::ends(text, bytes);
    if out.ends_with('…') && out.len() < text.len() { paths::start(text, out.len() - "…".len()) } else { out }
}

/// The beginning of a record within so many bytes: it begins with what identifies it.
pub(super) fn cut_record(line: &Line, bytes: usize) -> String {
    if line.text.len() <= bytes {
        line.text.clone()
    } else {
        text::start(&line.text, bytes.saturating_sub("…".len()))
    }
}
