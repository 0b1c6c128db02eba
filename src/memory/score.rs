//! What a unit is worth, in whole numbers: the rarity of its words, by what it is, when it was said and how long it is.
//!
//! What a kind is worth: typed 4, an answer 1.5, a step 1.1, a record 1, an error 0.9, a call 0.75, down to 0.35 for a line
//! written into a file, and 0.2 for one of several in a row that begin alike. What of that stays however old it is: answers
//! keep 45 %, steps 35 %, work 25 %; half of the rest is gone at 120 messages. Typed words never fade: those that have
//! outlived many messages are worth up to twice as much, so that new ones do not replace them one by one.

use crate::base::words::Class;
use crate::memory::Marks;
use crate::memory::outputs;
use crate::memory::units::{Kind, Unit};
use crate::memory::uptake;
use crate::memory::vocabulary::Vocabulary;

/// 1 in the figures below.
const ONE: u64 = 1_000;
/// The age in messages at which what fades has lost half.
const HALF: u64 = 120;
/// The age in messages at which what was typed is worth one and a half times as much. Measured on the open chats in
/// `benches/facts`: at 500 what newer chats say loses more than the first one keeps.
const OUTLIVED: u64 = 800;
/// Older messages count like this.
const OLDEST: u64 = 1 << 20;
/// A typed sentence is worth this beside its words, in 1/16 of a bit: about a quarter of a word.
pub const TYPED_BASE: u64 = 20;
/// What a unit takes beside its text, so that short ones are not all there is.
const COST_TYPED: u64 = 10;
const COST: u64 = 16;
/// Factors: a question that was typed before the newest message, the first message, the newest one, the last words of the
/// assistant, its last plan.
const ASKED: u64 = 500;
const FIRST: u64 = 1_600;
const OPEN: u64 = 2_500;
const LAST_SAID: u64 = 1_600;
const PLAN: u64 = 1_400;
/// The sentences and lines of a request that say what is wanted; rules and background follow.
const START: u64 = 20;
/// What the assistant only announces beside a call, or a line of a result, by a colon at its end. The assistant's last words
/// are its plan.
const ANNOUNCED: u64 = 400;
/// What replies to a question at the end of the message before it.
const REPLIES: u64 = 1_500;
/// What the assistant says behind a question that a person's message ends with. Measured on the open chats in
/// `benches/facts`: at 1.7 as little stands in the view as without it.
const INFORMS: u64 = 1_400;
/// A typed sentence that holds a word which has to be repeated exactly, the same for a name, and a short answer that holds
/// such a word: it says what nobody knew. Measured on the open chats in `benches/facts`, as is how often words count as
/// said.
const EXACT: u64 = 1_200;
const NAMED: u64 = 1_200;
const GIVES: u64 = 1_750;
/// What a sentence gains of which one neighbour says all. Of the signs that a sentence of the open chats in
/// `benches/facts` holds a fact this is the best one; how rare its words are is none.
const ECHO: u64 = 2_000;
/// A line that a tool returned of which the assistant used nothing, and what it gains of which all was used.
const UNUSED: u64 = 700;
/// The same of a line of a file that is shown with its numbers: it can be read again.
const READ: u64 = 350;
const USED: u64 = 2_000;
/// A call of whose result the assistant used nothing: who needs it has to make it again.
const IDLE: u64 = 400;
/// The characters of a message that counts once, and the factor for each time that it is twice as long.
const MIDDLE: u64 = 300;
const OCTAVE: u64 = 810;
/// Shorter messages count like these, longer ones like those.
const SHORTEST: u64 = 40;
const LONGEST: u64 = 12_000;
/// Up to so many times the middle, a message counts like it.
const COMPOSED: u64 = 4;

/// How much a kind of unit is worth, and what of that stays however old it is.
const fn prior(kind: Kind) -> (u64, u64) {
    match kind {
        Kind::Typed => (4_000, ONE),
        Kind::Long => (1_600, ONE),
        Kind::Answer => (1_500, 450),
        Kind::Earlier => (1_100, ONE),
        Kind::Step => (1_100, 350),
        Kind::Record => (1_000, 250),
        Kind::Error => (900, 250),
        Kind::Call => (750, 250),
        Kind::Verdict => (700, 250),
        Kind::Head => (800, 250),
        Kind::Line | Kind::Pasted => (600, 250),
        Kind::Code => (500, 250),
        Kind::Written => (350, 250),
        Kind::Listed => (200, 250),
        Kind::Edge => (450, 250),
    }
}

/// The factor of a message by its characters: of a short one each sentence says more.
fn brevity(characters: u64) -> u64 {
    // A message of a few paragraphs is still one that somebody composed.
    let longer = (characters / COMPOSED).max(MIDDLE);
    let (mut factor, mut length) = (ONE, characters.clamp(SHORTEST, longer.min(LONGEST)));
    while length >= 2 * MIDDLE {
        (factor, length) = (factor * OCTAVE / ONE, length / 2);
    }
    while length < MIDDLE {
        (factor, length) = (factor * ONE / OCTAVE, length * 2);
    }
    factor * (ONE - (ONE - OCTAVE) * (length - MIDDLE) / MIDDLE) / ONE
}

/// What units say of each other.
pub struct Signs<'s> {
    /// Which messages matter.
    pub marks: &'s Marks,
    /// Of each unit that a tool returned, how much of it was used, in percent.
    pub uptake: &'s [u8],
    /// Whether each is a call of whose result nothing was used.
    pub idle: &'s [bool],
}

