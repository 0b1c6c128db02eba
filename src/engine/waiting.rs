//! A call that waits for its summarizer, round by round.

use crate::base::error::Error;
use crate::base::json::Json;
use crate::call::committed::Committed;
use crate::call::input::Call;
use crate::engine;
use crate::engine::questions::Questions;
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::summary::request::Request;
use crate::summary::verify::Answer;

/// A call and its plan between two rounds. The host awaits the answers; each step is synchronous.
#[derive(Clone, Debug)]
pub struct Waiting {
    call: Call,
    plan: Plan,
    /// What was asked last.
    questions: Option<Questions>,
}

impl Waiting {
    /// A call with the plan that was made for it.
    pub const fn new(call: Call, plan: Plan) -> Self {
        Self { call, plan, questions: None }
    }

    /// Returns the requests of this round.
    ///
    /// # Errors
    ///
    /// Those of [`requests`](engine::requests).
    pub fn requests(&mut self, host: &mut dyn Host) -> Result<impl Iterator<Item = &Request>, Error> {
        let questions = engine::questions(&self.call, &self.plan, host)?;
        Ok(self.questions.insert(questions).requests())
    }

    /// Commits the answers, a list of `{ text, finish, usage }` or `{ error }` in the order of the requests. If the
    /// result has a next plan, this value is ready for another round.
    ///
    /// # Errors
    ///
    /// Those of [`commit`](engine::commit).
    pub fn commit(&mut self, results: &Json, host: &mut dyn Host) -> Result<Committed, Error> {
        let (answers, questions) = (Answer::all(results), self.questions.take());
        let answered = (answers.as_deref(), questions.as_ref());
        let mut done = engine::commit_answers(&self.call, &self.plan, answered, host)?;
        done.account(&self.plan, results);
        if let Some(next) = &done.next {
            self.plan.clone_from(next);
            self.call.state.clone_from(&done.state);
            // The state now holds what was learned from a refusal.
            self.call.refusal = None;
        }
        Ok(done)
    }
}
