//! The ladder: what to do about a request that does not fit. Climbed only as far as needed; every rung must leave a
//! legal view that is strictly smaller.

mod clearing;
pub mod compact;
mod cutting;
pub mod plan;
pub mod protection;
pub mod rungs;
mod scene;
pub mod strategies;

pub use cutting::LEAST_CAP;
pub use rungs::RungId;
pub use scene::Scene;

use compact::Shape;
use protection::Hold;
use rungs::{Climb, LADDER};

/// Cuts and clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Parts over this many raw tokens are cut to it, in all messages there are now.
    pub cap: Option<u64>,
    /// How far the cut reaches: see [`reach`](crate::session::reach).
    pub reach: u64,
    /// Results of messages before this history index become placeholders.
    pub clear: Option<u64>,
    /// Of these only those of calls that failed.
    pub failed: bool,
    /// Only those of tools that are cleared first.
    pub first: bool,
    /// Reasoning that is not signed is left out of messages before this history index.
    pub thoughts: Option<u64>,
    /// Which of the messages that the host wants whole it touches all the same.
    pub over: Hold,
}

/// What to do next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Move {
    /// Send the view as it is.
    #[default]
    Pass,
    /// Cut and clear.
    Edit(Edit),
    /// Cover the past.
    Compact(Shape),
    /// Nothing more can be done.
    Stuck,
}

/// The lowest rung from `from` on that helps. `llm`: a summary may be asked for.
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