/// What each unit is worth beside its words, in 1/64. `end`: the history index behind the last message.
#[inline(never)]
pub fn merits(units: &[Unit<'_>], vocabulary: &Vocabulary, signs: &Signs<'_>, end: u64) -> Vec<u64> {
    let acts = |unit: &&Unit<'_>| matches!(unit.kind, Kind::Answer | Kind::Step | Kind::Call);
    let went_on = units.iter().rfind(acts).map(|unit| unit.at);
    // The last messages that ended with a question: of the assistant and of a person.
    let (mut asked, mut typed_asked) = (None, None);
    let merits = units.iter().enumerate().map(|(number, unit)| {
        let follows = |question: Option<u64>| question.is_some_and(|at| at + 1 == unit.at);
        let replies = match unit.kind {
            Kind::Typed if follows(asked) => REPLIES,
            Kind::Answer if follows(typed_asked) => INFORMS,
            _ => ONE,
        };
        let question = match unit.kind {
            Kind::Answer | Kind::Step => Some(&mut asked),
            Kind::Typed => Some(&mut typed_asked),
            _ => None,
        };
        if let Some(question) = question {
            *question = Some(unit.at).filter(|_| unit.asks());
        }
        let by = gives(unit, vocabulary.words(number)) * replies / ONE * used(unit, signs.uptake[number], went_on);
        let by = if signs.idle[number] { by * IDLE / ONE } else { by };
        (merit(unit, signs.marks, end) * by / ONE * 64 / (ONE * ONE)).max(1)
    });
    merits.collect()
}

/// The factor of a line that a tool returned, by what of it the assistant used where it went on behind it. `went_on`: the
/// newest message in which the assistant said or called something.
fn used(unit: &Unit<'_>, uptake: u8, went_on: Option<u64>) -> u64 {
    let is_plain = unit.kind.is_line() || unit.kind == Kind::Record;
    if !is_plain || went_on <= Some(unit.at) {
        return ONE;
    }
    let unused = if outputs::is_numbered(&unit.text) { READ } else { UNUSED };
    unused + USED * u64::from(uptake) / uptake::MOST
}

/// The factor of a sentence that says a value or a name.
fn gives(unit: &Unit<'_>, words: &[(u32, Class)]) -> u64 {
    let holds = |class: Class| words.iter().any(|word| word.1 == class);
    let mut factor = ONE;
    let mut by = |class: Class, times: u64| factor = if holds(class) { factor * times / ONE } else { factor };
    match unit.kind {
        Kind::Typed => {
            by(Class::Strong, EXACT);
            by(Class::Proper, NAMED);
        }
        Kind::Answer if unit.length <= MIDDLE => by(Class::Strong, GIVES),
        _ => {}
    }
    factor
}

/// What a word of this rarity is worth in a unit, in 1/16 of a bit.
pub fn word(rarity: u32, class: Class, kind: Kind) -> u64 {
    let rarity = u64::from(rarity);
    match class {
        // Each line of a listing has sizes and times of its own.
        Class::Number if kind.is_line() => rarity,
        Class::Compound | Class::Number | Class::Strong if kind.is_work() => rarity * 3,
        Class::Strong => rarity * 5 / 2,
        Class::Number | Class::Proper => rarity * 2,
        Class::Plain | Class::Compound => rarity,
        Class::Pair => rarity * 2 / 5,
    }
}

/// What a unit takes: its size and something beside it.
pub fn cost(unit: &Unit<'_>, size: u64) -> u64 {
    size + if unit.kind == Kind::Typed { COST_TYPED } else { COST }
}

/// Whether a unit is of the start of the first request or of the newest.
pub fn starts_request(unit: &Unit<'_>, marks: &Marks) -> bool {
    let at = Some(unit.at);
    unit.order < START && (marks.first == at || marks.last == at)
}

fn merit(unit: &Unit<'_>, marks: &Marks, end: u64) -> u64 {
    let age = end.saturating_sub(unit.at + 1);
    let (prior, stays) = prior(unit.kind);
    let mut merit = prior * (stays + (ONE - stays) * HALF / (HALF + age)) / ONE;
    let mut by = |factor: u64| merit = merit * factor / ONE;
    if unit.kind == Kind::Typed {
        let square = age.min(OLDEST) * age.min(OLDEST);
        by(ONE + ONE * square / (square + OUTLIVED * OUTLIVED));
    }
    let (newest, at) = (marks.last == Some(unit.at), Some(unit.at));
    if unit.kind.is_said() {
        by(ONE + ECHO * unit.echo.map(u64::from).iter().sum::<u64>() / 100);
        by(ONE - ONE * u64::from(unit.answered) / 100);
    }
    if matches!(unit.kind, Kind::Typed | Kind::Answer) {
        by(brevity(unit.length));
    }
    if unit.kind == Kind::Typed && !newest && unit.asks() {
        by(ASKED);
    }
    let starts = starts_request(unit, marks);
    let talks = matches!(unit.kind, Kind::Answer | Kind::Step);
    let may_announce = unit.kind == Kind::Step && marks.said != at || matches!(unit.kind, Kind::Line | Kind::Edge);
    if may_announce && unit.text.ends_with([':', '：']) || talks && unit.interjects() {
        by(ANNOUNCED);
    }
    for (applies, factor) in [
        (marks.first == at && starts, FIRST),
        (newest && starts, OPEN),
        (marks.said == at, LAST_SAID),
        (talks && marks.plan == at, PLAN),
    ] {
        if applies {
            by(factor);
        }
    }
    merit
}
