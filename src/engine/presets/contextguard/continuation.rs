//! The continuation message, sent in the one request that compacted.

use crate::base::error::Error;
use crate::base::markers;
use crate::call::context::Work;
use crate::ingest::content::ContentPart;
use crate::ingest::host::Host;
use crate::model::message::MessageRecord;

/// The tokens of the continuation message.
pub(super) fn tokens(work: &Work<'_>, host: &mut dyn Host) -> Result<u64, Error> {
    let text = message(work, host)?;
    let product = host.summary(&text, "precis-measure", 0)?;
    Ok(MessageRecord::split(&product.record).and_then(|all| all.first().map(MessageRecord::tokens)).unwrap_or(0))
}

/// Its text. It quotes the request of the turn, if a person typed one.
pub(super) fn message(work: &Work<'_>, host: &mut dyn Host) -> Result<String, Error> {
    let mut request = None;
    for input in (0..work.history.messages.len()).rev().filter(|&input| work.history.is_typed(input)) {
        let texts = host.read(&[input])?.into_iter().flat_map(|content| content.parts).filter_map(|part| match part {
            ContentPart::Text { text, .. } if !text.is_empty() => Some(text),
            _ => None,
        });
        let mut texts = texts.peekable();
        // Only the preset relies on how a text begins, as the original does.
        if !texts.peek().is_some_and(|text| is_ours(text)) {
            request = texts.next();
            break;
        }
    }
    // The recorded numbers include these texts: 187 bytes without a request, 238 more than the request with one.
    const OPENING: &str = "[System: The context window was full, so the conversation was compacted. The summary above holds all that came before.";
    const CLOSING: &str = "Continue the work from there, without asking the user to repeat it.]";
    Ok(match request {
        None => format!("{} {}", OPENING, CLOSING),
        Some(request) => format!("{} The request the user waits upon, word for word: `{request}` {}", OPENING, CLOSING),
    })
}

/// Whether a text begins with one of our markers.
fn is_ours(text: &str) -> bool {
    [markers::SUMMARY, markers::PROGRESS, markers::NOTICE, markers::PRESET_SUMMARY, markers::PRESET_CONTINUATION]
        .iter()
        .any(|marker| text.starts_with(marker))
}
