//! Uptake: how much of what a tool returned the assistant used afterwards, where nobody had said it before. A listing has
//! hundreds of lines, and those matter that somebody went on with.

use crate::memory::units::Unit;
use crate::memory::vocabulary::Vocabulary;

/// The uptake of a line all of whose words were used.
pub const MOST: u64 = 100;

/// Of each unit that a tool returned, how much of the weight of its words was used first behind it, in percent.
#[inline(never)]
pub fn of(units: &[Unit<'_>], vocabulary: &Vocabulary) -> Vec<u8> {
    let rarity = vocabulary.rarity();
    // Where each word was used first.
    let mut first = vec![u32::MAX; rarity.len()];
    for (number, _) in units.iter().enumerate().rev().filter(|(_, unit)| !unit.kind.is_returned()) {
        vocabulary.words(number).iter().for_each(|&(word, _)| first[word as usize] = number as u32);
    }
    let share = |(number, unit): (usize, &Unit<'_>)| {
        if !unit.kind.is_returned() {
            return 0;
        }
        let (mut all, mut used) = (0, 0);
        for &(word, class) in vocabulary.words(number) {
            let weight = u64::from(rarity[word as usize]);
            all += weight;
            let at = first[word as usize];
            let is_used = class.is_exact() && at != u32::MAX && at as usize > number;
            used += if is_used { weight } else { 0 };
        }
        (used * MOST / all.max(1)) as u8
    };
    units.iter().enumerate().map(share).collect()
}
