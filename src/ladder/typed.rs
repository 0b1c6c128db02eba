//! Which typed messages stay beside the active one.

use crate::ladder::Scene;

/// The typed message that a cut keeps in addition to the active one, if it fits.
pub(crate) fn typed_that_stay(scene: &Scene<'_>, cut: usize) -> Vec<usize> {
    let most = scene.typed_most();
    let mut recent = recent_typed(scene, cut);
    recent.retain(|&input| scene.estimate_of(scene.tokens(input)) <= most);
    recent
}

/// The typed message before `cut` that is among the last two typed ones and is not the active one, if any.
pub(crate) fn recent_typed(scene: &Scene<'_>, cut: usize) -> Vec<usize> {
    let mut typed = (0..scene.history.messages.len()).rev().filter(|&input| scene.history.is_typed(input)).take(2);
    let pair = [typed.next(), typed.next()];
    pair.into_iter().flatten().filter(|&input| input < cut && Some(input) != scene.active_user()).collect()
}
