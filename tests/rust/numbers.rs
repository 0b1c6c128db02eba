//! Whole numbers: logarithms, and counts as sizes.

use precis::base::{logarithm, sizes};

#[test]
fn logarithms_are_those_of_the_base_2() {
    assert_eq!([1, 2, 1 << 40].map(logarithm::of), [0, 1 << 16, 40 << 16]);
    // 1.58496 and 3.32193.
    assert_eq!([3, 10].map(logarithm::of), [103_872, 217_705]);
    assert!((1..10_000).all(|number| logarithm::of(number) <= logarithm::of(number + 1)));
}

#[test]
fn a_count_that_is_too_large_is_the_largest_size_and_not_what_is_left_of_its_bits() {
    assert_eq!([0, 7, u64::from(u32::MAX), u64::MAX].map(sizes::of), [0, 7, u32::MAX as usize, usize::MAX]);
}
