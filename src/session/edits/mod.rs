//! Clip and clear: a part that is too large is shortened, one that the model is done with becomes one line. Both say
//! what happened, and neither asks for a call to be repeated: it may have had an effect.

pub(crate) mod call_input;
pub(crate) mod media;
pub mod rules;

use crate::base::{markers, quoting, references, text};
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::tape::NO_NUMBER;
use crate::memory::{names, records};
use crate::model::message::{Digest, Part, PartKind, Role};
use crate::session::edits::rules::ResultRule;
use crate::session::reach::{ARGUMENTS, ASSISTANT, EVERYTHING, LEAST_CLEARED};
use crate::session::state::Clip;
use crate::shorten::Shape;
use crate::tokens::{self, Estimator};

/// What is done to the parts of one message.
#[derive(Clone, Debug, Default)]
pub struct Edits<'s> {
    /// The clips that concern it, in the order in which they were made.
    pub clips: Vec<Cut<'s>>,
    /// Literal strings that stand in the notice if they would go.
    pub keep: &'s [String],
    /// Results become a line.
    pub clears: bool,
    /// Long strings in the inputs of calls are cut.
    pub clears_inputs: bool,
    /// Results of calls that failed do.
    pub clears_failed: bool,
    /// Media become a line.
    pub clears_media: bool,
    /// What policies say of its results.
    pub rules: &'s [ResultRule],
    /// The message's index in the history, if notices say where the model finds the text.
    pub reference: Option<u64>,
}

/// A clip and what the message is for it.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'s> {
    /// The clip.
    pub clip: &'s Clip,
    /// The message was old.
    pub old: bool,
    /// Its results had been cleared before.
    pub cleared: bool,
    /// Those of calls that failed had been.
    pub failed: bool,
    /// It concerns the part with this number alone.
    pub only: Option<u32>,
}

impl<'s> Cut<'s> {
    /// The cut that a policy asks for, if it asks for one. It comes before all others.
    pub fn of_rule(rule: &'s ResultRule) -> Option<Self> {
        let clip = rule.clip.as_ref()?;
        Some(Self { clip, old: false, cleared: false, failed: false, only: Some(rule.number) })
    }

    /// Whether it may cut a part. What had been cleared before stays the line that it was.
    fn reaches(&self, part: &Part, message: &Digest<'_>) -> bool {
        self.only.is_none_or(|number| number == part.number)
            && reaches(part, message, self.clip.reach, self.old)
            && !(self.cleared && (part.kind == PartKind::Call || is_of_result(part, message))
                || self.failed && is_of_failed(part, message))
    }
}

/// Whether a clip of this reach may cut a part of a message that is or is not old for it.
pub fn reaches(part: &Part, message: &Digest<'_>, reach: u64, old: bool) -> bool {
    let role = message.role();
    // What an assistant said stays as it is while its turn lasts, and for ever where a provider has signed it.
    let open = role != Role::System && (role != Role::Assistant || old && !message.is_signed());
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => reach >= ARGUMENTS && open && part.number != NO_NUMBER,
        PartKind::Text if role == Role::Assistant => reach >= ASSISTANT && open,
        PartKind::Text => reach >= EVERYTHING && role == Role::User,
        PartKind::Media => {
            let enough = if old { ARGUMENTS } else { EVERYTHING };
            reach >= enough && open && part.number != NO_NUMBER
        }
        _ => false,
    }
}

/// Whether a clip may cut anything of the message at a history index.
pub fn cuts(clip: &Clip, message: &Digest<'_>, index: u64) -> bool {
    message
        .parts()
        .any(|part| u64::from(part.tokens) > clip.cap && reaches(&part, message, clip.reach, index < clip.old))
}

/// Whether clearing takes a part out.
pub fn clearable(part: &Part, message: &Digest<'_>) -> bool {
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => part.number != NO_NUMBER && !message.is_signed(),
        PartKind::Media => reaches(part, message, EVERYTHING, true),
        _ => false,
    }
}

/// A cleared input has so many raw tokens, or as near to it as cutting its long strings brings it.
pub const CLEARED_INPUT: u64 = 120;

/// Whether this is a result, or a medium inside one: it has the number of its result.
pub fn is_of_result(part: &Part, message: &Digest<'_>) -> bool {
    part.kind == PartKind::Result
        || part.kind == PartKind::Media
            && message.has(PartKind::Result)
            && message.parts().any(|other| other.kind == PartKind::Result && other.number == part.number)
}

