//! What an error is about: a request with too many tokens, or something else that it may word alike.
//!
//! A request is too long where a sentence says of the prompt, its tokens or the context window that they exceed, are too
//! long or have a maximum. What limits a rate, a bill, a reply, or a size in bytes or letters uses the same words.

use crate::limits::provider_refusal::Overflow;
use crate::limits::provider_refusal::words::Item;

/// Phrases of errors that are over when one waits or pays: whatever they say of tokens is not about the window.
const OTHER_MATTERS: [&str; 41] = [
    "rate limit",
    "rate limits",
    "rate limited",
    "ratelimit",
    "per min",
    "per minute",
    "per hour",
    "per day",
    "per month",
    "tpm",
    "tpd",
    "rpm",
    "rpd",
    "quota",
    "quotas",
    "throttled",
    "throttling",
    "throttling exception",
    "please wait",
    "slow down",
    "too many requests",
    "resource exhausted",
    "credit",
    "credits",
    "billing",
    "payment",
    "afford",
    "balance",
    "insufficient",
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "today",
    "tomorrow",
    "usage limit",
    "try again later",
    "try again in",
    "retry after",
    "retry in",
    "encoder prompt",
];
/// That something is more than it may be.
const EXCEEDS: [&str; 28] = [
    "exceed",
    "exceeds",
    "exceeded",
    "exceeding",
    "overflow",
    "overflows",
    "overflowed",
    "too long",
    "too large",
    "too big",
    "too many",
    "longer than",
    "larger than",
    "bigger than",
    "greater than",
    "more than",
    "less than",
    "above",
    "reached",
    "out of room",
    "out of space",
    "reduce the length",
    "shorten",
    "range of",
    "must be",
    "not fit",
    "no room",
    "full",
];
/// What is exceeded where neither tokens nor the window are: "max retries exceeded", "context deadline exceeded".
const OTHER_SUBJECTS: [&str; 12] = [
    "retries",
    "retry",
    "deadline",
    "timeout",
    "time",
    "attempts",
    "depth",
    "iterations",
    "recursion",
    "connections",
    "concurrency",
    "duration",
];
/// The same, where it can be said of parameters and of lists as well: it has to be said of tokens or of a length.
const COMPARES: [&str; 12] = [
    "overflow",
    "overflows",
    "overflowed",
    "full",
    "bigger than",
    "greater than",
    "more than",
    "less than",
    "above",
    "reached",
    "range of",
    "must be",
];
/// That there is a most.
const MOST: [&str; 5] = ["maximum", "max", "limit", "limits", "at most"];
/// What is sent.
const INPUT: [&str; 6] = ["prompt", "prompts", "input", "inputs", "messages", "conversation"];
/// Behind "input", what makes it a word of a validator: "input should be", "invalid input argument".
const VALIDATES: [&str; 6] = ["should", "argument", "validation", "tag", "data", "type"];
/// What the model may reply with.
const REPLY: [&str; 5] = ["output", "outputs", "completion", "completions", "prediction"];
/// What stands behind "max tokens" where that is the parameter of the reply.
const PARAMETER: [&str; 6] = ["you", "value", "parameter", "requested", "setting", "to"];
/// How large a window is.
const SIZES: [&str; 12] = [
    "length", "len", "window", "size", "limit", "budget", "token", "tokens", "overflow", "exceeded", "exceeds", "full",
];
/// What is measured otherwise than in tokens.
const OTHER_UNITS: [&str; 22] = [
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "character",
    "characters",
    "chars",
    "string",
    "array",
    "list",
    "pixel",
    "pixels",
    "dimensions",
    "image",
    "images",
    "file",
    "files",
    "items",
    "entity",
    "payload",
    "seconds",
];

/// Whether an error says that the request has too many tokens. `found`: the numbers that it states.
pub fn is_overflow(items: &[Item], found: &Overflow) -> bool {
    if OTHER_MATTERS.iter().any(|phrase| says(items, phrase)) {
        return false;
    }
    let any_exceeds = EXCEEDS.iter().any(|phrase| says(items, phrase));
    let mut sentences = items.split(|item| *item == Item::End);
    sentences.any(|sentence| is_too_long(sentence, any_exceeds)) || is_larger(items, found)
}

