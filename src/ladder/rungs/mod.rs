//! The rungs of the ladder, a file each, and the table that puts them in order.
//!
//! A new rung is a file with a `Rung` in it, a line among the modules and a line in the table.

mod clear;
mod clip;
mod clip_all;
mod clip_results;
mod digest;
mod drop_reasoning;
mod summarize;
mod trim;

use crate::ladder::{Move, Scene};
use crate::session::state::OPEN_CLIPS;

/// A rung: what it would do about a request, and where the climb goes on after it.
pub(crate) trait Rung: Sync {
    /// As plans and reports name it.
    fn name(&self) -> &'static str;

    /// What this rung would do, if that helps: either the view fits then, or nothing below this rung can make it.
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move>;

    /// The rung from which to look on after a move of this one; none where the ladder ends.
    fn then(&self, helped: bool) -> Option<RungId>;
}

/// What a climb knows of its scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Climb {
    /// The request may be sent as it is.
    pub fits: bool,
    /// The strategy wants the past covered all the same.
    pub fires: bool,
    /// A summary may be asked for.
    pub llm: bool,
}

impl Climb {
    /// Whether texts may be cut in place instead of covering the past: with many lasting cuts open, covering comes first.
    fn may_edit(&self, scene: &Scene<'_>) -> bool {
        !self.fits && !self.fires && scene.state.open_clips().count() < OPEN_CLIPS
    }
}

macro_rules! ladder {
    ($($(#[$doc:meta])* $id:ident: $rung:expr,)*) => {
        /// Names a rung. In the order of the ladder.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RungId {
            /// Nothing to do.
            #[default]
            Pass,
            $($(#[$doc])* $id,)*
        }

        /// The ladder, the lowest rung first.
        pub(crate) const LADDER: &[(RungId, &dyn Rung)] = &[$((RungId::$id, &$rung)),*];
    };
}

ladder! {
    /// Old reasoning is left out.
    DropReasoning: drop_reasoning::DropReasoning,
    /// Giants are cut.
    Clip: clip::Clip,
    /// Old results become placeholders.
    Clear: clear::Clear,
    /// The past becomes an LLM's summary.
    Summarize: summarize::Summarize,
    /// The past becomes a digest made by code.
    Digest: digest::Digest,
    /// Results are cleared and cut as far as needed.
    ClipResults: clip_results::ClipResults,
    /// The oldest kept groups are covered too.
    Trim: trim::Trim,
    /// All texts are cut as far as needed.
    ClipAll: clip_all::ClipAll,
}

impl RungId {
    /// The names of all rungs, the lowest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        core::iter::once(Self::Pass.as_str()).chain(LADDER.iter().map(|(_, rung)| rung.name()))
    }

    /// As plans and reports name it.
    pub fn as_str(self) -> &'static str {
        self.rung().map_or("pass", Rung::name)
    }

    /// The rung of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = LADDER.iter().find(|(_, rung)| rung.name() == name).map(|&(id, _)| id);
        found.or_else(|| (name == Self::Pass.as_str()).then_some(Self::Pass))
    }

    /// The rung from which to look on after a move of this one; none where the ladder ends.
    pub fn then(self, helped: bool) -> Option<Self> {
        self.rung().map_or(Some(Self::Clear), |rung| rung.then(helped))
    }

    fn rung(self) -> Option<&'static dyn Rung> {
        LADDER.iter().find(|&&(id, _)| id == self).map(|&(_, rung)| rung)
    }
}
