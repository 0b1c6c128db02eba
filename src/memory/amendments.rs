//! Amendments: which typed sentences later ones about the same thing amend. The earlier one is chosen together with the
//! later ones or not at all, so an old value never stands alone.

use crate::base::order;
use crate::base::words::Class;
use crate::memory::score;
use crate::memory::units::{Kind, Unit};
use crate::memory::vocabulary::Vocabulary;

/// No unit.
pub const NONE: u32 = u32::MAX;
/// The sentences that amend one: the one that shares most with it, and of those with another value the one of which that is
/// the largest part. A change of mind in few words shares few.
pub const WAYS: usize = 2;
/// The most amendments that are followed from one to the next.
const CHAIN: usize = 3;
/// The heaviest words of a sentence that are compared, and the sentences in which each is looked up.
const TOP: usize = 12;
const POSTINGS: usize = 4;
/// A word that both hold has at least this weight, in 1/16 of a bit; of few sentences no shared word may have as much.
const LEAST: u64 = 44;
/// Of the lesser weight of two sentences without their values, what they share is at least one part in so many: of any two,
/// and of two with different values. What is wrongly taken for an amendment takes room: of the open chats in
/// `benches/facts` more stands in the view at one part in three than in two or in four.
const SHARED: u64 = 3;
const SHARED_OF_VALUES: u64 = 6;
/// Characters of a longer message that amends nothing.
const LONGEST: u64 = 600;

/// What two sentences have in common.
#[derive(Clone, Copy, Default)]
struct Shared {
    all: u64,
    strong: u64,
    top: u64,
    words: usize,
    /// Whether one of them has to be repeated exactly.
    exact: bool,
}

/// A typed sentence with its heaviest words.
struct Typed {
    unit: usize,
    top: Vec<(u32, u64, Class)>,
    /// The weight of all of them, and of those that are no values.
    all: u64,
    plain: u64,
}

/// Of each unit the newest ones that amend it, or [`NONE`].
#[inline(never)]
pub fn of(units: &[Unit<'_>], vocabulary: &Vocabulary) -> Vec<[u32; WAYS]> {
    let rarity = vocabulary.rarity();
    let shared_by_few = (0..).zip(rarity).filter(|(word, _)| vocabulary.is_shared(*word)).map(|(_, rarity)| *rarity);
    let least = LEAST.min(shared_by_few.max().unwrap_or_default().into());
    let mut next = vec![[NONE; WAYS]; units.len()];
    // What the ones that amend a unit share with it: the weight, and how large a part of both that is.
    let mut strength = vec![[0_u64; WAYS]; units.len()];
    let typed: Vec<Typed> = (0..units.len())
        .filter(|&unit| units[unit].kind == Kind::Typed)
        .map(|unit| {
            let weight = |word: u32, class| score::word(rarity[word as usize], class, Kind::Typed);
            let weighed = |&(word, class): &(u32, Class)| (word, weight(word, class), class);
            let mut top: Vec<_> = vocabulary.words(unit).iter().map(weighed).collect();
            order::by_key(&mut top, |word| order::both(!word.1, word.0.into()));
            top.truncate(TOP);
            let plain = top.iter().filter(|word| !word.2.is_exact()).map(|word| word.1).sum();
            let all = top.iter().map(|word| word.1).sum();
            Typed { unit, top, all, plain }
        })
        .collect();
    let has_value = |typed: &Typed| typed.top.iter().any(|word| word.2.is_exact());
    let replaces = |later: &Typed, earlier: &Typed| {
        let holds = |value: u32| earlier.top.iter().any(|word| word.0 == value);
        has_value(earlier) && later.top.iter().any(|word| word.2.is_exact() && !holds(word.0))
    };
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
                    let known = typed[earlier as usize].top.iter().find(|known| known.0 == word);
                    let weight = known.map_or(weight, |known| known.1.max(weight));
                    one.all += weight;
                    one.strong += if class.is_exact() { weight } else { 0 };
                    one.top = one.top.max(weight);
                    one.words += 1;
                    one.exact |= class == Class::Strong;
                }
            }
            for &(earlier, one) in &shared {
                let earlier = &typed[earlier as usize];
                // Who names the same file or order speaks about the same thing, in whatever language.
                let exact = one.exact && one.all * SHARED >= later.all.min(earlier.all);
                let alike = exact || one.words > 1 || has_value(later) && has_value(earlier);
                let enough = |parts: u64| (one.all - one.strong) * parts >= later.plain.min(earlier.plain);
                if units[earlier.unit].at < unit.at && alike && one.top >= least {
                    let most = if exact || enough(SHARED) { one.all } else { 0 };
                    let replaced = enough(SHARED_OF_VALUES) && replaces(later, earlier);
                    let part = if replaced { one.all * 1_000 / (later.all + earlier.all).max(1) } else { 0 };
                    for (way, share) in [most, part].into_iter().enumerate() {
                        if share > 0 && strength[earlier.unit][way] <= share {
                            (next[earlier.unit][way], strength[earlier.unit][way]) = (later.unit as u32, share);
                        }
                    }
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
    newest(&next)
}

/// The ends of the ways from each unit to the next one.
fn newest(next: &[[u32; WAYS]]) -> Vec<[u32; WAYS]> {
    let end = |unit: usize, way: usize| {
        let mut newest = NONE;
        let mut at = unit;
        for _ in 0..=CHAIN {
            match next[at][way] {
                NONE => break,
                one => (newest, at) = (one, one as usize),
            }
        }
        newest
    };
    let ends = (0..next.len()).map(|unit| {
        let [most, part] = [end(unit, 0), end(unit, 1)];
        [most, if part == most { NONE } else { part }]
    });
    ends.collect()
}
