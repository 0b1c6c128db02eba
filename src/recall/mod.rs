//! Recall: what a view does not show whole is found again, by words or by its reference, in the history that the host
//! has. A search asks indexes, which the host keeps, and reads what has none.

mod asked;
mod found;
mod reference;
mod search;
mod source;

pub use crate::search::Ranked;
pub use asked::Asked;
pub use found::{Excerpt, Found};
pub use reference::reference;

use crate::base::error::{Code, Error};
use crate::base::text;
use crate::ingest::host::Host;
use crate::model::message::Role;
use crate::search::texts;
use crate::session::history::History;
use crate::session::state::SessionState;
use crate::tokens::Estimator;
use asked::nothing_asked;
use found::{excerpt, fitting};
use reference::TextPlace;
use source::Source;

/// Tokens of excerpts where the host does not say.
const MOST_TOKENS: u64 = 1_000;

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

/// The text at a reference, from its start or from where the reference says.
fn read(
    source: &Source<'_>,
    estimator: &Estimator,
    asked: &str,
    room: u64,
    host: &mut dyn Host,
) -> Result<Found, Error> {
    let unknown = || Error::at(Code::UnknownReference, "reference", UNKNOWN);
    let place = TextPlace::parse(asked).filter(|place| place.index < source.history.end()).ok_or_else(unknown)?;
    let Some(input) = source.input_of(place.index) else {
        return Ok(Found { missing: Some((place.index, place.index + 1)), ..Found::default() });
    };
    let content = source::read(source, input, host)?;
    if content.role == Role::System {
        return Err(Error::at(Code::UnknownReference, "reference", INSTRUCTIONS));
    }
    let (mut whole, mut only) = (String::new(), None);
    let texts = texts::of(&content);
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
    let place = TextPlace { from: text::floor(&whole, place.from), ..place };
    let to = fitting(&whole, place.from, room, estimator);
    let excerpt = excerpt(place, &whole, to, content.role, tool, estimator);
    Ok(Found { tokens: excerpt.tokens, excerpts: vec![excerpt], ..Found::default() })
}

const UNKNOWN: &str = "No text of the history has this reference. It reads \"r12\" for a message, \"r12.2\" for its second part, \"r12+4000\" from a byte on.";

const INSTRUCTIONS: &str =
    "The message with this reference holds instructions of the program, which are not looked up.";
