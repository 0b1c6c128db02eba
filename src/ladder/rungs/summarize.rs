//! The past becomes a summary by the host's summarizer.

use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Move, Scene, compact};

pub(super) struct Summarize;

impl Rung for Summarize {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        let asks = climb.llm && !scene.limits.tight;
        if asks { compact::shape(scene).map(Move::Compact) } else { None }
    }

    fn then(&self, helped: bool) -> Option<RungId> {
        // With less room taken, more may have to go: as long as that helps.
        Some(if helped { RungId::Digest } else { RungId::ClipResults })
    }
}
