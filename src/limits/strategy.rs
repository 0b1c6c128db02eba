//! The names of the strategies. A strategy decides what a compaction keeps and may add a reason to start one. They are
//! in `ladder/strategies`.

use crate::base::named::named;

named! {
    /// What a compaction keeps.
    #[derive(Default)]
    Strategy {
        /// The newest groups, up to a share of the room.
        #[default]
        Tail = "tail",
        /// Only the current request, pending calls and unseen results. Everything else is summarized.
        Full = "full",
        /// The newest messages: 30 % of a number of messages that also starts a compaction.
        SlidingWindow = "sliding-window",
        /// The current request and the last batch of calls made for it. Everything else is summarized (Agno).
        LastToolBatch = "last-tool-batch",
    }
}

impl Strategy {
    /// Whether neither a progress note nor an older request stays between the current request and the tail.
    pub fn is_bare(self) -> bool {
        self == Self::LastToolBatch
    }
}
