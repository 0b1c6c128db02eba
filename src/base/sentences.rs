//! The sentences of a text in any script: each a part of the text, in order.

use crate::base::text;
use crate::base::words::{is_dense, is_letter, says_anything};

/// Bytes beyond which a sentence of a script without ends of sentences is cut at a space, and those of each part at least.
const LONG: usize = 600;
const PART: usize = 240;

/// Bytes of the longest number or letter before a point of a list, with blanks.
const LONGEST_MARKER: usize = 24;

/// Reports each sentence of a text. What says nothing (marks alone) belongs to the sentence before it.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    for line in text.lines() {
        of_line(line.trim(), each);
    }
}

fn of_line<'t>(line: &'t str, each: &mut dyn FnMut(&'t str)) {
    // Where the sentence begins that is not reported yet, and where what follows it begins.
    let (mut from, mut begun) = (0, 0);
    let mut report = |from: usize, to: usize| {
        let sentence = text::between(line, from, to).trim();
        if says_anything(sentence) {
            in_parts(sentence, each);
        }
    };
    while let Some(end) = next_end(line, begun) {
        let part = text::between(line, begun, end);
        let rest = text::between(line, end, line.len());
        begun = end;
        // A number or letter of a list belongs to what follows it, marks without words to what precedes them.
        if is_marker(text::between(line, from, end)) || !says_anything(part) || !starts_sentence(rest) {
            continue;
        }
        report(from, end);
        from = end;
    }
    report(from, line.len());
}

/// Whether what follows an end is more than marks.
fn starts_sentence(rest: &str) -> bool {
    let next = next_end(rest, 0).unwrap_or(rest.len());
    says_anything(text::between(rest, 0, next))
}

/// Whether a text is the number or letter before a point of a list.
fn is_marker(text: &str) -> bool {
    if text.len() > LONGEST_MARKER {
        return false;
    }
    let text = text.trim();
    let name = text.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = (1..=3).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit());
    is_number || text::characters(name) == 1 && name.chars().all(is_letter)
}

/// Where the first sentence ends that goes on behind a byte: behind its mark and what closes it.
fn next_end(line: &str, from: usize) -> Option<usize> {
    let mut chars = text::between(line, from, line.len()).char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let dense = matches!(char, '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥');
        if !dense && !matches!(char, '.' | '!' | '?' | '…') {
            continue;
        }
        let at = from + at;
        let mut end = at + char.len_utf8();
        if let Some((_, close)) =
            chars.next_if(|(_, next)| matches!(next, '"' | '”' | '\'' | ')' | ']' | '」' | '』' | '）'))
        {
            end += close.len_utf8();
        }
        let follows = text::between(line, end, line.len());
        let ends =
            dense || follows.starts_with(char::is_whitespace) && !(char == '.' && is_short(text::between(line, 0, at)));
        if ends && !follows.trim().is_empty() {
            return Some(end);
        }
    }
    None
}

/// Whether the point after a text belongs to a number of up to two digits or an abbreviation of up to two letters.
fn is_short(before: &str) -> bool {
    let mut chars = before.chars().rev();
    let mut letters = 0;
    loop {
        match chars.next() {
            Some(char) if is_letter(char) && !is_dense(char) => letters += 1,
            // Behind a number stands a unit: "until 18 h." ends a sentence.
            Some(char) if char.is_whitespace() => {
                let is_unit = chars.next().is_some_and(char::is_numeric);
                return (1..=2).contains(&letters) && !is_unit;
            }
            Some(char) => return (1..=2).contains(&letters) && matches!(char, '(' | '.'),
            None => return false,
        }
        if letters > 2 {
            return false;
        }
    }
}

/// Reports a sentence, a long one of a script without ends of sentences in parts.
fn in_parts<'t>(mut sentence: &'t str, each: &mut dyn FnMut(&'t str)) {
    while sentence.len() > LONG {
        let start = text::ceil(sentence, PART);
        if !text::between(sentence, 0, start).chars().any(is_dense) {
            break;
        }
        let is_gap = |char: char| matches!(char, ' ' | '、' | '，' | ',' | '；' | ';');
        let Some(gap) = text::between(sentence, start, sentence.len()).char_indices().find(|(_, char)| is_gap(*char))
        else {
            break;
        };
        let end = start + gap.0 + gap.1.len_utf8();
        if end + PART / 4 > sentence.len() {
            break;
        }
        each(text::between(sentence, 0, end).trim());
        sentence = text::between(sentence, end, sentence.len()).trim();
    }
    if !sentence.is_empty() {
        each(sentence);
    }
}
