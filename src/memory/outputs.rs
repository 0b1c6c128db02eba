//! What tools print: each line is read once, and says what it is.

use crate::base::words;
use crate::memory::outline::Place;
use crate::memory::records::Line;

/// What a line of an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It reports an error.
    Error,
    /// It sums up, with a number.
    Verdict,
    /// It is the first line, one of the last two, or announces an error that others report.
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

/// What a word says about how something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// That it failed.
    Error,
    /// That it came to its end.
    Verdict,
    /// That the number with which a program ended comes.
    Exit,
    /// What may stand before that number.
    With,
}

/// The words by which programs report errors and sum up, in small letters and alphabetical order. The only words of a
/// language that the memory knows.
const WORDS: [(&str, Says); 29] = [
    ("cannot", Says::Error),
    ("code", Says::With),
    ("denied", Says::Error),
    ("done", Says::Verdict),
    ("error", Says::Error),
    ("errors", Says::Error),
    ("exception", Says::Error),
    ("exit", Says::Exit),
    ("exited", Says::Exit),
    ("fail", Says::Error),
    ("failed", Says::Error),
    ("failing", Says::Error),
    ("failure", Says::Error),
    ("failures", Says::Error),
    ("fatal", Says::Error),
    ("invalid", Says::Error),
    ("ok", Says::Verdict),
    ("panic", Says::Error),
    ("passed", Says::Verdict),
    ("passing", Says::Verdict),
    ("refused", Says::Error),
    ("status", Says::With),
    ("succeeded", Says::Verdict),
    ("success", Says::Verdict),
    ("timeout", Says::Error),
    ("traceback", Says::Error),
    ("warning", Says::Verdict),
    ("warnings", Says::Verdict),
    ("with", Says::With),
];

/// Where the words with each first letter begin and end in [`WORDS`].
const BY_LETTER: [(usize, usize); 26] = {
    let mut all = [(0, 0); 26];
    let mut word = 0;
    while word < WORDS.len() {
        let letter = (WORDS[word].0.as_bytes()[0] - b'a') as usize;
        if all[letter].1 == 0 {
            all[letter].0 = word;
        }
        all[letter].1 = word + 1;
        word += 1;
    }
    all
};

/// What a word says, in letters of any case.
fn says(word: &[u8]) -> Option<Says> {
    let letter = word.first()?.to_ascii_lowercase().wrapping_sub(b'a');
    let &(from, to) = BY_LETTER.get(usize::from(letter))?;
    let is = |(known, _): &&(&str, Says)| known.as_bytes().eq_ignore_ascii_case(word);
    WORDS[from..to].iter().find(is).map(|(_, says)| *says)
}

/// The lines of an output of which some may be chosen: those that report or sum up, those at its ends, and an even
/// sample of the rest. What holds neither letter nor digit is a frame.
pub fn chosen(mut lines: Vec<Line<'_>>) -> Vec<Kept<'_>> {
    let mut shapes = Vec::with_capacity(lines.len());
    lines.retain(|line| {
        if !words::says_anything(&line.text) || is_frame(&line.text) {
            return false;
        }
        let short = line.text.len() < LONGEST;
        let reading =
            if short { Reading::of(&line.text) } else { Reading { shape: Shape::Text, exit: None, counts: false } };
        let stays = reading.exit != Some(b"0");
        if stays {
            shapes.push(reading.shape);
        }
        stays
    });
    let count = lines.len();
    // What only announces an error is none where lines follow that say what is wrong.
    for (shape, line) in shapes.iter_mut().zip(&lines).take(count.saturating_sub(1)) {
        if *shape == Shape::Error && announces(&line.text) {
            *shape = Shape::Edge;
        }
    }
    let of = |shape: Shape| shapes.iter().filter(|&&one| one == shape).count();
    let (mut errors, mut verdicts) = ((0, of(Shape::Error)), (0, of(Shape::Verdict)));
    // As many from the start as from the end: the first says what is wrong, or the last.
    let counts = |(number, all): &mut (usize, usize)| {
        *number += 1;
        *number <= MARKED / 2 || *number + MARKED / 2 > *all
    };
    let step = if count > 2 * ENDS + BETWEEN { (count - 2 * ENDS).div_ceil(BETWEEN) } else { 1 };
    // Of a long file as many heads as other lines.
    let is_head = |line: &Line<'_>| line.place == Place::Head;
    let every = lines.iter().filter(|line| is_head(line)).count().div_ceil(BETWEEN).max(1);
    let mut heads = 0;
    let mut takes = |line: &Line<'_>| {
        heads += usize::from(is_head(line));
        is_head(line) && heads % every == 0
    };
    let mut out = Vec::with_capacity(count.min(2 * ENDS + BETWEEN));
    for (at, (line, marked)) in lines.into_iter().zip(shapes).enumerate() {
        let shape = match marked {
            Shape::Error if counts(&mut errors) => Shape::Error,
            Shape::Verdict if counts(&mut verdicts) => Shape::Verdict,
            Shape::Edge => Shape::Edge,
            _ if at == 0 || at + 2 >= count => Shape::Edge,
            _ if at < ENDS || at + ENDS >= count || at % step == 0 || takes(&line) => Shape::Text,
            _ => continue,
        };
        out.push(Kept { line, shape });
    }
    out
}

