//! Bundles: what says little by itself is chosen together with what it belongs to. A reply of a word or two with the
//! question, a call with how it ended, and what a tool returned, or a call writes, with the call.

use crate::base::distinct;
use crate::base::id_map::IdMap;
use crate::memory::amendments::WAYS;
use crate::memory::units::{Kind, Unit, is_point};
use crate::memory::vocabulary::Vocabulary;

/// No unit.
pub const NONE: u32 = u32::MAX;
/// Characters of a message that replies to what was said before it: the longest in which a person rarely repeats it.
const REPLY: u64 = 32;
/// What of a line was used counts in so many percent.
const QUARTER: u8 = 25;
/// Lines of a result that are its outcome as they are.
const FEW: u32 = 3;
/// Words of a reply that says nothing by itself.
const BARE: usize = 2;

/// What units are chosen together with.
#[derive(Clone, Debug)]
pub struct Bundles {
    /// Of each unit the one that it is chosen together with, or [`NONE`].
    pub partner: Vec<u32>,
    /// Whether each is a call of whose result the assistant used nothing when it went on.
    pub idle: Vec<bool>,
}

/// Reads what units are chosen together with.
#[inline(never)]
pub fn of(units: &[Unit<'_>], vocabulary: &Vocabulary, uptake: &[u8]) -> Bundles {
    let mut all = vec![NONE; units.len()];
    let mut idle = vec![false; units.len()];
    // The places of the calls, in order.
    let mut calls: Vec<((u64, u64), usize)> = Vec::new();
    let find = |calls: &[((u64, u64), usize)], place: (u64, u64)| {
        let at = calls.partition_point(|(before, _)| *before < place);
        calls.get(at).filter(|(found, _)| *found == place).map(|(_, call)| *call)
    };
    // The message that the assistant said something in last, and what a reply to it is about.
    let mut said: Option<(u64, usize)> = None;
    let mut replied = None;
    // What the points of a list are points of.
    let (mut lead, mut item) = (None, None);
    let mut announced = None;
    // How many lines each call returned.
    let mut lines = vec![0_u32; units.len()];
    for (number, unit) in units.iter().enumerate() {
        match unit.kind {
            Kind::Call => {
                calls.push(((unit.at, unit.order), number));
                // Who announces what is done next says little without it.
                if let Some(said) = announced.take().filter(|said: &usize| units[*said].at == unit.at) {
                    all[said] = number as u32;
                }
            }
            // A line that a call writes says little without what it is written into.
            Kind::Written => {
                let call = calls.last().filter(|((at, _), _)| *at == unit.at);
                all[number] = call.map_or(NONE, |(_, call)| *call as u32);
            }
            Kind::Answer | Kind::Step => {
                let leads = leads(&unit.text);
                announced = Some(number).filter(|_| unit.kind == Kind::Step && leads);
                let is_point = is_point(&unit.text);
                // A point stands under the last numbered one, that under what the list is of.
                let is_item = is_point && unit.text.as_bytes()[0].is_ascii_digit();
                let own = |one: Option<usize>| one.filter(|&one| units[one].at == unit.at);
                if !is_point || is_item {
                    item = None;
                }
                match own(item).or(own(lead)) {
                    Some(head) if is_point => all[number] = head as u32,
                    _ if leads => lead = Some(number),
                    _ if !is_point => lead = None,
                    _ => {}
                }
                item = if is_item { Some(number) } else { item };
                let asked = said.filter(|(at, before)| *at == unit.at && units[*before].asks());
                if asked.is_none() || unit.asks() {
                    said = Some((unit.at, number));
                }
            }
            Kind::Typed if unit.length < REPLY && replied != Some(unit.at) => {
                replied = Some(unit.at);
                let is_bare = vocabulary.words(number).len() <= BARE;
                if let Some((_, question)) = said.filter(|(at, _)| is_bare && at + 1 == unit.at) {
                    all[number] = question as u32;
                }
            }
            kind if kind.is_returned() => {
                let Some(call) = unit.call.and_then(|place| find(&calls, place)) else { continue };
                all[number] = call as u32;
                lines[call] += 1;
                // Of several errors the one that says what is wrong.
                let says = |line: usize| {
                    units[line].kind == Kind::Error && vocabulary.words(line).iter().any(|word| word.1.is_exact())
                };
                // What says that more comes is not how it ended.
                let rank = |line: usize| {
                    let Unit { kind, ref text, .. } = units[line];
                    (rank(kind), says(line), !leads(text), uptake[line] / QUARTER, kind == Kind::Edge)
                };
                let known = Some(all[call] as usize).filter(|&known| known < units.len());
                // Of several lines that sum up the last one does.
                let is_last = unit.kind == Kind::Verdict;
                if known.is_none_or(|known| rank(number) > rank(known) || is_last && rank(number).0 == rank(known).0) {
                    all[call] = number as u32;
                }
            }
            _ => {}
        }
    }
    // One of many lines that nobody used says nothing of how a call ended, once the assistant went on.
    let newest = calls.last().map(|((at, _), _)| *at);
    for ((at, _), call) in calls {
        let ended = all[call] as usize;
        let is_plain = units.get(ended).is_some_and(|line| rank(line.kind) == 0 && uptake[ended] < QUARTER);
        if is_plain && lines[call] > FEW && Some(at) < newest {
            all[call] = NONE;
            idle[call] = true;
        }
    }
    Bundles { partner: all, idle }
}

/// Whether a sentence or a line says that more comes, points or what is done next: it is a heading, or ends with a colon.
#[inline(never)]
pub fn leads(sentence: &str) -> bool {
    sentence.starts_with('#') || sentence.trim_end_matches('*').ends_with([':', '：'])
}

/// A call that failed and was made again in the same words, and what it returned, are amended by that and how it ended.
#[inline(never)]
pub fn retried(units: &[Unit<'_>], partner: &[u32], amended_by: &mut [[u32; WAYS]]) {
    let mut calls = IdMap::default();
    let key = |unit: &Unit<'_>| distinct::hash(&unit.text);
    for (number, unit) in units.iter().enumerate().rev() {
        if unit.kind != Kind::Call {
            continue;
        }
        match calls.get(key(unit)) {
            Some(later) => amended_by[number] = [later as u32, partner[later as usize]],
            None => {
                calls.insert(key(unit), number as u64);
            }
        }
    }
    for (number, unit) in units.iter().enumerate().filter(|(_, unit)| unit.kind.is_returned()) {
        let call = unit.call.and(amended_by.get(partner[number] as usize));
        if let Some(&later) = call {
            amended_by[number] = later;
        }
    }
}

/// How much a line says of how a call ended.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Error => 2,
        Kind::Verdict => 1,
        _ => 0,
    }
}
