//! What each number of an error counts, by the words around it.

use crate::limits::provider_refusal::Overflow;
use crate::limits::provider_refusal::subject::{is_input, is_reply};
use crate::limits::provider_refusal::words::Item;

/// Words in front of a number that is no count of tokens.
const CODES: [&str; 9] = ["code", "status", "error", "http", "id", "by", "line", "version", "value"];
/// Words behind such a number.
const UNITS: [&str; 14] = [
    "bytes",
    "byte",
    "characters",
    "chars",
    "kb",
    "mb",
    "gb",
    "pixels",
    "seconds",
    "minutes",
    "ms",
    "images",
    "items",
    "draft",
];
/// Words behind which another clause begins.
const CLAUSES: [&str; 16] = [
    "and", "but", "while", "when", "which", "however", "is", "are", "exceeds", "exceed", "exceeded", "cannot", "has",
    "have", "must", "than",
];
/// Words in front of a limit.
const LIMITS: [&str; 18] = [
    "max", "maximum", "limit", "most", "allowed", "exceed", "exceeds", "exceeded", "up", "ctx", "context", "window",
    "longer", "larger", "greater", "more", "less", "supports",
];
/// Words in front of what was sent.
const COUNTS: [&str; 9] = ["resulted", "contains", "contain", "has", "have", "got", "given", "count", "keep"];
/// Nouns that are counted.
const COUNTED: [&str; 8] = ["token", "tokens", "length", "len", "size", "number", "request", "first"];
/// Words of a limit of prompt and reply together.
const WINDOW: [&str; 5] = ["context", "ctx", "window", "sequence", "total"];
/// How many words in front of a number, and behind it, are looked at.
const BEFORE: usize = 10;
const BEHIND: usize = 5;

/// What a number counts.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Nothing,
    Limit,
    Prompt,
    Least,
    Reply,
    Total,
}

/// Reads the numbers of an error. None are returned if they contradict one another, or if one cannot be read. Whether
/// they are exact: `128k` may be 128,000 or 131,072.
pub fn read(items: &[Item]) -> (Overflow, bool) {
    let mut found = Overflow::default();
    let mut exact = true;
    if items.contains(&Item::Figure) {
        return (found, exact);
    }
    for (at, item) in items.iter().enumerate() {
        let (Item::Number(number) | Item::About(number)) = *item else { continue };
        exact &= *item == Item::Number(number);
        let member = match role(items, at) {
            Role::Nothing => continue,
            Role::Limit if found.limit.or(found.input).is_some() => continue,
            Role::Limit if is_of_window(items, at) => &mut found.limit,
            Role::Limit => &mut found.input,
            Role::Prompt => &mut found.prompt,
            Role::Least => &mut found.least,
            Role::Reply => &mut found.reply,
            Role::Total => &mut found.total,
        };
        // What is said twice is said first where it belongs.
        member.get_or_insert(number);
    }
    // The tokens of the request's functions are in the total only.
    if let (Some(total), Some(reply)) = (found.total, found.reply) {
        found.prompt = Some(total.saturating_sub(reply));
    }
    if found.reply.is_none() && found.total == found.prompt {
        found.total = None;
    }
    (if is_consistent(&found) { found } else { Overflow::default() }, exact)
}

/// Whether what was sent is as large as the limit, as it is where a request was refused.
fn is_consistent(found: &Overflow) -> bool {
    let most = found.limit.or(found.input);
    let sent =
        found.total.or(found.prompt.or(found.least).map(|prompt| prompt.saturating_add(found.reply.unwrap_or(0))));
    most.zip(sent).is_none_or(|(most, sent)| sent >= most)
}

fn role(items: &[Item], at: usize) -> Role {
    let before = before(items, at);
    let behind = behind(items, at);
    let follows =
        |words: &[&str]| behind.first().and_then(|&at| items[at].word()).is_some_and(|one| words.contains(&one));
    let is_code = match before.first().and_then(|&at| items[at].word()) {
        Some(last) => CODES.contains(&last),
        // A status is said first.
        None => items[..at].iter().all(|item| item.word().is_none()),
    };
    if is_code && !is_compared(items, at) || follows(&UNITS) {
        return Role::Nothing;
    }
    by_signs(items, at)
        .or_else(|| by_words_behind(items, &before, &behind))
        .unwrap_or_else(|| by_words_before(items, &before))
}

/// The places of the words in front of a number, the nearest first, up to another number or the end of a sentence.
fn before(items: &[Item], at: usize) -> Vec<usize> {
    let ends = |item: &Item| matches!(item, Item::Number(_) | Item::About(_) | Item::End);
    let from = items[..at].iter().rposition(ends).map_or(0, |end| end + 1);
    (from..at).rev().filter(|&at| items[at].word().is_some()).take(BEFORE).collect()
}

