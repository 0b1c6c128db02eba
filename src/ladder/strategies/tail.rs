//! `tail`: keeps the newest groups verbatim, as many as fit into their share of the room or into the host's target, and
//! at least the newest one.

use crate::ladder::{Scene, typed};

/// The first message of the tail.
pub fn tail_start(scene: &Scene<'_>) -> usize {
    let lead = scene.lead();
    let newest = scene.newest();
    let active = scene.active_user();
    // A cut inside the active turn needs room for the progress note.
    let (with_note, without) = (scene.tail_most(true), scene.tail_most(false));
    let most = |start: usize| if active.is_some_and(|active| active < start) { with_note } else { without };
    // Messages that stay wherever the cut is take their part of a target in any case.
    let typed = if scene.limits.aims { typed::typed_that_stay(scene, newest) } else { Vec::new() };
    let stands = |input: usize| {
        scene.limits.aims && input < newest && (scene.stays(input) || active == Some(input) || typed.contains(&input))
    };
    let tokens = |inputs: &mut dyn Iterator<Item = usize>| inputs.map(|input| scene.tokens(input)).sum::<u64>();
    let mut kept = tokens(&mut (newest..scene.history.messages.len()));
    kept += tokens(&mut (0..newest).filter(|&input| stands(input)));
    let (mut start, mut at) = (newest, newest);
    while at > lead {
        let group = scene.cuts.start_of(at - 1 - lead) + lead;
        kept += tokens(&mut (group..at).filter(|&input| !stands(input)));
        if kept > most(lead) {
            break;
        }
        at = group;
        if kept <= most(at) {
            start = at;
        }
    }
    start
}
