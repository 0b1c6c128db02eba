//! The rungs of the ladder, a file each, and the table that puts them in order.
//!
//! A new rung is a file with a `Rung` in it, its name in `rung.rs`, a line among the modules and a line in the table.

mod clear;
mod clip;
mod clip_all;
mod clip_results;
mod digest;
mod drop_reasoning;
mod rung;
mod summarize;
mod trim;

pub use rung::RungId;
pub(crate) use rung::{Climb, Rung};

/// The ladder, the lowest rung first.
pub(crate) const LADDER: &[(RungId, &dyn Rung)] = &[
    (RungId::DropReasoning, &drop_reasoning::DropReasoning),
    (RungId::Clip, &clip::Clip),
    (RungId::Clear, &clear::Clear),
    (RungId::Summarize, &summarize::Summarize),
    (RungId::Digest, &digest::Digest),
    (RungId::ClipResults, &clip_results::ClipResults),
    (RungId::Trim, &trim::Trim),
    (RungId::ClipAll, &clip_all::ClipAll),
];

impl RungId {
    /// The rung from which to look on after a move of this one; none where the ladder ends.
    pub fn then(self, helped: bool) -> Option<Self> {
        let rung = LADDER.iter().find(|&&(id, _)| id == self).map(|&(_, rung)| rung);
        rung.map_or(Some(Self::Clear), |rung| rung.then(helped))
    }
}
