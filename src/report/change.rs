//! What a compaction does to the messages of a history: which of them it covers, clears or clips, and what that gains.

use crate::base::archive::Archive;
use crate::base::json::Json;
use crate::session::view::{Item, Slot, View};

/// What is done to messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A summary, a digest or a notice stands in their place.
    Cover,
    /// Placeholders stand in the place of results and inputs, or reasoning is left out.
    Clear,
    /// Long parts are cut.
    Clip,
}

impl Action {
    /// As reports name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Clear => "clear",
            Self::Clip => "clip",
        }
    }
}

/// What one rung does to messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is done.
    pub action: Action,
    /// The rung that does it.
    pub rung: &'static str,
    /// History indices, ascending.
    pub messages: Vec<u64>,
    /// Estimated tokens that they take before, with an earlier summary that is replaced.
    pub tokens: u64,
    /// Estimated tokens of what is sent instead.
    pub after: u64,
}

impl Change {
    /// As plain JSON, by the names of the public types.
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

/// Ascending numbers as runs, each from, and up to but not including: a plan stays small whatever it covers.
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

/// Covering what `stays` says no of. `after`: raw tokens of what stands in its place.
pub fn covered(
    rung: &'static str,
    view: &View,
    stays: &dyn Fn(&Item) -> bool,
    after: u64,
    scale: &dyn Fn(u64) -> u64,
) -> Change {
    let goes: Vec<&Item> = view.items.iter().filter(|item| !stays(item)).collect();
    let mut messages: Vec<u64> = goes.iter().filter_map(|item| index_of(item)).collect();
    messages.sort_unstable();
    let tokens = goes.iter().map(|item| item.tokens).sum();
    Change { action: Action::Cover, rung, messages, tokens: scale(tokens), after: scale(after) }
}

/// What covering made of a view of `count` messages.
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
        Slot::Summary | Slot::Note => false,
        Slot::Repaired { .. } => true,
    };
    let own = after.items.iter().filter(|item| matches!(item.slot, Slot::Summary | Slot::Note));
    covered(rung, before, &stays, own.map(|item| item.tokens).sum(), scale)
}

/// What an edit made of a view of `count` messages. Messages before the index `cleared` were cleared, unless only a cut
/// touched them.
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
            messages.sort_unstable();
            changes.push(Change { action, rung, messages, tokens: scale(tokens), after: scale(left) });
        }
    }
    changes
}

fn index_of(item: &Item) -> Option<u64> {
    if let Slot::Host { index, .. } = item.slot { Some(index) } else { None }
}
