//! Records: what a tool returned as JSON, in one line. What belongs together stays together (an order's id with its
//! status, its items and how it was paid), and a list of like objects is a small table.

use crate::base::{markers, text};
use crate::ingest::content::Value;
use crate::memory::{Activity, Entry, parse, scan};

/// The key of the member that says how many members were left out of an object.
const LEFT_OUT: &str = "[precis]";
/// Bytes of one text in a record.
const TEXT: usize = 80;
/// Bytes of the shortest word that is not repeated behind a call with it: a shorter one may be there by chance.
const LEAST_SAID: usize = 3;
/// Rows of a table are as many as fit, columns no more than this.
const COLUMNS: usize = 10;

/// Whether a record holds what came of an activity. A record that was used since stands where it was used.
pub fn is_of(record: &Entry, one: &Activity) -> bool {
    record.place.unwrap_or(record.at) == one.at && record.text.starts_with(&one.what)
}

/// The record of what a tool returned in about `bytes`, if it is an object or a list.
pub fn line(output: &Value, bytes: usize) -> Option<String> {
    line_beside(output, bytes, "")
}

/// The same where the call stands beside it: what that says is not said again.
pub fn line_beside(output: &Value, bytes: usize, call: &str) -> Option<String> {
    let parsed;
    let value = match output {
        Value::Text(text) => {
            parsed = parse::strict(text).or_else(|| parse::lines(text)).or_else(|| parse::lenient(text))?;
            &parsed
        }
        other => other,
    };
    let inner;
    let value = match wrapped(value) {
        Some(Value::Text(text)) => match parse::lenient(text) {
            Some(parsed) => {
                inner = parsed;
                &inner
            }
            None => value,
        },
        Some(other) => other,
        None => value,
    };
    let plain;
    let value = if is_cut(value) {
        plain = without_notices(value);
        &plain
    } else {
        value
    };
    let mut out = String::new();
    match value {
        Value::Object(members) if !members.is_empty() => object(members, bytes, call, &mut out),
        Value::Array(items) if !items.is_empty() => list(items, bytes, call, &mut out),
        _ => return None,
    }
    (!out.is_empty()).then_some(out)
}

/// Whether a member or an element is a notice of ours.
fn is_notice(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.starts_with(markers::NOTICE))
}

fn is_cut(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, value)| key == LEFT_OUT || is_cut(value)),
        Value::Array(items) => items.iter().any(|item| is_notice(item) || is_cut(item)),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Object(members) if members.is_empty())
        || matches!(value, Value::Array(items) if items.is_empty())
}

/// What is left of a value that was cut.
fn without_notices(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| key != LEFT_OUT);
            Value::Object(kept.map(|(key, value)| (key.clone(), without_notices(value))).collect())
        }
        Value::Array(items) => Value::Array(
            items.iter().filter(|item| !is_notice(item)).map(without_notices).filter(|item| !is_empty(item)).collect(),
        ),
        other => other.clone(),
    }
}

/// Whether a value is a word of the call.
fn is_said(value: &Value, call: &str) -> bool {
    matches!(value, Value::Text(word) | Value::Number(word)
        if word.len() >= LEAST_SAID && call.split([' ', ',']).any(|said| said == word))
}

/// What an object wraps that holds nothing else: a response beside an empty error.
fn wrapped(value: &Value) -> Option<&Value> {
    let Value::Object(members) = value else { return None };
    let says = |value: &Value| {
        !matches!(value, Value::Null | Value::Bool(_)) && !matches!(value, Value::Text(text) if text.is_empty())
    };
    let mut saying = members.iter().filter(|(_, value)| says(value));
    let (key, value) = saying.next()?;
    let wraps = ["response", "result", "output", "data", "content"].contains(&key.as_str());
    let is_more = matches!(value, Value::Object(_) | Value::Array(_) | Value::Text(_));
    (wraps && is_more && saying.next().is_none()).then_some(value)
}

