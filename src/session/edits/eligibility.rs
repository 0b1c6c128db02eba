//! Which parts of a message may be cut or cleared at all, by their kind, by who wrote them and by when.
//!
//! What is old lies before the active turn and before the assistant's newest message. What an assistant said after
//! that is never cut. Neither is reasoning, nor anything of messages that are sent with signed reasoning or an id of
//! the provider, of pinned messages, or of system messages. Formats that give calls and media no part number keep
//! them.

use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{MessageRecord, Part, PartKind, Role};
use crate::session::clip::Clip;
use crate::session::reach::Reach;

/// What decides about a message beside its parts.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Whether it was old when the edit was made.
    pub old: bool,
    /// Whether it is sent with signed reasoning. Once that is left out, the message is as open as any other.
    pub signed: bool,
}

/// Whether a clip with this reach may cut a part.
pub fn reaches(part: &Part, message: &MessageRecord<'_>, reach: Reach, Stage { old, signed }: Stage) -> bool {
    let role = message.role();
    // Assistant messages stay unchanged during their turn, and as long as they are sent with what a provider signed.
    let open = role != Role::System && (role != Role::Assistant || old && !signed);
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => reach >= Reach::Arguments && open && part.number != NO_NUMBER,
        PartKind::Text if role == Role::Assistant => reach >= Reach::Assistant && open,
        PartKind::Text => reach == Reach::Everything && role == Role::User,
        PartKind::Media => {
            let enough = if old { Reach::Arguments } else { Reach::Everything };
            reach >= enough && open && part.number != NO_NUMBER
        }
        _ => false,
    }
}

/// Whether a clip may cut any part of the message at a history index. `signed`: it is sent with signed reasoning.
pub fn cuts(clip: &Clip, message: &MessageRecord<'_>, index: u64, signed: bool) -> bool {
    let stage = Stage { old: index < clip.old, signed };
    message.parts().any(|part| u64::from(part.tokens) > clip.cap && reaches(&part, message, clip.reach, stage))
}

/// Whether a part can be cleared. `signed`: the message is sent with signed reasoning.
pub fn clearable(part: &Part, message: &MessageRecord<'_>, signed: bool) -> bool {
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => part.number != NO_NUMBER && !signed,
        PartKind::Media => reaches(part, message, Reach::Everything, Stage { old: true, signed }),
        _ => false,
    }
}

/// Whether this is a result or media inside one, which has the same number.
pub fn is_of_result(part: &Part, message: &MessageRecord<'_>) -> bool {
    part.kind == PartKind::Result
        || part.kind == PartKind::Media
            && message.has(PartKind::Result)
            && message.parts().any(|other| other.kind == PartKind::Result && other.number == part.number)
}

/// Whether this is the result of a failed call or media inside one.
pub fn is_of_failed(part: &Part, message: &MessageRecord<'_>) -> bool {
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
