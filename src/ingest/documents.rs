//! Finds documents that a person pasted without a frame around them: below what they ask, or above it. Only the shape tells
//! them apart: a title over all that follows, front matter, a letter, a dialogue, what a sentence with a colon announces,
//! quotation marks, another script, signs of another hand. Where nothing tells the paragraphs of a message apart, the person typed all of them.

mod blocks;
mod hands;
mod letters;
mod prose;
mod scripts;

use crate::base::distinct::Distinct;
use crate::base::order;
use crate::base::text;
use blocks::{Block, Kind, ends_sentence, words};
use letters::{is_salutation, is_sign_off};
use prose::{LONGEST_REQUEST, end, ends_question, is_own, is_prose};

pub use prose::OWN;

/// Words of a sentence with a colon that announces what somebody else wrote: a label before one's own words is shorter.
const ANNOUNCES: usize = 4;
/// Words of a title: the name of a section of one's own is shorter.
const TITLE: usize = 4;
/// Words of a request that shows how a person writes: a greeting has fewer.
const ASKS: usize = 4;
/// Bytes of the longest title.
const LONGEST_TITLE: usize = 160;
/// Bytes of two paragraphs below a title, or of a single one.
const PARAGRAPH: usize = 100;
const LONG_PARAGRAPH: usize = 400;
/// Bytes of the shortest paragraph between quotation marks that is no word of one's own.
const LEAST_QUOTED: usize = 40;

/// The documents of a text, as pairs of start and end in bytes, in order.
#[inline(never)]
pub fn find(text: &str) -> Vec<(usize, usize)> {
    let blocks = blocks::of(text);
    let Some(first) = blocks.iter().position(|block| block.kind != Kind::Framed) else { return Vec::new() };
    if let Some(to) = leads(&blocks, first, text.len()) {
        return vec![(blocks[first].from, to)];
    }
    let mut found = scripts::others(text, &blocks);
    let begun =
        blocks.iter().enumerate().skip(first).find_map(|(at, block)| Some((at, begins(&blocks, first, at, block)?)));
    let until = begun.map_or(text.len(), |(_, from)| from);
    for (at, block) in blocks.iter().enumerate().skip(first + 1).filter(|(_, block)| block.from < until) {
        let is_code = block.kind == Kind::Indented && blocks[at - 1].kind != Kind::List;
        let to = if is_code { Some(block.to) } else { quoted(&blocks, at) };
        found.extend(to.map(|to| (block.from, to)));
    }
    if let Some((at, from)) = begun {
        found.push((from, end(&blocks, at, text.len())));
    } else if found.is_empty() {
        found.extend(hands::other(text, &blocks[first..]));
    }
    merged(found)
}

