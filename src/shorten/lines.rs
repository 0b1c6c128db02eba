//! Texts in which some lines are more important than others. These are kept, and as much of both ends as fits.

use crate::base::text;
use crate::shorten::ends;
use crate::shorten::gap::{self, Gap};

/// A line.
pub struct RankedLine<'t> {
    /// The line without its end.
    pub text: &'t str,
    /// The importance, from 0 to 3.
    pub rank: u8,
    /// The gap that it stands for, if it is one of our notices.
    pub gap: Option<Gap>,
    /// The number of characters, once counted.
    pub characters: usize,
}

/// The most lines at each end that are recorded. Further lines between them become one gap, because a record may take
/// more memory than the line itself.
const MOST_LINES: usize = 100_000;

/// Splits a text into lines.
pub fn of(text: &str) -> Vec<RankedLine<'_>> {
    let count = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let between = MOST_LINES..count.saturating_sub(MOST_LINES).max(MOST_LINES);
    let mut lines = Vec::with_capacity(count - between.len() + 1);
    for (at, line) in text.split('\n').enumerate() {
        let gap = Gap::read(line);
        if !between.contains(&at) {
            lines.push(RankedLine { text: line, rank: 0, gap, characters: 0 });
            continue;
        }
        if at == between.start {
            lines.push(RankedLine { text: "", rank: 0, gap: Some(Gap::default()), characters: 0 });
        }
        if let Some(RankedLine { gap: Some(all), .. }) = lines.last_mut() {
            all.add(gap.unwrap_or_else(|| Gap { characters: text::characters(line) + 1, lines: 1 }));
        }
    }
    lines
}

/// The denominator of [`SHARES`].
const PARTS: usize = 20;
/// The share of the bytes that may be used after the lines of rank 3, 2, 1 and 0 are chosen.
const SHARES: [(u8, usize); 4] = [(3, 8), (2, 12), (1, 15), (0, PARTS)];
/// A line is cut to a quarter of the bytes, but not to fewer than this.
const LEAST_LINE: usize = 200;

/// Keeps the most important lines and both ends, within about `bytes`.
pub fn within(lines: &[RankedLine<'_>], bytes: usize, advice: &str) -> String {
    let longest = (bytes / 4).max(LEAST_LINE);
    let mut choice = Choice { kept: vec![false; lines.len()], bytes: gap::BYTES + advice.len() };
    for (rank, share) in SHARES {
        let most = bytes * share / PARTS;
        let (mut front, mut back) = (0, lines.len());
        // Takes lines from both ends in turn. Each end stops at the first line that does not fit.
        let (mut forward, mut backward) = (true, true);
        while (forward || backward) && front < back {
            if forward {
                forward = choice.take(lines, front, rank, longest, most);
                front += 1;
            }
            if backward && front < back {
                back -= 1;
                backward = choice.take(lines, back, rank, longest, most);
            }
        }
    }
    choice.write(lines, longest, advice)
}

struct Choice {
    kept: Vec<bool>,
    /// The bytes of the lines that are kept, including notices.
    bytes: usize,
}

impl Choice {
    /// Keeps a line if it has at least this rank and fits. Returns false if there is no room for it.
    fn take(&mut self, lines: &[RankedLine<'_>], at: usize, rank: u8, longest: usize, most: usize) -> bool {
        let line = &lines[at];
        if line.rank < rank || line.gap.is_some() || self.kept[at] {
            return true;
        }
        // A line between others that are left out splits one gap into two.
        let missing = |at: Option<usize>| at.and_then(|at| self.kept.get(at)).is_some_and(|kept| !kept);
        let apart = missing(at.checked_sub(1)) && missing(Some(at + 1));
        let bytes = self.bytes + line.text.len().min(longest) + 1 + if apart { gap::BYTES } else { 0 };
        self.kept[at] = bytes <= most;
        if self.kept[at] {
            self.bytes = bytes;
        }
        self.kept[at]
    }

    fn write(&self, lines: &[RankedLine<'_>], longest: usize, advice: &str) -> String {
        let mut out = String::with_capacity(self.bytes);
        let mut missing = Gap::default();
        let mut advice = advice;
        for (line, kept) in lines.iter().zip(&self.kept) {
            if !kept {
                let own = Gap { characters: line.characters + 1, lines: 1 };
                missing.add(line.gap.unwrap_or(own));
                continue;
            }
            if missing != Gap::default() {
                out.push_str(&core::mem::take(&mut missing).notice(core::mem::take(&mut advice)));
                out.push('\n');
            }
            if line.text.len() > longest {
                out.push_str(&ends::within(line.text, longest, ""));
            } else {
                out.push_str(line.text);
            }
            out.push('\n');
        }
        if missing == Gap::default() {
            out.pop();
        } else {
            out.push_str(&missing.notice(advice));
        }
        out
    }
}
