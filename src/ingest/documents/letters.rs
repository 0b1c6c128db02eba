//! Letters: a line that addresses somebody and ends with a comma, and short lines at their end.

use super::blocks::{Block, BlockLine, Kind, words};

/// Bytes and words of the longest salutation.
const LONGEST: usize = 64;
const WORDS: usize = 6;
/// Bytes of the shortest line that follows a salutation right below it.
const LEAST_BELOW: usize = 20;
/// Bytes of the longest line at the end of a letter, and the lines there.
const LONGEST_END: usize = 48;
const ENDS: core::ops::RangeInclusive<usize> = 2..=4;

/// What ends the line that addresses somebody.
const COMMAS: [char; 4] = [',', '，', '、', '،'];

/// Whether a line addresses somebody. `below`: the block behind the one that these lines are of.
pub fn is_salutation(lines: &[BlockLine<'_>], below: Option<&Block<'_>>) -> bool {
    let Some(line) = lines.first().map(|line| line.text) else { return false };
    let is_one = line.len() <= LONGEST
        && line.ends_with(COMMAS)
        && (1..=WORDS).contains(&words(line))
        && line.matches(COMMAS).count() <= 2
        && line.chars().next().is_some_and(|char| char.is_alphabetic() && !char.is_lowercase());
    is_one
        && match lines.get(1) {
            Some(next) => next.text.len() >= LEAST_BELOW && !next.text.ends_with(COMMAS),
            None => below.is_some_and(|below| below.kind == Kind::Lines && !below.last().ends_with(COMMAS)),
        }
}

/// Whether a block is the end of a letter: short lines, none of which is a sentence.
pub fn is_sign_off(block: &Block<'_>) -> bool {
    block.kind == Kind::Lines
        && ENDS.contains(&block.lines.len())
        && block.lines.iter().all(|line| {
            line.text.len() <= LONGEST_END
                && line.text.ends_with(|last: char| last.is_alphanumeric() || COMMAS.contains(&last))
        })
}
