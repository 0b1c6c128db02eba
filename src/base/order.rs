//! Sorting by a number. The standard library's sort is compiled for each type and key, five to eight kilobytes each time;
//! this one sorts keys, and moves the items once.

/// Sorts by a key, smallest first, equals in their order.
pub fn by_key<T>(items: &mut Vec<T>, key: impl Fn(&T) -> u128) {
    let mut keys: Vec<(u128, usize)> = items.iter().map(key).zip(0..).collect();
    sort(&mut keys);
    let mut old: Vec<Option<T>> = core::mem::take(items).into_iter().map(Some).collect();
    items.extend(keys.into_iter().filter_map(|(_, at)| old[at].take()));
}

/// Sorts numbers, smallest first.
#[inline(never)]
pub fn numbers(items: &mut Vec<u64>) {
    by_key(items, |&number| number.into());
}

/// Sorts indices, smallest first.
#[inline(never)]
pub fn indices(items: &mut Vec<usize>) {
    by_key(items, |&index| index as u128);
}

#[inline(never)]
fn sort(keys: &mut [(u128, usize)]) {
    keys.sort_unstable();
}

/// A key of two numbers, of which the first decides.
pub const fn both(first: u64, second: u64) -> u128 {
    (first as u128) << 64 | second as u128
}
