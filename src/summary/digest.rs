//! The digest summary: what code can say of a conversation without a model. What was asked and what came of it, what was
//! done, what was answered last, what is required, and the names and numbers. Bounded, and the same for the same messages.

use super::facts::{self, Facts};
use super::request::Todo;
use super::{Source, rules, transcript};
use crate::content::{Content, ContentPart, Value};
use crate::markers;
use crate::message::Role;
use crate::plan::shorten::log;
use crate::prelude::*;
use crate::text;

const OPENING: &str = "Condensed by code, without a model: quotations are exact, much is left out.";
const BEFORE: &str = "## Before";
const ASKED: &str = "## Asked, in order";
const TODO: &str = "## Todo list";
const DONE: &str = "## Done with tools";
const SAID: &str = "## Said last";
/// How many messages that section quotes.
const SAID_LAST: usize = 8;
/// How far a request is. Only an open one can change.
const OPEN: &str = "- [open] ";
const ANSWERED: &str = "- [answered] ";
const CANCELLED: &str = "- [cancelled] ";
/// Bytes of what shows that a request is no longer open, and of a call and its outcome.
const EVIDENCE: usize = 160;
/// Of the budget, what facts may take, in percent, if there are that many; they get what the sections leave as well.
const FACTS_SHARE: usize = 70;

/// The digest of a source within about `bytes`. A previous digest is merged section by section; any other previous
/// summary is quoted. With `least`, what a person required or asked for goes before all else. Whether some of that is
/// not told: a requirement not whole, no request at all.
pub fn write(source: &Source<'_>, todos: &[Todo], bytes: usize, least: bool) -> (String, bool) {
    let (previous, known) = facts::split(source.previous.unwrap_or_default());
    let merged = previous.starts_with(OPENING);
    let old = |heading: &str| if merged { section(previous, heading) } else { Vec::new() };
    let said = last_words(source.messages);
    let before = if merged {
        old(BEFORE)
    } else if previous.is_empty() {
        Vec::new()
    } else {
        vec![text!["- ", previous.trim().replace('\n', "\n| ")]]
    };
    // Shares of the budget, in percent; what one section leaves goes to the next, and in the end to the facts.
    let sections = [
        (ASKED, requests(old(ASKED), source.messages), if least { 400 } else { 25 }),
        (BEFORE, before, 25),
        (TODO, todo_list(todos), 10),
        (DONE, tools(old(DONE), source.messages), 15),
        (SAID, if said.is_empty() { old(SAID) } else { said }, 20),
    ];
    let facts = Facts::of(known, source.messages);
    let whole = bytes.saturating_sub(OPENING.len());
    let (required, named) = facts.bytes();
    let most = whole * FACTS_SHARE / 100;
    let reserved = (required + named).min(if least { most.max(required.min(whole)) } else { most });
    let mut rest = whole - reserved;
    let mut weight: usize = sections.iter().filter(|section| !section.1.is_empty()).map(|section| section.2).sum();
    let mut lost = false;
    let mut out = String::from(OPENING);
    for (heading, lines, share) in sections.into_iter().filter(|section| !section.1.is_empty()) {
        let budget = rest * share / weight;
        weight -= share;
        let body = fit(lines, budget.saturating_sub(heading.len() + 2));
        if body.is_empty() {
            lost |= heading == ASKED;
            continue;
        }
        rest = rest.saturating_sub(heading.len() + 2 + body.len());
        out.push_str("\n\n");
        out.push_str(heading);
        out.push('\n');
        out.push_str(body.trim_end());
    }
    let bytes = rest + reserved;
    lost |= facts.write(&mut out, bytes, if least { bytes } else { bytes * facts::RULES_SHARE / 100 });
    (out, lost)
}

