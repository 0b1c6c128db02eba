//! A search: what is not whole in the view is read once, message by message, and the best passages once more.

use super::query::Query;
use super::rank::{MOST_CANDIDATES, Match, Passage, Ranking};
use super::reference::Place;
use super::source::{self, Source};
use super::{Asked, Excerpt, Found, excerpt, fitting, nothing_asked, passages};
use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::base::{references, text};
use crate::ingest::content::ContentPart;
use crate::ingest::host::Host;
use crate::model::message::{PartKind, hash_text};
use crate::tokens::Estimator;

/// Passages that one answer considers, those that say the same as others included.
const MOST_TAKEN: usize = 128;

/// Tokens that are worth another excerpt.
const LEAST_TOKENS: u64 = 16;

/// Bytes of the longest passage that is left out rather than cut because there is no room for all of it.
const WHOLE: usize = 300;

/// The passages that match a query best.
pub fn search(
    source: &Source<'_>,
    estimator: &Estimator,
    asked: &Asked,
    query: &str,
    room: u64,
    host: &mut dyn Host,
) -> Result<Found, Error> {
    let query = Query::of(query);
    if query.is_empty() {
        return Err(nothing_asked());
    }
    let mut ranking = Ranking::new(query, asked.ranked.is_some() || asked.candidates);
    // Whether the newest call with an id, by its hash, looked something up: ids may be used again.
    let mut own = IdMap::default();
    // Each once, oldest first: what the host loaded comes before what it gave.
    for (index, input) in source.places() {
        let hidden = source.hidden(index, input);
        if hidden.as_ref().is_some_and(|hidden| !hidden.contains(&true)) {
            let mut calls = source.history.messages[input].parts().filter(|part| part.kind == PartKind::Call);
            if !calls.any(|call| references::is_named(&call)) {
                continue;
            }
        }
        let content = source::read(source, input, host)?;
        for (part, text) in source::texts(&content).iter().enumerate() {
            // What was looked for and found before is no source: that stands elsewhere.
            let looked_up = match &content.parts[text.at] {
                ContentPart::Call { id, name, input, .. } => {
                    let is_recall = references::is_recall(name, input.keys());
                    own.insert(hash_text(id), u64::from(is_recall));
                    is_recall
                }
                ContentPart::Result { id, .. } => !id.is_empty() && own.get(hash_text(id)) == Some(1),
                _ => false,
            };
            if looked_up || hidden.as_ref().is_some_and(|hidden| hidden.get(text.at) != Some(&true)) {
                continue;
            }
            let mut from = 0;
            while from < text.text.len() {
                let to = passages::next(&text.text, from);
                let passage = Passage { input, index, part, from, to };
                ranking.passage(text::between(&text.text, from, to), text.escaped, passage);
                from = to;
            }
        }
    }
    ranking.score();
    let mut found = Found { missing: source.missing(), ..Found::default() };
    if asked.candidates {
        for candidate in ranking.matches.iter().take(MOST_CANDIDATES) {
            found.candidates.push(read(source, estimator, candidate, u64::MAX, host)?.text);
        }
    }
    match &asked.ranked {
        Some(ranked) => ranking.fuse(ranked),
        None => ranking.only_words(),
    }
    let mut prints: Vec<u64> = Vec::new();
    for _ in 0..MOST_TAKEN {
        if !found.excerpts.is_empty() && found.tokens + LEAST_TOKENS > room {
            break;
        }
        let Some(best) = ranking.take() else { break };
        // Read twice, said twice: the newest is enough.
        if prints.contains(&best.print) {
            continue;
        }
        prints.push(best.print);
        let excerpt = read(source, estimator, &best, room - found.tokens, host)?;
        let is_cut = excerpt.text.len() < best.passage.to - best.passage.from;
        if is_cut && best.passage.to - best.passage.from <= WHOLE && !found.excerpts.is_empty() {
            found.more += 1;
            continue;
        }
        found.tokens += excerpt.tokens;
        found.excerpts.push(excerpt);
    }
    found.more += ranking.matches.len() as u64;
    Ok(found)
}

/// A match with its text; cut to the room, from the line of the first word on, if it is larger.
fn read(
    source: &Source<'_>,
    estimator: &Estimator,
    best: &Match,
    room: u64,
    host: &mut dyn Host,
) -> Result<Excerpt, Error> {
    let Passage { input, index, part, mut from, to: end } = best.passage;
    let content = source::read(source, input, host)?;
    let texts = source::texts(&content);
    let Some(text) = texts.get(part) else { return Err(nothing_asked()) };
    let tool = source::tool(&content, text.at, source, index, host)?;
    let whole = &text.text;
    let end_of = |from| from + fitting(text::between(whole, from, end), 0, room, estimator);
    let mut to = end_of(from);
    if to < end {
        let line = text::between(whole, from, best.at).rfind('\n');
        from = line.map_or(from, |line| from + line + 1);
        to = end_of(from);
        if to < end.min(best.at + AFTER) {
            from = best.at;
            to = end_of(from);
        }
    }
    let part = if texts.len() > 1 { part + 1 } else { 0 };
    Ok(excerpt(Place { index, part, from }, whole, to, content.role, tool, estimator))
}

/// Bytes from the first word that is looked for that a cut passage shows at least, if need be without the start of the line.
const AFTER: usize = 40;
