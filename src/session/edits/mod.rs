//! Clips and clears. A clip shortens a part that is too large; a clear replaces a part that the model is done with by
//! one line. Both say what happened. Neither asks to repeat a call, because it may have had an effect.

pub(crate) mod call_input;
pub(crate) mod media;
pub mod rules;

use crate::base::{markers, quoting, references, text};
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::counting;
use crate::ingest::tape::NO_NUMBER;
use crate::memory::{names, records};
use crate::model::message::{Digest, Part, PartKind, Role};
use crate::session::edits::rules::ResultRule;
use crate::session::reach::{ARGUMENTS, ASSISTANT, EVERYTHING, LEAST_CLEARED};
use crate::session::state::Clip;
use crate::shorten::Shape;
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

/// Whether a clip with this reach may cut a part. `old`: the message was old when the clip was made.
pub fn reaches(part: &Part, message: &Digest<'_>, reach: u64, old: bool) -> bool {
    let role = message.role();
    // Assistant messages stay unchanged during their turn, and forever if a provider signed them.
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

/// Whether a clip may cut any part of the message at a history index.
pub fn cuts(clip: &Clip, message: &Digest<'_>, index: u64) -> bool {
    message
        .parts()
        .any(|part| u64::from(part.tokens) > clip.cap && reaches(&part, message, clip.reach, index < clip.old))
}

/// Whether a part can be cleared.
pub fn clearable(part: &Part, message: &Digest<'_>) -> bool {
    match part.kind {
        PartKind::Result => true,
        PartKind::Call => part.number != NO_NUMBER && !message.is_signed(),
        PartKind::Media => reaches(part, message, EVERYTHING, true),
        _ => false,
    }
}

/// The raw tokens of cleared arguments, or as close to it as cutting long strings allows.
pub const CLEARED_INPUT: u64 = 120;

/// The most raw tokens of a cleared call's arguments, with the names in what is left out.
pub fn cleared_input_tokens(tokens: u64) -> u64 {
    CLEARED_INPUT + (tokens / call_input::CLEARED_PART as u64).min(call_input::CLEARED_MOST as u64 / 3)
}

/// Whether this is a result or media inside one, which has the same number.
pub fn is_of_result(part: &Part, message: &Digest<'_>) -> bool {
    part.kind == PartKind::Result
        || part.kind == PartKind::Media
            && message.has(PartKind::Result)
            && message.parts().any(|other| other.kind == PartKind::Result && other.number == part.number)
}

/// Whether this is the result of a failed call or media inside one.
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

/// Whether the edits clear this part.
fn clears(part: &Part, message: &Digest<'_>, edits: &Edits<'_>) -> bool {
    if part.kind == PartKind::Call {
        edits.clears_inputs && u64::from(part.tokens) > CLEARED_INPUT
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

/// Applies the edits to one part, with what is inside it and what its notice says of where it is found. Returns `None` if
/// they do not change it.
fn shortened(
    message: &Digest<'_>,
    part: &Part,
    body: &ContentPart,
    (mut inner, told): (&[(Part, ContentPart)], &str),
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
            ContentPart::Text { number, text } => {
                ContentPart::Text { number: *number, text: cut(text, clip.cap, told, edits.keep, estimator) }
            }
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
                let advice = format!("{advice}{told}");
                let mut text =
                    if tokens > cap { cut(&text, cap, &advice, edits.keep, estimator) } else { text.into_owned() };
                text.push_str(&notice);
                // A later clear would skip such a short text in a view that is passed as history, but not in the
                // history itself.
                if !notice.is_empty() && tokens::of_text(estimator, &text) <= LEAST_CLEARED {
                    text = cleared("", *failed, rerun, &[], "");
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
            && tokens > CLEARED_INPUT
            && let Some(input) = call_input::shortened(value, CLEARED_INPUT, true, estimator)
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
                output: Value::Text(cleared(&output.to_text(), *failed, rerun, edits.keep, told)),
                failed: *failed,
            }),
            _ => Some(media::replaced(body)),
        };
    }
    edited
}

/// About the raw tokens of a cleared result that had `tokens`: few results hold as many names as may stay.
pub fn cleared_tokens(tokens: u64) -> u64 {
    LEAST_CLEARED + names_bytes(usize::try_from(tokens * 4).unwrap_or(usize::MAX)) as u64 / 5
}

const NAMES: &str = names::NAMED_IN;

/// The bytes of names that a cleared result of `bytes` keeps. Most of what is used later of a result is names, and a line
/// of names costs little.
fn names_bytes(bytes: usize) -> usize {
    (bytes.saturating_sub(160) / 2).min(200 + bytes / 8).min(10_000)
}

