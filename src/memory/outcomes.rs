//! What came of a call: what an output says in short, without the frames that tools put around it.

use crate::base::{markers, text};
use crate::ingest::content::Value;
use crate::memory::records;
use crate::memory::work::{self, EVIDENCE, changed_lines, tail};
use crate::shorten::log;

/// The file that an output shows.
pub(super) fn shown(output: &str) -> Option<&str> {
    let from = text::find(output, "[File: ")? + "[File: ".len();
    let rest = text::between(output, from, output.len());
    text::find(rest, " (").map(|end| tail(text::between(rest, 0, end)))
}

/// What an output says in short: the record that it is, or what its text says.
pub(super) fn outcome(what: &str, output: &Value) -> Option<String> {
    records::line(output, EVIDENCE).or_else(|| outcome_of(what, &output.to_text()))
}

/// What a text says in short: all of it, or the line that reports trouble last and the last one; how it begins where
/// something was only looked at.
pub(super) fn outcome_of(what: &str, text: &str) -> Option<String> {
    if text.starts_with(markers::NOTICE) {
        return None;
    }
    let (mut trouble, mut last, mut length, mut count, mut code) = ("", "", 0, 0, None);
    if text::find(text, "\ndiff --git ").is_some() || text.starts_with("diff --git ") {
        return Some(changed_lines(text));
    }
    if work::commits(what)
        && let Some(mark) = text.lines().find_map(|line| committed(line.trim()))
    {
        return Some(mark.to_owned());
    }
    let (mut heaviest, mut lines, mut aside) = (1, Vec::<&str>::new(), false);
    for line in text.lines() {
        // What a program puts beside it for the model is no part of it.
        aside = match line.trim() {
            "<system-reminder>" => true,
            "</system-reminder>" => false,
            _ => aside,
        };
        let line = if aside { "" } else { unnumbered(unframed(line.trim())) };
        if let Some(rest) = line.strip_prefix("<returncode>") {
            code = rest.split('<').next().filter(|&code| code != "0");
            continue;
        }
        if line.is_empty() || is_tag(line) {
            continue;
        }
        length += line.len() + 1;
        if length < 2 * EVIDENCE {
            lines.push(line);
        }
        count += 1;
        let weight = weight(line);
        if weight >= heaviest {
            (trouble, heaviest) = (line, weight);
        }
        // A bracket that closes says nothing.
        if line.len() > BRACKETS || line.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80) {
            last = line;
        }
    }
    let mut out = String::new();
    if let Some(code) = code {
        out.push_str("exit ");
        out.push_str(code);
        out.push_str(": ");
    }
    if length <= EVIDENCE {
        out.push_str(&text::joined(&lines, " "));
    } else if looks(what) && heaviest < 2 {
        if lines.is_empty() {
            lines.push(last);
        }
        out.push_str(&text::start(&text::joined(&lines, " "), EVIDENCE));
        if count > 1 {
            out.push_str(&format!(" ({count} lines)"));
        }
    } else if trouble.is_empty() || trouble == last {
        out.push_str(&text::start(without_folders(last), EVIDENCE));
    } else {
        out.push_str(&text::start(without_folders(trouble), EVIDENCE));
        // The last line may sum up what is above it.
        if heaviest < 2 || last.len() < EVIDENCE / 2 && last.bytes().any(|byte| byte.is_ascii_digit()) {
            out.push_str(" … ");
            out.push_str(&text::start(last, EVIDENCE / 2));
        }
    }
    Some(if out.is_empty() { "ok".to_owned() } else { text::start(&out, 2 * EVIDENCE) })
}

/// Bytes of brackets that close a piece of code: `}),`, `});`.
const BRACKETS: usize = 4;

/// What git calls a commit: `[main 1a2b3c4]`.
fn committed(line: &str) -> Option<&str> {
    const LEAST: usize = 7;
    if !line.starts_with('[') {
        return None;
    }
    let end = text::find(line, "]")?;
    let digits = line.as_bytes()[..end].iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_hash = digits >= LEAST && line.as_bytes()[end - digits - 1] == b' ';
    is_hash.then(|| text::between(line, 0, end + 1))
}

/// Whether an activity only looks at something: what it shows says more in how it begins than in its last line.
fn looks(what: &str) -> bool {
    const LOOKS: [&str; 14] =
        ["read", "view", "open", "cat", "ls", "find", "grep", "rg", "glob", "search", "list", "head", "tail", "file"];
    what.split(|char: char| !char.is_ascii_alphanumeric())
        .take(4)
        .any(|word| LOOKS.iter().any(|one| word.eq_ignore_ascii_case(one)))
}

