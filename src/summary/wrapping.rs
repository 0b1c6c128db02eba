//! What models put around a summary: a fence, a tag, an object of JSON, sentences before the first heading, a question
//! behind the last point. Each is known by its form, in any language.

use crate::base::text;
use crate::base::words::{self, Class};
use crate::ingest::content::Value;
use crate::ingest::json;

/// Bytes of the longest sentence before a summary or behind it.
const LONGEST: usize = 240;
/// What the longest text of an object has of all its texts, in percent, if it is the summary and the rest is about it.
const WHOLE: usize = 70;

/// A summary without what stands around it.
pub fn unwrapped(text: &str) -> String {
    let inside = untagged(unfenced(within_fence(text.trim())));
    let plain = of_json(inside).or_else(|| of_json(behind_preamble(inside))).unwrap_or_else(|| inside.to_owned());
    without_question(without_preamble(&plain)).trim().to_owned()
}

/// A text without the fence around all of it. A model may forget to close it.
pub fn unfenced(text: &str) -> &str {
    let within = |fence: &&str| {
        let (name, inside) = text.strip_prefix(*fence)?.split_once('\n')?;
        let inside = inside.trim().strip_suffix(*fence).unwrap_or(inside).trim();
        (!name.contains(char::is_whitespace) && !inside.contains(*fence)).then_some(inside)
    };
    FENCES.iter().find_map(within).map_or(text, str::trim)
}

const FENCES: [&str; 2] = ["```", "~~~"];

/// The fenced summary, where no more than a sentence stands before the fence and behind it; else the whole text.
fn within_fence(text: &str) -> &str {
    let within = |fence: &&str| {
        let mark = format!("\n{fence}");
        let from = text::find(text, &mark)? + 1;
        let to = text.rfind(&mark).filter(|to| *to > from)? + mark.len();
        let inside = text::between(text, from, to);
        let around = [text::between(text, 0, from), text::between(text, to, text.len())];
        let is_summary = inside.lines().skip(1).any(|line| line.starts_with(['#', '{']));
        (is_summary && around.iter().all(|part| is_about(part) && !part.lines().any(is_structure))).then_some(inside)
    };
    FENCES.iter().find_map(within).unwrap_or(text)
}

/// A text without one tag around all of it (`<notes>`).
fn untagged(text: &str) -> &str {
    let within = || {
        let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let inside = rest.strip_suffix(&*format!("</{name}>"))?;
        (is_name && !inside.contains(&format!("<{name}>"))).then_some(inside.trim())
    };
    within().unwrap_or(text)
}

/// Whether a text is no more than a sentence about the summary.
fn is_about(text: &str) -> bool {
    text.trim().len() <= LONGEST && !has_value(text)
}

/// What follows the first line, where that only announces it.
fn behind_preamble(text: &str) -> &str {
    text.split_once('\n').filter(|(first, _)| is_about(first)).map_or(text, |(_, rest)| rest.trim())
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

/// A text without the lines before its first heading, if they say nothing which has to be repeated exactly; and without a
/// line that announces the points behind it.
fn without_preamble(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_heading = line.trim_start().starts_with('#');
        if is_heading || is_structure(line) {
            let before = text::between(text, 0, at);
            let announces = before.trim_end().ends_with([':', '：']);
            let goes = (is_heading || announces) && is_about(before);
            return if goes { text::between(text, at, text.len()) } else { text };
        }
        at += line.len();
    }
    text
}

/// A text without a question that stands apart behind its last point: nobody will reply to it.
fn without_question(text: &str) -> &str {
    let text = text.trim_end();
    let Some(at) = text.rfind('\n') else { return text };
    let (before, last) = (text::between(text, 0, at), text::between(text, at + 1, text.len()));
    let above = before.trim_end().lines().last().unwrap_or_default();
    // What is indented belongs to the point above it.
    let apart =
        before.ends_with('\n') || before.ends_with("\n\r") || is_structure(above) && !last.starts_with([' ', '\t']);
    let after_point = !above.trim_start().starts_with('#');
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

/// A line as a heading: its words, without the marks of Markdown.
pub fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let inside = || line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**").filter(|one| !one.contains("**"));
    let name = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')).or_else(inside)?;
    Some(name.trim_matches(|char: char| char == '*' || char == ':' || char.is_whitespace()))
}

/// Of the words of two sections in percent, what both say if they say the same.
const SAME: usize = 85;
/// The words of the shortest section that counts: "none" may stand under each heading.
const LEAST: usize = 4;

/// Whether a text says the same under most of its headings.
pub fn says_the_same(text: &str) -> bool {
    const HEADINGS: usize = 3;
    let mut bodies: Vec<String> = Vec::new();
    for line in text.lines() {
        if heading(line).is_some() {
            bodies.push(String::new());
        } else if let Some(body) = bodies.last_mut() {
            let mark = |char: char| char.is_ascii_digit() || "-*•.) ".contains(char);
            body.push_str(if is_structure(line) { line.trim_start_matches(mark) } else { line });
            body.push('\n');
        }
    }
    let bodies = bodies.iter().map(|body| words::of(body));
    let bodies: Vec<Vec<(u64, Class)>> = bodies.filter(|body| body.len() >= LEAST).collect();
    // How many say what one before them says.
    let repeats = bodies.iter().enumerate().filter(|(at, body)| bodies[..*at].iter().any(|other| is_same(body, other)));
    bodies.len() >= HEADINGS && repeats.count() * 2 >= bodies.len()
}

/// Whether two sections have most of their words in common, and all values.
fn is_same(one: &[(u64, Class)], other: &[(u64, Class)]) -> bool {
    let (mut both, mut only) = (0, false);
    for (some, others) in [(one, other), (other, one)] {
        for (word, class) in some {
            let shared = others.binary_search_by_key(word, |(word, _)| *word).is_ok();
            both += usize::from(shared);
            only |= !shared && *class >= Class::Number;
        }
    }
    !only && both * 100 >= (one.len() + other.len()) * SAME
}
