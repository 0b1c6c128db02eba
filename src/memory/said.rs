//! What an assistant said, without what says nothing: pleasantries, intentions and blocks of code.

use crate::base::text::{self, Starts};
use crate::ingest::content::Value;
use crate::memory::parse;
use crate::memory::text_agent::Edit;

/// How sentences begin that only show that something was heard.
static PLEASANTRIES: Starts<24> = Starts::new([
    "Certainly",
    "Sure",
    "Of course",
    "Great",
    "Good ",
    "Perfect",
    "Okay",
    "No problem",
    "Absolutely",
    "Thank you",
    "I apologize",
    "I'm sorry",
    "I'd be happy",
    "I’d be happy",
    "I would be happy",
    "I'll be happy",
    "I'm happy to",
    "Happy to",
    "I understand",
    "I appreciate",
    "Thanks ",
    "Hello",
    "Hi ",
    "You're welcome",
]);
/// In a sentence that goes on like this, more is said than that something was heard.
const YET: &str = " but ";
/// How sentences begin that only say that something is going to be said or done.
static INTENTIONS: Starts<8> =
    Starts::new(["Let me ", "Let's ", "Now I ", "Now let", "Next, ", "First, let", "I'll now ", "You're right"]);

/// Words without the sentences at their beginning that say nothing of what was found or done.
pub(super) fn substance(words: &str) -> &str {
    without(words, &|rest| PLEASANTRIES.begin(rest) || INTENTIONS.begin(rest))
}

/// Whether words say nothing of what was found or done.
pub(super) fn says_nothing(words: &str) -> bool {
    let rest = substance(words);
    PLEASANTRIES.begin(rest) || INTENTIONS.begin(rest)
}

/// Words without the sentences at their beginning that only show that something was heard.
pub(super) fn without_pleasantries(words: &str) -> &str {
    without(words, &|rest| PLEASANTRIES.begin(rest))
}

/// Words without the sentences at their beginning that are empty; all of them if nothing else is left.
fn without<'w>(words: &'w str, is_empty: &dyn Fn(&str) -> bool) -> &'w str {
    let mut rest = words.trim();
    while is_empty(rest) {
        let ends = |(at, char): &(usize, char)| {
            matches!(char, '.' | '!' | ':') && text::between(rest, at + 1, rest.len()).starts_with([' ', '\n'])
        };
        let Some((end, _)) = rest.char_indices().find(ends) else { break };
        if text::find(text::between(rest, 0, end), YET).is_some() {
            break;
        }
        rest = text::between(rest, end + 1, rest.len()).trim_start();
    }
    if rest.is_empty() { words } else { rest }
}

/// What an assistant says to a person that answers in objects; nothing where the object may be the answer itself.
pub(super) fn unwrapped(words: &str) -> Option<String> {
    const SAYS: [&str; 5] = ["message", "answer", "final_answer", "response", "reply"];
    const BESIDE: [&str; 6] = ["thought", "thoughts", "thinking", "reasoning", "rationale", "confidence"];
    let words = words.trim();
    if !words.starts_with('{') || !words.ends_with('}') {
        return None;
    }
    let Some(Value::Object(members)) = parse::strict(words) else { return None };
    let mut others = members.into_iter().filter(|(key, _)| !BESIDE.contains(&key.as_str()));
    match (others.next()?, others.next()) {
        ((key, Value::Text(text)), None) if SAYS.contains(&key.as_str()) && !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

/// What is said beside blocks of code.
pub(super) fn without_code(said: &str, edits: &[Edit<'_>]) -> String {
    let words = |part: &'_ str| {
        let part = part.trim();
        let file = edits.iter().find(|(file, ..)| part.ends_with(file)).map_or(0, |(file, ..)| file.len());
        text::between(part, 0, part.len() - file).trim().to_owned()
    };
    let parts: Vec<String> = said.split("```").step_by(2).map(words).filter(|part| !part.is_empty()).collect();
    text::joined(&parts.iter().map(String::as_str).collect::<Vec<_>>(), " ")
}
