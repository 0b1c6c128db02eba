//! The host's side of a call: what the engine asks while it works.
//!
//! Each message that the host creates takes the next number of the call. What is to be sent leaves as triples: `0,
//! from, to` for the host's own messages, `1, number, 0` for one that was created.

use super::objects::to_js;
use super::reading::{self, Buffer, TapeReading};
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::ingest::content::Content;
use crate::ingest::host::{Host, KeptIndex, Product, Sent};
use js_sys::{Array, JsString, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `CallHost` of `js/src/call-host.ts`. Whatever its methods throw belongs to the host. Lists are copied: a view of
    /// this memory would become invalid if the host calls the engine and the memory grows.
    pub type JsHost;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsHost, indices: Vec<u32>, into: TapeReading) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn index(this: &JsHost, from: u32, to: u32) -> Result<Option<Uint8Array>, JsValue>;
    #[wasm_bindgen(method, catch, js_name = keepIndex)]
    fn keep_index(this: &JsHost, from: u32, to: u32, index: Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn summary(this: &JsHost, text: &str, id: &str, covers: f64) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn block(this: &JsHost, block: &JsValue) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remade(this: &JsHost, index: u32, key: &str) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn replace(
        this: &JsHost,
        index: u32,
        key: &str,
        parts: Vec<u32>,
        texts: Array,
    ) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn result(this: &JsHost, index: u32, id: &str, name: &str, text: &str) -> Result<Option<Uint32Array>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn merge(this: &JsHost, pair: Vec<u32>) -> Result<Option<Uint32Array>, JsValue>;
}

/// A host during one call. Numbers the messages that it creates.
pub struct Bridge<'a> {
    host: &'a JsHost,
    made: u32,
    buffer: Option<Buffer>,
    /// What the host threw. The call then ends with it.
    pub thrown: Option<JsValue>,
}

impl<'a> Bridge<'a> {
    /// Creates a bridge that has created no messages.
    pub const fn new(host: &'a JsHost) -> Self {
        Self { host, made: 0, buffer: None, thrown: None }
    }

    fn asked<T>(&mut self, answer: Result<T, JsValue>) -> Result<T, Error> {
        answer.map_err(|thrown| {
            self.thrown = Some(thrown);
            Error::new(Code::InvalidCall, "The format threw.")
        })
    }

    /// The message that the host created, from its record. `None` if it created none.
    fn made(&mut self, answer: Result<Option<Uint32Array>, JsValue>) -> Result<Option<Product>, Error> {
        Ok(self.asked(answer)?.map(|record| {
            self.made += 1;
            Product { record: record.to_vec(), number: self.made - 1 }
        }))
    }

    fn need(&mut self, answer: Result<Option<Uint32Array>, JsValue>) -> Result<Product, Error> {
        self.made(answer)?.ok_or_else(|| Error::new(Code::Boundary, "The host created no message."))
    }
}

impl Host for Bridge<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let indices: Vec<u32> = inputs.iter().map(|&input| input as u32).collect();
        let buffer = self.buffer.get_or_insert_with(reading::buffer);
        let (reading, contents) = TapeReading::contents(buffer.clone());
        let asked = self.host.read(indices, reading);
        self.asked(asked)?;
        let contents = contents.finish()?;
        if contents.len() == inputs.len() {
            Ok(contents)
        } else {
            Err(Error::new(Code::Boundary, "The host returned other messages than it was asked for."))
        }
    }

    /// Of no bytes: there is no room for any.
    fn index(&mut self, from: usize, to: usize) -> Result<KeptIndex, Error> {
        let answer = self.host.index(from as u32, to as u32);
        Ok(self.asked(answer)?.map_or(KeptIndex::Nothing, |bytes| match bytes.to_vec() {
            bytes if bytes.is_empty() => KeptIndex::Nowhere,
            bytes => KeptIndex::Bytes(bytes),
        }))
    }

    fn keep_index(&mut self, from: usize, to: usize, index: &[u8]) -> Result<(), Error> {
        let answer = self.host.keep_index(from as u32, to as u32, Uint8Array::from(index));
        self.asked(answer)
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        #[allow(clippy::cast_precision_loss, reason = "a number of messages")]
        let answer = self.host.summary(text, id, covers as f64);
        self.need(answer)
    }

    fn block(&mut self, block: &Json) -> Result<Option<Product>, Error> {
        let answer = self.host.block(&to_js(block));
        self.made(answer)
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        let answer = self.host.remade(input as u32, key);
        self.made(answer)
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let parts: Vec<u32> = texts.iter().map(|(part, _)| *part).collect();
        let texts = texts.iter().map(|(_, text)| JsString::from(text.as_str())).collect();
        let answer = self.host.replace(input as u32, key, parts, texts);
        self.need(answer)
    }

    fn result(&mut self, input: usize, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error> {
        let answer = self.host.result(input as u32, id, name, text);
        self.made(answer)
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let pair = [first, second].map(|sent| match sent {
            Sent::Input(input) => [0, input as u32],
            Sent::Made(number) => [1, number],
        });
        let answer = self.host.merge(pair.concat());
        self.need(answer)
    }
}
