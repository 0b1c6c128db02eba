//! wasm-bindgen's own runner of tests, made of the versions that are locked here. Installed by itself, it would be made of
//! the newest of everything.

use std::env;
use wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args;

fn main() {
    if let Err(error) = run_cli_with_args(env::args_os()) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}