/// Whether a sentence says that what is sent is too long.
fn is_too_long(sentence: &[Item], any_exceeds: bool) -> bool {
    let has = |words: &[&str]| words.iter().any(|phrase| says(sentence, phrase));
    let tokens = (0..sentence.len()).any(|at| is_tokens(sentence, at));
    let input = names_input(sentence);
    let window = names_window(sentence);
    if names_reply(sentence) && !input || has(&OTHER_UNITS) && !tokens {
        return false;
    }
    let exceeds = has(&EXCEEDS);
    let most = has(&MOST);
    if window {
        return exceeds || most;
    }
    let measured = tokens || has(&["length"]);
    let flatly = EXCEEDS.iter().any(|phrase| !COMPARES.contains(phrase) && says(sentence, phrase));
    let says_more = flatly || exceeds && measured;
    (input || tokens) && says_more || most && tokens && any_exceeds
}

/// Whether the numbers themselves say it: a limit, and more than that.
fn is_larger(items: &[Item], found: &Overflow) -> bool {
    let most = found.limit.or(found.input);
    let sent = found.total.or(found.prompt).or(found.least);
    let about = names_input(items) || names_window(items);
    about && most.zip(sent).is_some_and(|(most, sent)| sent > most)
}

/// Whether words speak of what is sent.
pub fn names_input(items: &[Item]) -> bool {
    (0..items.len()).any(|at| is_input(items, at))
}

/// Whether the word at a place means what is sent.
pub fn is_input(items: &[Item], at: usize) -> bool {
    let next = word(items, at + 1);
    match word(items, at) {
        Some("input") => !next.is_some_and(|next| VALIDATES.contains(&next)),
        // One message is one of many, unless it is the one that is sent.
        Some("message") => matches!(next, Some("too" | "exceeds")) || says(&items[at + 1..], "is too"),
        one => one.is_some_and(|one| INPUT.contains(&one)),
    }
}

/// Whether the word at a place means tokens that are counted, and not one that identifies somebody.
fn is_tokens(items: &[Item], at: usize) -> bool {
    let counts =
        |next| matches!(next, "count" | "limit" | "limits" | "size" | "length" | "budget" | "quantity" | "window");
    match word(items, at) {
        Some("tokens") => true,
        Some("token") => word(items, at + 1).is_some_and(counts),
        _ => false,
    }
}
/// Whether words speak of the reply.
fn names_reply(items: &[Item]) -> bool {
    (0..items.len()).any(|at| is_reply(items, at))
}

/// Whether the word at a place means the reply: by its name, or as the last word of a parameter such as `max_tokens`.
pub fn is_reply(items: &[Item], at: usize) -> bool {
    let Some(one) = word(items, at) else { return false };
    if REPLY.contains(&one) || one == "new" && items[at].is_joined() {
        return true;
    }
    if one == "tokens" && items[at].is_joined() && at > 0 && word(items, at - 1) == Some("budget") {
        return true;
    }
    let behind_max = || at > 0 && matches!(word(items, at - 1), Some("max" | "maximum"));
    let is_parameter = || items[at].is_joined() || word(items, at + 1).is_some_and(|next| PARAMETER.contains(&next));
    one == "tokens" && behind_max() && is_parameter()
}

/// Whether words speak of the window. Other contexts have no size: "context deadline exceeded".
fn names_window(items: &[Item]) -> bool {
    let is_size = |at: usize| word(items, at).is_some_and(|one| SIZES.contains(&one));
    let is_other = |at: usize| word(items, at).is_some_and(|one| OTHER_SUBJECTS.contains(&one));
    (0..items.len()).any(|at| match word(items, at) {
        Some("context") => {
            let behind_max = at > 0 && matches!(word(items, at - 1), Some("max" | "maximum"));
            behind_max || is_size(at + 1) || is_size(at + 2) && !is_other(at + 1)
        }
        Some("ctx") => true,
        Some("model" | "sequence" | "seq") => matches!(word(items, at + 1), Some("length" | "len")),
        _ => false,
    })
}

fn word(items: &[Item], at: usize) -> Option<&str> {
    items.get(at)?.word()
}

/// Whether words stand in a row; of what is exceeded, only if that may be tokens.
fn says(items: &[Item], phrase: &str) -> bool {
    (0..items.len()).any(|start| {
        let is_other = || start > 0 && word(items, start - 1).is_some_and(|one| OTHER_SUBJECTS.contains(&one));
        let mut parts = phrase.split(' ').enumerate();
        parts.all(|(at, part)| word(items, start + at) == Some(part)) && !(phrase.starts_with("exceed") && is_other())
    })
}
