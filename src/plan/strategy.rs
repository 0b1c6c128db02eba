//! When to compact although nothing is too large, and what to keep when compacting. One strategy a file.

use super::{Scene, full, last_tool_batch, sliding_window, tail};

/// A strategy: `fires(scene)` and `tail_start(scene)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Keep the newest groups within a share of the room.
    #[default]
    Tail,
    /// Summarize the whole past; the current request, pending calls and results not yet seen follow.
    Full,
    /// Fire on a number of messages too, keep the newest 30 % of it.
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

    /// Whether it compacts although the request fits.
    pub fn fires(self, scene: &Scene<'_>) -> bool {
        match self {
            Self::Tail | Self::Full | Self::LastToolBatch => false,
            Self::SlidingWindow => sliding_window::fires(scene),
        }
    }

    /// Whether nothing of ours and no older request stands between the request of the turn and the tail.
    pub fn is_bare(self) -> bool {
        self == Self::LastToolBatch
    }

    /// The message (as an input index) from which on it would like to keep everything. The ladder moves it to a legal cut.
    pub fn tail_start(self, scene: &Scene<'_>) -> usize {
        match self {
            Self::Tail => tail::tail_start(scene),
            Self::Full => full::tail_start(scene),
            Self::SlidingWindow => sliding_window::tail_start(scene),
            Self::LastToolBatch => last_tool_batch::tail_start(scene),
        }
    }
}
