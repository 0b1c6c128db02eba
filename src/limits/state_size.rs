//! How large a state may grow. These numbers depend on each other: a digest at its longest and a memory at its default
//! must fit together, with everything else that a state holds, into 64,000 bytes of JSON.

/// The most bytes of the texts and the memory together, in JSON. The lists of [`LIST_BYTES`] and everything else, about
/// 3,500, come on top of that.
pub const STATE_BYTES: usize = 57_500;
/// The bytes of lists that grow with the history: clips, rewrites, our own parts, the messages that edits spare and those that
/// checkpoints keep. A compaction takes what is beyond that from older texts and the memory. The newest text is no
/// shorter for it, so a state is larger if a checkpoint keeps thousands of messages, and until the next compaction if
/// edits make the lists longer.
pub const LIST_BYTES: usize = 3_000;
/// About the bytes of a clip and of a rewrite in JSON.
pub const CLIP_BYTES: usize = 128;
/// See [`CLIP_BYTES`].
pub const REWRITE_BYTES: usize = 55;
/// The most bytes of what is noted of our own parts in one view: its marks and its runs, in JSON.
pub const OWN_BYTES: usize = 900;
/// The most bytes of text in all checkpoints. The oldest are removed first.
pub const TEXT_BYTES: usize = 37_000;
/// The most raw tokens of a digest that fills the remaining room.
pub const DIGEST_TOKENS: u64 = 7_500;
/// The most bytes of a digest, so that a memory at its default has room beside it.
pub const DIGEST_BYTES: usize = 27_000;
/// The most bytes of members that this version does not know. A later minor version adds a few small ones.
pub const UNKNOWN_BYTES: usize = 16_000;
/// The default of `tune.memory`, in bytes of JSON: what [`STATE_BYTES`] leaves beside the longest digest, roughly.
pub const MEMORY_BYTES: u64 = 32_000;

/// The bytes of a list of indices in JSON.
pub fn indices_bytes(indices: &[u64]) -> usize {
    indices.iter().map(|index| index.checked_ilog10().unwrap_or(0) as usize + 2).sum()
}
