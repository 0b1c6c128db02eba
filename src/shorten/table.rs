//! Tables (Markdown, comma- or tab-separated, aligned columns): the header stays, and rows that tell of trouble.

use crate::shorten::lines::Line;
use crate::shorten::log;

/// A header stands among the first lines, below a title at most.
const FIRST: usize = 8;
/// So many rows under it have its form.
const ROWS: usize = 4;

/// Ranks the lines of a table.
pub fn rank(lines: &mut [Line<'_>]) -> bool {
    let Some(header) = (0..FIRST.min(lines.len())).find(|&at| is_header(lines, at)) else { return false };
    log::mark(lines);
    lines[header].rank = 3;
    // The rule below a header, as Markdown has it.
    if let Some(rule) = lines.get_mut(header + 1).filter(|line| is_rule(line.text)) {
        rule.rank = 3;
    }
    true
}

fn is_header(lines: &[Line<'_>], at: usize) -> bool {
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

/// How often a separator stands outside of quotes.
fn count(line: &str, separator: u8) -> usize {
    let (mut quoted, mut found) = (false, 0);
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        found += usize::from(byte == separator && !quoted);
    }
    found
}

/// Gaps of two spaces or more between words.
fn aligned(line: &str) -> usize {
    let bytes = line.trim().as_bytes();
    (2..bytes.len()).filter(|&at| bytes[at] != b' ' && bytes[at - 1] == b' ' && bytes[at - 2] == b' ').count()
}
