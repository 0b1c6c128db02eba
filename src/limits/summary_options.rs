//! What the host says about summaries: the limits of the summarizer, the language, and what is added to the prompt.

use crate::base::json::{Fields, Json, misfit};
use crate::base::{markers, text};
use crate::limits::names::Group;

/// `summary`.
pub const SUMMARY: Group =
    Group { names: &["language", "instructions", "sections", "frame"], example: "{ language: \"German\" }" };

/// `summarizer`.
pub const SUMMARIZER: Group = Group {
    names: &["contextWindow", "maxOutputTokens", "maxCalls", "timeoutMs"],
    example: "{ contextWindow: 128_000 }",
};

/// `summary.frame`.
pub const FRAME: Group =
    Group { names: &["before", "after"], example: "{ before: \"<memory>\", after: \"</memory>\" }" };

/// The summarizer's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summarizer {
    /// The context window of its model, if it differs from the agent's.
    pub window: Option<u64>,
    /// The most tokens it may write.
    pub max_output: Option<u64>,
    /// The most calls of it in one call of precis.
    pub max_calls: u64,
}

/// The default of `max_calls`.
const MAX_CALLS: u64 = 8;

impl Summarizer {
    /// Parses `summarizer`.
    pub(super) fn parse(options: Fields<'_>) -> Self {
        let summarizer = SUMMARIZER.inside(options, "summarizer", "summarizer");
        summarizer.some_milliseconds("timeoutMs");
        Self {
            window: summarizer.some_tokens("contextWindow"),
            max_output: summarizer.some_tokens("maxOutputTokens"),
            max_calls: calls(summarizer),
        }
    }
}

fn calls(summarizer: Fields<'_>) -> u64 {
    let calls = summarizer.count("maxCalls").unwrap_or(MAX_CALLS);
    if calls == 0 {
        summarizer.wrong(
            "maxCalls",
            "Expected a number of calls above 0. To have code make every compaction, leave out `summarize`.",
        );
    }
    calls
}

/// The language of summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The language of the conversation. It is passed to the summarizer if it is clear, and the summary is checked.
    #[default]
    Theirs,
    /// The language that the host named. It is passed on, and the summary is checked if its script or frequent words
    /// identify it.
    Named(String),
    /// Any language: summaries are not checked.
    Any,
}

/// The most bytes of the name of a language.
const LONGEST_LANGUAGE: usize = 60;

impl Wanted {
    /// Parses `summary.language`.
    pub(super) fn parse(summary: Fields<'_>) -> Self {
        match summary.raw("language") {
            Json::Null => Self::Theirs,
            Json::Bool(false) => Self::Any,
            Json::Text(name) => {
                let name = name.trim();
                // The name becomes part of a line of the instructions.
                let plain = |char: char| match char {
                    ' ' | '-' | '_' | '(' | ')' | ',' => true,
                    '\u{2028}' | '\u{2029}' => false,
                    _ => char.is_ascii_alphanumeric() || !char.is_ascii() && !char.is_control(),
                };
                if name.is_empty() || name.len() > LONGEST_LANGUAGE || !name.chars().all(plain) {
                    summary.wrong("language", "Expected the name of a language, such as \"German\", or its code, such as \"de\": letters, spaces and hyphens, at most 60 bytes.");
                }
                Self::Named(name.to_owned())
            }
            other => {
                summary.faults.note(misfit(
                    summary.code,
                    "summary.language",
                    "the name of a language, or false for any",
                    other,
                ));
                Self::Any
            }
        }
    }
}

/// What the host adds to the instructions for a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// An additional rule, in the host's words.
    pub instructions: String,
    /// Headings that replace ours.
    pub sections: Vec<String>,
    /// What stands before and after a summary in the view; empty if nothing does.
    pub frame: Vec<String>,
}

/// The most bytes of instructions, the most headings, and the most bytes of a heading.
const INSTRUCTIONS: usize = 4_000;
const SECTIONS: usize = 20;
const HEADING: usize = 200;

impl Prompt {
    /// Parses the other members of `summary`.
    pub(super) fn parse(summary: Fields<'_>) -> Self {
        let instructions = summary.text("instructions").unwrap_or_default().trim();
        if instructions.len() > INSTRUCTIONS {
            summary.wrong("instructions", "Expected at most 4000 bytes of instructions.");
        }
        let sections = summary.texts("sections");
        if sections.len() > SECTIONS
            || sections.iter().any(|heading| heading.is_empty() || heading.len() > HEADING || heading.contains('\n'))
        {
            summary.wrong("sections", "Expected at most 20 headings of one line each, at most 200 bytes long.");
        }
        Self { instructions: instructions.to_owned(), sections, frame: frame(summary) }
    }
}

/// Bytes of what a host puts before and after a summary, each.
pub const FRAME_MOST: usize = 500;

/// What the host puts around a summary.
fn frame(summary: Fields<'_>) -> Vec<String> {
    let frame = FRAME.inside(summary, "frame", "summary.frame");
    let sides = FRAME.names.iter().map(|name| {
        let text = frame.text(name).unwrap_or_default().trim();
        if text.len() > FRAME_MOST {
            frame.wrong(name, "Expected at most 500 bytes.");
        }
        if markers::ALL.iter().any(|marker| text::find(text, marker).is_some()) {
            frame.wrong(name, "Expected words of your own: precis puts its own lines around the summary and yours.");
        }
        text.to_owned()
    });
    let sides: Vec<String> = sides.collect();
    if sides.iter().all(String::is_empty) { Vec::new() } else { sides }
}
