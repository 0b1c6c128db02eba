//! Commands of a shell, as far as it takes to say what they did: which files they wrote and took away, what they ran, what
//! they committed.

use crate::base::text;
use std::borrow::Cow;

/// What becomes of a file. Where a step says two things of one, the later in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// It is edited.
    Edited,
    /// All of it is written and then run by the same command.
    Run,
    /// It is taken away, or is again what it was.
    Gone,
}

/// What a word says of what stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// The step only prepares those after it.
    Prepares,
    /// The next word is a file that is written. `whole`: from its beginning.
    Writes { whole: bool },
    /// This becomes of all files up to the end of the step.
    Does(Deed),
}

/// The words that say something, each with the word in front of it where it says nothing alone. An option may go on in the
/// same word.
const WORDS: [(&str, &str, Says); 10] = [
    ("", "cd", Says::Prepares),
    ("", "set", Says::Prepares),
    ("", "export", Says::Prepares),
    ("", ">", Says::Writes { whole: true }),
    ("", ">>", Says::Writes { whole: false }),
    ("", "tee", Says::Writes { whole: false }),
    ("sed", "-i", Says::Does(Deed::Edited)),
    ("", "rm", Says::Does(Deed::Gone)),
    ("git", "checkout", Says::Does(Deed::Gone)),
    ("git", "restore", Says::Does(Deed::Gone)),
];
/// Shows what was changed.
const SHOWS: &str = "git diff";
/// Commits what was changed.
const COMMITS: &str = "git commit";

/// What a word says behind another.
fn says(before: &str, word: &str) -> Option<Says> {
    let is = |known: &str| word == known || known.starts_with('-') && word.starts_with(known);
    let (.., says) = WORDS.iter().find(|(first, known, _)| is(known) && (first.is_empty() || *first == before))?;
    Some(*says)
}

/// A line of a command without what only prepares the rest: where it runs, options of the shell, variables.
fn without_preparation(line: &str) -> &str {
    let mut line = line.trim();
    while !line.is_empty() {
        let ends = ["&& ", "; "].into_iter().filter_map(|sign| line.split_once(sign));
        let (step, next) = ends.min_by_key(|(step, _)| step.len()).unwrap_or((line, ""));
        let step = step.trim_end_matches([' ', ';']);
        let word = step.split_whitespace().next().unwrap_or_default();
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let sets = word == step && word.split_once('=').is_some_and(|(name, _)| is_name(name));
        if !sets && says("", word) != Some(Says::Prepares) {
            break;
        }
        line = next.trim();
    }
    line
}

/// What a command runs: its first step that does more than prepare the rest or write a text into a file. The words between
/// quotes belong to it where they go on in further lines.
pub fn run(command: &str) -> Cow<'_, str> {
    let lines = commands(command);
    let mut steps = lines.iter().map(|line| (without_preparation(line), line.contains("<<") && line.contains('>')));
    let first = steps
        .clone()
        .find(|(step, writes)| !step.is_empty() && !writes)
        .or_else(|| steps.find(|(step, _)| !step.is_empty()));
    let step = first.map_or_else(|| command.trim().lines().next().unwrap_or_default(), |(step, _)| step);
    let is_open = ['"', '\''].iter().any(|quote| step.matches(*quote).count() % 2 == 1);
    match text::find(command, step).filter(|_| is_open) {
        Some(at) => Cow::Borrowed(text::between(command, at, command.len())),
        None => Cow::Borrowed(step),
    }
}

/// The lines of a command, without the texts that it holds.
fn commands(command: &str) -> Vec<&str> {
    let mut end: Option<&str> = None;
    let mut out = Vec::new();
    for line in command.lines().take(MOST_LINES) {
        match end {
            Some(mark) => end = end.filter(|_| line.trim() != mark),
            None => {
                out.push(line);
                end = line.split_once("<<").map(|(_, rest)| mark(rest));
            }
        }
    }
    out
}

