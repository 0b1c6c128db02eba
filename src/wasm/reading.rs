//! A tape whose text the host writes directly into this memory, one buffer at a time, so that a long text is never here
//! as a whole before it is read.
//!
//! # Memory
//!
//! A string may come in chunks, cut between code points. Where the engine needs a text itself (for a clip, a digest or
//! a transcript), it takes it from the same buffer. So a call needs at most three times the bytes of its largest
//! message and 16 MB: 575 MB for a result of 200 MB of ASCII, 146 MB for a request of 50 MB of `é`.
//!
//! What is known of a text's lines, elements and names could take more than the text. So of more than 200,000 lines or
//! 100,000 elements, those between both ends are one gap, and of names those met last are enough. Wasm never gives
//! memory back, so an instance that has grown beyond 32 MB is let go when its call ends, and the next call gets a new
//! one.
//!
//! Two cases need more. A past that is covered at once is in memory as a whole, so its size counts and not that of its
//! largest message. What a person typed is copied into the record before that is brought to its size: five times at
//! most.

use super::objects::{gone, thrown};
use crate::base::error::Error;
use crate::ingest::content::Content;
use crate::ingest::content_reader;
use crate::ingest::record_writer::RecordWriter;
use crate::tokens::Estimator;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// What reads the tape.
enum Taker {
    /// Creates records.
    Records(Box<RecordWriter>),
    /// Creates messages with their text.
    Contents(content_reader::Reader),
}

/// The bytes of text that cross at a time.
const CHUNK: usize = 65_536;

/// Where JavaScript writes. Shared by the readings of a call, which follow one another: clearing 64 KiB for each takes
/// longer than to read a short message.
pub(super) type Buffer = Rc<Vec<u8>>;

/// A new one.
pub(super) fn buffer() -> Buffer {
    Rc::new(vec![0; CHUNK])
}

/// A tape that is being read. JavaScript frees it.
#[wasm_bindgen]
pub struct TapeReading {
    buffer: Buffer,
    /// Shared with the owner of [`Contents`]. `None` once reading has ended.
    taker: Rc<RefCell<Option<Taker>>>,
}

#[wasm_bindgen]
impl TapeReading {
    /// Opens a tape to create records with this estimator (`rule[:family]`).
    ///
    /// # Errors
    ///
    /// If there is no such estimator.
    #[wasm_bindgen(constructor)]
    pub fn new(estimator: &str) -> Result<Self, JsValue> {
        let estimator = Estimator::parse(estimator).map_err(thrown)?;
        Ok(Self::of(Taker::Records(Box::new(RecordWriter::new(estimator))), buffer()))
    }

    /// The address of its buffer of 64 KiB.
    #[wasm_bindgen(getter)]
    pub fn pointer(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    /// Reads ops and this many bytes of the buffer.
    ///
    /// # Errors
    ///
    /// If the tape is malformed, or reading has ended.
    pub fn push(&mut self, ops: &[u32], bytes: usize) -> Result<(), JsValue> {
        let text = self.buffer.get(..bytes).ok_or_else(gone)?;
        match self.taker.borrow_mut().as_mut().ok_or_else(gone)? {
            Taker::Records(writer) => writer.push(ops, text),
            Taker::Contents(reader) => reader.push(ops, text),
        }
        .map_err(thrown)
    }

    /// Ends reading. Returns the records of all messages.
    ///
    /// # Errors
    ///
    /// If the tape is malformed, or reading has ended.
    pub fn finish(&mut self) -> Result<Vec<u32>, JsValue> {
        match self.taker.take() {
            Some(Taker::Records(writer)) => writer.finish().map_err(thrown),
            _ => Err(gone()),
        }
    }
}

impl TapeReading {
    fn of(taker: Taker, buffer: Buffer) -> Self {
        Self { buffer, taker: Rc::new(RefCell::new(Some(taker))) }
    }

    /// Creates a reading for JavaScript to write messages to, and the handle that returns them.
    pub(super) fn contents(buffer: Buffer) -> (Self, Contents) {
        let reading = Self::of(Taker::Contents(content_reader::Reader::default()), buffer);
        let contents = Contents(Rc::clone(&reading.taker));
        (reading, contents)
    }
}

/// The messages that JavaScript writes to a reading.
pub(super) struct Contents(Rc<RefCell<Option<Taker>>>);

impl Contents {
    /// Returns the messages.
    pub(super) fn finish(self) -> Result<Vec<Content>, Error> {
        match self.0.take() {
            Some(Taker::Contents(reader)) => reader.finish(),
            _ => Ok(Vec::new()),
        }
    }
}
