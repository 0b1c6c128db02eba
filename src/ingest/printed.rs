//! Recognizes lines that a program printed and a person pasted: places in files, numbered code and diffs, rules of signs, subjects
//! of commits, traces, log lines. Each sign is one that people do not type at the start of a sentence.

use crate::base::text;

/// Whether a program printed a line. `line` has no blanks around it.
pub fn is_printed(line: &str) -> bool {
    // Most lines begin with a letter, and no sign of a start but two does.
    let may_start = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'=' | b'_' | b'^' | b'+' | b'E' | b'T');
    line.bytes().next().is_some_and(may_start) && starts_printed(line)
        || line.bytes().any(|byte| byte == b':') && (starts_with_place(line) || names_commit(line))
        || text::find(line, "........").is_some()
}

/// Whether a line starts with numbered code, a rule, a mark below code, a failed assertion, a trace or a time of a log.
fn starts_printed(line: &str) -> bool {
    const STARTS: [&str; 5] = ["=====", "_____", "^", "E  ", "Traceback ("];
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = text::between(line, digits, line.len()).trim_start();
    STARTS.iter().any(|start| line.starts_with(start))
        || digits > 0 && after.starts_with(['│', '█'])
        || starts_with_time(line.as_bytes())
        || line.strip_prefix('+').is_some_and(is_numbered)
}

/// Whether what was added in a diff starts with the number of its line: `+ 12 text`. A telephone number goes on with
/// digits.
fn is_numbered(added: &str) -> bool {
    let rest = added.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = text::between(rest, digits, rest.len());
    let text = after.trim_start();
    digits > 0 && text.len() < after.len() && !text.starts_with(|char: char| char.is_ascii_digit() || char == '(')
}

/// Whether a line starts as `2024-05-20 12:30:01` or `2024-05-20T12:30:01` does.
fn starts_with_time(line: &[u8]) -> bool {
    const SHAPE: &[u8] = b"0000-00-00 00:00:00";
    line.len() >= SHAPE.len()
        && SHAPE.iter().zip(line).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            b' ' => matches!(byte, b' ' | b'T'),
            _ => byte == shape,
        })
}

/// Whether a line starts with a place in a file that a checker reports: `a.py:22:1: E501`, `a.c:22: error: …`.
fn starts_with_place(line: &str) -> bool {
    let Some((place, report)) = line.split_once(": ") else { return false };
    let file = place.trim_end_matches(|char: char| char.is_ascii_digit() || char == ':');
    let is_file = !file.contains(' ') && file.contains(|char: char| char.is_ascii_alphabetic());
    let numbers = text::between(place, file.len(), place.len()).bytes().filter(|byte| *byte == b':').count();
    let reports = || ["error", "warning", "note"].iter().any(|kind| report.starts_with(kind));
    is_file && (numbers == 2 || numbers == 1 && reports())
}

/// Whether a line gives a commit with its subject: `Commit 04fff71 feat: Add tests`, `HEAD is: 04fff71 fix: …`.
fn names_commit(line: &str) -> bool {
    const WORDS: usize = 4;
    let mut words = line.split(' ').take(WORDS);
    let is_hash = |word: &str| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    words.any(is_hash) && words.next().is_some_and(|kind| kind.ends_with(':'))
}
