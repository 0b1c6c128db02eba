//! References: how a place in the history is named for a model, and read again.

use crate::base::{references, text};

/// The reference of a message by its index in the history: `r12`.
pub fn reference(index: u64) -> String {
    references::of(index, 0)
}

/// A place in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Of the message.
    pub index: u64,
    /// Which of its parts that have text, from 1; 0 for all of them.
    pub part: usize,
    /// Byte of the text.
    pub from: usize,
}

impl TextPlace {
    /// Reads `r12`, `r12.2`, `r12+4000`, `r12.2+4000`.
    pub fn parse(reference: &str) -> Option<Self> {
        let rest = reference.strip_prefix(['r', 'R'])?;
        let (rest, from) = rest.split_once('+').map_or((rest, Some(0)), |(rest, from)| (rest, number(from)));
        let (rest, part) =
            rest.split_once('.').map_or((rest, Some(0)), |(rest, part)| (rest, number(part).filter(|&part| part > 0)));
        Some(Self { index: number(rest)?, part: part? as usize, from: from? as usize })
    }

    /// The reference of this place.
    pub fn write(self) -> String {
        let mut out = references::of(self.index, self.part);
        if self.from > 0 {
            out.push_str(&format!("+{}", self.from));
        }
        out
    }
}

/// A number of digits alone, as far as any place goes.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text::whole(text).filter(|&number| digits && number <= u64::from(u32::MAX))
}
