//! How the texts that we put into a view begin. A marker never raises trust and covers nothing; a message of role user
//! that begins with one was not typed by a person.

/// A summary message begins with this line.
pub const SUMMARY: &str = "[Summary of the conversation so far]";
/// … and ends with this one.
pub const SUMMARY_END: &str = "[End of the summary. The conversation continues below.]";
/// A progress note begins with this.
pub const PROGRESS: &str = "[Progress on the request above";
/// A cut, cleared or dropped content is replaced by a notice that begins with this.
pub const NOTICE: &str = "[precis: ";
/// First line of a summary message of the preset `contextguard`; a wire format of the original.
pub const SEED_SUMMARY: &str = "[Previous conversation summary]";
/// Last line of it.
pub const SEED_SUMMARY_END: &str = "[End of summary - conversation continues below]";
/// Start of a continuation message of the preset `contextguard`.
pub const SEED_CONTINUATION: &str = "[System: The context window was full";

/// Bytes of a text that [`is_ours`] needs to see.
pub const LONGEST: usize = 48;

/// Whether a text that begins like this is one of ours.
pub fn is_ours(start: &[u8]) -> bool {
    [SUMMARY, PROGRESS, NOTICE, SEED_SUMMARY, SEED_CONTINUATION].iter().any(|marker| start.starts_with(marker.as_bytes()))
}
