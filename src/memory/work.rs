//! What a call did: distinguished from others of its tool by the program that it runs or the file that it changes.

use crate::base::text;
use crate::ingest::content::Value;
use crate::memory::file_effects::{self, FileEffects};
use crate::memory::{names, paths, shell};

/// Bytes of a call and of its outcome.
pub(super) const EVIDENCE: usize = 160;

/// A call in short.
pub(super) struct Described {
    /// The tool, with the program or the file.
    pub what: String,
    /// What else it says.
    pub last: String,
    /// It changes a file.
    pub changes: bool,
    /// It writes, and does not say where: into the file that is open.
    pub writes: bool,
    /// What else it does to files.
    pub effects: Option<FileEffects>,
}

impl Described {
    fn change(what: String, last: String) -> Self {
        Self { what, last, changes: true, writes: false, effects: None }
    }
}

/// What of a call only says how it is to be made: how risky it is, how long it may take, which lines are meant.
const MANNER: [&str; 8] = ["risk", "timeout", "description", "offset", "limit", "line", "range", "encoding"];
/// The same where a program is run: in which shell, and how long one waits for it.
const RUNNING: [&str; 9] =
    ["wait", "initial_wait", "mode", "shell", "shellId", "shell_id", "delay", "detach", "is_background"];

/// Whether a tool only lets a model think aloud.
pub(super) fn thinks(name: &str) -> bool {
    ["think", "thinking", "thought", "sequentialthinking"].iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// Whether a tool ends the work.
pub(super) fn finishes(name: &str) -> bool {
    ["finish", "attempt_completion", "task_complete", "final_answer", SUBMIT]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
}

/// The answer that a call gives which ends the work: its longest text. What hands in the work gives none.
pub(super) fn answer<'v>(name: &str, input: &'v Value) -> Option<&'v str> {
    if !concludes(name) {
        return None;
    }
    let mut answer = "";
    names::leaves(input, &mut |text| answer = if text.len() > answer.len() { text } else { answer });
    Some(answer).filter(|answer| !answer.is_empty())
}

/// Whether a tool ends the work with an answer.
pub(super) fn concludes(name: &str) -> bool {
    finishes(name) && name != SUBMIT
}

/// The tool that hands in what was done.
pub(super) const SUBMIT: &str = "submit";

/// Whether a tool keeps the list of what is to be done.
pub(super) fn plans(name: &str) -> bool {
    ["todo", "Todo", "plan"].iter().any(|part| text::find(name, part).is_some())
}

/// A list of what is to be done, as a call holds it: what is open, in its words, then how much is done.
fn todos(input: &Value) -> Option<String> {
    let Value::Object(members) = input else { return None };
    let items = members.iter().find_map(|(_, value)| match value {
        Value::Array(items) if items.iter().all(|item| matches!(item, Value::Object(_))) => Some(items),
        _ => None,
    })?;
    let (mut open, mut done) = (String::new(), 0);
    for item in items {
        let Value::Object(members) = item else { continue };
        let of = |keys: &[&str]| {
            members.iter().find_map(|(key, value)| match value {
                Value::Text(text) if keys.contains(&key.as_str()) => Some(text.as_str()),
                _ => None,
            })
        };
        let status = of(&["status", "state"])?;
        if matches!(status, "completed" | "done" | "cancelled" | "canceled") {
            done += 1;
        } else {
            push(&mut open, "; ");
            open.push_str(&format!("[{status}] {}", of(&["content", "step", "title", "text", "description"])?));
        }
    }
    if done > 0 {
        push(&mut open, "; ");
        open.push_str(&format!("{done} done"));
    }
    Some(open)
}

fn push(out: &mut String, between: &str) {
    if !out.is_empty() {
        out.push_str(between);
    }
}

/// Of what a call says beside what it does it to: the first of it.
const SAYS: usize = 4;

/// What distinguishes a call from others of its tool: the program that it runs, with its subcommand, or the file that it changes.
/// Then what else it says, in short.
pub(super) fn describe(name: &str, input: &Value) -> Described {
    if let Some(list) = todos(input).filter(|_| plans(name)) {
        let last = text::start(&list, 3 * EVIDENCE);
        return Described { what: name.to_owned(), last, changes: false, writes: false, effects: None };
    }
    let arguments = Arguments::of(input);
    // A patch names its files itself.
    let patched = arguments.says.iter().copied().chain([arguments.command]).find_map(patched);
    if patched.is_some() || arguments.writes && !arguments.file.is_empty() {
        changed(name, arguments, patched)
    } else {
        done(name, arguments)
    }
}

/// The arguments of a call, by what they are for.
struct Arguments<'v> {
    file: &'v str,
    command: &'v str,
    /// The text that is replaced.
    old: &'v str,
    /// Some argument is a text that is written.
    writes: bool,
    /// The first of the others.
    says: Vec<&'v str>,
}

