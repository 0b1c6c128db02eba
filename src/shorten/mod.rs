//! Shortening a text so that it keeps its structure: JSON stays JSON, a table keeps its header, a log its errors, a diff
//! its files and hunks, a stack trace its top and its cause; of anything else both ends stay. Each shape is a file.
//!
//! All that is left out is counted, in notices that later cuts find again: what was cut twice still says how much is
//! missing in all. A text is looked through once; to cut it again takes time proportional to its lines, or to what is kept.

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
use lines::Line;

/// A text and how it is built.
pub struct Shape<'t> {
    /// All of it.
    pub text: &'t str,
    built: Built<'t>,
    /// The text as one without structure.
    pub parted: Parted<'t>,
}

enum Built<'t> {
    Json,
    Lines(Vec<Line<'t>>),
    Plain,
}

/// What of its lines counts in a text of some shape; false if it has another one.
type Rank = fn(&mut [Line<'_>]) -> bool;

/// The shapes of lines, the surest first.
const SHAPES: [Rank; 4] = [diff::rank, trace::rank, table::rank, log::rank];
/// With fewer lines there is nothing to choose from.
const LEAST_LINES: usize = 8;

impl<'t> Shape<'t> {
    /// Finds out how a text is built.
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

    /// Whether it is one of lines of which some count more than others.
    pub fn has_lines(&self) -> bool {
        matches!(self.built, Built::Lines(_))
    }

    /// The text within about `bytes`. The first notice of what is left out ends with `advice`.
    pub fn within(&self, bytes: usize, advice: &str) -> String {
        match &self.built {
            Built::Json => json::within(self.text, bytes, advice),
            Built::Lines(lines) => lines::within(lines, bytes, advice),
            Built::Plain => self.parted.keep(bytes, advice),
        }
    }
}
