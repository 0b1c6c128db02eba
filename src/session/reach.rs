//! How far a lasting clip reaches, and the size above which clearing a part pays.

use crate::base::archive::Archive;

/// The parts that a clip may cut. Each value reaches farther than the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Only tool results.
    #[default]
    Results,
    /// Also arguments of calls and media, in turns before the active one.
    Arguments,
    /// Also assistant text in these turns.
    Assistant,
    /// Also user text and attachments of any turn. Used only if nothing else helps.
    Everything,
}

/// Clearing a result below this many raw tokens does not pay.
pub const LEAST_CLEARED: u64 = 40;

impl Reach {
    /// As plain data: `typed` for the farthest, a number for those between, and no member for results only.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut typed = *self == Self::Everything;
        archive.flag("typed", &mut typed);
        let mut between = match self {
            Self::Arguments => Some(1),
            Self::Assistant => Some(2),
            Self::Results | Self::Everything => None,
        };
        archive.maybe_count("reach", &mut between);
        *self = match between {
            _ if typed => Self::Everything,
            None | Some(0) => Self::Results,
            Some(1) => Self::Arguments,
            Some(_) => Self::Assistant,
        };
    }
}
