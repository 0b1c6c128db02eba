//! Converts plain data to and from JavaScript values.

use super::plain::{fraction, number};
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use js_sys::{Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = Object)]
    type Members;

    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Members, name: &JsValue, value: &JsValue);
}

/// Creates an object from its members.
pub fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object: Members = Object::new().unchecked_into();
    for (name, value) in members {
        set(&object, name, value);
    }
    object.into()
}

/// Sets a member. Its name crosses the boundary unless it is one of [`NAMES`].
fn set(object: &Members, name: &str, value: &JsValue) {
    match NAMES.iter().position(|known| *known == name) {
        Some(at) => KEYS.with(|keys| object.set(&keys[at], value)),
        None => object.set(&JsValue::from_str(name), value),
    }
}

thread_local! {
    /// [`NAMES`] as JavaScript strings.
    static KEYS: [JsValue; NAMES.len()] = NAMES.map(JsValue::from_str);
}

/// Names of members in every result: they cross once per instance. Other names are never cached, because there is no
/// limit to them.
const NAMES: [&str; 22] = [
    "records",
    "again",
    "numbers",
    "texts",
    "standing",
    "request",
    "tokens",
    "raw",
    "window",
    "trigger",
    "fraction",
    "bound",
    "untilCompaction",
    "source",
    "parts",
    "system",
    "tools",
    "user",
    "assistant",
    "toolResults",
    "media",
    "summary",
];

/// Converts a number to a JavaScript number. Other values become NaN.
#[allow(clippy::cast_precision_loss, reason = "whole numbers here are at most 2^53")]
pub fn float(json: &Json) -> f64 {
    match json {
        Json::Int(value) => *value as f64,
        Json::Fraction { millionths, bits } => fraction(*millionths, *bits),
        _ => f64::NAN,
    }
}

/// Converts plain data to a JavaScript value.
pub fn to_js(json: &Json) -> JsValue {
    match json {
        Json::Null | Json::NotANumber => JsValue::NULL,
        Json::Bool(value) => JsValue::from_bool(*value),
        Json::Int(_) | Json::Fraction { .. } => JsValue::from_f64(float(json)),
        Json::Text(text) => JsValue::from_str(text),
        Json::List(items) => items.iter().map(to_js).collect::<Array>().into(),
        Json::Object(members) => {
            let object: Members = Object::new().unchecked_into();
            for (name, value) in members {
                if name == "__proto__" {
                    define(&object, name, &to_js(value));
                } else {
                    set(&object, name, &to_js(value));
                }
            }
            object.into()
        }
    }
}

/// Defines a member that would set the prototype if it were assigned.
fn define(object: &Object, name: &str, value: &JsValue) {
    let yes = JsValue::TRUE;
    let how = [("value", value.clone()), ("enumerable", yes.clone()), ("configurable", yes.clone()), ("writable", yes)];
    // A new object accepts any property.
    let _ = Reflect::define_property(object, &name.into(), &self::object(&how).unchecked_into());
}

/// Reads plain data that JavaScript passed.
///
/// # Errors
///
/// If it is not plain data. The error has this `path` and `code`.
pub fn plain(value: JsValue, path: &str, code: Code) -> Result<Json, Error> {
    read(&value).ok_or_else(|| {
        Error::at(
            code,
            path,
            "Expected plain data: objects, arrays, strings, numbers, booleans and null, without cycles or functions.",
        )
    })
}

/// `None` if it is not plain data. `js/src/boundary/plain.ts` made the copy that is read: it has an end, and no getters.
fn read(value: &JsValue) -> Option<Json> {
    if value.is_null() || value.is_undefined() {
        return Some(Json::Null);
    }
    if let Some(value) = value.as_f64() {
        return Some(number(value));
    }
    if let Some(text) = value.as_string() {
        return Some(Json::Text(text));
    }
    if let Some(value) = value.as_bool() {
        return Some(Json::Bool(value));
    }
    if Array::is_array(value) {
        return value.unchecked_ref::<Array>().iter().map(|item| read(&item)).collect::<Option<_>>().map(Json::List);
    }
    if value.is_function() || !value.is_object() {
        return None;
    }
    let entries = Object::entries(value.unchecked_ref());
    let member = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        Some((entry.get(0).as_string()?, read(&entry.get(1))?))
    };
    entries.iter().map(member).collect::<Option<_>>().map(Json::Object)
}

/// A member of an object that our own JavaScript created.
pub fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

/// Converts an array of words. `None` if there is none.
pub fn words(value: JsValue) -> Option<Vec<u32>> {
    value.dyn_into::<Uint32Array>().ok().map(|words| words.to_vec())
}

/// Converts an engine error to what JavaScript throws: `{ code, path, advice }`.
pub fn thrown(error: Error) -> JsValue {
    object(&[
        ("code", error.code.as_str().into()),
        ("path", error.path.as_deref().map_or(JsValue::NULL, JsValue::from_str)),
        ("advice", error.advice.as_str().into()),
    ])
}

/// The error if the two sides of the boundary do not match.
#[cold]
pub fn gone() -> JsValue {
    thrown(Error::new(
        Code::Boundary,
        "The JavaScript and the engine of precis are of different builds. Reinstall precis.",
    ))
}
