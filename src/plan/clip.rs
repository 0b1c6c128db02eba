//! Clip and clear: a part that is too large is cut to its head and tail, a result the model is done with becomes one
//! line. Both say what happened and how to get the rest.

use crate::content::{Content, ContentPart};
use crate::markers;
use crate::millionths;
use crate::message::{Digest, Part, PartKind, Role};
use crate::text;
use crate::tokens::{self, Estimator};
use crate::view::LEAST_CLEARED;

/// Whether an edit changes this part.
pub fn touches(part: &Part, role: Role, cap: Option<u64>, clears: bool) -> bool {
    let tokens = u64::from(part.tokens);
    match part.kind {
        PartKind::Result => cap.is_some_and(|cap| tokens > cap) || clears && tokens > LEAST_CLEARED,
        PartKind::Text => role == Role::User && cap.is_some_and(|cap| tokens > cap),
        _ => false,
    }
}

/// The new texts of the parts of one message that its edits change, by part number.
pub fn texts(message: &Digest<'_>, content: &[Content], cap: Option<u64>, clears: bool, estimator: &Estimator) -> Vec<(u32, String)> {
    let Some(content) = content.first() else { return Vec::new() };
    let parts = message.parts().filter(|part| touches(part, message.role(), cap, clears));
    parts
        .filter_map(|part| {
            let found = content.parts.iter().find_map(|candidate| match candidate {
                ContentPart::Text { number, text } if part.kind == PartKind::Text && *number == part.number => Some((text.clone(), false)),
                ContentPart::Result { number, output, failed, .. } if part.kind == PartKind::Result && *number == part.number => Some((output.to_text(), *failed)),
                _ => None,
            })?;
            let text = if clears && part.kind == PartKind::Result { cleared(&found.0, found.1) } else { cut(&found.0, cap.unwrap_or(0), u64::from(part.tokens), part.kind, estimator) };
            Some((part.number, text))
        })
        .collect()
}

/// The line that stands for a cleared result.
fn cleared(text: &str, failed: bool) -> String {
    let outcome = if failed { "the tool had failed" } else { "the tool had succeeded" };
    format!("{}this tool result of {} characters was removed to save space; {outcome}. Run the tool again if you need it.]", markers::NOTICE, text.chars().count())
}

/// Head and tail of a text, with a notice between them, within `cap` tokens of a text that counts `tokens`.
pub fn cut(text: &str, cap: u64, tokens: u64, kind: PartKind, estimator: &Estimator) -> String {
    // The text's own bytes per token: what is kept of it counts alike.
    let mut bytes = millionths::scale(text.len() as u64, cap, tokens) as usize;
    loop {
        let cut = keep_ends(text, bytes, kind);
        // Where the ends count more than the middle did, keep less of them.
        let count = tokens::of_text(estimator, &cut);
        if count <= cap || bytes == 0 {
            return cut;
        }
        bytes = bytes * 7 / 8;
    }
}

/// At most about `bytes` of `text`: two thirds of the head, one third of the tail, cut at line ends where one is near.
fn keep_ends(text: &str, bytes: usize, kind: PartKind) -> String {
    let advice = if kind == PartKind::Result { " Run the tool again, for a smaller part, if you need it." } else { "" };
    let notice_bytes = markers::NOTICE.len() + advice.len() + 48;
    let room = bytes.saturating_sub(notice_bytes);
    let head = floor_line(text, room * 2 / 3);
    let tail = ceil_line(text, text.len() - (room - room * 2 / 3).min(text.len())).max(head);
    let left_out = text::between(text, head, tail).chars().count();
    format!("{}\n{}{left_out} characters left out here.{advice}]\n{}", text::between(text, 0, head).trim_end(), markers::NOTICE, text::between(text, tail, text.len()).trim_start())
}

/// How far a cut may move to end at a line.
const LINE_REACH: usize = 160;

fn floor_line(text: &str, at: usize) -> usize {
    let at = text::floor(text, at);
    let from = text::floor(text, at.saturating_sub(LINE_REACH));
    text::between(text, from, at).rfind('\n').map_or(at, |line| from + line)
}

fn ceil_line(text: &str, at: usize) -> usize {
    let at = text::ceil(text, at);
    let to = text::ceil(text, at + LINE_REACH);
    text::between(text, at, to).find('\n').map_or(at, |line| at + line + 1)
}
