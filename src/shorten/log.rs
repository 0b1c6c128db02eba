//! Logs and other program output: lines that report problems, and the indented lines below them.

use crate::shorten::lines::RankedLine;

/// The words that identify such lines, in lower case.
const TROUBLE: [&str; 8] = ["error", "fail", "exception", "panic", "fatal", "traceback", "caused by", "backoff"];
/// How many indented lines below such a line belong to it.
const BELOW: usize = 2;

/// Ranks the lines of a log. Source code also mentions errors, but is recognized by how its lines end.
pub fn rank(lines: &mut [RankedLine<'_>]) -> bool {
    let code = lines.iter().filter(|line| is_code(line.text)).count();
    code * 5 < lines.len() * 2 && mark(lines)
}

/// Ranks lines that report problems. Returns whether there are any.
pub fn mark(lines: &mut [RankedLine<'_>]) -> bool {
    let mut found = false;
    let mut below = 0;
    for line in lines {
        if reports_trouble(line.text) {
            found = true;
            below = BELOW;
            line.rank = 1;
        } else if below > 0 && line.text.starts_with([' ', '\t']) {
            below -= 1;
            line.rank = 1;
        } else {
            below = 0;
        }
    }
    found
}

/// Whether a line reports a problem.
pub fn reports_trouble(line: &str) -> bool {
    let bytes = line.as_bytes();
    (0..bytes.len()).any(|at| {
        // Most letters start none of the words.
        FIRST >> (bytes[at] & 31) & 1 == 1
            && TROUBLE.iter().any(|word| {
                bytes.get(at..at + word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()))
            })
    })
}

/// A bit for each letter that starts one of the words.
const FIRST: u32 = {
    let (mut letters, mut at) = (0, 0);
    while at < TROUBLE.len() {
        letters |= 1 << (TROUBLE[at].as_bytes()[0] & 31);
        at += 1;
    }
    letters
};

fn is_code(line: &str) -> bool {
    !line.starts_with('{') && matches!(line.as_bytes().last(), Some(b';' | b'{' | b'}' | b'(' | b')' | b','))
}
