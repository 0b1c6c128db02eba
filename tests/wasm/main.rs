//! The bindings, run in a JavaScript engine: conversion of plain data, refusals, the digesting of a tape, a whole call.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use js_sys::{Function, JSON, Object, Reflect, Uint32Array};
use precis::wasm::{self, JsHost, Reading};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn json(text: &str) -> JsValue {
    JSON::parse(text).unwrap()
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap()
}

fn set(object: &JsValue, name: &str, value: &JsValue) {
    Reflect::set(object, &JsValue::from_str(name), value).unwrap();
}

fn code(error: &JsValue) -> (String, Option<String>) {
    (get(error, "code").as_string().unwrap(), get(error, "path").as_string())
}

#[wasm_bindgen_test]
fn options_are_judged_with_their_path() {
    assert_eq!(
        wasm::validate(
            json(r#"{"contextWindow": 8000, "tune": {"tokens": {"estimator": "bytes4", "family": "o200k"}}}"#),
            None
        )
        .unwrap(),
        "bytes4:o200k"
    );
    let refused = |options: &str| code(&wasm::validate(json(options), None).unwrap_err());
    assert_eq!(refused(r#"{"tune": {"stratgy": "full"}}"#), ("unknown-option".into(), Some("tune.stratgy".into())));
    assert_eq!(
        refused(r#"{"tune": {"shares": {"tail": 2}}}"#),
        ("invalid-option".into(), Some("tune.shares.tail".into()))
    );
    assert_eq!(code(&wasm::validate(Function::new_no_args("").into(), None).unwrap_err()).0, "invalid-option");
}

#[wasm_bindgen_test]
fn a_share_with_a_fraction_is_read() {
    assert!(wasm::validate(json(r#"{"tune": {"shares": {"tail": 0.25}}}"#), None).is_ok());
}

#[wasm_bindgen_test]
fn cycles_and_functions_are_refused_not_followed() {
    let state = json(r#"{"version": 1, "revision": 3}"#);
    set(&state, "later", &state);
    assert_eq!(code(&wasm::keep_from(state).unwrap_err()).0, "invalid-state");
    let state = json(r#"{"version": 1, "revision": 3}"#);
    set(&state, "later", &Function::new_no_args(""));
    assert_eq!(code(&wasm::keep_from(state).unwrap_err()).0, "invalid-state");
}

#[wasm_bindgen_test]
fn members_of_a_later_version_survive_to_the_bit() {
    let given = r#"{"version":1,"revision":3,"later":{"share":0.1,"big":9007199254740991,"list":[null,true,"é 🙂"],"tiny":5e-324}}"#;
    let usage = json(r#"{"prompt": null, "output": null}"#);
    let state = wasm::after_model(json(r#"{"contextWindow": 8000}"#), json(given), usage, JsValue::UNDEFINED).unwrap();
    let later = |text: JsValue| String::from(JSON::stringify(&get(&text, "later")).unwrap());
    assert_eq!(later(state), later(json(given)));
}

/// The records of one user message.
fn record(text: &str) -> Uint32Array {
    let mut reading = Reading::new("bytes4").unwrap();
    write(&reading, text);
    reading.push(&[1, 1, 2, 0, 16, text.len() as u32], text.len()).unwrap();
    Uint32Array::from(&reading.finish().unwrap()[..])
}

fn write(reading: &Reading, text: &str) {
    let memory = wasm_bindgen::memory().unchecked_into::<js_sys::WebAssembly::Memory>().buffer();
    let view =
        js_sys::Uint8Array::new_with_byte_offset_and_length(&memory, reading.pointer() as u32, text.len() as u32);
    view.copy_from(text.as_bytes());
}

#[wasm_bindgen_test]
fn a_reading_takes_text_from_its_buffer_and_refuses_nonsense() {
    assert_eq!(record("twelve bytes").get_index(8), 3);
    let mut reading = Reading::new("bytes4").unwrap();
    assert_eq!(code(&reading.push(&[99], 0).unwrap_err()).0, "boundary-mismatch");
    assert_eq!(code(&reading.push(&[], 70_000).unwrap_err()).0, "boundary-mismatch");
    assert!(Reading::new("tiktoken").is_err());
}

fn call(state: &JsValue) -> JsValue {
    let call: JsValue = Object::new().into();
    set(&call, "options", &json(r#"{"contextWindow": 2000, "maxOutputTokens": 100}"#));
    set(&call, "window", &2_000.into());
    set(&call, "state", state);
    call
}

fn host() -> JsHost {
    let host = json("{}");
    set(&host, "read", &Function::new_with_args("inputs", "throw new TypeError('no text here')"));
    host.unchecked_into()
}

#[wasm_bindgen_test]
fn a_call_that_fits_goes_out_as_it_is() {
    let records = record("hello").to_vec();
    let begun = wasm::begin(call(&JsValue::NULL), records, vec![0], &host()).unwrap();
    assert_eq!(get(&begun, "changed").as_bool(), Some(false));
    assert_eq!(get(&begun, "view").unchecked_into::<Uint32Array>().to_vec(), [0, 0, 1]);
    assert_eq!(get(&get(&begun, "report"), "outcome").as_string().unwrap(), "unchanged");
}

#[wasm_bindgen_test]
fn what_the_host_throws_comes_out_as_it_was_thrown() {
    let text = "x".repeat(40_000);
    let mut records = record(&text).to_vec();
    records.extend(record(&text).to_vec());
    let thrown = wasm::begin(call(&JsValue::NULL), records, vec![0; 2], &host()).unwrap_err();
    assert_eq!(String::from(thrown.unchecked_into::<js_sys::Error>().message()), "no text here");
}