/// Whether this is the result of a call that failed, or a medium inside one.
pub fn is_of_failed(part: &Part, message: &Digest<'_>) -> bool {
    match part.kind {
        PartKind::Result if part.marked => true,
        _ => {
            message.has_marked(PartKind::Result)
                && message
                    .parts()
                    .any(|other| other.kind == PartKind::Result && other.marked && other.number == part.number)
        }
    }
}

/// Whether edits clear this part.
fn clears(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    if part.kind == PartKind::Call {
        edits.clears_inputs && u64::from(part.tokens) > CLEARED_INPUT
    } else if is_of_result(part, message) {
        edits.clears || edits.clears_failed && is_of_failed(part, message)
    } else {
        edits.clears_media
    }
}

/// Whether edits change more of a part than policies do.
pub fn touches_more(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    let own = edits.rules.iter().filter(|rule| rule.concerns(part));
    let cap = own.filter_map(|rule| rule.clip.as_ref()).map(|clip| clip.cap).min().unwrap_or(u64::MAX);
    let tokens = u64::from(part.tokens).min(cap);
    clears(part, message, edits)
        || edits.clips.iter().any(|cut| cut.only.is_none() && tokens > cut.clip.cap && cut.reaches(part, message))
}

/// Whether edits change this part.
pub fn touches(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    let tokens = u64::from(part.tokens);
    clears(part, message, edits) && tokens > LEAST_CLEARED && clearable(part, message)
        || edits.clips.iter().any(|cut| tokens > cut.clip.cap && cut.reaches(part, message))
}

/// A message's text with its edits made, and the new text of each part that they change, by part number.
///
/// Clips are applied one after the other, as they were made: a view that is given back has been cut by the first of
/// them already, and must come out like its history.
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
        // What is inside a result comes right behind it, and goes with it.
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
                let told = edits.reference.map(|index| references::sentence(&references::of(index, place)));
                shortened(message, &part, &body, (&inner, &told.unwrap_or_default()), edits, estimator)
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

/// One part with its edits made, if they change it: with what is inside it, and what its notice says of where it is found.
fn shortened(
    message: &Digest<'_>,
    part: &Part,
    body: &ContentPart,
    (mut inner, told): (&[(Part, ContentPart)], &str),
    edits: &Edits<'_>,
    estimator: &Estimator,
) -> Option<ContentPart> {
    let mut tokens = u64::from(part.tokens);
    let mut now = None;
    let rerun = edits.rules.iter().any(|rule| rule.rerun && rule.concerns(part));
    for &cut_by in &edits.clips {
        let clip = cut_by.clip;
        let over = |part: &Part, tokens: u64| tokens > clip.cap && cut_by.reaches(part, message);
        if !over(part, tokens) && !inner.iter().any(|(part, _)| over(part, u64::from(part.tokens))) {
            continue;
        }
        let next = match now.as_ref().unwrap_or(body) {
            ContentPart::Text { number, text } => {
                ContentPart::Text { number: *number, text: cut(text, clip.cap, told, edits.keep, estimator) }
            }
            ContentPart::Result { number, id, output, failed } => {
                // A format that gives a result another text leaves nothing else in it.
                let notice = media::notice(inner);
                inner = &[];
                let cap = clip.cap.saturating_sub(tokens::of_text(estimator, &notice) + 1);
                let text = output.to_text();
                let advice = match (*failed, rerun) {
                    (true, _) => "",
                    (false, false) => DONE_CUT,
                    (false, true) => AGAIN_CUT,
                };
                let advice = format!("{advice}{told}");
                let mut text =
                    if tokens > cap { cut(&text, cap, &advice, edits.keep, estimator) } else { text.into_owned() };
                text.push_str(&notice);
                // Where so little is left a clear would leave it in a view that is given back, but not in its history.
                if !notice.is_empty() && tokens::of_text(estimator, &text) <= LEAST_CLEARED {
                    text = cleared("", *failed, rerun, &[], "");
                }
                ContentPart::Result { number: *number, id: id.clone(), output: Value::Text(text), failed: *failed }
            }
            ContentPart::Call { number, id, name, input: value } => {
                match call_input::shortened(value, clip.cap, estimator) {
                    Some(input) => ContentPart::Call { number: *number, id: id.clone(), name: name.clone(), input },
                    None => continue,
                }
            }
            ContentPart::Media { .. } => return Some(media::replaced(body)),
            ContentPart::Reasoning | ContentPart::Compaction { .. } | ContentPart::Opaque => return None,
        };
        tokens = tokens::of_text(estimator, &media::text_of(&next));
        now = Some(next);
    }
    if part.kind == PartKind::Call && clears(part, message, edits) && clearable(part, message) {
        if let ContentPart::Call { number, id, name, input: value } = now.as_ref().unwrap_or(body)
            && let Some(input) = call_input::shortened(value, CLEARED_INPUT, estimator)
        {
            now = Some(ContentPart::Call { number: *number, id: id.clone(), name: name.clone(), input });
        }
        return now;
    }
    // Clips that came after it leave a cleared result alone, so this comes last. What a cut has made that small is not
    // worth a placeholder.
    if clears(part, message, edits) && clearable(part, message) && (now.is_none() || tokens > LEAST_CLEARED) {
        return match now.as_ref().unwrap_or(body) {
            ContentPart::Result { number, id, output, failed } => Some(ContentPart::Result {
                number: *number,
                id: id.clone(),
                output: Value::Text(cleared(&output.to_text(), *failed, rerun, edits.keep, told)),
                failed: *failed,
            }),
            _ => Some(media::replaced(body)),
        };
    }
    now
}

