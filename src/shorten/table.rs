//! Tables (Markdown, comma- or tab-separated, aligned columns): the header and rows that report problems are kept.

use crate::shorten::lines::RankedLine;
use crate::shorten::log;

/// The header is within this many lines, because a title may precede it.
const FIRST: usize = 8;
/// The number of rows below the header that must match its form.
const ROWS: usize = 4;

/// Ranks the lines of a table.
pub fn rank(lines: &mut [RankedLine<'_>]) -> bool {
    let Some(header) = (0..FIRST.min(lines.len())).find(|&at| is_header(lines, at)) else { return false };
    log::mark(lines);
    lines[header].rank = 3;
    // The rule below the header of a Markdown table.
    if let Some(rule) = lines.get_mut(header + 1).filter(|line| is_rule(line.text)) {
        rule.rank = 3;
    }
    true
}

fn is_header(lines: &[RankedLine<'_>], at: usize) -> bool {
    let header = lines[at].text;
    let rows = || lines[at + 1..].iter().filter(|line| line.gap.is_none()).take(ROWS);
    if rows().count() < ROWS {
        return false;
    }
    let all = |same: &dyn Fn(&str) -> bool| rows().all(|row| same(row.text));
    if header.starts_with('|') {
        return lines.get(at + 1).is_some_and(|line| is_rule(line.text)) && all(&|row| row.starts_with('|'));
    }
    let separated = |by: u8, least: usize| {
        let columns = count(header, by);
        columns >= least && all(&|row| count(row, by) == columns)
    };
    separated(b'\t', 1)
        || separated(b',', 2)
        || separated(b';', 2)
        || aligned(header) >= 2 && !header.bytes().any(|byte| byte.is_ascii_digit()) && all(&|row| aligned(row) >= 2)
}

fn is_rule(line: &str) -> bool {
    line.len() > 2
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'='))
        && line.contains('-')
}

/// Counts a separator outside of quotes.
fn count(line: &str, separator: u8) -> usize {
    let (mut quoted, mut found) = (false, 0);
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        found += usize::from(byte == separator && !quoted);
    }
    found
}

/// Counts the gaps of at least two spaces between words.
fn aligned(line: &str) -> usize {
    let bytes = line.trim().as_bytes();
    (2..bytes.len()).filter(|&at| bytes[at] != b' ' && bytes[at - 1] == b' ' && bytes[at - 2] == b' ').count()
}