/// Members in a row: what holds identifiers first, then what is one value, then what holds others. What the call says is
/// left out.
fn object(members: &[(String, Value)], bytes: usize, call: &str, out: &mut String) {
    let start = out.len();
    let end = start + bytes;
    let mut left = 0;
    let rank = |(key, value): &(String, Value)| match value {
        Value::Object(_) | Value::Array(_) => 3 - 2 * u8::from(identifies(key, value, DEEP)),
        _ => 2 - 2 * u8::from(identifies(key, value, DEEP)),
    };
    let ranks: Vec<u8> = members.iter().map(rank).collect();
    let longest = longest(members, bytes);
    for at in 0..4 {
        let ranked = members.iter().zip(&ranks).filter(|(member, rank)| **rank == at && !is_said(&member.1, call));
        for (member, _) in ranked {
            let (key, value) = member;
            let room = end.saturating_sub(out.len());
            let mut one = String::new();
            one.push_str(key);
            one.push('=');
            let from = one.len();
            match (longest, value) {
                (Some((main, most)), Value::Text(text)) if core::ptr::eq(main, member) => {
                    one.push_str(&text::brief(text, most.min(room.saturating_sub(from + 2 + "…".len()))));
                }
                _ => inside(value, room.saturating_sub(from + 2), &mut one),
            }
            if one.len() == from {
                continue;
            }
            if one.len() + 2 > room {
                left += 1;
                continue;
            }
            separate(out);
            out.push_str(&one);
        }
    }
    if left > 0 && out.len() > start {
        out.push_str(&format!(" (+{left})"));
    }
}

/// The text that is most of an object, and the bytes that the others leave it.
fn longest(members: &[(String, Value)], bytes: usize) -> Option<(&(String, Value), usize)> {
    let size = |value: &Value| match value {
        Value::Text(text) | Value::Number(text) => text.len(),
        Value::Object(_) | Value::Array(_) => TEXT,
        _ => 4,
    };
    let main =
        members.iter().filter(|(_, value)| matches!(value, Value::Text(_))).max_by_key(|member| size(&member.1))?;
    let others = members.iter().filter(|member| !core::ptr::eq(*member, main));
    let taken: usize = others.map(|(key, value)| key.len() + 3 + size(value).min(TEXT)).sum();
    let most = bytes.saturating_sub(taken + main.0.len() + 3);
    (size(&main.1) > TEXT.max(taken) && most > TEXT).then_some((main, most))
}

fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with(['(', '[', ' ']) {
        out.push_str(", ");
    }
}

