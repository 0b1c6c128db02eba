//! The boundary to JavaScript, the only room that knows its host. It decides nothing.
//!
//! [`plain`] is the same natively, so that tests reach it; all else is the wasm module's own.

#[cfg(target_arch = "wasm32")]
pub mod exports;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod objects;
#[cfg(target_arch = "wasm32")]
mod panics;
pub mod plain;
#[cfg(target_arch = "wasm32")]
mod polling;
#[cfg(target_arch = "wasm32")]
mod reading;
