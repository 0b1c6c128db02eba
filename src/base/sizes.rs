//! Counts as sizes, which have 32 bits in wasm and 64 elsewhere.

/// A count as a size, or the largest size if it is larger.
pub fn of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
