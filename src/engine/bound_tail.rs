//! The turns behind a provider's own summary whose thinking stays valid.
//!
//! Where thinking is bound to what was sent before it, a provider takes it behind its own summary if that stands for exactly
//! what was sent before, and if the turns follow it directly and unchanged, beginning with a message of the other side
//! (<https://platform.claude.com/docs/en/build-with-claude/compaction-thinking-blocks>). So what code keeps stands behind
//! the turns that there are when the summary is taken up, before a request that nobody has answered yet.
//!
//! What comes behind newer turns reads as newer. So the request that these turns are about is given again behind them, with
//! the progress note; earlier ones, which would stay as they were typed, are left to the summary and to what code keeps.

use crate::call::context::Work;
use crate::ladder::Scene;
use crate::ladder::shape::Shape;
use crate::model::message::{CHAIN_START, MessageRecord, PartKind, Role, combine};
use crate::session::history::History;
use crate::session::sent::has_signed;
use crate::session::staying::Staying;
use crate::session::view::{Item, Slot};
use crate::summary::block::{Block, Tail};

/// The turns that may follow a new summary directly. `sent`: the hash of what it stands for, as that was sent. `None` if no
/// thinking would stay valid by that.
pub(crate) fn behind(
    block: &Block,
    work: &Work<'_>,
    scene: &Scene<'_>,
    shape: &Shape,
    sent: Option<u64>,
) -> Option<Tail> {
    let history = scene.history;
    let is_bound = history.binds_before == Some(u64::MAX);
    if !block.keeps_thinking() || !is_bound || work.call.strict || !moves(shape, scene) {
        return None;
    }
    let covers = shape.covers.count;
    let prefix = work.prefixes(scene.view)?.before(covers).filter(|&prefix| Some(prefix) == sent)?;
    let before = head(scene, shape)?;
    let first = history.input_of(covers)?;
    let at = scene.places[first]?;
    let last = scene.view.items[..at].last()?;
    let first_role = history.messages[first].role();
    if first_role == Role::System || is_said(first_role) == is_said(role(last, history)) {
        return None;
    }
    let end = end(history);
    let thinks = |input: usize| {
        let index = history.index_of(input);
        has_signed(&history.messages[input])
            && index.is_some_and(|index| !history.loses_reasoning(index, &scene.state.stale))
    };
    let is_legal = end.checked_sub(scene.lead()).is_some_and(|at| scene.cuts.is_legal(at));
    if !is_legal || !(first..end).any(thinks) {
        return None;
    }
    let end = history.position(history.index_of(end).unwrap_or_else(|| history.end()))?;
    Some(Tail { end, before, prefix })
}

/// Leaves to code what would read as newer than the turns behind which it would stand.
pub(crate) fn leave_to_code(shape: &mut Shape, scene: &Scene<'_>) {
    let request = request(scene);
    shape.stays.kept.retain(|&index| Some(index) == request);
}

/// Whether what stays of the covered messages may stand behind the turns: requests and no others, the one that the turns are
/// about with a note.
fn moves(shape: &Shape, scene: &Scene<'_>) -> bool {
    let Staying { kept, opening, .. } = &shape.stays;
    let is_typed = |&index: &u64| scene.history.input_of(index).is_some_and(|input| scene.history.is_typed(input));
    let is_inside = request(scene).is_some_and(|request| request < shape.covers.count);
    *opening == 0 && shape.note == is_inside && kept.iter().all(is_typed)
}

/// The history index of the request of the active turn.
fn request(scene: &Scene<'_>) -> Option<u64> {
    scene.active_user().and_then(|input| scene.history.index_of(input))
}

/// The hash of what stays before the summary, if these are the instructions that stand there now.
fn head(scene: &Scene<'_>, shape: &Shape) -> Option<u64> {
    let mut hash = CHAIN_START;
    for (at, &head) in shape.stays.head.iter().enumerate() {
        let item = scene.view.items.get(at).filter(|item| item.made.is_none())?;
        let Slot::Host { input, index } = item.slot else { return None };
        let message = &scene.history.messages[input];
        if index != head || message.role() != Role::System {
            return None;
        }
        hash = combine(hash, message.wire());
    }
    Some(hash)
}

/// The input index behind the newest message that is no unanswered request.
fn end(history: &History<'_>) -> usize {
    let waits = |input: usize| {
        let message: &MessageRecord<'_> = &history.messages[input];
        let is_request = history.is_typed(input) && !message.has(PartKind::Result);
        is_request || message.role() == Role::System
    };
    let mut end = history.messages.len();
    while end > 0 && waits(end - 1) {
        end -= 1;
    }
    end
}

/// The role of what an item sends.
fn role(item: &Item, history: &History<'_>) -> Role {
    match (item.record(), item.slot) {
        (Some(made), _) => made.role(),
        (None, Slot::Host { input, .. }) => history.messages[input].role(),
        (None, _) => Role::User,
    }
}

/// Whether the assistant says a message. What tools return stands on the other side.
fn is_said(role: Role) -> bool {
    role == Role::Assistant
}
