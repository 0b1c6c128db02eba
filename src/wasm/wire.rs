//! Plain data to and from JavaScript. The only place with floating point: JavaScript's numbers.
//!
//! Written by hand, for size: `serde` with `serde-wasm-bindgen` does the same and brings the formatting of floats.

use super::js::{self, Array, Object};
use crate::error::{Code, Error};
use crate::json::Json;
use crate::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

/// Options, states and plans are flat; what is deeper than this has a cycle in it.
const DEEPEST: usize = 64;
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads plain data.
///
/// # Errors
/// When it holds functions or cycles, or cannot be read.
pub fn from_js(value: &JsValue, path: &str, code: Code) -> Result<Json, Error> {
    read(value, 0).ok_or_else(|| {
        Error::at(
            code,
            path,
            "Expected plain data: objects, arrays, strings, numbers, booleans and null, without cycles or functions.",
        )
    })
}

fn read(value: &JsValue, depth: usize) -> Option<Json> {
    if value.is_null() || value.is_undefined() {
        return Some(Json::Null);
    }
    if let Some(number) = value.as_f64() {
        return Some(read_number(number));
    }
    if let Some(bool) = value.as_bool() {
        return Some(Json::Bool(bool));
    }
    if let Some(text) = value.as_string() {
        return Some(Json::Text(text));
    }
    if depth > DEEPEST || !value.is_object() {
        return None;
    }
    if Array::is_array(value) {
        let items: &Array = value.unchecked_ref();
        let mut out = Vec::with_capacity(items.length() as usize);
        for index in 0..items.length() {
            out.push(read(&items.get(index), depth + 1)?);
        }
        return Some(Json::List(out));
    }
    let mut members = Vec::new();
    let keys = js::own_keys(value).ok()?;
    for index in 0..keys.length() {
        let key = keys.get(index);
        // A symbol is no member of plain data.
        let Some(name) = key.as_string() else { continue };
        members.push((name, read(&js::get(value, &key).ok()?, depth + 1)?));
    }
    Some(Json::Object(members))
}

#[allow(clippy::float_arithmetic, reason = "a JavaScript number is read into millionths here, once")]
fn read_number(value: f64) -> Json {
    if !value.is_finite() {
        return Json::NotANumber;
    }
    let whole = value as i64;
    if whole as f64 == value && (-SAFE_INTEGER..=SAFE_INTEGER).contains(&value) {
        return Json::Int(whole);
    }
    Json::Fraction { millionths: (value * 1e6 + if value < 0.0 { -0.5 } else { 0.5 }) as i64, bits: value.to_bits() }
}

/// Writes plain data.
#[allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "whole numbers and millionths are written as JavaScript numbers here, once"
)]
pub fn to_js(json: &Json) -> JsValue {
    match json {
        Json::Null | Json::NotANumber => JsValue::NULL,
        Json::Bool(value) => JsValue::from_bool(*value),
        Json::Int(value) => JsValue::from_f64(*value as f64),
        Json::Fraction { millionths, bits: 0 } => JsValue::from_f64(*millionths as f64 / 1e6),
        Json::Fraction { bits, .. } => JsValue::from_f64(f64::from_bits(*bits)),
        Json::Text(value) => JsValue::from_str(value),
        Json::List(items) => {
            let out = Array::new();
            for item in items {
                out.push(&to_js(item));
            }
            out.into()
        }
        Json::Object(members) => {
            let out = Object::new();
            for (key, value) in members {
                out.member(key, &to_js(value));
            }
            out.into()
        }
    }
}

/// An error as the host's side expects it.
pub fn error_to_js(error: Error) -> JsValue {
    to_js(&Json::record(&mut [
        ("code", error.code.as_str().into()),
        ("path", error.path.clone().into()),
        ("advice", error.advice.as_str().into()),
    ]))
}
