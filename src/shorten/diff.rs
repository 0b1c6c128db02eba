//! Unified diffs: the names of files come first, then the headers of hunks, then the changes.

use crate::shorten::lines::RankedLine;

/// Ranks the lines of a diff.
pub fn rank(lines: &mut [RankedLine<'_>]) -> bool {
    let (mut files, mut hunks) = (0, 0);
    for line in lines {
        line.rank = match line.text.as_bytes() {
            text if FILES.iter().any(|start| text.starts_with(start)) => {
                files += 1;
                3
            }
            [b'@', b'@', ..] => {
                hunks += 1;
                2
            }
            [b'+' | b'-', ..] => 1,
            _ => 0,
        };
    }
    files > 0 && hunks > 0
}

const FILES: [&[u8]; 6] = [b"diff --", b"--- ", b"+++ ", b"rename ", b"new file", b"deleted file"];
