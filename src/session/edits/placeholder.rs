//! The placeholder of a cleared result: one line that says what became of it, with names that were in it.

use crate::base::{markers, quoting, references, text};
use crate::ingest::content::Value;
use crate::memory::{names, records};
use crate::session::edits::literals::{self, MOST_LITERALS};
use crate::session::reach::LEAST_CLEARED;

/// About the raw tokens of a cleared result that had `tokens`. Few results hold as many names as may stay, large ones least
/// of all.
pub fn cleared_tokens(tokens: u64) -> u64 {
    let bytes = usize::try_from(tokens * 4).unwrap_or(usize::MAX);
    LEAST_CLEARED + (200 + bytes / 8).min(USUAL.of(bytes)) as u64 / 5
}

/// How many bytes of names a cleared result keeps. Most of what is used later of a result is names, and a line of names
/// costs little.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// One part in this many of all its bytes.
    all: usize,
    /// The bytes beyond which more stays, and one part in how many of those.
    large: (usize, usize),
}

/// Where a model summarizes. With larger notices it would be asked where clearing is enough.
pub(super) const USUAL: Share = Share { all: 8, large: (16_000, 8) };
/// Where nobody else says what the results were about. Recorded sessions use the names of a file of thousands of lines long
/// after they read it.
pub(super) const MANY: Share = Share { all: 7, large: (4_000, 5) };

impl Share {
    fn of(self, bytes: usize) -> usize {
        let (large, part) = self.large;
        let share = 200 + bytes / self.all + bytes.saturating_sub(large) / part;
        (bytes.saturating_sub(160) / 2).min(share).min(12_000)
    }
}

/// The text that replaces a cleared result: a line, and names in the result. `text` is the result as it was
/// sent. It may have been cut or cleared before, so that a view passed as history gives the same text.
pub(super) fn of(text: &str, failed: bool, rerun: bool, keep: &[String], reference: &str, named: Share) -> String {
    if text.strip_prefix(markers::NOTICE).is_some_and(|rest| rest.starts_with(CLEARED)) {
        return references::without_others(&text::start(text, LONGEST_CLEARED), reference);
    }
    // Where hardly more stood than this line, nothing is missing.
    let reference = if text.len() < LEAST_REFERRED { "" } else { reference };
    let mut names = literals::missing(text, "", text.len().saturating_sub(LEAST_LITERALS).min(MOST_LITERALS), keep);
    let bytes = named.of(text.len()).saturating_sub(reference.len());
    // A record keeps together what belongs together. A text that was cut before already names what it held.
    let whole = text::find(text, markers::NOTICE).is_none();
    let record = if whole { records::line(&Value::Text(text.to_owned()), bytes * 2 / 3) } else { None };
    let shown = record.as_deref().unwrap_or_default();
    let room = bytes.saturating_sub(names.len() + shown.len());
    let more = names::missing(&names::in_text(text), &names, shown, room);
    literals::append(&mut names, &more);
    let record = record
        .map(|record| format!(" It returned: {}", quoting::one_line(&record).replace(']', ")")))
        .unwrap_or_default();
    format!(
        "{}{}{}{}{reference}{record}{}{names}]",
        markers::NOTICE,
        CLEARED,
        if failed { "failed" } else { "succeeded" },
        match (failed, rerun) {
            (true, _) => ".",
            (false, false) => DONE,
            (false, true) => AGAIN,
        },
        if names.is_empty() { "" } else { names::NAMED_IN }
    )
}

/// Added to the notice for a call that succeeded.
const DONE: &str = ". Do not repeat the call for its effect.";
/// The same if the tool may be called again.
const AGAIN: &str = ". Call the tool again if you need it.";
const CLEARED: &str = "this tool result was removed to save space; the tool had ";
/// The most bytes of the line for a cleared result: its names, and what it says beside them.
const LONGEST_CLEARED: usize = 13_000;
/// Bytes that a result must exceed for its placeholder to name literal strings.
const LEAST_LITERALS: usize = 160;
/// Bytes of the smallest result whose notice says where it is found.
const LEAST_REFERRED: usize = 200;
