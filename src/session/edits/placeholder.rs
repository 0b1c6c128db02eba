//! The placeholder of a cleared result: a line that says what became of it, and what of it matters most.

use crate::base::{markers, quoting, references, text};
use crate::memory::notice;
use crate::session::edits::literals::{self, MOST_LITERALS};
use crate::session::reach::LEAST_CLEARED;

/// About the raw tokens of a cleared result that had `tokens`.
pub fn cleared_tokens(tokens: u64) -> u64 {
    let bytes = usize::try_from(tokens * 4).unwrap_or(usize::MAX);
    LEAST_CLEARED + kept(bytes) as u64 / 4
}

/// The bytes that a cleared result of so many keeps of what it said: two lines.
fn kept(bytes: usize) -> usize {
    (bytes.saturating_sub(160) / 2).min(200 + bytes / 16).min(MOST_KEPT)
}

/// The most bytes of what a cleared result said.
const MOST_KEPT: usize = 400;

/// The text that replaces a cleared result: a line, and what of the result matters most. `text` is the result as it was
/// sent. If it is one of `own`, it was cut or cleared before: a view passed as history gives the same text. What only reads
/// like this line is what a tool returned, and `text` is that without what reads like a notice.
pub(super) fn of(
    text: &str,
    own: bool,
    failed: bool,
    rerun: Option<bool>,
    (keep, reference): (&[String], &str),
) -> String {
    if own && text.strip_prefix(markers::NOTICE).is_some_and(|rest| rest.starts_with(CLEARED)) {
        return references::without_others(text, reference);
    }
    // Where hardly more stood than this line, nothing is missing.
    let reference = if text.len() < LEAST_REFERRED { "" } else { reference };
    let mut names = literals::missing(text, "", text.len().saturating_sub(LEAST_LITERALS).min(MOST_LITERALS), keep);
    let bytes = kept(text.len()).saturating_sub(reference.len());
    // A record keeps together what belongs together. A text that was cut before already names what it held.
    let whole = !own || text::find(text, markers::NOTICE).is_none();
    let gist = if whole { notice::gist(text, bytes.saturating_sub(names.len()) * 3 / 5) } else { String::new() };
    let room = bytes.saturating_sub(names.len() + gist.len());
    let more = notice::names_missing(&notice::names_in(text), &names, &gist, room);
    literals::append(&mut names, &more);
    let gist = if gist.is_empty() { gist } else { format!(" It returned: {}", quoting::in_brackets(&gist)) };
    format!(
        "{}{}{}{}{reference}{gist}{}{names}]",
        markers::NOTICE,
        CLEARED,
        if failed { "failed" } else { "succeeded" },
        match (failed, rerun) {
            (true, _) => ".",
            (false, None) => DONE,
            (false, Some(false)) => ONCE,
            (false, Some(true)) => AGAIN,
        },
        if names.is_empty() { "" } else { notice::NAMED_IN }
    )
}

/// Added to the notice for a call that succeeded. This is true of any tool, whether it reads a file or charges a card.
const DONE: &str = ". Calling it again would do it again.";
/// The same if the tool is known to have an effect that must not come twice.
const ONCE: &str = ". Do not repeat the call for its effect.";
/// The same if the tool may be called again.
const AGAIN: &str = ". Call the tool again if you need it.";
const CLEARED: &str = "this tool result was removed to save space; the tool had ";
/// Bytes that a result must exceed for its placeholder to name literal strings.
const LEAST_LITERALS: usize = 160;
/// Bytes of the smallest result whose notice says where it is found.
const LEAST_REFERRED: usize = 200;