/// What a result of so many raw tokens costs at most when it is cleared.
pub fn cleared_tokens(tokens: u64) -> u64 {
    LEAST_CLEARED + names_bytes(usize::try_from(tokens * 4).unwrap_or(usize::MAX)) as u64 / 4
}

const NAMES: &str = " Names in it: ";

/// Bytes of names that a cleared result of `bytes` leaves behind, the first ones in it: most of what is used later of a
/// result is a name, and a line of names costs little.
fn names_bytes(bytes: usize) -> usize {
    (bytes.saturating_sub(160) / 2).min(200 + bytes / 16).min(1_600)
}

/// What stands for a cleared result: a line, and the names that the result began with. `text` is the result as it was
/// sent, cut perhaps, or cleared before: a view that is given back is cleared like its history.
fn cleared(text: &str, failed: bool, rerun: bool, keep: &[String], told: &str) -> String {
    if text.strip_prefix(markers::NOTICE).is_some_and(|rest| rest.starts_with(CLEARED)) {
        return references::without_others(&text::start(text, LONGEST_CLEARED), told);
    }
    // Where hardly more stood than this line, nothing is missing.
    let told = if text.len() < LEAST_REFERRED { "" } else { told };
    let mut names = literals(text, "", text.len().saturating_sub(LEAST_LITERALS).min(MOST_LITERALS), keep);
    let bytes = names_bytes(text.len()).saturating_sub(told.len());
    // What belongs together stays together.
    // What was cut before names itself what it holds.
    let whole = text::find(text, markers::NOTICE).is_none();
    let record = if whole { records::line(&Value::Text(text.to_owned()), bytes * 2 / 3) } else { None };
    let shown = record.as_deref().unwrap_or_default();
    let room = bytes.saturating_sub(names.len() + shown.len());
    let more = names::missing(&names::in_text(text, bytes), &format!("{names} {shown}"), room);
    and(&mut names, &more);
    let record = record
        .map(|record| format!(" It returned: {}", quoting::one_line(&record).replace(']', ")")))
        .unwrap_or_default();
    format!(
        "{}{}{}{}{told}{record}{}{names}]",
        markers::NOTICE,
        CLEARED,
        if failed { "failed" } else { "succeeded" },
        match (failed, rerun) {
            (true, _) => ".",
            (false, false) => DONE,
            (false, true) => AGAIN,
        },
        if names.is_empty() { "" } else { NAMES }
    )
}

/// What it says of one that was removed.
const DONE: &str = ". Do not repeat the call for its effect.";
/// The same where the tool may be called again.
const AGAIN: &str = ". Call the tool again if you need it.";
const CLEARED: &str = "this tool result was removed to save space; the tool had ";
/// Bytes of the longest line for a cleared result.
const LONGEST_CLEARED: usize = 4_000;

