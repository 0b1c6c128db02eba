//! One step up the ladder: planning tries it, committing takes it. What a move changes is worked out with the scene of the
//! current view, before the state changes.

use crate::base::error::Error;
use crate::call::context::Work;
use crate::call::thinking::Baseline;
use crate::engine::covering::Cover;
use crate::engine::editing::Editing;
use crate::ingest::host::Host;
use crate::session::state::SessionState;
use crate::session::view::View;

/// A move that is worked out: what it changes in the state.
pub(crate) enum Step {
    /// Parts are clipped and cleared.
    Edit(Editing),
    /// The past is covered.
    Cover(Box<Cover>),
}

/// Takes a step and returns the view after it. If the view has not become smaller, the step is undone, except for the
/// backoff counters, and there is none. `replaces`: the step counts whatever its size.
///
/// # Errors
///
/// If the host cannot create a message.
pub(crate) fn take(
    work: &mut Work<'_>,
    (current, baseline): (&View, Option<&Baseline>),
    step: Step,
    replaces: bool,
    host: &mut dyn Host,
) -> Result<Option<View>, Error> {
    let state = work.state.clone();
    match step {
        Step::Edit(editing) => editing.apply(work),
        Step::Cover(cover) => cover.apply(work, host)?,
    }
    let view = work.project_bound(baseline, host)?;
    if replaces || view.raw() < current.raw() {
        return Ok(Some(view));
    }
    work.state = SessionState { breaker: work.state.breaker, ..state };
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    Ok(None)
}
