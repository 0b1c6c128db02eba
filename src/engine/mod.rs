//! The step machine: plan, ask, commit. No I/O: what has to be asked is a value that says so.
//!
//! 1. [`plan()`] looks at a call and decides; the plan is plain data and may wait.
//! 2. [`requests`] says what to ask a summarizer for, if the plan needs one.
//! 3. [`commit`] applies the plan with the answers, or without: then code writes a digest. It always leaves a view that
//!    fits, or says why none can. It may be given a longer history than the plan saw.
//! 4. [`after_model`] learns from what the provider reported.

mod climbing;
mod commit;
mod covering;
mod editing;
pub mod fast_path;
pub(crate) mod past;
mod policy;
pub mod presets;
mod restoring;
pub(crate) mod rounds;
pub(crate) mod summarizing;
pub mod waiting;

use crate::base::error::Error;
use crate::call::checkpoint;
use crate::call::committed::previewed;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::engine::climbing::Climbing;
use crate::engine::policy::Policy;
use crate::engine::presets::contextguard::Contextguard;
use crate::ingest::host::Host;
use crate::ladder::Move;
use crate::ladder::plan::Plan;
use crate::limits::options::Options;
use crate::limits::preset::Preset;
use crate::recall::{self, Asked, Found};
use crate::report::Usage;
use crate::session::state::SessionState;
use crate::summary::request::Request;
use crate::summary::verify::Answer;

pub use crate::call::committed::Committed;
pub use crate::ingest::host::Sent;
pub use crate::tokens::calibration::Reported;

/// The meter: how full the window is with what the state would send now.
///
/// # Errors
/// When the call is refused.
pub fn usage(call: &Call, host: &mut dyn Host) -> Result<Usage, Error> {
    policy(&call.options).usage(&mut Work::new(call)?, host)
}

/// Decides about a call. Nothing is changed.
///
/// # Errors
/// When the call is refused.
pub fn plan(call: &Call, host: &mut dyn Host) -> Result<Plan, Error> {
    let policy = policy(&call.options);
    let (mut plan, first) = policy.plan(&mut Work::new(call)?, true, host)?;
    if plan.requests.is_empty() && plan.action != Move::Pass {
        // Nobody has to be asked, so what will be done is known to the last token.
        let done = policy.commit(Work::new(call)?, &plan, None, first, host)?;
        previewed(&mut plan, &done.report);
    }
    Ok(plan)
}

/// How a call begins.
#[derive(Clone, Debug)]
pub enum Begun {
    /// Nothing had to be asked.
    Done(Box<Committed>),
    /// This plan waits for the summarizer.
    Waits(Box<Plan>),
}

/// Decides about a call, and commits the decision unless the host's summarizer has to be asked first.
///
/// # Errors
/// When the call is refused, or the host cannot read or make a message.
pub fn begin(call: &Call, host: &mut dyn Host) -> Result<Begun, Error> {
    let policy = policy(&call.options);
    let mut work = Work::new(call)?;
    let (plan, first) = policy.plan(&mut work, call.options.summarize, host)?;
    if call.options.summarize && !plan.requests.is_empty() {
        return Ok(Begun::Waits(Box::new(plan)));
    }
    Ok(Begun::Done(Box::new(policy.commit(work, &plan, None, first, host)?)))
}

/// What a plan asks a summarizer for, with the texts. Empty when the plan needs none, or no longer holds.
///
/// # Errors
/// When the call is refused, or the host cannot read a message.
pub fn requests(call: &Call, plan: &Plan, host: &mut dyn Host) -> Result<Vec<Request>, Error> {
    let mut work = Work::new(call)?;
    let Move::Compact(shape) = &plan.action else { return Ok(Vec::new()) };
    if plan.requests.is_empty() {
        return Ok(Vec::new());
    }
    policy(&call.options).requests(&mut work, plan, shape, host)
}

/// Applies a plan. Without answers to what it asks for, code writes a digest in their place.
///
/// # Errors
/// When the call is refused, or the host cannot read or make a message. Nothing has changed then.
pub fn commit(call: &Call, plan: &Plan, answers: Option<&[Answer]>, host: &mut dyn Host) -> Result<Committed, Error> {
    policy(&call.options).commit(Work::new(call)?, plan, answers, None, host)
}

/// Learns from what a provider reported for the request that is pending. Anything that does not fit is ignored.
pub fn after_model(options: &Options, state: &SessionState, usage: Reported, request: Option<&str>) -> SessionState {
    policy(options).after_model(options, state.clone(), usage, request)
}

/// Looks for something in what the view does not show whole. Nothing is changed.
///
/// # Errors
/// When the call is refused, nothing was asked for, or a reference names nothing.
pub fn recall(call: &Call, asked: &Asked, host: &mut dyn Host) -> Result<Found, Error> {
    let work = Work::new(call)?;
    recall::answer(&work.history, &work.state, &call.options.estimator, asked, host)
}

/// The policy that is configured.
fn policy(options: &Options) -> &'static dyn Policy {
    match options.preset {
        None => &Climbing,
        Some(Preset::Contextguard) => &Contextguard,
    }
}

/// The first message a host must load for a state, and its id if the format has ids.
pub fn keep_from(state: &SessionState) -> (u64, Option<&str>) {
    state.checkpoints.last().map_or((0, None), |checkpoint| (checkpoint.from, checkpoint.from_id.as_deref()))
}

/// The newest summary, for people to read, with what code keeps beside it.
pub fn summary_of(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| checkpoint::body(&checkpoint.summary.text))
}