/// A value as a part of a record.
fn inside(value: &Value, bytes: usize, out: &mut String) {
    match value {
        // Not even an empty one has room.
        Value::Object(_) | Value::Array(_) if bytes < 2 => {}
        Value::Object(members) if !members.is_empty() => {
            let mut one = String::new();
            object(members, bytes.saturating_sub(2), "", &mut one);
            if !one.is_empty() {
                out.push('(');
                out.push_str(&one);
                out.push(')');
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let mut one = String::new();
            list(items, bytes.saturating_sub(2), "", &mut one);
            if !one.is_empty() {
                out.push('[');
                out.push_str(&one);
                out.push(']');
            }
        }
        Value::Text(text) => {
            out.push_str(&text::start(&text::joined(&text.split_whitespace().collect::<Vec<_>>(), " "), TEXT))
        }
        Value::Number(number) => out.push_str(number),
        Value::Bool(true) => out.push_str("yes"),
        Value::Bool(false) => out.push_str("no"),
        _ => {}
    }
}

/// A list: of like objects a table, else its elements in a row. Nothing where not even one of them has room. What all of
/// them share and the call says is left out. Lists of like objects are one table, the objects of each joined by a sign.
fn list(items: &[Value], bytes: usize, call: &str, out: &mut String) {
    let groups: Vec<&[Value]> = items.iter().map_while(group).collect();
    let flat: Vec<Value>;
    let (rows, sizes) = if !items.is_empty() && groups.len() == items.len() {
        flat = groups.concat();
        (flat.as_slice(), groups.iter().map(|group| group.len()).collect())
    } else {
        (items, vec![1; items.len()])
    };
    let columns = columns(rows);
    if columns.is_empty() {
        row_of(items, bytes, out);
        return;
    }
    let (shared, mut columns): (Vec<Column<'_>>, Vec<Column<'_>>) =
        columns.into_iter().partition(|one| one.is_shared(rows));
    let is_told = |column: &Column<'_>| member(&rows[0], column.key).is_none_or(|value| !is_said(value, call));
    let mut shared: Vec<Column<'_>> = shared.into_iter().filter(is_told).collect();
    // Where a table is too wide, what identifies its rows stays.
    loop {
        let before = out.len();
        table(rows, &sizes, (&shared, &mut columns), bytes, out);
        if out.len() > before || columns.len() < 2 {
            return;
        }
        shared.clear();
        let weakest =
            |column: &Column<'_>| member(&rows[0], column.key).is_none_or(|value| !identifies(column.key, value, DEEP));
        columns.remove(columns.iter().rposition(weakest).unwrap_or(columns.len() - 1));
    }
}

/// The objects of an element that is a list of objects.
fn group(item: &Value) -> Option<&[Value]> {
    match item {
        Value::Array(items) if !items.is_empty() && items.iter().all(|item| matches!(item, Value::Object(_))) => {
            Some(items)
        }
        _ => None,
    }
}

/// Elements in a row.
fn row_of(items: &[Value], bytes: usize, out: &mut String) {
    let (mut row, mut shown) = (String::new(), 0);
    let most = if items.len() == 1 { bytes.saturating_sub(MORE) } else { bytes / 2 };
    for item in items {
        let mut one = String::new();
        inside(item, most, &mut one);
        if one.is_empty() || row.len() + one.len() + MORE > bytes {
            break;
        }
        row.push_str(if shown > 0 { ", " } else { "" });
        row.push_str(&one);
        shown += 1;
    }
    out.push_str(&row);
    left_out(items.len(), shown, out);
}

/// A table of objects: what they share, the names of the columns, the rows. Rows of one group are joined by a plus.
fn table(
    rows: &[Value],
    sizes: &[usize],
    (shared, columns): (&[Column<'_>], &mut [Column<'_>]),
    bytes: usize,
    out: &mut String,
) {
    let mut head = String::new();
    for column in shared {
        separate(&mut head);
        head.push_str(column.key);
        head.push('=');
        column.cell(&rows[0], bytes / 2, &mut head);
    }
    if columns.is_empty() {
        if head.len() + MORE <= bytes {
            out.push_str(&format!("{head} ({}×)", rows.len()));
        }
        return;
    }
    head.push_str(if head.is_empty() { "" } else { "; " });
    let names: Vec<String> = columns.iter().map(Column::heading).collect();
    head.push_str(&names.join("|"));
    head.push(':');
    let (mut body, mut shown, mut at) = (String::new(), 0, 0);
    for size in sizes {
        let mut line = String::new();
        for row in at..at + size {
            line.push_str(if row > at { " + " } else { "" });
            for (number, column) in columns.iter_mut().enumerate() {
                line.push_str(if number > 0 { "|" } else { "" });
                line.push_str(column.cell_of(rows, row, bytes / 2));
            }
        }
        at += size;
        if head.len() + body.len() + line.len() + MORE > bytes {
            break;
        }
        body.push_str(if shown > 0 { "; " } else { " " });
        body.push_str(&line);
        shown += 1;
    }
    if shown > 0 {
        out.push_str(&head);
        out.push_str(&body);
    }
    left_out(sizes.len(), shown, out);
}

/// Says how many of a list are not shown, unless that is all of them.
fn left_out(all: usize, shown: usize, out: &mut String) {
    if (1..all).contains(&shown) {
        out.push_str(&format!(" (+{} of {all})", all - shown));
    }
}

/// Bytes that say how many elements of a list are left out.
const MORE: usize = 10;

/// A column of a table: a member that most of its objects have.
struct Column<'v> {
    key: &'v str,
    /// The keys inside, if it is an object with the same ones and short values in each row: the heading names them once.
    inner: Vec<&'v str>,
    /// The cells of the first rows that are written: a narrower table repeats them.
    cells: Vec<String>,
}