/// Whether a line that reports an error says no more than that one follows: it ends with a colon, or holds one word.
pub fn announces(line: &str) -> bool {
    let mut words = line.split(|char: char| !words::is_letter(char)).filter(|word| !word.is_empty());
    line.trim_end().ends_with([':', '：']) || words.next().is_some() && words.next().is_none()
}

/// Bytes of the longest line that is but its own number and a bracket or two.
const LONGEST_NUMBER: usize = 16;

/// Whether a line is a tag, or the number of a line of a file, and nothing else.
fn is_frame(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| !name.contains(['<', '>', ' ']))
        || line.len() < LONGEST_NUMBER
            && is_numbered(line)
            && !line.chars().any(|char| words::is_letter(char) && !char.is_ascii_digit())
}

/// Whether a line reports an error, or sums up.
pub fn shape_of(line: &str) -> Shape {
    Reading::of(line).shape
}

/// Whether a line is one of a file that is shown with its numbers, or a commit of a log: what it says happened nowhere.
pub fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_line = rest.starts_with([':', '→', '|', '\t']) || rest.starts_with("- ") || rest == "-";
    if rest.len() < line.len() && is_line {
        return true;
    }
    let id = line.split(' ').next().unwrap_or_default().as_bytes();
    let is_hash = (7..=40).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    is_hash && id.iter().any(u8::is_ascii_digit) && id.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a word that names an error is one of a program's text: `raise ValueError("…")`, `fail_str`, `"error"`. `at`:
/// where it stands in the line. `is_kind`: it is the name of a kind of errors, which a report follows.
fn is_code(line: &[u8], at: usize, word: &[u8], is_kind: bool) -> bool {
    let before = at.checked_sub(1).map_or(b' ', |at| line[at]);
    let behind = line.get(at + word.len()..).unwrap_or_default();
    let after = behind.first().copied().unwrap_or(b' ');
    let reports = behind.starts_with(b": ");
    match (before, after) {
        _ if line.starts_with(b"//") => true,
        // "2 error(s)" is none.
        (_, b'(') => !behind.starts_with(b"(s)"),
        (_, b'_' | b'=') => true,
        _ if behind.starts_with(b" = ") => true,
        (_, b'"' | b'\'' | b'`') => behind.get(1) != Some(&b':'),
        (b'"' | b'\'' | b'`' | b'_' | b'@', _) => true,
        (b'.', _) => !reports,
        (_, b'.') => behind.get(1).is_some_and(u8::is_ascii_alphanumeric),
        _ => is_kind && !reports && !(at == 0 && matches!(after, b' ')),
    }
}

