//! Reads whether a provider's error is about reasoning that was sent back to it.
//!
//! A row is a family: all of its words occur in the text, in any order. Words are data; the first row that matches is
//! used. See `docs/thinking.md` for the texts.

/// What a provider refuses about reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// It was produced behind something else than what is sent before it now.
    Bound,
    /// Its signature is damaged, or of somebody else.
    Invalid,
    /// An open round of tool calls lacks it.
    Missing,
    /// It must not be missing beside a call.
    MissingBesideCalls,
}

impl Complaint {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Bound, "bound"),
        (Self::Invalid, "invalid"),
        (Self::Missing, "missing"),
        (Self::MissingBesideCalls, "missing-beside-calls"),
    ];

    /// The name in states.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// The complaint with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }
}

const ROWS: [(Complaint, &[&str]); 9] = [
    (Complaint::Bound, &["thinking", "bound to a different conversation"]),
    (Complaint::Bound, &["thinking", "bound to", "different prefix"]),
    (Complaint::Invalid, &["invalid", "signature", "thinking"]),
    (Complaint::Invalid, &["signature", "thinking", "could not be verified"]),
    (Complaint::Invalid, &["thinking", "latest assistant message", "cannot be modified"]),
    (Complaint::Missing, &["expected", "thinking", "but found", "tool_use"]),
    (Complaint::Missing, &["must start with a thinking block"]),
    (Complaint::MissingBesideCalls, &["reasoning_content", "must be passed back"]),
    (Complaint::MissingBesideCalls, &["reasoning_content", "missing", "tool call"]),
];

/// Statuses of errors that are about something else.
const OTHER_STATUS: [u64; 6] = [401, 402, 403, 404, 408, 429];

/// Reads an error. `None` if it is about something else.
pub fn read(text: &str, status: Option<u64>) -> Option<Complaint> {
    if status.is_some_and(|status| OTHER_STATUS.contains(&status)) {
        return None;
    }
    let text: String = text.chars().filter(|letter| !matches!(letter, '`' | '"' | '\'' | '\\')).collect();
    let text = text.to_ascii_lowercase();
    ROWS.iter().find(|(_, words)| words.iter().all(|word| text.contains(word))).map(|&(complaint, _)| complaint)
}
