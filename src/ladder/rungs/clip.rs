//! Giants are cut: tool results, then what calls were given, then what the assistant wrote.
//!
//! Results over the share `part` are shortened: only those that were never sent if that is enough, else all. If that
//! is not enough either, old arguments and media follow, then what the assistant wrote in earlier turns. The outcome
//! must be at most `accept`.

use crate::ladder::cutting::{LEAST_CAP, cuttable, gain};
use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Edit, Move, Scene};
use crate::limits::budget::share;
use crate::session::lasting;
use crate::session::reach::Reach;
use crate::session::view::Slot;

pub(super) struct Clip;

impl Rung for Clip {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if !climb.may_edit(scene) {
            return None;
        }
        let raw = scene.view.raw();
        let cap = cap(scene);
        if let Some(sent) = scene.sent
            && cuts_enough(scene, cap, sent)
        {
            return Some(Move::Edit(Edit { cap: Some(cap), unsent: Some(sent), ..Edit::default() }));
        }
        let helps = |&reach: &Reach| {
            let clipped = raw.saturating_sub(gain(&cuttable(scene, reach), cap));
            clipped < raw && scene.leaves_room(clipped)
        };
        let reach = [Reach::Results, Reach::Arguments, Reach::Assistant].into_iter().find(helps)?;
        Some(Move::Edit(Edit { cap: Some(cap), reach, ..Edit::default() }))
    }

    fn then(&self, _: bool) -> Option<RungId> {
        Some(RungId::Clear)
    }
}

/// Whether it is enough to cut results that were never sent. That changes nothing that was, so that the provider's cache
/// holds, and thinking that is bound to it.
fn cuts_enough(scene: &Scene<'_>, cap: u64, sent: u64) -> bool {
    let parts = cuttable(scene, Reach::Results);
    let edited = lasting::edited_up_to(scene.history, scene.state);
    let index_of = |at: usize| if let Slot::Host { index, .. } = scene.view.items[at].slot { index } else { 0 };
    let (new, old): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&(at, _)| index_of(at) >= sent);
    let mut larger = old.iter().filter(|&&(_, tokens)| tokens > cap).peekable();
    // Where nothing else is larger, nothing has to be left alone; what was cut before cannot be.
    larger.peek().is_some()
        && larger.all(|&(at, _)| index_of(at) >= edited)
        && gain(&new, cap) > 0
        && scene.leaves_room(scene.view.raw().saturating_sub(gain(&new, cap)))
}

/// What no part may be larger than: its share of the room.
pub(super) fn cap(scene: &Scene<'_>) -> u64 {
    scene.raw(share(scene.limits.room, scene.options.shares.part)).max(LEAST_CAP)
}
