//! The words of all units of a pool, numbered, and how rare they are.

use crate::base::id_map::IdMap;
use crate::base::logarithm;
use crate::base::words::{self, Class};
use crate::memory::units::Unit;
use core::ops::Range;

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
    /// The rarity of each word, in 1/16 of a bit.
    rarities: Vec<u32>,
}

impl Vocabulary {
    /// The words of units.
    #[inline(never)]
    pub fn of(units: &[Unit<'_>]) -> Self {
        let mut all = Self::default();
        // Where each word was met last.
        let mut places: Vec<u32> = Vec::new();
        for unit in units {
            let from = all.words.len() as u32;
            words::each(&unit.text, &mut |word, class| {
                let number = all.numbers.get(word).unwrap_or_else(|| {
                    let number = places.len() as u64;
                    all.numbers.insert(word, number);
                    all.counts.push(0);
                    places.push(u32::MAX);
                    number
                }) as usize;
                let place = &mut places[number];
                if *place != u32::MAX && *place >= from {
                    // Of several classes the highest counts.
                    let known = &mut all.words[*place as usize].1;
                    *known = class.max(*known);
                    return;
                }
                *place = all.words.len() as u32;
                all.counts[number] += 1;
                all.words.push((number as u32, class));
            });
            all.ends.push(all.words.len() as u32);
        }
        all.rarities = all.rarities();
        all
    }

    /// The numbers of the words of a text that are known, each once.
    pub fn known(&self, text: &str) -> Vec<u32> {
        let mut met = vec![false; self.counts.len()];
        let mut known = Vec::new();
        words::each(text, &mut |word, _| {
            if let Some(number) = self.numbers.get(word).filter(|number| !met[*number as usize]) {
                met[number as usize] = true;
                known.push(number as u32);
            }
        });
        known
    }

    /// Whether a word stands in more than one unit.
    pub fn is_shared(&self, word: u32) -> bool {
        self.counts.get(word as usize).is_some_and(|count| *count > 1)
    }

    /// The rarity of each word, in 1/16 of a bit.
    pub fn rarity(&self) -> &[u32] {
        &self.rarities
    }

    fn rarities(&self) -> Vec<u32> {
        let units = self.ends.len() as u64 + 1;
        // Most words stand in few units.
        let mut known = [0_u32; 64];
        let mut rarity = |&count: &u32| {
            let of = |count: u64| ((logarithm::of(units + count) - logarithm::of(count)) / SIXTEENTH) as u32;
            match known.get_mut(count as usize) {
                Some(known) if *known > 0 => *known,
                Some(known) => {
                    *known = of(u64::from(count).max(1));
                    *known
                }
                None => of(u64::from(count)),
            }
        };
        self.counts.iter().map(&mut rarity).collect()
    }

    /// The words of a unit: the number of each and its class.
    pub fn words(&self, unit: usize) -> &[(u32, Class)] {
        self.words.get(self.range(unit)).unwrap_or_default()
    }

    /// The places of the words of a unit among those of all units.
    pub fn range(&self, unit: usize) -> Range<usize> {
        let end = |unit: usize| self.ends.get(unit).map_or(0, |end| *end as usize);
        let from = if unit == 0 { 0 } else { end(unit - 1) };
        from..end(unit)
    }
}
