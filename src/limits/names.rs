//! The names of options. Unknown ones are refused with a suggestion.

use crate::base::error::Code;
use crate::base::json::{Fields, Json};
use crate::base::text;

/// What may stand in one place of the options: an object with some of these members.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The names of its members.
    pub names: &'static [&'static str],
    /// One that fits, as a host writes it. Who wrote something else is shown it.
    pub example: &'static str,
}

impl Group {
    /// The fields of `value`. Members that do not exist are faults, as is anything but an object.
    pub(super) fn fields<'a>(self, value: &'a Json, path: &'a str, outer: Fields<'a>) -> Fields<'a> {
        let Self { names, example } = self;
        let inner = if matches!(value, Json::Object(_) | Json::Null) {
            Fields { value, path, ..outer }
        } else {
            let expected = format!("an object with some of {}, such as {example}", text::joined(names, ", "));
            Fields::like(&expected, value, path, outer.code, outer.faults)
        };
        known(inner, names);
        inner
    }

    /// The fields of the member `name` of `outer`.
    pub(super) fn inside<'a>(self, outer: Fields<'a>, name: &str, path: &'a str) -> Fields<'a> {
        self.fields(outer.raw(name), path, outer)
    }
}

/// Records a fault for each member that does not exist.
#[inline(never)]
pub(crate) fn known(fields: Fields<'_>, names: &[&str]) {
    for (name, value) in fields.value.members().unwrap_or_default() {
        if !names.contains(&name.as_str()) && !value.is_null() {
            unknown(fields, name, name, names, "option");
        }
    }
}

/// Records a fault for a name that does not exist.
#[inline(never)]
pub(crate) fn unknown(fields: Fields<'_>, member: &str, name: &str, names: &[&str], what: &str) {
    let code = if what == "option" && fields.code == Code::InvalidOption { Code::UnknownOption } else { fields.code };
    Fields { code, ..fields }.wrong(member, &unknown_name(name, names, what));
}

/// The message about an unknown name: the closest of `names`, if one is similar, and the list of all.
pub fn unknown_name(name: &str, names: &[&str], what: &str) -> String {
    let nearest = names.iter().map(|known| (distance(name, known), known)).min();
    let nearest = nearest.filter(|(edits, known)| *edits <= known.len().min(name.len()) / 2);
    let mean = nearest.map(|(_, known)| format!(" Did you mean \"{}\"?", *known)).unwrap_or_default();
    format!("There is no {what} \"{name}\".{mean} Known: {}.", text::joined(names, ", "))
}

/// The edit distance between two names, ignoring case. It is 0 if one name of at least four letters results from the
/// other by leaving letters out (`chatId`, `window`, `maxTokens`).
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.to_ascii_lowercase(), right.to_ascii_lowercase());
    let within = |short: &str, long: &str| short.len() > 3 && text::is_subsequence(short, long);
    if within(&left, &right) || within(&right, &left) {
        return 0;
    }
    let mut row: Vec<usize> = (0..=text::characters(&right)).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.chars().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if a == b { diagonal } else { 1 + diagonal.min(above).min(row[j]) };
            diagonal = above;
        }
    }
    row[row.len() - 1]
}
