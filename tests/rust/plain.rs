//! JavaScript's numbers as plain data: what is read is what is written, to the bit.

use precis::base::json::Json;
use precis::wasm::plain::{fraction, number};
use proptest::prelude::*;

/// As it is written.
fn written(json: &Json) -> f64 {
    match json {
        Json::Int(value) => *value as f64,
        Json::Fraction { millionths, bits } => fraction(*millionths, *bits),
        other => panic!("{other:?} is no number"),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
        prop_assert_eq!(written(&number(value)), value);
    }

    #[test]
    fn whole_numbers_stay_whole(value in -9_007_199_254_740_991_i64..=9_007_199_254_740_991) {
        prop_assert_eq!(number(value as f64), Json::Int(value));
    }
}

#[test]
fn numbers_are_read_into_millionths() {
    assert_eq!(number(0.25).millionths(), Some(250_000));
    assert_eq!(number(-0.25).millionths(), Some(-250_000));
    assert_eq!(number(3.0), Json::Int(3));
    assert_eq!(
        number(9_007_199_254_740_993.0),
        Json::Fraction { millionths: i64::MAX, bits: 9_007_199_254_740_992_f64.to_bits() }
    );
    assert_eq!(number(f64::NAN), Json::NotANumber);
    assert_eq!(number(f64::INFINITY), Json::NotANumber);
}
