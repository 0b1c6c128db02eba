//! The past becomes a digest made by code.

use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Move, Scene, compact};

pub(super) struct Digest;

impl Rung for Digest {
    fn propose(&self, scene: &Scene<'_>, _: &Climb) -> Option<Move> {
        compact::shape(scene).map(Move::Compact)
    }

    fn then(&self, helped: bool) -> Option<RungId> {
        // With less room taken, more may have to go: as long as that helps.
        Some(if helped { RungId::Digest } else { RungId::ClipResults })
    }
}
