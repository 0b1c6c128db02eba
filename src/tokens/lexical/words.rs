//! Words: runs of letters of one script each, priced by how rare their pairs and triples of letters are.

use crate::tokens::cost::{self, ONE, part};
use crate::tokens::lexical::{Lexer, State};
use crate::tokens::lookup;
use crate::tokens::tables::{self, Class};

/// Stands for the character before the first letter of a script other than Latin, and after the last one.
const FIRST: u32 = 1;
const LAST: u32 = 2;

impl Lexer {
    /// Reads further letters of the script of the first one, whose run was begun. Returns what follows them.
    #[inline(never)]
    pub(super) fn letters<'a>(&mut self, text: &'a str) -> &'a str {
        let [begun, each, beyond, least] = lookup::script(self.run);
        let range = lookup::range(self.last);
        let bytes = text.as_bytes();
        let (mut code, mut before, mut length) = (self.code, self.before, self.length);
        let mut surprise = if length == 0 { begun } else { 0 };
        let mut at = 0;
        while let Some(&first @ 0xc0..0xf0) = bytes.get(at) {
            let more = |by: usize| bytes.get(at + by).map_or(0, |byte| u32::from(byte & 63));
            let (mut next, mut size) = (u32::from(first & 31) << 6 | more(1), 2);
            if first >= 0xe0 {
                (next, size) = ((next & 0x3ff) << 6 | more(2), 3);
            }
            if !range.contains(&next) {
                break;
            }
            at += size;
            // The character alone, after the one before it, and after the two before it.
            let [by_itself, by_last, by_before] = lookup::OTHER;
            let mut sum = next.wrapping_mul(by_itself);
            surprise += lookup::other(sum);
            sum = sum.wrapping_add(code.wrapping_mul(by_last));
            surprise += lookup::other(sum);
            if before != FIRST {
                surprise += lookup::other(sum.wrapping_add(before.wrapping_mul(by_before)));
            }
            (before, code) = (code, next);
            length += 1;
        }
        let begun_with = core::mem::replace(&mut self.length, length);
        let more = |than: u32| i64::from(length.saturating_sub(than) - begun_with.saturating_sub(than));
        surprise += each * more(0) + beyond * more(4);
        self.least += least * more(0);
        (self.code, self.before) = (code, before);
        self.surprise += surprise;
        &text[at..]
    }

    #[inline(never)]
    pub(super) fn open_word(&mut self) {
        self.state = State::Word;
        self.surprise = part(&tables::LEAD, self.lead);
        self.lead = 0;
        self.lower = false;
        self.accented = false;
        self.run = 0;
        self.least = 0;
        self.longest = 0;
        self.script = 0;
        self.code = FIRST;
        self.before = FIRST;
    }

    #[inline(never)]
    pub(super) fn letter(&mut self, class: Class, symbol: usize) {
        if lookup::is_latin(class) {
            let upper = lookup::is_upper(class);
            self.lower |= !upper;
            self.accented |= class > tables::UPPER;
            if self.run != tables::LOWER {
                self.close_run();
                self.run = tables::LOWER;
                self.capital = upper;
                self.last = 0;
                self.code = FIRST;
                self.before = FIRST;
            }
            self.last = (self.last << 5 | symbol) & 0x7fff;
            self.surprise += lookup::latin(self.last, self.length > 0);
            self.length += 1;
            self.capitals += u32::from(upper);
            return;
        }
        if self.run != class {
            self.close_run();
            self.run = class;
        }
        // `letters` counts its cost.
        self.last = symbol;
        self.lower |= class <= tables::LAST_CASED;
    }

    /// Ends a run of letters of one script within a word.
    #[inline(never)]
    fn close_run(&mut self) {
        if self.run == tables::LOWER {
            self.surprise += lookup::end(self.last);
            self.surprise = cost::shape(self.surprise, self.length, self.capitals, self.capital);
            // This applies only if the word contains another script.
            self.least += ONE / 2;
        } else if self.length > self.longest {
            self.longest = self.length;
            self.script = self.run;
        }
        self.length = 0;
        self.capitals = 0;
    }

    #[inline(never)]
    pub(super) fn close_word(&mut self) {
        let other = self.run != tables::LOWER;
        self.close_run();
        if other {
            let [by_itself, by_last, _] = lookup::OTHER;
            self.surprise += lookup::other(LAST.wrapping_mul(by_itself).wrapping_add(self.code.wrapping_mul(by_last)));
        }
        let more = lookup::softplus(self.surprise);
        if self.longest > 0 {
            self.pay(lookup::bucket(self.script), (ONE + more).max(self.least));
        } else if self.accented {
            self.pay(tables::ACCENTED_WORD, ONE + more);
        } else {
            self.pay(tables::WORD, ONE);
            self.pay(tables::WORD_MORE, more);
        }
    }
}
