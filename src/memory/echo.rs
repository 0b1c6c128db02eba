//! Echo: how much of a sentence the message before or behind it says, too. What one of two agrees to, corrects or confirms,
//! the other has said or repeats; small talk and explanations nobody takes up. Of a short message this says more: a long one
//! holds many words anyway. What is answered at length was a question, however it was put.

use crate::memory::units::{Kind, Unit};
use crate::memory::vocabulary::Vocabulary;
use std::ops::Range;

/// The echo of what a neighbour says all of.
pub const MOST: u64 = 100;

/// Of what a short message repeats, one of so many characters counts half.
const HALF: u64 = 330;
/// A reply of this many times the length of what it replies to is no long one, nor is one of so many characters.
const TIMES: u64 = 2;
const SHORT: u64 = 100;
/// What a sentence is worth less for a long reply at most, in percent.
pub const LEAST_WORTH: u64 = 75;

/// Sets the echo of the sentences of new messages, those from this index on, and that of the one before them.
#[inline(never)]
pub fn hear(units: &mut [Unit<'_>], vocabulary: &Vocabulary, new: u64) {
    let rarity = vocabulary.rarity();
    let mut mark = vec![0_u32; rarity.len()];
    let messages = said(units);
    for (number, pair) in (1_u32..).zip(messages.windows(2)) {
        let [one, other] = pair else { continue };
        let [first, second] = [one, other].map(|range| &units[range.start]);
        let same_speaker = first.kind.is_typed() == second.kind.is_typed() && first.speaker == second.speaker;
        if second.at < new || same_speaker {
            continue;
        }
        for (hearer, speaker, sign) in [(one, other, 2 * number), (other, one, 2 * number + 1)] {
            for unit in speaker.clone().filter(|&unit| units[unit].kind.is_said()) {
                vocabulary.words(unit).iter().for_each(|(word, _)| mark[*word as usize] = sign);
            }
            let length = units[speaker.start].length;
            for unit in hearer.clone() {
                if !units[unit].kind.is_said() {
                    continue;
                }
                let is_before = hearer.start < speaker.start;
                if is_before && units[unit].kind == Kind::Typed {
                    let short = (units[unit].length * TIMES).max(SHORT);
                    units[unit].answered = (100 - (short * 100 / length.max(short))).min(LEAST_WORTH) as u8;
                }
                let (mut all, mut heard) = (0, 0);
                for &(word, _) in vocabulary.words(unit) {
                    let weight = u64::from(rarity[word as usize]);
                    all += weight;
                    heard += if mark[word as usize] == sign { weight } else { 0 };
                }
                let echo = heard * MOST / all.max(1) * HALF / (HALF + length);
                units[unit].echo[usize::from(is_before)] = echo as u8;
            }
        }
    }
}

/// The units of each message in which somebody says something.
fn said(units: &[Unit<'_>]) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for (number, unit) in units.iter().enumerate().filter(|(_, unit)| unit.kind.is_said()) {
        match all.last_mut().filter(|range| units[range.start].at == unit.at) {
            Some(range) => range.end = number + 1,
            None => all.push(number..number + 1),
        }
    }
    all
}
