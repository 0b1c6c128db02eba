//! Behaviour of the engine, natively. One `mod` a file; a file not named here is never compiled.

#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::float_arithmetic)]

mod conformance;
mod documentation;
mod support;