/// How much a line says of what came of something: 3 an error, 2 a verdict, 1 it speaks of trouble, 0 neither.
fn weight(line: &str) -> u32 {
    const ERRORS: [&str; 4] = ["rror: ", "rror TS", "xception: ", "Ran into "];
    const VERDICTS: [&str; 4] = ["FAILED", " passed", " failed", "test result"];
    let says = |parts: &[&str]| parts.iter().any(|part| text::find(line, part).is_some());
    // Code speaks of errors that nobody met.
    if line.ends_with([';', '{', '(']) {
        return 0;
    }
    if is_complaint(line) || says(&ERRORS) {
        return 3;
    }
    if says(&VERDICTS) {
        return 2;
    }
    u32::from(log::reports_trouble(line))
}

/// What a compiler says of a place, without the folders of its file.
fn without_folders(line: &str) -> &str {
    let end = text::find(line, " ").unwrap_or(0);
    let slash = text::between(line, 0, end).rfind('/').filter(|_| end > 0 && line.as_bytes()[end - 1] == b':');
    text::between(line, slash.map_or(0, |slash| slash + 1), line.len())
}

/// Whether a line is what a compiler or a linter says of a place: a file, a line, a column.
fn is_complaint(line: &str) -> bool {
    let mut parts = line.split(':').skip(1);
    let is_number = |part: Option<&str>| part.is_some_and(|part| text::whole(part).is_some());
    is_number(parts.next()) && is_number(parts.next()) && parts.next().is_some_and(|rest| rest.starts_with(' '))
}

/// Whether what a tool returned after a change complains of it.
pub(super) fn complains(output: &str) -> bool {
    output.lines().any(|line| is_complaint(line.trim()))
}

/// Whether what a tool returned says that it failed, where nothing else does: an error is all of it, or how it begins.
pub(super) fn is_failure(output: &str) -> bool {
    const STARTS: [&str; 9] = [
        "Error",
        "error",
        "ERROR",
        "Ran into ",
        "Invalid ",
        "Your proposed edit has introduced",
        "Traceback",
        "Failed",
        "fatal:",
    ];
    let output = output.trim_start();
    STARTS.iter().any(|start| output.starts_with(start)) || text::find(output, "failed to match").is_some()
}

/// A line without the number that a tool put before it.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let marked = rest
        .strip_prefix('→')
        .or_else(|| rest.strip_prefix('\t'))
        .or_else(|| rest.strip_prefix(':').filter(|text| !text.starts_with(|char: char| char.is_ascii_digit())));
    marked.filter(|_| rest.len() < line.len()).map_or(line, str::trim)
}

/// Whether a line is nothing but a tag.
fn is_tag(line: &str) -> bool {
    line.starts_with('<') && text::find(line, ">") == Some(line.len() - 1)
}

/// A line without what only frames an output; empty if it is nothing else.
fn unframed(line: &str) -> &str {
    const FRAMES: [&str; 4] = ["<output>", "</output>", "bash-$", "```"];
    const STARTS: [&str; 15] = [
        "(Open file: ",
        "(Current directory: ",
        "[Current working directory: ",
        "[Python interpreter: ",
        "[Command finished with exit code 0",
        "[The command completed with exit code 0",
        "[File: ",
        "File updated. Please review the changes",
        "(correct indentation, no duplicate lines",
        "Here's the result of running `cat -n`",
        "Your command ran successfully and did not produce any output",
        "///PROCESS-DONE",
        "(no output)",
        "npm error",
        "npm ERR!",
    ];
    if FRAMES.contains(&line) || STARTS.iter().any(|start| line.starts_with(start)) || is_echo(line) || is_more(line) {
        return "";
    }
    let line = line.strip_suffix("///PROCESS-DONE:0:PROCESS-DONE///").unwrap_or(line);
    let inner = line.strip_prefix("<system-reminder>").unwrap_or(line);
    inner.strip_suffix("</system-reminder>").unwrap_or(inner)
}

/// Whether a line says how many more there are in a file.
fn is_more(line: &str) -> bool {
    line.ends_with(" more lines above)") || line.ends_with(" more lines below)")
}

/// Whether a line is what a package manager prints of the command that it runs.
fn is_echo(line: &str) -> bool {
    line.strip_prefix("> ")
        .is_some_and(|command| command.starts_with(|char: char| char.is_ascii_lowercase() || char == '@'))
}
