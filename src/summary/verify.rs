//! Whether a summarizer's answer may stand for what it replaces.

use crate::prelude::*;
use crate::text;
use crate::tokens::{self, Estimator};

/// What came back from the host's summarizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A text, and how it ended in the provider's words.
    Text {
        /// The text.
        text: String,
        /// The finish reason.
        finish: String,
    },
    /// It threw, rejected or was late.
    Failed(String),
}

/// What an answer is measured by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure<'a> {
    /// What it was asked with.
    pub prompt: &'a str,
    /// Earlier summaries in it, which may be carried over word for word.
    pub known: &'a str,
    /// Raw tokens of what it replaces.
    pub raw: u64,
    /// Raw tokens it may have.
    pub most: u64,
}

/// Finish reasons of a complete answer: OpenAI and the AI SDK, Anthropic, OpenAI Responses.
const COMPLETE: [&str; 3] = ["stop", "end_turn", "completed"];

/// The usable text of an answer.
///
/// # Errors
/// With the reason why it is none.
pub fn judge(answer: &Answer, measure: &Measure<'_>, estimator: &Estimator) -> Result<String, String> {
    let (text, finish) = match answer {
        Answer::Failed(reason) => return Err(reason.clone()),
        Answer::Text { text, finish } => (text.trim(), finish),
    };
    if !COMPLETE.contains(&finish.to_ascii_lowercase().as_str()) {
        return Err(text![
            "The summarizer's answer did not end by itself (finish reason \"",
            text::start(finish, 40),
            "\")."
        ]);
    }
    let text = without_thoughts(text);
    let size = tokens::of_text(estimator, text);
    let flaw = if !text.chars().any(is_seen) {
        "The summarizer answered nothing."
    } else if size > measure.most {
        "The summarizer's answer is far longer than was asked for."
    } else if size >= measure.raw {
        "The summarizer's answer is not smaller than what it would replace."
    } else if refuses(text) {
        "The summarizer refused."
    } else if calls(text) {
        "The summarizer answered with a tool call in place of a text."
    } else if echoes(text, measure) {
        "The summarizer repeated what it was given."
    } else {
        return Ok(text.to_owned());
    };
    Err(flaw.to_owned())
}

/// Some models think aloud before they answer. What never ends is no answer.
fn without_thoughts(text: &str) -> &str {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    if !text.starts_with(OPEN) {
        return text;
    }
    text::find(text, CLOSE).map_or("", |at| text::between(text, at + CLOSE.len(), text.len()).trim())
}

/// Part of a word, in any script; neither punctuation nor what nobody sees.
fn is_seen(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter >= 'À' && !matches!(letter, '\u{2000}'..='\u{2bff}' | '\u{fe00}'..='\u{feff}')
}

/// How refusals and apologies begin, ASCII in lower case, other letters as they begin a sentence; a bar ends each.
const REFUSALS: &str = "i'm sorry|i’m sorry|i am sorry|sorry|i apolog|my apolog|i can't|i can’t|i cannot|i'm unable|i’m unable|i am unable|i won't|i'm not able|unfortunately, i|as an ai|as a language model|\
es tut mir|tut mir leid|leider kann ich|ich kann |je suis désolé|désolé|je ne peux|lo siento|no puedo|desculpe|sinto muito|não posso|mi dispiace|non posso|\
het spijt|przepraszam|maaf|xin lỗi|Извините|Простите|К сожалению|Я не могу|抱歉|很抱歉|对不起|我无法|我不能|申し訳|すみません|죄송|عذر|آسف|לא יכול|क्षमा|ขออภัย";
/// A refusal is a sentence or two.
const LONGEST_REFUSAL: usize = 700;

/// Whether a short text without structure, or the end of any text, begins like a refusal.
fn refuses(text: &str) -> bool {
    let begins = |text: &str| {
        let from = text.find(is_seen).unwrap_or(0);
        let start = text::between(text, from, text::floor(text, from + 64)).to_ascii_lowercase();
        REFUSALS.split('|').any(|form| start.starts_with(form))
    };
    let listed = |line: &str| ["#", "- ", "* ", "|", ">"].iter().any(|mark| line.trim_start().starts_with(mark));
    let short = text.len() < LONGEST_REFUSAL && !text.lines().any(listed);
    // What a list quotes was said by somebody else; a last line on its own is the model's.
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    short && begins(text) || last.len() < text.len() && last.len() < LONGEST_REFUSAL && !listed(last) && begins(last)
}

/// How lines begin that call a tool, in the forms that models print them.
const CALLS: &str = "<tool_call\n<tool_use\n<function\n<invoke\n<|\n[tool_calls\n```tool\n{\"tool_calls\"\n{\"function";

fn calls(text: &str) -> bool {
    let names = |what: &str| text::find(text, what).is_some();
    let object = text.starts_with(['{', '[']) && text.ends_with(['}', ']']);
    object && names("\"name\"") && (names("\"arguments\"") || names("\"parameters\"") || names("\"input\""))
        || text.lines().any(|line| {
            let line = line.trim_start();
            CALLS.lines().any(|call| {
                line.as_bytes().get(..call.len()).is_some_and(|start| start.eq_ignore_ascii_case(call.as_bytes()))
            })
        })
}

/// Places of an answer that are looked up in the prompt, their bytes, and how many of them may be found there.
const PROBES: usize = 8;
const PROBE: usize = 72;
const FOUND: usize = 5;
/// Where little was new, a short summary may stay as it is.
const LONG: usize = 400;

/// Whether a text is the prompt again: its frame, the summary before, or mostly its words.
fn echoes(text: &str, measure: &Measure<'_>) -> bool {
    let framed =
        ["<conversation>", "</conversation>", "<previous-summary>", "knows nothing but your text", super::request::NOW];
    if framed.iter().any(|frame| text::find(text, frame).is_some()) || text.len() >= LONG && text == measure.known {
        return true;
    }
    if text.len() < PROBE * 2 {
        return false;
    }
    let probe = |at: &usize| {
        let from = text::floor(text, (text.len() - PROBE) * at / (PROBES - 1));
        let probe = text::between(text, from, text::floor(text, from + PROBE));
        // An earlier summary may be carried over.
        text::find(measure.prompt, probe).is_some() && text::find(measure.known, probe).is_none()
    };
    (0..PROBES).filter(probe).count() > FOUND
}
