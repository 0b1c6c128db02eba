//! What stands several times in what was read, and says nothing the second time.
//!
//! A line at the start or end of most results of a tool, beside others that differ, is its *frame*: a prompt, a reminder
//! to the model. Any other text is kept where it was said last.

use crate::base::id_map::IdMap;
use crate::base::text;
use crate::memory::bundles;
use crate::memory::units::{Kind, Unit};

/// Lines at the start and the end of a result that may be its frame.
const STARTS: usize = 2;
const ENDS: usize = 4;
/// The last lines of a result that say how it ended.
const LAST: usize = 2;
/// Results with different texts that a frame stands in at least, and the part of all such results of its tool, in percent,
/// that hold it.
const LEAST: u64 = 3;
const MOST_RESULTS: u64 = 67;
/// Words of a call that a later one may replace, and the part of them that it repeats, in percent.
const LONG_CALL: usize = 8;
const REPEATED: usize = 75;
/// Bytes at the start of a line by which its call says it, and of the shortest line that may only repeat a call.
const SAID: usize = 80;
const LONG: usize = 40;
/// No call.
const NONE: usize = usize::MAX;

/// Takes out what says nothing new. `new`: the index of the first message that is read now.
#[inline(never)]
pub fn drop(units: &mut Vec<Unit<'_>>, new: u64) {
    let texts: Vec<u64> = units.iter().map(|unit| blocks(&unit.text)).collect();
    let mut read = Read { stays: vec![true; units.len()], texts, ..Read::default() };
    read.results(units);
    read.frames(units, new);
    read.replaced(units);
    read.once(units);
    let mut stays = read.stays.into_iter();
    units.retain(|_| stays.next().unwrap_or(false));
}

/// What a call returned, or what somebody pasted into a message.
struct Returned {
    /// Where its lines stand.
    from: usize,
    to: usize,
    /// The number of its tool.
    tool: usize,
    /// Whether the tool had not returned the same before.
    first: bool,
    /// The call, if it is known.
    call: usize,
}

impl Returned {
    /// By what the count of a line of it is kept.
    const fn key(&self, text: u64) -> u64 {
        add(text, self.tool as u64)
    }
}

/// A tool, by its results.
#[derive(Clone, Default)]
struct Tool {
    /// How many different ones there are, and how many of these are read now.
    different: u64,
    read: u64,
    /// The last call.
    last: usize,
}

/// What was read.
#[derive(Default)]
struct Read {
    /// The hash of the text of each unit.
    texts: Vec<u64>,
    /// Whether each unit stays.
    stays: Vec<bool>,
    results: Vec<Returned>,
    tools: Vec<Tool>,
}

