//! Reasoning of earlier turns is left out where no provider checks that it comes back, if the host wants that.
//!
//! Only reasoning that is not signed and that the format numbers is left out. A message that holds nothing else keeps
//! it.

use crate::ladder::rungs::rung::{Climb, Rung, RungId};
use crate::ladder::{Edit, Move, Scene};
use crate::session::view::{self, Item, Slot};

pub(super) struct DropReasoning;

impl Rung for DropReasoning {
    fn propose(&self, scene: &Scene<'_>, climb: &Climb) -> Option<Move> {
        let wanted = scene.options.wishes.drops_reasoning == Some(true);
        let wanted = wanted && scene.leaves_out && !scene.history.keeps_reasoning;
        if !wanted || climb.fits || climb.fires {
            return None;
        }
        let old = scene.history.old();
        let raw = scene.view.raw();
        let left = raw.saturating_sub(scene.view.items.iter().map(|item| gained(scene, item, old)).sum());
        // What would only just do is left to the rungs above: else each turn would change the prefix once more.
        let helps = left < raw && (scene.leaves_room(left) || !scene.fits(left));
        helps.then_some(Move::Edit(Edit { thoughts: Some(old), ..Edit::default() }))
    }

    fn then(&self, _: bool) -> Option<RungId> {
        Some(RungId::Clip)
    }
}

/// Raw tokens of the reasoning that a message before the history index `old` goes without.
fn gained(scene: &Scene<'_>, item: &Item, old: u64) -> u64 {
    let Slot::Host { input, index } = item.slot else { return 0 };
    if item.fixed || index >= old {
        return 0;
    }
    let message = item.record().unwrap_or(scene.history.messages[input]);
    let thoughts = view::thoughts(&message);
    message.parts().filter(|part| thoughts.contains(&part.number)).map(|part| u64::from(part.tokens)).sum()
}
