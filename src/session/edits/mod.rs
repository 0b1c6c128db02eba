//! Clips and clears. A clip shortens a part that is too large; a clear replaces a part that the model is done with by
//! one line. Both say what happened. Neither asks to repeat a call, because it may have had an effect.

pub(crate) mod call_input;
pub(crate) mod eligibility;
mod literals;
pub(crate) mod media;
pub(crate) mod placeholder;
pub mod rules;
pub mod truncation;

use crate::base::{markers, references};
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::counting;
use crate::model::message::{MessageRecord, Part, PartKind, combine, hash_text};
use crate::session::clip::Clip;
use crate::session::edits::eligibility::{Stage, clearable, is_of_failed, is_of_result, reaches};
use crate::session::edits::rules::ResultRule;
use crate::session::edits::truncation::{AGAIN_CUT, DONE_CUT, ONCE_CUT};
use crate::session::reach::LEAST_CLEARED;
use crate::tokens::{self, Estimator};
use std::borrow::Cow;

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
    /// Whether it is sent with signed reasoning.
    pub signed: bool,
    /// What tool policies say about its results.
    pub rules: &'s [ResultRule],
    /// The message's index in the history, if notices say where the model finds the text.
    pub reference: Option<u64>,
    /// Which of its parts are ours: only in these a notice counts as one. Empty if none are.
    pub own: &'s [bool],
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

impl Edits<'_> {
    /// The key under which a copy of one message with these edits is found again: equal keys, equal copies. No member is
    /// passed over here, so that none can be forgotten.
    pub fn key(&self) -> String {
        let &Self {
            ref clips,
            keep,
            clears,
            clears_inputs,
            clears_failed,
            clears_media,
            signed,
            rules,
            reference,
            own,
        } = self;
        let mut key = String::new();
        if !keep.is_empty() {
            let kept = keep.iter().fold(keep.len() as u64, |kept, literal| combine(kept, hash_text(literal)));
            key.push_str(&format!("{kept} "));
        }
        if let Some(index) = reference {
            key.push_str(&format!("{} ", references::of(index, 0)));
        }
        if own.contains(&true) {
            key.extend(own.iter().map(|&own| if own { '+' } else { '_' }));
            key.push(' ');
        }
        // The clip of a rule is one of the cuts.
        for ResultRule { input: _, number, clip: _, rerun } in rules {
            if let Some(rerun) = rerun {
                key.push_str(&format!("{number}{} ", if *rerun { 'r' } else { 'n' }));
            }
        }
        // Its positions matter only as far as they are before or after the message.
        for &Cut { clip: Clip { cap, reach, .. }, old, cleared, failed, only } in clips {
            if let Some(number) = only {
                key.push_str(&format!("{number}:"));
            }
            key.push_str(&format!("{cap}/{}", *reach as u8));
            push_marks(&mut key, [('o', old), ('c', cleared), ('f', failed)]);
            key.push(' ');
        }
        push_marks(
            &mut key,
            [('c', clears), ('i', clears_inputs), ('f', clears_failed), ('m', clears_media), ('s', signed)],
        );
        key
    }
}

fn push_marks<const N: usize>(key: &mut String, marks: [(char, bool); N]) {
    key.extend(marks.into_iter().filter_map(|(mark, is)| is.then_some(mark)));
}

impl<'s> Cut<'s> {
    /// The cut that a tool policy requires, if any. It comes before all others.
    pub fn of_rule(rule: &'s ResultRule) -> Option<Self> {
        let clip = rule.clip.as_ref()?;
        Some(Self { clip, old: false, cleared: false, failed: false, only: Some(rule.number) })
    }

    /// Whether it may cut a part. A result that was cleared before stays cleared. `signed`: the message is sent with
    /// signed reasoning.
    fn reaches(&self, part: &Part, message: &MessageRecord<'_>, signed: bool) -> bool {
        self.only.is_none_or(|number| number == part.number)
            && reaches(part, message, self.clip.reach, Stage { old: self.old, signed })
            && !(self.cleared && (part.kind == PartKind::Call || is_of_result(part, message))
                || self.failed && is_of_failed(part, message))
    }
}

/// Whether the edits clear this part.
fn clears(part: &Part, message: &MessageRecord<'_>, edits: &Edits<'_>) -> bool {
    if part.kind == PartKind::Call {
        edits.clears_inputs && u64::from(part.tokens) > call_input::CLEARED
    } else if is_of_result(part, message) {
        edits.clears || edits.clears_failed && is_of_failed(part, message)
    } else {
        edits.clears_media
    }
}

