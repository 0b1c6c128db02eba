//! Giants are cut: tool results, then what calls were given, then what the assistant wrote.

use super::{Climb, Rung, RungId};
use crate::ladder::cutting::{LEAST_CAP, cuttable, gain};
use crate::ladder::{Edit, Move, Scene};
use crate::limits::budget::share;
use crate::session::reach;

pub(super) struct Clip;

impl Rung for Clip {
    fn name(&self) -> &'static str {
        "clip"
    }

    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if !climb.may_edit(scene) {
            return None;
        }
        let raw = scene.view.raw();
        let cap = cap(scene);
        let helps = |&reach: &u64| {
            let clipped = raw.saturating_sub(gain(&cuttable(scene, reach), cap));
            clipped < raw && scene.leaves_room(clipped)
        };
        let reach = [reach::RESULTS, reach::ARGUMENTS, reach::ASSISTANT].into_iter().find(helps)?;
        Some(Move::Edit(Edit { cap: Some(cap), reach, ..Edit::default() }))
    }

    fn then(&self, _: bool) -> Option<RungId> {
        Some(RungId::Clear)
    }
}

/// What no part may be larger than: its share of the room.
pub(super) fn cap(scene: &Scene<'_>) -> u64 {
    scene.raw(share(scene.limits.room, scene.options.shares.part)).max(LEAST_CAP)
}
