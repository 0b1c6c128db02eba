//! Texts, each once, numbered as they come. Most of what is found in a long past is found again and again.

use crate::prelude::*;

/// Texts, each once.
#[derive(Clone, Debug, Default)]
pub struct Distinct<'t> {
    /// In their order.
    pub all: Vec<&'t str>,
    /// Of a text its hash, and below that, in 32 bits, one more than its number; at the place that the hash names or at the
    /// next free one. 0 where none lies, which is half of the places or more.
    slots: Vec<u64>,
}

impl<'t> Distinct<'t> {
    /// The number of a text, and whether it is new.
    pub fn number(&mut self, text: &'t str) -> (usize, bool) {
        let count = self.all.len();
        if count * 2 >= self.slots.len() {
            let slots = vec![0; (count * 4 + 64).next_power_of_two()];
            for known in core::mem::replace(&mut self.slots, slots) {
                if known > 0 {
                    let slot = self.slot(known >> 32, "");
                    self.slots[slot] = known;
                }
            }
        }
        let hash = hash(text);
        let slot = self.slot(hash, text);
        let number = self.slots[slot] as u32 as usize;
        if number > 0 {
            return (number - 1, false);
        }
        self.all.push(text);
        self.slots[slot] = (hash << 32) | (count as u64 + 1);
        (count, true)
    }

    /// Where a text of this hash lies, or may lie. Others are told from it by their hashes, without a look at them, which
    /// are far apart in memory.
    fn slot(&self, hash: u64, text: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        while self.slots[slot] > 0
            && (self.slots[slot] >> 32 != hash || self.all[self.slots[slot] as u32 as usize - 1] != text)
        {
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// FNV-1a: names are short, a hash that reads blocks takes longer for them.
fn hash(text: &str) -> u64 {
    let hash = text.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    u64::from(hash)
}
