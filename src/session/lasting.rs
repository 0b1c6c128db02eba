//! The lasting edits of a state, as far as they hold for a history: what they cut and clear of which message.

use crate::ingest::content::Content;
use crate::model::message::{PartKind, Position};
use crate::session::clip::Clip;
use crate::session::edits::rules::ResultRule;
use crate::session::edits::{self, Edits};
use crate::session::history::History;
use crate::session::sent::Stale;
use crate::session::state::SessionState;
use crate::tokens::Estimator;

/// The lasting edits of the state whose positions hold for this history.
pub struct Lasting<'s> {
    keep: &'s [String],
    clips: Vec<&'s Clip>,
    /// Results before this history index are cleared.
    pub cleared: u64,
    /// The arguments of calls before this history index are cleared. A rewound history may end before `cleared`.
    pub inputs: u64,
    /// Results of failed calls before this history index are cleared.
    pub failed: u64,
    pub(super) thoughts: u64,
    media: u64,
    /// Signed reasoning of these messages is left out.
    stale: &'s [Stale],
    /// Messages that none of the edits affects.
    spared: &'s [u64],
    /// What tool policies say about individual results.
    rules: &'s [ResultRule],
    /// Of messages at the front, which of their parts are ours.
    own: &'s [Vec<bool>],
}

impl<'s> Lasting<'s> {
    /// Finds them.
    pub fn of(history: &'s History<'_>, state: &'s SessionState) -> Self {
        // A position inside what a checkpoint covers can no longer be checked, and need not be.
        let holds = |position: &Position| {
            history.chain_at(position.count).is_none_or(|chain| chain == position.chain)
                && position.count <= history.end()
        };
        let held = |position: Option<Position>| position.filter(holds).map_or(0, |position| position.count);
        let cleared = held(state.cleared);
        Self {
            keep: history.keep,
            clips: state.clips.iter().filter(|clip| holds(&clip.up_to)).collect(),
            cleared,
            inputs: if cleared > 0 { cleared.min(history.said_last()) } else { 0 },
            failed: held(state.failed),
            thoughts: held(state.thoughts),
            media: state.media.min(cleared),
            stale: &state.stale,
            spared: &state.spared,
            rules: &history.rules,
            own: &history.own,
        }
    }

    /// What tool policies say about the results in a message.
    fn rules_of(&self, input: usize) -> &'s [ResultRule] {
        let from = self.rules.partition_point(|rule| rule.input < input);
        let count = self.rules[from..].iter().take_while(|rule| rule.input == input).count();
        &self.rules[from..from + count]
    }

    /// The edits of a message and a cache key for them, if there are any.
    pub(super) fn of_message(&self, history: &History<'_>, input: usize, index: u64) -> Option<(String, Edits<'s>)> {
        let rules = self.rules_of(input);
        let spared = self.spared.binary_search(&index).is_ok();
        let message = &history.messages[input];
        let lasting = self.clips.iter().filter(|clip| !spared && index < clip.up_to.count).map(|&clip| edits::Cut {
            clip,
            old: index < clip.old,
            cleared: index < clip.cleared.min(self.cleared),
            failed: index < clip.failed.min(self.failed),
            only: None,
        });
        let clears = !spared && index < self.cleared;
        let edits = Edits {
            clips: rules.iter().filter_map(edits::Cut::of_rule).chain(lasting).collect(),
            keep: self.keep,
            clears,
            // Elsewhere it makes no difference, and would be another key once the assistant has gone on.
            clears_inputs: !spared && index < self.inputs && message.has(PartKind::Call),
            clears_failed: !clears && !spared && index < self.failed,
            clears_media: !spared && index < self.media,
            signed: history.sends_signed(input, self.stale),
            rules,
            reference: history.references.then_some(index),
            own: self.own.get(input).map_or(&[], Vec::as_slice),
        };
        if !message.parts().any(|part| edits::touches(&part, message, &edits)) {
            return None;
        }
        Some((edits.key(), edits))
    }
}

/// Whether the assistant's next message changes an earlier one: the arguments of its newest calls, which are among what is
/// cleared, stay as they are until then. A clear ends before them, but a history can be rewound to them.
pub fn waits(history: &History<'_>, state: &SessionState) -> bool {
    let edits = Lasting::of(history, state);
    let newest = (edits.inputs < edits.cleared).then(|| history.input_of(edits.inputs)).flatten();
    newest.is_some_and(|input| history.messages[input].has(PartKind::Call))
}

/// The content of a message after the edits of the state.
pub fn as_sent(
    history: &History<'_>,
    state: &SessionState,
    estimator: &Estimator,
    input: usize,
    content: Content,
) -> Content {
    let edits = Lasting::of(history, state);
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    match index.and_then(|index| edits.of_message(history, input, index)) {
        Some((_, edits)) => edits::apply(&history.messages[input], content, &edits, estimator).0,
        None => content,
    }
}

/// Which parts of an input message the edits of the state change.
pub fn edited(history: &History<'_>, state: &SessionState, input: usize) -> Vec<bool> {
    let message = &history.messages[input];
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    let of = |index| Lasting::of(history, state).of_message(history, input, index);
    let Some((_, edits)) = index.and_then(of) else { return Vec::new() };
    message.parts().map(|part| edits::touches(&part, message, &edits)).collect()
}

/// Whether the edits of the state change an input message more than tool policies do.
pub fn is_edited(history: &History<'_>, state: &SessionState, input: usize) -> bool {
    let message = &history.messages[input];
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    let found = index.and_then(|index| Lasting::of(history, state).of_message(history, input, index));
    found.is_some_and(|(_, edits)| message.parts().any(|part| edits::touches_more(&part, message, &edits)))
}

/// The history index before which lasting edits affect messages, except those that they spare.
pub fn edited_up_to(history: &History<'_>, state: &SessionState) -> u64 {
    let edits = Lasting::of(history, state);
    let clipped = edits.clips.iter().map(|clip| clip.up_to.count).max().unwrap_or(0);
    clipped.max(edits.cleared).max(edits.failed)
}
