//! The boundary to JavaScript, and the only module that knows its host. It decides nothing.
//!
//! [`plain`] is also compiled natively, so that tests can use it. The rest exists only in wasm.

#[cfg(target_arch = "wasm32")]
mod arguments;
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
#[cfg(target_arch = "wasm32")]
mod results;
