//! wasm-bindgen's own runner of tests, in the version that is locked here and made of what the bindings are made with.
//! Installed by itself, it would compile most of that a second time.

use std::env;
use wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args;

fn main() {
    if let Err(error) = run_cli_with_args(env::args_os()) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}
