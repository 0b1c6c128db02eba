//! What an application puts around what a person asks: reminders, where it runs, what is open in an editor.

use crate::base::text;
use crate::ingest::typed;

/// The tags of such passages, as agents and editors write them.
const ASIDES: [&str; 22] = [
    "system-reminder",
    "system_reminder",
    "reminderInstructions",
    "skill-context",
    "environment_details",
    "environment_info",
    "environment_context",
    "workspace_info",
    "user_info",
    "project_layout",
    "editorContext",
    "open_and_recently_viewed_files",
    "additional_data",
    "attached_files",
    "attachments",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-stdout",
    "bash-stderr",
    "command-message",
    CONTEXT,
];
/// Where nothing stands beside it, it is what the person gave.
const CONTEXT: &str = "context";
/// How an agent notes that a person stopped it.
const INTERRUPTED: &str = "[Request interrupted by user";
/// How OpenHands parts the task from an example of the work, where the model has no tools.
const TASK: &str = "- NEW TASK DESCRIPTION -";
const TASK_END: &str = " END OF NEW TASK DESCRIPTION ";
/// The most passages of one text whose end is looked for.
const MOST: usize = 64;

/// What is left of a text without what an application put there: nothing where that is all of it. `None` where there is
/// no such passage.
pub(super) fn without(text: &str) -> Option<String> {
    asked(text.trim()).or_else(|| outside(text))
}

/// What is asked in a text that an application made as a whole.
fn asked(text: &str) -> Option<String> {
    if text.starts_with(INTERRUPTED) && text.ends_with(']') && !text.contains('\n') {
        return Some(String::new());
    }
    if text.starts_with("<command-") {
        let (name, arguments) = (inside(text, "command-name")?, inside(text, "command-args").unwrap_or_default());
        return Some(format!("{name} {arguments}").trim().to_owned());
    }
    let (_, task) = text.split_once(TASK)?.1.split_once('\n')?;
    Some(text::between(task, 0, text::find(task, TASK_END)?).trim_end_matches('-').trim().to_owned())
}

/// What stands outside of the passages that an application put into a text.
fn outside(text: &str) -> Option<String> {
    let (mut own, mut from, mut at) = (String::new(), 0, 0);
    let (mut looked, mut is_context) = (0, true);
    while let Some(open) = text::find(text::between(text, at, text.len()), "<").map(|open| at + open) {
        at = open + 1;
        let before = text::between(text, from, open);
        let begins = before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
        let name = tag(text::between(text, at, text.len()));
        if !begins || !ASIDES.contains(&name) {
            continue;
        }
        // One without an end costs a look through all of the rest.
        looked += 1;
        if looked > MOST {
            break;
        }
        let close = format!("</{name}>");
        let Some(end) = text::find(text::between(text, at, text.len()), &close) else { continue };
        own.push_str(before);
        is_context &= name == CONTEXT;
        at += end + close.len();
        from = at;
    }
    own.push_str(text::between(text, from, text.len()));
    let lines: Vec<&str> = own.trim().lines().filter(|line| !typed::encloses_typed(line.trim())).collect();
    let is_given = is_context && lines.is_empty();
    let is_whole = from == 0 && lines.len() == own.trim().lines().count();
    (!is_given && !is_whole).then(|| text::joined(&lines, "\n"))
}

/// The name of a tag, behind its bracket.
fn tag(text: &str) -> &str {
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    text::between(text, 0, length)
}

/// What stands between a tag and the next one that closes it.
fn inside<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let rest = text::between(text, text::find(text, &open)? + open.len(), text.len());
    Some(text::between(rest, 0, text::find(rest, &close)?).trim())
}
