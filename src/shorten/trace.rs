//! Stack traces: what was thrown, what caused it, and the nearest calls are kept.

use crate::shorten::lines::RankedLine;

/// The calls that are kept after and before such a line. Some languages print the newest call first, others last.
const BEHIND: usize = 3;
const BEFORE: usize = 2;

/// Ranks the lines of a text that is mostly a stack trace.
pub fn rank(lines: &mut [RankedLine<'_>]) -> bool {
    let frames = lines.iter().filter(|line| is_frame(line.text)).count();
    if frames < 3 || frames * 4 < lines.len() {
        return false;
    }
    for at in 0..lines.len() {
        let text = lines[at].text;
        if text.is_empty() || text.starts_with([' ', '\t']) || is_frame(text) {
            continue;
        }
        // The call directly after it is as important.
        for near in lines.iter_mut().skip(at).take(2) {
            near.rank = 2;
        }
        let to = (at + BEHIND + 1).min(lines.len());
        for near in &mut lines[at.saturating_sub(BEFORE)..to] {
            near.rank = near.rank.max(1);
        }
    }
    true
}

fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    ["at ", "File \"", "from /"].iter().any(|start| line.starts_with(start))
}
