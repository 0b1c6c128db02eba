//! A text of lines of which some count more than others: these stay, and as much as fits of both ends.

use crate::base::text;
use crate::shorten::ends;
use crate::shorten::gap::{self, Gap};

/// A line.
pub struct Line<'t> {
    /// Without its end.
    pub text: &'t str,
    /// How much it counts, from 0 to 3.
    pub rank: u8,
    /// What it stands for, if it is a notice of ours.
    pub gap: Option<Gap>,
    /// Its characters, if they have been counted.
    pub characters: usize,
}

/// Lines at either end that are told apart. Of a text of more, those between are one gap: what is known of a line may
/// take more than the line.
const MOST_LINES: usize = 100_000;

/// The lines of a text.
pub fn of(text: &str) -> Vec<Line<'_>> {
    let count = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let between = MOST_LINES..count.saturating_sub(MOST_LINES).max(MOST_LINES);
    let mut lines = Vec::with_capacity(count - between.len() + 1);
    for (at, line) in text.split('\n').enumerate() {
        let gap = Gap::read(line);
        if !between.contains(&at) {
            lines.push(Line { text: line, rank: 0, gap, characters: 0 });
            continue;
        }
        if at == between.start {
            lines.push(Line { text: "", rank: 0, gap: Some(Gap::default()), characters: 0 });
        }
        if let Some(Line { gap: Some(all), .. }) = lines.last_mut() {
            all.add(gap.unwrap_or_else(|| Gap { characters: text::characters(line) + 1, lines: 1 }));
        }
    }
    lines
}

/// Of so many parts of the bytes …
const PARTS: usize = 20;
/// … lines may have taken so many when those of rank 3, 2, 1 and 0 are in.
const SHARES: [(u8, usize); 4] = [(3, 8), (2, 12), (1, 15), (0, PARTS)];
/// No line takes more than a quarter of the bytes, and none is cut below this.
const LEAST_LINE: usize = 200;

/// The lines that count most, and both ends, within about `bytes`.
pub fn within(lines: &[Line<'_>], bytes: usize, advice: &str) -> String {
    let longest = (bytes / 4).max(LEAST_LINE);
    let mut choice = Choice { kept: vec![false; lines.len()], bytes: gap::BYTES + advice.len() };
    for (rank, share) in SHARES {
        let most = bytes * share / PARTS;
        let (mut front, mut back) = (0, lines.len());
        // From both ends in turn, each until something does not fit.
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
    /// What is kept takes, notices included.
    bytes: usize,
}

impl Choice {
    /// Keeps a line if it has this rank, or more, and fits; false when there is no room for it.
    fn take(&mut self, lines: &[Line<'_>], at: usize, rank: u8, longest: usize, most: usize) -> bool {
        let line = &lines[at];
        if line.rank < rank || line.gap.is_some() || self.kept[at] {
            return true;
        }
        // A line amid others that are left out makes two gaps of one.
        let missing = |at: Option<usize>| at.and_then(|at| self.kept.get(at)).is_some_and(|kept| !kept);
        let apart = missing(at.checked_sub(1)) && missing(Some(at + 1));
        let bytes = self.bytes + line.text.len().min(longest) + 1 + if apart { gap::BYTES } else { 0 };
        self.kept[at] = bytes <= most;
        if self.kept[at] {
            self.bytes = bytes;
        }
        self.kept[at]
    }

    fn write(&self, lines: &[Line<'_>], longest: usize, advice: &str) -> String {
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
