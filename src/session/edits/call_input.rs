//! Shortens the arguments of a call: the members stay, and long strings are cut in the middle.

use crate::base::{encoded, markers, text};
use crate::ingest::content::Value;
use crate::memory::notice;
use crate::shorten::ends;
use crate::tokens::{self, Estimator};

/// A string with fewer bytes is not cut.
const LEAST: usize = 160;
/// One part in this many of the bytes of a cut string is for names in what is left out.
const NAMES_PART: usize = 12;
/// The same for a cleared call, whose text stands nowhere else, and the most bytes.
const CLEARED_PART: usize = 6;
const CLEARED_MOST: usize = 600;
/// The most attempts, each with an eighth fewer bytes.
const TRIES: usize = 16;

/// The raw tokens of cleared arguments, or as close to it as cutting long strings allows.
pub(super) const CLEARED: u64 = 120;

/// The most raw tokens of a cleared call's arguments, with the names in what is left out.
pub fn cleared_tokens(tokens: u64) -> u64 {
    CLEARED + (tokens / CLEARED_PART as u64).min(CLEARED_MOST as u64 / 3)
}

/// Shortens `input` to `cap` raw tokens, or as close to it as cutting strings allows. A cleared call keeps names beyond
/// that. Returns `None` if it does not get shorter. `own`: it was cut before, and the notices in it are ours.
pub fn shortened(input: &Value, own: bool, (cap, clears): (u64, bool), estimator: &Estimator) -> Option<Value> {
    let given = json(input);
    let input = &without_data(input, own);
    let mut lengths = Vec::new();
    measure(input, &mut lengths);
    let json = json(input);
    let strings: usize = lengths.iter().sum();
    let whole = tokens::of_text(estimator, &json).max(1);
    if lengths.is_empty() || whole <= cap {
        return (json.len() < given.len()).then(|| input.clone());
    }
    let mut bytes = usize::try_from(json.len() as u64 * cap / whole).ok()?;
    for attempt in 0..TRIES {
        let most = text::level(&lengths, bytes.saturating_sub(json.len().saturating_sub(strings))).max(LEAST);
        let shorter = cut(input, most, clears);
        let written = self::json(&shorter);
        if tokens::of_text(estimator, &written) <= cap || most == LEAST || attempt + 1 == TRIES {
            return (written.len() < json.len()).then_some(shorter);
        }
        bytes = bytes * 7 / 8;
    }
    None
}

fn json(value: &Value) -> String {
    let mut json = String::new();
    value.write_json(&mut json);
    json
}

/// An input without encoded data, through which no cut may go. Of strings that are cut, unless they are our `own`, without
/// what reads like our notices.
fn without_data(value: &Value, own: bool) -> Value {
    match value {
        Value::Text(text) => {
            let text = encoded::without(text);
            let as_it_is = own || text.len() <= LEAST;
            Value::Text(if as_it_is { text.into_owned() } else { markers::without_notices(&text).into_owned() })
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| without_data(item, own)).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, member)| (key.clone(), without_data(member, own))).collect())
        }
        other => other.clone(),
    }
}

/// Collects the lengths of all strings that may be cut.
fn measure(value: &Value, lengths: &mut Vec<usize>) {
    match value {
        Value::Text(text) if text.len() > LEAST => lengths.push(text.len()),
        Value::Array(items) => items.iter().for_each(|item| measure(item, lengths)),
        Value::Object(members) => members.iter().for_each(|(_, member)| measure(member, lengths)),
        _ => {}
    }
}

fn cut(value: &Value, most: usize, clears: bool) -> Value {
    match value {
        Value::Text(text) if text.len() > most => {
            // Most of what is used later of an argument is names, and a few of them cost little.
            let room = if clears {
                (text.len() / CLEARED_PART).min(CLEARED_MOST)
            } else {
                (text.len() / NAMES_PART).min(most * 2)
            };
            let short = ends::within(text, most, "");
            let named = notice::names_missing(&notice::names_in(text), "", &short, room);
            if named.is_empty() {
                return Value::Text(short);
            }
            Value::Text(ends::within(text, most + named.len(), &format!(" Names in it: {named}")))
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| cut(item, most, clears)).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, member)| (key.clone(), cut(member, most, clears))).collect())
        }
        other => other.clone(),
    }
}
