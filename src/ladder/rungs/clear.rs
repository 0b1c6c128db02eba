//! Old results become placeholders: those of calls that failed, then all, down to the target and no further.
//!
//! Only results before the tail that the model has answered are cleared, with the inputs of their calls and the media
//! of earlier turns. The newest three stay if that is enough. What is left is clipped. The clear must gain the share
//! `clear` and end at most at `accept`. Or the results of the newest group alone are too large: then covering the past
//! cannot be enough, so they are cut to one level of at least a twentieth of the room.

use crate::ladder::clearing::{Clearing, clearing};
use crate::ladder::cutting::{cuttable, gain, level};
use crate::ladder::rungs::clip::cap;
use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Edit, Move, Scene};
use crate::limits::budget::share;
use crate::session::reach::Reach;
use crate::session::view::Slot;

/// Results that a clear leaves whole, the newest ones, if that is enough.
const NEWEST_RESULTS: usize = 3;

pub(super) struct Clear;

impl Rung for Clear {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if !climb.may_edit(scene) {
            return None;
        }
        if scene.options.wishes.summarize_first == Some(true) {
            return unavoidable(scene).map(Move::Edit);
        }
        // What went wrong is missed least.
        first(scene).or_else(|| failed(scene)).or_else(|| old(scene)).or_else(|| unavoidable(scene)).map(Move::Edit)
    }

    fn then(&self, _: bool) -> Option<RungId> {
        Some(RungId::Digest)
    }
}

/// What a clear has to gain to be worth that the prefix changes.
fn worthwhile(scene: &Scene<'_>) -> u64 {
    scene.raw(share(scene.limits.room, scene.options.shares.clear))
}

/// Results of tools that are cleared first, the newest ones too.
fn first(scene: &Scene<'_>) -> Option<Edit> {
    let (clear, gained) = clearing(scene, Clearing { first: true, ..Clearing::default() })?;
    let helps = gained >= worthwhile(scene) && scene.leaves_room(scene.view.raw().saturating_sub(gained));
    helps.then_some(Edit { clear: Some(clear), first: true, ..Edit::default() })
}

/// Results of calls that failed.
fn failed(scene: &Scene<'_>) -> Option<Edit> {
    let (clear, gained) = clearing(scene, Clearing { failed: true, ..Clearing::default() })?;
    let helps = gained >= worthwhile(scene) && scene.leaves_room(scene.view.raw().saturating_sub(gained));
    helps.then_some(Edit { clear: Some(clear), failed: true, ..Edit::default() })
}

/// Down to the target and no further; if that is not enough with the newest results whole, without them.
fn old(scene: &Scene<'_>) -> Option<Edit> {
    let raw = scene.view.raw();
    let enough = Some(raw.saturating_sub(scene.raw_below(scene.limits.target)));
    let cap = cap(scene);
    [NEWEST_RESULTS, 0].into_iter().find_map(|stay| {
        let (clear, gained) = clearing(scene, Clearing { enough, stay, ..Clearing::default() })?;
        if gained < worthwhile(scene) {
            return None;
        }
        let more = gain_after(scene, clear, cap);
        if !scene.leaves_room(raw.saturating_sub(gained + more)) {
            return None;
        }
        // What stays is cut only if it is too much.
        let cap = Some(cap).filter(|_| more > 0 && !scene.leaves_room(raw.saturating_sub(gained)));
        Some(Edit { cap, reach: Reach::Results, clear: Some(clear), ..Edit::default() })
    })
}

/// When the results of the newest group alone are too large, covering the past cannot be enough: they are cut to one
/// level, old ones cleared, and nobody has to be asked.
fn unavoidable(scene: &Scene<'_>) -> Option<Edit> {
    let newest = scene.history.index_of(scene.newest())?;
    let after = |index: u64| {
        let parts = cuttable(scene, Reach::Results).into_iter();
        let stays =
            parts.filter(|&(at, _)| matches!(scene.view.items[at].slot, Slot::Host { index: own, .. } if own >= index));
        stays.collect::<Vec<_>>()
    };
    let raw = scene.view.raw();
    let accept = scene.raw_below(scene.limits.accept);
    let own: u64 = after(newest).iter().map(|part| part.1).sum();
    if own + scene.view.fixed() <= accept {
        return None;
    }
    let (clear, gained) =
        clearing(scene, Clearing::default()).map_or((None, 0), |(clear, gained)| (Some(clear), gained));
    let cap = level(&after(clear.unwrap_or(0)), raw.saturating_sub(gained), accept)?;
    (cap >= scene.raw(scene.limits.room) / 20).then_some(Edit {
        cap: Some(cap),
        reach: Reach::Results,
        clear,
        ..Edit::default()
    })
}

/// Raw tokens that a clip gains on what a clear before history index `clear` leaves.
fn gain_after(scene: &Scene<'_>, clear: u64, cap: u64) -> u64 {
    let after = cuttable(scene, Reach::Results)
        .into_iter()
        .filter(|&(at, _)| matches!(scene.view.items[at].slot, Slot::Host { index, .. } if index >= clear));
    gain(&after.collect::<Vec<_>>(), cap)
}
