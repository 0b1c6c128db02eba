//! What a notice says of a text that was cleared or cut: the lines of it that matter most, and names in it.

use crate::base::distinct::Distinct;
use crate::base::text;
use crate::base::words::is_letter;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::memory::names;
use crate::memory::pool::Pool;
use crate::memory::select::Selection;
use crate::memory::trim::cut;
use crate::memory::{Memory, Message};
use crate::model::message::Role;
use std::borrow::Cow;

/// How the list of names begins.
pub const NAMED_IN: &str = " Names in it: ";
/// Characters of a line that stands in a notice.
const LINE: (usize, usize) = (120, 40);
/// Bytes of what stands between lines and in place of a middle.
const MARK: usize = 8;
/// Bytes of a text that are read.
const READ: usize = 200_000;
/// Names of a text that are looked at.
const NAMES: usize = 1_000;
/// Names that differ by a number alone, from so many on, are shown as the first and the last of them.
const RUN: usize = 4;

/// The lines of a text that matter most, in order, within so many bytes.
pub fn gist(text: &str, bytes: usize) -> String {
    let text = if text.len() > READ { text::ends(text, READ) } else { text.to_owned() };
    let result = ContentPart::Result { number: 0, id: String::new(), output: Value::Text(text), failed: false };
    let content = Content { role: Role::Tool, speaker: String::new(), parts: vec![result], taken: Vec::new() };
    let messages = [Message { index: 0, content, typed: false }];
    let memory = Memory::default();
    let pool = Pool::of(&memory, &messages);
    // In little room a line is short, and one of a few that there are may take all of it.
    let most = |part: usize| part.min(bytes.saturating_sub(MARK) * part / (LINE.0 + LINE.1));
    let shown = |unit: usize| {
        let unit = &pool.units[unit];
        let line = cut(Cow::Borrowed(&*unit.text), (most(LINE.0), most(LINE.1)));
        line.into_owned()
    };
    let size = |unit: usize| shown(unit).len() as u64 + 3;
    let mut selection = Selection::new(&pool, &size, &|_| true);
    let left = selection.errors(bytes as u64 / 2);
    selection.choose(bytes as u64 / 2 + left, 0);
    let mut out = String::new();
    let mut header = None;
    for unit in (0..pool.units.len()).filter(|&unit| selection.holds(unit)) {
        let own = pool.units[unit].header.clone();
        let heading = own.as_deref().filter(|_| own != header).map(|header| format!("{header}: ")).unwrap_or_default();
        let line = heading + &shown(unit);
        if out.len() + line.len() > bytes {
            continue;
        }
        if !out.is_empty() {
            out.push_str(" | ");
        }
        out.push_str(&line);
        header = own;
    }
    out
}

/// The names in a text, in order, each once: those met last of very many.
pub fn names_in(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut seen = Distinct::default();
    names::each(text, &mut |name| {
        let end = name.as_ptr() as usize + name.len() - text.as_ptr() as usize;
        // The key of a member, and a number alone, say little without what they belong to.
        let is_key = text::between(text, end, text.len()).starts_with("\":");
        let is_number = !name.chars().any(|char| is_letter(char) && !char.is_numeric());
        if !is_key && !is_number && seen.all.len() < NAMES && seen.number(name).1 {
            all.push(name);
        }
    });
    all
}

/// A list of those names that neither `list` nor `shown` holds, within so many bytes. Of names that differ by a number
/// alone the first and the last are shown.
pub fn names_missing(names: &[&str], list: &str, shown: &str, bytes: usize) -> String {
    let mut held = Distinct::default();
    for text in [list, shown] {
        names::each(text, &mut |name| {
            held.number(name);
        });
    }
    let missing: Vec<&str> = names.iter().copied().filter(|name| held.find(name).is_none()).collect();
    let frames: Vec<String> = missing.iter().map(|name| frame(name)).collect();
    let mut out = String::new();
    let mut at = 0;
    while at < missing.len() && out.len() < bytes {
        let alike = frames[at..].iter().take_while(|frame| !frame.is_empty() && **frame == frames[at]).count();
        let run = if alike >= RUN { alike } else { 1 };
        let last = missing[at + run - 1];
        let name = if run > 1 { format!("{} … {last}", missing[at]) } else { last.to_owned() };
        at += run;
        let sign = if out.is_empty() { "" } else { ", " };
        if out.len() + sign.len() + name.len() > bytes {
            continue;
        }
        out.push_str(sign);
        out.push_str(&name);
    }
    // What would break the notice or the JSON around it.
    out.replace(['"', '\\', ']', '\n', '\r'], "")
}

/// What of a name is no digit, with one sign for each number.
fn frame(name: &str) -> String {
    let mut out = String::new();
    let mut letters = false;
    for char in name.chars() {
        if char.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else {
            letters |= is_letter(char);
            out.push(char);
        }
    }
    if letters && out.contains('#') { out } else { String::new() }
}
