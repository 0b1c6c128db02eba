//! A past that exceeds the summarizer's window: cut into pieces that fit, whose summaries are put together, in groups
//! that fit, until one is left. Nothing is left out: a text that is too long for one piece goes on in the next.

use super::transcript::Line;
use crate::prelude::*;
use crate::text;
use crate::tokens::Estimator;

/// How a text begins that goes on from the piece before.
const GOES_ON: &str = "(goes on) ";

/// Where pieces of at most `budget` raw tokens end among the lines, arguments and results cut down as far as may be. A
/// text that is too long for what is left of a piece becomes several lines. There is always one piece.
pub fn pieces(lines: &mut Vec<Line>, budget: usize, estimator: &Estimator) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut at, mut start, mut room) = (0, 0, budget);
    while let Some(line) = lines.get_mut(at) {
        let least = line.least();
        if least <= room {
            room -= least;
            at += 1;
            continue;
        }
        // A long text fills what is left; what is short begins the next piece.
        let cut = text::floor(&line.text, line.text.len() * room.saturating_sub(1) / line.tokens);
        let long = !line.excerpt && least > budget / 2 && (room > budget / 4 || at == start);
        if long && cut > GOES_ON.len() {
            let rest = text![GOES_ON, text::between(&line.text, cut, line.text.len())];
            line.text.truncate(cut);
            line.tokens = room;
            lines.insert(at + 1, Line::new(rest, false, estimator));
            at += 1;
        } else if at == start {
            // What cannot be cut further is asked for all the same.
            at += 1;
        }
        ends.push(at);
        (start, room) = (at, budget);
    }
    if ends.is_empty() || start < at {
        ends.push(at);
    }
    ends
}

/// Runs of neighbouring lines that fit in `budget` raw tokens, from and to, of at least two lines but for what is left
/// over.
pub fn groups(lines: &[Line], budget: usize) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    let mut room = 0;
    for (at, line) in lines.iter().enumerate() {
        match all.last_mut() {
            Some(group) if line.tokens <= room || group.1 - group.0 < 2 => {
                group.1 = at + 1;
                room = room.saturating_sub(line.tokens);
            }
            _ => {
                all.push((at, at + 1));
                room = budget.saturating_sub(line.tokens);
            }
        }
    }
    all
}
