//! Reports the message of a panic before it becomes a trap.

use std::panic;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Stores the message for the error that the trap becomes. The loader of each instance provides this function.
    #[wasm_bindgen(js_namespace = precis)]
    fn panicked(message: &str);
}

/// Reports every panic to the console and to the loader of this instance.
pub fn report() {
    panic::set_hook(Box::new(|info| {
        panicked(&info.to_string());
        console_error_panic_hook::hook(info);
    }));
}
