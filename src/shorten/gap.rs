//! The notice of a gap: how much is missing at one place of a text.

use crate::base::{markers, text};

/// What is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// The number of characters.
    pub characters: usize,
    /// The number of whole lines, or 0 if the cut was not at line ends.
    pub lines: usize,
}

const LEFT_OUT: &str = " left out here.";

/// The approximate bytes of a notice without its advice.
pub const BYTES: usize = 64;

/// The most bytes of a notice, including names.
const LONGEST: usize = 1_600;

impl Gap {
    /// Parses a text that is exactly one notice.
    pub fn read(text: &str) -> Option<Self> {
        let (characters, rest) = number(text.strip_prefix(markers::NOTICE)?)?;
        let rest = rest.strip_prefix(" characters")?;
        let (lines, rest) = match rest.strip_prefix(" in ") {
            Some(rest) => number(rest).and_then(|(lines, rest)| Some((lines, rest.strip_prefix(" lines")?)))?,
            None => (0, rest),
        };
        (rest.starts_with(LEFT_OUT) && rest.ends_with(']')).then_some(Self { characters, lines })
    }

    /// Parses the notice that a text begins with. Returns it and where it ends.
    pub fn begins(text: &str) -> Option<(Self, usize)> {
        let near = text::between(text, 0, text::floor(text, LONGEST));
        let end = near.bytes().position(|byte| byte == b']')? + 1;
        Some((Self::read(text::between(near, 0, end))?, end))
    }

    /// Writes the notice.
    pub fn notice(self, advice: &str) -> String {
        let lines = if self.lines > 0 { format!(" in {} lines", self.lines) } else { String::new() };
        format!("{}{} characters{lines}{}{advice}]", markers::NOTICE, self.characters, LEFT_OUT)
    }

    /// Adds another gap to this one.
    pub fn add(&mut self, other: Self) {
        self.characters = self.characters.saturating_add(other.characters);
        self.lines = self.lines.saturating_add(other.lines);
    }
}

/// More characters than any message has.
const MOST: u64 = 1_000_000_000;

/// Parses the number at the start of a text. Returns it and the rest, or `None` if our notices cannot have this number.
pub fn number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())?;
    let number = text::whole(digits).filter(|&number| number < MOST)?;
    Some((usize::try_from(number).ok()?, rest))
}
