//! What came of a call: what an output says in short, without the frames that tools put around it.

use crate::base::distinct::Distinct;
use crate::base::{markers, text};
use crate::ingest::content::Value;
use crate::memory::work::{self, EVIDENCE, changed_lines};
use crate::memory::{Activity, closed, exits, paths, records};
use crate::shorten::log;

/// The file that an output shows.
pub(super) fn shown(output: &str) -> Option<String> {
    let from = text::find(output, "[File: ")? + "[File: ".len();
    let rest = text::between(output, from, output.len());
    text::find(rest, " (").map(|end| paths::shown(text::between(rest, 0, end)))
}

/// What an output says in short: the record that it is, or what its text says.
pub(super) fn outcome(one: &Activity, output: &Value) -> Option<String> {
    records::line(output, EVIDENCE).or_else(|| outcome_of(one, &output.to_text()))
}

/// Two words with a colon between them, if the second one says anything.
pub(super) fn behind(start: &str, shown: &str) -> String {
    if shown.is_empty() { start.to_owned() } else { format!("{start}: {shown}") }
}

/// What of an output is read.
#[derive(Default)]
struct Lines<'t> {
    /// The first of them.
    first: Vec<&'t str>,
    bytes: usize,
    count: usize,
    /// The last one of those that report trouble most clearly, and how clearly it does.
    trouble: &'t str,
    weight: u32,
    /// The last one that says something.
    last: &'t str,
    code: Option<&'t str>,
}

impl<'t> Lines<'t> {
    /// `code`: what of a line is the code with which a program ended.
    fn of(text: &'t str, numbered: bool, code: fn(&str) -> Option<&str>) -> Self {
        let mut out = Self { weight: 1, ..Self::default() };
        let (mut aside, mut traced, mut known) = (false, false, Distinct::default());
        for raw in text.lines() {
            // What a program puts beside it for the model is no part of it.
            aside = match raw.trim() {
                "<system-reminder>" => true,
                "</system-reminder>" => false,
                _ => aside,
            };
            if let Some(code) = code(raw.trim()) {
                out.code = Some(code).filter(|&code| code != "0").or(out.code);
                continue;
            }
            let line = if aside { "" } else { unframed(raw.trim()) };
            let line = if numbered { line } else { unnumbered(line) };
            if line.is_empty() || is_tag(line) {
                continue;
            }
            out.bytes += line.len() + 1;
            if out.bytes < 2 * EVIDENCE {
                out.first.push(line);
            }
            out.count += 1;
            // What a traceback shows of the code is not what went wrong: that stands in the line behind it.
            traced = line.starts_with(TRACEBACK) || traced && (raw.starts_with([' ', '\t']) || is_chained(line));
            if traced && line != TRACEBACK {
                continue;
            }
            let weight = if traced { ERROR } else { weight(line) };
            if weight >= out.weight {
                (out.trouble, out.weight) = (line, weight);
            }
            // A lone word that stood there before says nothing.
            let is_repeated = !line.contains(' ') && !known.number(line).1;
            if is_telling(line) && !is_repeated {
                out.last = line;
            }
        }
        out
    }
}

