//! The host's side of a call, in JavaScript.

use super::wire;
use crate::content::{self, Content};
use crate::error::{Code, Error};
use crate::host::{Host, Product};
use js_sys::{Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// What TypeScript passes with a call; see `js/src/glue.ts`.
    pub type JsHost;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsHost, inputs: Uint32Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn summary(this: &JsHost, text: &str, id: &str, covers: f64) -> Result<Uint32Array, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remade(this: &JsHost, input: u32, key: &str) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn replace(this: &JsHost, input: u32, key: &str, parts: Uint32Array, texts: Array) -> Result<Uint32Array, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    type Tape;

    #[wasm_bindgen(method, getter)]
    fn ops(this: &Tape) -> Uint32Array;
    #[wasm_bindgen(method, getter)]
    fn text(this: &Tape) -> Uint8Array;
}

/// A host during one exported call: counts what it makes, and keeps what it threw.
pub struct Bridge<'a> {
    host: &'a JsHost,
    made: u32,
    thrown: Option<JsValue>,
}

impl<'a> Bridge<'a> {
    /// A bridge to `host` for one exported call.
    pub fn new(host: &'a JsHost) -> Self {
        Self { host, made: 0, thrown: None }
    }

    /// What the host threw stands in the place of the error it became.
    pub fn settle<T>(self, result: Result<T, Error>) -> Result<T, JsValue> {
        result.map_err(|error| self.thrown.unwrap_or_else(|| wire::error_to_js(error)))
    }

    fn caught(&mut self, thrown: JsValue) -> Error {
        self.thrown = Some(thrown);
        Error::new(Code::InvalidCall, "The format threw.")
    }

    fn product(&mut self, record: &Uint32Array) -> Product {
        let number = self.made;
        self.made += 1;
        Product { record: record.to_vec(), number }
    }
}

impl Host for Bridge<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let inputs: Vec<u32> = inputs.iter().map(|&input| input as u32).collect();
        let tape = self.host.read(Uint32Array::from(&inputs[..])).map_err(|thrown| self.caught(thrown))?;
        let tape: Tape = tape.unchecked_into();
        let contents = content::read(&tape.ops().to_vec(), &tape.text().to_vec())?;
        if contents.len() == inputs.len() { Ok(contents) } else { Err(Error::new(Code::Boundary, "The host answered other messages than were asked for.")) }
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        #[allow(clippy::cast_precision_loss, reason = "a count of messages")]
        let record = self.host.summary(text, id, covers as f64).map_err(|thrown| self.caught(thrown))?;
        Ok(self.product(&record))
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        let record = self.host.remade(input as u32, key).map_err(|thrown| self.caught(thrown))?;
        Ok(record.map(|record| self.product(&record)))
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let parts: Vec<u32> = texts.iter().map(|text| text.0).collect();
        let bodies: Array = texts.iter().map(|text| JsValue::from_str(&text.1)).collect();
        let record = self.host.replace(input as u32, key, Uint32Array::from(&parts[..]), bodies).map_err(|thrown| self.caught(thrown))?;
        Ok(self.product(&record))
    }
}
