//! All texts are cut as far as needed. The last rung does what it can, also when that is not enough.
//!
//! The level is at least 64 tokens, halfway down from the limit to the target if that can be reached. Larger media go,
//! also those of the newest message.

use crate::ladder::clearing::{Clearing, clearing};
use crate::ladder::cutting::{LEAST_CAP, cuttable, cuttable_over, gain, level_to_fit};
use crate::ladder::hold::Hold;
use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Edit, Move, Scene};
use crate::session::reach::Reach;
use crate::session::view::{Item, Slot};

/// The part of the room that a summary or note keeps if possible: one in so many.
const OWN_PART: u64 = 6;
/// About the raw tokens of the shortest summary or note.
const LEAST_OWN: u64 = 40;

pub(super) struct ClipAll;

impl Rung for ClipAll {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if climb.fits {
            return None;
        }
        // What is held gives way only where that is needed, the weakest hold first.
        let parts_over = |over| cuttable_over(scene, Reach::Everything, over);
        let holds = if scene.holds.is_empty() { &Hold::ALL[..1] } else { &Hold::ALL[..] };
        let found = holds.iter().find_map(|&over| Some((over, level_to_fit(scene, &parts_over(over), 0)?)));
        let over = found.map_or(Hold::Excluded, |(over, _)| over);
        let (parts, level) = (parts_over(over), found.map(|(_, level)| level));
        let cap = Some(level.unwrap_or(LEAST_CAP)).filter(|&cap| parts.iter().any(|&(_, tokens)| tokens > cap));
        let clear = clearing(scene, Clearing::default()).filter(|_| level.is_none()).map(|(clear, _)| clear);
        let edit = Edit { cap, reach: Reach::Everything, clear, over, ..Edit::default() };
        (cap.is_some() || clear.is_some()).then_some(Move::Edit(edit))
    }

    fn then(&self, helped: bool) -> Option<RungId> {
        helped.then_some(RungId::ClipAll)
    }
}

/// The level to which all texts would be cut, our own as well; these are cut to their least only if it can be sent then.
/// As long as cutting the others to theirs makes enough room, a summary keeps its part: it stands for all of the past.
pub(super) fn level_of_own(scene: &Scene<'_>) -> Option<u64> {
    let parts = cuttable(scene, Reach::Everything);
    let own = |item: &&Item| matches!(item.slot, Slot::Block | Slot::Summary | Slot::Note);
    let own: Vec<_> = scene.view.items.iter().filter(own).map(|item| (0, item.tokens)).collect();
    let raw = scene.view.raw();
    let left = |cap| raw.saturating_sub(gain(&parts, LEAST_CAP) + gain(&own, cap));
    let all = [parts.clone(), own.clone()].concat();
    let level = level_to_fit(scene, &all, 0).or_else(|| {
        let least = scene.estimate(left(LEAST_OWN));
        (least.tokens + least.bound < scene.limits.window.hard).then_some(LEAST_OWN)
    })?;
    let share = scene.raw(scene.limits.room) / OWN_PART;
    Some(if scene.fits(left(share)) { level.max(share) } else { level })
}
