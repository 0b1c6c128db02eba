//! The hash of a value that arrives token by token. The order of an object's members does not change it.

use crate::model::message::combine;

/// Tags that make values of different types hash differently.
const TAG_NULL: u64 = 1;
const TAG_BOOL: u64 = 2;
const TAG_NUMBER: u64 = 3;
const TAG_TEXT: u64 = 4;
const TAG_ARRAY: u64 = 5;
const TAG_OBJECT: u64 = 6;
const TAG_BINARY: u64 = 7;
const TAG_MEDIUM: u64 = 8;

/// The hash of `null`.
pub(super) fn null() -> u64 {
    combine(TAG_NULL, 0)
}

/// The hash of a truth value.
pub(super) fn bool(value: bool) -> u64 {
    combine(TAG_BOOL, u64::from(value))
}

/// The hash of a number, from that of its digits.
pub(super) fn number(digits: u64) -> u64 {
    combine(TAG_NUMBER, digits)
}

/// The hash of a string as a value, from that of its text.
pub(super) fn text(hash: u64) -> u64 {
    combine(TAG_TEXT, hash)
}

/// What binary data of this many bytes begins with, so that it hashes differently from a string.
pub(super) fn binary(length: u64) -> u64 {
    combine(TAG_BINARY, length)
}

/// The hash of a medium in a value: its size, its media type and its data.
pub(super) fn medium(bytes: u64, kind: u64, data: u64) -> u64 {
    combine(combine(TAG_MEDIUM, bytes), combine(kind, data))
}

/// An array or object that is being hashed.
struct Folding {
    object: bool,
    key: u64,
    sum: u64,
    count: u64,
}

/// The arrays and objects that are open, the innermost last.
#[derive(Default)]
pub(super) struct Foldings(Vec<Folding>);

impl Foldings {
    pub(super) fn open_array(&mut self) {
        self.0.push(Folding { object: false, key: 0, sum: TAG_ARRAY, count: 0 });
    }

    pub(super) fn open_object(&mut self) {
        self.0.push(Folding { object: true, key: 0, sum: 0, count: 0 });
    }

    /// Notes the key of the next member.
    pub(super) fn key(&mut self, hash: u64) {
        if let Some(folding) = self.0.last_mut() {
            folding.key = hash;
        }
    }

    /// Closes the innermost array or object, and returns its hash.
    pub(super) fn close(&mut self) -> Option<u64> {
        let folding = self.0.pop()?;
        let tag = if folding.object { TAG_OBJECT } else { TAG_ARRAY };
        Some(combine(combine(tag, folding.count), folding.sum))
    }

    /// Adds a complete value to the innermost array or object. Returns whether one is open.
    pub(super) fn add(&mut self, hash: u64) -> bool {
        let Some(folding) = self.0.last_mut() else { return false };
        if folding.object {
            folding.sum = folding.sum.wrapping_add(combine(folding.key, hash));
        } else {
            folding.sum = combine(folding.sum, hash);
        }
        folding.count += 1;
        true
    }
}
