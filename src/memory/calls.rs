//! Calls as a line: the tool and its arguments, long ones by how they begin.

use crate::base::words;
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
        Value::Array(items) if depth < DEEPEST => items.iter().for_each(|item| arguments(key, item, depth + 1, out)),
        Value::Object(members) if depth < DEEPEST => {
            members.iter().for_each(|(key, member)| arguments(key, member, depth + 1, out));
        }
        Value::Array(_) | Value::Object(_) | Value::Null => {}
        Value::Text(text) if text.len() > LONG => named(out, &records::scalar(value, LARGE)),
        _ => named(out, &records::scalar(value, ARGUMENT)),
    }
}

/// The lines of the long texts among the arguments.
pub fn long_lines<'v>(input: &'v Value, each: &mut dyn FnMut(&str)) {
    let mut left = LINES;
    fn walk(value: &Value, depth: usize, left: &mut usize, each: &mut dyn FnMut(&str)) {
        match value {
            Value::Text(text) if text.len() > LONG && text.contains('\n') => {
                for line in text.lines().filter(|line| line.trim().len() > 8 && words::says_anything(line)) {
                    if *left == 0 {
                        return;
                    }
                    *left -= 1;
                    each(line);
                }
            }
            Value::Array(items) if depth < DEEPEST => items.iter().for_each(|item| walk(item, depth + 1, left, each)),
            Value::Object(members) if depth < DEEPEST => {
                members.iter().for_each(|(_, member)| walk(member, depth + 1, left, each));
            }
            _ => {}
        }
    }
    walk(input, 0, &mut left, each);
}
