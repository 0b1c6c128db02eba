//! Logarithms in whole numbers: without floating point they are the same on every machine.

/// The logarithm to the base 2, in 65,536ths.
pub fn of(number: u64) -> u64 {
    let zeros = number.leading_zeros();
    let mut rest = number << zeros >> 32;
    let mut log = u64::from(63 - zeros);
    for _ in 0..16 {
        rest = (rest * rest) >> 31;
        log <<= 1;
        if rest >> 32 > 0 {
            rest >>= 1;
            log |= 1;
        }
    }
    log
}
