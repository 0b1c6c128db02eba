//! Why code covered something although there is a summarizer that was not called, for the report.

use crate::call::context::KeepsOut;
use crate::ladder::plan::Plan;
use crate::ladder::{Move, RungId};

/// The reason, as a sentence. `stale`: the plan no longer held; `tight`: what is fixed leaves almost no room.
pub(crate) fn reason(keeps_out: Option<KeepsOut>, plan: &Plan, stale: bool, tight: bool) -> String {
    let reason = match keeps_out {
        Some(KeepsOut::Failures(left)) => {
            return format!(
                "The summarizer failed several times in a row. It is left alone for {left} compactions, this one included."
            );
        }
        Some(KeepsOut::InFlight) => "A summary is being written already.",
        Some(KeepsOut::LittleNew) => "The last summaries covered little that was new, and so would this one.",
        None if stale && matches!(plan.action, Move::Compact(_)) => "The plan no longer held.",
        None if plan.rung == RungId::Summarize => "The plan was committed without answers to its requests.",
        None if tight => "The system prompt, tools and pinned messages nearly fill the window.",
        None => "Covering all but the newest messages could not be enough.",
    };
    reason.to_owned()
}
