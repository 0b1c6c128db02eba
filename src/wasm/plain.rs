//! JavaScript's numbers as plain data. This is the only place with floating point.

use crate::base::json::Json;

/// The largest number up to which JavaScript represents all whole numbers: 2^53 - 1.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads a number: whole, or in millionths with its exact bits.
#[allow(clippy::float_arithmetic, reason = "a JavaScript number is read into millionths here, once")]
pub fn number(value: f64) -> Json {
    if !value.is_finite() {
        return Json::NotANumber;
    }
    let whole = value as i64;
    #[allow(clippy::cast_precision_loss, reason = "compared with what it was made of")]
    if whole as f64 == value && (-SAFE_INTEGER..=SAFE_INTEGER).contains(&value) {
        return Json::Int(whole);
    }
    Json::Fraction { millionths: (value * 1e6 + if value < 0.0 { -0.5 } else { 0.5 }) as i64, bits: value.to_bits() }
}

/// A fraction as a JavaScript number. It is exact if it came from there.
#[allow(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a number is written as JavaScript has it")]
pub fn fraction(millionths: i64, bits: u64) -> f64 {
    if bits == 0 { millionths as f64 / 1e6 } else { f64::from_bits(bits) }
}
