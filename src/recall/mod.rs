//! Recall: what a view does not show whole is found again, by words or by its reference, in the history that the host
//! has. A search asks indexes, which the host keeps, and reads what has none.
//!
//! Passages are ranked by BM25 in whole numbers (`rank.rs`) over the grams of words, identifiers as a whole, and pairs of
//! letters where a script writes no spaces (`words.rs`).

mod fuse;
mod index;
mod lend;
mod passages;
mod query;
mod rank;
mod reference;
mod search;
mod source;
mod words;

pub use reference::reference;

use crate::base::error::{Code, Error};
use crate::base::json::{Faults, Fields, Json};
use crate::base::text;
use crate::ingest::host::Host;
use crate::model::message::Role;
use crate::session::history::History;
use crate::session::state::SessionState;
use crate::tokens::{self, Estimator};
use reference::Place;
use source::Source;

/// Tokens of excerpts where the host does not say.
const MOST_TOKENS: u64 = 1_000;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Words to look for.
    pub query: Option<String>,
    /// The message or part to give back, in place of a search.
    pub reference: Option<String>,
    /// The most that all excerpts may have, in raw tokens.
    pub max_tokens: Option<u64>,
    /// Messages that were loaded for this call: the history index of the first, and how many. The host has them behind
    /// those of the history.
    pub loaded: (u64, u64),
    /// Whether a ranker of the host is to be asked: then the texts that it ranks are returned, too.
    pub candidates: bool,
    /// What it said of them.
    pub ranked: Option<Ranked>,
}

/// The largest number that a ranker's vectors have, and the most dimensions.
const LARGEST: i32 = 32_767;
const MOST_DIMENSIONS: u64 = 8_192;

/// What a ranker of the host said of the candidates, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// 0 if each has a score, or the dimensions of the vectors: that of the query, then one for each.
    pub dimensions: usize,
    /// Scores, or vectors one after another.
    numbers: Vec<i32>,
}

impl Ranked {
    /// With these numbers, each at most 32,767 from zero.
    pub fn says(&mut self, numbers: Vec<i32>) {
        self.numbers = numbers.into_iter().map(|number| number.clamp(-LARGEST, LARGEST)).collect();
    }
}

impl Asked {
    /// Parses what was asked. What is empty is missing.
    ///
    /// # Errors
    /// With the path of the first wrong member.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        let faults = Faults::default();
        let fields = Fields::of(json, "", Code::InvalidCall, &faults);
        let said = |name| fields.text(name).map(str::trim).filter(|said| !said.is_empty()).map(str::to_owned);
        let asked = Self {
            query: said("query"),
            reference: said("reference"),
            max_tokens: fields.some_tokens("maxTokens"),
            loaded: (fields.count("from").unwrap_or(0), fields.count("count").unwrap_or(0)),
            candidates: fields.flag("candidates"),
            ranked: fields
                .count("dimensions")
                .map(|dimensions| Ranked { dimensions: dimensions.min(MOST_DIMENSIONS) as usize, numbers: Vec::new() }),
        };
        faults.end()?;
        Ok(asked)
    }
}

/// A piece of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The message or part that it is of: [`reference()`].
    pub reference: String,
    /// The byte of its text with which it begins.
    pub from: usize,
    /// The message's place in the history.
    pub index: u64,
    /// Who speaks.
    pub role: Role,
    /// The tool that was called, or that answered.
    pub tool: Option<String>,
    /// The text, word for word.
    pub text: String,
    /// Its raw tokens.
    pub tokens: u64,
    /// Where it goes on.
    pub next: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The best first.
    pub excerpts: Vec<Excerpt>,
    /// Raw tokens of all.
    pub tokens: u64,
    /// Passages that match as well, for which there was no room.
    pub more: u64,
    /// Messages that could not be looked at because the host did not load them: from, to.
    pub missing: Option<(u64, u64)>,
    /// The texts that a ranker of the host is to rank.
    pub candidates: Vec<String>,
}

impl Found {
    /// As the host gets it.
    pub fn into_json(self) -> Json {
        let excerpt = |excerpt: Excerpt| {
            Json::object(&mut [
                ("reference", Json::Text(excerpt.reference)),
                ("from", Some(excerpt.from).filter(|&from| from > 0).into()),
                ("index", excerpt.index.into()),
                ("role", excerpt.role.as_str().into()),
                ("tool", excerpt.tool.into()),
                ("text", Json::Text(excerpt.text)),
                ("tokens", excerpt.tokens.into()),
                ("next", excerpt.next.into()),
            ])
        };
        let texts = |texts: Vec<String>| Json::List(texts.into_iter().map(Json::Text).collect());
        let missing = |(from, to): (u64, u64)| Json::record(&mut [("from", from.into()), ("to", to.into())]);
        Json::object(&mut [
            ("excerpts", Json::List(self.excerpts.into_iter().map(excerpt).collect())),
            ("tokens", self.tokens.into()),
            ("more", self.more.into()),
            ("missing", self.missing.map_or(Json::Null, missing)),
            ("candidates", Some(self.candidates).filter(|texts| !texts.is_empty()).map(texts).into()),
        ])
    }
}

