//! How a program ended, as tools say it in what they return.

use crate::base::text;

/// Stands before the code with which a program failed.
pub(super) const EXIT: &str = "exit ";
/// Bytes of a line that may say how a program ended or why it did not begin.
const LINE: usize = 200;
/// Lines at the beginning and at the end of an output that may say how the program ended.
const FIRST: usize = 3;

/// The code with which a program ended, if that is what a line says.
pub(super) fn code(line: &str) -> Option<&str> {
    const SAYS: [&str; 5] = ["xit code: ", "xit code ", "xited with code ", "xit status ", "returncode>"];
    const STARTS: [&str; 9] = ["<", "[", "(", "Command ", "The command ", "Process ", "Exit ", "exit ", "Error: "];
    if line.len() > LINE || !STARTS.iter().any(|start| line.starts_with(start)) {
        return None;
    }
    let says = |say: &&str| {
        let from = text::find(line, say)? + say.len();
        let rest = text::between(line, from, line.len());
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| text::between(rest, 0, digits))
    };
    SAYS.iter().find_map(says)
}

/// Whether an output says that the program failed: at its beginning, or at its end.
pub(super) fn has_failed(output: &str) -> bool {
    let failed = |line: &str| code(line.trim()).is_some_and(|code| code != "0");
    let lines = || output.lines().filter(|line| !line.trim().is_empty());
    lines().take(FIRST).any(failed) || lines().rev().take(FIRST).any(failed)
}

/// The code with which a program ended, if a line is nothing but the frame that a tool puts around an output: not a text
/// that speaks of codes.
pub(super) fn framed(line: &str) -> Option<&str> {
    let code = code(line)?;
    let is_nothing_else = || line.rsplit_once(code).is_some_and(|(_, behind)| behind.is_empty() || behind == ".");
    let is_frame = line.starts_with(BRACKETS) || text::find(line, "completed").is_none() && is_nothing_else();
    is_frame.then_some(code)
}

/// What a frame may begin with.
const BRACKETS: [char; 3] = ['<', '[', '('];

/// Whether the frame of an output says that the program failed: before its text, or behind it.
pub(super) fn is_framed_failure(output: &str) -> bool {
    let failed = |line: &str| framed(line.trim()).is_some_and(|code| code != "0");
    let lines = || output.lines().filter(|line| !line.trim().is_empty());
    lines().take(1).any(failed) || lines().rev().take(FIRST).any(failed)
}

/// Whether an outcome says with which code a program failed.
pub(super) fn is_shown(outcome: &str) -> bool {
    outcome.strip_prefix(EXIT).is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

/// Whether an output begins with a complaint about the arguments of a command.
pub(super) fn is_usage(output: &str) -> bool {
    const SAYS: [&str; 6] = [
        "unknown flag",
        "unknown option",
        "nknown command",
        "unrecognized option",
        "unknown shorthand",
        "invalid option",
    ];
    begins_with(output, &SAYS)
}

/// Whether an output begins with the reason why a command did not run.
pub(super) fn is_refused(output: &str) -> bool {
    const SAYS: [&str; 4] =
        ["Path does not exist", "No such file or directory", "command not found", "ermission denied"];
    is_usage(output) || begins_with(output, &SAYS)
}

fn begins_with(output: &str, says: &[&str]) -> bool {
    let first = output.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    first.len() <= LINE && says.iter().any(|say| text::find(first, say).is_some())
}

/// Whether what a command returned says that it left the files as they were.
pub(super) fn left_files(output: &str) -> bool {
    const STARTS: [&str; 6] = ["rm: ", "mv: ", "cp: ", "fatal: ", "error: pathspec", "error: Your local changes"];
    output.lines().any(|line| STARTS.iter().any(|start| line.trim_start().starts_with(start)))
}
