//! What was done: a call told apart from others of its tool by the program that it runs or the file that it changes, and
//! what came of it, without the frames that tools put around it.

use crate::base::{markers, text};
use crate::ingest::content::Value;
use crate::memory::{names, records};
use crate::shorten::log;

/// Bytes of a call and of its outcome.
pub(super) const EVIDENCE: usize = 160;

/// A call in short.
pub(super) struct Told {
    /// The tool, with the program or the file.
    pub what: String,
    /// What else it says.
    pub last: String,
    /// It changes a file.
    pub changes: bool,
}

/// What tells a call from others of its tool: the program that it runs, with its subcommand, or the file that it changes.
/// Then what else it says, in short.
pub(super) fn told(name: &str, input: &Value) -> Told {
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
                    names::leaves(value, &mut |text| says.push(text));
                }
            }
        }
    } else {
        names::leaves(input, &mut |text| says.push(text));
    }
    says.retain(|text| !text.trim().is_empty());
    says.truncate(SAYS);
    // A patch names its files itself.
    let patched = says.iter().copied().chain([command]).find_map(patched);
    let changes = writes && !file.is_empty() || patched.is_some();
    let mut target = "";
    if changes {
        target = tail(patched.unwrap_or(file));
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
    let mut last = String::new();
    for text in &says {
        if !last.is_empty() {
            last.push_str(if changes { WAS } else { ", " });
        }
        last.push_str(&text::start(text, EVIDENCE / says.len()));
    }
    if let (Some(_), Some(patch)) = (patched, says.first()) {
        last = changed_lines(patch);
    }
    let what = if target.is_empty() { name.to_owned() } else { format!("{name} {target}") };
    Told { what, last, changes }
}

/// The file that a patch changes first.
fn patched(patch: &str) -> Option<&str> {
    const STARTS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
    patch.lines().find_map(|line| STARTS.iter().find_map(|start| line.strip_prefix(start))).map(str::trim)
}

/// What a patch changes, in short.
fn changed_lines(patch: &str) -> String {
    let changed = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let lines: Vec<&str> = patch.lines().filter(changed).collect();
    text::start(&text::joined(&lines, " "), EVIDENCE)
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
    while text::between(command, from, command.len()).trim_start().starts_with("cd ") {
        let rest = text::between(command, from, command.len());
        let Some(next) = text::find(rest, "&& ").map(|at| at + 3).or_else(|| text::find(rest, "\n").map(|at| at + 1))
        else {
            break;
        };
        from += next;
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

/// How the words end that name programs by which work is checked.
const CHECKS: [&str; 10] = ["test", "tests", "check", "build", "lint", "tsc", "make", "mypy", "clippy", "submit"];

/// Whether this is how work is checked.
pub(super) fn checks(what: &str) -> bool {
    let name = what.as_bytes();
    // Files have points in their names.
    !name.contains(&b'.')
        && (1..=name.len()).any(|end| {
            !name.get(end).is_some_and(u8::is_ascii_alphanumeric)
                && CHECKS.iter().any(|check| name[..end].ends_with(check.as_bytes()))
        })
}

/// What an output says in short: the record that it is, or what its text says.
pub(super) fn outcome(output: &Value) -> Option<String> {
    records::line(output, EVIDENCE).or_else(|| outcome_of(&output.to_text()))
}

/// What a text says in short: all of it, or the line that reports trouble last and the last one.
pub(super) fn outcome_of(text: &str) -> Option<String> {
    if text.starts_with(markers::NOTICE) {
        return None;
    }
    let (mut trouble, mut last, mut length, mut code) = ("", "", 0, None);
    for line in text.lines() {
        let line = unframed(line.trim());
        if let Some(rest) = line.strip_prefix("<returncode>") {
            code = rest.split('<').next().filter(|&code| code != "0");
            continue;
        }
        if line.is_empty() {
            continue;
        }
        length += line.len() + 1;
        if log::tells(line) {
            trouble = line;
        }
        last = line;
    }
    let mut out = String::new();
    if let Some(code) = code {
        out.push_str("exit ");
        out.push_str(code);
        out.push_str(": ");
    }
    if length <= EVIDENCE {
        let lines: Vec<&str> = text
            .lines()
            .map(|line| unframed(line.trim()))
            .filter(|line| !line.is_empty() && !line.starts_with('<'))
            .collect();
        out.push_str(&text::joined(&lines, " "));
    } else if trouble.is_empty() || trouble == last {
        out.push_str(&text::start(last, EVIDENCE));
    } else {
        out.push_str(&text::start(trouble, EVIDENCE));
        out.push_str(" … ");
        out.push_str(&text::start(last, EVIDENCE / 2));
    }
    Some(if out.is_empty() { "ok".to_owned() } else { text::start(&out, 2 * EVIDENCE) })
}

/// A line without what only frames an output; empty if it is nothing else.
fn unframed(line: &str) -> &str {
    const FRAMES: [&str; 6] = ["<output>", "</output>", "(Open file: ", "(Current directory: ", "bash-$", "```"];
    if FRAMES.iter().any(|frame| line == *frame || frame.starts_with('(') && line.starts_with(frame)) {
        ""
    } else {
        line
    }
}

/// The command that an assistant without tools wrote: the last block of code in its words.
pub(super) fn written(said: &str) -> Option<&str> {
    let end = said.trim_end().strip_suffix("```")?;
    let from = end.rfind("```")? + 3;
    let block = text::between(end, from, end.len());
    let body = block.split_once('\n').map_or(block, |(_, body)| body).trim();
    (!body.is_empty()).then_some(body)
}

/// Whether a message is what a program printed, handed on to an assistant that has no tools: recognized by its frame.
pub(super) fn is_printed(said: &str) -> bool {
    const STARTS: [&str; 10] = [
        "<returncode>",
        "<output>",
        "<warning>",
        "OBSERVATION",
        "Observation:",
        "EXECUTION RESULT",
        "[File: ",
        "Exit code",
        "Your command ran",
        "Your proposed edit",
    ];
    let said = said.trim();
    STARTS.iter().any(|start| said.starts_with(start)) || said.ends_with("bash-$")
}