impl Read {
    /// Reads what was returned and by which tool. What the call says itself is not returned.
    fn results(&mut self, units: &[Unit<'_>]) {
        let (mut known, mut calls) = (IdMap::default(), IdMap::default());
        let key = |(at, order)| add(add(1, at), order);
        for (number, unit) in units.iter().enumerate() {
            if unit.kind == Kind::Call {
                calls.insert(key((unit.at, unit.order)), number as u64);
            }
            if !unit.kind.is_returned() && unit.kind != Kind::Pasted {
                continue;
            }
            let is_own = |last: &&mut Returned| {
                let first = &units[last.from];
                last.to == number && first.at == unit.at && first.call == unit.call
            };
            if let Some(last) = self.results.last_mut().filter(is_own) {
                last.to += 1;
            } else {
                let call = unit.call.and_then(|place| calls.get(key(place))).map_or(NONE, |call| call as usize);
                let name = blocks(unit.tool.as_deref().unwrap_or_default());
                let tool = known.get(name).unwrap_or(self.tools.len() as u64) as usize;
                if tool == self.tools.len() {
                    known.insert(name, tool as u64);
                    self.tools.push(Tool { last: NONE, ..Tool::default() });
                }
                self.results.push(Returned { from: number, to: number + 1, tool, first: false, call });
            }
            let call = self.results.last().and_then(|result| units.get(result.call));
            let start = text::between(&unit.text, 0, text::floor(&unit.text, SAID));
            let is_said = call.is_some_and(|call| start.len() >= LONG && text::find(&call.text, start).is_some());
            self.stays[number] = !is_said;
        }
        for result in &mut self.results {
            let own = &self.texts[result.from..result.to];
            let all = own.iter().fold(result.tool as u64 + 1, |hash, text| add(hash, *text));
            result.first = known.get(all).is_none();
            known.insert(all, 0);
            self.tools[result.tool].different += u64::from(result.first);
        }
    }

    /// Counts the results of each tool that are read now, and in how many of them each line stands at an end. Those are kept
    /// by line and tool, in the upper half of each number; in the lower one the last result.
    fn ends(&mut self, units: &[Unit<'_>], new: u64) -> IdMap {
        let mut counts = IdMap::default();
        for (at, result) in (1_u32..).zip(&self.results) {
            if units[result.from].at < new || !result.first {
                continue;
            }
            self.tools[result.tool].read += 1;
            for number in result.from..result.to {
                let is_end = number < result.from + STARTS || number + ENDS >= result.to;
                let key = result.key(self.texts[number]);
                let known = counts.get(key).unwrap_or(0);
                if result.to - result.from > 1 && is_end && known as u32 != at {
                    counts.insert(key, ((known >> 32) + 1) << 32 | u64::from(at));
                }
            }
        }
        counts
    }

    /// Takes out the frames of results: plain lines that most of the results of a tool hold at one of their ends. What is
    /// left of a result then ends with its own lines.
    fn frames(&mut self, units: &mut [Unit<'_>], new: u64) {
        let is_plain = |unit: &Unit<'_>| unit.kind.is_line() || unit.kind == Kind::Pasted;
        let counts = self.ends(units, new);
        for result in &self.results {
            let (mut left, mut gone) = (0, false);
            let own = result.from..result.to;
            for (unit, (stays, text)) in
                units[own.clone()].iter().zip(self.stays[own.clone()].iter_mut().zip(&self.texts[own]))
            {
                let count = counts.get(result.key(*text)).unwrap_or(0) >> 32;
                let often = count >= LEAST && count * 100 >= self.tools[result.tool].read * MOST_RESULTS;
                if often && is_plain(unit) {
                    (*stays, gone) = (false, true);
                }
                left += usize::from(*stays);
            }
            let all = left;
            for number in (result.from..result.to).rev().filter(|&number| self.stays[number]) {
                if gone && left + LAST > all && units[number].kind == Kind::Line {
                    units[number].kind = Kind::Edge;
                }
                left -= 1;
            }
        }
    }

    /// Takes out long calls of which the next one to the same tool repeats most, where the tool always returns the same: a
    /// list that is written again.
    fn replaced(&mut self, units: &[Unit<'_>]) {
        for result in &self.results {
            let tool = &mut self.tools[result.tool];
            let earlier = core::mem::replace(&mut tool.last, result.call);
            let (Some(before), Some(call)) = (units.get(earlier), units.get(result.call)) else { continue };
            let (mut words, mut repeated) = (0, 0);
            for word in before.text.as_bytes().split(|byte| *byte == b' ').filter(|_| tool.different == 1) {
                words += 1;
                repeated += usize::from(memchr::memmem::find(call.text.as_bytes(), word).is_some());
            }
            self.stays[earlier] &= words < LONG_CALL || repeated * 100 < words * REPEATED;
        }
    }

    /// Keeps each text once: where it was said last. What a person typed and what others said are different things. A call
    /// that was made again later stays where it failed: what was tried first says why it was tried again. All that a call
    /// returned stays, too, where its tool returns different things, as does what announces something else.
    fn once(&mut self, units: &[Unit<'_>]) {
        for result in self.results.iter().filter(|result| self.tools[result.tool].different > 1) {
            let mut left = (result.from..result.to).filter(|&number| self.stays[number]);
            if let (Some(only), None, Some(call)) = (left.next(), left.next(), self.texts.get(result.call)) {
                self.texts[only] ^= call.rotate_left(1);
            }
        }
        let mut newest = IdMap::new(units.len());
        for (number, unit) in units.iter().enumerate() {
            let mut key = self.texts[number] ^ u64::from(unit.kind == Kind::Typed);
            if matches!(unit.kind, Kind::Answer | Kind::Step) && bundles::leads(&unit.text) {
                key ^= self.texts.get(number + 1).map_or(0, |next| next.rotate_left(1));
            }
            self.texts[number] = key;
            if self.stays[number] {
                newest.insert(key, number as u64);
            }
        }
        for (number, (stays, key)) in (0..).zip(self.stays.iter_mut().zip(&self.texts)) {
            *stays &= newest.get(*key) == Some(number);
        }
        for result in self.results.iter().filter(|result| result.call != NONE) {
            let failed = (result.from..result.to).any(|line| self.stays[line] && units[line].kind == Kind::Error);
            self.stays[result.call] |= failed;
        }
    }
}

const fn add(hash: u64, block: u64) -> u64 {
    (hash ^ block).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The hash of a text, which is often a long one: eight bytes at a time.
#[inline(never)]
fn blocks(text: &str) -> u64 {
    let (blocks, rest) = text.as_bytes().as_chunks::<8>();
    let hash = blocks.iter().fold(text.len() as u64, |hash, block| add(hash, u64::from_le_bytes(*block)));
    rest.iter().fold(hash, |hash, byte| add(hash, u64::from(*byte)))
}
