//! A call that waits for its summarizer: what it asks, and what comes of the answers, round by round.

use crate::base::error::Error;
use crate::base::json::Json;
use crate::call::committed::Committed;
use crate::call::input::Call;
use crate::engine;
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::summary::request::Request;
use crate::summary::verify::Answer;

/// A call and its plan between two rounds. Whoever awaits the answers drives it; each step is synchronous.
#[derive(Clone, Debug)]
pub struct Waiting {
    call: Call,
    plan: Plan,
}

impl Waiting {
    /// A call with a plan that was made for it.
    pub const fn new(call: Call, plan: Plan) -> Self {
        Self { call, plan }
    }

    /// What this round asks.
    ///
    /// # Errors
    /// As [`requests`](engine::requests).
    pub fn requests(&self, host: &mut dyn Host) -> Result<Vec<Request>, Error> {
        engine::requests(&self.call, &self.plan, host)
    }

    /// What comes of the answers: a list of `{ text, finish, usage }` and `{ error }`, in the order of the requests. If it
    /// has a next plan, another round follows, which this value is ready for.
    ///
    /// # Errors
    /// As [`commit`](engine::commit).
    pub fn commit(&mut self, results: &Json, host: &mut dyn Host) -> Result<Committed, Error> {
        let mut done = engine::commit(&self.call, &self.plan, Answer::all(results).as_deref(), host)?;
        done.account(&self.plan, results);
        if let Some(next) = &done.next {
            self.plan.clone_from(next);
            self.call.state.clone_from(&done.state);
            // What a refusal teaches is in the state now.
            self.call.refusal = None;
        }
        Ok(done)
    }
}
