//! Converts plain data to and from every format of serde: JavaScript values in the module, JSON in tests.
//!
//! This is the only place with floating point, for JavaScript's numbers.

use crate::base::json::Json;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// The largest number up to which JavaScript represents all whole numbers: 2^53 - 1.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Plain)
    }
}

struct Plain;

impl<'de> Visitor<'de> for Plain {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        i64::try_from(value).map(Json::Int).map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[allow(clippy::float_arithmetic, reason = "a JavaScript number is read into millionths here, once")]
fn number(value: f64) -> Json {
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

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null | Self::NotANumber => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Fraction { millionths, bits } => serializer.serialize_f64(fraction(*millionths, *bits)),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

/// A fraction as a JavaScript number. It is exact if it came from there.
#[allow(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a number is written as JavaScript has it")]
pub(crate) fn fraction(millionths: i64, bits: u64) -> f64 {
    if bits == 0 { millionths as f64 / 1e6 } else { f64::from_bits(bits) }
}
