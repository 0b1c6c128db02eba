//! Paragraphs in another script than the one in which a person asks.

use super::blocks::{Block, Kind};
use crate::base::text;

/// A script, by the letters that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Indic,
    Thai,
    Han,
    Kana,
    Hangul,
}

const ALL: usize = 10;

/// Letters of a paragraph that show its script, and those of a request.
const LEAST: usize = 24;
const LEAST_ASKING: usize = 3;
/// Of the letters in tenths, those of one script.
const MOST: usize = 8;
/// Of Japanese text in tenths, what is kana at least.
const KANA: usize = 1;

fn script(char: char) -> Option<Script> {
    Some(match char {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{590}'..='\u{5ff}' => Script::Hebrew,
        '\u{600}'..='\u{77f}' => Script::Arabic,
        '\u{900}'..='\u{dff}' => Script::Indic,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{3040}'..='\u{30ff}' => Script::Kana,
        '\u{3400}'..='\u{9fff}' => Script::Han,
        '\u{ac00}'..='\u{d7af}' => Script::Hangul,
        _ => return None,
    })
}

/// The script of a text of which most letters are of one.
fn of(text: &str, least: usize) -> Option<Script> {
    let mut counts = [(0, Script::Latin); ALL];
    for script in text.chars().filter_map(script) {
        // A character of a dense script says as much as two letters.
        let weight = if matches!(script, Script::Han | Script::Kana | Script::Hangul) { 2 } else { 1 };
        let (count, _) = counts[script as usize];
        counts[script as usize] = (count + weight, script);
    }
    let all: usize = counts.iter().map(|(count, _)| count).sum();
    let [han, kana] = [Script::Han, Script::Kana].map(|script| counts[script as usize].0);
    if kana * 10 > (han + kana) * KANA && kana > 0 {
        counts[Script::Kana as usize] = (han + kana, Script::Kana);
        counts[Script::Han as usize].0 = 0;
    }
    let (most, script) = counts.into_iter().max_by_key(|(count, _)| *count)?;
    (most >= least && most * 10 >= all * MOST).then_some(script)
}

/// From the first paragraph in another script than the person's to the last one. The person's is the one of the first or of the
/// last paragraph, whichever is shorter.
pub fn others(text: &str, blocks: &[Block<'_>]) -> Vec<(usize, usize)> {
    let read = |block: &Block<'_>| text::between(text, block.from, block.to);
    let mut said = blocks.iter().filter(|block| block.kind != Kind::Framed);
    let (Some(first), Some(last)) = (said.next(), said.next_back()) else { return Vec::new() };
    let asking = if last.size() < first.size() { last } else { first };
    let Some(own) = of(read(asking), LEAST_ASKING) else { return Vec::new() };
    let is_other =
        |block: &&Block<'_>| block.kind != Kind::Framed && of(read(block), LEAST).is_some_and(|script| script != own);
    let from = blocks.iter().find(is_other).map(|block| block.from);
    let to = blocks.iter().rev().find(is_other).map(|block| block.to);
    from.zip(to).into_iter().collect()
}
