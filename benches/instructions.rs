//! Work of the native engine, to be counted in instructions: `node benches/instructions.mjs`. Runs the workload that is
//! named; what `measured` runs is what counts.
#![allow(clippy::float_arithmetic, dead_code, missing_docs, reason = "the helpers of the tests")]

#[path = "../tests/rust/support.rs"]
mod support;

use precis::engine::{self, Begun, fast_path};
use precis::ingest::record_writer::RecordWriter;
use precis::recall::Asked;
use precis::tokens::{Estimator, of_text};
use serde_json::json;
use std::hint::black_box;
use support::{Chat, Indexes, M, Tape, TestHost, assistant, call, records, result, user};

const ESTIMATOR: &str = "lexical:o200k";

#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn prose(bytes: usize) -> String {
    let lines = (0..).map(|line| {
        format!(
            "The build of {line} failed: the linker can't find parse_date in src/parser/date_{}.rs. ",
            line * 7 % 100
        )
    });
    cut(lines, bytes)
}

fn cyrillic(bytes: usize) -> String {
    cut((0..).map(|line| format!("Съешь же ещё этих {line} мягких французских булок, да выпей чаю. ")), bytes)
}

fn cut(lines: impl Iterator<Item = String>, bytes: usize) -> String {
    let mut out = String::new();
    for line in lines {
        if out.len() >= bytes {
            break;
        }
        out.push_str(&line);
    }
    out
}

/// Questions, calls with their results, answers: 20 messages a turn.
fn session(count: usize) -> Vec<M> {
    let message = |index: usize| {
        let id = format!("call_{}", index - (1 - index % 2));
        match index % 20 {
            0 => user(&prose(200)),
            19 => assistant(&prose(300)),
            at if at % 2 == 1 => call(&id, "shell", json!({ "command": format!("grep -rn parse_date src/{index}") })),
            _ => result(&id, &prose(400)),
        }
    };
    (0..count).map(message).collect()
}

fn chat(window: u64) -> Chat {
    Chat::new(json!({ "contextWindow": window, "maxOutputTokens": 256, "tune": { "tokens": { "family": "o200k" } } }))
}

fn counted(text: &str) {
    let estimator = Estimator::parse(ESTIMATOR).unwrap();
    measured(|| of_text(&estimator, text));
}

fn compacted(count: usize) {
    let messages = session(count);
    let call = chat((count * 10).max(2_000) as u64).call(&messages).unwrap();
    let mut host = TestHost::new(&messages, ESTIMATOR);
    let begun = measured(|| engine::begin(&call, &mut host)).unwrap();
    assert!(matches!(begun, Begun::Done(committed) if committed.changed));
}

/// A later search of a chat that was compacted: the first one has made the indexes.
fn found(count: usize) {
    let messages = session(count);
    let mut chat = chat((count * 10) as u64);
    chat.before_model(&messages, None).unwrap();
    let call = chat.call(&messages).unwrap();
    let asked = Asked::parse(&support::json(&json!({ "query": "which build needs parse_date in date_7.rs" }))).unwrap();
    let mut kept = Indexes::default();
    let mut search = || {
        let mut host = TestHost { indexes: Some(&mut kept), ..TestHost::new(&messages, ESTIMATOR) };
        engine::recall(&call, &asked, &mut host)
    };
    search().unwrap();
    assert!(!measured(search).unwrap().excerpts.is_empty());
}

fn main() {
    match std::env::args().nth(1).as_deref().unwrap_or_default() {
        "count 100 kB of prose" => counted(&prose(100_000)),
        "count 100 kB of Cyrillic" => counted(&cyrillic(100_000)),
        "read a session of 1 MB" => {
            let mut tape = Tape::cut(60_000);
            session(3_500).iter().for_each(|message| tape.message(message));
            let mut writer = RecordWriter::new(Estimator::parse(ESTIMATOR).unwrap());
            measured(|| {
                writer.push(&tape.ops, &tape.text).unwrap();
                writer.finish().unwrap()
            });
        }
        "decide on 1,000 messages" => {
            let messages = session(1_000);
            let call = chat(1_000_000_000).call(&messages).unwrap();
            let mut host = TestHost::new(&messages, ESTIMATOR);
            measured(|| engine::begin(&call, &mut host)).unwrap();
        }
        "decide on one that was added" => {
            let messages = session(1_000);
            let mut chat = chat(1_000_000_000);
            let call = chat.call(&messages).unwrap();
            let Begun::Done(first) = engine::begin(&call, &mut TestHost::new(&messages, ESTIMATOR)).unwrap() else {
                return;
            };
            chat.state = support::plain(&first.state);
            let mut next = chat.call(&[user("And now?")]).unwrap();
            next.records = records(&[user("And now?")], ESTIMATOR);
            next.flags.clear();
            let standing = first.standing.unwrap();
            assert!(measured(|| fast_path::resume(&next, &standing)).unwrap().is_some());
        }
        "compact 1,000 messages" => compacted(1_000),
        "compact 10,000 messages" => compacted(10_000),
        "search 10,000 messages again" => found(10_000),
        other => {
            // `cargo bench` and `cargo test --benches` name no workload.
            println!("no workload \"{other}\": node benches/instructions.mjs");
        }
    }
}