impl<'v> Arguments<'v> {
    fn of(input: &'v Value) -> Self {
        let mut all = Self { file: "", command: "", old: "", writes: false, says: Vec::new() };
        let Value::Object(members) = input else {
            names::leaves(input, &mut |text| all.says.push(text));
            return all.brief();
        };
        let runs = members.iter().any(|(key, value)| is_command(key) && matches!(value, Value::Text(_)));
        for (key, value) in members {
            let named = |parts: [&str; 2]| parts.iter().any(|part| text::find(key, part).is_some());
            match value {
                Value::Text(text) if is_command(key) => all.command = text,
                _ if runs && RUNNING.contains(&key.as_str()) => {}
                Value::Text(text) if key.starts_with("old") => all.old = text,
                _ if MANNER.iter().any(|part| text::find(key, part).is_some()) => {}
                Value::Text(text) if names_file(key) && !text.bytes().any(|byte| byte <= b' ') => all.file = text,
                _ => {
                    all.writes |= named(["new", "content"])
                        || named(["edits", "file_text"])
                        || named(["replacement", "replace_"]);
                    names::leaves(value, &mut |text| all.says.push(text));
                }
            }
        }
        all.brief()
    }

    fn brief(mut self) -> Self {
        self.says.retain(|text| !text.trim().is_empty());
        self.says.truncate(SAYS);
        self
    }
}

/// Whether an argument names a file, by its key: that of a text for one does not.
fn names_file(key: &str) -> bool {
    let is_text = ["text", "content", "contents"].iter().any(|end| key.ends_with(end));
    !is_text && ["path", "file"].iter().any(|part| text::find(key, part).is_some())
}

/// A call that changes a file, which it names or its patch does.
fn changed(name: &str, arguments: Arguments<'_>, patched: Option<&str>) -> Described {
    const WAS: &str = " ← was ";
    let Arguments { file, old, writes, mut says, .. } = arguments;
    let shown = paths::shown(patched.unwrap_or(file));
    say_what_was(&mut says, old);
    says.retain(|text| !text.trim().is_empty());
    let what = if shown.is_empty() { name.to_owned() } else { format!("{name} {shown}") };
    if let (Some(_), Some(patch)) = (patched, says.first()) {
        let effects = file_effects::of_patch(patch, &what);
        return Described {
            last: changed_lines(patch),
            what,
            changes: true,
            writes: writes && file.is_empty(),
            effects,
        };
    }
    let says: Vec<&str> = says.into_iter().map(|text| uncommented(text.trim_start())).collect();
    let last = joined(&says, if old.is_empty() { ", " } else { WAS }, &shown);
    Described { what, last, changes: true, writes: writes && file.is_empty(), effects: None }
}

/// Puts the text that was replaced behind the new one, both without the lines with which they begin alike.
fn say_what_was<'v>(says: &mut Vec<&'v str>, old: &'v str) {
    const NOTHING: &str = "nothing";
    if let ([new], false) = (says.as_mut_slice(), old.is_empty()) {
        let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
        let same = text::between(old, 0, text::floor(old, same)).rfind('\n').unwrap_or(0);
        *new = text::between(new, same, new.len());
        says.push(text::between(old, same, old.len()));
    } else if says.is_empty() && !old.trim().is_empty() {
        says.push("");
        says.push(old);
    }
    if let [new, old] = says.as_mut_slice()
        && new.trim().is_empty()
        && !old.trim().is_empty()
    {
        *new = NOTHING;
    }
}

/// A call that runs a command, which may write files as well, or does something else.
fn done(name: &str, arguments: Arguments<'_>) -> Described {
    let Arguments { file, mut command, writes, mut says, .. } = arguments;
    let mut start = shell::prepared(command);
    let rest;
    let wrote = match shell::written(command, start) {
        Some(written) if written.rest.is_empty() => {
            let what = format!("{name} {} {}", written.how, paths::listed(&written.files, EVIDENCE));
            return Described::change(what, text::start(uncommented(written.text.trim()), EVIDENCE));
        }
        // What is written first is often a script that the rest of the command runs.
        Some(written) => {
            rest = written.rest;
            command = &rest;
            start = shell::prepared(command);
            Some(format!("wrote {}", paths::listed(&written.files, EVIDENCE)))
        }
        None => None,
    };
    let mut effects = file_effects::of(command);
    if let Some(effects) = &mut effects {
        effects.what = format!("{name} {}", paths::start(&effects.what, EVIDENCE));
    }
    if let Some(FileEffects { what, alone: true, .. }) = &effects {
        return Described { effects: effects.clone(), ..Described::change(what.clone(), wrote.unwrap_or_default()) };
    }
    let shown = paths::shown(file);
    says.extend(wrote.as_deref());
    if !file.is_empty() {
        says.insert(0, &shown);
    }
    let mut target = String::new();
    let message;
    if !command.is_empty() {
        let command = shell::unpaged(command);
        let (program, end) = shell::program(command, start);
        let arguments = text::between(command, end, command.len()).trim_start_matches([' ', ';', ')']);
        message = commits(&program).then(|| shell::message(&format!(" {arguments}"))).flatten();
        says.insert(0, message.as_deref().unwrap_or(arguments));
        says.retain(|text| !is_said(text, name) && !is_said(text, &program));
        target = program;
    }
    says.retain(|text| !text.trim().is_empty());
    let last = joined(&says, ", ", &shown);
    let what = if target.is_empty() { name.to_owned() } else { format!("{name} {target}") };
    Described { what, last, changes: false, writes: writes && file.is_empty(), effects }
}

