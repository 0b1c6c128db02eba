//! Bundles: what says little by itself is chosen together with what it belongs to. A reply of a word or two with the
//! question, a call with how it ended, and what a tool returned with its call.

use crate::memory::units::{Kind, Unit};
use crate::memory::vocabulary::Vocabulary;

/// No unit.
pub const NONE: u32 = u32::MAX;
/// Characters of a message that replies to what was said before it: the longest in which a person rarely repeats it.
const REPLY: u64 = 32;
/// Words of a reply that says nothing by itself.
const BARE: usize = 2;

/// Of each unit the one that it is chosen together with, or [`NONE`].
#[inline(never)]
pub fn of(units: &[Unit<'_>], vocabulary: &Vocabulary) -> Vec<u32> {
    let mut all = vec![NONE; units.len()];
    // The places of the calls, in order.
    let mut calls: Vec<((u64, u64), usize)> = Vec::new();
    let find = |calls: &[((u64, u64), usize)], place: (u64, u64)| {
        let at = calls.partition_point(|(before, _)| *before < place);
        calls.get(at).filter(|(found, _)| *found == place).map(|(_, call)| *call)
    };
    // The message that the assistant said something in last, and what a reply to it is about.
    let mut said: Option<(u64, usize)> = None;
    let mut replied = None;
    for (number, unit) in units.iter().enumerate() {
        match unit.kind {
            Kind::Call => calls.push(((unit.at, unit.order), number)),
            Kind::Answer | Kind::Step => {
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
                let known = units.get(all[call] as usize).map(|ended| ended.kind);
                if known.is_none_or(|known| rank(kind) > rank(known)) {
                    all[call] = number as u32;
                }
            }
            _ => {}
        }
    }
    all
}

/// How much a line says of how a call ended.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Error => 2,
        Kind::Verdict => 1,
        _ => 0,
    }
}
