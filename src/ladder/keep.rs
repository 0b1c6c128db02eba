//! What a compaction by hand leaves whole.

use crate::base::error::Code;
use crate::base::json::Fields;

/// What a compaction by hand leaves whole: the more of both. By default the newest turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// So many of the newest turns: messages that a person typed, with all that follows them.
    pub turns: Option<u64>,
    /// So many of the newest messages.
    pub messages: Option<u64>,
}

impl Keep {
    /// Reads the member `keep` of a call.
    pub(crate) fn parse(fields: &Fields<'_>) -> Self {
        let keep = Fields::of(fields.raw("keep"), "keep", Code::InvalidCall, fields.faults);
        for (name, _) in keep.value.members().unwrap_or_default() {
            if !["turns", "messages"].contains(&name.as_str()) {
                keep.wrong(name, "There is no such member. Give `turns`, `messages`, or both.");
            }
        }
        Self { turns: keep.count("turns"), messages: keep.count("messages") }
    }
}
