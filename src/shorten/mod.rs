//! Shortens texts and keeps their structure: JSON stays JSON, a table keeps its header, a log its errors, a diff its
//! files and hunks, and a stack trace its top and its cause. Of any other text both ends are kept. Each shape is a
//! file.
//!
//! Everything that is left out is counted in notices. Later cuts find these again, so a text that was cut twice still
//! says how much is missing in total. A text is analyzed once. Cutting it again takes time proportional to its lines or
//! to the result.
//!
//! What is cut from a result of a tool says what another call would do, if the call did not fail. Program text is no log: it speaks of errors too. Where the cap leaves no room for the structure (JSON whose
//! keys alone are larger), the text is cut like any other.

mod diff;
pub mod ends;
pub mod gap;
mod json;
mod lines;
pub mod log;
mod table;
mod trace;

use crate::base::text;
use ends::Parted;
use lines::RankedLine;

/// A text and its structure.
pub struct Shape<'t> {
    /// The whole text.
    pub text: &'t str,
    built: Built<'t>,
    /// The text as if it had no structure.
    pub parted: Parted<'t>,
}

enum Built<'t> {
    Json,
    Lines(Vec<RankedLine<'t>>),
    Plain,
}

/// Ranks the lines of a text by importance. Returns false if the text does not have this shape.
type Rank = fn(&mut [RankedLine<'_>]) -> bool;

/// The shapes that consist of lines, the most reliable first.
const SHAPES: [Rank; 4] = [diff::rank, trace::rank, table::rank, log::rank];
/// With fewer lines, ranking them is pointless.
const LEAST_LINES: usize = 8;

impl<'t> Shape<'t> {
    /// Detects the structure of a text.
    pub fn of(text: &'t str) -> Self {
        let built = if json::is(text) {
            Built::Json
        } else {
            let mut lines = lines::of(text);
            let shaped = lines.len() >= LEAST_LINES
                && SHAPES.iter().any(|rank| {
                    lines.iter_mut().for_each(|line| line.rank = 0);
                    rank(&mut lines)
                });
            if shaped {
                lines.iter_mut().for_each(|line| line.characters = text::characters(line.text));
                Built::Lines(lines)
            } else {
                Built::Plain
            }
        };
        Self { text, built, parted: Parted::of(text, false) }
    }

    /// Whether the text consists of lines that differ in importance.
    pub fn has_lines(&self) -> bool {
        matches!(self.built, Built::Lines(_))
    }

    /// Cuts the text to about `bytes`. The first notice of what is left out ends with `advice`.
    pub fn within(&self, bytes: usize, advice: &str) -> String {
        match &self.built {
            Built::Json => json::within(self.text, bytes, advice),
            Built::Lines(lines) => lines::within(lines, bytes, advice),
            Built::Plain => self.parted.keep(bytes, advice),
        }
    }
}
