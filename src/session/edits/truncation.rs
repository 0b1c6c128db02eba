//! Cuts a text to a cap of tokens. Its notice names literal strings to keep and names in what is left out.

use crate::base::{encoded, markers, text};
use crate::memory::notice;
use crate::session::edits::literals::{self, MOST_LITERALS};
use crate::shorten::Shape;
use crate::tokens::{self, Estimator};

/// Added to the notice of a cut result. This is true of any tool, whether it reads a file or charges a card.
pub const DONE_CUT: &str = " The call succeeded: making it again would do it again.";
/// The same if the tool is known to have an effect that must not come twice.
pub const ONCE_CUT: &str = " The call succeeded: do not repeat it for its effect.";
/// The same if the tool may be called again.
pub const AGAIN_CUT: &str = " Call the tool again for the rest.";

/// Added to the notice of a text from which encoded data was taken out: the note of that may be in what is left out.
const DATA_TAKEN: &str = " Encoded data in it was taken out as a whole.";

/// What a notice says, with a sentence about encoded data if some was `taken` out of the text.
pub fn noting(advice: &str, taken: bool) -> String {
    if taken { format!("{advice}{DATA_TAKEN}") } else { advice.to_owned() }
}

/// Whether encoded data was taken out of a text of ours: its notices say so, or it has none and was only written again
/// without the data.
pub fn lacks_data(text: &str) -> bool {
    let mut is_cut = false;
    for (start, end) in [(markers::NOTICE, b']'), (markers::LEFT_OUT_MEMBER, b'"')] {
        let mut rest = text;
        while let Some(at) = text::find(rest, start) {
            rest = text::between(rest, at + start.len(), rest.len());
            // A notice that counts what is missing; others name what somebody else has named.
            if !rest.starts_with(|char: char| char.is_ascii_digit()) {
                continue;
            }
            is_cut = true;
            let length = rest.bytes().position(|byte| byte == end).unwrap_or(rest.len());
            if text::find(text::between(rest, 0, length), DATA_TAKEN).is_some() {
                return true;
            }
        }
    }
    !is_cut && encoded::is_noted(text)
}

/// Cuts a text to `cap` raw tokens, with a notice of what is left out and, for a result, how to get it again. Keeps its
/// structure ([`Shape`]) if the cap leaves room for it.
pub fn cut(text: &str, cap: u64, advice: &str, keep: &[String], estimator: &Estimator) -> String {
    let whole = tokens::of_text(estimator, text);
    if whole <= cap {
        return text.to_owned();
    }
    let shape = Shape::of(text);
    let bytes = usize::try_from(text.len() as u64 * cap / whole).unwrap_or(usize::MAX);
    let truncation = Truncation { shape, names: notice::names_in(text), bytes, cap, advice, estimator };
    let (short, shaped) = truncation.within(advice);
    let cut = truncation.naming_by_share(Truncated { text: short, named: String::new(), shaped }, keep);
    truncation.naming_in_spare(cut).text
}

/// A text that is being cut, and what its cuts must fit into.
struct Truncation<'t> {
    shape: Shape<'t>,
    /// The names in the whole text.
    names: Vec<&'t str>,
    /// About the bytes that fit into the cap.
    bytes: usize,
    cap: u64,
    advice: &'t str,
    estimator: &'t Estimator,
}

/// A cut of the text.
struct Truncated {
    text: String,
    /// What its notice names of what is left out.
    named: String,
    /// Whether it keeps the structure of the text.
    shaped: bool,
}

impl Truncation<'_> {
    /// Names what is left out in a share of the bytes, as long as the text keeps its structure. What must be kept comes
    /// first. The names replace other text, so the list is checked again.
    fn naming_by_share(&self, mut cut: Truncated, keep: &[String]) -> Truncated {
        let mut room = self.share();
        let mut most = MOST_LITERALS;
        for _ in 0..NAMES_TRIES {
            let kept = literals::missing(self.shape.text, &cut.text, most, keep);
            let Some(next) = self.naming_more(&cut, &kept, room) else { break };
            if (next.shaped >= cut.shaped || !kept.is_empty()) && self.fits(&next.text) {
                cut = Truncated { shaped: cut.shaped && next.shaped, ..next };
            } else {
                room /= 2;
                most /= 2;
            }
        }
        cut
    }

    /// The bytes for names in what is left out.
    fn share(&self) -> usize {
        (self.bytes / if self.shape.has_lines() { LINES_PART } else { NAMES_PART }).min(MOST_NAMES)
    }

    /// Names more in the bytes that are left: JSON of which no further member fits leaves room for names. Where lines
    /// are left out there is always one more that fits, and it says more than names.
    fn naming_in_spare(&self, mut cut: Truncated) -> Truncated {
        let mut spare = if self.shape.has_lines() { 0 } else { self.bytes.saturating_sub(cut.text.len()) };
        for _ in 0..NAMES_TRIES {
            if spare < LEAST_SPARE {
                break;
            }
            let Some(next) = self.naming_more(&cut, "", cut.named.len() + spare) else { break };
            if next.shaped >= cut.shaped && self.fits(&next.text) && next.text.len() > cut.text.len() {
                spare = self.bytes.saturating_sub(next.text.len());
                cut = Truncated { shaped: cut.shaped, ..next };
            } else {
                spare /= 2;
            }
        }
        cut
    }

    /// Cuts the text again, with a notice that also names `kept` and what else `cut` does not show. All that is named
    /// takes about `room` bytes. `None` if there is nothing more to name.
    fn naming_more(&self, cut: &Truncated, kept: &str, room: usize) -> Option<Truncated> {
        let mut named = cut.named.clone();
        literals::append(&mut named, kept);
        let names = notice::names_missing(&self.names, &named, &cut.text, room.saturating_sub(named.len()));
        literals::append(&mut named, &names);
        if named.len() == cut.named.len() {
            return None;
        }
        let (text, shaped) = self.within(&format!("{}{}{named}", self.advice, notice::NAMED_IN));
        Some(Truncated { text, named, shaped })
    }

    /// Cuts the text to about its bytes and, if possible, its cap. Returns whether it keeps its structure.
    fn within(&self, advice: &str) -> (String, bool) {
        let (mut bytes, mut tries) = (self.bytes, 0);
        loop {
            let shaped = tries < TRIES;
            if tries == TRIES {
                bytes = self.bytes;
            }
            let short = if shaped { self.shape.within(bytes, advice) } else { self.shape.parted.keep(bytes, advice) };
            if self.fits(&short) || !shaped && bytes < 8 {
                return (short, shaped);
            }
            bytes = bytes * 7 / 8;
            tries += 1;
        }
    }

    /// Whether a cut is within the cap, and not longer than the text.
    fn fits(&self, short: &str) -> bool {
        tokens::of_text(self.estimator, short) <= self.cap && short.len() <= self.shape.text.len()
    }
}

/// One part in this many of the bytes of a cut text is for names in what is left out, up to a maximum. Texts whose
/// lines differ in importance get fewer, because the important lines are kept.
const NAMES_PART: usize = 3;
const LINES_PART: usize = 12;
const MOST_NAMES: usize = 240;
const NAMES_TRIES: usize = 4;
/// Bytes below which no further names are looked for.
const LEAST_SPARE: usize = 24;

/// The most attempts to keep the structure, each with an eighth fewer bytes.
const TRIES: usize = 8;
