//! Which parts of a message may be cut or cleared at all, by their kind, by who wrote them and by when.

use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{Digest, Part, PartKind, Role};
use crate::session::reach::{ARGUMENTS, ASSISTANT, EVERYTHING};
use crate::session::state::Clip;

/// Whether a clip with this reach may cut a part. `old`: the message was old when the clip was made.
pub fn reaches(part: &Part, message: &Digest<'_>, reach: u64, old: bool) -> bool {
    let role = message.role();
    // Assistant messages stay unchanged during their turn, and forever if a provider signed them.
    let open = role != Role::System && (role != Role::Assistant || old && !message.is_signed());
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => reach >= ARGUMENTS && open && part.number != NO_NUMBER,
        PartKind::Text if role == Role::Assistant => reach >= ASSISTANT && open,
        PartKind::Text => reach >= EVERYTHING && role == Role::User,
        PartKind::Media => {
            let enough = if old { ARGUMENTS } else { EVERYTHING };
            reach >= enough && open && part.number != NO_NUMBER
        }
        _ => false,
    }
}

/// Whether a clip may cut any part of the message at a history index.
pub fn cuts(clip: &Clip, message: &Digest<'_>, index: u64) -> bool {
    message
        .parts()
        .any(|part| u64::from(part.tokens) > clip.cap && reaches(&part, message, clip.reach, index < clip.old))
}

/// Whether a part can be cleared.
pub fn clearable(part: &Part, message: &Digest<'_>) -> bool {
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => part.number != NO_NUMBER && !message.is_signed(),
        PartKind::Media => reaches(part, message, EVERYTHING, true),
        _ => false,
    }
}

/// Whether this is a result or media inside one, which has the same number.
pub fn is_of_result(part: &Part, message: &Digest<'_>) -> bool {
    part.kind == PartKind::Result
        || part.kind == PartKind::Media
            && message.has(PartKind::Result)
            && message.parts().any(|other| other.kind == PartKind::Result && other.number == part.number)
}

/// Whether this is the result of a failed call or media inside one.
pub fn is_of_failed(part: &Part, message: &Digest<'_>) -> bool {
    match part.kind {
        PartKind::Result if part.marked => true,
        _ => {
            message.has_marked(PartKind::Result)
                && message
                    .parts()
                    .any(|other| other.kind == PartKind::Result && other.marked && other.number == part.number)
        }
    }
}
