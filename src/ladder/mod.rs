//! The ladder decides what to do about a request that does not fit. It is climbed only as far as necessary. Every rung
//! must leave a valid view that is strictly smaller.

mod clearing;
pub mod compact;
mod cutting;
pub mod plan;
mod portions;
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

/// A lasting edit: clips and clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Parts with more raw tokens than this are cut to it, in all present messages.
    pub cap: Option<u64>,
    /// The reach of the cut: see [`reach`](crate::session::reach).
    pub reach: u64,
    /// Results in messages before this history index are cleared.
    pub clear: Option<u64>,
    /// Whether only results of failed calls are cleared.
    pub failed: bool,
    /// Whether only results of tools that are cleared first are cleared.
    pub first: bool,
    /// Unsigned reasoning is left out of messages before this history index.
    pub thoughts: Option<u64>,
    /// Messages before this history index are not cut: they were sent as they are.
    pub unsent: Option<u64>,
    /// Up to which hold the edit affects messages that the host wants whole.
    pub over: Hold,
}

/// The next step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Move {
    /// Send the view as it is.
    #[default]
    Pass,
    /// Clip and clear.
    Edit(Edit),
    /// Cover the past.
    Compact(Shape),
    /// Nothing more helps.
    Stuck,
}

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
