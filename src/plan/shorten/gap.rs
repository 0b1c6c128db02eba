//! The notice of a gap: how much is missing in one place of a text.

use crate::markers;
use crate::prelude::*;

/// What is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Characters.
    pub characters: usize,
    /// Whole lines; 0 where a cut did not heed them.
    pub lines: usize,
}

const LEFT_OUT: &str = " left out here.";

/// Bytes of a notice, apart from what it advises.
pub const BYTES: usize = 64;

impl Gap {
    /// Reads a notice that begins where `text` begins and ends where it ends.
    pub fn read(text: &str) -> Option<Self> {
        let (characters, rest) = number(text.strip_prefix(markers::NOTICE)?)?;
        let rest = rest.strip_prefix(" characters")?;
        let (lines, rest) = match rest.strip_prefix(" in ") {
            Some(rest) => number(rest).and_then(|(lines, rest)| Some((lines, rest.strip_prefix(" lines")?)))?,
            None => (0, rest),
        };
        (rest.starts_with(LEFT_OUT) && rest.ends_with(']')).then_some(Self { characters, lines })
    }

    /// The notice.
    pub fn notice(self, advice: &str) -> String {
        let lines = if self.lines > 0 { text![" in ", self.lines, " lines"] } else { String::new() };
        text![markers::NOTICE, self.characters, " characters", lines, LEFT_OUT, advice, "]"]
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.characters = self.characters.saturating_add(other.characters);
        self.lines = self.lines.saturating_add(other.lines);
    }
}

/// The number a text begins with, and the rest.
pub fn number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())?;
    Some((digits.parse().ok()?, rest))
}
