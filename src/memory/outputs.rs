//! What tools print: each line is read once, and says what it is.

use crate::base::{text, words};
use crate::memory::records::Line;

/// What a line of an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It reports an error.
    Error,
    /// It sums up, with a number.
    Verdict,
    /// It is the first line, or one of the last two.
    Edge,
    /// Anything else.
    Text,
}

/// A line that may be chosen.
pub struct Kept<'t> {
    /// The line.
    pub line: Line<'t>,
    /// What it is.
    pub shape: Shape,
}

/// Errors and verdicts of an output that count as such.
const MARKED: usize = 6;
/// Lines at either end of a long output that may be chosen, and about so many of those between.
const ENDS: usize = 40;
const BETWEEN: usize = 160;
/// Bytes of a line that may report an error or sum up.
const LONGEST: usize = 400;

/// The words by which programs report errors, in small letters, and those by which they sum up. The only words of a
/// language that the memory knows.
const ERRORS: [&str; 16] = [
    "cannot",
    "denied",
    "error",
    "errors",
    "exception",
    "fail",
    "failed",
    "failing",
    "failure",
    "failures",
    "fatal",
    "invalid",
    "panic",
    "refused",
    "timeout",
    "traceback",
];
const VERDICTS: [&str; 8] = ["done", "ok", "passed", "passing", "succeeded", "success", "warning", "warnings"];

/// The small letters that one of these words begins with.
const LETTERS: [bool; 256] = {
    let mut all = [false; 256];
    let mut at = 0;
    while at < ERRORS.len() + VERDICTS.len() {
        let word = if at < ERRORS.len() { ERRORS[at] } else { VERDICTS[at - ERRORS.len()] };
        all[word.as_bytes()[0] as usize] = true;
        at += 1;
    }
    all
};

/// The lines of an output of which some may be chosen: those that report or sum up, those at its ends, and an even
/// sample of the rest. What holds neither letter nor digit is a frame.
pub fn chosen(mut lines: Vec<Line<'_>>) -> Vec<Kept<'_>> {
    lines.retain(|line| {
        words::says_anything(&line.text) && !is_frame(&line.text) && exit_code(&line.text) != Some("0")
    });
    let count = lines.len();
    let step = if count > 2 * ENDS + BETWEEN { (count - 2 * ENDS).div_ceil(BETWEEN) } else { 1 };
    let (mut errors, mut verdicts) = (0, 0);
    let mut out = Vec::with_capacity(count.min(2 * ENDS + BETWEEN));
    for (at, line) in lines.into_iter().enumerate() {
        let marked = if line.text.len() < LONGEST { shape_of(&line.text) } else { Shape::Text };
        let shape = match marked {
            Shape::Error if errors < MARKED => {
                errors += 1;
                Shape::Error
            }
            Shape::Verdict if verdicts < MARKED => {
                verdicts += 1;
                Shape::Verdict
            }
            _ if at == 0 || at + 2 >= count => Shape::Edge,
            _ if at < ENDS || at + ENDS >= count || at % step == 0 => Shape::Text,
            _ => continue,
        };
        out.push(Kept { line, shape });
    }
    out
}

/// What stands before the number that a program ends with, and what may stand between.
const EXITS: [&str; 2] = ["exit", "exited"];
const WITH: [&str; 3] = ["with", "code", "status"];

/// Whether a line is a tag and nothing else.
fn is_frame(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| !name.contains(['<', '>', ' ']))
}

/// Whether a line reports an error, or sums up: by its words. "0 errors" and "no tests failed" report none.
pub fn shape_of(line: &str) -> Shape {
    if is_numbered(line) {
        return Shape::Text;
    }
    if let Some(code) = exit_code(line) {
        // "exit code 0" says only that it ran.
        return if code == "0" { Shape::Text } else { Shape::Error };
    }
    let (mut sums_up, mut number) = (false, false);
    // How many of the next words are about none of what they name.
    let mut none = 0_usize;
    for word in line.as_bytes().split(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80) {
        if word.is_empty() || word.len() > LONGEST_WORD {
            continue;
        }
        if word[0].is_ascii_digit() {
            number = true;
            none = if word == b"0" { NONE } else { 0 };
            continue;
        }
        let known = LETTERS[usize::from(word[0] | 0x20)];
        let is = |all: &[&str]| known && all.iter().any(|one| one.as_bytes().eq_ignore_ascii_case(word));
        let named = [b"Error".as_slice(), b"Exception"].iter().any(|end| word.len() > end.len() && word.ends_with(end));
        let fails = named || is(&ERRORS);
        if fails && none == 0 {
            return Shape::Error;
        }
        sums_up |= fails || is(&VERDICTS);
        none = if word.eq_ignore_ascii_case(b"no") { NONE } else { none.saturating_sub(1) };
    }
    let missing = ["not found", "o such "].iter().any(|words| text::find(line, words).is_some());
    match () {
        () if missing => Shape::Error,
        () if sums_up && number => Shape::Verdict,
        () => Shape::Text,
    }
}

/// Whether a line is one of a file that is shown with its numbers: what it says happened nowhere.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with([':', '→', '|', '\t'])
}

/// The number with which a program ended, of a line that reports it.
pub fn exit_code(line: &str) -> Option<&str> {
    // Most lines have none of the words.
    if ["xit", "XIT"].iter().all(|exit| text::find(line, exit).is_none()) {
        return None;
    }
    let mut words = line.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is = |all: &[&str], word: &str| all.iter().any(|one| one.eq_ignore_ascii_case(word));
    words.find(|word| is(&EXITS, word))?;
    let code = words.find(|word| !is(&WITH, word))?;
    code.bytes().all(|byte| byte.is_ascii_digit()).then_some(code)
}

/// Bytes of the longest word that is compared.
const LONGEST_WORD: usize = 40;
/// Words behind a zero that it is about.
const NONE: usize = 2;
