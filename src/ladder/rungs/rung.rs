//! What a rung is, and the names of all rungs in the order of the ladder.

use crate::base::named::named;
use crate::ladder::moves::Move;
use crate::ladder::scene::Scene;
use crate::session::state::OPEN_CLIPS;

/// A rung: what it would do about a request, and where the climb goes on after it.
pub(crate) trait Rung: Sync {
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
    pub(super) fn may_edit(&self, scene: &Scene<'_>) -> bool {
        !self.fits && !self.fires && scene.state.open_clips().count() < OPEN_CLIPS
    }
}

named! {
    /// Names a rung. In the order of the ladder.
    #[derive(Default)]
    RungId {
        /// Nothing to do.
        #[default]
        Pass = "pass",
        /// Old reasoning is left out.
        DropReasoning = "drop-reasoning",
        /// Giants are cut.
        Clip = "clip",
        /// Old results become placeholders.
        Clear = "clear",
        /// The past becomes an LLM's summary.
        Summarize = "summarize",
        /// The past becomes a digest made by code.
        Digest = "digest",
        /// Results are cleared and cut as far as needed.
        ClipResults = "clip-results",
        /// The oldest kept groups are covered too.
        Trim = "trim",
        /// All texts are cut as far as needed.
        ClipAll = "clip-all",
    }
}
