//! The names of the strategies. A strategy decides what a compaction keeps and may add a reason to start one. They are
//! in `ladder/strategies`.

/// What a compaction keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The newest groups, up to a share of the room.
    #[default]
    Tail,
    /// Only the current request, pending calls and unseen results. Everything else is summarized.
    Full,
    /// The newest messages: 30 % of a number of messages that also starts a compaction.
    SlidingWindow,
    /// The current request and the last batch of calls made for it. Everything else is summarized (Agno).
    LastToolBatch,
}

impl Strategy {
    /// The names by which a host selects a strategy.
    pub const NAMES: &'static [&'static str] = &["tail", "full", "sliding-window", "last-tool-batch"];

    /// The strategy with this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "tail" => Some(Self::Tail),
            "full" => Some(Self::Full),
            "sliding-window" => Some(Self::SlidingWindow),
            "last-tool-batch" => Some(Self::LastToolBatch),
            _ => None,
        }
    }

    /// Whether neither a progress note nor an older request stays between the current request and the tail.
    pub fn is_bare(self) -> bool {
        self == Self::LastToolBatch
    }
}
