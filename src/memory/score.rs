//! What a unit is worth, in whole numbers: the rarity of its words, by what it is, when it was said and how long it is.

use crate::base::words::Class;
use crate::memory::pool::Pool;
use crate::memory::units::{Kind, Unit};

/// 1 in the figures below.
const ONE: u64 = 1_000;
/// The age in messages at which what fades has lost half.
const HALF: u64 = 120;
/// A typed sentence is worth this beside its words, in 1/16 of a bit.
pub const TYPED_BASE: u64 = 92;
/// What a unit takes beside its text, so that short ones are not all there is.
const COST_TYPED: u64 = 8;
const COST: u64 = 16;
/// Factors: a question that was typed before the newest message, the first message, the newest one, the last words of the
/// assistant, its last plan.
const ASKED: u64 = 500;
const FIRST: u64 = 1_600;
const OPEN: u64 = 2_500;
const LAST_SAID: u64 = 1_600;
const PLAN: u64 = 1_400;

/// How much a kind of unit is worth, and what of that stays however old it is.
const fn prior(kind: Kind) -> (u64, u64) {
    match kind {
        Kind::Typed => (4_000, ONE),
        Kind::Long => (1_600, ONE),
        Kind::Answer => (1_100, 450),
        Kind::Earlier => (1_100, ONE),
        Kind::Step => (700, 250),
        Kind::Record => (1_000, 250),
        Kind::Error => (900, 250),
        Kind::Verdict => (700, 250),
        Kind::Call | Kind::Line | Kind::Pasted => (600, 250),
        Kind::Code | Kind::Written => (500, 250),
        Kind::Edge => (450, 250),
    }
}

/// The factor of a typed message by its characters: of a short one each sentence says more.
fn brevity(characters: u64) -> u64 {
    match characters {
        ..=50 => 1_800,
        51..=90 => 1_500,
        91..=170 => 1_280,
        171..=250 => 1_100,
        _ => ONE,
    }
}

/// 16 times the binary logarithm of a fraction that is not less than 1.
fn sixteenths(of: u64, by: u64) -> u64 {
    let mut ratio = (of << 16) / by.max(1);
    let whole = u64::from(ratio.max(1 << 16).ilog2()) - 16;
    ratio >>= whole;
    let mut log = whole;
    for _ in 0..5 {
        ratio = (ratio * ratio) >> 16;
        log <<= 1;
        if ratio >= 2 << 16 {
            ratio >>= 1;
            log |= 1;
        }
    }
    log.div_ceil(2)
}

/// What the words of the units are worth, and what each unit is.
pub struct Scores {
    /// The rarity of each word, in 1/16 of a bit.
    rarity: Vec<u32>,
    /// What each unit is worth beside its words, in 1/64.
    pub merit: Vec<u64>,
}

impl Scores {
    /// The scores of all units of a pool.
    pub fn of(pool: &Pool<'_>) -> Self {
        let units = pool.units.len() as u64 + 1;
        let rarity = |count: &u32| {
            let count = u64::from(*count).max(1);
            sixteenths(units + count, count) as u32
        };
        Self {
            rarity: pool.counts().iter().map(rarity).collect(),
            merit: pool.units.iter().map(|unit| merit(unit, pool)).collect(),
        }
    }

    /// What a word of a unit is worth, in 1/16 of a bit.
    pub fn word(&self, word: u32, class: Class, work: bool) -> u64 {
        let rarity = u64::from(self.rarity[word as usize]);
        match class {
            Class::Strong if work => rarity * 3,
            Class::Strong => rarity * 2,
            Class::Proper => rarity * 13 / 10,
            Class::Plain => rarity,
            Class::Pair => rarity / 2,
        }
    }
}

/// What a unit takes: its size and something beside it.
pub fn cost(unit: &Unit<'_>, size: u64) -> u64 {
    size + if unit.kind == Kind::Typed { COST_TYPED } else { COST }
}

fn merit(unit: &Unit<'_>, pool: &Pool<'_>) -> u64 {
    let marks = &pool.marks;
    let age = pool.end.saturating_sub(unit.at + 1);
    let (prior, stays) = prior(unit.kind);
    let mut merit = prior * (stays + (ONE - stays) * HALF / (HALF + age)) / ONE;
    let mut by = |factor: u64| merit = merit * factor / ONE;
    let (newest, at) = (marks.last == Some(unit.at), Some(unit.at));
    if unit.kind == Kind::Typed {
        by(brevity(unit.typed));
        if !newest && unit.asks() {
            by(ASKED);
        }
    }
    let talks = matches!(unit.kind, Kind::Answer | Kind::Step);
    for (applies, factor) in
        [(marks.first == at, FIRST), (newest, OPEN), (marks.said == at, LAST_SAID), (talks && marks.plan == at, PLAN)]
    {
        if applies {
            by(factor);
        }
    }
    (merit * 64 / ONE).max(1)
}