impl<'v> Column<'v> {
    fn of(key: &'v str, items: &'v [Value]) -> Self {
        let keys = |item: &'v Value| match member(item, key) {
            Some(Value::Object(members)) if members.len() > 1 && members.iter().all(|(_, value)| is_word(value)) => {
                members.iter().map(|(key, _)| key.as_str()).collect()
            }
            _ => Vec::new(),
        };
        let inner = items.first().map(keys).unwrap_or_default();
        let alike = items.iter().all(|item| keys(item) == inner);
        Self { key, inner: if alike { inner } else { Vec::new() }, cells: Vec::new() }
    }

    fn heading(&self) -> String {
        if self.inner.is_empty() { self.key.to_owned() } else { format!("{}({})", self.key, self.inner.join(" ")) }
    }

    /// Whether it has the same value in all objects.
    fn is_shared(&self, items: &[Value]) -> bool {
        let first = member(&items[0], self.key).filter(|value| is_word(value));
        first.is_some() && items.iter().all(|item| member(item, self.key) == first)
    }

    /// The cell of a row. Those of the rows before it are written.
    fn cell_of(&mut self, rows: &[Value], row: usize, bytes: usize) -> &str {
        if self.cells.len() == row {
            let mut cell = String::new();
            self.cell(&rows[row], bytes, &mut cell);
            self.cells.push(cell);
        }
        &self.cells[row]
    }

    fn cell(&self, item: &Value, bytes: usize, out: &mut String) {
        match member(item, self.key) {
            Some(Value::Object(members)) if !self.inner.is_empty() => {
                for (at, (_, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { " " } else { "" });
                    inside(value, bytes, out);
                }
            }
            Some(value) => inside(value, bytes, out),
            None => {}
        }
    }
}

fn member<'v>(item: &'v Value, key: &str) -> Option<&'v Value> {
    let Value::Object(members) = item else { return None };
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Whether it is one value that takes one word.
fn is_word(value: &Value) -> bool {
    match value {
        Value::Text(text) => !text.is_empty() && text.len() < TEXT && !text.contains(char::is_whitespace),
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}

/// The keys that most objects in a list have in common; none if they are not alike.
fn columns(items: &[Value]) -> Vec<Column<'_>> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for item in items {
        let Value::Object(members) = item else { return Vec::new() };
        for (key, _) in members.iter().take(4 * COLUMNS) {
            match counts.iter().position(|(known, _)| known == key) {
                Some(at) => counts[at].1 += 1,
                None if counts.len() < 4 * COLUMNS => counts.push((key, 1)),
                None => {}
            }
        }
    }
    if items.len() < 2 || counts.first().is_none_or(|(_, count)| *count < items.len()) {
        return Vec::new();
    }
    counts.retain(|(_, count)| *count * 2 > items.len());
    counts.into_iter().take(COLUMNS).map(|(key, _)| Column::of(key, items)).collect()
}

/// How many objects and lists, each inside the one before, are looked through for identifiers: a list of objects is two.
const DEEP: usize = 2;

/// Whether a member is an identifier, a state or an amount, or holds identifiers at most so deep inside.
fn identifies(key: &str, value: &Value, deep: usize) -> bool {
    const KEYS: [&str; 8] = ["id", "status", "price", "amount", "total", "number", "balance", "date"];
    match value {
        Value::Object(_) | Value::Array(_) if deep == 0 => false,
        Value::Object(members) => members.iter().any(|(key, value)| identifies(key, value, deep - 1)),
        Value::Array(items) => items.iter().any(|item| identifies(key, item, deep - 1)),
        Value::Text(text) if text.len() < TEXT && !text.contains(' ') => {
            let mut found = false;
            scan::each(text, &mut |name| found |= !scan::is_weak(name));
            found || KEYS.iter().any(|known| key.ends_with(known))
        }
        Value::Number(_) => KEYS.iter().any(|known| key.ends_with(known)),
        _ => false,
    }
}
