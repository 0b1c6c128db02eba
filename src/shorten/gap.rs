//! The notice of a gap: how much is missing in one place of a text.

use crate::base::markers;

/// What is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Characters.
    pub characters: usize,
    /// Whole lines; 0 if the cut was not at line ends.
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
        let lines = if self.lines > 0 { format!(" in {} lines", self.lines) } else { String::new() };
        format!("{}{} characters{lines}{}{advice}]", markers::NOTICE, self.characters, LEFT_OUT)
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.characters = self.characters.saturating_add(other.characters);
        self.lines = self.lines.saturating_add(other.lines);
    }
}

/// More than any text holds that a message can bring.
const MOST: u64 = 1_000_000_000;

/// The number a text begins with, and the rest. Nothing if no notice of ours can have said it.
pub fn number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())?;
    let number = crate::base::text::whole(digits).filter(|&number| number < MOST)?;
    Some((usize::try_from(number).ok()?, rest))
}