/// Bytes of literals that a notice may hold; none where a result is hardly longer than what takes its place.
const MOST_LITERALS: usize = 200;
const LEAST_LITERALS: usize = 160;
/// Bytes of the smallest result whose notice says where it is found.
const LEAST_REFERRED: usize = 200;

/// Those of the literals to be kept that stand in a text and not in what is `told`, as many as fit into `bytes`.
fn literals(text: &str, told: &str, bytes: usize, keep: &[String]) -> String {
    let mut out = String::new();
    for literal in keep {
        let holds = |text: &str| text::find(text, literal).is_some();
        if out.len() + literal.len() < bytes
            // What could not stand inside a notice, or inside JSON.
            && !literal.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\' | b']'))
            && holds(text)
            && !holds(told)
            && !holds(&out)
        {
            and(&mut out, literal);
        }
    }
    out
}

/// One more of a list.
fn and(list: &mut String, more: &str) {
    if !list.is_empty() && !more.is_empty() {
        list.push_str(", ");
    }
    list.push_str(more);
}

/// A text within `cap` raw tokens, with a notice of what is left out and, of a result, how to get it again. It keeps its
/// structure ([`Shape`]) where the cap leaves room for that.
pub fn cut(text: &str, cap: u64, advice: &str, keep: &[String], estimator: &Estimator) -> String {
    let whole = tokens::of_text(estimator, text);
    if whole <= cap {
        return text.to_owned();
    }
    let shape = Shape::of(text);
    let bytes = usize::try_from(text.len() as u64 * cap / whole).unwrap_or(usize::MAX);
    let (mut short, mut shaped) = within(&shape, bytes, cap, advice, estimator);
    // What is left out is named where that is said, as long as the text keeps its structure, and what must be kept before
    // that. The names take the place of others, so it is looked at again.
    let mut room = (bytes / if shape.has_lines() { LINES_PART } else { NAMES_PART }).min(MOST_NAMES);
    let mut most = MOST_LITERALS;
    let mut told = String::new();
    // Among so many there are enough that are not in what stays.
    let all = names::in_text(text, bytes + 2 * MOST_NAMES);
    for _ in 0..NAMES_TRIES {
        let kept = literals(text, &short, most, keep);
        let mut more = told.clone();
        and(&mut more, &kept);
        let names = names::missing(&all, &format!("{short} {kept}"), room.saturating_sub(more.len()));
        and(&mut more, &names);
        if more.len() == told.len() {
            break;
        }
        let (named, stays) = within(&shape, bytes, cap, &format!("{advice}{}{more}", NAMES), estimator);
        let fits = tokens::of_text(estimator, &named) <= cap && named.len() <= text.len();
        if (stays >= shaped || !kept.is_empty()) && fits {
            (short, told, shaped) = (named, more, shaped && stays);
        } else {
            room /= 2;
            most /= 2;
        }
    }
    short
}

/// Of the bytes of what is cut, one part in so many is for names of what is left out, and no more than that. Where some
/// lines count more than others, what counts is in them.
const NAMES_PART: usize = 3;
const LINES_PART: usize = 8;
const MOST_NAMES: usize = 1_200;
const NAMES_TRIES: usize = 4;

/// A text within about `fair` bytes and, if that can be, `cap` raw tokens; whether it keeps its structure.
fn within(shape: &Shape<'_>, fair: usize, cap: u64, advice: &str, estimator: &Estimator) -> (String, bool) {
    let (mut bytes, mut tries) = (fair, 0);
    loop {
        let shaped = tries < TRIES;
        if tries == TRIES {
            bytes = fair;
        }
        let short = if shaped { shape.within(bytes, advice) } else { shape.parted.keep(bytes, advice) };
        let fits = tokens::of_text(estimator, &short) <= cap && short.len() <= shape.text.len();
        if fits || !shaped && bytes < 8 {
            return (short, shaped);
        }
        bytes = bytes * 7 / 8;
        tries += 1;
    }
}

/// What a notice says of a result that was cut. Nothing is known of what the tool does: it may charge a card.
pub const DONE_CUT: &str = " The call succeeded: do not repeat it for its effect.";
/// The same where the tool may be called again.
pub const AGAIN_CUT: &str = " Call the tool again for the rest.";
/// Tries to keep the structure, each with an eighth less.
const TRIES: usize = 8;
