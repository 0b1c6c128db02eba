//! The result of a commit, for the host.

use crate::base::json::Json;
use crate::call::standing::Standing;
use crate::ingest::host::Sent;
use crate::ladder::plan::{Plan, Spent};
use crate::ladder::preview::Preview;
use crate::report::Report;
use crate::report::change::Change;
use crate::session::state::SessionState;

/// The result of a commit.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The state to store.
    pub state: SessionState,
    /// What was done.
    pub report: Report,
    /// Whether the view differs from the input.
    pub changed: bool,
    /// The messages to send.
    pub view: Vec<Sent>,
    /// An optional next plan that would improve the view.
    pub next: Option<Plan>,
    /// What the next call for this chat can reuse.
    pub standing: Option<Standing>,
}

/// What a plan shows of a report.
pub(crate) fn preview(report: &Report) -> Preview {
    Preview { report: report.to_json(), changes: report.changes.iter().map(Change::to_json).collect() }
}

impl Committed {
    /// Adds the summarizer's calls and usage over all rounds of a call. The next plan carries them on.
    pub fn account(&mut self, plan: &Plan, results: &Json) {
        let results = results.list().unwrap_or_default();
        let report = &mut self.report;
        report.calls = plan.spent.calls + results.len() as u64;
        if plan.job.pieces == 0 {
            report.failed = report.failed.take().or_else(|| plan.spent.failed.clone());
        }
        let newest = results.iter().rev().map(|result| result.get("usage")).find(|usage| !usage.is_null());
        report.summarizer_usage = newest.unwrap_or(&plan.spent.usage).clone();
        if !plan.spent.before.is_null() {
            report.first_before = plan.spent.before.clone();
        }
        if let Some(next) = &mut self.next {
            next.preview.report = report.to_json();
            next.spent = Spent {
                calls: report.calls,
                failed: report.failed.clone(),
                usage: report.summarizer_usage.clone(),
                before: report.before_json(),
            };
        }
    }
}
