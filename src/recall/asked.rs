//! What is asked of a recall.

use crate::base::error::{Code, Error};
use crate::base::json::{Faults, Fields, Json};
use crate::search::Ranked;

/// The most dimensions that a ranker's vectors have.
const MOST_DIMENSIONS: u64 = 8_192;

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
            ranked: fields.count("dimensions").map(|dimensions| Ranked::new(dimensions.min(MOST_DIMENSIONS) as usize)),
        };
        faults.end()?;
        Ok(asked)
    }
}

#[cold]
pub(super) fn nothing_asked() -> Error {
    Error::at(
        Code::EmptyQuery,
        "query",
        "Say what to look for: words as `query`, or a place such as \"r12\" as `reference`.",
    )
}
