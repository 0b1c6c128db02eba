//! How large a state may grow. These numbers depend on each other: a digest at its longest and a memory at its default
//! must fit together, with everything else that a state holds, into 64,000 bytes of JSON.

/// The most bytes of the texts and the memory together, in JSON. Everything else takes less than 6,500.
pub const STATE_BYTES: usize = 57_500;
/// The most bytes of text in all checkpoints. The oldest are removed first.
pub const TEXT_BYTES: usize = 33_000;
/// The most raw tokens of a digest that fills the remaining room: 30,000 bytes, so that an older text has room beside it.
pub const DIGEST_TOKENS: u64 = 7_500;
/// The default of `tune.memory`, in bytes of text: what [`STATE_BYTES`] leaves beside the longest digest, roughly.
pub const MEMORY_BYTES: u64 = 28_000;
