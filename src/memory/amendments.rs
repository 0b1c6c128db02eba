//! Amendments: which typed sentence a later one about the same thing amends. A digest that shows the earlier one shows
//! the later one, too, so an old value never stands alone.

use crate::base::order;
use crate::base::words::Class;
use crate::memory::score;
use crate::memory::units::{Kind, Unit};
use crate::memory::vocabulary::Vocabulary;

/// No unit.
pub const NONE: u32 = u32::MAX;
/// The heaviest words of a sentence that are compared, and the sentences in which each is looked up.
const TOP: usize = 12;
const POSTINGS: usize = 4;
/// A word that both hold has at least this weight, in 1/16 of a bit.
const LEAST: u64 = 48;
/// Of the lesser weight of two sentences without their values, what they share is at least one part in so many. Of the
/// open chats in `benches/facts` at 0.4 of their size three old values stand alone at one part in two, one at this.
const SHARED: u64 = 4;
/// Characters of a longer message that amends nothing.
const LONGEST: u64 = 600;

/// What two sentences have in common.
#[derive(Clone, Copy, Default)]
struct Shared {
    all: u64,
    strong: u64,
    top: u64,
    words: usize,
}

/// A typed sentence with its heaviest words.
struct Typed {
    unit: usize,
    top: Vec<(u32, u64, Class)>,
    /// The weight of those of them that are no values.
    plain: u64,
}

/// Of each unit the newest one that amends it directly, or [`NONE`].
#[inline(never)]
pub fn of(units: &[Unit<'_>], vocabulary: &Vocabulary) -> Vec<u32> {
    let rarity = vocabulary.rarity();
    let mut next = vec![NONE; units.len()];
    // What the one that amends a unit shares with it.
    let mut strength = vec![0_u64; units.len()];
    let typed: Vec<Typed> = (0..units.len())
        .filter(|&unit| units[unit].kind == Kind::Typed)
        .map(|unit| {
            let weight = |word: u32, class| score::word(rarity[word as usize], class, Kind::Typed);
            let weighed = |&(word, class): &(u32, Class)| (word, weight(word, class), class);
            let mut top: Vec<_> = vocabulary.words(unit).iter().map(weighed).collect();
            order::by_key(&mut top, |word| order::both(!word.1, word.0.into()));
            top.truncate(TOP);
            let plain = top.iter().filter(|word| word.2 < Class::Number).map(|word| word.1).sum();
            Typed { unit, top, plain }
        })
        .collect();
    let has_value = |typed: &Typed| typed.top.iter().any(|word| word.2 >= Class::Number);
    // The last sentences in which each word stands that others hold, too, oldest first, and where they are listed.
    let mut postings: Vec<[u32; POSTINGS]> = Vec::new();
    let mut listed = vec![NONE; rarity.len()];
    let mut shared: Vec<(u32, Shared)> = Vec::new();
    for (number, later) in typed.iter().enumerate() {
        let unit = &units[later.unit];
        if unit.length <= LONGEST && !unit.asks() {
            shared.clear();
            for &(word, weight, class) in &later.top {
                let known = postings.get(listed[word as usize] as usize);
                for &earlier in known.into_iter().flatten().filter(|&&earlier| earlier != NONE) {
                    let at = shared.iter().position(|(other, _)| *other == earlier).unwrap_or_else(|| {
                        shared.push((earlier, Shared::default()));
                        shared.len() - 1
                    });
                    let one = &mut shared[at].1;
                    one.all += weight;
                    one.strong += if class >= Class::Number { weight } else { 0 };
                    one.top = one.top.max(weight);
                    one.words += 1;
                }
            }
            for &(earlier, one) in &shared {
                let earlier = &typed[earlier as usize];
                let alike = one.words > 1 || has_value(later) && has_value(earlier);
                let enough = (one.all - one.strong) * SHARED >= later.plain.min(earlier.plain);
                if units[earlier.unit].at < unit.at
                    && alike
                    && enough
                    && one.top >= LEAST
                    && strength[earlier.unit] <= one.all
                {
                    (next[earlier.unit], strength[earlier.unit]) = (later.unit as u32, one.all);
                }
            }
        }
        for &(word, ..) in later.top.iter().filter(|word| vocabulary.is_shared(word.0)) {
            let at = &mut listed[word as usize];
            if *at == NONE {
                *at = postings.len() as u32;
                postings.push([NONE; POSTINGS]);
            }
            let last = &mut postings[*at as usize];
            last.rotate_left(1);
            last[POSTINGS - 1] = number as u32;
        }
    }
    next
}
