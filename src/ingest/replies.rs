//! Replies whose items are messages of their own, as in the Responses API.

use crate::model::message::{MessageRecord, PartKind, Role};
use std::ops::Range;

/// The replies that reasoning in a message of its own begins, in order. Reasoning is bound to all items of its reply: with
/// the next one it must come back, and without it no later one may. What anybody else says ends a reply.
pub fn in_items(messages: &[MessageRecord<'_>]) -> Vec<Range<usize>> {
    let mut replies = Vec::new();
    let mut begun = None;
    for (index, message) in messages.iter().enumerate() {
        if message.role() != Role::Assistant || message.has(PartKind::ApprovalResponse) {
            replies.extend(begun.take().map(|start| start..index));
        } else if begun.is_none() && is_bare_reasoning(message) {
            begun = Some(index);
        }
    }
    replies.extend(begun.map(|start| start..messages.len()));
    replies
}

/// Whether an assistant message holds only reasoning, encrypted or not: a reasoning item.
fn is_bare_reasoning(message: &MessageRecord<'_>) -> bool {
    message.role() == Role::Assistant
        && message.has(PartKind::Reasoning)
        && message.parts().all(|part| matches!(part.kind, PartKind::Reasoning | PartKind::Opaque))
}
