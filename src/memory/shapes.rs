//! Shapes: units of the work that are the same but for their digits. The tenth step of a count says little that the ninth
//! did not, though its number was never said before.

use crate::base::distinct::hash;
use crate::memory::units::{Kind, Unit};
use std::collections::BTreeMap;

/// The number of the shape of each unit, and how many shapes there are. What is said to
/// somebody has a shape of its own: a new number in it may be all that has changed.
pub fn of(units: &[Unit<'_>]) -> (Vec<u32>, usize) {
    let mut known: BTreeMap<u64, u32> = BTreeMap::new();
    let mut count = 0;
    let mut next = || {
        count += 1;
        count - 1
    };
    let number = |unit: &Unit<'_>| {
        if unit.kind.is_work() || unit.kind == Kind::Step {
            *known.entry(shape(&unit.text)).or_insert_with(&mut next)
        } else {
            next()
        }
    };
    let all: Vec<u32> = units.iter().map(number).collect();
    (all, count as usize)
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
