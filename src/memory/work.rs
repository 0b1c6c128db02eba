//! The work as a table: which files were changed, what was checked last and with what verdict, what was committed.

use crate::base::{text, words};
use crate::ingest::content::Value;
use crate::memory::outputs::{Reading, Shape, shape_of};
use crate::memory::records;
use crate::memory::trim::{clean, cut};
use std::borrow::Cow;

/// A file that was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: String,
    /// How often.
    pub edits: u64,
    /// The index of the last message that changed it.
    pub at: u64,
}

/// A command with what it reported last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The command.
    pub command: String,
    /// The line of its output that sums up, or reports the error.
    pub verdict: String,
    /// The index of the message that holds the verdict.
    pub at: u64,
}

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its subject.
    pub subject: String,
    /// The index of the message that made it.
    pub at: u64,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The changed files, oldest first.
    pub files: Vec<File>,
    /// The last checks.
    pub checks: Vec<Check>,
    /// The last commits.
    pub commits: Vec<Commit>,
    /// The command whose result has not come yet, and the id of its call.
    pub running: Option<(String, String)>,
    /// The changes whose result has not come yet. A call and its result are never separated, so a state holds none.
    pub pending: Vec<Change>,
}

/// A file that a call changes, unless its result says that it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The id of the call.
    pub id: String,
    /// The path.
    pub path: String,
    /// A command writes the file, and may go on to fail at something else.
    pub by_command: bool,
}

/// How many of each are kept.
const FILES: usize = 24;
const CHECKS: usize = 6;
const COMMITS: usize = 6;
/// Characters of a command and of a verdict.
const COMMAND: usize = 90;
const VERDICT: usize = 120;
/// Words by which two commands are the same check.
const HEAD: usize = 3;
/// Members of a call that name a file, and those that say what is written into it.
const PATHS: [&str; 9] =
    ["path", "file_path", "filepath", "file_name", "filename", "file", "target_file", "notebook_path", "uri"];
const WRITTEN: [&str; 12] =
    ["content", "contents", "text", "file_text", "new", "old", "diff", "patch", "edit", "replace", "insert", "change"];

impl Work {
    /// Takes back what messages from this index on did.
    pub fn roll_back(&mut self, count: u64) {
        self.files.retain(|file| file.at < count);
        self.checks.retain(|check| check.at < count);
        self.commits.retain(|commit| commit.at < count);
        self.running = None;
        self.pending.clear();
    }

    /// Reads what a call is to do.
    pub fn call(&mut self, at: u64, id: &str, input: &Value) {
        if let Value::Text(command) = input {
            self.command(at, id, command);
        }
        let Value::Object(members) = input else { return };
        let is = |key: &str, all: &[&str]| all.iter().any(|one| key.eq_ignore_ascii_case(one));
        let path = members.iter().find_map(|(key, value)| match value {
            Value::Text(path) if is(key, &PATHS) => Some(path),
            _ => None,
        });
        let begins = |key: &str| {
            WRITTEN.iter().any(|one| key.get(..one.len()).is_some_and(|start| start.eq_ignore_ascii_case(one)))
        };
        let writes = members.iter().any(|(key, value)| begins(key) && !matches!(value, Value::Null | Value::Bool(_)));
        if let Some(path) = path.filter(|_| writes) {
            self.changes(id, path, false);
        }
        let command = members.iter().find(|(key, _)| is(key, &["command", "cmd", "script"]));
        match command {
            Some((_, Value::Text(command))) if path.is_none() => self.command(at, id, command),
            Some((_, Value::Array(words))) => {
                let words: Vec<String> = words.iter().map(|word| word.to_text().into_owned()).collect();
                self.command(at, id, &words.join(" "));
            }
            _ => {}
        }
    }

    fn command(&mut self, at: u64, id: &str, command: &str) {
        written_by(command, &mut |path| self.changes(id, path, true));
        if let Some(subject) = committed(command) {
            let subject = cut(clean(subject), (COMMAND, 0)).into_owned();
            self.commits.push(Commit { subject, at });
            keep_last(&mut self.commits, COMMITS);
        }
        let line = command.lines().map(without_preparation).find(|line| !line.is_empty());
        let line = line.unwrap_or_else(|| command.trim().lines().next().unwrap_or_default());
        self.running = Some((id.to_owned(), cut(clean(line), (COMMAND, 0)).into_owned()));
    }

