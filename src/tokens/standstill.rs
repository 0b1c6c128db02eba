//! Reports that stand still while the request grows: a server that truncates silently reports what it has kept, and goes
//! on with a conversation whose beginning it dropped. Each step alone is small enough to be believed, so it is the drift
//! over several reports that is judged.
//!
//! If over at least three reports the request grew by a quarter and by 500 raw tokens, and the reports by less than a
//! tenth of that, the anchor and the slope from such reports are dropped (`usage-doubted`). Until a report lies
//! clearly above the highest of them, those that are no higher are not believed for requests that are estimated a
//! third above them. A small request that the server kept whole is believed. Servers that edit the history themselves
//! and report what is left are doubted as well.

use crate::base::archive::{Archive, Record};
use crate::tokens::reading::UsageReading;

/// Growth of a request, in raw tokens and as one part in this many of it, from which on reports must have grown as well.
const LEAST_GROWTH: u64 = 500;
const PART: u64 = 4;
/// Reports stand still if they grow by less than one part in this many of what the request does. Text never does, and
/// neither do media that are overestimated several times.
const STILL: u64 = 10;
/// Raw tokens that a request grows by at least from one report to the next, if that says anything.
const LEAST_STEP: u64 = 20;
/// One part in this many of the highest report is how far later ones may lie above it: whole messages are dropped.
const SPREAD: u64 = 20;

/// What is known of reports that stand still. Empty for servers that count what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standstill {
    /// The report since which they have not grown with the request.
    pub since: Option<UsageReading>,
    /// The highest of them, once they are doubted.
    pub most: Option<u64>,
}

impl Standstill {
    /// Whether a report is one of those that are doubted: no higher than they were, for a request that is larger.
    /// `own`: what the request is estimated at by its text alone.
    pub fn hides(&mut self, reading: UsageReading, own: u64) -> bool {
        let Some(most) = self.most else { return false };
        if reading.reported > most.saturating_add(most / SPREAD) {
            // The window of the server was raised, or another one answers.
            *self = Self::default();
            return false;
        }
        reading.reported < own - own / PART
    }

    /// Notes a report. Returns whether reports have stood still for so long that they are to be doubted. `last`: the one
    /// before it.
    pub fn begins(&mut self, last: Option<UsageReading>, reading: UsageReading) -> bool {
        let stands = |since: UsageReading, now: UsageReading| {
            now.raw > since.raw && now.reported <= since.reported.saturating_add((now.raw - since.raw) / STILL)
        };
        let Some(last) = last else { return false };
        let known = self.since.filter(|&since| stands(since, reading));
        let is_step = reading.raw > last.raw.saturating_add(LEAST_STEP) && stands(last, reading);
        self.since = known.or(Some(last).filter(|_| is_step));
        let Some(since) = self.since else { return false };
        let grown = reading.raw - since.raw;
        // One step proves nothing: it may be a compaction, or a request that somebody else counted.
        let is_drift = last != since && stands(since, last) && grown > LEAST_GROWTH.max(since.raw / PART);
        if is_drift {
            self.most = Some(since.reported.max(last.reported).max(reading.reported));
            self.since = None;
        }
        is_drift
    }
}

impl Record for Standstill {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.maybe_record("since", &mut self.since);
        archive.maybe_count("most", &mut self.most);
    }
}