/// Sorts ranges and joins those that overlap.
fn merged(mut found: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    order::by_key(&mut found, |&(from, to)| order::both(from as u64, to as u64));
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (from, to) in found {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// Where a document begins that goes on to the end of the message, if it begins in this block.
fn begins(blocks: &[Block<'_>], first: usize, at: usize, block: &Block<'_>) -> Option<usize> {
    let below = blocks.get(at + 1);
    if at > first {
        let before = &blocks[at - 1];
        let is_whole = match block.kind {
            Kind::FrontMatter => true,
            Kind::Heading => is_title_of_all(blocks, at) || is_written_otherwise(blocks, first, at),
            Kind::Framed | Kind::List | Kind::Indented => false,
            Kind::Lines => {
                is_title(block) && is_article(&blocks[at + 1..])
                    || is_section(block) && below.is_some()
                    || is_salutation(&block.lines, below)
                    || is_dialogue(blocks, at)
                    || announces(before.last()) && is_prose(block)
                    || is_written_otherwise(blocks, first, at)
            }
        };
        if is_whole {
            return Some(block.from);
        }
    }
    if block.kind != Kind::Lines {
        return None;
    }
    let inside = |line: usize| {
        let rest = &block.lines[line..];
        let before = block.lines[line - 1].text;
        announces(before) && !ends_question(block.last()) && ends_sentence(block.last())
            || (ends_sentence(before) || before.ends_with([':', '：'])) && rest.len() > 1 && is_salutation(rest, None)
    };
    (1..block.lines.len()).find(|&line| inside(line)).map(|line| block.lines[line].from)
}

/// Where a document ends that begins the message, if one does: what is asked stands behind it.
fn leads(blocks: &[Block<'_>], first: usize, end: usize) -> Option<usize> {
    let last = blocks.last()?;
    let is_request = last.kind == Kind::Lines && last.to - last.from <= LONGEST_REQUEST;
    let request = || if is_request { last.from } else { end };
    if blocks.len() - first < 2 {
        return None;
    }
    match blocks[first].kind {
        Kind::FrontMatter => return Some(request()),
        Kind::Lines if is_dialogue(blocks, first) => {
            return Some(if last.label().is_none() { request() } else { end });
        }
        _ => {}
    }
    // A letter, its end, and what is to be done with it.
    if !is_salutation(&blocks[first].lines, blocks.get(first + 1)) {
        return None;
    }
    let signed = (first + 1..blocks.len() - 1).find(|&at| is_sign_off(&blocks[at]))?;
    Some(blocks[signed].to)
}

/// Whether a heading is the title of all that follows: the only one of the first level, before any other, and above more than
/// a list. Sections of one's own stand side by side.
fn is_title_of_all(blocks: &[Block<'_>], at: usize) -> bool {
    let heading = &blocks[at];
    let is_only = blocks.iter().filter(|block| block.kind == Kind::Heading && block.level == 1).count() == 1;
    let is_first = !blocks[..at].iter().any(|block| block.kind == Kind::Heading);
    let below = heading.lines.get(usize::from(heading.ruled) + 1).map(|line| blocks::is_point(line.text));
    let above_list = below.or_else(|| blocks.get(at + 1).map(|next| next.kind == Kind::List)).unwrap_or(true);
    heading.level == 1 && is_only && is_first && !above_list && !is_own(heading.first())
}

/// Whether a person who writes neither capitals nor full stops asks in the first block, and everything from the second on has
/// both.
fn is_written_otherwise(blocks: &[Block<'_>], first: usize, at: usize) -> bool {
    let asked = &blocks[first];
    let is_plain = at == first + 1
        && asked.kind == Kind::Lines
        && asked.lines.len() == 1
        && words(asked.first()) >= ASKS
        && asked.first().starts_with(char::is_lowercase)
        && (!ends_sentence(asked.first()) || ends_question(asked.first()))
        && asked.first().ends_with(|last: char| last.is_alphanumeric() || last == '?');
    let is_edited = |block: &Block<'_>| {
        let line = block.first().trim_start_matches(|char: char| !char.is_alphanumeric());
        block.kind != Kind::Lines || !line.starts_with(char::is_lowercase) && is_prose(block)
    };
    let says_much = |block: &Block<'_>| is_prose(block) && block.size() >= LEAST_QUOTED;
    is_plain && blocks[at..].iter().any(says_much) && blocks[at..].iter().all(is_edited)
}

/// Whether a block is a line that reads as a title.
fn is_title(block: &Block<'_>) -> bool {
    let line = block.first();
    block.lines.len() == 1
        && line.len() <= LONGEST_TITLE
        && words(line) >= TITLE
        && line.chars().next().is_some_and(|char| char.is_alphanumeric() && !char.is_lowercase())
        && line.chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Whether a block is the title of a section of a law or contract.
fn is_section(block: &Block<'_>) -> bool {
    block.lines.len() == 1 && block.first().starts_with('§') && !ends_sentence(block.first())
}

/// Whether blocks are the paragraphs of an article, below lines such as who wrote it and when.
fn is_article(below: &[Block<'_>]) -> bool {
    const BYLINES: usize = 2;
    let is_byline =
        |block: &&Block<'_>| block.kind == Kind::Lines && block.lines.len() == 1 && !ends_sentence(block.last());
    let bylines = below.iter().take(BYLINES).take_while(is_byline).count();
    let long =
        |at: usize, least: usize| below.get(bylines + at).is_some_and(|block| is_prose(block) && block.size() >= least);
    long(0, LONG_PARAGRAPH) || long(0, PARAGRAPH) && long(1, PARAGRAPH)
}

/// Whether a line ends with a colon behind a sentence that announces what somebody else wrote.
fn announces(line: &str) -> bool {
    let Some(said) = line.strip_suffix([':', '：']) else { return false };
    let sentence = said
        .rfind(['.', '!', '?', '。', '！', '？'])
        .map_or(said, |at| text::between(said, text::ceil(said, at + 1), said.len()));
    words(sentence) >= ANNOUNCES && !is_own(sentence)
}

/// Whether two or more speak in turns from a block on: lines that begin with names, of which one comes again.
fn is_dialogue(blocks: &[Block<'_>], at: usize) -> bool {
    const LOOKED_AT: usize = 8;
    const LEAST: usize = 3;
    if blocks[at].label().is_none() {
        return false;
    }
    let lines = blocks[at..].iter().flat_map(|block| &block.lines).take(LOOKED_AT);
    let labels: Vec<&str> = lines.filter_map(|line| blocks::label(line.text)).collect();
    let mut distinct = Distinct::default();
    for label in &labels {
        distinct.number(label);
    }
    labels.len() >= LEAST && distinct.all.len() > 1 && distinct.all.len() < labels.len()
}

/// Where a quotation ends that a block begins with: in the first block that ends with its mark.
fn quoted(blocks: &[Block<'_>], at: usize) -> Option<usize> {
    const MARKS: [(char, &[char]); 7] = [
        ('"', &['"']),
        ('“', &['”', '"']),
        ('„', &['“', '”', '"']),
        ('«', &['»']),
        ('»', &['«']),
        ('「', &['」']),
        ('『', &['』']),
    ];
    let open = blocks[at].first().chars().next().filter(|_| blocks[at].kind == Kind::Lines)?;
    let (_, close) = MARKS.iter().find(|(mark, _)| *mark == open)?;
    let end = blocks[at..].iter().find(|block| block.last().trim_end_matches(['.', ',', '。']).ends_with(*close))?;
    (end.to - blocks[at].from >= LEAST_QUOTED).then_some(end.to)
}
