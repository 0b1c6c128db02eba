//! Plain data to and from JavaScript, by `serde-wasm-bindgen`. The only place with floating point: JavaScript's numbers.

use crate::error::{Code, Error};
use crate::json::Json;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;
use wasm_bindgen::JsValue;

/// Options, states and plans are flat; what is deeper than this has a cycle in it.
const DEEPEST: usize = 64;
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads plain data.
///
/// # Errors
/// When it holds functions or cycles, or cannot be read.
pub fn from_js(value: JsValue, path: &str, code: Code) -> Result<Json, Error> {
    Depth(0)
        .deserialize(serde_wasm_bindgen::Deserializer::from(value))
        .map_err(|_| Error::at(code, path, "Expected plain data: objects, arrays, strings, numbers, booleans and null, without cycles or functions."))
}

/// Writes plain data.
pub fn to_js(json: &Json) -> JsValue {
    Wire(json).serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// An error as the host's side expects it.
pub fn error_to_js(error: Error) -> JsValue {
    to_js(&Json::record([("code", error.code.as_str().into()), ("path", error.path.into()), ("advice", error.advice.into())]))
}

#[derive(Clone, Copy)]
struct Depth(usize);

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        if self.0 > DEEPEST {
            return Err(D::Error::custom("too deep"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self(self.0 + 1))? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            members.push((key, map.next_value_seed(Self(self.0 + 1))?));
        }
        Ok(Json::Object(members))
    }
}

#[allow(clippy::float_arithmetic, reason = "a JavaScript number is read into millionths here, once")]
fn number(value: f64) -> Json {
    if !value.is_finite() {
        return Json::NotANumber;
    }
    if value.fract() == 0.0 && value.abs() <= SAFE_INTEGER {
        return Json::Int(value as i64);
    }
    Json::Fraction { millionths: (value * 1e6).round() as i64, bits: value.to_bits() }
}

struct Wire<'a>(&'a Json);

impl Serialize for Wire<'_> {
    #[allow(clippy::float_arithmetic, reason = "millionths are written as a JavaScript number here, once")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Null | Json::NotANumber => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Int(value) => serializer.serialize_i64(*value),
            Json::Fraction { millionths, bits: 0 } => serializer.serialize_f64(*millionths as f64 / 1e6),
            Json::Fraction { bits, .. } => serializer.serialize_f64(f64::from_bits(*bits)),
            Json::Text(value) => serializer.serialize_str(value),
            Json::List(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(&Wire(item))?;
                }
                seq.end()
            }
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &Wire(value))?;
                }
                map.end()
            }
        }
    }
}
