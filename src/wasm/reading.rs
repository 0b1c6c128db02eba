//! A tape whose text the host writes straight into this memory, a buffer at a time: so nothing of a long text is here
//! before it is taken in.

use crate::base::error::Error;
use crate::ingest::content;
use crate::ingest::digester::Digester;

/// What takes a tape in.
pub enum Taker {
    /// Records.
    Digests(Box<Digester>),
    /// Messages with their text.
    Contents(content::Reader),
}

/// A tape that is being read.
pub struct Reading {
    buffer: Vec<u8>,
    taker: Option<Taker>,
}

/// Bytes of text that cross at a time.
const CHUNK: usize = 65_536;

impl Reading {
    /// Begins one; the host knows it by its address, until it is [freed](Reading::free).
    pub fn open(taker: Taker) -> *mut Self {
        Box::into_raw(Box::new(Self { buffer: vec![0; CHUNK], taker: Some(taker) }))
    }

    /// Where its buffer of 64 KiB lies.
    pub fn buffer(&self) -> u32 {
        self.buffer.as_ptr() as u32
    }

    /// Takes in ops and so many bytes of the buffer. None if they are more than it holds, or the reading is over.
    ///
    /// # Errors
    /// When the tape is malformed.
    pub fn push(&mut self, ops: &[u32], bytes: usize) -> Result<Option<()>, Error> {
        let (Some(text), Some(taker)) = (self.buffer.get(..bytes), &mut self.taker) else { return Ok(None) };
        match taker {
            Taker::Digests(digester) => digester.push(ops, text)?,
            Taker::Contents(reader) => reader.push(ops, text)?,
        }
        Ok(Some(()))
    }

    /// Ends it: what was read so far. None if it is over.
    pub fn finish(&mut self) -> Option<Taker> {
        self.taker.take()
    }

    /// Frees it.
    ///
    /// # Safety
    /// It was made by [`Reading::open`], and nobody names it any more.
    pub unsafe fn free(reading: *mut Self) {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(reading) });
    }
}
