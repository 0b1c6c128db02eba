//! What is prose, what asks, and where a document ends.

use super::blocks::{Block, Kind, ends_sentence};
use crate::base::{phrases, text};

/// Words for what users list themselves.
pub const OWN: &str = include_str!("../phrases/own_rules.txt");
/// Bytes of the longest request behind a document.
pub(super) const LONGEST_REQUEST: usize = 400;

/// Whether a block is a paragraph of sentences that asks nothing.
pub(super) fn is_prose(block: &Block<'_>) -> bool {
    block.kind == Kind::Lines && ends_sentence(block.last()) && !ends_question(block.last())
}

pub(super) fn ends_question(line: &str) -> bool {
    line.trim_end_matches(['"', '”', '»', ')', '\'', '」']).ends_with(['?', '？', '؟', ';', '՞'])
}

/// Whether a line names what users list themselves.
pub(super) fn is_own(line: &str) -> bool {
    let lower = text::lower_case(line);
    phrases::each(OWN).any(|word| text::find(&lower, word).is_some())
}

/// Where a document ends that begins in a block: with the message, but for a question behind it.
pub(super) fn end(blocks: &[Block<'_>], at: usize, end: usize) -> usize {
    let asks = |block: &&Block<'_>| {
        block.kind == Kind::Lines && block.to - block.from <= LONGEST_REQUEST && ends_question(block.last())
    };
    blocks.get(at + 2..).and_then(<[_]>::last).filter(asks).map_or(end, |last| last.from)
}