/// What a text says in short: all of it, or the line that reports trouble last and the last one; how it begins where
/// something was only looked at.
pub(super) fn outcome_of(one: &Activity, text: &str) -> Option<String> {
    if text.starts_with(markers::NOTICE) {
        return None;
    }
    if text::find(text, "\ndiff --git ").is_some() || text.starts_with("diff --git ") {
        return Some(changed_lines(text));
    }
    if work::commits(&one.what)
        && let Some(mark) = commit_of(text)
    {
        return Some(mark.to_owned());
    }
    let code = if looks(one) { exits::framed } else { exits::code };
    let lines = Lines::of(text, searches(&one.what), code);
    let mut out = String::new();
    let shows = looks(one) && lines.code.is_none() && !has_failed(one, text);
    if exits::is_usage(text) {
        out.push_str(&text::start(lines.first.first().copied().unwrap_or_default(), EVIDENCE));
    } else if lines.bytes <= EVIDENCE {
        if lines.count == 0 || lines.first.iter().any(|line| is_telling(line)) {
            out.push_str(&text::joined(&lines.first, " "));
        }
        if lines.count > 0 && out.is_empty() && lines.code.is_none() {
            return None;
        }
    } else if shows {
        let first = if lines.first.is_empty() { vec![lines.last] } else { lines.first };
        out.push_str(&text::start(&text::joined(&first, " "), EVIDENCE));
        if lines.count > 1 {
            out.push_str(&format!(" ({} lines)", lines.count));
        }
    } else if lines.trouble.is_empty() || lines.trouble == lines.last {
        if lines.last.is_empty() && lines.code.is_none() {
            return None;
        }
        out.push_str(&text::start(without_folders(lines.last), EVIDENCE));
    } else {
        out.push_str(&text::start(without_folders(lines.trouble), EVIDENCE));
        // The last line may sum up what is above it.
        let sums_up = lines.last.len() < EVIDENCE / 2 && lines.last.bytes().any(|byte| byte.is_ascii_digit());
        if !lines.last.is_empty() && (lines.weight < 2 || sums_up) {
            out.push_str(" … ");
            out.push_str(&text::start(lines.last, EVIDENCE / 2));
        }
    }
    let out = text::start(&out, 2 * EVIDENCE);
    Some(match lines.code {
        Some(code) => behind(&format!("{}{code}", exits::EXIT), &out),
        None if out.is_empty() => "ok".to_owned(),
        None => out,
    })
}

/// Whether a line says anything: it holds a number or more than one letter, or says that there is nothing.
fn is_telling(line: &str) -> bool {
    if ["{}", "[]", "()", "\"\"", "''"].contains(&line) {
        return true;
    }
    let letters = line.chars().filter(|char| char.is_alphabetic()).take(2).count();
    letters > 1 || line.bytes().any(|byte| byte.is_ascii_digit()) || line.chars().any(|char| char > '\u{2fff}')
}

/// The commit that an output of git says was made.
pub(super) fn commit_of(output: &str) -> Option<&str> {
    output.lines().find_map(|line| committed(line.trim()))
}

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

/// What runs programs, as a part of the name of a tool.
const RUNS: [&str; 9] = ["bash", "shell", "terminal", "exec", "execute", "run", "command", "process", "output"];

