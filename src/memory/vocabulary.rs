//! The words of all units of a pool, numbered, and how rare they are.

use crate::base::id_map::IdMap;
use crate::base::logarithm;
use crate::base::words::{self, Class};
use crate::memory::units::Unit;

/// 1/16 in what a logarithm is counted in.
const SIXTEENTH: u64 = 65_536 / 16;

/// The words of all units, numbered.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    numbers: IdMap,
    /// In how many units each word stands.
    counts: Vec<u32>,
    /// The words of the units, one after the other.
    words: Vec<(u32, Class)>,
    /// Where the words of each unit end.
    ends: Vec<u32>,
}

impl Vocabulary {
    /// The words of units.
    pub fn of(units: &[Unit<'_>]) -> Self {
        let mut all = Self::default();
        let mut found: Vec<(u64, Class)> = Vec::new();
        for unit in units {
            found.clear();
            words::each(&unit.text, &mut |word, class| found.push((word, class)));
            words::sort(&mut found);
            for &(word, class) in &found {
                let number = all.numbers.get(word).unwrap_or_else(|| {
                    let number = all.counts.len() as u64;
                    all.numbers.insert(word, number);
                    all.counts.push(0);
                    number
                });
                all.counts[number as usize] += 1;
                all.words.push((number as u32, class));
            }
            all.ends.push(all.words.len() as u32);
        }
        all
    }

    /// The number of a word, by its hash.
    pub fn number(&self, word: u64) -> Option<u32> {
        self.numbers.get(word).map(|number| number as u32)
    }

    /// The rarity of each word, in 1/16 of a bit.
    pub fn rarities(&self) -> Vec<u32> {
        let units = self.ends.len() as u64 + 1;
        let rarity = |count: &u32| {
            let count = u64::from(*count).max(1);
            ((logarithm::of(units + count) - logarithm::of(count)) / SIXTEENTH) as u32
        };
        self.counts.iter().map(rarity).collect()
    }

    /// The words of a unit: the number of each and its class.
    pub fn words(&self, unit: usize) -> &[(u32, Class)] {
        let end = |unit: usize| self.ends.get(unit).map_or(0, |end| *end as usize);
        let from = if unit == 0 { 0 } else { end(unit - 1) };
        self.words.get(from..end(unit)).unwrap_or_default()
    }
}
