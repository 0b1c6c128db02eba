//! What tools returned as lines: of text as it stands, of JSON a line for each object, and for a list of like objects a
//! table: what the columns are once, then a line of values for each.

use crate::base::text;
use crate::base::words::says_anything;
use crate::ingest::content::Value;
use crate::ingest::json;
use crate::memory::listings::{self, Part};
use crate::memory::outline::{self, Place};
use crate::memory::trim::{clean, cut};
use std::borrow::Cow;
use std::rc::Rc;

/// A line of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'t> {
    /// The line.
    pub text: Cow<'t, str>,
    /// Of a row of a table: its columns in brackets, behind what the table is about.
    pub header: Option<Rc<str>>,
    /// Where it stands in the outline of its text.
    pub place: Place,
}

impl<'t> Line<'t> {
    /// A line without a table.
    pub fn of(text: Cow<'t, str>) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Deeper values, and further lines, are left out.
const DEEPEST: usize = 6;
const MOST: usize = 160;
/// Rows of a table, characters of its columns together and of a row, and members that each may be.
const ROWS: usize = 120;
const COLUMNS: usize = 240;
const ROW: usize = 300;
/// Bytes of a text that is a value of a row or a record; a longer one is read line by line.
const SHORT: usize = 260;
const CELL: usize = 160;
/// Bytes of a small object or list that stands inside a line, and its members.
const SMALL: usize = 220;
const MEMBERS: usize = 8;
/// Bytes at which a record goes on in the next line, and a listing.
const LONG: usize = 320;
const LISTED: usize = 160;
/// Stands between what is listed side by side.
const BETWEEN: &str = " · ";

/// The lines of what a tool returned. `parsed`: the value in it, where it is a text of JSON.
pub fn lines<'v>(output: &'v Value, parsed: Option<&Value>) -> Vec<Line<'v>> {
    match (output, parsed) {
        (_, Some(value)) => of_value(value),
        (Value::Text(text), None) => plain(text),
        (other, None) => of_value(other),
    }
}

/// The lines of a text, of JSON as records.
pub fn lines_of(text: &str) -> Vec<Line<'_>> {
    match json::strict(text).or_else(|| json::lines(text)) {
        Some(value) => of_value(&value),
        None => plain(text),
    }
}

/// The lines of a text, with the rows of a listing side by side.
fn plain(text: &str) -> Vec<Line<'_>> {
    let mut out = Vec::new();
    let mut places = outline::places(text).into_iter();
    listings::parts(text, &mut |part| match part {
        Part::Line(line) => {
            let place = places.next().unwrap_or_default();
            out.push(Line { place, ..Line::of(clean(line)) });
        }
        Part::Listing(rows) => {
            places.by_ref().take(rows.len()).for_each(drop);
            side_by_side(&rows, &mut |line| out.push(Line::of(Cow::Owned(line))));
        }
    });
    out
}

fn side_by_side(rows: &[&str], each: &mut dyn FnMut(String)) {
    let mut line = String::new();
    for row in rows.iter().filter(|row| says_anything(row)) {
        if !line.is_empty() && line.len() + row.len() > LISTED {
            each(core::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str(BETWEEN);
        }
        line.push_str(&clean(row));
    }
    each(line);
}

/// The lines of a value: of an object or list records, of a text its lines.
fn of_value(value: &Value) -> Vec<Line<'static>> {
    let value = unwrapped(value);
    let inner = json::within(value);
    let value = inner.as_ref().map_or(value, unwrapped);
    let mut out = Vec::new();
    match value {
        Value::Text(text) => out = plain(text),
        other => record(other, "", 0, "", &mut out),
    }
    out.into_iter().map(|line| Line { text: Cow::Owned(line.text.into_owned()), ..line }).collect()
}

/// What an object wraps that says only what it is (`{ type, value }`), and a list of one text (`[{ type: "text", text }]`).
fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Object(members) if members.len() <= 2 && members.iter().any(|(key, _)| key == "type") => {
            let inner = members.iter().find(|(key, _)| key == "value" || key == "text");
            inner.map_or(value, |(_, inner)| unwrapped(inner))
        }
        Value::Array(items) => match items.as_slice() {
            [only @ Value::Object(members)] if members.iter().any(|(key, _)| key == "text") => {
                let inner = unwrapped(only);
                if core::ptr::eq(inner, only) { value } else { inner }
            }
            _ => value,
        },
        _ => value,
    }
}