/// The words that say what was done: of the program if a tool ran one, else of the name of the tool.
fn words(what: &str) -> Vec<&str> {
    let (tool, program) = what.split_once(' ').unwrap_or((what, ""));
    let parts = |text| str::split(text, |char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    if parts(tool).any(|word| RUNS.iter().any(|one| word.eq_ignore_ascii_case(one))) {
        parts(program).take(2).collect()
    } else {
        parts(tool).collect()
    }
}

/// Whether an activity only shows something: that says more in how it begins than in its last line, and trouble that it
/// speaks of is not its own. A log tells what a program did.
fn looks(one: &Activity) -> bool {
    const LOOKS: [&str; 20] = [
        "read",
        "view",
        "open",
        "cat",
        "ls",
        "find",
        "grep",
        "rg",
        "glob",
        "search",
        "list",
        "head",
        "tail",
        "file",
        "sed",
        "awk",
        "nl",
        "less",
        "disassemble",
        "objdump",
    ];
    const OF_GIT: [&str; 4] = ["show", "log", "blame", "grep"];
    if one.changes || text::find(&one.last, ".log").is_some() {
        return false;
    }
    match words(&one.what).as_slice() {
        ["git", subcommand, ..] => OF_GIT.contains(subcommand),
        words if one.what.contains(' ') => words.first().is_some_and(|word| LOOKS.contains(word)),
        words => words.iter().any(|word| LOOKS.iter().any(|one| word.eq_ignore_ascii_case(one))),
    }
}

/// Whether an activity looked at something, and did not fail.
pub(super) fn only_looks(one: &Activity) -> bool {
    one.failures == 0 && looks(one)
}

/// Whether what came of an activity is a failure, where the host does not say so. A text that is only looked at may speak
/// of failures: there the frame counts, or that nothing else was returned.
pub(super) fn has_failed(one: &Activity, output: &str) -> bool {
    /// Bytes of an output that may be nothing but an error.
    const SHORT: usize = 1_000;
    let is_line = || output.trim().lines().count() == 1;
    let says_so = exits::has_failed(output) || (one.changes || output.len() < SHORT) && is_failure(output);
    says_so && (!looks(one) || exits::is_framed_failure(output) || is_line() && is_failure(output))
}

/// Whether an activity searches a text: the numbers of the lines that it found are a part of the answer.
fn searches(what: &str) -> bool {
    words(what)
        .iter()
        .take(2)
        .any(|word| ["grep", "rg", "ag", "search"].iter().any(|one| word.eq_ignore_ascii_case(one)))
}

/// Whether a search ended because it found nothing, which programs report as a failure.
pub(super) fn found_nothing(what: &str, output: &str) -> bool {
    let lines = Lines::of(output, true, exits::code);
    searches(what) && lines.code == Some("1") && lines.count == 0
}

/// How the account begins that Python gives of where an error was raised.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// Whether a line of such an account stands between two errors.
fn is_chained(line: &str) -> bool {
    line.starts_with("During handling of the above") || line.starts_with("The above exception was")
}

/// The weight of an error.
const ERROR: u32 = 3;

/// How much a line says of what came of something: 3 an error, 2 a verdict, 1 it speaks of trouble, 0 neither.
fn weight(line: &str) -> u32 {
    const ERRORS: [&str; 4] = ["rror: ", "rror TS", "xception: ", "Ran into "];
    const VERDICTS: [&str; 4] = ["FAILED", " passed", " failed", "test result"];
    let says = |parts: &[&str]| parts.iter().any(|part| text::find(line, part).is_some());
    // Code speaks of errors that nobody met, and some advice on them is always the same.
    let is_import = line.starts_with("import ") || line.starts_with("from ") && text::find(line, " import ").is_some();
    if is_import || line.ends_with([';', '{', '(']) || line.starts_with("DO NOT re-run") {
        return 0;
    }
    if is_complaint(line) || is_coded(line) || says(&ERRORS) {
        return ERROR;
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

/// Whether a line is a linter's complaint in a list: `- F821 undefined name 'x'`.
fn is_coded(line: &str) -> bool {
    let code = line.strip_prefix("- ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..4).contains(&letters)
        && code.len() > letters + 2
        && code.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
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
    STARTS.iter().any(|start| output.starts_with(start))
        || text::find(output, "failed to match").is_some()
        || exits::is_refused(output)
}

/// The commits that an agent made of a change by itself: `Commit 1a2b3c4 feat: …`.
pub(super) fn commits(output: &str) -> Option<String> {
    const MOST: usize = 4;
    let lines = output.lines().skip_while(|line| !line.starts_with("Applied edit to "));
    let hashes = lines.filter_map(|line| line.strip_prefix("Commit ")?.split(' ').next()).filter(|hash| is_hash(hash));
    let hashes: Vec<&str> = hashes.take(MOST).collect();
    (!hashes.is_empty()).then(|| format!("{}{}", closed::COMMIT, text::joined(&hashes, ", ")))
}

/// The commits that an agent took back, with their messages.
pub(super) fn undone(said: &str) -> Vec<&str> {
    const MOST: usize = 16;
    if !["HEAD is: ", "Now at: "].iter().any(|next| text::find(said, next).is_some()) {
        return Vec::new();
    }
    let removed = said.lines().filter_map(|line| line.trim().strip_prefix("Removed: "));
    removed.filter(|removed| removed.split(' ').next().is_some_and(is_hash)).take(MOST).collect()
}

fn is_hash(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
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
    const STARTS: [&str; 18] = [
        "Waiting for the debugger to disconnect",
        "Debugger attached.",
        "WARNING: Running pip as",
        "<shellId: ",
        "npm notice",
        "(Open file: ",
        "(Current directory: ",
        "[Current working directory: ",
        "[Python interpreter: ",
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
    // What the tool returned may begin on the same line.
    let line = line
        .strip_prefix("EXECUTION RESULT of [")
        .and_then(|line| line.split_once("]:"))
        .map_or(line, |(_, rest)| rest.trim());
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
