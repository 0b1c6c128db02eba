//! Counts as sizes, which have 32 bits in wasm and 64 elsewhere.

/// A count as a size, or the largest size if it is larger.
pub fn of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_count_that_is_too_large_is_the_largest_size_and_not_what_is_left_of_its_bits() {
        assert_eq!([0, 7, u64::from(u32::MAX), u64::MAX].map(super::of), [0, 7, u32::MAX as usize, usize::MAX]);
    }
}
