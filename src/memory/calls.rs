//! Calls as a line: the tool and its arguments, long ones by how they begin.

use crate::base::{text, words};
use crate::ingest::content::Value;
use crate::memory::records;
use crate::memory::trim::{clean, cut};
use std::borrow::Cow;

/// Characters of the line, of an argument, and of one that is longer than that.
const ALL: (usize, usize) = (300, 40);
const ARGUMENT: (usize, usize) = (170, 20);
const LARGE: (usize, usize) = (90, 20);
/// Bytes of a long argument, and the lines of it that may be chosen.
const LONG: usize = 240;
const LINES: usize = 120;
/// Deeper arguments are left out.
const DEEPEST: usize = 4;
/// Arguments whose name says nothing beside the tool.
const UNNAMED: [&str; 5] = ["", "command", "cmd", "path", "file_path"];

/// How the names of members begin that hold what is replaced; of others it is the first.
const OLD: [&str; 3] = ["old", "search", "find"];

/// A call as a line. Arguments that are a text of JSON are passed as its value.
pub fn shown(tool: &str, input: &Value) -> String {
    let mut out = tool.to_owned();
    arguments("", input, 0, &mut out);
    cut(clean(&out), ALL).into_owned()
}

fn arguments(key: &str, value: &Value, depth: usize, out: &mut String) {
    // What is left out of the line anyway need not be written.
    if out.len() > 4 * (ALL.0 + ALL.1) {
        return;
    }
    let named = |out: &mut String, shown: &str| {
        out.push(' ');
        if !UNNAMED.contains(&key) {
            out.push_str(key);
            out.push('=');
        }
        out.push_str(shown);
    };
    match value {
        Value::Array(items) if items.iter().all(records::is_scalar) => {
            let all: Vec<String> = items.iter().take(32).map(|item| records::scalar(item, (60, 0))).collect();
            named(out, &format!("[{}]", cut(Cow::Owned(all.join(", ")), (160, 30))));
        }
        Value::Array(items) if depth < DEEPEST => match records::rows(items, key) {
            Some(rows) => {
                out.push(' ');
                out.push_str(&rows);
            }
            None => items.iter().for_each(|item| arguments(key, item, depth + 1, out)),
        },
        Value::Object(members) if depth < DEEPEST => {
            let edit = Edit::of(members);
            for (key, member) in members {
                match edit.as_ref().and_then(|edit| edit.differs(member)) {
                    Some(text) => arguments(key, &Value::Text(text), depth + 1, out),
                    None => arguments(key, member, depth + 1, out),
                }
            }
        }
        Value::Array(_) | Value::Object(_) | Value::Null => {}
        Value::Text(text) if text.len() > LONG => named(out, &records::scalar(value, LARGE)),
        _ => named(out, &records::scalar(value, ARGUMENT)),
    }
}

/// The lines of the long texts among the arguments.
pub fn long_lines<'v>(input: &'v Value, each: &mut dyn FnMut(&str)) {
    let mut left = LINES;
    fn lines(text: &str, left: &mut usize, each: &mut dyn FnMut(&str)) {
        let lines = text.lines().filter(|line| line.trim().len() > 8 && words::says_anything(line));
        for line in lines.take(*left) {
            *left -= 1;
            each(line);
        }
    }
    fn walk(value: &Value, depth: usize, left: &mut usize, each: &mut dyn FnMut(&str)) {
        match value {
            Value::Text(text) if text.len() > LONG && text.contains('\n') => lines(text, left, each),
            Value::Array(items) if depth < DEEPEST => items.iter().for_each(|item| walk(item, depth + 1, left, each)),
            Value::Object(members) if depth < DEEPEST => {
                let edit = Edit::of(members);
                for (_, member) in members {
                    match edit.as_ref().and_then(|edit| edit.place(member)) {
                        Some(0) => {}
                        Some(_) => edit.iter().for_each(|edit| lines(edit.parts[1], left, each)),
                        None => walk(member, depth + 1, left, each),
                    }
                }
            }
            _ => {}
        }
    }
    walk(input, 0, &mut left, each);
}

/// Two texts of a call that begin or end with the same lines: one stands in place of the other. What both say is not what
/// the call changes.
struct Edit<'v> {
    /// What stood there, and what stands there now.
    members: [&'v Value; 2],
    /// What of each the other does not say.
    parts: [&'v str; 2],
    /// Whether both begin with the same lines, and whether they end so.
    same: [bool; 2],
}

impl<'v> Edit<'v> {
    fn of(members: &'v [(String, Value)]) -> Option<Self> {
        let mut texts = members.iter().filter_map(|(key, value)| match value {
            Value::Text(text) if text.trim_end().contains('\n') => Some((key, value, text.as_str())),
            _ => None,
        });
        let (mut earlier, mut later) = (texts.next()?, texts.next()?);
        if OLD.iter().any(|name| later.0.starts_with(name)) {
            core::mem::swap(&mut earlier, &mut later);
        }
        let ((_, one, old), (_, other, new)) = (earlier, later);
        if texts.next().is_some() || old == new {
            return None;
        }
        let mut pairs = old.split_inclusive('\n').zip(new.split_inclusive('\n'));
        let start: usize = pairs.by_ref().take_while(|(old, new)| old == new).map(|(old, _)| old.len()).sum();
        let rest = [old, new].map(|text| text::between(text, start, text.len()));
        let ends = rest.map(|text| text.rsplit('\n'));
        let [old_ends, new_ends] = ends;
        let same = old_ends.zip(new_ends).take_while(|(old, new)| old == new);
        let end: usize = same.map(|(line, _)| line.len() + 1).sum();
        let parts = rest.map(|text| text::between(text, 0, text.len().saturating_sub(end)));
        (start > 0 || end > 1).then_some(Self { members: [one, other], parts, same: [start > 0, end > 1] })
    }

    /// Which of both a member is.
    fn place(&self, member: &Value) -> Option<usize> {
        self.members.iter().position(|one| core::ptr::eq(*one, member))
    }

    /// What of a member the other does not say.
    fn differs(&self, member: &Value) -> Option<String> {
        let part = self.parts[self.place(member)?].trim();
        let [before, behind] = self.same.map(|same| if same { "…" } else { "" });
        Some(if part.is_empty() { "…".to_owned() } else { format!("{before}{part}{behind}") })
    }
}
