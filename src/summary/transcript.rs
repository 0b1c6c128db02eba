//! A conversation as data for a summarizer: roles named, calls with their arguments, results as excerpts, reasoning
//! left out, nothing in it able to end its own frame.

use crate::content::{Content, ContentPart};
use crate::markers;
use crate::prelude::*;
use crate::text;

/// Bytes of a call's arguments and of a result that are shown at most.
const ARGUMENT_BYTES: usize = 600;
const RESULT_BYTES: usize = 2_000;
/// Even a crowded transcript shows this much of each message.
const LEAST_BYTES: usize = 40;

/// The transcript of `messages` within about `budget` bytes: the longest are cut first; where even so not every message
/// can say something, the oldest are left out, and that is said.
pub fn render(messages: &[(Content, bool)], budget: usize) -> String {
    let mut names: Vec<(&str, &str)> = Vec::new();
    let rendered: Vec<String> =
        messages.iter().map(|(message, _)| entry(message, &mut names)).filter(|entry| !entry.is_empty()).collect();
    let most = (budget / (LEAST_BYTES + 1)).max(1);
    let left_out = rendered.len().saturating_sub(most);
    let rendered = rendered.get(left_out..).unwrap_or_default();
    let lengths: Vec<usize> = rendered.iter().map(|entry| entry.len() + 1).collect();
    let cap = text::level(&lengths, budget).max(LEAST_BYTES);
    let mut out = String::new();
    if left_out > 0 {
        out.push_str(&text!["(", left_out, " older messages are left out here)\n"]);
    }
    for entry in rendered {
        out.push_str(&text::ends(entry, cap));
        out.push('\n');
    }
    out
}

/// `names`: the tools of the calls so far, by call id; results come soon after their calls, so the end is searched first.
fn entry<'m>(message: &'m Content, names: &mut Vec<(&'m str, &'m str)>) -> String {
    let mut out = String::new();
    let role = message.role.as_str();
    for part in &message.parts {
        let line = match part {
            ContentPart::Text { text, .. } if text.trim().is_empty() => continue,
            ContentPart::Text { text, .. } => text![role, ": ", text.trim()],
            ContentPart::Call { id, name, input, .. } => {
                names.push((id, name));
                text![role, " called ", name, "(", text::ends(&input.to_text(), ARGUMENT_BYTES), ")"]
            }
            ContentPart::Result { id, output, failed, .. } => {
                let name = names.iter().rev().find(|known| known.0 == id).map_or("a tool", |known| known.1);
                let outcome = if *failed { "failed" } else { "returned" };
                text![name, " ", outcome, ": ", text::ends(&output.to_text(), RESULT_BYTES)]
            }
            ContentPart::Media { kind, media_type, reference, .. } => {
                text![role, " attached ", medium(*kind, media_type, reference)]
            }
            ContentPart::Reasoning | ContentPart::Opaque => continue,
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&quote(&line));
    }
    out
}

/// Makes a quotation harmless: escaped, and its further lines marked, so that none passes for a line of ours.
pub fn quote(text: &str) -> String {
    escape(text).replace('\n', "\n| ")
}

/// A medium in words.
pub fn medium(kind: u32, media_type: &str, reference: &str) -> String {
    let name = ["an image", "a PDF", "a sound", "a film", "a file"].get(kind as usize).copied().unwrap_or("a file");
    let mut out = name.to_owned();
    if !media_type.is_empty() {
        out.push_str(&text![" (", media_type, ")"]);
    }
    if !reference.is_empty() {
        out.push_str(&text![" at ", text::start(reference, 200)]);
    }
    out
}

/// What could end the frame of the material.
const FRAMES: [&str; 4] = ["<conversation", "</conversation", "<previous-summary", "</previous-summary"];
/// What could pass for a text of ours.
const MARKERS: [&str; 7] = [
    markers::SUMMARY,
    markers::SUMMARY_END,
    markers::PROGRESS,
    markers::NOTICE,
    markers::SEED_SUMMARY,
    markers::SEED_SUMMARY_END,
    markers::SEED_CONTINUATION,
];

/// Takes the power from everything that could end the frame or pass for a text of ours, by changing how it begins.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        let (words, harmless) = match byte {
            b'<' => (&FRAMES[..], "<\\"),
            b'[' => (&MARKERS[..], "("),
            _ => continue,
        };
        let rest = text::between(text, at, text.len());
        if words.iter().any(|word| rest.starts_with(word)) {
            out.push_str(text::between(text, copied, at));
            out.push_str(harmless);
            copied = at + 1;
        }
    }
    out.push_str(text::between(text, copied, text.len()));
    out
}
