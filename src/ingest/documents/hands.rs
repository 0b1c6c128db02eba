//! Signs of another hand: what stands beside a short request was set, filed, numbered or posted, as people do for each other and
//! not when they ask a model. A sign is one of layout or of characters, never a word, and none of them is enough alone.

use super::blocks::{self, Block, Kind, ends_sentence, words};
use super::letters::is_sign_off;
use super::prose::{end, ends_question, is_own, is_prose};
use crate::base::text;

/// Points from which on another hand wrote it.
const ENOUGH: i32 = 3;
/// Bytes, lines and words of what is asked.
const LONGEST_ASKED: usize = 240;
const LINES_ASKED: usize = 2;
/// Bytes of a text that is long, and how many times as long as what is asked.
const LONG: usize = 300;
const TIMES: usize = 5;
/// Bytes of a paragraph below a line that heads it.
const HEADED: usize = 80;
/// Words of a sentence that few people type.
const LONG_SENTENCE: usize = 18;
/// Bytes of a line that was wrapped.
const WRAPPED: core::ops::RangeInclusive<usize> = 56..=100;

/// What another hand wrote beside what is asked in the first block or in the last one.
pub fn other(text: &str, blocks: &[Block<'_>]) -> Option<(usize, usize)> {
    let (first, before_last) = (blocks.split_first()?.1, blocks.split_last()?.1);
    let [opening, .., ending] = blocks else { return None };
    let is_other = |asked: &Block<'_>, beside: &[Block<'_>]| asks(asked) && points(text, asked, beside) >= ENOUGH;
    let below = || is_other(opening, first).then(|| (first[0].from, end(blocks, 0, text.len())));
    let above = || is_other(ending, before_last).then_some((opening.from, ending.from));
    // What reads as a title is the document's, if something else asks.
    if ends_sentence(opening.last()) || opening.last().ends_with([':', '：']) {
        below().or_else(above)
    } else {
        above().or_else(below)
    }
}

/// Whether a block can be all that a person asks about the others.
fn asks(block: &Block<'_>) -> bool {
    let is_own = |line: &str| line.ends_with([':', '：']) && is_own(line);
    block.kind == Kind::Lines
        && block.lines.len() <= LINES_ASKED
        && block.size() <= LONGEST_ASKED
        && !block.last().ends_with([',', '，', '、', '،'])
        && !is_own(block.last())
        && !block.lines.iter().any(|line| is_filed(line.text) || line.text.contains(is_set))
}

/// How much speaks for another hand.
fn points(text: &str, asked: &Block<'_>, beside: &[Block<'_>]) -> i32 {
    let (head, last) = (&beside[0], &beside[beside.len() - 1]);
    let asked = text::between(text, asked.from, asked.to);
    let whole = text::between(text, head.from, last.to);
    let mut points = 0;
    let mut sign = |is: bool, worth: i32| points += if is { worth } else { 0 };
    // Characters.
    sign(whole.contains(is_hidden), 2);
    sign(whole.contains(is_set), 2);
    sign(whole.contains(is_typeset) && !asked.contains(is_typeset), 1);
    sign(TYPESET.iter().filter(|&&char| whole.contains(char)).count() > 2, 1);
    sign(whole.contains(is_typeset) && !whole.contains(is_plain) && asked.contains(is_plain), 1);
    sign(whole.contains("!!"), 1);
    sign(cites(whole), 1);
    // Lines.
    let said = || beside.iter().filter(|block| block.kind != Kind::Framed);
    let count = |is: fn(&str) -> bool| said().flat_map(|block| &block.lines).filter(|line| is(line.text)).count();
    let labels = count(|line| blocks::label(line).is_some());
    sign(labels > 1, 1);
    sign(count(is_filed) > 0, 1);
    sign(labels > 1 && is_filed(head.first()) && head.label().is_none(), 1);
    sign(count(|line| line.starts_with(is_set)) > 1, 1);
    sign(count(is_post) > 0, 2);
    sign(count(is_clause) > 1, 1);
    sign(count(|line| is_clause(line) && ends_sentence(line)) > 1, 2);
    sign(said().any(is_split), 2);
    sign(said().any(is_wrapped), 1);
    // Paragraphs.
    let headed = headed(beside);
    sign(headed > 0, 1);
    sign(is_tagged(head.first()), if headed > 0 { 2 } else { 1 });
    sign(headed > 1 || headed > 0 && is_shouted(head.first()), 1);
    sign(is_shouted(head.first()), 1);
    sign(beside.len() > 1 && is_sign_off(last) && last.label().is_none(), 1);
    sign(whole.len() >= LONG && whole.len() >= TIMES * asked.len(), 1);
    sign(is_long_winded(beside), 1);
    // What people type to a model.
    let own = |block: &Block<'_>| block.kind == Kind::Lines && block.first().starts_with(char::is_lowercase);
    sign(beside.iter().any(own), -2);
    sign(whole.contains('`') || beside.iter().any(|block| matches!(block.kind, Kind::Framed | Kind::Indented)), -2);
    sign(beside.iter().any(|block| ends_question(block.last())), -1);
    sign(beside.iter().any(|block| block.kind == Kind::List), -1);
    points
}

/// A character that nobody sees and nobody types: a soft hyphen, thin and zero-width spaces, ligatures.
fn is_hidden(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}' | '\u{2009}' | '\u{2011}' | '\u{202f}' | '\u{fb00}'..='\u{fb06}')
}

