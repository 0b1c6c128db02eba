//! The steps of a call: plan, ask, commit. They do no I/O: what to ask a summarizer is returned as a value.
//!
//! 1. [`plan()`] decides about a call. The plan is plain data and can be stored.
//! 2. [`requests`] returns what to ask a summarizer, if the plan needs one.
//! 3. [`commit`] applies the plan with the answers. Without answers, code writes a digest. The result is always a view
//!    that fits, or the reason why none does. The history may be longer than the one that was planned for.
//! 4. [`after_model`] learns from the usage that the provider reported.

mod bound_tail;
mod climbing;
mod commit;
mod covered_chat;
mod covering;
mod editing;
pub mod fast_path;
mod fit;
mod literals;
pub(crate) mod past;
mod policy;
pub mod presets;
pub mod questions;
mod restoring;
pub(crate) mod rounds;
mod skipped;
mod step;
pub(crate) mod summarizing;
pub mod waiting;

use crate::base::error::Error;
use crate::call::checkpoint;
use crate::call::committed::preview;
use crate::call::context::Work;
use crate::call::input::Call;
use crate::call::separated::Separated;
use crate::engine::climbing::Climbing;
use crate::engine::policy::Policy;
use crate::engine::presets::contextguard::Contextguard;
use crate::engine::questions::{Answered, Questions};
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

/// Measures how full the window is with what the state would send now.
///
/// # Errors
///
/// If the call is refused.
pub fn usage(call: &Call, host: &mut dyn Host) -> Result<Usage, Error> {
    policy(&call.options).usage(&mut Work::new(call)?, &mut Separated::new(&call.places, host))
}

/// Decides about a call. Nothing is changed.
///
/// # Errors
///
/// If the call is refused.
pub fn plan(call: &Call, host: &mut dyn Host) -> Result<Plan, Error> {
    let host = &mut Separated::new(&call.places, host);
    let policy = policy(&call.options);
    let mut work = Work::new(call)?;
    let (mut plan, start) = policy.plan(&mut work, true, host)?;
    if plan.requests.is_empty() && plan.action != Move::Pass {
        // Without a summarizer, the exact result is known in advance.
        let done = policy.commit(work, &plan, None, start, host)?;
        plan.preview = preview(&done.report);
    }
    Ok(plan)
}

/// The result of [`begin`].
#[derive(Clone, Debug)]
pub enum Begun {
    /// The call is complete without a summarizer.
    Done(Box<Committed>),
    /// The plan waits for the summarizer.
    Waits {
        /// The plan.
        plan: Box<Plan>,
        /// What [`Usage::is_open`] says of the request before it.
        open: bool,
    },
}

/// Decides about a call, and commits the decision unless the host's summarizer must be called first.
///
/// # Errors
///
/// If the call is refused, or the host cannot read or create a message.
pub fn begin(call: &Call, host: &mut dyn Host) -> Result<Begun, Error> {
    let host = &mut Separated::new(&call.places, host);
    let policy = policy(&call.options);
    let mut work = Work::new(call)?;
    let (plan, start) = policy.plan(&mut work, call.options.summarize, host)?;
    if call.options.summarize && !plan.requests.is_empty() {
        let open = start.is_some_and(|start| work.usage(&start.view).is_open());
        return Ok(Begun::Waits { plan: Box::new(plan), open });
    }
    let done = policy.commit(work, &plan, None, start, host)?;
    Ok(Begun::Done(Box::new(placed(done, host)?)))
}

/// Returns the requests to the summarizer, with their texts. Empty if the plan needs none, or no longer holds.
///
/// # Errors
///
/// If the call is refused, or the host cannot read a message.
pub fn requests(call: &Call, plan: &Plan, host: &mut dyn Host) -> Result<Vec<Request>, Error> {
    Ok(questions(call, plan, host)?.requests().cloned().collect())
}

/// Returns the requests to the summarizer, with what their answers are measured by: [`commit_answers`] does not read the past
/// again.
///
/// # Errors
///
/// Those of [`requests`].
pub fn questions(call: &Call, plan: &Plan, host: &mut dyn Host) -> Result<Questions, Error> {
    let mut work = Work::new(call)?;
    let Move::Compact(shape) = &plan.action else { return Ok(Questions::default()) };
    if plan.requests.is_empty() {
        return Ok(Questions::default());
    }
    let host = &mut Separated::new(&call.places, host);
    let mut questions = policy(&call.options).questions(&mut work, plan, shape, host)?;
    for sent in questions.shown() {
        *sent = host.place(*sent)?;
    }
    Ok(questions)
}

/// Applies a plan. Without answers to its requests, code writes a digest.
///
/// # Errors
///
/// If the call is refused, or the host cannot read or create a message. Nothing is changed then.
pub fn commit(call: &Call, plan: &Plan, answers: Option<&[Answer]>, host: &mut dyn Host) -> Result<Committed, Error> {
    commit_answers(call, plan, (answers, None), host)
}

/// Applies a plan, with answers to the questions of this very call and plan.
///
/// # Errors
///
/// Those of [`commit`].
pub fn commit_answers(
    call: &Call,
    plan: &Plan,
    (answers, questions): (Option<&[Answer]>, Option<&Questions>),
    host: &mut dyn Host,
) -> Result<Committed, Error> {
    let host = &mut Separated::new(&call.places, host);
    let answered = answers.map(|answers| Answered { answers, questions });
    let done = policy(&call.options).commit(Work::new(call)?, plan, answered, None, host)?;
    placed(done, host)
}

/// What is sent by the places of the messages in what the host passed.
fn placed(mut done: Committed, host: &mut Separated<'_>) -> Result<Committed, Error> {
    for sent in &mut done.view {
        *sent = host.place(*sent)?;
    }
    Ok(done)
}

/// Learns from the usage reported for the pending request. Usage that does not match it is ignored.
pub fn after_model(options: &Options, state: &SessionState, usage: Reported, request: Option<&str>) -> SessionState {
    policy(options).after_model(options, state.clone(), usage, request)
}

/// Searches everything that the view does not show in full. Nothing is changed.
///
/// # Errors
///
/// If the call is refused, it has neither a query nor a reference, or the reference does not exist.
pub fn recall(call: &Call, asked: &Asked, host: &mut dyn Host) -> Result<Found, Error> {
    let work = Work::new(call)?;
    let host = &mut Separated::new(&call.places, host);
    recall::answer(&work.history, &work.state, &call.options.estimator, asked, host)
}

/// The configured policy.
fn policy(options: &Options) -> &'static dyn Policy {
    match options.preset {
        None => &Climbing,
        Some(Preset::Contextguard) => &Contextguard,
    }
}

/// The index of the first message that a host must load for a state, and its id if the format has ids.
pub fn keep_from(state: &SessionState) -> (u64, Option<&str>) {
    state.checkpoints.last().map_or((0, None), |checkpoint| (checkpoint.from, checkpoint.from_id.as_deref()))
}

/// The newest summary for people to read, including what code adds to it.
pub fn summary_of(state: &SessionState) -> Option<&str> {
    state.checkpoints.last().map(|checkpoint| checkpoint::body(&checkpoint.summary.text))
}
