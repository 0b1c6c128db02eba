//! Shapes: units that are the same but for their digits. The tenth step of a count says little that the ninth did not, though
//! its number was never said before; a number that somebody changes comes in as an amendment.

use crate::base::distinct::with_letter;
use crate::base::id_map::IdMap;
use crate::memory::units::Unit;

/// The number of the shape of each unit, and how many shapes there are.
#[inline(never)]
pub fn of(units: &[Unit<'_>]) -> (Vec<u32>, usize) {
    let mut known = IdMap::new(units.len());
    let mut count = 0;
    let numbered = units.iter().map(|unit| {
        let shape = shape(&unit.text);
        let number = known.get(shape).unwrap_or_else(|| {
            known.insert(shape, count);
            count += 1;
            count - 1
        });
        number as u32
    });
    (numbered.collect(), count as usize)
}

/// The hash of a text with one sign for each number.
pub fn shape(text: &str) -> u64 {
    let (mut hash, mut in_number) = (0, false);
    for char in text.chars() {
        let is_digit = char.is_numeric();
        if !(is_digit && in_number) {
            hash = with_letter(hash, if is_digit { '0' } else { char });
        }
        in_number = is_digit;
    }
    hash
}