/// Whether a value holds no others.
pub fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// A scalar as it reads, cut to these characters of its start and end.
pub fn scalar(value: &Value, most: (usize, usize)) -> String {
    match value {
        Value::Text(text) if text.len() > 4 * (most.0 + most.1) => {
            // Of a long text only what is shown is read.
            let start = text::between(text, 0, text::floor(text, 4 * most.0));
            let end = text::between(text, text::ceil(text, text.len() - 4 * most.1), text.len());
            let (start, end) = (text::spaced(start), text::spaced(end));
            let start = cut(Cow::Owned(start + " …"), (most.0, 0)).into_owned();
            let skipped = text::characters(&end).saturating_sub(most.1);
            let from = end.char_indices().nth(skipped).map_or(end.len(), |(at, _)| at);
            format!("{}…{}", start.trim_end_matches(['…', ' ']), text::between(&end, from, end.len()))
        }
        Value::Text(text) => cut(Cow::Owned(text::spaced(text)), most).into_owned(),
        other => other.to_text().into_owned(),
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Null) || matches!(value, Value::Text(text) if text.trim().is_empty())
}

/// Two texts with a point between them, if there are two.
fn under(lead: &str, key: &str) -> String {
    match (lead, key) {
        ("", key) => key.to_owned(),
        (lead, "") => lead.to_owned(),
        _ => format!("{lead} · {key}"),
    }
}

fn record<'v>(value: &'v Value, key: &str, depth: usize, lead: &str, out: &mut Vec<Line<'v>>) {
    if depth > DEEPEST || out.len() > MOST {
        return;
    }
    match value {
        Value::Text(text) if text.len() > SHORT || text.contains('\n') => {
            out.extend(plain(text).into_iter().filter(|line| !line.text.is_empty()));
        }
        Value::Array(items) => list(items, key, depth, lead, out),
        Value::Object(members) => object(members, key, depth, lead, out),
        scalar if is_empty(scalar) => {}
        other => {
            let name = if key.is_empty() { String::new() } else { format!("{key}: ") };
            out.push(Line::of(Cow::Owned(name + &scalar(other, (SHORT, 0)))));
        }
    }
}

fn list<'v>(items: &'v [Value], key: &str, depth: usize, lead: &str, out: &mut Vec<Line<'v>>) {
    if items.is_empty() || table(items, key, lead, out) {
        return;
    }
    if items.iter().all(is_scalar) {
        let all: Vec<String> = items.iter().take(MOST).map(|item| scalar(item, (80, 0))).collect();
        let name = under(lead, key);
        let name = if name.is_empty() { name } else { name + ": " };
        out.push(Line::of(Cow::Owned(name + &cut(Cow::Owned(all.join(", ")), (260, 30)))));
        return;
    }
    items.iter().for_each(|item| record(item, key, depth + 1, lead, out));
}

/// A list of objects with the same members in one line: what the columns are once, then the values of each; nothing where
/// it is none.
pub fn rows(items: &[Value], key: &str) -> Option<String> {
    let mut lines = Vec::new();
    if !table(items, key, "", &mut lines) {
        return None;
    }
    let header = lines.iter().find_map(|line| line.header.as_deref()).unwrap_or_default();
    let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
    Some(format!("{header}: {}", texts.join(" | ")))
}

/// Writes a list of objects with the same members as a table. Whether it is one.
fn table<'v>(items: &'v [Value], key: &str, lead: &str, out: &mut Vec<Line<'v>>) -> bool {
    if items.len() < 2 {
        return false;
    }
    let rows: Option<Vec<Row>> = items.iter().take(ROWS).map(Row::of).collect();
    let Some(rows) = rows else { return false };
    let columns = rows[0].keys.join(", ");
    let alike = rows.iter().filter(|row| row.keys == rows[0].keys).count();
    if alike * 4 < rows.len() * 3 || columns.len() >= COLUMNS {
        return false;
    }
    let name = under(lead, key);
    let header: Rc<str> = Rc::from(format!("{name}{}[{columns}]", if name.is_empty() { "" } else { " " }));
    for row in &rows {
        out.push(if row.keys == rows[0].keys {
            Line { header: Some(header.clone()), ..Line::of(Cow::Owned(row.values.join(", "))) }
        } else {
            let members: Vec<String> =
                row.keys.iter().zip(&row.values).map(|(key, value)| format!("{key}: {value}")).collect();
            Line::of(Cow::Owned(members.join(", ")))
        });
    }
    true
}

/// The members of a flat object.
#[derive(Default)]
struct Row {
    keys: Vec<String>,
    values: Vec<String>,
}

impl Row {
    fn of(value: &Value) -> Option<Self> {
        let Value::Object(members) = value else { return None };
        let mut row = Self::default();
        row.add("", members, 0)?;
        let length: usize = row.values.iter().map(|value| value.len() + 1).sum();
        (!row.keys.is_empty() && length <= ROW).then_some(row)
    }

