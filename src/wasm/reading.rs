//! A tape whose text the host writes straight into this memory, a buffer at a time: so nothing of a long text is here
//! before it is taken in.

use super::objects::{gone, thrown};
use crate::base::error::Error;
use crate::ingest::content::{self, Content};
use crate::ingest::digester::Digester;
use crate::tokens::Estimator;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// What takes a tape in.
enum Taker {
    /// Records.
    Digests(Box<Digester>),
    /// Messages with their text.
    Contents(content::Reader),
}

/// Bytes of text that cross at a time.
const CHUNK: usize = 65_536;

/// A tape that is being read. JavaScript frees it.
#[wasm_bindgen]
pub struct Reading {
    buffer: Vec<u8>,
    /// Shared with whoever waits for its messages; none once it is over.
    taker: Rc<RefCell<Option<Taker>>>,
}

#[wasm_bindgen]
impl Reading {
    /// Opens one that makes records, with this estimator (`rule[:family]`).
    ///
    /// # Errors
    /// When there is no such estimator.
    #[wasm_bindgen(constructor)]
    pub fn new(estimator: &str) -> Result<Self, JsValue> {
        let estimator = Estimator::parse(estimator).map_err(thrown)?;
        Ok(Self::of(Taker::Digests(Box::new(Digester::new(estimator)))))
    }

    /// Where its buffer of 64 KiB lies.
    #[wasm_bindgen(getter)]
    pub fn pointer(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    /// Takes in ops, and so many bytes of the buffer.
    ///
    /// # Errors
    /// When the tape is malformed, or the reading over.
    pub fn push(&mut self, ops: &[u32], bytes: usize) -> Result<(), JsValue> {
        let text = self.buffer.get(..bytes).ok_or_else(gone)?;
        match self.taker.borrow_mut().as_mut().ok_or_else(gone)? {
            Taker::Digests(digester) => digester.push(ops, text),
            Taker::Contents(reader) => reader.push(ops, text),
        }
        .map_err(thrown)
    }

    /// Ends the reading: the records of all messages.
    ///
    /// # Errors
    /// When the tape is malformed, or the reading over.
    pub fn finish(&mut self) -> Result<Vec<u32>, JsValue> {
        match self.taker.take() {
            Some(Taker::Digests(digester)) => digester.finish().map_err(thrown),
            _ => Err(gone()),
        }
    }
}

impl Reading {
    fn of(taker: Taker) -> Self {
        Self { buffer: vec![0; CHUNK], taker: Rc::new(RefCell::new(Some(taker))) }
    }

    /// A reading for JavaScript to write messages to, and the messages once it has.
    pub(super) fn contents() -> (Self, Contents) {
        let reading = Self::of(Taker::Contents(content::Reader::default()));
        let contents = Contents(Rc::clone(&reading.taker));
        (reading, contents)
    }
}

/// The messages that JavaScript writes to a reading.
pub(super) struct Contents(Rc<RefCell<Option<Taker>>>);

impl Contents {
    /// What was read.
    pub(super) fn finish(self) -> Result<Vec<Content>, Error> {
        match self.0.take() {
            Some(Taker::Contents(reader)) => reader.finish(),
            _ => Ok(Vec::new()),
        }
    }
}
