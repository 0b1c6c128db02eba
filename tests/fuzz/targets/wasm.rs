//! The module that is shipped and the native engine decide alike, byte for byte.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis_fuzz::chat::{Op, Setup};
use precis_fuzz::wasm::Both;

#[derive(Arbitrary, Debug)]
struct Input {
    setup: Setup,
    ops: Vec<Op>,
}

fuzz_target!(|input: Input| {
    let mut chat = input.setup.chat();
    let mut history = Vec::new();
    let mut both = Both::default();
    for op in input.ops.iter().take(16) {
        op.apply(&mut history, &mut chat);
        if op.asks() && !history.is_empty() {
            both.request(&mut chat, &history, &input.setup);
        }
    }
    if !history.is_empty() {
        both.request(&mut chat, &history, &input.setup);
    }
});
