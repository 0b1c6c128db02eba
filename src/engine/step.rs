//! One step up the ladder: planning tries it, committing takes it.

use crate::base::error::Error;
use crate::call::context::Work;
use crate::engine::editing;
use crate::ingest::host::Host;
use crate::ladder::Edit;
use crate::session::state::SessionState;
use crate::session::view::View;

/// Makes a change and returns the view after it. If the view has not become smaller, the change is undone, except for the
/// backoff counters, and there is none. `replaces`: the change counts whatever its size.
///
/// # Errors
///
/// Those of `change`, and if the host cannot create a message.
pub(crate) fn take<'a>(
    work: &mut Work<'a>,
    current: &View,
    replaces: bool,
    host: &mut dyn Host,
    change: &mut dyn FnMut(&mut Work<'a>, &mut dyn Host) -> Result<(), Error>,
) -> Result<Option<View>, Error> {
    let state = work.state.clone();
    change(work, host)?;
    let view = work.project_bound(host)?;
    if replaces || view.raw() < current.raw() {
        return Ok(Some(view));
    }
    work.state = SessionState { breaker: work.state.breaker, ..state };
    work.history.active = work.state.checkpoints.len().checked_sub(1);
    Ok(None)
}

/// Clips and clears.
pub(crate) fn edit(work: &mut Work<'_>, current: &View, edit: Edit) {
    let spared = editing::spared(&work.scene(current), &edit);
    editing::apply(work, edit, spared);
}
