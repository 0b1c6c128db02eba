//! Chosen units as text, in the order of the conversation: a line for what was said or returned together, each with who
//! said it. Everything is quoted: no line of somebody else's begins like one of ours.

use crate::base::{quoting, references, text};
use crate::memory::paths::Paths;
use crate::memory::trim::cut;
use crate::memory::units::{Kind, Unit};
use std::borrow::Cow;

/// Stands before what a person typed whom no message names.
pub const USER: &str = "User:";
/// Stands before a call, and before what a tool returned.
const CALLS: &str = "→";
const RETURNED: &str = "←";
/// Bytes at which what was returned, or typed in several messages, goes on in the next line.
const LONG: usize = 240;
/// Characters of a call that was shown before.
const AGAIN: usize = 40;
/// What begins a line that we write ourselves: nobody is called so.
const OURS: [&str; 12] = [
    "user",
    "assistant",
    "system",
    "changed",
    "check",
    "commit",
    "open",
    "plan",
    "also seen",
    "earlier",
    "tool",
    "before",
];

/// Who or what a line is of.
fn label(unit: &Unit<'_>) -> String {
    if unit.kind.is_returned() {
        return RETURNED.to_owned();
    }
    let by_user = matches!(unit.kind, Kind::Typed | Kind::Long | Kind::Pasted);
    let role = if by_user { "User" } else { "Assistant" };
    let speaker = unit.speaker.as_deref().map(quoting::one_line);
    let named = match speaker {
        Some(name) if unit.kind == Kind::Earlier => name,
        Some(name) if OURS.contains(&&*text::lower_case(&name)) || name.starts_with(['→', '←', '[', '#']) => {
            format!("{role} ({name})")
        }
        Some(name) => name,
        None => role.to_owned(),
    };
    match unit.kind {
        Kind::Call | Kind::Written => CALLS.to_owned(),
        Kind::Pasted => format!("{named} (pasted):"),
        _ => format!("{named}:"),
    }
}

/// A line that is being written.
struct DigestLine<'u> {
    at: u64,
    label: String,
    last: &'u Unit<'u>,
    from: usize,
}

/// Writes units, which are in order, below another text. `references`: the messages before this index have a reference.
pub fn lines(units: &[&Unit<'_>], above: &str, references: Option<u64>) -> String {
    let mut out = String::new();
    let mut line: Option<DigestLine<'_>> = None;
    let mut headers: Vec<&str> = Vec::new();
    let mut calls: Vec<&str> = Vec::new();
    let mut paths = Paths::of(above);
    let refer = |out: &mut String, line: &DigestLine<'_>| {
        if references.is_some_and(|count| line.at < count) {
            out.push_str(&references::behind(line.at));
        }
    };
    for &unit in units {
        let label = label(unit);
        let mut text = quoting::one_line(&unit.text);
        if unit.kind == Kind::Call {
            // What was called before in the same words need not be read again.
            if calls.contains(&&*unit.text) && text.len() > AGAIN {
                text = cut(Cow::Owned(text), (AGAIN, 0)).into_owned() + " (again)";
            }
            calls.push(&unit.text);
        }
        if unit.kind == Kind::Call || unit.kind.is_returned() {
            text = paths.shortened(&text);
        }
        let returned = label == RETURNED;
        let same = line.as_ref().filter(|line| {
            let is_short = out.len() - line.from + text.len() <= LONG;
            // Where nothing has to be looked up, short messages of one person share a line.
            let typed = unit.kind == Kind::Typed && line.last.kind == Kind::Typed;
            let joins = typed && references.is_none() && is_short;
            (line.at == unit.at || joins)
                && line.label == label
                && (label != CALLS || unit.kind == Kind::Written && line.last.kind == Kind::Written)
                && line.last.header == unit.header
                && (!returned || is_short)
        });
        if let Some(same) = same {
            out.push_str(match () {
                () if label == CALLS || returned => " | ",
                () if same.at == unit.at && same.last.order + 1 == unit.order => " ",
                () if same.at != unit.at => " / ",
                () => " … ",
            });
            out.push_str(&text);
            line = line.map(|line| DigestLine { at: unit.at, last: unit, ..line });
            continue;
        }
        if let Some(line) = &line {
            refer(&mut out, line);
            out.push('\n');
        }
        let from = out.len();
        out.push_str(&label);
        out.push(' ');
        let before = line.as_ref().map(|line| line.last);
        if let Some(tool) = unit.tool.as_deref().filter(|_| returned) {
            let is_known = before.is_some_and(|last| last.kind == Kind::Call || last.tool.as_deref() == Some(tool));
            if !is_known {
                out.push_str(&quoting::one_line(tool));
                out.push_str(if unit.header.is_some() { " " } else { ": " });
            }
        }
        if unit.kind == Kind::Written {
            out.push_str("wrote: ");
        }
        if let Some(header) = unit.header.as_deref().filter(|_| before.is_none_or(|last| last.header != unit.header)) {
            out.push_str(&quoting::one_line(heading(header, &mut headers)));
            out.push_str(": ");
        }
        out.push_str(&text);
        line = Some(DigestLine { at: unit.at, label, last: unit, from });
    }
    if let Some(line) = &line {
        refer(&mut out, line);
    }
    // Sentences that were joined may together be what none of them is.
    quoting::escape(&out)
}

/// What stands above a table: its columns only once.
fn heading<'h>(header: &'h str, shown: &mut Vec<&'h str>) -> &'h str {
    let at = header.rfind('[').unwrap_or(header.len());
    let (name, columns) = header.split_at(at);
    if shown.contains(&columns) {
        return if name.trim().is_empty() { "…" } else { name.trim() };
    }
    shown.push(columns);
    header
}
