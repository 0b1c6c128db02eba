//! How firmly a message is held.

/// How firmly a message is held, that is, stays whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Not at all.
    #[default]
    Free,
    /// The arguments of its calls stay, as long as the message is in the view.
    Inputs,
    /// Its group has one of the newest results of a tool.
    Kept,
    /// Its group has a result that is always kept.
    Always,
    /// Its group has a result of a tool that no rung affects.
    Excluded,
}

impl Hold {
    /// All values, the weakest first.
    pub const ALL: [Self; 5] = [Self::Free, Self::Inputs, Self::Kept, Self::Always, Self::Excluded];
}
