//! A conversation as data for a summarizer: roles named, calls with their arguments, results as excerpts, reasoning
//! left out, nothing in it able to end its own frame.

use crate::content::{Content, ContentPart};
use crate::markers;
use crate::prelude::*;
use crate::text;
use crate::tokens::{self, Estimator};

/// Bytes of a call's arguments and of a result that are shown at most, and how few of either may be left.
const ARGUMENT_BYTES: usize = 1_000;
const RESULT_BYTES: usize = 4_000;
const LEAST_BYTES: usize = 160;

/// A line of a transcript: what one part of a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Who did what.
    pub text: String,
    /// Arguments or a result: may be cut down to its beginning and end.
    pub excerpt: bool,
    /// Raw tokens of the text, with its end of line.
    pub tokens: usize,
}

impl Line {
    /// A line that says this.
    pub fn new(text: String, excerpt: bool, estimator: &Estimator) -> Self {
        let tokens = tokens::of_text(estimator, &text) as usize + 1;
        Self { text, excerpt, tokens }
    }

    /// Raw tokens it takes at least.
    pub fn least(&self) -> usize {
        if self.excerpt && self.text.len() > LEAST_BYTES { self.part(LEAST_BYTES) + 1 } else { self.tokens }
    }

    /// About how many raw tokens that many of its bytes are.
    fn part(&self, bytes: usize) -> usize {
        self.tokens * bytes / self.text.len().max(1)
    }
}

/// All that is said in `messages`, oldest first.
pub fn lines(messages: &[(Content, bool)], estimator: &Estimator) -> Vec<Line> {
    // The tools of the calls so far, by call id; results come soon after their calls, so the end is searched first.
    let mut names: Vec<(&str, &str)> = Vec::new();
    let mut out = Vec::new();
    for (message, _) in messages {
        let role = message.role.as_str();
        for part in &message.parts {
            let text = match part {
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
            let excerpt = matches!(part, ContentPart::Call { .. } | ContentPart::Result { .. });
            out.push(Line::new(quote(&text), excerpt, estimator));
        }
    }
    out
}

/// The lines within about `budget` raw tokens. What room there is beside the texts goes to arguments and results, the
/// newest first. Only where the texts alone are too much for the budget are the longest of them cut.
pub fn render(lines: &[Line], budget: usize) -> String {
    let mut caps: Vec<usize> = lines.iter().map(Line::least).collect();
    let level = text::level(&caps, budget).max(LEAST_BYTES / 16);
    let mut spare = budget.saturating_sub(caps.iter().sum());
    for (cap, line) in caps.iter_mut().zip(lines).rev() {
        let more = line.tokens.saturating_sub(*cap).min(spare);
        *cap = more + (*cap).min(level);
        spare -= more;
    }
    let mut out = String::new();
    for (line, cap) in lines.iter().zip(caps) {
        let whole = cap >= line.tokens;
        out.push_str(&text::ends(&line.text, if whole { usize::MAX } else { line.text.len() * cap / line.tokens }));
        out.push('\n');
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

/// What could end the frame of the material, after `<` or `</`, in letters of either case.
const FRAMES: [&str; 4] = ["conversation", "previous-summary", "piece", "todo-list"];
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
        if byte != b'<' && byte != b'[' {
            continue;
        }
        let rest = text::between(text, at, text.len());
        let (found, harmless) = if byte == b'<' {
            (FRAMES.iter().any(|name| opens(rest, name)), "<\\")
        } else {
            (MARKERS.iter().any(|marker| rest.starts_with(marker)), "(")
        };
        if found {
            out.push_str(text::between(text, copied, at));
            out.push_str(harmless);
            copied = at + 1;
        }
    }
    out.push_str(text::between(text, copied, text.len()));
    out
}

/// Whether a text begins with a tag of this name, spaces allowed.
fn opens(text: &str, name: &str) -> bool {
    let text = text.as_bytes();
    let before = text.iter().take(8).take_while(|byte| b"</ \t\n".contains(byte)).count();
    let word = text.get(before..before + name.len());
    word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
}
