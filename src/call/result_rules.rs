//! What the tool policies say about the results in a history: how large they may be, and which calls may be repeated.

use crate::base::id_map::IdMap;
use crate::base::millionths;
use crate::ladder::LEAST_CAP;
use crate::limits::options::Options;
use crate::model::message::{Digest, PartKind};
use crate::session::edits::rules::ResultRule;
use crate::session::reach;
use crate::session::state::Clip;
use crate::tokens::Estimator;

/// The rules of all results whose tool is known from an earlier call with the same id.
pub(crate) fn of(messages: &[Digest<'_>], options: &Options) -> Vec<ResultRule> {
    let mut rules = Vec::new();
    if !options.tools.changes_results() {
        return rules;
    }
    let mut tools = IdMap::default();
    for (input, message) in messages.iter().enumerate() {
        for part in message.parts() {
            match part.kind {
                PartKind::Call => tools.insert(part.id, u64::from(part.name)),
                PartKind::Result => {
                    let tool = tools.get(part.id).and_then(|tool| u32::try_from(tool).ok());
                    let Some(policy) = tool.map(|tool| options.tools.of(tool)) else { continue };
                    let clip = policy.clip.map(|tokens| Clip {
                        cap: cap(tokens, &options.estimator),
                        reach: reach::RESULTS,
                        ..Clip::default()
                    });
                    if clip.is_some() || policy.rerun {
                        rules.push(ResultRule { input, number: part.number, clip, rerun: policy.rerun });
                    }
                }
                _ => {}
            }
        }
    }
    rules
}

/// Converts estimated tokens to raw ones, by the slope before anything was learned: a result that was cut must not be
/// cut again whenever usage is reported.
pub(crate) fn cap(tokens: u64, estimator: &Estimator) -> u64 {
    millionths::ratio(tokens, estimator.slope().start).max(LEAST_CAP)
}