/// Looks for what was asked, in what of the history its view does not show whole; of a reference, in all of it.
///
/// # Errors
/// When nothing was asked for, a reference names nothing, or the host cannot read a message.
pub fn answer(
    history: &History<'_>,
    state: &SessionState,
    estimator: &Estimator,
    asked: &Asked,
    host: &mut dyn Host,
) -> Result<Found, Error> {
    let source = Source { history, state, loaded: asked.loaded };
    let room = asked.max_tokens.unwrap_or(MOST_TOKENS);
    match (&asked.reference, &asked.query) {
        (Some(reference), _) => read(&source, estimator, reference, room, host),
        (None, Some(query)) => search::search(&source, estimator, asked, query, room, host),
        (None, None) => Err(nothing_asked()),
    }
}

#[cold]
fn nothing_asked() -> Error {
    Error::at(
        Code::EmptyQuery,
        "query",
        "Say what to look for: words as `query`, or a place such as \"r12\" as `reference`.",
    )
}

/// The text at a reference, from its start or from where the reference says.
fn read(
    source: &Source<'_>,
    estimator: &Estimator,
    asked: &str,
    room: u64,
    host: &mut dyn Host,
) -> Result<Found, Error> {
    let unknown = || Error::at(Code::UnknownReference, "reference", UNKNOWN);
    let place = Place::parse(asked).filter(|place| place.index < source.history.end()).ok_or_else(unknown)?;
    let Some(input) = source.input_of(place.index) else {
        return Ok(Found { missing: Some((place.index, place.index + 1)), ..Found::default() });
    };
    let content = source::read(source, input, host)?;
    if content.role == Role::System {
        return Err(Error::at(Code::UnknownReference, "reference", INSTRUCTIONS));
    }
    let (mut whole, mut only) = (String::new(), None);
    let texts = source::texts(&content);
    for (at, text) in texts.iter().enumerate() {
        if place.part == 0 || place.part == at + 1 {
            if !whole.is_empty() {
                whole.push_str("\n\n");
            }
            whole.push_str(&text.text);
            only = Some(text.at).filter(|_| place.part > 0 || texts.len() == 1);
        }
    }
    if place.from >= whole.len() {
        return Err(unknown());
    }
    let tool = match only {
        Some(at) => source::tool(&content, at, source, place.index, host)?,
        None => None,
    };
    let place = Place { from: text::floor(&whole, place.from), ..place };
    let to = fitting(&whole, place.from, room, estimator);
    let excerpt = excerpt(place, &whole, to, content.role, tool, estimator);
    Ok(Found { tokens: excerpt.tokens, excerpts: vec![excerpt], ..Found::default() })
}

const UNKNOWN: &str = "No text of the history has this reference. It reads \"r12\" for a message, \"r12.2\" for its second part, \"r12+4000\" from a byte on.";

const INSTRUCTIONS: &str =
    "The message with this reference holds instructions of the program, which are not looked up.";

/// The excerpt of a text from a place to a byte.
fn excerpt(place: Place, whole: &str, to: usize, role: Role, tool: Option<String>, estimator: &Estimator) -> Excerpt {
    let text = text::between(whole, place.from, to);
    Excerpt {
        reference: Place { from: 0, ..place }.write(),
        from: place.from,
        index: place.index,
        role,
        tool,
        text: text.to_owned(),
        tokens: tokens::of_text(estimator, text),
        next: (to < whole.len()).then(|| Place { from: to, ..place }.write()),
    }
}

/// Where a text from byte `from` on has to end to have at most `room` tokens; it goes on by a character at least.
fn fitting(whole: &str, from: usize, room: u64, estimator: &Estimator) -> usize {
    let rest = whole.len() - from;
    let mut bytes = usize::try_from(room.saturating_mul(8)).map_or(rest, |bytes| bytes.min(rest));
    loop {
        let to = if bytes == rest { whole.len() } else { passages::end(whole, from, from + bytes) };
        let tokens = tokens::of_text(estimator, text::between(whole, from, to));
        let least = text::ceil(whole, from + 1);
        if tokens <= room || to <= least {
            return to.max(least);
        }
        let fair = (to - from) as u64 * room / tokens;
        bytes = (fair as usize).min((to - from) * 7 / 8).max(1);
    }
}
