//! Whether a summarizer's answer may stand for what it replaces.

use crate::prelude::*;
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

/// Finish reasons of a complete answer: OpenAI and the AI SDK, Anthropic, OpenAI Responses.
const COMPLETE: [&str; 3] = ["stop", "end_turn", "completed"];

/// The usable text of an answer.
///
/// # Errors
/// With the reason why it is none.
pub fn judge(answer: &Answer, raw: u64, most: u64, estimator: &Estimator) -> Result<String, String> {
    let (text, finish) = match answer {
        Answer::Failed(reason) => return Err(reason.clone()),
        Answer::Text { text, finish } => (text.trim(), finish),
    };
    if !COMPLETE.contains(&finish.to_ascii_lowercase().as_str()) {
        return Err(text!["The summarizer's answer did not end by itself (finish reason \"", finish, "\")."]);
    }
    if text.is_empty() {
        return Err("The summarizer answered nothing.".to_owned());
    }
    let size = tokens::of_text(estimator, text);
    if size > most {
        return Err("The summarizer's answer is far longer than was asked for.".to_owned());
    }
    if size >= raw {
        return Err("The summarizer's answer is not smaller than what it would replace.".to_owned());
    }
    Ok(text.to_owned())
}
