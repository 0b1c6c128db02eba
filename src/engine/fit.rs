//! How the final view fits, and the outcome that a report names for it.

use crate::call::context::Work;
use crate::ladder::{RungId, Scene};
use crate::report::reasons::{infeasible, why};
use crate::report::{Outcome, Report};

/// How a view fits.
pub(crate) struct Fit {
    pub(crate) fits: bool,
    pub(crate) tight: bool,
    /// Whether even the hard limit is exceeded.
    pub(crate) over: bool,
}

impl Fit {
    pub(crate) fn of(scene: &Scene<'_>) -> Self {
        let raw = scene.view.raw();
        let estimate = scene.estimate(raw);
        Self {
            fits: scene.fits(raw),
            tight: scene.limits.tight,
            over: estimate.tokens + estimate.bound >= scene.limits.window.hard,
        }
    }

    /// The outcome and its reason. `highest`: the highest rung that made the view smaller. `changed`: the view differs from
    /// the history.
    pub(crate) fn outcome(
        &self,
        work: &Work<'_>,
        report: &Report,
        highest: RungId,
        changed: bool,
    ) -> (Outcome, String) {
        let (call, after) = (work.call, &report.after);
        let trigger = after.trigger;
        if call.provider_compacts {
            (if changed { Outcome::Reused } else { Outcome::Unchanged }, work.idle(after))
        } else if !self.fits && self.over {
            (Outcome::Infeasible, infeasible(after))
        } else if !self.fits && !self.tight {
            (
                Outcome::Tight,
                format!(
                    "Nothing else in the request can be covered or cut. It stays between the trigger of {trigger} tokens and the hard limit."
                ),
            )
        } else if self.tight {
            (
                Outcome::Tight,
                format!(
                    "The fixed tokens take more than nine tenths of the trigger of {trigger} tokens. The conversation was brought below the hard limit."
                ),
            )
        } else if highest > RungId::Pass {
            let why = why(&report.before, report.before.trigger, call.now);
            (Outcome::Compacted, format!("{why} Now {} tokens.", after.tokens))
        } else {
            (if changed { Outcome::Reused } else { Outcome::Unchanged }, work.idle(after))
        }
    }
}
