//! A clip: a lasting cut of large parts, as the state stores it.

use crate::base::archive::{Archive, Record};
use crate::model::message::Position;
use crate::session::reach::Reach;

/// A lasting edit: in messages before `up_to`, it cuts every part within its reach that is larger than `cap` raw
/// tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clip {
    /// The end of the messages that it affects.
    pub up_to: Position,
    /// The most raw tokens of a part.
    pub cap: u64,
    /// Which parts it reaches.
    pub reach: Reach,
    /// Messages before this index were old when the clip was made. Of assistant messages, only these are cut.
    pub old: u64,
    /// Results of messages before this index were already cleared when the clip was made. They stay cleared.
    pub cleared: u64,
    /// Failed results of messages before this index were already cleared.
    pub failed: u64,
}

impl Record for Clip {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("upTo", &mut self.up_to);
        archive.count("cap", &mut self.cap);
        self.reach.archive(archive);
        for (name, count) in [("old", &mut self.old), ("cleared", &mut self.cleared), ("failed", &mut self.failed)] {
            let mut some = Some(*count).filter(|&count| count > 0);
            archive.maybe_count(name, &mut some);
            *count = some.unwrap_or(0);
        }
    }
}
