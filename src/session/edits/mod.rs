//! Clips and clears. A clip shortens a part that is too large; a clear replaces a part that the model is done with by
//! one line. Both say what happened. Neither asks to repeat a call, because it may have had an effect.

pub(crate) mod call_input;
pub(crate) mod eligibility;
mod literals;
pub(crate) mod media;
pub(crate) mod placeholder;
pub mod rules;
pub mod truncation;

use crate::base::references;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::counting;
use crate::model::message::{Digest, Part, PartKind};
use crate::session::edits::eligibility::{clearable, is_of_failed, is_of_result, reaches};
use crate::session::edits::rules::ResultRule;
use crate::session::edits::truncation::{AGAIN_CUT, DONE_CUT};
use crate::session::reach::LEAST_CLEARED;
use crate::session::state::Clip;
use crate::tokens::{self, Estimator};

/// The edits of one message.
#[derive(Clone, Debug, Default)]
pub struct Edits<'s> {
    /// The clips that affect it, in the order in which they were made.
    pub clips: Vec<Cut<'s>>,
    /// Literal strings that the notice quotes if they would be lost.
    pub keep: &'s [String],
    /// Whether results are cleared.
    pub clears: bool,
    /// Whether long strings in the arguments of calls are cut.
    pub clears_inputs: bool,
    /// Whether results of failed calls are cleared.
    pub clears_failed: bool,
    /// Whether media are cleared.
    pub clears_media: bool,
    /// What tool policies say about its results.
    pub rules: &'s [ResultRule],
    /// The message's index in the history, if notices say where the model finds the text.
    pub reference: Option<u64>,
}

/// A clip in relation to one message.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'s> {
    /// The clip.
    pub clip: &'s Clip,
    /// Whether the message was old when the clip was made.
    pub old: bool,
    /// Whether its results were already cleared then.
    pub cleared: bool,
    /// Whether its failed results were already cleared then.
    pub failed: bool,
    /// The number of the only part that it affects, if it is limited to one.
    pub only: Option<u32>,
}

impl<'s> Cut<'s> {
    /// The cut that a tool policy requires, if any. It comes before all others.
    pub fn of_rule(rule: &'s ResultRule) -> Option<Self> {
        let clip = rule.clip.as_ref()?;
        Some(Self { clip, old: false, cleared: false, failed: false, only: Some(rule.number) })
    }

    /// Whether it may cut a part. A result that was cleared before stays cleared.
    fn reaches(&self, part: &Part, message: &Digest<'_>) -> bool {
        self.only.is_none_or(|number| number == part.number)
            && reaches(part, message, self.clip.reach, self.old)
            && !(self.cleared && (part.kind == PartKind::Call || is_of_result(part, message))
                || self.failed && is_of_failed(part, message))
    }
}

/// Whether the edits clear this part.
fn clears(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    if part.kind == PartKind::Call {
        edits.clears_inputs && u64::from(part.tokens) > call_input::CLEARED
    } else if is_of_result(part, message) {
        edits.clears || edits.clears_failed && is_of_failed(part, message)
    } else {
        edits.clears_media
    }
}

/// Whether the edits change a part more than tool policies do.
pub fn touches_more(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    let own = edits.rules.iter().filter(|rule| rule.concerns(part));
    let cap = own.filter_map(|rule| rule.clip.as_ref()).map(|clip| clip.cap).min().unwrap_or(u64::MAX);
    let tokens = u64::from(part.tokens).min(cap);
    clears(part, message, edits)
        || edits.clips.iter().any(|cut| cut.only.is_none() && tokens > cut.clip.cap && cut.reaches(part, message))
}

/// Whether the edits change this part.
pub fn touches(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    let tokens = u64::from(part.tokens);
    clears(part, message, edits) && tokens > LEAST_CLEARED && clearable(part, message)
        || edits.clips.iter().any(|cut| tokens > cut.clip.cap && cut.reaches(part, message))
}

/// Applies edits to the content of a message. Also returns the new text of each part that changed, by part number.
///
/// Clips are applied one after the other in the order in which they were made. A view that is passed as history already
/// has the first of them applied, and must give the same result as the history.
pub fn apply(
    message: &Digest<'_>,
    content: Content,
    edits: &Edits<'_>,
    estimator: &Estimator,
) -> (Content, Vec<(u32, String)>) {
    let mut changed = Vec::new();
    let mut parts = Vec::with_capacity(content.parts.len());
    let mut places = edits.reference.map_or_else(Vec::new, |_| content.places()).into_iter();
    let mut rest = message.parts().zip(content.parts).peekable();
    while let Some((part, body)) = rest.next() {
        let place = places.next().unwrap_or(0);
        // Media inside a result follow it and are removed with it.
        let mut inner = Vec::new();
        while part.kind == PartKind::Result
            && let Some(next) = rest.next_if(|(next, _)| {
                next.kind == PartKind::Opaque || next.kind == PartKind::Media && next.number == part.number
            })
        {
            inner.push(next);
            places.next();
        }
        let touched = touches(&part, message, edits) || inner.iter().any(|(part, _)| touches(part, message, edits));
        match touched
            .then(|| {
                let reference = edits.reference.map(|index| references::sentence(&references::of(index, place)));
                shortened(message, &part, &body, (&inner, &reference.unwrap_or_default()), edits, estimator)
            })
            .flatten()
        {
            Some(short) => {
                changed.push((part.number, media::text_of(&short)));
                parts.push(short);
            }
            None => {
                parts.push(body);
                parts.extend(inner.into_iter().map(|(_, body)| body));
            }
        }
    }
    (Content { parts, ..content }, changed)
}

