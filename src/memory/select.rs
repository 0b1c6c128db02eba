//! Chooses units by how much each adds for what it takes: a lazy greedy choice under a budget. A word counts half as much
//! for each chosen unit that holds it, a value or a name a quarter, so what was said before adds little.
//!
//! Typed sentences come first, with 25 % of a digest and 70 % of the state; results have no more than 75 % while
//! anything else is left. A unit counts half when a third of the budget is of its message, an eighth where it is work,
//! the start of a request apart. A sentence is chosen together with the newest ones that amend it, and goes with them.

use crate::base::order;
use crate::base::words::Class;
use crate::memory::amendments::NONE;
use crate::memory::pool::Pool;
use crate::memory::score::{self, TYPED_BASE};
use crate::memory::units::Kind;
use std::collections::BinaryHeap;

/// Less room than this holds no unit.
const LEAST: u64 = 6;
/// A message of which as much was chosen as one part in so many of the budget is worth half, of what was said and of the
/// work: a long prompt or listing leaves room for what was said about it. The start of a request does not count.
const SPREAD: u64 = 3;
const SPREAD_WORK: u64 = 8;
/// How often a unit is worth half for others of its shape that were chosen.
const ALIKE: u8 = 3;
/// The part of its weight, in percent, from which on a summary says a sentence that amends another one: who knows the old
/// value knows most words of the new sentence.
const AMENDS: u64 = 95;
/// What results may take of a budget, in percent, as long as anything else is left.
const WORK: u64 = 75;

/// A choice among the units of a pool.
pub struct Selection<'p, 't> {
    pool: &'p Pool<'t>,
    /// What each unit takes.
    size: Vec<u64>,
    /// How often each word counts as said.
    cover: Vec<u8>,
    chosen: Vec<bool>,
    /// Units that may be chosen.
    open: Vec<bool>,
    /// Units that amend what counts as said.
    corrects: Vec<bool>,
    /// Whether units are chosen together with their partners.
    bundled: bool,
    /// Whether a line of a result is chosen together with its call.
    attached: bool,
    /// What is chosen of each message.
    taken: Vec<u64>,
    /// The budget of which no message takes much.
    spread: u64,
    /// How many are chosen of each shape.
    alike: Vec<u8>,
    /// The chosen ones in the order in which they were chosen.
    pub order: Vec<usize>,
}

impl<'p, 't> Selection<'p, 't> {
    /// Nothing is chosen yet. `size`: what each unit takes of the budget. `open`: whether a unit may be chosen.
    pub fn new(pool: &'p Pool<'t>, size: &dyn Fn(usize) -> u64, open: &dyn Fn(usize) -> bool) -> Self {
        let count = pool.units.len();
        let open: Vec<bool> = (0..count).map(open).collect();
        Self {
            size: (0..count).map(|unit| if open[unit] { size(unit) } else { 0 }).collect(),
            cover: vec![0; pool.rarity().len()],
            chosen: vec![false; count],
            order: Vec::new(),
            taken: vec![0; count],
            spread: u64::MAX / 2,
            alike: vec![0; pool.shape.1],
            pool,
            corrects: vec![false; count],
            open,
            bundled: true,
            attached: false,
        }
    }

    /// Counts the words of a text as said so many times.
    pub fn said(&mut self, text: &str, times: u8) {
        for word in self.pool.known(text) {
            let cover = &mut self.cover[word as usize];
            *cover = cover.saturating_add(times);
        }
    }

    /// Closes the units of which at least this part of the weight, in percent, counts as said, and what those amend. What
    /// amends another sentence is said where nearly all of it is, and no value of it is missing.
    pub fn close_said(&mut self, percent: &dyn Fn(usize) -> u64) {
        let mut closed = vec![false; self.open.len()];
        let mut amends = vec![false; self.open.len()];
        (0..closed.len()).flat_map(|unit| self.amending(unit)).for_each(|newer| amends[newer] = true);
        // What amends a unit stands behind it.
        for unit in (0..closed.len()).rev() {
            let (mut all, mut said, mut lacks) = (0, 0, false);
            for &(word, class) in self.pool.words(unit) {
                let weight = score::word(self.pool.rarity()[word as usize], class, Kind::Typed);
                let is_said = self.cover[word as usize] > 0;
                all += weight;
                said += if is_said { weight } else { 0 };
                lacks |= !is_said && class >= Class::Number;
            }
            let percent = if amends[unit] { AMENDS } else { percent(unit) };
            let is_said = said * 100 >= all * percent && !(lacks && amends[unit]);
            if is_said {
                self.pool.amended_by[unit].iter().filter(|&&newer| newer != NONE).for_each(|&newer| {
                    self.corrects[newer as usize] = true;
                });
            }
            closed[unit] = is_said || self.amending(unit).any(|newer| closed[newer]);
            self.open[unit] &= !closed[unit];
        }
    }