/// Whether the edits change a part more than tool policies do.
pub fn touches_more(part: &Part, message: &MessageRecord<'_>, edits: &Edits<'_>) -> bool {
    let own = edits.rules.iter().filter(|rule| rule.concerns(part));
    let cap = own.filter_map(|rule| rule.clip.as_ref()).map(|clip| clip.cap).min().unwrap_or(u64::MAX);
    let tokens = u64::from(part.tokens).min(cap);
    clears(part, message, edits)
        || edits
            .clips
            .iter()
            .any(|cut| cut.only.is_none() && tokens > cut.clip.cap && cut.reaches(part, message, edits.signed))
}

/// Whether the edits change this part.
pub fn touches(part: &Part, message: &MessageRecord<'_>, edits: &Edits<'_>) -> bool {
    let tokens = u64::from(part.tokens);
    clears(part, message, edits) && tokens > LEAST_CLEARED && clearable(part, message, edits.signed)
        || edits.clips.iter().any(|cut| tokens > cut.clip.cap && cut.reaches(part, message, edits.signed))
}

/// Applies edits to the content of a message. Also returns the new text of each part that changed, by part number.
///
/// Clips are applied one after the other in the order in which they were made. A view that is passed as history already
/// has the first of them applied, and must give the same result as the history.
pub fn apply(
    message: &MessageRecord<'_>,
    mut content: Content,
    edits: &Edits<'_>,
    estimator: &Estimator,
) -> (Content, Vec<(u32, String)>) {
    let mut changed = Vec::new();
    let mut at = 0;
    let taken = core::mem::take(&mut content.taken);
    let mut parts = Vec::with_capacity(content.parts.len());
    let mut places = edits.reference.map_or_else(Vec::new, |_| content.places()).into_iter();
    let mut rest = message.parts().zip(content.parts).peekable();
    let mut owns = edits.own.iter();
    while let Some((part, body)) = rest.next() {
        let place = places.next().unwrap_or(0);
        let own = owns.next() == Some(&true);
        let taken = taken.binary_search(&at).is_ok();
        at += 1;
        // Media inside a result follow it and are removed with it.
        let mut inner = Vec::new();
        while part.kind == PartKind::Result
            && let Some(next) = rest.next_if(|(next, _)| {
                next.kind == PartKind::Opaque || next.kind == PartKind::Media && next.number == part.number
            })
        {
            inner.push(next);
            places.next();
            owns.next();
            at += 1;
        }
        let touched = touches(&part, message, edits) || inner.iter().any(|(part, _)| touches(part, message, edits));
        match touched
            .then(|| {
                let reference = edits.reference.map(|index| references::sentence(&references::of(index, place)));
                shortened(
                    message,
                    &part,
                    (&body, own, taken),
                    (&inner, &reference.unwrap_or_default()),
                    edits,
                    estimator,
                )
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
/// they do not change it. `own`: it is a text of ours. `taken`: encoded data was taken out of it when it was read.
fn shortened(
    message: &MessageRecord<'_>,
    part: &Part,
    (body, mut own, taken): (&ContentPart, bool, bool),
    (mut inner, reference): (&[(Part, ContentPart)], &str),
    edits: &Edits<'_>,
    estimator: &Estimator,
) -> Option<ContentPart> {
    let rerun = edits.rules.iter().find(|rule| rule.concerns(part)).and_then(|rule| rule.rerun);
    let shortening = Shortening { edits, reference, rerun, estimator };
    let mut tokens = u64::from(part.tokens);
    let mut edited = None;
    // A text of ours says it by its notices, which nobody else has written.
    let mut lacks_data = taken || own && truncation::lacks_data(&media::text_of(body));
    for &cut_by in &edits.clips {
        let cap = cut_by.clip.cap;
        let over = |part: &Part, tokens: u64| tokens > cap && cut_by.reaches(part, message, edits.signed);
        if !over(part, tokens) && !inner.iter().any(|(part, _)| over(part, u64::from(part.tokens))) {
            continue;
        }
        let next = match edited.as_ref().unwrap_or(body) {
            ContentPart::Text { number, text } => {
                Some(ContentPart::Text { number: *number, text: shortening.cut_text(text, (own, lacks_data), cap) })
            }
            ContentPart::Document { number, text, name } => Some(ContentPart::Document {
                number: *number,
                text: shortening.cut_text(text, (own, lacks_data), cap),
                name: name.clone(),
            }),
            ContentPart::Result { number, id, output, failed } => {
                // When a format replaces the text of a result, it removes everything else in it.
                let notice = media::notice(core::mem::take(&mut inner));
                let text = output.to_text();
                let text = as_ours(&text, own);
                let output = Value::Text(shortening.cut(&text, (*failed, lacks_data), (tokens, cap), &notice));
                Some(ContentPart::Result { number: *number, id: id.clone(), output, failed: *failed })
            }
            call @ ContentPart::Call { .. } => shortening.cut_call(call, own, cap, false),
            ContentPart::Media { .. } => return Some(media::replaced(body)),
            ContentPart::Reasoning | ContentPart::Compaction { .. } | ContentPart::Opaque => return None,
        };
        let Some(next) = next else { continue };
        tokens = match &next {
            ContentPart::Call { name, input, .. } => counting::of_call(estimator, name, input),
            other => {
                let text = media::text_of(other);
                lacks_data = truncation::lacks_data(&text);
                tokens::of_text(estimator, &text)
            }
        };
        edited = Some(next);
        own = true;
    }
    if !clears(part, message, edits) || !clearable(part, message, edits.signed) {
        return edited;
    }
    // Later clips do not affect what is cleared, so this comes last.
    let now = edited.as_ref().unwrap_or(body);
    if part.kind == PartKind::Call {
        let cut =
            if tokens > call_input::CLEARED { shortening.cut_call(now, own, call_input::CLEARED, true) } else { None };
        return cut.or(edited);
    }
    // Clearing does not pay if a cut has made the result that small.
    if edited.is_some() && tokens <= LEAST_CLEARED { edited } else { Some(shortening.cleared(body, now, own)) }
}

/// A text in which every notice and every reference is ours: `own` if it is one already.
fn as_ours(text: &str, own: bool) -> Cow<'_, str> {
    if own { Cow::Borrowed(text) } else { references::without_others(&markers::without_notices(text), "").into() }
}

/// How a part is shortened.
struct Shortening<'a> {
    edits: &'a Edits<'a>,
    /// What its notice says of where it is found.
    reference: &'a str,
    /// Whether the tool may be called again, if that is known.
    rerun: Option<bool>,
    estimator: &'a Estimator,
}

impl Shortening<'_> {
    /// A text that is no result cut to a cap. `own`: it is one of ours. `lacks_data`: encoded data was taken out of it.
    fn cut_text(&self, text: &str, (own, lacks_data): (bool, bool), cap: u64) -> String {
        let advice = truncation::noting(self.reference, lacks_data);
        truncation::cut(&as_ours(text, own), cap, &advice, self.edits.keep, self.estimator)
    }

    /// The text of a result of so many tokens cut to a cap, with a notice of the media that were inside it.
    fn cut(&self, text: &str, (failed, lacks_data): (bool, bool), (tokens, cap): (u64, u64), notice: &str) -> String {
        let advice = match (failed, self.rerun) {
            (true, _) => "",
            (false, None) => DONE_CUT,
            (false, Some(false)) => ONCE_CUT,
            (false, Some(true)) => AGAIN_CUT,
        };
        let advice = truncation::noting(&format!("{advice}{}", self.reference), lacks_data);
        let cap = cap.saturating_sub(tokens::of_text(self.estimator, notice) + 1);
        let mut text = if tokens > cap {
            truncation::cut(text, cap, &advice, self.edits.keep, self.estimator)
        } else {
            text.to_owned()
        };
        text.push_str(notice);
        // A later clear would skip such a short text in a view that is passed as history, but not in the history itself.
        if !notice.is_empty() && tokens::of_text(self.estimator, &text) <= LEAST_CLEARED {
            text = placeholder::of("", false, failed, self.rerun, (&[], ""));
        }
        text
    }

    /// A call whose input is cut to a cap. `None` if there is nothing to cut, or it is no call.
    fn cut_call(&self, call: &ContentPart, own: bool, cap: u64, clear: bool) -> Option<ContentPart> {
        let ContentPart::Call { number, id, name, input } = call else { return None };
        let input = call_input::shortened(input, own, (cap, clear), self.estimator)?;
        Some(ContentPart::Call { number: *number, id: id.clone(), name: name.clone(), input })
    }

    /// A result cleared, as it is `now` after its cuts; of anything else what stands for it.
    fn cleared(&self, body: &ContentPart, now: &ContentPart, own: bool) -> ContentPart {
        let ContentPart::Result { number, id, output, failed } = now else { return media::replaced(body) };
        let output = output.to_text();
        let output =
            placeholder::of(&as_ours(&output, own), own, *failed, self.rerun, (self.edits.keep, self.reference));
        ContentPart::Result { number: *number, id: id.clone(), output: Value::Text(output), failed: *failed }
    }
}