/// The entries of a section of an earlier digest: each begins with a dash, and may run over lines.
fn section(digest: &str, heading: &str) -> Vec<String> {
    let Some(start) = text::find(digest, &text!["\n", heading, "\n"]) else { return Vec::new() };
    let body = text::between(digest, start + heading.len() + 2, digest.len());
    let end = text::find(body, "\n## ").unwrap_or(body.len());
    let mut entries: Vec<String> = Vec::new();
    for line in text::between(body, 0, end).trim().lines() {
        match entries.last_mut() {
            Some(entry) if !line.starts_with("- ") && !line.starts_with(LEFT_OUT) => {
                entry.push('\n');
                entry.push_str(line);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// How the line begins that stands for entries without room.
const LEFT_OUT: &str = "(… ";

/// Lines within a budget: all of them, cut, if each can keep something; else the first one and the newest.
fn fit(lines: Vec<String>, budget: usize) -> String {
    const LEAST: usize = 60;
    let room = (budget / LEAST).max(1);
    let earlier: usize = lines
        .iter()
        .filter_map(|line| line.strip_prefix(LEFT_OUT)?.split(' ').next().and_then(text::whole))
        .sum::<u64>() as usize;
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.starts_with(LEFT_OUT)).collect();
    let total = lines.len();
    if budget < LEAST && lines.iter().map(|line| line.len() + 1).sum::<usize>() > budget {
        // Nothing of it could be read.
        return String::new();
    }
    let chosen: Vec<String> = if total > room && total > 1 {
        let newest = room.saturating_sub(1);
        let mut chosen = vec![lines[0].clone()];
        chosen.extend(lines[total - newest.min(total - 1)..].iter().cloned());
        chosen
    } else {
        lines
    };
    let lengths: Vec<usize> = chosen.iter().map(|line| line.len() + 1).collect();
    let cap = text::level(&lengths, budget);
    let mut out = String::new();
    for (index, line) in chosen.iter().enumerate() {
        if index == 1 && chosen.len() < total + earlier {
            out.push_str(&text![LEFT_OUT, total + earlier - chosen.len(), " more …)\n"]);
        }
        out.push_str(&text::ends(line, cap.saturating_sub(1)));
        out.push('\n');
    }
    out
}

/// What a message says to its reader, on lines that cannot pass for lines of ours.
fn spoken(message: &Content) -> String {
    let mut line = String::new();
    for part in &message.parts {
        match part {
            ContentPart::Text { text, .. } if !text.trim().is_empty() => {
                line.push(' ');
                line.push_str(&transcript::quote(text.trim()));
            }
            ContentPart::Media { kind, media_type, reference, .. } => {
                line.push_str(&text![" [", transcript::medium(*kind, media_type, reference), "]"])
            }
            _ => {}
        }
    }
    line
}

/// What was asked, and how far it is: answered when the assistant's last words before the next request came without a
/// call, cancelled when the next request says so.
fn requests(mut all: Vec<String>, messages: &[(Content, bool)]) -> Vec<String> {
    let mut answer = None;
    for (message, typed) in messages {
        let said = spoken(message);
        if *typed && !said.is_empty() {
            let cancelled = rules::cancels(&said);
            close(&mut all, answer.take(), cancelled.then_some(said.as_str()));
            all.push(text![OPEN.trim_end(), said]);
        } else if message.role == Role::Assistant {
            let calls = message.parts.iter().any(|part| matches!(part, ContentPart::Call { .. }));
            answer = if calls || said.is_empty() { None } else { Some(said) };
        }
    }
    close(&mut all, answer, None);
    all
}

/// Closes the newest request, if it is open and something speaks for that.
fn close(all: &mut [String], answer: Option<String>, cancel: Option<&str>) {
    let Some(last) = all.last_mut() else { return };
    let Some(request) = last.strip_prefix(OPEN) else { return };
    let (state, evidence) = match (&answer, cancel) {
        (Some(answer), _) => (ANSWERED, answer.as_str()),
        (None, Some(cancel)) => (CANCELLED, cancel),
        (None, None) => return,
    };
    *last = text![state, request, " → ", text::first_line(evidence, EVIDENCE)];
}

/// What is left of the host's list, and how much of it is done.
fn todo_list(todos: &[Todo]) -> Vec<String> {
    let is_open = |todo: &&Todo| !matches!(todo.status.as_str(), "completed" | "done" | "cancelled" | "canceled");
    let mut all: Vec<String> = todos
        .iter()
        .filter(is_open)
        .map(|todo| text!["- [", transcript::quote(&todo.status), "] ", transcript::quote(todo.content.trim())])
        .collect();
    let done = todos.len() - all.len();
    if done > 0 {
        all.push(text!["- ", done, " more done"]);
    }
    all
}

/// Programs, files and tools that a digest knows of, those used last: each call is looked for among them.
const USED_MOST: usize = 64;

/// How one tool was used: a program that it ran, a file that it changed, or else all of it.
#[derive(Default)]
struct Usage<'m> {
    name: String,
    calls: usize,
    failures: usize,
    /// How it was called last, as an earlier digest told it, or as it was called since then.
    last: String,
    /// What came of that: whether it failed, and what it printed.
    result: Option<(bool, &'m Value)>,
}

fn tools(earlier: Vec<String>, messages: &[(Content, bool)]) -> Vec<String> {
    let mut used: Vec<Usage<'_>> = earlier.iter().filter_map(|line| parse_usage(line)).collect();
    // Ids may come again: a result belongs to the newest call with its id.
    let mut calls: Vec<(&str, String, bool)> = Vec::new();
    for part in messages.iter().flat_map(|(message, _)| &message.parts) {
        match part {
            ContentPart::Call { id, name, input, .. } => {
                let (target, last, changes) = about(input);
                let name = if target.is_empty() { name.clone() } else { text![name, " ", target] };
                // The tool used last stands last.
                let at = used.iter().position(|usage| usage.name == name);
                let earlier = at.map(|at| used.remove(at)).unwrap_or_default();
                used.push(Usage { name: name.clone(), calls: earlier.calls + 1, last, result: None, ..earlier });
                if used.len() > USED_MOST {
                    used.remove(used.iter().position(|usage| !checks(&usage.name)).unwrap_or(0));
                }
                calls.push((id, name, changes));
            }
            ContentPart::Result { id, output, failed, .. } => {
                let Some(at) = calls.iter().rposition(|call| call.0 == id) else { continue };
                let (_, name, changes) = &calls[at];
                let Some(usage) = used.iter_mut().rfind(|usage| usage.name == *name) else { continue };
                usage.failures += usize::from(*failed);
                // What was changed says more than that it was.
                usage.result = Some((*failed, output)).filter(|_| *failed || !changes);
            }
            _ => {}
        }
    }
    // Whether the work is whole says most: it stands last, and is told first.
    if let Some(at) = used.iter().rposition(|usage| checks(&usage.name)) {
        let check = used.remove(at);
        used.push(check);
    }
    used.into_iter().map(Usage::told).collect()
}

/// How the words end that name programs by which work is checked.
const CHECKS: [&str; 8] = ["test", "tests", "check", "build", "lint", "tsc", "make", "mypy"];

fn checks(name: &str) -> bool {
    let name = name.as_bytes();
    // Files have points in their names.
    !name.contains(&b'.')
        && (1..=name.len()).any(|end| {
            !name.get(end).is_some_and(u8::is_ascii_alphanumeric)
                && CHECKS.iter().any(|check| name[..end].ends_with(check.as_bytes()))
        })
}

/// What tells a call from others of its tool: the program that it runs, with its subcommand, or the file that it changes.
/// Then what else it says, in short, and whether it changes a file.
fn about(input: &Value) -> (&str, String, bool) {
    /// Of what a call says beside that: the first of it.
    const SAYS: usize = 4;
    const WAS: &str = " ← was ";
    let (mut file, mut command, mut old, mut writes, mut says) = ("", "", "", false, Vec::<&str>::new());
    if let Value::Object(members) = input {
        for (key, value) in members {
            let named = |parts: [&str; 2]| parts.iter().any(|part| text::find(key, part).is_some());
            match value {
                Value::Text(text) if key == "command" || key == "cmd" => command = text,
                Value::Text(text) if key.starts_with("old") => old = text,
                Value::Text(text) if named(["path", "file"]) && !text.bytes().any(|byte| byte <= b' ') => file = text,
                _ => {
                    writes |= named(["new", "content"]) || named(["edits", "file_text"]);
                    facts::leaves(value, &mut |text| says.push(text));
                }
            }
        }
    } else {
        facts::leaves(input, &mut |text| says.push(text));
    }
    says.retain(|text| !text.trim().is_empty());
    says.truncate(SAYS);
    let changes = writes && !file.is_empty();
    let mut target = "";
    if changes {
        target = tail(file);
        if let ([new], false) = (says.as_mut_slice(), old.is_empty()) {
            // Lines that both begin with are not changed.
            let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
            let same = text::between(old, 0, text::floor(old, same)).rfind('\n').unwrap_or(0);
            *new = text::between(new, same, new.len());
            says.push(text::between(old, same, old.len()));
        }
    } else if !file.is_empty() {
        says.insert(0, tail(file));
    }
    if !command.is_empty() && !changes {
        let (from, end) = program(command);
        target = text::between(command, from, end);
        says.insert(0, text::between(command, end, command.len()));
    }
    let mut told = String::new();
    for text in &says {
        if !told.is_empty() {
            told.push_str(if changes { WAS } else { ", " });
        }
        told.push_str(&text::start(text, EVIDENCE / says.len()));
    }
    (target, told, changes)
}

/// A file with the two folders that it lies in.
fn tail(file: &str) -> &str {
    let bytes = file.as_bytes();
    let (mut at, mut slashes) = (bytes.len(), 0);
    while at > 0 {
        slashes += usize::from(bytes[at - 1] == b'/');
        if slashes > 2 {
            break;
        }
        at -= 1;
    }
    text::between(file, at, file.len())
}

/// Where in a command the program that it runs stands, with its subcommand.
fn program(command: &str) -> (usize, usize) {
    // What only prepares.
    let mut from = 0;
    if command.starts_with("cd ") {
        from = text::find(command, "&& ").map_or(0, |at| at + 3);
    }
    let bytes = command.as_bytes();
    let (mut end, mut words) = (from, 0);
    for at in from..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'\n');
        if byte == b' ' || byte == b'\n' {
            let run = text::between(command, end, at) == " run";
            (end, words) = (at, words + usize::from(!run));
        }
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b':');
        if words > 1 || !plain {
            break;
        }
    }
    (from, end)
}

