//! All old results become placeholders, or results are cut as far as needed; then what the assistant wrote.
//!
//! The level lies halfway down from the limit to the target, or at the limit if that cannot be reached, and is at
//! least a twentieth of the room. If cutting results is not enough, old arguments, media and texts of the assistant
//! are cut with them.

use crate::ladder::clearing::{Clearing, clearing};
use crate::ladder::cutting::{cuttable, level_to_fit};
use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Edit, Move, Scene};
use crate::session::reach::Reach;

pub(super) struct ClipResults;

impl Rung for ClipResults {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        if climb.fits {
            return None;
        }
        if let Some((clear, gained)) = clearing(scene, Clearing::default())
            && scene.fits(scene.view.raw().saturating_sub(gained))
        {
            return Some(Move::Edit(Edit { clear: Some(clear), ..Edit::default() }));
        }
        let least = scene.raw(scene.limits.room) / 20;
        [Reach::Results, Reach::Assistant].into_iter().find_map(|reach| {
            let cap = level_to_fit(scene, &cuttable(scene, reach), least)?;
            Some(Move::Edit(Edit { cap: Some(cap), reach, ..Edit::default() }))
        })
    }

    fn then(&self, _: bool) -> Option<RungId> {
        Some(RungId::Trim)
    }
}
