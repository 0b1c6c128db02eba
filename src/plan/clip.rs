//! Clip and clear: a part that is too large is cut to its head and tail, a result the model is done with becomes one
//! line. Both say what happened and how to get the rest.

use crate::content::{Content, ContentPart};
use crate::markers;
use crate::message::{Digest, Part, PartKind, Role};
use crate::prelude::*;
use crate::text;
use crate::tokens::{self, Estimator};
use crate::view::LEAST_CLEARED;

/// What the parts of one message are cut to, in raw tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// Tool results.
    pub results: Option<u64>,
    /// What people typed.
    pub typed: Option<u64>,
    /// Results become a line.
    pub clears: bool,
}

/// Whether an edit changes this part.
pub fn touches(part: &Part, role: Role, caps: Caps) -> bool {
    let over = |cap: Option<u64>| cap.is_some_and(|cap| u64::from(part.tokens) > cap);
    match part.kind {
        PartKind::Result => over(caps.results) || caps.clears && u64::from(part.tokens) > LEAST_CLEARED,
        PartKind::Text => role == Role::User && over(caps.typed),
        _ => false,
    }
}

/// The new texts of the parts of one message that its edits change, by part number.
pub fn texts(message: &Digest<'_>, content: &[Content], caps: Caps, estimator: &Estimator) -> Vec<(u32, String)> {
    let mut changed = Vec::new();
    for part in message.parts().filter(|part| touches(part, message.role(), caps)) {
        for candidate in content.iter().flat_map(|content| &content.parts) {
            let text = match candidate {
                ContentPart::Text { number, text } if part.kind == PartKind::Text && *number == part.number => {
                    cut(text, caps.typed.unwrap_or(0), part.kind, estimator)
                }
                ContentPart::Result { number, failed, .. }
                    if caps.clears && part.kind == PartKind::Result && *number == part.number =>
                {
                    cleared(*failed)
                }
                ContentPart::Result { number, output, .. }
                    if part.kind == PartKind::Result && *number == part.number =>
                {
                    cut(&output.to_text(), caps.results.unwrap_or(0), part.kind, estimator)
                }
                _ => continue,
            };
            changed.push((part.number, text));
            break;
        }
    }
    changed
}

/// The line that stands for a cleared result. It says nothing of the text, which may have been cut before.
fn cleared(failed: bool) -> String {
    let outcome = if failed { "had failed" } else { "had succeeded" };
    format!(
        "{}this tool result was removed to save space; the tool {outcome}. Run it again if you need the result.]",
        markers::NOTICE
    )
}

/// Head and tail of a text, with a notice between them, within `cap` raw tokens.
///
/// Cutting a text that was cut before gives what cutting the whole text gives: a view that is given back is cut like
/// its history.
pub fn cut(text: &str, cap: u64, kind: PartKind, estimator: &Estimator) -> String {
    let parted = Parted::of(text);
    let most = usize::try_from(cap.saturating_mul(LONGEST_TOKEN)).unwrap_or(usize::MAX);
    // The same steps for every cap, so that a text cut twice ends where one cut would have ended.
    let mut bytes = LARGEST_CUT;
    loop {
        if bytes <= most {
            let cut = parted.keep_ends(bytes, kind);
            if tokens::of_text(estimator, &cut) <= cap || bytes < 8 {
                return cut;
            }
        }
        bytes = bytes * 7 / 8;
    }
}

/// Where the steps begin, and how many bytes a token may have on average for a step to be worth trying.
const LARGEST_CUT: usize = 1 << 26;
const LONGEST_TOKEN: u64 = 6;

const LEFT_OUT: &str = " characters left out here.";

/// A text of which the middle may be missing already.
struct Parted<'t> {
    head: &'t str,
    /// Characters missing between head and tail.
    hidden: usize,
    tail: &'t str,
}

impl<'t> Parted<'t> {
    fn of(text: &'t str) -> Self {
        Self::cut_before(text).unwrap_or(Self { head: text, hidden: 0, tail: "" })
    }

    /// Finds our own notice in a text.
    fn cut_before(text: &'t str) -> Option<Self> {
        let start = text::find(text, &format!("\n{}", markers::NOTICE))?;
        let notice = text::between(text, start + 1 + markers::NOTICE.len(), text.len());
        let (number, rest) = notice.split_once(' ')?;
        let rest = rest.strip_prefix(LEFT_OUT.trim_start())?;
        let end = text::find(rest, "]\n")?;
        Some(Self {
            head: text::between(text, 0, start),
            hidden: number.parse().ok()?,
            tail: text::between(rest, end + 2, rest.len()),
        })
    }

    /// At most about `bytes`: two thirds from the head, one third from the tail, cut at line ends where one is near.
    fn keep_ends(&self, bytes: usize, kind: PartKind) -> String {
        let advice =
            if kind == PartKind::Result { " Run the tool again, for a smaller part, if you need it." } else { "" };
        let room = bytes.saturating_sub(markers::NOTICE.len() + LEFT_OUT.len() + advice.len() + 12);
        // Where the cut before left no more than is wanted now, its line ends stand.
        let whole = |part: &str, wanted: usize| self.hidden > 0 && wanted > part.len();
        let kept = if whole(self.head, room * 2 / 3) { self.head.len() } else { floor_line(self.head, room * 2 / 3) };
        let (head, after) = (text::between(self.head, 0, kept), text::between(self.head, kept, self.head.len()));
        let ending = if self.hidden == 0 { after } else { self.tail };
        let wanted = room - room * 2 / 3;
        let from = if whole(ending, wanted) { 0 } else { ceil_line(ending, ending.len().saturating_sub(wanted)) };
        let between = if self.hidden == 0 { "" } else { after };
        let hidden = self.hidden + between.chars().count() + text::between(ending, 0, from).chars().count();
        format!("{head}\n{}{hidden}{LEFT_OUT}{advice}]\n{}", markers::NOTICE, text::between(ending, from, ending.len()))
    }
}

/// How far a cut may move to end at a line.
const LINE_REACH: usize = 160;

fn floor_line(text: &str, at: usize) -> usize {
    let at = text::floor(text, at);
    let from = text::floor(text, at.saturating_sub(LINE_REACH));
    text::between(text, from, at).bytes().rposition(|byte| byte == b'\n').map_or(at, |line| from + line)
}

fn ceil_line(text: &str, at: usize) -> usize {
    let at = text::ceil(text, at);
    let to = text::ceil(text, at + LINE_REACH);
    text::between(text, at, to).bytes().position(|byte| byte == b'\n').map_or(at, |line| at + line + 1)
}
