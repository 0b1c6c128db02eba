//! A report of a provider beside what was sent.

use crate::base::archive::{Archive, Record};

/// What was sent, and what the provider reported for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageReading {
    /// The raw tokens of the whole request: view, system prompt, tools and overhead.
    pub raw: u64,
    /// The prompt tokens that the provider reported.
    pub reported: u64,
}

impl Record for UsageReading {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("raw", &mut self.raw);
        archive.count("reported", &mut self.reported);
    }
}
