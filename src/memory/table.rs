//! What stands above a digest and in a progress note as a table: what was changed, checked and committed, and the host's open
//! todos.

use crate::base::{quoting, text};
use crate::ingest::host::Todo;
use crate::memory::digest::Source;
use crate::memory::paths;
use crate::memory::work::File;

/// What was done, as a small table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Its lines.
    pub(super) text: String,
    /// The paths of the files in it, in full, a line each: the folder that they share stands in it once.
    pub(super) paths: String,
}

impl Source<'_> {
    /// The open points of the host's todo list, and how many are done.
    pub(super) fn open(&self, room: u64) -> String {
        let is_open = |todo: &&Todo| !matches!(todo.status.as_str(), "completed" | "done" | "cancelled" | "canceled");
        let (mut lines, mut left) = (Vec::new(), room);
        let mut open = 0;
        for todo in self.todos.iter().filter(is_open) {
            open += 1;
            let line =
                format!("Open: [{}] {}", quoting::one_line(&todo.status), quoting::one_line(todo.content.trim()));
            let size = self.tokens(&line) + 1;
            if size <= left {
                left -= size;
                lines.push(line);
            }
        }
        let more = open - lines.len();
        if more > 0 {
            lines.push(format!("Open: {more} more"));
        }
        let done = self.todos.len() - open;
        if done > 0 {
            lines.push(format!("Done: {done} of the list"));
        }
        text::joined(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "\n")
    }

    /// The work as a small table, within about so many raw tokens: what was done in messages for which this holds.
    pub(super) fn table(&self, room: u64, is_shown: &dyn Fn(u64) -> bool) -> Table {
        let work = &self.known.work;
        let mut left = room;
        let mut fits = |line: &str| {
            let size = self.tokens(line) + 1;
            let fits = size <= left;
            left -= if fits { size } else { 0 };
            fits
        };
        let mut lines = Vec::new();
        let (files, paths) = self.changed(room / 2, is_shown);
        if !files.is_empty() && fits(&files) {
            lines.push(files);
        }
        for check in work.checks.iter().rev().filter(|check| is_shown(check.at)) {
            let line = format!("Check: {} ← {}", quoting::one_line(&check.command), quoting::one_line(&check.verdict));
            if fits(&line) {
                lines.push(line);
            }
        }
        for commit in work.commits.iter().rev().filter(|commit| is_shown(commit.at)) {
            let line = format!("Commit: {}", quoting::one_line(&commit.subject));
            if fits(&line) {
                lines.push(line);
            }
        }
        Table { text: text::joined(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "\n"), paths }
    }

    /// The files that were changed, the newest first, within about so many raw tokens, and their paths in full.
    fn changed(&self, room: u64, is_shown: &dyn Fn(u64) -> bool) -> (String, String) {
        let files = &self.known.work.files;
        // What was written to be run is a means; it stands here where nothing else was changed.
        let only_runs = files.iter().all(|file| file.runs || !is_shown(file.at));
        let files: Vec<&File> = files.iter().rev().filter(|file| is_shown(file.at) && file.runs == only_runs).collect();
        // Of as many files as fit, the folder that they share stands once. Fewer share more.
        for count in (1..=files.len()).rev() {
            let line = changed(&files[..count]);
            if self.tokens(&line) <= room {
                let paths: Vec<&str> = files[..count].iter().map(|file| &*file.path).collect();
                return (line, text::joined(&paths, "\n"));
            }
        }
        (String::new(), String::new())
    }
}

/// A line of changed files.
fn changed(files: &[&File]) -> String {
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    let folder = paths::folder(&paths);
    let shown = |file: &&File| {
        let path = folder.and_then(|folder| file.path.strip_prefix(folder)?.strip_prefix('/')).unwrap_or(&file.path);
        let path = quoting::one_line(path);
        if file.edits > 1 { format!("{path} ({}×)", file.edits) } else { path }
    };
    let shown: Vec<String> = files.iter().map(shown).collect();
    let shown = text::joined(&shown.iter().map(String::as_str).collect::<Vec<_>>(), ", ");
    match folder {
        Some(folder) => format!("Changed: {shown} (in {})", quoting::one_line(folder)),
        None => format!("Changed: {shown}"),
    }
}