/// Whether a word is a part of a name: of a file, a package, a member.
fn is_part(line: &[u8], at: usize, word: &[u8]) -> bool {
    let before = at.checked_sub(1).map_or(b' ', |at| line[at]);
    let [after, next] = [0, 1].map(|behind| line.get(at + word.len() + behind).copied().unwrap_or(b' '));
    matches!(before, b'_' | b'-' | b'.' | b'@')
        || after == b'_'
        || matches!(after, b'.' | b'-') && next.is_ascii_alphanumeric()
}

/// Whether a word is called as a function.
fn calls(line: &[u8], at: usize, word: &[u8]) -> bool {
    line.get(at + word.len()) == Some(&b'(')
}

/// What the words of a line say.
pub struct Reading<'t> {
    /// Whether it reports an error, or sums up. "0 errors" and "no tests failed" report none.
    pub shape: Shape,
    /// The number with which a program ended, of a line that reports it.
    pub exit: Option<&'t [u8]>,
    /// Whether a number says how many of what it reports there are: "12 tests passed", "Failures: 2".
    pub counts: bool,
}

impl<'t> Reading<'t> {
    /// Reads a line.
    pub fn of(line: &'t str) -> Self {
        let (mut fails, mut sums_up, mut number, mut in_code) = (false, false, false, false);
        // How many of the next words are about none of what they name.
        let mut none = 0_usize;
        let mut last: &[u8] = b"";
        // Words since the last number and since the last word that reports or sums up.
        let (mut since_number, mut since_report, mut counts) = (usize::MAX, usize::MAX, false);
        // Whether the number comes with which a program ended, and what it is.
        let (mut exits, mut exit) = (false, None);
        for word in line.as_bytes().split(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80) {
            if word.is_empty() || word.len() > LONGEST_WORD {
                continue;
            }
            let says = says(word);
            let place = || word.as_ptr() as usize - line.as_ptr() as usize;
            if exits && exit.is_none() && says != Some(Says::With) {
                exit = Some(word);
            }
            (since_number, since_report) = (since_number.saturating_add(1), since_report.saturating_add(1));
            exits |= says == Some(Says::Exit) && !calls(line.as_bytes(), place(), word);
            if word[0].is_ascii_digit() {
                number = true;
                since_number = 0;
                counts |= since_report == 1;
                none = if word == b"0" { NONE } else { 0 };
                last = word;
                continue;
            }
            let is_kind =
                || [b"Error".as_slice(), b"Exception"].iter().any(|end| word.len() > end.len() && word.ends_with(end));
            // "No such file", "not found".
            let before = |one: &[u8]| last.eq_ignore_ascii_case(one);
            let missing = word == b"found" && before(b"not") || word == b"such" && before(b"no");
            let kind = says != Some(Says::Error) && matches!(word.last(), Some(b'r' | b'n')) && is_kind();
            let names = kind || says == Some(Says::Error);
            let named = names && !in_code && !is_code(line.as_bytes(), place(), word, kind);
            // What a program is to say when it fails is an argument of what it calls then.
            in_code |= kind && calls(line.as_bytes(), place(), word);
            fails |= missing || named && none == 0;
            sums_up |= named || says == Some(Says::Verdict) && !is_part(line.as_bytes(), place(), word);
            if matches!(says, Some(Says::Error | Says::Verdict)) {
                since_report = 0;
                counts |= since_number <= NONE;
            }
            none = if word.eq_ignore_ascii_case(b"no") { NONE } else { none.saturating_sub(1) };
            last = word;
        }
        let exit = exit.filter(|code| code.iter().all(u8::is_ascii_digit));
        let shape = match exit {
            None if !(fails || sums_up && number) => Shape::Text,
            _ if is_numbered(line) => Shape::Text,
            // "exit code 0" says only that it ran.
            Some(b"0") => Shape::Text,
            Some(_) => Shape::Error,
            None if fails => Shape::Error,
            None => Shape::Verdict,
        };
        Self { shape, exit, counts }
    }
}

/// Bytes of the longest word that is compared.
const LONGEST_WORD: usize = 40;
/// Words behind a number that it is about.
const NONE: usize = 2;
