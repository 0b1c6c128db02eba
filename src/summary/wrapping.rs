//! What models put around a summary: a fence, an object of JSON, a sentence before the first heading, a question behind the
//! last point. Each is known by its form, in any language.

use crate::base::distinct::Distinct;
use crate::base::text;
use crate::base::words;
use crate::ingest::content::Value;
use crate::ingest::json;

/// Bytes of the longest sentence before a summary or behind it.
const LONGEST: usize = 240;
/// What the longest text of an object has of all its texts, in percent, if it is the summary and the rest is about it.
const WHOLE: usize = 70;

/// A summary without what stands around it.
pub fn unwrapped(text: &str) -> String {
    let inside = unfenced(text.trim());
    let plain = of_json(inside).unwrap_or_else(|| inside.to_owned());
    without_question(without_preamble(&plain)).trim().to_owned()
}

/// A text without the fence around all of it.
pub fn unfenced(text: &str) -> &str {
    let within = |fence: &&str| {
        let inside = text.strip_prefix(*fence)?.split_once('\n')?.1.trim();
        inside.strip_suffix(*fence).filter(|inside| !inside.contains(*fence))
    };
    ["```", "~~~"].iter().find_map(within).map_or(text, str::trim)
}

/// The summary in an object: its longest text, or a section for each member.
fn of_json(text: &str) -> Option<String> {
    let Value::Object(members) = json::strict(text)? else { return None };
    let said = |value: &Value| match value {
        Value::Text(text) => text.trim().to_owned(),
        Value::Array(items) => {
            let points: Vec<String> = items.iter().map(|item| format!("- {}", item.to_text())).collect();
            points.join("\n")
        }
        Value::Null => String::new(),
        other => other.to_text().into_owned(),
    };
    let sections: Vec<(&String, String)> = members.iter().map(|(name, value)| (name, said(value))).collect();
    let all: usize = sections.iter().map(|(_, text)| text.len()).sum();
    let (_, longest) = sections.iter().max_by_key(|(_, text)| text.len())?;
    if longest.len() * 100 >= all * WHOLE {
        return Some(longest.clone());
    }
    let written: Vec<String> = sections.iter().map(|(name, text)| format!("## {name}\n{text}")).collect();
    Some(written.join("\n"))
}

/// Whether a line is a heading or a point of a list.
pub fn is_structure(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(['#', '|', '>'])
        || ["- ", "* ", "• ", "**"].iter().any(|mark| line.starts_with(mark))
        || digits > 0 && line.get(digits..).is_some_and(|rest| rest.starts_with(['.', ')']))
}

/// A text without the line before its first heading, if that says nothing which has to be repeated exactly.
fn without_preamble(text: &str) -> &str {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| !is_structure(line) && line.len() <= LONGEST) else { return text };
    let rest = text::between(text, first.len(), text.len());
    let next = rest.lines().find(|line| !line.trim().is_empty());
    let announces = first.trim_end().ends_with([':', '：']);
    let is_heading = next.is_some_and(|line| line.trim_start().starts_with('#'));
    let goes = is_heading || announces && next.is_some_and(is_structure);
    if goes && !has_value(first) { rest } else { text }
}

/// A text without a question that stands apart behind its last point: nobody will reply to it.
fn without_question(text: &str) -> &str {
    let text = text.trim_end();
    let Some(at) = text.rfind('\n') else { return text };
    let (before, last) = (text::between(text, 0, at), text::between(text, at + 1, text.len()));
    let apart = before.ends_with('\n') || before.ends_with("\n\r");
    let after_point = before.trim_end().lines().last().is_some_and(|line| !line.trim_start().starts_with('#'));
    let asks = last.trim_end().ends_with(['?', '？', '؟']) && last.len() <= LONGEST && !is_structure(last);
    if apart && after_point && asks && !has_value(last) { before.trim_end() } else { text }
}

/// Whether a line holds a number, a path or the like. A hyphen joins words of many languages ("voulez-vous").
pub fn has_value(line: &str) -> bool {
    let mut before = ' ';
    line.chars().any(|char| {
        let inner = before.is_lowercase() && char.is_uppercase();
        before = char;
        inner || char.is_numeric() || matches!(char, '_' | '/' | '\\' | '@' | '`')
    })
}

/// Whether a text says the same under most of its headings.
pub fn says_the_same(text: &str) -> bool {
    const HEADINGS: usize = 3;
    let mut bodies: Vec<String> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        if line.trim_start().starts_with('#') {
            bodies.push(String::new());
            within = true;
        } else if let Some(body) = bodies.last_mut().filter(|_| within) {
            body.push_str(line.trim().trim_start_matches(['-', '*', '•', ' ']));
        }
    }
    bodies.retain(|body| words::says_anything(body));
    let count = bodies.len();
    let mut distinct = Distinct::default();
    for body in &bodies {
        distinct.number(body);
    }
    count >= HEADINGS && distinct.all.len() * 2 <= count
}
