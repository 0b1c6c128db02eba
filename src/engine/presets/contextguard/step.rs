//! The request as the preset counts it, and what it would cover of it.

use crate::base::error::Error;
use crate::base::millionths;
use crate::call::context::Work;
use crate::engine::presets::contextguard::sizes::{buffer, summary_tokens, token_count};
use crate::ingest::host::Host;
use crate::ingest::pairs::Cuts;
use crate::ladder::shape::Shape;
use crate::report::Usage;
use crate::session::state::ContextguardState;
use crate::session::staying::Staying;
use crate::session::view::{View, leading};

/// The request as the original would see it after its injection.
pub(super) struct Step {
    pub(super) view: View,
    pub(super) raw: u64,
    pub(super) threshold: u64,
    pub(super) known: ContextguardState,
}

pub(super) fn step(work: &Work<'_>, host: &mut dyn Host) -> Result<Step, Error> {
    let view = work.project(host)?;
    let raw = view.raw() + work.call.beside();
    let threshold = work.call.window - buffer(work.call.window);
    Ok(Step { view, raw, threshold, known: work.state.contextguard.unwrap_or_default() })
}

impl Step {
    pub(super) fn usage(&self, work: &Work<'_>) -> Usage {
        let tokens = token_count(self.raw, self.known);
        let usage =
            work.measure().usage_of(&self.view, &work.history, tokens, &|raw| millionths::scale(raw, tokens, self.raw));
        Usage { raw: self.raw, bound: 0, trigger: self.threshold, reported: self.known.real > 0, ..usage }
    }

    pub(super) fn fires(&self) -> bool {
        token_count(self.raw, self.known) >= self.threshold
    }
}

/// What a compaction covers: everything except leading instructions and a group with pending calls (B3: the original
/// leaves their results without a call).
pub(super) fn shape(work: &Work<'_>) -> Option<Shape> {
    let history = &work.history;
    let lead = history.lead();
    let end = Cuts::of(&history.messages[lead..]).pending.map_or(history.messages.len(), |pending| pending + lead);
    let stays = |input: &usize| *input < leading(history) || history.is_pinned(*input);
    let head = (0..end).filter(stays).filter_map(|input| history.index_of(input)).collect::<Vec<_>>();
    let covers = history
        .position(history.index_of(end).filter(|_| end < history.messages.len()).unwrap_or_else(|| history.end()))?;
    let empty = covers.count <= head.len() as u64;
    (!empty).then(|| Shape {
        covers,
        outputs: None,
        stays: Staying { head, ..Staying::default() },
        note: false,
        summary_tokens: summary_tokens(work.call.window),
    })
}
