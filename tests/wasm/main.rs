//! The module as its host sees it, run as wasm: blocks of memory in and out, refusals, a tape, a whole call.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use precis::base::json::Json;
use precis::wasm::exports as wasm;
use precis::wasm::wire::{Reader, Writer};
use wasm_bindgen_test::wasm_bindgen_test;

/// Calls the module as JavaScript does. What went wrong, or the structure of its answer and its texts.
fn call(number: u32, write: impl FnOnce(&mut Vec<u8>)) -> Result<(Vec<u8>, String), String> {
    let mut given = Vec::new();
    write(&mut given);
    let length = 4 + given.len();
    let block = wasm::room(length as u32);
    // SAFETY: the block is of this length, is given away, and its answer is read before it is given back.
    let answer = unsafe {
        core::ptr::copy_nonoverlapping(given.as_ptr(), block.add(4), given.len());
        let answer = wasm::call(number, block);
        let word = |at: usize| answer.add(at).cast::<u32>().read_unaligned() as usize;
        let bytes = core::slice::from_raw_parts(answer, word(0)).to_vec();
        let texts = String::from_utf8(bytes[word(4)..].to_vec()).unwrap();
        let structure = bytes[8..word(4)].to_vec();
        wasm::done(answer);
        (structure, texts)
    };
    match answer.0[..2] {
        [3, 0] => Ok((answer.0[2..].to_vec(), answer.1)),
        [3, 1] => Err(answer.1),
        [3, 2] => Err("thrown".into()),
        _ => panic!("{:?}", answer.0),
    }
}

fn text(text: &str, out: &mut Vec<u8>) {
    assert!(text.len() < 128);
    out.extend([5, text.len() as u8]);
    out.extend_from_slice(text.as_bytes());
}

fn whole(number: u32, out: &mut Vec<u8>) {
    let mut writer = Writer::default();
    writer.whole(number);
    out.extend_from_slice(&writer.finish()[8..]);
}

fn words(words: &[u32], out: &mut Vec<u8>) {
    let mut writer = Writer::default();
    writer.words(words);
    out.extend_from_slice(&writer.finish()[8..]);
}

/// `{contextWindow: 2000, maxOutputTokens: 100}`
fn options(out: &mut Vec<u8>) {
    out.extend([7, 2, 13]);
    out.extend_from_slice(b"contextWindow");
    whole(2_000, out);
    out.push(15);
    out.extend_from_slice(b"maxOutputTokens");
    whole(100, out);
}

#[wasm_bindgen_test]
fn options_are_judged_with_their_path() {
    let (structure, texts) = call(4, |out| {
        out.extend([7, 2, 13]);
        out.extend_from_slice(b"contextWindow");
        whole(8_000, out);
        out.push(4);
        out.extend_from_slice(b"tune");
        out.extend([7, 1, 6]);
        out.extend_from_slice(b"tokens");
        out.extend([7, 2, 9]);
        out.extend_from_slice(b"estimator");
        text("bytes4", out);
        out.push(6);
        out.extend_from_slice(b"family");
        text("o200k", out);
        out.push(0);
    })
    .unwrap();
    assert_eq!((structure, texts.as_str()), (vec![5, 12], "bytes4:o200k"));
    let refused = call(4, |out| {
        out.extend([7, 1, 8]);
        out.extend_from_slice(b"stratgy!");
        out.extend([1, 0]);
    })
    .unwrap_err();
    assert!(refused.contains("unknown-option") && refused.contains("stratgy!"), "{refused}");
}

#[wasm_bindgen_test]
fn what_the_host_could_not_read_is_refused_by_name() {
    let refused = call(12, |out| out.push(10)).unwrap_err();
    assert!(refused.contains("invalid-state") && refused.contains("plain data"), "{refused}");
}

#[wasm_bindgen_test]
fn a_call_nobody_knows_is_refused() {
    assert!(call(99, |_| {}).unwrap_err().contains("boundary-mismatch"));
}

fn opened() -> (u32, *mut u8) {
    let (structure, _) = call(0, |out| text("bytes4", out)).unwrap();
    let mut reader = Reader::new(&structure);
    let mut next = || reader.value().unwrap().count().unwrap() as u32;
    (next(), next() as *mut u8)
}

/// The records of one user message.
fn record(text: &str) -> Vec<u32> {
    let (reading, buffer) = opened();
    // SAFETY: the buffer is of 64 KiB, and only this writes to it.
    unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), buffer, text.len()) };
    call(1, |out| {
        whole(reading, out);
        whole(text.len() as u32, out);
        words(&[1, 1, 2, 0, 16, text.len() as u32], out);
    })
    .unwrap();
    let (structure, _) = call(2, |out| whole(reading, out)).unwrap();
    call(3, |out| whole(reading, out)).unwrap();
    Reader::new(&structure).words().unwrap()
}

#[wasm_bindgen_test]
fn a_reading_takes_text_from_its_buffer_and_refuses_nonsense() {
    assert_eq!(record("twelve bytes")[8], 3);
    let (reading, _) = opened();
    let push = |bytes: u32, ops: &[u32]| {
        call(1, |out| {
            whole(reading, out);
            whole(bytes, out);
            words(ops, out);
        })
    };
    assert!(push(0, &[99]).unwrap_err().contains("boundary-mismatch"));
    assert!(push(70_000, &[]).unwrap_err().contains("boundary-mismatch"));
    assert!(call(0, |out| text("tiktoken", out)).is_err());
}

fn begin(records: &[u32], flags: u8) -> Result<(Vec<u8>, String), String> {
    call(6, |out| {
        options(out);
        whole(2_000, out);
        // No state, and none of the members up to `strict`, the system prompt, the tools.
        out.extend([0; 24]);
        words(records, out);
        out.extend([9, flags]);
        out.extend(vec![0; usize::from(flags)]);
    })
}

#[wasm_bindgen_test]
fn a_call_that_fits_goes_out_as_it_is() {
    let (structure, texts) = begin(&record("hello"), 1).unwrap();
    assert_eq!(Reader::new(&structure).value(), Some(Json::Null), "no plan waits");
    assert!(texts.contains("unchanged"), "{texts}");
    assert!(structure.windows(14).any(|bytes| *bytes == [8, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]), "the view");
}

#[wasm_bindgen_test]
fn a_host_that_throws_ends_the_call() {
    let text = "x".repeat(40_000);
    let mut records = record(&text);
    records.extend(record(&text));
    assert_eq!(begin(&records, 2).unwrap_err(), "thrown");
}
