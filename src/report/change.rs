//! The changes that a compaction makes to a history: which messages it covers, clears or clips, and how much that
//! saves.

use crate::base::archive::Archive;
use crate::base::json::Json;
use crate::base::named::named;
use crate::base::order;
use crate::session::view::{Item, Slot, View};

named! {
    /// The kind of a change.
    Action {
        /// Messages are replaced by a summary, digest or notice.
        Cover = "cover",
        /// Tool results and arguments are replaced by placeholders, or reasoning is left out.
        Clear = "clear",
        /// Long parts are cut.
        Clip = "clip",
    }
}

/// The change that one rung makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its kind.
    pub action: Action,
    /// The rung that makes it.
    pub rung: &'static str,
    /// The history indices of the affected messages, ascending.
    pub messages: Vec<u64>,
    /// Their estimated tokens before the change, including an earlier summary that is replaced.
    pub tokens: u64,
    /// The estimated tokens of what replaces them.
    pub after: u64,
}

impl Change {
    /// Converts it to plain JSON with the names of the public types.
    pub fn to_json(&self) -> Json {
        let mut out = Archive::writer();
        out.put_text("action", self.action.as_str());
        out.put_text("rung", self.rung);
        out.put("messages", Json::List(runs(&self.messages)));
        out.put_count("count", self.messages.len() as u64);
        out.put_count("tokens", self.tokens);
        out.put_count("after", self.after);
        out.finish()
    }
}

/// Groups ascending numbers into half-open runs, so that a plan stays small whatever it covers.
fn runs(indices: &[u64]) -> Vec<Json> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &index in indices {
        match runs.last_mut() {
            Some(run) if run.1 == index => run.1 = index + 1,
            _ => runs.push((index, index + 1)),
        }
    }
    runs.into_iter().map(|(from, to)| Json::record(&mut [("from", from.into()), ("to", to.into())])).collect()
}

/// The change that covers the items for which `stays` returns false. `after`: the raw tokens of what replaces them.
pub fn covered(
    rung: &'static str,
    view: &View,
    stays: &dyn Fn(&Item) -> bool,
    after: u64,
    scale: &dyn Fn(u64) -> u64,
) -> Change {
    let removed: Vec<&Item> = view.items.iter().filter(|item| !stays(item)).collect();
    let mut messages: Vec<u64> = removed.iter().filter_map(|item| index_of(item)).collect();
    order::numbers(&mut messages);
    let tokens = removed.iter().map(|item| item.tokens).sum();
    Change { action: Action::Cover, rung, messages, tokens: scale(tokens), after: scale(after) }
}

/// The change between two views of `count` input messages by covering.
pub fn covered_between(
    rung: &'static str,
    before: &View,
    after: &View,
    count: usize,
    scale: &dyn Fn(u64) -> u64,
) -> Change {
    let places = after.places(count);
    let stays = |item: &Item| match item.slot {
        Slot::Host { input, .. } => places[input].is_some(),
        Slot::Block | Slot::Summary | Slot::Note => false,
        Slot::Repaired { .. } => true,
    };
    let own = after.items.iter().filter(|item| matches!(item.slot, Slot::Block | Slot::Summary | Slot::Note));
    covered(rung, before, &stays, own.map(|item| item.tokens).sum(), scale)
}

/// The changes between two views of `count` input messages by an edit. Messages before the history index `cleared`
/// count as cleared, later ones as clipped.
pub fn edited_between(
    rung: &'static str,
    before: &View,
    after: &View,
    (count, cleared): (usize, u64),
    scale: &dyn Fn(u64) -> u64,
) -> Vec<Change> {
    let places = before.places(count);
    let mut changes = Vec::new();
    for action in [Action::Clear, Action::Clip] {
        let (mut messages, mut tokens, mut left) = (Vec::new(), 0, 0);
        for item in &after.items {
            let Slot::Host { input, index } = item.slot else { continue };
            let Some(earlier) = places[input].map(|at| &before.items[at]) else { continue };
            if earlier.tokens == item.tokens || (index < cleared) != (action == Action::Clear) {
                continue;
            }
            messages.push(index);
            tokens += earlier.tokens;
            left += item.tokens;
        }
        if !messages.is_empty() {
            order::numbers(&mut messages);
            changes.push(Change { action, rung, messages, tokens: scale(tokens), after: scale(left) });
        }
    }
    changes
}

fn index_of(item: &Item) -> Option<u64> {
    if let Slot::Host { index, .. } = item.slot { Some(index) } else { None }
}
