//! Selects the parts to cut, and the size to cut them to. Shared by the rungs that clip.

use crate::ladder::Scene;
use crate::ladder::hold::Hold;
use crate::session::edits::eligibility::{self, Stage};
use crate::session::reach::Reach;
use crate::session::view::Slot;

/// The least cap of a clip, in raw tokens. A notice must fit.
pub const LEAST_CAP: u64 = 64;

/// The parts that a clip with this reach may cut: index in the view, and raw tokens.
pub fn cuttable(scene: &Scene<'_>, reach: Reach) -> Vec<(usize, u64)> {
    cuttable_over(scene, reach, Hold::Free)
}

/// Like [`cuttable`], but includes messages that are held up to `over`.
pub fn cuttable_over(scene: &Scene<'_>, reach: Reach, over: Hold) -> Vec<(usize, u64)> {
    let mut parts = Vec::new();
    let old = scene.history.old();
    for (at, item) in scene.view.items.iter().enumerate() {
        let Slot::Host { input, index } = item.slot else { continue };
        if scene.hold(input) > over {
            continue;
        }
        if item.fixed {
            continue;
        }
        let message = item.record().unwrap_or(scene.history.messages[input]);
        let stage = Stage { old: index < old, signed: message.is_signed() };
        for part in message.parts() {
            if eligibility::reaches(&part, &message, reach, stage) {
                parts.push((at, u64::from(part.tokens)));
            }
        }
    }
    parts
}

/// The raw tokens that cutting these parts to a cap saves.
pub fn gain(parts: &[(usize, u64)], cap: u64) -> u64 {
    parts.iter().map(|&(_, tokens)| tokens.saturating_sub(cap)).sum()
}

/// The cap at which cutting `parts` brings a view of `raw` raw tokens to `budget`, if there is one.
pub fn level(parts: &[(usize, u64)], raw: u64, budget: u64) -> Option<u64> {
    let need = raw.saturating_sub(budget);
    if need == 0 {
        return None;
    }
    let (mut low, mut high) = (LEAST_CAP, parts.iter().map(|part| part.1).max()?);
    if gain(parts, low) < need {
        return None;
    }
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if gain(parts, middle) >= need { low = middle } else { high = middle - 1 }
    }
    Some(low)
}

/// The cap that brings the view halfway from the limit to the target, so that the next request has room: what is cut here
/// was meant to stay, so it is not cut down to the target. If that is impossible, the cap that brings it to the limit.
/// `None` if the cap would be below `least`.
pub fn level_to_fit(scene: &Scene<'_>, parts: &[(usize, u64)], least: u64) -> Option<u64> {
    let raw = scene.view.raw();
    let aims =
        [(scene.limits.target + scene.limits.limit) / 2, scene.limits.limit].map(|tokens| scene.raw_below(tokens));
    aims.iter().find_map(|&aim| level(parts, raw, aim).filter(|&cap| cap >= least))
}