    /// Whether a unit is chosen.
    pub fn holds(&self, unit: usize) -> bool {
        self.chosen[unit]
    }

    /// Whether a unit could be chosen.
    pub fn is_open(&self, unit: usize) -> bool {
        self.open[unit]
    }

    /// What a unit takes.
    pub fn size(&self, unit: usize) -> u64 {
        self.size[unit]
    }

    /// Takes a unit out again, and what would be left without it: replies to a question, lines of a call, what it amends.
    /// Returns what they take.
    pub fn drop(&mut self, unit: usize) -> u64 {
        let mut size = 0;
        let belongs = |one: usize| {
            let kind = self.pool.units[one].kind;
            (kind == Kind::Typed || self.attached && kind != Kind::Call) && self.partner(one) == Some(unit)
                || self.amending(one).any(|newer| newer == unit)
        };
        let gone: Vec<usize> = self.order.iter().copied().filter(|&one| one == unit || belongs(one)).collect();
        for one in gone {
            self.chosen[one] = false;
            size += self.size[one];
            for &(word, class) in self.pool.words(one) {
                let cover = &mut self.cover[word as usize];
                *cover = cover.saturating_sub(times(class));
            }
            let taken = &mut self.taken[self.pool.message[one] as usize];
            *taken = taken.saturating_sub(self.size[one]);
        }
        self.order.retain(|&one| self.chosen[one]);
        size
    }

    /// Lets each unit be chosen for itself.
    pub fn unbundle(&mut self) {
        self.bundled = false;
    }

    /// Lets no line of a result be chosen without its call.
    pub fn attach(&mut self) {
        self.attached = true;
    }

    /// The unit that one is chosen together with.
    fn partner(&self, unit: usize) -> Option<usize> {
        let kind = self.pool.units[unit].kind;
        let is_line = || kind.is_line() || matches!(kind, Kind::Record | Kind::Written);
        let partner = Some(self.pool.partner[unit]).filter(|&partner| self.bundled && partner != NONE);
        partner.filter(|_| self.attached || !is_line()).map(|partner| partner as usize)
    }

    /// The units that amend one.
    fn amending(&self, unit: usize) -> impl Iterator<Item = usize> {
        self.pool.amended_by[unit].into_iter().filter(|&newer| newer != NONE).map(|newer| newer as usize)
    }

    /// The chosen units that add least for what they take, first.
    pub fn least(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.order.clone();
        let typed = |unit: usize| self.pool.units[unit].kind == Kind::Typed;
        let mut needed = vec![false; self.chosen.len()];
        for &unit in &self.order {
            needed[unit] |= typed(unit);
            if let Some(question) = self.partner(unit) {
                needed[question] |= typed(unit);
            }
        }
        order::indices(&mut all);
        // Its own words count as said by itself.
        let adds = |unit: usize| {
            let words = self.words(unit, true) * 16 / score::cost(&self.pool.units[unit], self.size[unit]);
            self.pool.merit[unit] * words
        };
        let mut added = vec![0; self.chosen.len()];
        for &unit in &self.order {
            let adds = adds(unit);
            // What amends a unit takes it along.
            for one in self.amending(unit).chain([unit]) {
                added[one] = adds.max(added[one]);
            }
        }
        order::by_key(&mut all, |&unit| order::both(needed[unit].into(), added[unit]));
        all
    }

    /// Chooses within a budget: what was typed first, in up to `typed` percent of it; then all, but results in no more
    /// than their share; then results, too. Returns what is left.
    pub fn choose(&mut self, budget: u64, typed: u64) -> u64 {
        let first = budget * typed / 100;
        let units = &self.pool.units;
        let left = self.take(first, &|unit| units[unit].kind == Kind::Typed, None);
        let mut room = budget - (first - left);
        room = self.take(room, &|_| true, Some(budget * WORK / 100));
        self.take(room, &|_| true, None)
    }

    /// Lets no message take much of a budget before others have a part.
    pub fn spread(&mut self, budget: u64) {
        self.spread = budget;
    }

    /// Chooses what was typed alone: what amends that which counts as said first, in up to half of the room. Returns what is
    /// left.
    pub fn typed(&mut self, mut room: u64) -> u64 {
        let units = &self.pool.units;
        let corrects = core::mem::take(&mut self.corrects);
        let half = room / 2;
        room = room - half + self.take(half, &|unit| units[unit].kind == Kind::Typed && corrects[unit], None);
        self.take(room, &|unit| units[unit].kind == Kind::Typed, None)
    }

    /// Chooses what reports errors alone. Returns what is left.
    pub fn errors(&mut self, room: u64) -> u64 {
        let units = &self.pool.units;
        self.take(room, &|unit| units[unit].kind == Kind::Error, None)
    }

    /// Chooses more within what is left. Returns what is left then.
    pub fn more(&mut self, room: u64) -> u64 {
        self.take(room, &|_| true, None)
    }

