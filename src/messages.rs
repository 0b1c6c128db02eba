//! What the engine does with each message: reading, counting, shortening, searching and remembering it. [`precis`] is built upon it
//! and hands its modules on, so that all others name them as their own.
//!
//! A crate of its own, because a level of optimization is that of a crate: this one is compiled for speed, all above it,
//! which runs once a call, for size.
//!
//! [`precis`]: https://www.npmjs.com/package/precis

pub mod base;
pub mod ingest;
pub mod memory;
pub mod model;
pub mod search;
pub mod shorten;
pub mod tokens;
