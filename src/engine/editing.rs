//! Cutting and clearing: how the state remembers it.

use crate::call::context::Work;
use crate::ladder::{Edit, LEAST_CAP};
use crate::model::message::Position;
use crate::session::state::Clip;

/// Makes an edit last.
pub(crate) fn apply(work: &mut Work<'_>, edit: Edit) {
    let Edit { cap, reach, clear, failed } = edit;
    let old = work.history.old();
    if let Some(up_to) = clear.and_then(|index| work.history.position(index)) {
        // What was cleared stays so, also where the tail begins earlier now.
        let held = |before: Option<Position>| before.filter(|at| work.history.position(at.count) == Some(*at));
        let farther = |before: Option<Position>| before.filter(|before| before.count > up_to.count).or(Some(up_to));
        if failed {
            work.state.failed = farther(held(work.state.failed));
        } else {
            let before = held(work.state.cleared);
            let media = before.map_or(0, |before| work.state.media.min(before.count));
            work.state.cleared = farther(before);
            work.state.media = media.max(up_to.count.min(old));
        }
    }
    // What goes as a whole is cleared before anything is cut.
    if let (Some(cap), Some(up_to)) = (cap, work.history.position(work.history.end())) {
        let count = |cleared: Option<Position>| cleared.map_or(0, |cleared| cleared.count);
        let (cleared, failed) = (count(work.state.cleared), count(work.state.failed));
        let cap = cap.max(LEAST_CAP);
        // Where the cap before is hardly lower it holds on, so that clips stay few while limits are being learned.
        let before = work.state.open_clips().last().map_or(0, |last| last.cap);
        let cap = if before <= cap && before * 8 >= cap * 7 { before } else { cap };
        work.state.clip(Clip { up_to, cap, reach, old, cleared, failed });
    }
}