    /// The units that have to be chosen with another one and are not chosen yet: its partner, of a line that comes with its
    /// call how the call ended, and what amends it.
    fn missing(&self, unit: usize) -> impl Iterator<Item = usize> {
        let partner = self.partner(unit);
        let is_line = self.attached && partner.is_some_and(|call| self.pool.units[call].kind == Kind::Call);
        let ended = partner.filter(|_| is_line).and_then(|call| self.partner(call)).filter(|&ended| ended != unit);
        let missing = |one: &usize| self.open[*one] && !self.chosen[*one];
        let amending = self.amending(unit).filter(move |one| Some(*one) != partner);
        partner.into_iter().chain(ended).chain(amending).filter(missing)
    }

    /// What a unit and those chosen with it take, and what they add for that.
    fn bundle(&self, unit: usize) -> (u64, u64) {
        let (mut size, mut worth) = (self.size[unit], self.worth(unit));
        for one in self.missing(unit) {
            size += self.size[one];
            worth += self.worth(one);
        }
        (size, worth * 16 / score::cost(&self.pool.units[unit], size))
    }

    /// What the words of a unit are worth. `chosen`: it is chosen, and what it says itself does not count as said.
    fn words(&self, unit: usize, chosen: bool) -> u64 {
        let base = if self.pool.units[unit].kind == Kind::Typed { TYPED_BASE } else { 0 };
        let words = self.pool.words(unit).iter().zip(self.pool.weights(unit));
        words.fold(base, |worth, (&(word, class), &weight)| {
            let own = if chosen { times(class) } else { 0 };
            let said = self.cover[word as usize].saturating_sub(own).min(15);
            worth + u64::from(weight >> said)
        })
    }

    fn worth(&self, unit: usize) -> u64 {
        let one = &self.pool.units[unit];
        let gain = self.words(unit, false) >> self.alike[self.pool.shape.0[unit] as usize].min(ALIKE);
        // What was done is worth as much beside a long text as alone.
        let taken = if one.kind == Kind::Call { 0 } else { self.taken[self.pool.message[unit] as usize] };
        let spread = self.spread / if one.kind.is_work() { SPREAD_WORK } else { SPREAD } + 1;
        self.pool.merit[unit] * gain * 64 / (64 + 64 * taken.min(1 << 32) / spread)
    }

    /// Takes units by gain while there is room. `of_work`: what results may take.
    fn take(&mut self, mut room: u64, among: &dyn Fn(usize) -> bool, mut of_work: Option<u64>) -> u64 {
        if room <= LEAST {
            return room;
        }
        let fits = |unit: &usize| self.open[*unit] && !self.chosen[*unit] && self.size[*unit] <= room && among(*unit);
        let mut heap: BinaryHeap<(u64, usize)> =
            (0..self.open.len()).filter(fits).map(|unit| (self.bundle(unit).1, unit)).collect();
        let pool = self.pool;
        let capped = |unit: usize| pool.units[unit].kind.is_work() && pool.units[unit].kind != Kind::Call;
        let most = |unit: usize, room: u64, of_work: Option<u64>| {
            of_work.filter(|_| capped(unit)).map_or(room, |most| most.min(room))
        };
        while room > LEAST {
            let Some((_, unit)) = heap.pop() else { break };
            let left = most(unit, room, of_work);
            if self.size[unit] > left {
                // The room only shrinks, so what is too large now would only come to the top to be dropped.
                heap.retain(|&(_, unit)| self.size[unit] <= most(unit, room, of_work));
                continue;
            }
            let (size, gain) = self.bundle(unit);
            if self.chosen[unit] || size > left {
                continue;
            }
            // What was chosen since may have taken from what it adds.
            if heap.peek().is_some_and(|next| (gain, unit) < *next) {
                heap.push((gain, unit));
                continue;
            }
            if let Some(most) = of_work.as_mut().filter(|_| capped(unit)) {
                *most -= size;
            }
            room -= size;
            for one in self.missing(unit).collect::<Vec<_>>() {
                self.add(one);
            }
            self.add(unit);
        }
        room
    }

    fn add(&mut self, unit: usize) {
        self.chosen[unit] = true;
        if !score::starts_request(&self.pool.units[unit], &self.pool.marks) {
            self.taken[self.pool.message[unit] as usize] += self.size[unit];
        }
        self.order.push(unit);
        let alike = &mut self.alike[self.pool.shape.0[unit] as usize];
        *alike = alike.saturating_add(1);
        for &(word, class) in self.pool.words(unit) {
            let cover = &mut self.cover[word as usize];
            *cover = cover.saturating_add(times(class));
        }
    }
}

/// How often a word counts as said by a chosen unit. Who has said a value or a name need not say it again.
const fn times(class: Class) -> u8 {
    if matches!(class, Class::Pair | Class::Plain | Class::Compound) { 1 } else { 2 }
}
