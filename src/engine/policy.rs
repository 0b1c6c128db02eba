//! What a way to keep a chat inside its window has to do. The ladder is one, each preset another.

use crate::base::error::Error;
use crate::call::committed::Committed;
use crate::call::context::Work;
use crate::ingest::host::Host;
use crate::ladder::compact::Shape;
use crate::ladder::plan::Plan;
use crate::limits::options::Options;
use crate::report::Usage;
use crate::session::state::SessionState;
use crate::session::view::View;
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::calibration::Reported;

/// A way to keep a chat inside its window. Every step gets a call with its history placed.
pub(crate) trait Policy: Sync {
    /// How full the window is with what the state would send now.
    fn usage(&self, work: &mut Work<'_>, host: &mut dyn Host) -> Result<Usage, Error>;

    /// Decides; also gives what would be sent now, if it is known. `asks`: what to ask a summarizer is made out as well,
    /// for which the past may have to be read.
    fn plan(&self, work: &mut Work<'_>, asks: bool, host: &mut dyn Host) -> Result<(Plan, Option<View>), Error>;

    /// What a plan asks a summarizer for, with the texts.
    fn requests(
        &self,
        work: &mut Work<'_>,
        plan: &Plan,
        shape: &Shape,
        host: &mut dyn Host,
    ) -> Result<Vec<Request>, Error>;

    /// Applies a plan. `first`: what would be sent without it, if it is known.
    fn commit(
        &self,
        work: Work<'_>,
        plan: &Plan,
        answers: Option<&[Answer]>,
        first: Option<View>,
        host: &mut dyn Host,
    ) -> Result<Committed, Error>;

    /// Learns from what a provider reported for the request that is pending. Anything that does not fit is ignored.
    fn after_model(
        &self,
        options: &Options,
        state: SessionState,
        usage: Reported,
        request: Option<&str>,
    ) -> SessionState;
}
