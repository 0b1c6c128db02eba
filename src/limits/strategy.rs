//! The strategies by name: what a compaction keeps, and whether it has reasons of its own to begin. What each does is
//! in `plan/strategies`.

/// What a compaction keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Keep the newest groups within a share of the room.
    #[default]
    Tail,
    /// Summarize the whole past; the current request, pending calls and results not yet seen follow.
    Full,
    /// Compact on a number of messages too, keep the newest 30 % of it.
    SlidingWindow,
    /// Summarize all but the current request and the last batch of calls made for it (Agno).
    LastToolBatch,
}

impl Strategy {
    /// The names by which hosts choose.
    pub const NAMES: &'static [&'static str] = &["tail", "full", "sliding-window", "last-tool-batch"];

    /// The strategy of a name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "tail" => Some(Self::Tail),
            "full" => Some(Self::Full),
            "sliding-window" => Some(Self::SlidingWindow),
            "last-tool-batch" => Some(Self::LastToolBatch),
            _ => None,
        }
    }

    /// Whether nothing of ours and no older request stands between the request of the turn and the tail.
    pub fn is_bare(self) -> bool {
        self == Self::LastToolBatch
    }
}
