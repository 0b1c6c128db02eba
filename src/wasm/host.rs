//! The host's side of a call, in JavaScript.

use super::js::Array;
use super::wire;
use crate::content::{self, Content};
use crate::error::{Code, Error};
use crate::host::{Host, Product, Sent};
use crate::prelude::*;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// What TypeScript passes with a call; see `js/src/glue.ts`.
    pub type JsHost;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsHost, inputs: Vec<u32>) -> Result<Tape, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn summary(this: &JsHost, text: &str, id: &str, covers: f64) -> Result<Vec<u32>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remade(this: &JsHost, input: u32, key: &str) -> Result<Option<Vec<u32>>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn replace(this: &JsHost, input: u32, key: &str, parts: Vec<u32>, texts: Array) -> Result<Vec<u32>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn result(this: &JsHost, id: &str, name: &str, text: &str) -> Result<Option<Vec<u32>>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn merge(this: &JsHost, pair: Vec<u32>) -> Result<Vec<u32>, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    type Tape;

    #[wasm_bindgen(method, getter)]
    fn ops(this: &Tape) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn text(this: &Tape) -> Vec<u8>;
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

    fn product(&mut self, record: Vec<u32>) -> Product {
        let number = self.made;
        self.made += 1;
        Product { record, number }
    }
}

impl Host for Bridge<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let tape =
            self.host.read(inputs.iter().map(|&input| input as u32).collect()).map_err(|thrown| self.caught(thrown))?;
        let contents = content::read(&tape.ops(), &tape.text())?;
        if contents.len() == inputs.len() {
            Ok(contents)
        } else {
            Err(Error::new(Code::Boundary, "The host answered other messages than were asked for."))
        }
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        #[allow(clippy::cast_precision_loss, reason = "a count of messages")]
        let record = self.host.summary(text, id, covers as f64).map_err(|thrown| self.caught(thrown))?;
        Ok(self.product(record))
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        let record = self.host.remade(input as u32, key).map_err(|thrown| self.caught(thrown))?;
        Ok(record.map(|record| self.product(record)))
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let (mut parts, bodies) = (Vec::new(), Array::new());
        for (part, text) in texts {
            parts.push(*part);
            bodies.push(&JsValue::from_str(text));
        }
        let record = self.host.replace(input as u32, key, parts, bodies).map_err(|thrown| self.caught(thrown))?;
        Ok(self.product(record))
    }

    fn result(&mut self, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error> {
        let record = self.host.result(id, name, text).map_err(|thrown| self.caught(thrown))?;
        Ok(record.map(|record| self.product(record)))
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let pair = [first, second].into_iter().flat_map(|sent| match sent {
            Sent::Input(input) => [0, input as u32],
            Sent::Made(number) => [1, number],
        });
        let record = self.host.merge(pair.collect()).map_err(|thrown| self.caught(thrown))?;
        Ok(self.product(record))
    }
}
