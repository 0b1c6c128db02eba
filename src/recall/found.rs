//! What a recall returns.

use crate::base::json::Json;
use crate::base::text;
use crate::model::message::Role;
use crate::recall::reference::TextPlace;
use crate::search::passages;
use crate::tokens::{self, Estimator};

/// A piece of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The message or part that it is of: [`reference()`](crate::recall::reference()).
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

/// The excerpt of a text from a place to a byte.
pub(super) fn excerpt(
    place: TextPlace,
    whole: &str,
    to: usize,
    role: Role,
    tool: Option<String>,
    estimator: &Estimator,
) -> Excerpt {
    let text = text::between(whole, place.from, to);
    Excerpt {
        reference: TextPlace { from: 0, ..place }.write(),
        from: place.from,
        index: place.index,
        role,
        tool,
        text: text.to_owned(),
        tokens: tokens::of_text(estimator, text),
        next: (to < whole.len()).then(|| TextPlace { from: to, ..place }.write()),
    }
}

/// Where a text from byte `from` on has to end to have at most `room` tokens; it goes on by a character at least.
pub(super) fn fitting(whole: &str, from: usize, room: u64, estimator: &Estimator) -> usize {
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