/// A character by which printed text and notices are set: signs of rights, footnotes, bullets, brackets of titles.
fn is_set(char: char) -> bool {
    matches!(
        char,
        '©' | '®'
            | '†'
            | '‡'
            | '¶'
            | '※'
            | '■'
            | '□'
            | '◆'
            | '◇'
            | '●'
            | '○'
            | '▶'
            | '▲'
            | '▼'
            | '★'
            | '☆'
            | '【'
            | '〔'
            | '〖'
            | '━'
            | '─'
    )
}

/// What a text program makes of what is typed.
const TYPESET: [char; 10] = ['’', '‘', '“', '”', '–', '—', '…', '·', '•', '\u{a0}'];

fn is_typeset(char: char) -> bool {
    TYPESET.contains(&char)
}

fn is_plain(char: char) -> bool {
    matches!(char, '\'' | '"')
}

/// Whether a line holds a number by which something is filed: `#4812`, `INC-4812`, `2026-01-02`.
fn is_filed(line: &str) -> bool {
    !ends_sentence(line)
        && line.split_whitespace().any(|word| {
            let word = word.trim_matches(|char: char| !char.is_alphanumeric() && char != '#');
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
            let joins = word.bytes().filter(|byte| matches!(byte, b'-' | b'/' | b'.' | b':')).count();
            digits >= 3 && (word.starts_with('#') || joins >= 1 && capitals >= 2 || joins == 2 && digits >= 6)
        })
}

/// Whether a line says who posted what follows: `@name · 3h`.
fn is_post(line: &str) -> bool {
    let Some(name) = line.split_whitespace().find_map(|word| word.strip_prefix('@')) else { return false };
    !ends_sentence(line) && words(line) <= 6 && !name.is_empty() && !name.contains(['.', '/'])
}

/// Whether a line has the number of a clause: `4.2 Fees`.
fn is_clause(line: &str) -> bool {
    let mut parts = line.split_whitespace().next().unwrap_or_default().trim_end_matches('.').split('.');
    let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.clone().count() > 1 && parts.all(is_number)
}

/// Whether a line is set in capitals.
fn is_shouted(line: &str) -> bool {
    let letters = line.chars().filter(|char| char.is_alphabetic()).count();
    letters >= 8 && words(line) > 2 && line.chars().any(char::is_uppercase) && !line.chars().any(char::is_lowercase)
}

/// Whether a text cites: `[12]`, `(Roe, 2019)`.
fn cites(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len()).any(|at| match bytes[at] {
        b'[' => {
            is_digit(at + 1)
                && (bytes.get(at + 2) == Some(&b']') || is_digit(at + 2) && bytes.get(at + 3) == Some(&b']'))
        }
        b')' => at >= 5 && (at - 4..at).all(is_digit) && bytes[at - 5] != b'-' && !is_digit(at - 5),
        _ => false,
    })
}

/// Whether a line begins with a tag in brackets: `[Notice] …`. Links and boxes that are ticked are none.
fn is_tagged(line: &str) -> bool {
    if line.starts_with(['【', '〔', '〖']) {
        return true;
    }
    let Some((tag, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else { return false };
    tag.chars().count() > 1 && !tag.bytes().any(|byte| byte.is_ascii_digit()) && rest.starts_with(' ')
}

/// The paragraphs that the first block heads, if it is a line that heads what follows and no other is: sections of one's own
/// stand side by side.
fn headed(blocks: &[Block<'_>]) -> usize {
    let heads = |block: &Block<'_>| {
        let line = block.first();
        block.kind == Kind::Lines
            && block.lines.len() == 1
            && !line.starts_with(char::is_lowercase)
            && words(line) > 1
            && block.label().is_none()
            && (!ends_sentence(line) || is_shouted(line))
            && !line.ends_with([':', '：', ',', '，'])
    };
    let is_long = |block: &&Block<'_>| is_prose(block) && block.size() >= HEADED;
    if heads(&blocks[0]) && !blocks[1..].iter().any(heads) { blocks[1..].iter().filter(is_long).count() } else { 0 }
}

/// Whether a word is split at the end of a line.
fn is_split(block: &Block<'_>) -> bool {
    let splits = |pair: &[blocks::BlockLine<'_>]| {
        let before = pair[0].text.strip_suffix('-').is_some_and(|line| line.ends_with(char::is_alphabetic));
        before && pair[1].text.starts_with(char::is_lowercase)
    };
    block.kind == Kind::Lines && block.lines.windows(2).any(splits)
}

/// Whether lines of a block were wrapped, as mails and printed pages are.
fn is_wrapped(block: &Block<'_>) -> bool {
    let wrapped = block.lines.len().saturating_sub(1);
    let is_full = |line: &&blocks::BlockLine<'_>| WRAPPED.contains(&line.text.len()) && !ends_sentence(line.text);
    block.kind == Kind::Lines
        && wrapped > 1
        && block.lines.iter().take(wrapped).filter(is_full).count() * 3 > wrapped * 2
}

/// Whether sentences are longer than those that people type.
fn is_long_winded(blocks: &[Block<'_>]) -> bool {
    let (mut all, mut sentences) = (0, 0);
    for line in blocks.iter().filter(|block| block.kind == Kind::Lines).flat_map(|block| &block.lines) {
        all += words(line.text);
        let ends = line.text.split_whitespace().filter(|word| ends_sentence(word)).count();
        sentences += ends.max(line.text.matches(['。', '！', '？']).count());
    }
    all >= LONG_SENTENCE * sentences.max(1)
}
