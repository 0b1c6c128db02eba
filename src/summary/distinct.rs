//! Texts, each once, numbered as they come. Most of what is found in a long past is found again and again.

use crate::prelude::*;

/// Texts, each once.
#[derive(Clone, Debug, Default)]
pub struct Distinct<'t> {
    /// In their order.
    pub all: Vec<&'t str>,
    /// One more than the number of the text that lies at the place its hash names, or at the next free one; 0 where none
    /// does, which is half of the places or more.
    slots: Vec<u32>,
}

impl<'t> Distinct<'t> {
    /// The number of a text, and whether it is new.
    pub fn number(&mut self, text: &'t str) -> (usize, bool) {
        let count = self.all.len();
        if count * 2 >= self.slots.len() {
            self.slots = vec![0; count * 4 + 64];
            let all = core::mem::take(&mut self.all);
            all.iter().for_each(|text| _ = self.number(text));
        }
        let mut slot = hash(text) as usize;
        loop {
            slot %= self.slots.len();
            let number = self.slots[slot] as usize;
            if number == 0 {
                break;
            }
            if self.all[number - 1] == text {
                return (number - 1, false);
            }
            slot += 1;
        }
        self.all.push(text);
        self.slots[slot] = count as u32 + 1;
        (count, true)
    }
}

/// FNV-1a: names are short, a hash that reads blocks takes longer for them.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
