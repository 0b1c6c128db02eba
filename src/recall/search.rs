//! A search: what is not whole in the view is looked through once, and the best passages are read.
//!
//! Messages that the host gave are looked through in runs. Of each run the host keeps an index (`index.rs`), so that a later
//! search reads none of their texts.

use super::asked::{Asked, nothing_asked};
use super::found::{Excerpt, Found, excerpt, fitting};
use super::reference::TextPlace;
use super::source::{self, Hidden, Run, Source};
use crate::base::error::Error;
use crate::base::id_map::IdMap;
use crate::base::text;
use crate::ingest::host::{Host, KeptIndex};
use crate::search::index::{self, Index, Origin};
use crate::search::query::Query;
use crate::search::rank::{MOST_CANDIDATES, Match, Passage, Ranking};
use crate::search::{passages, texts};
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
    let mut looked_up = LookedUp::default();
    // What the host loaded comes before what it gave.
    for run in source.runs() {
        look_through(source, &run, &mut ranking, &mut looked_up, host)?;
    }
    ranking.score();
    let mut found = Found { missing: source.missing(), ..Found::default() };
    if asked.candidates {
        for candidate in ranking.left().take(MOST_CANDIDATES) {
            let excerpt = read(source, estimator, candidate, ranking.query(), u64::MAX, host)?;
            found.candidates.push(excerpt.text);
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
        let excerpt = read(source, estimator, &best, ranking.query(), room - found.tokens, host)?;
        let is_cut = excerpt.text.len() < best.passage.to - best.passage.from;
        if is_cut && best.passage.to - best.passage.from <= WHOLE && !found.excerpts.is_empty() {
            found.more += 1;
            continue;
        }
        found.tokens += excerpt.tokens;
        found.excerpts.push(excerpt);
    }
    found.more += ranking.left().len() as u64;
    Ok(found)
}

/// Counts the passages of a run that the view does not show.
fn look_through(
    source: &Source<'_>,
    run: &Run,
    ranking: &mut Ranking,
    looked_up: &mut LookedUp,
    host: &mut dyn Host,
) -> Result<(), Error> {
    let hidden: Vec<Hidden> = run.messages.iter().map(|&(index, input)| source.hidden(index, input)).collect();
    if !run.messages.iter().zip(&hidden).any(|(&(_, input), hidden)| hidden.matters(source, input)) {
        return Ok(());
    }
    let inputs: Vec<usize> = run.messages.iter().map(|&(_, input)| input).collect();
    let kept = match (run.is_indexed, run.messages.first(), run.messages.last()) {
        (true, Some(&(_, first)), Some(&(_, last))) => host.index(first, last + 1)?,
        _ => KeptIndex::Nowhere,
    };
    let kept = match kept {
        KeptIndex::Bytes(bytes) => Some(bytes),
        KeptIndex::Nothing => {
            let made = index::of(&host.read(&inputs)?);
            if let Some(bytes) = &made {
                host.keep_index(inputs[0], inputs[0] + inputs.len(), bytes)?;
            }
            made
        }
        KeptIndex::Nowhere => None,
    };
    if let Some(index) = kept.as_deref().and_then(Index::read) {
        let effects = index.effects(ranking.query());
        let (mut message, mut part) = (0, 0);
        for text in index.texts() {
            if text.message != message {
                (message, part) = (text.message, 0);
            }
            let Some(&(index_of, input)) = run.messages.get(message) else { break };
            if !looked_up.is(text.origin, source, input, text.part) && hidden[message].has(text.part) {
                let passage = Passage { input, index: index_of, part, from: 0, to: 0 };
                index.count(&text, &effects, ranking, passage);
            }
            part += 1;
        }
        return Ok(());
    }
    for ((content, &(index, input)), hidden) in host.read(&inputs)?.iter().zip(&run.messages).zip(&hidden) {
        for (part, text) in texts::of(content).iter().enumerate() {
            let origin = Origin::of(&content.parts[text.at]);
            if looked_up.is(origin, source, input, text.at) || !hidden.has(text.at) {
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
    Ok(())
}

/// What was looked for and found before is no source: that stands elsewhere.
#[derive(Default)]
struct LookedUp {
    /// The calls that looked something up, by message and part, in order: of what the host gave it is known what belongs
    /// together.
    calls: Vec<(usize, usize)>,
    /// Of what it loaded, whether the newest call with an id, by its hash, did: ids may be used again.
    ids: IdMap,
    /// Any call did.
    any: bool,
}

impl LookedUp {
    /// Whether a text is of such a call or of its result. Asked of each in the order of the conversation.
    fn is(&mut self, origin: Origin, source: &Source<'_>, input: usize, part: usize) -> bool {
        match origin {
            Origin::Said => false,
            Origin::Result(_) if !self.any => false,
            Origin::Call(id) => {
                self.called(id, false, source, input, part);
                false
            }
            Origin::Search(id) => {
                self.called(id, true, source, input, part);
                true
            }
            Origin::Result(id) => match source.call_of(input, part) {
                Some(call) => self.calls.binary_search(&call).is_ok(),
                None => self.ids.get(id) == Some(1),
            },
        }
    }

    fn called(&mut self, id: u64, is_search: bool, source: &Source<'_>, input: usize, part: usize) {
        self.any |= is_search;
        if !source.is_given(input) {
            self.ids.insert(id, is_search.into());
        } else if is_search {
            self.calls.push((input, part));
        }
    }
}

/// A match with its text; cut to the room, from the line of the first word on, if it is larger.
fn read(
    source: &Source<'_>,
    estimator: &Estimator,
    best: &Match,
    query: &Query,
    room: u64,
    host: &mut dyn Host,
) -> Result<Excerpt, Error> {
    let Passage { input, index, part, mut from, to: end } = best.passage;
    let content = source::read(source, input, host)?;
    let texts = texts::of(&content);
    let Some(text) = texts.get(part) else { return Err(nothing_asked()) };
    let tool = source::tool(&content, text.at, source, index, host)?;
    let whole = &text.text;
    let end_of = |from| from + fitting(text::between(whole, from, end), 0, room, estimator);
    let mut to = end_of(from);
    if to < end {
        let first = query.first_in(text::between(whole, from, end), text.escaped).filter(|_| best.has_word);
        let at = from + first.unwrap_or(0);
        let line = text::between(whole, from, at).rfind('\n');
        from = line.map_or(from, |line| from + line + 1);
        to = end_of(from);
        if to < end.min(at + AFTER) {
            from = at;
            to = end_of(from);
        }
    }
    let part = if texts.len() > 1 { part + 1 } else { 0 };
    Ok(excerpt(TextPlace { index, part, from }, whole, to, content.role, tool, estimator))
}

/// Bytes from the first word that is looked for that a cut passage shows at least, if need be without the start of the line.
const AFTER: usize = 40;