    /// Reads how a call ended.
    pub fn result(&mut self, at: u64, id: &str, lines: &[records::Line<'_>], failed: bool) {
        self.settle(at, id, lines, failed);
        let Some((_, command)) = self.running.take_if(|(of, _)| of == id) else { return };
        // The last line that sums up; of a call that failed, the last that reports an error.
        let mut verdict = None;
        for line in lines.iter().rev().take(LOOKED_AT) {
            if line.text.len() >= 200 {
                continue;
            }
            let Reading { shape, exit } = Reading::of(&line.text);
            let sums_up = match shape {
                Shape::Verdict => counts(&line.text),
                Shape::Error => counts(&line.text) || failed,
                _ => false,
            };
            if !sums_up {
                continue;
            }
            // With what number it ended is said where nothing else is.
            let exits = exit.is_some();
            if !exits || verdict.is_none() {
                verdict = Some(cut(Cow::Borrowed(&*line.text), (VERDICT, 0)).into_owned());
            }
            if !exits {
                break;
            }
        }
        let verdict = verdict.or_else(|| {
            let last = lines.iter().rev().find(|line| !line.text.is_empty());
            let last = last.map_or_else(String::new, |line| cut(Cow::Borrowed(&*line.text), (VERDICT, 0)).into_owned());
            failed.then(|| if last.is_empty() { "failed".to_owned() } else { format!("failed: {last}") })
        });
        let Some(verdict) = verdict else { return };
        let head = |command: &str| command.split_whitespace().take(HEAD).collect::<Vec<_>>().join(" ");
        self.checks.retain(|check| head(&check.command) != head(&command));
        self.checks.push(Check { command, verdict, at });
        keep_last(&mut self.checks, CHECKS);
    }

    fn changes(&mut self, id: &str, path: &str, by_command: bool) {
        let path = path.trim();
        if path.is_empty() || path.len() > 200 || path.starts_with("/dev/") {
            return;
        }
        self.pending.drain(..self.pending.len().saturating_sub(FILES));
        self.pending.push(Change { id: id.to_owned(), path: path.to_owned(), by_command });
    }

    /// Counts the changes of a call as done, unless its result says that they failed.
    fn settle(&mut self, at: u64, id: &str, lines: &[records::Line<'_>], failed: bool) {
        if self.pending.is_empty() {
            return;
        }
        let (own, others) = core::mem::take(&mut self.pending).into_iter().partition(|change| change.id == id);
        self.pending = others;
        // Further lines may be of the file itself.
        let first = lines.iter().map(|line| &*line.text).find(|text| words::says_anything(text)).unwrap_or_default();
        let fails = shape_of(first) == Shape::Error;
        let own: Vec<Change> = own;
        for Change { path, by_command, .. } in own {
            let failed = if by_command { fails && text::find(first, &path).is_some() } else { fails || failed };
            if !failed {
                self.changed(at, &path);
            }
        }
    }

    fn changed(&mut self, at: u64, path: &str) {
        let known = self.files.iter().position(|file| file.path == path);
        let mut file =
            known.map_or_else(|| File { path: path.to_owned(), ..File::default() }, |at| self.files.remove(at));
        file.edits += 1;
        file.at = at;
        self.files.push(file);
        keep_last(&mut self.files, FILES);
    }
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
        if !sets && !["cd", "set", "export"].contains(&word) {
            break;
        }
        line = next.trim();
    }
    line
}

/// The lines of a result's end that are read.
const LOOKED_AT: usize = 200;

fn keep_last<T>(all: &mut Vec<T>, most: usize) {
    all.drain(..all.len().saturating_sub(most));
}

/// Whether a line counts what it reports: a number stands next to a word, or the line begins in capitals.
fn counts(line: &str) -> bool {
    let mut words = line.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_count = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let first = words.clone().next().unwrap_or_default();
    first.len() > 1 && first.bytes().all(|byte| byte.is_ascii_uppercase()) || words.any(is_count)
}

/// The subject of a commit that a command makes.
fn committed(command: &str) -> Option<&str> {
    let at = text::find(command, "git commit")?;
    let rest = text::between(command, at, command.len());
    let at = text::find(rest, "m \"").or_else(|| text::find(rest, "m '"))?;
    let quote = rest.as_bytes()[at + 2] as char;
    let message = text::between(rest, at + 3, rest.len());
    let end = message.find(quote).unwrap_or(message.len());
    text::between(message, 0, end).lines().next().filter(|line| !line.trim().is_empty())
}

/// Reports the files that a command writes: behind `>`, `>>` and `tee`, and those that `sed -i` edits.
fn written_by(command: &str, each: &mut dyn FnMut(&str)) {
    let mut is_script = false;
    for line in command.lines().take(MOST_LINES) {
        // What a heredoc holds is a text, not a command.
        if is_script {
            continue;
        }
        let mut words = line.split_whitespace().peekable();
        let (mut edits, mut last) = (false, "");
        while let Some(word) = words.next() {
            let target = match word {
                ">" | ">>" | "tee" => {
                    words.next_if(|word| *word == "-a");
                    words.peek().copied()
                }
                _ => word.strip_prefix(">>").or_else(|| word.strip_prefix('>')).filter(|rest| !rest.is_empty()),
            };
            if let Some(path) = target.map(|path| path.trim_matches(['"', '\''])).filter(|path| is_file(path)) {
                each(path);
            }
            edits |= last == "sed" && word.starts_with("-i");
            if edits && matches!(word, "&&" | ";" | "|") {
                edits = false;
            }
            if edits && is_file(word) && !word.starts_with(['-', '\'', '"']) && word.contains('.') {
                each(word);
            }
            last = word;
        }
        is_script = line.contains("<<");
    }
}

const MOST_LINES: usize = 200;

/// Whether a word names a file.
fn is_file(word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_./~-".contains(char);
    word.len() > 2
        && word.chars().all(is_part)
        && word.rsplit('/').next().is_some_and(|name| name.contains('.') && !name.ends_with('.'))
}
