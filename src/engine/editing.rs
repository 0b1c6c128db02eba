//! How the state records clips and clears.
//!
//! A clip that was made before another is applied before it, although one cut to the smaller cap would be enough: a
//! view that was given back has been through both, and must come out like its history. So no clip may be forgotten
//! while it concerns anything, and few are made:
//!
//! - A cap up to an eighth above that of the clip before is that of the clip before.
//! - A clip that differs from the last only in what it left cleared, and had been seen by it, becomes one with it.
//! - Clips that concern only what is covered go, unless a kept message is larger than their cap.
//! - With 16 clips of what is not covered, the past is covered, where that can be, in place of a clip or a clear.
//!
//! Only where 24 clips concern the newest group and the active request is the oldest forgotten.

use crate::base::order;
use crate::call::context::Work;
use crate::ladder::protection;
use crate::ladder::{Edit, LEAST_CAP, Scene};
use crate::model::message::{PartKind, Position};
use crate::session::clip::Clip;
use crate::session::lasting;
use crate::session::state::SPARED;

/// An edit, and the messages that it leaves alone.
pub(crate) struct Editing {
    edit: Edit,
    spared: Vec<u64>,
}

impl Editing {
    /// The edit of a view whose scene this is.
    pub(crate) fn of(scene: &Scene<'_>, edit: Edit) -> Self {
        Self { edit, spared: spared(scene, &edit) }
    }

    /// Records the edit in the state.
    pub(crate) fn apply(self, work: &mut Work<'_>) {
        let Edit { cap, reach, clear, thoughts, failed, first: _, unsent: _, over: _ } = self.edit;
        work.state.spared = self.spared;
        // What was cleared stays so, also where the tail begins earlier now.
        let history = &work.history;
        let held = |before: Option<Position>| before.filter(|at| history.position(at.count) == Some(*at));
        let farther = |before: Option<Position>, up_to: Position| {
            held(before).filter(|before| before.count > up_to.count).or(Some(up_to))
        };
        if let Some(up_to) = thoughts.and_then(|index| history.position(index)) {
            work.state.thoughts = farther(work.state.thoughts, up_to);
        }
        let old = work.history.old();
        if let Some(up_to) = clear.and_then(|index| work.history.position(index)) {
            if failed {
                work.state.failed = farther(work.state.failed, up_to);
            } else {
                let before = held(work.state.cleared);
                let media = before.map_or(0, |before| work.state.media.min(before.count));
                work.state.cleared = farther(before, up_to);
                work.state.media = media.max(up_to.count.min(old));
            }
        }
        // Messages that are cleared completely are not clipped.
        if let (Some(cap), Some(up_to)) = (cap, work.history.position(work.history.end())) {
            let count = |cleared: Option<Position>| cleared.map_or(0, |cleared| cleared.count);
            let (cleared, failed) = (count(work.state.cleared), count(work.state.failed));
            let cap = cap.max(LEAST_CAP);
            // If the new cap is only slightly higher, the previous one is kept, so that there are few clips while limits
            // are being learned.
            let before = work.state.open_clips().last().map_or(0, |last| last.cap);
            let cap = if before <= cap && before * 8 >= cap * 7 { before } else { cap };
            work.state.clip(Clip { up_to, cap, reach, old, cleared, failed });
        }
    }
}

/// The messages that an edit leaves alone: those that are held more firmly than the edit is strong, those that an
/// earlier edit left alone and this one does not affect, and, if it clears only results of some tools, all others that
/// nothing has changed yet.
fn spared(scene: &Scene<'_>, edit: &Edit) -> Vec<u64> {
    if edit.cap.is_none() && edit.clear.is_none() {
        return scene.state.spared.clone();
    }
    let firsts = if edit.first { protection::first(scene) } else { Vec::new() };
    let edited = lasting::edited_up_to(scene.history, scene.state);
    let others = |input: usize| {
        let index = scene.history.index_of(input).unwrap_or(u64::MAX);
        // The copy in the view is checked, which the tool's policy may have cut already, so that a view passed as history
        // gives the same result.
        let made = scene.places[input].and_then(|at| scene.view.items[at].record());
        let message = made.unwrap_or(scene.history.messages[input]);
        let cut = edit.cap.is_some_and(|cap| message.parts().any(|part| u64::from(part.tokens) > cap));
        let was_left_alone = scene.state.spared.binary_search(&index).is_ok();
        if index < edit.unsent.unwrap_or(0) {
            return was_left_alone || index >= edited && cut;
        }
        let clears = index < edit.clear.unwrap_or(0);
        if !was_left_alone {
            return clears && index >= edited && firsts.get(input) == Some(&false);
        }
        // It stays so until this edit changes it.
        let cleared = clears
            && match (edit.first, edit.failed) {
                (true, _) => firsts.get(input) == Some(&true),
                (_, true) => message.has_marked(PartKind::Result),
                _ => true,
            };
        !cut && !cleared
    };
    let count = scene.history.messages.len();
    let held = (0..count).filter(|&input| scene.hold(input) > edit.over || others(input));
    let mut spared: Vec<u64> = held.filter_map(|input| scene.history.index_of(input)).collect();
    order::numbers(&mut spared);
    spared.drain(..spared.len().saturating_sub(SPARED));
    spared
}