/// What a call says, in short. A path that is shown is short anyway.
fn joined(says: &[&str], between: &str, path: &str) -> String {
    let brief = |text: &&str| paths::start(text, if *text == path { EVIDENCE } else { EVIDENCE / says.len() });
    says.iter().map(brief).collect::<Vec<_>>().join(between)
}

/// Whether a member of a call is the command that it runs.
fn is_command(key: &str) -> bool {
    key == "command" || key == "cmd"
}

/// Whether an argument is one word that the line says anyway.
fn is_said(argument: &str, what: &str) -> bool {
    what.split(' ').any(|word| word == argument.trim())
}

/// The file that a patch changes first.
fn patched(patch: &str) -> Option<&str> {
    const STARTS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
    patch.lines().find_map(|line| STARTS.iter().find_map(|start| line.strip_prefix(start))).map(str::trim)
}

/// What a patch changes, in short.
pub(super) fn changed_lines(patch: &str) -> String {
    let changed = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let lines: Vec<&str> = patch.lines().filter(changed).collect();
    text::brief(&text::joined(&lines, " "), EVIDENCE)
}

/// What a file begins with, without the signs of a comment or a heading.
fn uncommented(mut text: &str) -> &str {
    const SIGNS: [&str; 9] = ["/**", "/*", "* ", "// ", "<!--", "# ", "## ", "### ", "\"\"\""];
    let mut at = 0;
    while at < SIGNS.len() {
        if text.starts_with(SIGNS[at]) {
            text = text::between(text, SIGNS[at].len(), text.len()).trim_start();
            at = 0;
        } else {
            at += 1;
        }
    }
    text
}

/// Whether this is a command that only prepares what is done next.
pub(super) fn prepares(what: &str) -> bool {
    text::find(what, " ").is_some_and(|tool| shell::only_prepares(text::between(what, tool + 1, what.len())))
}

/// Whether this keeps changes for good.
pub(super) fn commits(what: &str) -> bool {
    text::find(what, "git commit").is_some()
}

/// The words that name programs by which work is checked, and how the longer ones of them end.
const CHECKS: [&str; 10] = ["test", "tests", "check", "build", "lint", "tsc", "make", "mypy", "clippy", "submit"];
/// The longer ones: other words end like them too, as `latest` does.
const LONGER: [&str; 24] = [
    "pytest",
    "vitest",
    "nextest",
    "unittest",
    "unittests",
    "doctest",
    "ctest",
    "nosetests",
    "pretest",
    "autotest",
    "cmake",
    "eslint",
    "tslint",
    "pylint",
    "stylelint",
    "oxlint",
    "golint",
    "typecheck",
    "shellcheck",
    "cppcheck",
    "rebuild",
    "prebuild",
    "esbuild",
    "xcodebuild",
];

/// Whether this is how work is checked.
pub(super) fn checks(what: &str) -> bool {
    let ends_in = |word: &[u8], check: &str| word.last() == check.as_bytes().last() && word.ends_with(check.as_bytes());
    let is_check = |word: &[u8], check: &str| {
        ends_in(word, check) && (word.len() == check.len() || LONGER.iter().any(|one| one.as_bytes() == word))
    };
    let mut words = what.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
    // Files have points in their names.
    !what.contains('.') && words.any(|word| CHECKS.iter().any(|check| is_check(word, check)))
}

/// Whether this makes a new file: by a tool that is named so, or by `cat >`.
pub(super) fn creates(what: &str) -> bool {
    let (tool, rest) = what.split_once(' ').unwrap_or((what, ""));
    let tool = tool.to_ascii_lowercase();
    ["write", "create"].iter().any(|how| tool.contains(how) || rest.starts_with(&format!("{how} ")))
        || rest.starts_with("cat > ")
}