    fn add(&mut self, before: &str, members: &[(String, Value)], depth: usize) -> Option<()> {
        for (key, value) in members {
            match value {
                value if is_empty(value) => {}
                Value::Object(inner) if depth < 2 => self.add(&format!("{before}{key}."), inner, depth + 1)?,
                Value::Object(_) => return None,
                Value::Array(items) if items.len() <= MEMBERS && items.iter().all(is_scalar) => {
                    let all: Vec<String> = items.iter().map(|item| scalar(item, (40, 0))).collect();
                    self.push(before, key, format!("[{}]", all.join(" ")));
                }
                Value::Array(_) => return None,
                Value::Text(text) if text.len() > CELL => return None,
                value => self.push(before, key, scalar(value, (120, 0))),
            }
        }
        Some(())
    }

    fn push(&mut self, before: &str, key: &str, value: String) {
        self.keys.push(format!("{before}{key}"));
        self.values.push(value);
    }
}

fn object<'v>(members: &'v [(String, Value)], key: &str, depth: usize, lead: &str, out: &mut Vec<Line<'v>>) {
    let mut flat: Vec<String> = Vec::new();
    let mut deep: Vec<(&str, &'v Value)> = Vec::new();
    // What the object is known by: the first of its identifiers, else of its names.
    let (mut name, mut is_id) = (String::new(), false);
    for (member, value) in members {
        match value {
            value if is_empty(value) => {}
            Value::Text(text) if text.len() > SHORT || text.lines().nth(3).is_some() => deep.push((member, value)),
            Value::Array(items) if items.iter().all(is_scalar) && written(value) < SMALL => {
                let all: Vec<String> = items.iter().map(|item| scalar(item, (60, 0))).collect();
                if !all.is_empty() {
                    flat.push(format!("{member}: [{}]", all.join(", ")));
                }
            }
            Value::Object(inner)
                if inner.len() <= MEMBERS
                    && inner.iter().all(|(_, value)| is_scalar(value))
                    && written(value) < SMALL =>
            {
                let said = inner.iter().filter(|(_, value)| !is_empty(value));
                let all: Vec<String> = said.map(|(key, value)| format!("{key}: {}", scalar(value, (80, 0)))).collect();
                if !all.is_empty() {
                    flat.push(format!("{member} {{{}}}", all.join(", ")));
                }
            }
            Value::Array(_) | Value::Object(_) => deep.push((member, value)),
            value => {
                let shown = scalar(value, (160, 0));
                let identifies = ends_with(member, "id");
                let names =
                    identifies || ["name", "number", "key", "title", "code"].iter().any(|end| ends_with(member, end));
                if names && (name.is_empty() || identifies && !is_id) {
                    name = cut(Cow::Borrowed(&*shown), (40, 0)).into_owned();
                    is_id = identifies;
                }
                flat.push(format!("{member}: {shown}"));
            }
        }
    }
    if !flat.is_empty() {
        let key = if key.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { key };
        let mut start = under(lead, key);
        if !start.is_empty() {
            start.push_str(" · ");
        }
        let mut line = start;
        let mut begun = line.len();
        for member in flat {
            if line.len() + member.len() > LONG && line.len() > begun.max(40) {
                out.push(Line::of(Cow::Owned(line)));
                line = if name.is_empty() { String::new() } else { format!("{name} · ") };
                begun = line.len();
            }
            if line.len() > begun {
                line.push_str(", ");
            }
            line.push_str(&member);
        }
        out.push(Line::of(Cow::Owned(line)));
    }
    let lead = if name.is_empty() { lead } else { &name };
    deep.into_iter().for_each(|(key, value)| record(value, key, depth + 1, lead, out));
}

/// Whether a name ends with a word: `user_id`, `userId`, `id`.
fn ends_with(name: &str, word: &str) -> bool {
    let Some(start) = name.len().checked_sub(word.len()).filter(|start| name.is_char_boundary(*start)) else {
        return false;
    };
    let (before, end) = name.split_at(start);
    end.eq_ignore_ascii_case(word)
        && (before.is_empty()
            || before.ends_with(['_', '-', '.'])
            || end.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// About the bytes of a small value.
fn written(value: &Value) -> usize {
    match value {
        Value::Text(text) | Value::Number(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| written(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => members.iter().map(|(key, value)| key.len() + written(value) + 4).sum::<usize>() + 2,
        _ => 5,
    }
}

/// The texts of a value, each with the name of the member it stands in.
pub fn leaves<'v>(value: &'v Value, key: &'v str, each: &mut dyn FnMut(&'v str, &'v str)) {
    match value {
        Value::Text(text) | Value::Number(text) => each(key, text),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, key, each)),
        Value::Object(members) => members.iter().for_each(|(key, member)| leaves(member, key, each)),
        _ => {}
    }
}
