//! Approval requests and responses. A response could pass as authority for something that nobody requested, so a
//! response whose request is not in the history is never sent.

use crate::base::id_map::IdMap;
use crate::model::message::{MessageRecord, PartKind};

/// An approval response whose request is not in the history.
pub struct Unrequested {
    /// The index of the message.
    pub index: usize,
    /// The index of the part in the message.
    pub part: usize,
    /// The id of the request.
    pub id: u64,
}

/// Calls `pair` for each response and the newest request with its id before it, with the indices of their messages.
pub fn pairs(messages: &[MessageRecord<'_>], mut pair: impl FnMut(usize, usize)) {
    if !messages.iter().any(MessageRecord::approves) {
        return;
    }
    let mut asked = IdMap::default();
    for (index, message) in messages.iter().enumerate() {
        for part in message.parts() {
            match part.kind {
                PartKind::ApprovalRequest => asked.insert(part.id, index as u64),
                PartKind::ApprovalResponse => {
                    if let Some(request) = asked.get(part.id) {
                        pair(request as usize, index);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The responses without an earlier request, in order.
pub fn unrequested(messages: &[MessageRecord<'_>]) -> Vec<Unrequested> {
    let mut found = Vec::new();
    if !messages.iter().any(MessageRecord::approves) {
        return found;
    }
    let mut asked = IdMap::new(messages.iter().map(MessageRecord::len).sum());
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
