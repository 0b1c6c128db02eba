//! The oldest kept groups are covered too, without a summary of them; or the text of the summary becomes shorter.
//!
//! The summary stays and says how many messages went. Once only the newest group and the active request are left,
//! summary and note are written shorter: to the level to which texts would have to be cut, but to no less than a sixth
//! of the room as long as cutting everything else makes enough. Requirements, names and literals that must stay go
//! last. Both are cut to their least only if the request fits then.

use crate::ladder::rungs::clip_all::level_of_own;
use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Move, Scene, compact};

pub(super) struct Trim;

impl Rung for Trim {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if climb.fits {
            return None;
        }
        let shorter = || compact::shorter(scene, level_of_own(scene)?);
        compact::trim(scene).or_else(shorter).map(Move::Compact)
    }

    fn then(&self, helped: bool) -> Option<RungId> {
        Some(if helped { RungId::Trim } else { RungId::ClipAll })
    }
}
