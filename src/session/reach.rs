//! How far a lasting clip reaches, and the size above which clearing a part pays.

/// The clip reaches only tool results.
pub const RESULTS: u64 = 0;
/// It also reaches arguments of calls and media, in turns before the active one.
pub const ARGUMENTS: u64 = 1;
/// It also reaches assistant text in these turns.
pub const ASSISTANT: u64 = 2;
/// It also reaches user text and attachments of any turn. Used only if nothing else helps.
pub const EVERYTHING: u64 = 3;

/// Clearing a result below this many raw tokens does not pay.
pub const LEAST_CLEARED: u64 = 40;
