//! The names that a text of ours lists. The memory of the same state refers to them by their numbers, so that a state
//! holds them once.

use crate::base::distinct::Latest;
use crate::base::headings::{LINES, NAMES};
use crate::base::text;

/// The names in the last list of a text, in their order: the number of each is its place.
pub fn of(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    each(list(text), &mut |_, name| all.push(name));
    all
}

/// The numbers of the names in the last list of a text.
pub fn numbers(text: &str) -> Latest<'_, u64> {
    let mut numbers = Latest::default();
    for (number, name) in of(text).into_iter().enumerate() {
        numbers.set(name, number as u64);
    }
    numbers
}

/// Calls `each` with every name of a list, and the number of the line in which it stands. No name but a date in words
/// holds a comma before a space.
pub fn each<'t>(list: &'t str, each: &mut dyn FnMut(usize, &'t str)) {
    for line in list.lines() {
        let Some((number, names)) =
            LINES.iter().enumerate().find_map(|(at, start)| Some((at, line.strip_prefix(start)?)))
        else {
            break;
        };
        names.split(", ").filter(|name| !name.is_empty()).for_each(|name| each(number, name));
    }
}

/// What stands below the last heading of names.
fn list(whole: &str) -> &str {
    match whole.rfind(NAMES) {
        Some(at) => text::between(whole, at + NAMES.len(), whole.len()).trim_start_matches('\n'),
        None => "",
    }
}
