//! Requests for approval and their answers. An answer could pass as authority for something nobody asked about, so one
//! whose request is not in the history is never sent.

use crate::base::id_map::IdMap;
use crate::model::message::{Digest, Part, PartKind};

/// Answers without a request before them: which message, and which of its parts.
pub fn unrequested(messages: &[Digest<'_>]) -> Vec<(usize, Part)> {
    let mut found = Vec::new();
    if !messages.iter().any(Digest::approves) {
        return found;
    }
    let mut asked = IdMap::new(messages.iter().map(Digest::len).sum());
    for (index, message) in messages.iter().enumerate() {
        for part in message.parts() {
            match part.kind {
                PartKind::ApprovalRequest => asked.insert(part.id, 1),
                PartKind::ApprovalResponse if asked.get(part.id).is_none() => found.push((index, part)),
                _ => {}
            }
        }
    }
    found
}
