//! One step up the ladder.

use crate::ladder::moves::Move;
use crate::ladder::rungs::{Climb, LADDER, RungId};
use crate::ladder::{Scene, strategies};

/// The first rung from `from` on that helps. `llm`: a summarizer may be called.
pub fn next(scene: &Scene<'_>, from: RungId, llm: bool) -> (RungId, Move) {
    let fits = scene.fits(scene.view.raw());
    let fires = from == RungId::Pass && scene.in_flight.is_none() && strategies::fires(scene);
    let climb = Climb { fits, fires, llm };
    if fits && !fires {
        return (RungId::Pass, Move::Pass);
    }
    let mut rungs = LADDER.iter().filter(|(id, _)| *id >= from);
    let found = rungs.find_map(|&(id, rung)| rung.propose(scene, &climb).map(|action| (id, action)));
    let highest = LADDER.last().map_or(RungId::Pass, |&(id, _)| id);
    found.unwrap_or(if fits { (RungId::Pass, Move::Pass) } else { (highest, Move::Stuck) })
}