/// The text that replaces a cleared result: a line, and names in the result. `text` is the result as it was
/// sent. It may have been cut or cleared before, so that a view passed as history gives the same text.
fn cleared(text: &str, failed: bool, rerun: bool, keep: &[String], told: &str) -> String {
    if text.strip_prefix(markers::NOTICE).is_some_and(|rest| rest.starts_with(CLEARED)) {
        return references::without_others(&text::start(text, LONGEST_CLEARED), told);
    }
    // Where hardly more stood than this line, nothing is missing.
    let told = if text.len() < LEAST_REFERRED { "" } else { told };
    let mut names = literals(text, "", text.len().saturating_sub(LEAST_LITERALS).min(MOST_LITERALS), keep);
    let bytes = names_bytes(text.len()).saturating_sub(told.len());
    // A record keeps together what belongs together. A text that was cut before already names what it held.
    let whole = text::find(text, markers::NOTICE).is_none();
    let record = if whole { records::line(&Value::Text(text.to_owned()), bytes * 2 / 3) } else { None };
    let shown = record.as_deref().unwrap_or_default();
    let room = bytes.saturating_sub(names.len() + shown.len());
    let more = names::missing(&names::in_text(text), &names, shown, room);
    append(&mut names, &more);
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

/// Added to the notice for a call that succeeded.
const DONE: &str = ". Do not repeat the call for its effect.";
/// The same if the tool may be called again.
const AGAIN: &str = ". Call the tool again if you need it.";
const CLEARED: &str = "this tool result was removed to save space; the tool had ";
/// The most bytes of the line for a cleared result: its names, and what it says beside them.
const LONGEST_CLEARED: usize = 7_000;

/// The most bytes of literal strings in a notice, and the bytes that a result must exceed to have any.
const MOST_LITERALS: usize = 200;
const LEAST_LITERALS: usize = 160;
/// Bytes of the smallest result whose notice says where it is found.
const LEAST_REFERRED: usize = 200;

/// The literal strings to keep that occur in `text` and not in `shown`, as many as fit into `bytes`.
fn literals(text: &str, shown: &str, bytes: usize, keep: &[String]) -> String {
    let mut out = String::new();
    for literal in keep {
        let holds = |text: &str| text::find(text, literal).is_some();
        if out.len() + literal.len() < bytes
            // Excludes strings that cannot be part of a notice or of JSON.
            && !literal.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\' | b']'))
            && holds(text)
            && !holds(shown)
            && !holds(&out)
        {
            append(&mut out, literal);
        }
    }
    out
}

/// Appends an item to a list.
fn append(list: &mut String, more: &str) {
    if !list.is_empty() && !more.is_empty() {
        list.push_str(", ");
    }
    list.push_str(more);
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
    let (mut short, mut shaped) = within(&shape, bytes, cap, advice, estimator);
    // The notice names what is left out, as long as the text keeps its structure, and what must be kept comes first.
    // The names replace other text, so the list is checked again.
    let mut room = (bytes / if shape.has_lines() { LINES_PART } else { NAMES_PART }).min(MOST_NAMES);
    let mut most = MOST_LITERALS;
    let mut shown = String::new();
    let all = names::in_text(text);
    for _ in 0..NAMES_TRIES {
        let kept = literals(text, &short, most, keep);
        let mut more = shown.clone();
        append(&mut more, &kept);
        let names = names::missing(&all, &more, &short, room.saturating_sub(more.len()));
        append(&mut more, &names);
        if more.len() == shown.len() {
            break;
        }
        let (named, stays) = within(&shape, bytes, cap, &format!("{advice}{}{more}", NAMES), estimator);
        let fits = tokens::of_text(estimator, &named) <= cap && named.len() <= text.len();
        if (stays >= shaped || !kept.is_empty()) && fits {
            (short, shown, shaped) = (named, more, shaped && stays);
        } else {
            room /= 2;
            most /= 2;
        }
    }
    // JSON of which no further member fits leaves room for names.
    let mut spare = bytes.saturating_sub(short.len());
    for _ in 0..NAMES_TRIES {
        if spare < LEAST_SPARE {
            break;
        }
        let mut more = shown.clone();
        append(&mut more, &names::missing(&all, &shown, &short, spare));
        if more.len() == shown.len() {
            break;
        }
        let (named, stays) = within(&shape, bytes, cap, &format!("{advice}{}{more}", NAMES), estimator);
        let fits = tokens::of_text(estimator, &named) <= cap && named.len() <= text.len();
        if stays >= shaped && fits && named.len() > short.len() {
            spare = bytes.saturating_sub(named.len());
            (short, shown) = (named, more);
        } else {
            spare /= 2;
        }
    }
    short
}

/// One part in this many of the bytes of a cut text is for names in what is left out, up to a maximum. Texts whose
/// lines differ in importance get fewer, because the important lines are kept.
const NAMES_PART: usize = 3;
const LINES_PART: usize = 8;
const MOST_NAMES: usize = 1_200;
const NAMES_TRIES: usize = 4;
/// Bytes below which no further names are looked for.
const LEAST_SPARE: usize = 24;

/// Cuts a text to about `fair` bytes and, if possible, `cap` raw tokens. Returns whether it keeps its structure.
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

/// Added to the notice of a cut result. The effect of the tool is unknown: it may charge a card.
pub const DONE_CUT: &str = " The call succeeded: do not repeat it for its effect.";
/// The same if the tool may be called again.
pub const AGAIN_CUT: &str = " Call the tool again for the rest.";
/// The most attempts to keep the structure, each with an eighth fewer bytes.
const TRIES: usize = 8;
