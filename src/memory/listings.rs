//! Listings: what programs print in padded columns that no heading names, as `ls -l` does. A row is known by what stands
//! last in it. The columns before, of modes, owners, sizes and times, take most of its words and say little.

use crate::base::text;
use crate::base::words::is_letter;

/// Rows of the shortest listing.
const ROWS: usize = 4;
/// Fields before the one that a row is known by, at least, and fields of a row that are looked at.
const BEFORE: usize = 4;
const FIELDS: usize = 12;
/// Values of a column without numbers that a short listing may have, and still it says little.
const VALUES: usize = 3;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// A line that belongs to no listing.
    Line(&'t str),
    /// A listing: what each of its rows is known by.
    Listing(Vec<&'t str>),
}

/// Reports the parts of a text, in order.
pub fn parts<'t>(text: &'t str, each: &mut dyn FnMut(Part<'t>)) {
    let mut before: Option<Row<'t>> = None;
    let mut run: Vec<Row<'t>> = Vec::new();
    let mut places = 0;
    for line in text.lines() {
        let row = Row::of(line);
        let shared = run.last().map_or(0, |last| last.shares(&row) & if run.len() > 1 { places } else { !0 });
        if shared == 0 {
            let last = run.last().copied();
            end(before.as_ref(), &mut run, places, each);
            before = last;
        }
        places = shared;
        run.push(row);
    }
    end(before.as_ref(), &mut run, places, each);
}

/// Reports lines of which each begins fields at the same places as the one before.
fn end<'t>(before: Option<&Row<'t>>, run: &mut Vec<Row<'t>>, places: u16, each: &mut dyn FnMut(Part<'t>)) {
    let last = places.checked_ilog2().map(|last| last as usize);
    match last.filter(|&last| is_listing(before, run, last)) {
        Some(last) => {
            each(Part::Listing(run.iter().map(|row| row.rest(last)).collect()));
        }
        None => run.iter().for_each(|row| each(Part::Line(row.line))),
    }
    run.clear();
}

/// Whether rows list what stands last in each: no line above names their columns, and those before say little.
fn is_listing(before: Option<&Row<'_>>, rows: &[Row<'_>], last: usize) -> bool {
    let Some(first) = rows.first().filter(|_| rows.len() >= ROWS) else { return false };
    let heads = |row: &Row<'_>| row.starts().contains(&first.starts[last]);
    let is_padded = |row: &Row<'_>| text::between(row.line, 0, row.start(last)).trim_start().contains("  ");
    let names = |row: &&Row<'_>| is_name(row.rest(last));
    !before.is_some_and(heads)
        && rows.iter().any(is_padded)
        && rows.iter().filter(names).count() * 4 >= rows.len() * 3
        && (0..last).any(|column| rows.iter().all(|row| has_digit(row.field(column))))
        && (0..last).all(|column| says_little(rows, column))
}

/// Whether a column holds numbers, or few different words.
fn says_little(rows: &[Row<'_>], column: usize) -> bool {
    let mut values: Vec<&str> = Vec::new();
    for row in rows {
        let value = row.field(column);
        if !value.contains(is_letter) {
            return false;
        }
        if !has_digit(value) && !values.contains(&value) {
            values.push(value);
            if values.len() > VALUES.max(rows.len() / 2) {
                return false;
            }
        }
    }
    true
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text is one word, and no number.
fn is_name(text: &str) -> bool {
    let is_of_number = |char: char| char.is_numeric() || matches!(char, '.' | ',' | ':' | '%' | '-' | '+');
    !(text.contains(char::is_whitespace) || has_digit(text) && text.chars().all(is_of_number))
}

/// A line with the places at which its first fields begin, in bytes.
#[derive(Clone, Copy)]
struct Row<'t> {
    line: &'t str,
    starts: [u32; FIELDS],
    count: usize,
}

impl<'t> Row<'t> {
    fn of(line: &'t str) -> Self {
        let mut row = Self { line, starts: [0; FIELDS], count: 0 };
        let mut blank = true;
        for (at, byte) in line.bytes().enumerate() {
            let is_blank = byte.is_ascii_whitespace();
            if blank && !is_blank {
                let Some(start) = row.starts.get_mut(row.count) else { break };
                *start = at as u32;
                row.count += 1;
            }
            blank = is_blank;
        }
        row
    }

    fn starts(&self) -> &[u32] {
        &self.starts[..self.count]
    }

    fn start(&self, field: usize) -> usize {
        self.starts[field] as usize
    }

    /// The fields that begin at the same place in another row, a bit for each, without those that too few others precede.
    fn shares(&self, other: &Self) -> u16 {
        let both = BEFORE..self.count.min(other.count);
        both.filter(|&field| self.starts[field] == other.starts[field]).fold(0, |all, field| all | 1 << field)
    }

    /// The text from a field on.
    fn rest(&self, field: usize) -> &'t str {
        text::between(self.line, self.start(field), self.line.len()).trim_end()
    }

    fn field(&self, field: usize) -> &'t str {
        self.rest(field).split_ascii_whitespace().next().unwrap_or_default()
    }
}
