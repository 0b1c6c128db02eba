//! What a person asks in a message of which an application made more: a command of the program that the conversation is
//! held in, a task behind an example, a note that the person stopped the assistant, asides.

use crate::base::text;
use crate::ingest::asides::{self, Own};

/// How Claude Code notes that a person stopped it.
const INTERRUPTED: &str = "[Request interrupted by user";
/// How OpenHands parts the task from an example of the work, where the model has no tools.
const EXAMPLE_END: &str = "- END OF EXAMPLE -";
const TASK: &str = "- NEW TASK DESCRIPTION -";
const TASK_END: &str = " END OF NEW TASK DESCRIPTION ";

/// What a person asks in a text.
pub(super) fn asked(text: &str) -> Own {
    let text = text.trim();
    if text.starts_with(INTERRUPTED) && text.find(']') == Some(text.len() - 1) {
        return Own::Nothing;
    }
    command(text).or_else(|| task(text)).map_or_else(|| asides::own(text), Own::Part)
}

/// A command as Claude Code writes it: its name, what it is given, and what the person typed behind that.
fn command(text: &str) -> Option<String> {
    let (mut rest, mut name, mut given) = (text, "", "");
    loop {
        if let Some((_, behind)) = tagged(rest, "command-message") {
            rest = behind;
        } else if let Some((inside, behind)) = tagged(rest, "command-name") {
            (name, rest) = (inside, behind);
        } else if let Some((inside, behind)) = tagged(rest, "command-args") {
            (given, rest) = (inside, behind);
        } else {
            break;
        }
    }
    let line = format!("{name} {given}");
    (!name.is_empty()).then(|| format!("{}\n{rest}", line.trim()).trim().to_owned())
}

/// What stands in a tag at the beginning of a text, and what behind it.
fn tagged<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let (inside, behind) = inside.split_once(&format!("</{name}>"))?;
    Some((inside.trim(), behind.trim_start()))
}

/// The task behind an example.
fn task(text: &str) -> Option<String> {
    let (_, behind) = text.split_once(EXAMPLE_END)?.1.split_once(TASK)?.1.split_once('\n')?;
    Some(text::between(behind, 0, text::find(behind, TASK_END)?).trim_end_matches('-').trim().to_owned())
}
