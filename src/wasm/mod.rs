//! The boundary to JavaScript, the only Rust that knows its host. Values as bytes ([`wire`]) are the same natively, so
//! that tests reach them; all else is the wasm module's own.

#[cfg(target_arch = "wasm32")]
mod block;
#[cfg(target_arch = "wasm32")]
pub mod exports;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod reading;
pub mod wire;