/// The word that ends the text which begins behind `<<`.
fn mark(rest: &str) -> &str {
    let word = rest.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
    word.trim_matches(['"', '\'', '\\'])
}

/// Reports the files that a command writes, edits, takes away or brings back to what they were.
pub fn files(command: &str, each: &mut dyn FnMut(&str, Deed)) {
    let lines = commands(command);
    let names = |line: &&str, path: &str| line.split_whitespace().any(|word| word == path);
    for (at, line) in lines.iter().enumerate() {
        let mut words = line.split_whitespace().peekable();
        let (mut done, mut last) = (None, "");
        let mut quote = None;
        while let Some(word) = words.next() {
            // What stands between quotes is a text of its own.
            if quoted(&mut quote, word) {
                last = word;
                continue;
            }
            let said = says(last, word);
            let (target, whole) = match said {
                Some(Says::Writes { whole }) => {
                    words.next_if(|word| *word == "-a");
                    (words.peek().copied(), whole)
                }
                _ => (word.strip_prefix(">>").or_else(|| word.strip_prefix('>')), false),
            };
            if let Some(path) = target.map(|path| path.trim_matches(['"', '\''])).filter(|path| is_file(path)) {
                let runs = lines.iter().skip(at + 1).any(|line| names(line, path));
                let runs = runs || line.split_once("&& ").is_some_and(|(_, then)| names(&then, path));
                each(path, if runs && whole { Deed::Run } else { Deed::Edited });
            }
            if let Some(Says::Does(deed)) = said {
                done = done.max(Some(deed));
            }
            let path = word.trim_end_matches(';');
            if let Some(deed) = done.filter(|_| is_file(path) && !path.starts_with('-') && path.contains('.')) {
                each(path, deed);
            }
            if ends(word) || path.len() < word.len() {
                done = None;
            }
            last = word;
        }
    }
}

/// Whether a word begins between quotes. `quote`: the one that is open, afterwards that behind the word.
fn quoted(quote: &mut Option<char>, word: &str) -> bool {
    let began = quote.is_some();
    for char in word.chars() {
        match *quote {
            Some(open) if open == char => *quote = None,
            None if matches!(char, '"' | '\'') => *quote = Some(char),
            _ => {}
        }
    }
    began
}

/// Whether a word stands between two commands.
fn ends(word: &str) -> bool {
    matches!(word, "&&" | "||" | ";" | "|")
}

/// Whether a command shows what was changed and nothing else: `git diff` without a commit.
pub fn shows_changes(command: &str) -> bool {
    let Some((_, rest)) = command.split_once(SHOWS) else { return false };
    let words = rest.split_whitespace().take_while(|word| !ends(word) && *word != "--" && !word.starts_with('>'));
    words.into_iter().all(|word| word.starts_with('-') || is_file(word) && !word.contains(".."))
}

/// Reports the files whose changes a text shows.
pub fn shown_as_changed<'t>(lines: impl Iterator<Item = &'t str>, each: &mut dyn FnMut(&str)) {
    let mut last = "";
    for line in lines {
        if let Some(path) = line.strip_prefix("+++ b/").filter(|path| last.starts_with("--- ") && is_file(path)) {
            each(path);
        }
        last = line;
    }
}

/// The subject of a commit that a command makes.
pub fn committed(command: &str) -> Option<&str> {
    let at = text::find(command, COMMITS)?;
    let rest = text::between(command, at, command.len());
    let at = text::find(rest, "m \"").or_else(|| text::find(rest, "m '"))?;
    let quote = rest.as_bytes()[at + 2] as char;
    let message = text::between(rest, at + 3, rest.len());
    let end = message.find(quote).unwrap_or(message.len());
    text::between(message, 0, end).lines().next().filter(|line| !line.trim().is_empty())
}

const MOST_LINES: usize = 200;

/// Whether a word names a file.
fn is_file(word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_./~-".contains(char);
    word.len() > 2
        && word.chars().all(is_part)
        && word.rsplit('/').next().is_some_and(|name| name.contains('.') && !name.ends_with('.'))
}
