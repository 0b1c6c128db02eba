//! Reads whether a provider's error says that a request is too long, and by how much.
//!
//! Providers, proxies and servers word this in hundreds of ways, and change the wording without notice. So nothing is
//! matched as a whole. `words` takes an error apart, `subject` decides by families of words what it is about, and
//! `numbers` reads each number from the words around it. An error in another language than English is recognized by
//! its codes, whose words are English, or not at all.
//!
//! A request is too long where a sentence says so of the prompt, input, messages, counted tokens or a context with a
//! size, or where the numbers say it themselves. Other errors are not: statuses 401 to 404, 408 and 429; rates,
//! quotas, credits and throttling; a reply limit alone (`max_tokens`, output or completion tokens without a prompt
//! beside them); bytes, characters, images and lists; retries and deadlines that are exceeded. Numbers that contradict
//! one another (less was sent than may be) do not count.

mod numbers;
mod overflow;
mod subject;
mod words;

pub use overflow::Overflow;

use crate::limits::thinking_refusal::Complaint;

/// The error that a call passes for the request before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request was too long.
    TooLong(Overflow),
    /// Reasoning in it was refused.
    Thinking(Complaint),
    /// The provider's own summary in it was refused.
    Block,
    /// Another error, which compaction cannot fix.
    Other,
}

/// Of errors about a provider's own summary, all words of a row.
const OF_BLOCKS: [&[&str]; 5] = [
    &["compaction_signature_invalid"],
    &["compaction_content_mismatch"],
    &["compaction_tool_changes_mismatch"],
    &["compaction_block_"],
    &["invalid", "signature", "compaction", "block"],
];

/// Whether an error is about a provider's own summary that was sent back to it.
pub fn is_of_block(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    OF_BLOCKS.iter().any(|words| words.iter().all(|word| text.contains(word)))
}

/// Unauthorized, payment required, forbidden, not found, timeout, too many requests.
const OTHER_STATUS: [u64; 6] = [401, 402, 403, 404, 408, 429];

/// Reads an error. Returns `None` if it is about something else, such as rate limits, keys, request bodies or filters.
pub fn read(text: &str, status: Option<u64>) -> Option<Overflow> {
    if status.is_some_and(|status| OTHER_STATUS.contains(&status)) {
        return None;
    }
    let items = words::items(text);
    let (found, exact) = numbers::read(&items);
    subject::is_overflow(&items, &found).then(|| if exact { found } else { Overflow::default() })
}
