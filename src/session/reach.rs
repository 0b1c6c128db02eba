//! How far a lasting cut reaches, and from which size on a part is worth a placeholder.

/// How far a clip reaches: tool results only.
pub const RESULTS: u64 = 0;
/// … and arguments of calls and media, in turns before the active one.
pub const ARGUMENTS: u64 = 1;
/// … and what the assistant wrote in them.
pub const ASSISTANT: u64 = 2;
/// … and what users wrote and attached, whenever that was. Only when nothing else helps.
pub const EVERYTHING: u64 = 3;

/// A result smaller than this is not worth a placeholder.
pub const LEAST_CLEARED: u64 = 40;
