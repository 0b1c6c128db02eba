//! What a rung may do.

use crate::ladder::hold::Hold;
use crate::ladder::shape::Shape;
use crate::session::reach::Reach;

/// A lasting edit: clips and clears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// Parts with more raw tokens than this are cut to it, in all present messages.
    pub cap: Option<u64>,
    /// The reach of the cut.
    pub reach: Reach,
    /// Results in messages before this history index are cleared.
    pub clear: Option<u64>,
    /// Whether only results of failed calls are cleared.
    pub failed: bool,
    /// Whether only results of tools that are cleared first are cleared.
    pub first: bool,
    /// Unsigned reasoning is left out of messages before this history index.
    pub thoughts: Option<u64>,
    /// Messages before this history index are not cut: they were sent as they are.
    pub unsent: Option<u64>,
    /// Up to which hold the edit affects messages that the host wants whole.
    pub over: Hold,
}

/// The next step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Move {
    /// Send the view as it is.
    #[default]
    Pass,
    /// Clip and clear.
    Edit(Edit),
    /// Cover the past.
    Compact(Shape),
    /// Nothing more helps.
    Stuck,
}
