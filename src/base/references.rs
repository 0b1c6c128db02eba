//! References: how a place in the history is named for a model that has the tool `recall`, and the sentence about that tool.

use crate::base::text;
use crate::model::message::{Part, hash_text};

/// The tool by which a model recalls: `recallDefinition` of `js/src/recall.ts`.
const TOOL: &str = "recall";
/// The argument that distinguishes that tool from another of its name.
pub const ARGUMENT: &str = "reference";
/// Its other argument.
const QUERY: &str = "query";
/// Stands before the reference in a notice.
const RETURNED: &str = " The tool recall returns it: ";

/// Whether a call is one of our tool `recall`: by its name and its arguments, as no call of ours has others.
pub fn is_recall<'a>(name: &str, arguments: impl Iterator<Item = &'a str>) -> bool {
    let mut arguments = arguments.peekable();
    name == TOOL && arguments.peek().is_some() && arguments.all(|argument| argument == ARGUMENT || argument == QUERY)
}

/// Whether a part of a message or of the tools has the name of our tool `recall`.
pub fn is_named(part: &Part) -> bool {
    part.name == hash_text(TOOL) as u32
}

/// The reference of a message by its index in the history, or of one of its parts that have text, from 1: `r12`, `r12.2`.
pub fn of(index: u64, part: usize) -> String {
    if part == 0 { format!("r{index}") } else { format!("r{index}.{part}") }
}

/// What a notice says of a text that has a reference.
pub fn sentence(reference: &str) -> String {
    format!("{RETURNED}{reference}.")
}

/// What a digest says of the messages before `count`, which it stands for.
pub fn legend(count: u64) -> String {
    let last = of(count.saturating_sub(1), 0);
    format!(
        "It stands for the messages r0 to {last}. The tool recall returns their text, by a reference such as ({last}) or by words."
    )
}

/// A notice without sentences about other references than the one that `own` is about, if it is about any: a tool can print
/// what reads like a notice.
pub fn without_others(notice: &str, own: &str) -> String {
    let mut out = String::new();
    let mut rest = notice;
    while let Some(at) = text::find(rest, RETURNED) {
        let after = text::between(rest, at + RETURNED.len(), rest.len());
        let length = after.bytes().take_while(|byte| matches!(byte, b'r' | b'0'..=b'9' | b'.' | b'+')).count();
        let returned = text::between(rest, at, at + RETURNED.len() + length);
        out.push_str(text::between(rest, 0, at));
        out.push_str(if returned == own { returned } else { "" });
        rest = text::between(after, length, after.len());
    }
    out.push_str(rest);
    out
}

/// The reference of a message behind a line of a digest.
pub fn behind(index: u64) -> String {
    format!(" ({})", of(index, 0))
}

/// A line of a digest without the reference behind it.
pub fn without(line: &str) -> &str {
    let found = line.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (r"));
    match found {
        Some((text, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => text,
        _ => line,
    }
}