/// What an output says in short: all of it, or the last line that tells of trouble and the last one.
fn telling(output: &str) -> String {
    let output = output.trim();
    if output.len() <= EVIDENCE || matches!(output.as_bytes()[0], b'{' | b'[') {
        return text::start(output, EVIDENCE);
    }
    let (mut trouble, mut last) = ("", "");
    for line in output.lines() {
        if log::tells(line) {
            trouble = line;
        }
        if !line.trim().is_empty() {
            last = line;
        }
    }
    let last = text::start(last, EVIDENCE / 2);
    if trouble.is_empty() { last } else { text![text::start(trouble, EVIDENCE), " … ", last] }
}

impl Usage<'_> {
    fn told(self) -> String {
        let mut last = self.last;
        if let Some((failed, output)) = self.result {
            let output = output.to_text();
            let outcome = if output.starts_with(markers::NOTICE) { String::new() } else { telling(&output) };
            last = text![last, " → ", if failed { "failed: " } else { "" }, outcome];
        }
        let failures = if self.failures > 0 { text![", ", self.failures, " failed"] } else { String::new() };
        let line = text!["- ", self.name, " (", self.calls, TIMES, failures, END, last.trim()];
        transcript::escape(&line).replace('\n', " ")
    }
}

/// What stands after the number of calls, and before what is told of the last one.
const TIMES: &str = "×";
const END: &str = "): ";

/// Reads a line that [`Usage::told`] wrote, if it was not cut in the middle.
fn parse_usage<'m>(line: &str) -> Option<Usage<'m>> {
    let line = line.strip_prefix("- ")?;
    let (times, end) = (text::find(line, TIMES)?, text::find(line, END)?);
    let name = text::find(line, " (")?;
    let failures = text::between(line, times + TIMES.len() + 2, end.saturating_sub(" failed".len()));
    Some(Usage {
        name: text::between(line, 0, name).to_owned(),
        calls: text::whole(text::between(line, name + 2, times))? as usize,
        failures: text::whole(failures).unwrap_or(0) as usize,
        last: text::between(line, end + END.len(), line.len()).to_owned(),
        result: None,
    })
}

fn last_words(messages: &[(Content, bool)]) -> Vec<String> {
    let mut newest = Vec::new();
    for (message, _) in messages.iter().rev().filter(|(message, _)| message.role == Role::Assistant) {
        let words = spoken(message);
        if !words.is_empty() && newest.len() < SAID_LAST {
            newest.push(text!["-", words]);
        }
    }
    newest.reverse();
    newest
}
