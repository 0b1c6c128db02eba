//! Why code covered something although there is a summarizer that was not called, for the report.

use crate::call::brakes::KeepsOut;
use crate::ladder::plan::Plan;
use crate::ladder::{Move, RungId};

/// Returns the reason, as a sentence. `stale`: the plan no longer held. `tight`: what is fixed leaves almost no room.
pub(crate) fn reason(keeps_out: Option<KeepsOut>, plan: &Plan, stale: bool, tight: bool) -> String {
    let reason = match keeps_out {
        Some(KeepsOut::Failures(left)) => {
            return format!(
                "The summarizer failed several times in a row. It is not called for the next {left} compactions, including this one."
            );
        }
        Some(KeepsOut::InFlight) => "Another summary is already being written.",
        Some(KeepsOut::LittleNew) => "The last summaries covered little new content, and this one would too.",
        Some(KeepsOut::OutputsChanged) => {
            "What tools had returned was changed in the history, so code wrote again what had been taken from it."
        }
        None if stale && matches!(plan.action, Move::Compact(_)) => {
            "The history or the state changed after the plan was made."
        }
        None if plan.rung == RungId::Summarize => "The plan was committed without answers to its requests.",
        None if tight => "The system prompt, tools and pinned messages nearly fill the window.",
        None => "Even covering all but the newest messages would not make the request fit.",
    };
    reason.to_owned()
}
