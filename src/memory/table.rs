//! What stands above a digest and in a progress note as a table: what was changed, checked and committed, and the host's open
//! todos.

use crate::base::{quoting, text};
use crate::ingest::host::Todo;
use crate::memory::digest::Source;

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
    pub(super) fn table(&self, room: u64, is_shown: &dyn Fn(u64) -> bool) -> String {
        let work = &self.known.work;
        let mut left = room;
        let mut fits = |line: &str| {
            let size = self.tokens(line) + 1;
            let fits = size <= left;
            left -= if fits { size } else { 0 };
            fits
        };
        let mut lines = Vec::new();
        let mut files = String::new();
        let half = room / 2;
        // What was written to be run is a means; it stands here where nothing else was changed.
        let only_runs = work.files.iter().all(|file| file.runs || !is_shown(file.at));
        for file in work.files.iter().rev().filter(|file| is_shown(file.at) && file.runs == only_runs) {
            let path = quoting::one_line(&file.path);
            let one = if file.edits > 1 { format!("{path} ({}×)", file.edits) } else { path };
            if self.tokens(&files) + self.tokens(&one) > half {
                break;
            }
            files.push_str(if files.is_empty() { "Changed: " } else { ", " });
            files.push_str(&one);
        }
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
        text::joined(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "\n")
    }
}
