//! The interface of a policy, which keeps a chat inside its window. The ladder is one policy, each preset another.

use crate::base::error::Error;
use crate::call::bound::Start;
use crate::call::committed::Committed;
use crate::call::context::Work;
use crate::engine::questions::{Answered, Questions};
use crate::ingest::host::Host;
use crate::ladder::plan::Plan;
use crate::ladder::shape::Shape;
use crate::limits::options::Options;
use crate::report::Usage;
use crate::session::state::SessionState;
use crate::tokens::calibration::Reported;

/// Keeps a chat inside its window. Every method takes a call whose history is placed.
pub(crate) trait Policy: Sync {
    /// Measures how full the window is with what the state would send now.
    fn usage(&self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<Usage, Error>;

    /// Decides. Also returns how the call begins, if the policy looks at that. `asks`: also prepares the requests to a
    /// summarizer, for which the past may have to be read.
    fn plan(&self, work: &mut Work<'_>, asks: bool, host: &mut dyn Host) -> Result<(Plan, Option<Start>), Error>;

    /// Returns the requests to the summarizer, with what their answers are measured by.
    fn questions(
        &self,
        work: &mut Work<'_>,
        plan: &Plan,
        shape: &Shape,
        host: &mut dyn Host,
    ) -> Result<Questions, Error>;

    /// Applies a plan. `start`: how the call begins, if this work has begun.
    fn commit(
        &self,
        work: Work<'_>,
        plan: &Plan,
        answered: Option<Answered<'_>>,
        start: Option<Start>,
        host: &mut dyn Host,
    ) -> Result<Committed, Error>;

    /// Learns from the usage reported for the pending request. Usage that does not match it is ignored.
    fn after_model(
        &self,
        options: &Options,
        state: SessionState,
        usage: Reported,
        request: Option<&str>,
    ) -> SessionState;
}
