//! Shapes: units that are the same but for their digits. The tenth step of a count says little that the ninth did not, though
//! its number was never said before; a number that somebody changes comes in as an amendment.

use crate::base::distinct::hash;
use crate::memory::units::Unit;
use std::collections::BTreeMap;

/// The number of the shape of each unit, and how many shapes there are.
pub fn of(units: &[Unit<'_>]) -> (Vec<u32>, usize) {
    let mut known: BTreeMap<u64, u32> = BTreeMap::new();
    let mut all = Vec::with_capacity(units.len());
    for unit in units {
        let next = known.len() as u32;
        all.push(*known.entry(shape(&unit.text)).or_insert(next));
    }
    (all, known.len())
}

fn shape(text: &str) -> u64 {
    let mut shape = String::with_capacity(text.len());
    for char in text.chars() {
        if !char.is_numeric() {
            shape.push(char);
        } else if !shape.ends_with('0') {
            shape.push('0');
        }
    }
    hash(&shape)
}