/// Applies the edits to one part, with what is inside it and what its notice says of where it is found. Returns `None` if
/// they do not change it.
fn shortened(
    message: &Digest<'_>,
    part: &Part,
    body: &ContentPart,
    (mut inner, reference): (&[(Part, ContentPart)], &str),
    edits: &Edits<'_>,
    estimator: &Estimator,
) -> Option<ContentPart> {
    let mut tokens = u64::from(part.tokens);
    let mut edited = None;
    let rerun = edits.rules.iter().any(|rule| rule.rerun && rule.concerns(part));
    for &cut_by in &edits.clips {
        let clip = cut_by.clip;
        let over = |part: &Part, tokens: u64| tokens > clip.cap && cut_by.reaches(part, message);
        if !over(part, tokens) && !inner.iter().any(|(part, _)| over(part, u64::from(part.tokens))) {
            continue;
        }
        let next = match edited.as_ref().unwrap_or(body) {
            ContentPart::Text { number, text } => ContentPart::Text {
                number: *number,
                text: truncation::cut(text, clip.cap, reference, edits.keep, estimator),
            },
            ContentPart::Result { number, id, output, failed } => {
                // When a format replaces the text of a result, it removes everything else in it.
                let notice = media::notice(inner);
                inner = &[];
                let cap = clip.cap.saturating_sub(tokens::of_text(estimator, &notice) + 1);
                let text = output.to_text();
                let advice = match (*failed, rerun) {
                    (true, _) => "",
                    (false, false) => DONE_CUT,
                    (false, true) => AGAIN_CUT,
                };
                let advice = format!("{advice}{reference}");
                let mut text = if tokens > cap {
                    truncation::cut(&text, cap, &advice, edits.keep, estimator)
                } else {
                    text.into_owned()
                };
                text.push_str(&notice);
                // A later clear would skip such a short text in a view that is passed as history, but not in the
                // history itself.
                if !notice.is_empty() && tokens::of_text(estimator, &text) <= LEAST_CLEARED {
                    text = placeholder::of("", *failed, rerun, &[], "");
                }
                ContentPart::Result { number: *number, id: id.clone(), output: Value::Text(text), failed: *failed }
            }
            ContentPart::Call { number, id, name, input: value } => {
                match call_input::shortened(value, clip.cap, false, estimator) {
                    Some(input) => ContentPart::Call { number: *number, id: id.clone(), name: name.clone(), input },
                    None => continue,
                }
            }
            ContentPart::Media { .. } => return Some(media::replaced(body)),
            ContentPart::Reasoning | ContentPart::Compaction { .. } | ContentPart::Opaque => return None,
        };
        tokens = match &next {
            ContentPart::Call { name, input, .. } => counting::of_call(estimator, name, input),
            other => tokens::of_text(estimator, &media::text_of(other)),
        };
        edited = Some(next);
    }
    if part.kind == PartKind::Call && clears(part, message, edits) && clearable(part, message) {
        if let ContentPart::Call { number, id, name, input: value } = edited.as_ref().unwrap_or(body)
            && tokens > call_input::CLEARED
            && let Some(input) = call_input::shortened(value, call_input::CLEARED, true, estimator)
        {
            edited = Some(ContentPart::Call { number: *number, id: id.clone(), name: name.clone(), input });
        }
        return edited;
    }
    // Later clips do not affect a cleared result, so this comes last. Clearing does not pay if a cut has made the
    // result that small.
    if clears(part, message, edits) && clearable(part, message) && (edited.is_none() || tokens > LEAST_CLEARED) {
        return match edited.as_ref().unwrap_or(body) {
            ContentPart::Result { number, id, output, failed } => Some(ContentPart::Result {
                number: *number,
                id: id.clone(),
                output: Value::Text(placeholder::of(&output.to_text(), *failed, rerun, edits.keep, reference)),
                failed: *failed,
            }),
            _ => Some(media::replaced(body)),
        };
    }
    edited
}
