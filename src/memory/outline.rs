//! The outline of a text: the lines under which others are indented. Of a file that was read, they say what is in it;
//! lines in a row that begin with the same word, as imports do, say little.

use crate::base::{text, words};

/// Columns that a line is indented by at least under its head.
const STEP: usize = 2;
/// Columns that a tab takes.
const TAB: usize = 4;
/// Heads of the shortest text that has an outline.
const HEADS: usize = 3;
/// Levels of the outline: what stands deeper is no head.
const LEVELS: usize = 2;
/// Lines in a row that begin with the same word, at least.
const RUN: usize = 3;

/// Where a line stands in the outline of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Anywhere else.
    #[default]
    None,
    /// Others are indented under it.
    Head,
    /// Several in a row begin with the same word, in a text that has an outline.
    Listed,
}

/// Where each line of a text stands.
pub fn places(text: &str) -> Vec<Place> {
    let indents: Vec<Option<usize>> = text.lines().map(indent).collect();
    let mut heads = vec![false; indents.len()];
    let mut levels: Vec<usize> = Vec::new();
    let mut before: Option<(usize, usize)> = None;
    for (at, indent) in indents.iter().enumerate() {
        let Some(indent) = *indent else { continue };
        if let Some((head, its)) = before.filter(|(_, its)| indent >= its + STEP) {
            heads[head] = true;
            if let Err(place) = levels.binary_search(&its) {
                levels.insert(place, its);
            }
        }
        before = Some((at, indent));
    }
    if heads.iter().filter(|head| **head).count() < HEADS {
        return vec![Place::None; indents.len()];
    }
    let deepest = levels[levels.len().min(LEVELS) - 1];
    let is_high = |indent: &Option<usize>| indent.is_some_and(|indent| indent <= deepest);
    let place = |(head, indent)| if head && is_high(indent) { Place::Head } else { Place::None };
    let mut places: Vec<Place> = heads.into_iter().zip(&indents).map(place).collect();
    list(text, &mut places);
    places
}

/// Marks lines where several in a row begin with the same word.
fn list(text: &str, places: &mut [Place]) {
    let (mut from, mut first) = (0, "");
    for (at, line) in text.lines().chain([""]).enumerate() {
        let word = first_word(line);
        if word != first || word.is_empty() {
            if at - from >= RUN && !first.is_empty() {
                places[from..at].fill(Place::Listed);
            }
            (from, first) = (at, word);
        }
    }
}

/// The word that a line begins with; none where it is indented, or begins with something else.
fn first_word(line: &str) -> &str {
    let line = without_number(line);
    let end = line.find(|char: char| !words::is_letter(char)).unwrap_or(line.len());
    text::between(line, 0, end)
}

/// The columns before what a line says, behind its number if it is shown with one; nothing for a line that says nothing.
/// The sign of a changed line stands for a blank.
fn indent(line: &str) -> Option<usize> {
    let line = without_number(line);
    let mut columns = 0;
    for (at, char) in line.char_indices() {
        match char {
            '\t' => columns += TAB,
            ' ' => columns += 1,
            '+' | '-' if at == 0 => columns += 1,
            // What closes a block belongs to it.
            ')' | ']' | '}' => return None,
            _ => return Some(columns),
        }
    }
    None
}

/// A line of a file without the number that it is shown with: `12→`, `  12\t`, `12: `, `12|`.
fn without_number(line: &str) -> &str {
    let number = line.trim_start();
    let rest = number.trim_start_matches(|char: char| char.is_ascii_digit());
    let Some(mark) = rest.chars().next().filter(|mark| rest.len() < number.len() && ":→|\t".contains(*mark)) else {
        return line;
    };
    text::between(rest, mark.len_utf8(), rest.len())
}
