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
    /// It writes, and does not say where: into the file that is open.
    pub writes: bool,
}

/// What of a call only says how it is to be made: how risky it is, how long it may take, which lines are meant.
const MANNER: [&str; 8] = ["risk", "timeout", "description", "offset", "limit", "line", "range", "encoding"];

/// Whether a tool only lets a model think aloud.
pub(super) fn thinks(name: &str) -> bool {
    ["think", "thinking", "thought", "sequentialthinking"].iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// Whether a tool ends the work: its longest text is the answer.
pub(super) fn finishes(name: &str) -> bool {
    ["finish", "attempt_completion", "task_complete", "final_answer", "submit"]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
}

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

/// What tells a call from others of its tool: the program that it runs, with its subcommand, or the file that it changes.
/// Then what else it says, in short.
pub(super) fn told(name: &str, input: &Value) -> Told {
    /// Of what a call says beside that: the first of it.
    const SAYS: usize = 4;
    const WAS: &str = " ← was ";
    if let Some(list) = todos(input).filter(|_| plans(name)) {
        return Told { what: name.to_owned(), last: text::start(&list, 3 * EVIDENCE), changes: false, writes: false };
    }
    let (mut file, mut command, mut old, mut writes, mut says) = ("", "", "", false, Vec::<&str>::new());
    if let Value::Object(members) = input {
        for (key, value) in members {
            let named = |parts: [&str; 2]| parts.iter().any(|part| text::find(key, part).is_some());
            match value {
                Value::Text(text) if key == "command" || key == "cmd" => command = text,
                Value::Text(text) if key.starts_with("old") => old = text,
                _ if MANNER.iter().any(|part| text::find(key, part).is_some()) => {}
                Value::Text(text) if named(["path", "file"]) && !text.bytes().any(|byte| byte <= b' ') => file = text,
                _ => {
                    writes |= named(["new", "content"])
                        || named(["edits", "file_text"])
                        || named(["replacement", "replace_"]);
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
            last.push_str(if changes && !old.is_empty() { WAS } else { ", " });
        }
        last.push_str(&text::start(text, EVIDENCE / says.len()));
    }
    if let (Some(_), Some(patch)) = (patched, says.first()) {
        last = changed_lines(patch);
    }
    let what = if target.is_empty() { name.to_owned() } else { format!("{name} {target}") };
    Told { what, last, changes, writes: writes && file.is_empty() }
}

/// The file that an output shows.
pub(super) fn shown(output: &str) -> Option<&str> {
    let from = text::find(output, "[File: ")? + "[File: ".len();
    let rest = text::between(output, from, output.len());
    text::find(rest, " (").map(|end| tail(text::between(rest, 0, end)))
}

/// A change that an assistant without tools wrote: the file, what stood there, what stands there now.
pub(super) type Edit<'t> = (&'t str, &'t str, &'t str);

/// The changes that an assistant without tools wrote into its words, as blocks of what to look for and what to put there.
pub(super) fn edits(said: &str) -> Vec<Edit<'_>> {
    const MOST: usize = 16;
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(at) = text::find(text::between(said, from, said.len()), "<<<<<<< SEARCH\n").map(|at| from + at) {
        let body = at + "<<<<<<< SEARCH\n".len();
        let rest = text::between(said, body, said.len());
        let (Some(middle), Some(end)) = (text::find(rest, "=======\n"), text::find(rest, ">>>>>>> REPLACE")) else {
            break;
        };
        let (new, next) = (middle + "=======\n".len(), body + end);
        // The line above the fence names the file.
        let above = text::between(said, 0, at).lines().rev().map(str::trim);
        let file = above.filter(|line| !line.starts_with("```")).find(|line| !line.is_empty()).unwrap_or_default();
        if end < new || file.is_empty() || file.contains(' ') || all.len() == MOST {
            break;
        }
        all.push((file, text::between(rest, 0, middle), text::between(rest, new, end)));
        from = next;
    }
    all
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
    text::start(&spaced(&text::joined(&lines, " ")), EVIDENCE)
}

/// A text in which one space is all that stands between two words.
pub(super) fn spaced(text: &str) -> String {
    text::joined(&text.split_whitespace().collect::<Vec<_>>(), " ")
}

/// The start of a text in at most `bytes`, with one blank between its words. Reads no more of it than that takes.
pub(super) fn brief(text: &str, bytes: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > bytes {
            break;
        }
    }
    text::start(&out, bytes)
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
    let prepares = |rest: &str| ["cd ", "pwd && ", "git add "].iter().any(|start| rest.starts_with(start));
    while prepares(text::between(command, from, command.len()).trim_start()) {
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
pub(super) fn outcome(what: &str, output: &Value) -> Option<String> {
    records::line(output, EVIDENCE).or_else(|| outcome_of(what, &output.to_text()))
}

/// Whether an activity only looks at something: what it shows says more in how it begins than in its last line.
fn looks(what: &str) -> bool {
    const LOOKS: [&str; 13] =
        ["read", "view", "open", "cat", "ls", "find", "grep", "rg", "glob", "search", "list", "head", "file"];
    what.split(|char: char| !char.is_ascii_alphanumeric())
        .take(4)
        .any(|word| LOOKS.iter().any(|one| word.eq_ignore_ascii_case(one)))
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
    u32::from(log::tells(line))
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
        last = line;
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

/// Words without the sentences at their beginning that only say that something is going to be said.
pub(super) fn substance(words: &str) -> &str {
    const FILLERS: [&str; 16] = [
        "Certainly",
        "Sure",
        "Of course",
        "Great",
        "Good ",
        "Perfect",
        "Okay",
        "No problem",
        "Absolutely",
        "Thank you",
        "I apologize",
        "I'm sorry",
        "Let me ",
        "Now I ",
        "Now let",
        "You're right",
    ];
    let mut rest = words.trim();
    while FILLERS.iter().any(|filler| rest.starts_with(filler)) {
        let ends = |(at, char): &(usize, char)| {
            matches!(char, '.' | '!' | ':') && text::between(rest, at + 1, rest.len()).starts_with([' ', '\n'])
        };
        let Some((end, _)) = rest.char_indices().find(ends) else { break };
        rest = text::between(rest, end + 1, rest.len()).trim_start();
    }
    if rest.is_empty() { words } else { rest }
}

/// The command that an assistant without tools wrote: what it said before, and the last block of code in its words.
pub(super) fn written(said: &str) -> Option<(&str, &str)> {
    let end = said.trim_end().strip_suffix("```")?;
    let from = end.rfind("```")?;
    let block = text::between(end, from + 3, end.len());
    let body = block.split_once('\n').map_or(block, |(_, body)| body).trim();
    (!body.is_empty()).then_some((text::between(end, 0, from).trim(), body))
}

/// Whether a message is what a program printed, handed on to an assistant that has no tools: recognized by its frame.
/// `acted`: the assistant has just written what is to be done.
pub(super) fn is_printed(said: &str, acted: bool) -> bool {
    const STARTS: [&str; 15] = [
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
        "File updated. ",
        "Applied edit to ",
        "# Fix any errors below",
        "The LLM did not conform to the edit format",
        "# 1 SEARCH/REPLACE block failed",
    ];
    let said = said.trim();
    let is_frame = |line: &str| STARTS.iter().any(|start| line.starts_with(start));
    is_frame(said) || is_prompt(said) || acted && said.lines().any(is_frame)
}

/// A text in which the tags are left out that stand around a line.
pub(super) fn untagged(text: &str) -> String {
    let plain = |line: &str| {
        let inner = line.trim().strip_prefix('<').and_then(|line| line.strip_suffix('>'));
        let parts = inner.and_then(|inner| Some((text::find(inner, ">")?, inner.rfind("</")?)));
        match (inner, parts) {
            (Some(inner), Some((from, to))) if from < to => text::between(inner, from + 1, to).to_owned(),
            _ => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.lines().map(plain).collect();
    text::joined(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "\n")
}

/// The prompt of a shell that ends what a program printed, and the first request of an agent that has one.
const PROMPT: &str = "bash-$";

/// Whether a text ends with the prompt of a shell.
fn is_prompt(said: &str) -> bool {
    said.ends_with(PROMPT)
}

/// A text without the prompt of a shell at its end.
pub(super) fn without_prompt(said: &str) -> &str {
    let Some(rest) = said.trim_end().strip_suffix(PROMPT) else { return said };
    let at = text::find(rest, "\n(Open file: ").or_else(|| text::find(rest, "\n(Current directory: "));
    text::between(rest, 0, at.unwrap_or(rest.len())).trim_end()
}