/// The places of the words behind a number, up to another number, a bracket, a comma or another clause.
fn behind(items: &[Item], at: usize) -> Vec<usize> {
    let is_of_clause = |&at: &usize| match &items[at] {
        Item::Word { text, .. } => !CLAUSES.contains(&text.as_str()),
        _ => false,
    };
    // "400 This model's maximum …"
    let begins = matches!(items.get(at + 1).and_then(Item::word), Some("this" | "the" | "your"));
    (at + 1..items.len()).take_while(is_of_clause).take(if begins { 0 } else { BEHIND }).collect()
}

fn sign(items: &[Item], at: usize) -> Option<u8> {
    match items.get(at)? {
        Item::Sign(sign) => Some(*sign),
        _ => None,
    }
}

fn is_compared(items: &[Item], at: usize) -> bool {
    at > 0 && matches!(sign(items, at - 1), Some(b'>' | b'<' | b'+'))
}

/// `178959 + 64000 > 200000`, `must be <= 8193`, `[1, 129024]`.
fn by_signs(items: &[Item], at: usize) -> Option<Role> {
    let (before, behind) = (at.checked_sub(1).and_then(|at| sign(items, at)), sign(items, at + 1));
    match (before, behind) {
        (Some(b'>' | b'<'), _) => Some(Role::Limit),
        (Some(b'+'), _) => Some(Role::Reply),
        (_, Some(b'+' | b'>')) => Some(Role::Prompt),
        (Some(b'['), Some(b',')) => Some(Role::Nothing),
        (Some(b','), Some(b']')) => Some(Role::Limit),
        _ => None,
    }
}

/// `7884 of text input`, `4096 in the completion`, `402 in the functions`.
fn by_words_behind(items: &[Item], before: &[usize], behind: &[usize]) -> Option<Role> {
    behind.iter().find_map(|&at| match items[at].word() {
        Some("functions" | "tools") => Some(Role::Nothing),
        Some("maximum" | "max" | "limit") if !is_reply(items, at + 1) => Some(Role::Limit),
        _ if is_reply(items, at) => Some(Role::Reply),
        _ if is_input(items, at) => Some(if is_least(items, before) { Role::Least } else { Role::Prompt }),
        _ => None,
    })
}

/// Whether a number is a lower bound: "at least 5", "over 5".
fn is_least(items: &[Item], before: &[usize]) -> bool {
    before.first().is_some_and(|&at| matches!(items[at].word(), Some("least" | "over")))
}

fn by_words_before(items: &[Item], before: &[usize]) -> Role {
    let is_least = is_least(items, before);
    let counted = if is_least { Role::Least } else { Role::Prompt };
    let (mut noun, mut reply, mut input) = (false, false, false);
    for &at in before {
        let Some(word) = items[at].word() else { continue };
        // What stands in front of a colon is counted where nothing is named behind it.
        if noun && sign(items, at + 1) == Some(b':') {
            break;
        }
        if is_reply(items, at) {
            reply = true;
        } else if is_input(items, at) {
            (noun, input) = (true, true);
        } else if LIMITS.contains(&word) {
            // "The maximum output tokens (5)".
            let of_reply = matches!(word, "max" | "maximum") && is_reply(items, at + 1);
            let of_parameter = word == "max" && items.get(at + 1).is_some_and(Item::is_joined) && reply;
            if !of_reply && !of_parameter {
                return Role::Limit;
            }
        } else if COUNTS.contains(&word) {
            return counted;
        } else if COUNTED.contains(&word) {
            noun = true;
        } else if matches!(word, "received" | "current") || matches!(word, "requested" | "total") && !noun {
            return if is_least { Role::Nothing } else { Role::Total };
        }
    }
    match (reply, input) {
        (true, true) => Role::Total,
        (true, false) => Role::Reply,
        _ if noun => counted,
        _ => Role::Nothing,
    }
}

/// Whether a limit is one of prompt and reply together: if nothing says that it is of the input alone. What stands
/// nearest to it decides.
fn is_of_window(items: &[Item], at: usize) -> bool {
    let holds = |at: usize, words: &[&str]| items[at].word().is_some_and(|one| words.contains(&one));
    let is_input = |at: usize| {
        holds(at, &["input", "inputs", "body"]) || holds(at, &["prompt"]) && holds(at + 1, &["token", "tokens"])
    };
    let said = behind(items, at).into_iter().chain(before(items, at)).find(|&at| holds(at, &WINDOW) || is_input(at));
    match said {
        Some(at) if holds(at, &WINDOW) => true,
        // "Input tokens and max_new_tokens must be <= 8193".
        _ => {
            let sentence = items[..at].iter().rposition(|item| *item == Item::End).unwrap_or(0)..at;
            let is_sum = sentence.into_iter().any(|at| is_reply(items, at));
            is_sum || !(0..at).any(is_input)
        }
    }
}
