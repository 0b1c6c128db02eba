//! Requests for approval and their answers. An answer could pass as authority for something nobody asked about, so one
//! whose request is not in the history is never sent.

use crate::base::id_map::IdMap;
use crate::model::message::{Digest, PartKind};

/// An answer to a request for approval that is not in the history.
pub struct Unrequested {
    /// The message.
    pub index: usize,
    /// The place of the part in it.
    pub part: usize,
    /// The request's id.
    pub id: u64,
}

/// Answers without a request before them, in their order.
pub fn unrequested(messages: &[Digest<'_>]) -> Vec<Unrequested> {
    let mut found = Vec::new();
    if !messages.iter().any(Digest::approves) {
        return found;
    }
    let mut asked = IdMap::new(messages.iter().map(Digest::len).sum());
    for (index, message) in messages.iter().enumerate() {
        for (at, part) in message.parts().enumerate() {
            match part.kind {
                PartKind::ApprovalRequest => asked.insert(part.id, 1),
                PartKind::ApprovalResponse if asked.get(part.id).is_none() => {
                    found.push(Unrequested { index, part: at, id: part.id })
                }
                _ => {}
            }
        }
    }
    found
}
