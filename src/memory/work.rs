//! The work as a table: which files were changed, what was checked last and with what verdict, what was committed.

use crate::base::{text, words};
use crate::ingest::content::Value;
use crate::memory::commands::{self, Deed};
use crate::memory::outputs::{self, Reading, Shape, shape_of};
use crate::memory::paths;
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
    /// A command wrote all of it and ran it.
    pub runs: bool,
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
    /// The call whose result shows what was changed, by its id.
    pub shows: Option<String>,
    /// The commit whose result has not come yet, and the id of its call.
    pub committing: Option<(String, String)>,
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
    /// A command does it, and may go on to fail at something else.
    pub by_command: bool,
    /// What becomes of the file.
    pub deed: Deed,
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
        (self.running, self.shows, self.committing) = (None, None, None);
        self.pending.clear();
    }

    /// Reads what a call is to do.
    pub fn call(&mut self, id: &str, input: &Value) {
        if let Value::Text(command) = input {
            self.command(id, command);
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
            self.changes(id, path, false, Deed::Edited);
        }
        let command = members.iter().find(|(key, _)| is(key, &["command", "cmd", "script"]));
        match command {
            Some((_, Value::Text(command))) if path.is_none() => self.command(id, command),
            Some((_, Value::Array(words))) => {
                let words: Vec<String> = words.iter().map(|word| word.to_text().into_owned()).collect();
                self.command(id, &words.join(" "));
            }
            _ => {}
        }
    }

    fn command(&mut self, id: &str, command: &str) {
        if commands::shows_changes(command) {
            self.shows = Some(id.to_owned());
        }
        commands::files(command, &mut |path, deed| self.changes(id, path, true, deed));
        if let Some(subject) = commands::committed(command) {
            self.committing = Some((id.to_owned(), cut(clean(subject), (COMMAND, 0)).into_owned()));
        }
        let line = commands::run(command);
        self.running = Some((id.to_owned(), cut(Cow::Owned(text::spaced(&line)), (COMMAND, 0)).into_owned()));
    }

    /// Reads how a call ended.
    pub fn result(&mut self, at: u64, id: &str, lines: &[records::Line<'_>], failed: bool) {
        self.settle(at, id, lines, failed);
        if let Some((_, subject)) = self.committing.take_if(|(of, _)| of == id)
            && !fails(lines, failed)
        {
            self.commits.push(Commit { subject, at });
            keep_last(&mut self.commits, COMMITS);
        }
        if self.shows.take_if(|of| of == id).is_some() {
            let texts = lines.iter().map(|line| &*line.text);
            commands::shown_as_changed(texts, &mut |path| {
                if !self.files.iter().any(|file| paths::may_be_same(&file.path, path)) {
                    self.changed(at, path, Deed::Edited);
                }
            });
        }
        let Some((_, command)) = self.running.take_if(|(of, _)| of == id) else { return };
        let head = |command: &str| command.split_whitespace().take(HEAD).collect::<Vec<_>>().join(" ");
        // What it reported before no longer holds, also where it reports nothing now.
        self.checks.retain(|check| head(&check.command) != head(&command));
        if let Some(verdict) = verdict(lines, failed) {
            self.checks.push(Check { command, verdict, at });
            keep_last(&mut self.checks, CHECKS);
        }
    }

    fn changes(&mut self, id: &str, path: &str, by_command: bool, deed: Deed) {
        let path = path.trim();
        if path.is_empty() || path.len() > 200 || path.starts_with("/dev/") {
            return;
        }
        self.pending.drain(..self.pending.len().saturating_sub(2 * FILES));
        self.pending.push(Change { id: id.to_owned(), path: path.to_owned(), by_command, deed });
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
        for Change { path, by_command, deed, .. } in own {
            let failed = if by_command { fails && text::find(first, &path).is_some() } else { fails || failed };
            if !failed {
                self.changed(at, &path, deed);
            }
        }
    }

    fn changed(&mut self, at: u64, path: &str, deed: Deed) {
        let known = self.files.iter().position(|file| paths::may_be_same(&file.path, path));
        if deed == Deed::Gone {
            self.files.retain(|file| !paths::may_be_same(&file.path, path));
            return;
        }
        let new = || File { path: path.to_owned(), ..File::default() };
        let mut file = known.map_or_else(new, |at| self.files.remove(at));
        // What was there before is more than a means, however it is written now.
        file.runs = deed == Deed::Run && (file.edits == 0 || file.runs);
        file.edits += 1;
        file.at = at;
        self.files.push(file);
        keep_last(&mut self.files, FILES);
    }
}

/// The lines of a result's end that are read, and bytes of one that may be a verdict.
const LOOKED_AT: usize = 200;
const LONGEST: usize = 200;

/// Whether a call failed: it says so, or the number does with which its program ended.
fn fails(lines: &[records::Line<'_>], failed: bool) -> bool {
    let ended = lines.iter().rev().find(|line| words::says_anything(&line.text)).map(|line| Reading::of(&line.text));
    failed || ended.is_some_and(|ended| ended.exit.is_some() && ended.shape == Shape::Error)
}

fn keep_last<T>(all: &mut Vec<T>, most: usize) {
    all.drain(..all.len().saturating_sub(most));
}

/// What an output says of how its command ended: the last line that sums up, of a call that failed with how many errors.
/// Where none does, of a call that failed the first that says what is wrong, and of any other the last line of all if it
/// reports an error. A program that fails and prints nothing says only that what it looked for is not there.
fn verdict(lines: &[records::Line<'_>], failed: bool) -> Option<String> {
    let lines = lines.iter().map(|line| &*line.text).filter(|line| words::says_anything(line));
    let read: Vec<_> = lines.rev().take(LOOKED_AT).map(|line| (line, Reading::of(line))).collect();
    let mut printed = read.iter().filter(|(_, reading)| reading.exit.is_none());
    let (last, reading) = printed.clone().next()?;
    let fits = |line: &str| line.len() < LONGEST;
    let sums_up = |(line, reading): &&(&str, Reading<'_>)| {
        let reports = matches!(reading.shape, Shape::Error | Shape::Verdict);
        reports && fits(line) && (reading.counts || begins_in_capitals(line))
    };
    let is_wrong = |(line, reading): &&(&str, Reading<'_>)| {
        reading.shape == Shape::Error && fits(line) && !outputs::announces(line)
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let ends =
        || Some(*last).filter(|line| reading.shape == Shape::Error && fits(line) && words_of(line).any(is_number));
    let mut counting = printed.clone().filter(sums_up);
    let first = counting.clone().next();
    let counted =
        counting.find(|(_, reading)| failed && reading.shape == Shape::Error).or(first).map(|(line, _)| *line);
    let wrong = || printed.rfind(is_wrong).filter(|_| failed).map(|(line, _)| *line);
    let exit = || {
        read.iter().find(|(_, reading)| reading.shape == Shape::Error && reading.exit.is_some()).map(|(line, _)| *line)
    };
    let shown = |line: &str| cut(Cow::Borrowed(line), (VERDICT, 0)).into_owned();
    let known = counted.or_else(wrong).or_else(ends).or_else(exit).map(shown);
    known.or_else(|| failed.then(|| format!("failed: {}", shown(last))))
}

/// Whether the first word of a line is in capitals: "FAILED", "OK".
fn begins_in_capitals(line: &str) -> bool {
    let first = words_of(line).next().unwrap_or_default();
    first.len() > 1 && first.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}
