//! What the tool policies say about the results in a history: how large they may be, and which calls may be repeated.

use crate::base::millionths;
use crate::ladder::LEAST_CAP;
use crate::limits::options::Options;
use crate::session::clip::Clip;
use crate::session::edits::rules::ResultRule;
use crate::session::history::History;
use crate::session::reach::Reach;
use crate::tokens::Estimator;

/// The rules of all results whose call is known.
pub(crate) fn of(history: &History<'_>, options: &Options) -> Vec<ResultRule> {
    let mut rules = Vec::new();
    if !options.tools.changes_results() {
        return rules;
    }
    let pairing = history.pairing();
    for result in &pairing.results {
        let Some(call) = result.call.map(|call| &pairing.calls[call]) else { continue };
        let policy = options.tools.of(call.name);
        let clip = policy.clip.map(|tokens| Clip {
            cap: cap(tokens, &options.estimator),
            reach: Reach::Results,
            ..Clip::default()
        });
        if clip.is_some() || policy.rerun.is_some() {
            rules.push(ResultRule { input: result.message, number: result.number, clip, rerun: policy.rerun });
        }
    }
    rules
}

/// Converts estimated tokens to raw ones, by the slope before anything was learned: a result that was cut must not be
/// cut again whenever usage is reported.
pub(crate) fn cap(tokens: u64, estimator: &Estimator) -> u64 {
    millionths::ratio(tokens, estimator.slope().start).max(LEAST_CAP)
}
