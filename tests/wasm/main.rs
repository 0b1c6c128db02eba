//! The module as its host sees it, run as wasm: typed exports, refusals, a tape, a whole call.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use js_sys::{Function, JSON, Object, Reflect, Uint32Array};
use precis::wasm::exports as wasm;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn parse(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

/// An error's code and advice.
fn refused(error: &JsValue) -> String {
    JSON::stringify(error).unwrap().into()
}

fn host(members: &[(&str, &str)]) -> wasm::JsHost {
    let host = Object::new();
    for (name, body) in members {
        Reflect::set(&host, &(*name).into(), &Function::new_no_args(body)).unwrap();
    }
    host.unchecked_into()
}

#[wasm_bindgen_test]
fn options_are_judged_with_their_path() {
    let options = r#"{"contextWindow": 8000, "tune": {"tokens": {"estimator": "bytes4", "family": "o200k"}}}"#;
    assert_eq!(wasm::validate(parse(options), None).unwrap(), "bytes4:o200k");
    let error = refused(&wasm::validate(parse(r#"{"stratgy!": false}"#), None).unwrap_err());
    assert!(error.contains("unknown-option") && error.contains("stratgy!"), "{error}");
}

#[wasm_bindgen_test]
fn what_is_no_plain_data_is_refused_by_name() {
    let error = refused(&wasm::keep_from(Function::new_no_args("").into()).unwrap_err());
    assert!(error.contains("invalid-state") && error.contains("plain data"), "{error}");
}

/// The records of one user message.
fn record(text: &str) -> Vec<u32> {
    let mut reading = wasm::TapeReading::new("bytes4").unwrap();
    assert!(text.len() <= 65_536);
    // SAFETY: the buffer is of 64 KiB, and only this writes to it.
    unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), reading.pointer() as *mut u8, text.len()) };
    reading.push(&[1, 1, 2, 0, 16, text.len() as u32], text.len()).unwrap();
    reading.finish().unwrap()
}

#[wasm_bindgen_test]
fn a_reading_takes_text_from_its_buffer_and_refuses_nonsense() {
    let twelve = record("twelve bytes");
    let records = precis::model::message::MessageRecord::split(&twelve).unwrap();
    assert_eq!(records[0].parts().map(|part| part.tokens).collect::<Vec<_>>(), [3]);
    let mut reading = wasm::TapeReading::new("bytes4").unwrap();
    assert!(refused(&reading.push(&[99], 0).unwrap_err()).contains("boundary-mismatch"));
    assert!(refused(&reading.push(&[], 70_000).unwrap_err()).contains("boundary-mismatch"));
    reading.finish().unwrap();
    assert!(refused(&reading.finish().unwrap_err()).contains("boundary-mismatch"), "it has ended");
    assert!(wasm::TapeReading::new("tiktoken").is_err());
}

fn begin(records: Vec<u32>, messages: usize, host: &wasm::JsHost) -> Result<JsValue, JsValue> {
    let input = parse(r#"{"options": {"contextWindow": 2000, "maxOutputTokens": 100}, "window": 2000}"#);
    wasm::begin(&input, records, vec![0; messages], host)
}

#[wasm_bindgen_test]
fn a_call_that_fits_goes_out_as_it_is() {
    let done = begin(record("hello"), 1, &host(&[])).unwrap();
    assert!(get(&done, "plan").is_undefined(), "no plan waits");
    assert_eq!(get(&get(&done, "report"), "outcome").as_string().as_deref(), Some("unchanged"));
    assert_eq!(get(&done, "view").unchecked_into::<Uint32Array>().to_vec(), [0, 0, 1]);
}

#[wasm_bindgen_test]
fn what_a_host_throws_ends_the_call_and_comes_out_as_it_was() {
    let text = "x".repeat(40_000);
    let mut records = record(&text);
    records.extend(record(&text));
    let failing = host(&[("read", "throw 'mine'"), ("remade", "throw 'mine'"), ("replace", "throw 'mine'")]);
    assert_eq!(begin(records, 2, &failing).unwrap_err().as_string().as_deref(), Some("mine"));
}
