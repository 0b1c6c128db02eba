//! The texts of the preset `contextguard`: the prompt of its summarizer, and what replaces a missing answer.

use crate::base::distinct::Latest;
use crate::base::{quoting, text};
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::host::Todo;

/// The bytes of each text in the fallback, and of all of it. The original does not limit the latter (C2).
const EXCERPT_BYTES: usize = 200;
const FALLBACK_BYTES: usize = 24_000;

/// The mechanical fallback summary: the previous one, then the first 200 bytes of each text, cut on character
/// boundaries.
pub(super) fn fallback(contents: &[Content], previous: Option<&str>) -> String {
    let lines = contents.iter().flat_map(|content| {
        content.parts.iter().filter_map(|part| match part {
            ContentPart::Text { text, .. } => {
                let cut = text::between(text, 0, text::floor(text, EXCERPT_BYTES));
                Some(format!("{}: {cut}{}\n", content.role.as_str(), if cut.len() < text.len() { "..." } else { "" }))
            }
            _ => None,
        })
    });
    let mut excerpts: Vec<String> = lines.collect();
    let mut bytes: usize = excerpts.iter().map(String::len).sum();
    let mut oldest = 0;
    while bytes > FALLBACK_BYTES / 2 && oldest + 1 < excerpts.len() {
        bytes -= excerpts[oldest].len();
        oldest += 1;
    }
    excerpts.drain(..oldest);
    let mut out = String::new();
    if let Some(previous) = previous.filter(|previous| !previous.is_empty()) {
        let keep = previous.len().saturating_sub(FALLBACK_BYTES.saturating_sub(bytes));
        out.push_str(text::between(previous, text::ceil(previous, keep), previous.len()));
        out.push_str("\n\n---\n\n");
    }
    excerpts.iter().for_each(|excerpt| out.push_str(excerpt));
    if out.is_empty() {
        // An empty text would not count as a summary, and every later request would compact again (C3).
        out.push_str("No text was exchanged in this part of the conversation.");
    }
    out
}

/// The words that a summary may have for its tokens: three for every four.
pub(super) const fn word_limit(max_output_tokens: u64) -> u64 {
    max_output_tokens * 3 / 4
}

pub(super) fn system(max_output_tokens: u64) -> String {
    format!("You condense a conversation between a user and an assistant. Your text will be the only thing left of it, so brief the reader as you would a colleague taking over. Use four headings, in this order:

## Current State
What is being worked on, with the exact request; what is done, what was in progress at the end, what is left.

## Key Information
Names, dates, numbers, URLs and identifiers as they stand; preferences and limits the user set; terms that were defined; outside sources.

## Context & Decisions
What was decided and for what reasons, options that were dropped, assumptions, corrections, risks, blockers and open questions.

## Exact Next Steps
Concrete enough to act on with nothing but this text.

Write in the language of the conversation. Within the limit, prefer detail over brevity.

Keep the summary under {} words.", word_limit(max_output_tokens))
}

pub(super) fn prompt(contents: &[Content], previous: Option<&str>, todos: &[Todo]) -> String {
    let mut out = String::from("Write a detailed summary of the following conversation.\n\n");
    if let Some(previous) = previous.filter(|previous| !previous.is_empty()) {
        out.push_str(&format!("[Previous summary for context]\n{previous}\n[End previous summary]\n\nMerge it with the conversation below into one up-to-date summary.\n\n"));
    }
    out.push_str("[Conversation to summarize]\n");
    let mut names: Latest<'_, &str> = Latest::default();
    for content in contents {
        let role = content.role.as_str();
        for part in &content.parts {
            match part {
                ContentPart::Text { text, .. } => out.push_str(&format!("{role}: {text}\n")),
                ContentPart::Call { id, name, .. } => {
                    names.set(id, name);
                    out.push_str(&format!("{role}: [called tool: {}]\n", quoting::in_brackets(name)));
                }
                ContentPart::Result { id, .. } => {
                    let name = quoting::in_brackets(names.get(id).copied().unwrap_or("unknown"));
                    out.push_str(&format!("{role}: [tool {name} returned a result]\n"));
                }
                ContentPart::Document { .. }
                | ContentPart::Reasoning
                | ContentPart::Media { .. }
                | ContentPart::Compaction { .. }
                | ContentPart::Opaque => {}
            }
        }
    }
    out.push_str("[End of conversation]");
    if !todos.is_empty() {
        out.push_str("\n\n[Current todo list]\n");
        for todo in todos {
            out.push_str(&format!("- [{}] {}\n", todo.status, todo.content));
        }
        out.push_str("[End todo list]\n\nKeep this list under a \"## Todo List\" heading, and tell the assistant that continues to restore it with its `todos` tool.");
    }
    out
}
