//! Marks: runs of punctuation and symbols, priced by how often the mark changes, repeats or is beyond ASCII.

use crate::tokens::cost::{self, ONE, part};
use crate::tokens::lexical::{Lexer, State};
use crate::tokens::lookup;
use crate::tokens::tables::{self, Class};

impl Lexer {
    #[inline(never)]
    pub(super) fn open_marks(&mut self, code: u32, class: Class) {
        self.state = State::Marks;
        self.first = class;
        self.first_code = code;
        self.surprise = 0;
        self.count = 0;
        self.lines = 0;
        self.changes = 0;
        self.repeats = 0;
        self.foreign = 0;
        self.pictures = 0;
        if code < 32 || code == 127 {
            self.pay(tables::MARKS_MORE, ONE);
        }
        self.mark(code, class);
    }

    #[inline(never)]
    pub(super) fn mark(&mut self, code: u32, class: Class) {
        // A character of two UTF-16 units was counted as two.
        let units = 1 + u32::from(code > 0xffff);
        let follows = self.count > 0;
        self.count += u64::from(units);
        if class == tables::PICTURE {
            self.pictures += units;
            self.foreign += units;
        } else {
            let repeats = follows && code == self.code;
            if follows {
                self.repeats += u32::from(repeats);
                self.changes += u32::from(!repeats);
                if code < 128 && self.code < 128 {
                    self.surprise += lookup::marks(self.code, code);
                }
            }
            if class >= tables::CJK_MARK {
                self.foreign += 1;
                let at = usize::from(class - tables::CJK_MARK) + 1;
                self.surprise += part(&tables::PUNCT, 24 + at);
                if repeats {
                    self.surprise += part(&tables::PUNCT, 32 + at);
                }
            }
        }
        self.code = code;
    }

    #[inline(never)]
    pub(super) fn close_marks(&mut self) {
        self.state = State::Start;
        let spaced = core::mem::take(&mut self.spaced);
        if self.foreign == 0 && self.count <= 2 && self.lines == 0 {
            return self.pay(tables::MARK_RUN, ONE);
        }
        let more = cost::marks_more(self.surprise, self.changes, self.repeats, self.lines, spaced);
        if self.foreign == 0 {
            self.pay(tables::MARK_RUN, ONE);
            return self.pay(tables::MARKS_MORE, more);
        }
        let pictures = i64::from(self.pictures) * (ONE * 103 / 100);
        let others = if u64::from(self.pictures) == self.count { 0 } else { ONE + more };
        self.pay(tables::SYMBOLS, pictures + others);
    }
}
