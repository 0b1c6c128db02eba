//! What a plan shows to people. Decisions do not depend on it, so it comes back from a host as it was stored.

use crate::base::archive::Archive;
use crate::base::json::Json;

/// What is planned, as a report tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The report, with the names of the public types.
    pub report: Json,
    /// The changes to messages, likewise.
    pub changes: Vec<Json>,
}

impl Preview {
    /// Reads or writes it as members of the plan that it belongs to.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.plain("report", &mut self.report);
        for (name, action) in [("covers", "cover"), ("clears", "clear"), ("clips", "clip")] {
            let of = |change: &&Json| change.get("action").text() == Some(action);
            let mut list = Json::List(self.changes.iter().filter(of).cloned().collect());
            archive.plain(name, &mut list);
            if archive.reads() {
                self.changes.extend_from_slice(list.list().unwrap_or_default());
            }
        }
    }
}
