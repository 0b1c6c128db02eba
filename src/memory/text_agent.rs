//! Assistants without tools: the edits that they write into their words, and what programs print to them.

use crate::base::text::{self, Starts};
use crate::ingest::{pasted_json, printed};

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
        let file = above.filter(|line| !line.starts_with(['`', '<'])).find(|line| !line.is_empty()).unwrap_or_default();
        if end < new || file.is_empty() || file.contains(' ') || all.len() == MOST {
            break;
        }
        all.push((file, text::between(rest, 0, middle), text::between(rest, new, end)));
        from = next;
    }
    all
}

/// Whether a message is what a program printed, handed on to an assistant that has no tools: recognized by its frame.
/// `acted`: the assistant has just written what is to be done.
pub(super) fn is_printed(said: &str, acted: bool) -> bool {
    let said = said.trim();
    is_frame(said) || is_prompt(said) || acted && said.lines().any(is_frame)
}

/// Whether a line begins what a program printed, or how an agent frames it.
fn is_frame(line: &str) -> bool {
    static STARTS: Starts<15> = Starts::new([
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
    ]);
    STARTS.begin(line)
}

/// Bytes of pasted JSON that are shown.
const JSON_BYTES: usize = 80;

/// What a person asks for in a text: its lines without empty ones, those that a program printed, the rest of long JSON,
/// and the prompt of a shell at its end. All of a text that is nothing but a paste; nothing of one that an agent alone wrote.
pub(super) fn request(text: &str) -> String {
    let whole = without_prompt(text);
    let shortened = pasted_json::shortened(whole, JSON_BYTES);
    // Of nothing but JSON the beginning is not enough.
    let text = if shortened.trim_start().starts_with(['{', '[']) { whole } else { &shortened };
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && !is_agents(line)).collect();
    if lines.is_empty() {
        return String::new();
    }
    lines.retain(|line| !printed::is_printed(line.trim()));
    if lines.is_empty() { text.to_owned() } else { text::joined(&lines, "\n") }
}

/// Whether an agent wrote a line beside what was typed: what frames an output, its banner, what it says of a turn.
pub(super) fn is_agents(line: &str) -> bool {
    /// How a line begins, and what it holds besides: a person may begin one with the same word.
    const REMARKS: [(&str, &str); 11] = [
        ("Aider v", "."),
        ("Model: ", " edit format"),
        ("Models: ", " edit format"),
        ("Git repo: ", " files"),
        ("Repo-map: ", "using "),
        ("Caveat: The messages below ", "local commands"),
        (REPORT, " received"),
        ("Use /help <question>", "help"),
        ("You can use /undo", " commit "),
        ("^C again", "exit"),
        ("^C ", "Interrupt"),
    ];
    let line = line.trim();
    let is_remark = |(start, part): &(&str, &str)| line.starts_with(start) && text::find(line, part).is_some();
    is_frame(line) || REMARKS.iter().any(is_remark) || is_aider_line(line)
}

/// Whether a line starts aider, says which files it is to know and what it is to forget, or that it does.
fn is_aider_line(line: &str) -> bool {
    const ALONE: [&str; 6] = ["/clear", "/reset", "/undo", "/drop", "Git repo: none", "Repo-map: disabled"];
    const FILES: [&str; 3] = ["/add", "/drop", "/read-only"];
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_file = |word: &str| word.contains(['.', '/', '*']);
    let are_files = |words: &str| !words.is_empty() && words.split_whitespace().all(is_file);
    let reported = match first {
        "Added" => rest.strip_suffix(" to the chat").or_else(|| rest.strip_suffix(" to the chat.")),
        "Removed" => rest.strip_suffix(" from the chat").or_else(|| rest.strip_suffix(" from the chat.")),
        _ => None,
    };
    let starts = || rest.split(' ').next().is_none_or(|word| word.is_empty() || word.starts_with('-') || is_file(word));
    ALONE.contains(&line)
        || FILES.contains(&first) && are_files(rest)
        || reported.is_some_and(are_files)
        || first.ends_with("/bin/aider") && starts()
}

/// How the report of an agent on its last turn begins.
const REPORT: &str = "Tokens: ";

/// What a person typed behind the report of an agent on its last turn; all of a text without one.
pub(super) fn behind_report(text: &str) -> &str {
    /// Commands of the agent that say nothing of what is wanted.
    const ADDS: [&str; 2] = ["/add ", "/drop "];
    /// Bytes of the longest text that counts as typed: output of a program stands there, too.
    const TYPED: usize = 600;
    if !text.trim_start().starts_with(REPORT) {
        return text;
    }
    let mut paragraphs = text.trim_start().splitn(2, "\n\n");
    let (report, mut rest) = (paragraphs.next().unwrap_or_default(), paragraphs.next().unwrap_or_default().trim());
    let is_report = report.lines().all(|line| is_agents(line) || is_commit(line));
    while ADDS.iter().any(|add| rest.starts_with(add)) {
        rest = rest.split_once("\n\n").map_or("", |(_, next)| next.trim_start());
    }
    let is_typed = !rest.is_empty() && rest.len() <= TYPED && !rest.starts_with(['#', '/']);
    if is_report && is_typed { rest } else { text }
}

/// Whether an agent reports with a line that it committed something: `Commit b272bcc feat: …`.
fn is_commit(line: &str) -> bool {
    let hash = line.strip_prefix("Commit ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A text in which the tags are left out that stand around a line, or alone on the lines around others.
pub(super) fn untagged(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(untagged_line).collect();
    if let [first, .., last] = lines.as_slice() {
        let opens = first.trim().strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
        let closes = last.trim().strip_prefix("</").and_then(|tag| tag.strip_suffix('>'));
        // Code that was pasted has such lines as well.
        let is_words = |tag: &str| tag.contains(['_', '-']);
        if opens.is_some_and(is_words) && opens == closes {
            lines.pop();
            lines.remove(0);
        }
    }
    text::joined(&lines, "\n")
}

/// A line without the tags that stand around it.
fn untagged_line(line: &str) -> &str {
    let inner = line.trim().strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    let parts = inner.and_then(|inner| Some((inner, text::find(inner, ">")?, inner.rfind("</")?)));
    match parts {
        Some((inner, from, to)) if from < to => text::between(inner, from + 1, to),
        _ => line,
    }
}

/// The prompt of a shell that ends what a program printed, and the first request of an agent that has one.
const PROMPT: &str = "bash-$";

/// Whether a text ends with the prompt of a shell.
fn is_prompt(said: &str) -> bool {
    said.ends_with(PROMPT)
}

/// A text without the prompt of a shell at its end.
fn without_prompt(said: &str) -> &str {
    let Some(rest) = said.trim_end().strip_suffix(PROMPT) else { return said };
    let at = text::find(rest, "\n(Open file: ").or_else(|| text::find(rest, "\n(Current directory: "));
    text::between(rest, 0, at.unwrap_or(rest.len())).trim_end()
}
