//! Plain data as bytes: how it crosses between the engine and a host.
//!
//! A value is a tag and what belongs to it. Numbers in the structure are LEB128, seven bits a byte, the lowest first.
//!
//! | tag | what follows |
//! |---|---|
//! | 0, 1, 2 | nothing: null, false, true |
//! | 3 | a whole number below 2³² |
//! | 4 | eight bytes: any other number, IEEE 754, little-endian |
//! | 5 | a length, and UTF-8 |
//! | 6 | a count, and so many values |
//! | 7 | a count, and so many members: length and UTF-8 of the name, the value |
//! | 8 | a count, and so many words of 32 bits, little-endian |
//! | 9 | a count, and so many bytes |
//! | 10 | nothing: the host could not read this value as plain data |
//!
//! A [`Reader`] finds texts where they belong and measures them in bytes. A [`Writer`] puts all of them behind the
//! structure and measures them in UTF-16 units: JavaScript decodes them in one go and cuts them out.
//!
//! Written by hand, for size: `wasm-bindgen` and `serde` do the same with ten times the code. The only place with
//! floating point: JavaScript's numbers.

use crate::base::error::{Code, Error};
use crate::base::json::Json;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const WHOLE: u8 = 3;
const NUMBER: u8 = 4;
const TEXT: u8 = 5;
const LIST: u8 = 6;
const OBJECT: u8 = 7;
const WORDS: u8 = 8;
const BYTES: u8 = 9;

const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads values one after another.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Plain data.
    ///
    /// # Errors
    /// When the host found something else; `path` and `code` are the error's.
    #[inline(never)]
    pub fn plain(&mut self, path: &str, code: Code) -> Result<Json, Error> {
        self.value().ok_or_else(|| {
            Error::at(
                code,
                path,
                "Expected plain data: objects, arrays, strings, numbers, booleans and null, without cycles or functions.",
            )
        })
    }

    /// The next value, unless it is no plain data.
    #[inline(never)]
    pub fn value(&mut self) -> Option<Json> {
        Some(match self.byte()? {
            NULL => Json::Null,
            FALSE => Json::Bool(false),
            TRUE => Json::Bool(true),
            WHOLE => Json::Int(i64::from(self.number()?)),
            NUMBER => read_number(f64::from_le_bytes(*self.0.split_off(..8)?.first_chunk()?)),
            TEXT => Json::Text(self.text()?),
            LIST => {
                let count = self.number()?;
                let mut items = Vec::with_capacity((count as usize).min(self.0.len()));
                for _ in 0..count {
                    items.push(self.value()?);
                }
                Json::List(items)
            }
            OBJECT => {
                let count = self.number()?;
                let mut members = Vec::with_capacity((count as usize).min(self.0.len()));
                for _ in 0..count {
                    members.push((self.text()?, self.value()?));
                }
                Json::Object(members)
            }
            _ => return None,
        })
    }

    /// Words, unless something else is next.
    #[inline(never)]
    pub fn words(&mut self) -> Option<Vec<u32>> {
        let words = self.array(WORDS, 4)?.chunks_exact(4);
        Some(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// Bytes, unless something else is next.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        self.array(BYTES, 1)
    }

    fn array(&mut self, tag: u8, size: usize) -> Option<&'a [u8]> {
        if self.byte()? != tag {
            return None;
        }
        let count = self.number()? as usize;
        self.0.split_off(..count.checked_mul(size)?)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        core::str::from_utf8(self.0.split_off(..length)?).ok().map(str::to_owned)
    }

    fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u32::from(byte & 127).checked_shl(shift)?;
            if byte < 128 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }
}

#[allow(clippy::float_arithmetic, reason = "a JavaScript number is read into millionths here, once")]
fn read_number(value: f64) -> Json {
    if !value.is_finite() {
        return Json::NotANumber;
    }
    let whole = value as i64;
    #[allow(clippy::cast_precision_loss, reason = "compared with what it was made of")]
    if whole as f64 == value && (-SAFE_INTEGER..=SAFE_INTEGER).contains(&value) {
        return Json::Int(whole);
    }
    Json::Fraction { millionths: (value * 1e6 + if value < 0.0 { -0.5 } else { 0.5 }) as i64, bits: value.to_bits() }
}

/// Writes values one after another.
pub struct Writer {
    structure: Vec<u8>,
    text: String,
}

/// Bytes at the start of a message: its length and where its texts begin.
const HEADER: usize = 8;

impl Default for Writer {
    fn default() -> Self {
        Self { structure: vec![0; HEADER], text: String::new() }
    }
}

impl Writer {
    /// Plain data.
    #[allow(
        clippy::float_arithmetic,
        clippy::cast_precision_loss,
        reason = "numbers are written as JavaScript has them here, once"
    )]
    #[inline(never)]
    pub fn value(&mut self, json: &Json) {
        match json {
            Json::Null | Json::NotANumber => self.structure.push(NULL),
            Json::Bool(value) => self.structure.push(if *value { TRUE } else { FALSE }),
            Json::Int(value) => match u32::try_from(*value) {
                Ok(whole) => self.counted(WHOLE, whole as usize),
                Err(_) => self.float(*value as f64),
            },
            Json::Fraction { millionths, bits: 0 } => self.float(*millionths as f64 / 1e6),
            Json::Fraction { bits, .. } => self.float(f64::from_bits(*bits)),
            Json::Text(text) => self.text(text),
            Json::List(items) => {
                self.counted(LIST, items.len());
                for item in items {
                    self.value(item);
                }
            }
            Json::Object(members) => {
                self.counted(OBJECT, members.len());
                for (name, value) in members {
                    self.length(name);
                    self.value(value);
                }
            }
        }
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.structure.push(TEXT);
        self.length(text);
    }

    /// A whole number.
    pub fn whole(&mut self, number: u32) {
        self.counted(WHOLE, number as usize);
    }

    /// Words.
    pub fn words(&mut self, words: &[u32]) {
        self.counted(WORDS, words.len());
        for word in words {
            self.structure.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// Bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.counted(BYTES, bytes.len());
        self.structure.extend_from_slice(bytes);
    }

    /// A list is begun: so many values follow.
    pub fn list(&mut self, count: usize) {
        self.counted(LIST, count);
    }

    /// All that was written: how long it is in all and where the texts begin, as 32 bits each, structure, texts.
    pub fn finish(self) -> Vec<u8> {
        let mut all = self.structure;
        let texts = all.len() as u32;
        all.extend_from_slice(self.text.as_bytes());
        let length = all.len() as u32;
        all[..4].copy_from_slice(&length.to_le_bytes());
        all[4..HEADER].copy_from_slice(&texts.to_le_bytes());
        all
    }

    fn length(&mut self, text: &str) {
        // Bytes that continue a character are no units; a character of four bytes is two.
        let units = text.bytes().filter(|&byte| byte & 0xc0 != 0x80).count();
        self.number(units + text.bytes().filter(|&byte| byte >= 0xf0).count());
        self.text.push_str(text);
    }

    fn float(&mut self, value: f64) {
        self.structure.push(NUMBER);
        self.structure.extend_from_slice(&value.to_le_bytes());
    }

    fn counted(&mut self, tag: u8, count: usize) {
        self.structure.push(tag);
        self.number(count);
    }

    #[inline(never)]
    fn number(&mut self, mut number: usize) {
        while number > 127 {
            self.structure.push(number as u8 | 128);
            number >>= 7;
        }
        self.structure.push(number as u8);
    }
}
