//! The preset `contextguard` against recorded numbers of the original's own simulations.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Tape;
use crate::support::assistant;
use crate::support::records;
use precis::engine;
use precis::ingest::record_writer::RecordWriter;
use precis::model::message::Role;
use precis::summary::verify::Answer;
use precis::tokens::Estimator;
use serde_json::{Value, json};

#[test]
fn the_preset_reproduces_every_recorded_request() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/contextguard_simulations.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut requests, mut wrong) = (0, Vec::new());
    for test in file["tests"].as_array().unwrap() {
        for session in test["sessions"].as_array().unwrap() {
            let steps = play(session);
            let golden = &session["golden"];
            assert_eq!(steps.len() as u64, golden["steps"], "{}", test["name"]);
            for (index, step) in steps.iter().enumerate() {
                requests += 1;
                let recorded =
                    ["step_heuristic_before", "step_heuristic_after", "step_summarized", "step_contents_after"]
                        .map(|name| golden[name][index].as_u64().unwrap());
                if *step != recorded {
                    wrong.push(format!("{} request {index}: {step:?}, recorded {recorded:?}", test["name"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {requests} differ, first {}", wrong.len(), wrong[0]);
    assert_eq!(requests, 3572);
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// For each request of a session: raw tokens before and after, summarizer calls, and messages sent.
fn play(session: &Value) -> Vec<[u64; 4]> {
    let mut chat = Chat::new(
        json!({ "contextWindow": session["window"], "summarize": true, "tune": { "preset": "contextguard", "tokens": { "estimator": "bytes4" } } }),
    );
    chat.typed = Some(false);
    chat.system = Some("x".repeat(number(&session["system_prompt_bytes"]))).filter(|system| !system.is_empty());
    chat.tools = session["tool_definitions"]["heuristic_tokens"].as_u64().unwrap_or(0);
    let ratio = session["token_ratio"].as_f64().unwrap();
    let mut player = Player {
        chat,
        history: Vec::new(),
        steps: Vec::new(),
        ratio: (ratio * 10.0).round() as u64,
        reports: session["usage_metadata"].as_bool().unwrap(),
    };
    for (turn_number, turn) in session["turn_list"].as_array().unwrap().iter().enumerate() {
        let mut parts = vec![P::Text("u".repeat(number(&turn["user_bytes"])))];
        for inline in turn["inline"].as_array().unwrap() {
            parts.push(P::Media {
                kind: 4,
                media_type: inline[0].as_str().unwrap().into(),
                bytes: inline[1].as_u64().unwrap(),
                reference: String::new(),
            });
        }
        player.history.push(M { role: Role::User, parts });
        player.request();
        let tools = turn["tools"].as_array().unwrap();
        let batches: Vec<&[Value]> = if turn["sequential"] == true {
            tools.chunks(1).collect()
        } else {
            vec![tools].into_iter().filter(|batch| !batch.is_empty()).map(Vec::as_slice).collect()
        };
        for (batch_number, batch) in batches.iter().enumerate() {
            let id = |index: usize| format!("{turn_number}.{batch_number}.{index}");
            let name = |tool: &Value| tool[0].as_str().unwrap().to_owned();
            let call = |(index, tool): (usize, &Value)| P::Call {
                id: id(index),
                name: name(tool),
                input: json!({ "param": "value" }),
            };
            let result = |(index, tool): (usize, &Value)| P::Result {
                id: id(index),
                output: json!({ "result": "x".repeat(number(&tool[1])) }),
                failed: false,
            };
            player.history.push(M { role: Role::Assistant, parts: batch.iter().enumerate().map(call).collect() });
            player.history.push(M { role: Role::User, parts: batch.iter().enumerate().map(result).collect() });
            player.request();
        }
        let response = match number(&turn["response_bytes"]) {
            0 => 120,
            bytes => bytes,
        };
        player.history.push(assistant(&"a".repeat(16 + turn_number.to_string().len() + response)));
    }
    player.steps
}

struct Player {
    chat: Chat,
    history: Vec<M>,
    steps: Vec<[u64; 4]>,
    /// Reported tokens per ten raw tokens.
    ratio: u64,
    reports: bool,
}

impl Player {
    fn request(&mut self) {
        let whole = self.chat.call(&self.history).unwrap();
        let fresh = precis::call::input::Call { state: Default::default(), ..whole };
        let before = engine::usage(&fresh, &mut crate::support::TestHost::new(&self.history, "bytes4")).unwrap().raw;
        let mut calls = 0;
        let mut summarize = |_: &_| {
            calls += 1;
            Answer::Text { text: "s".repeat(120), finish: "stop".into() }
        };
        let prepared = self.chat.before_model(&self.history, Some(&mut summarize)).unwrap();
        let after = prepared.committed.report.after.raw;
        self.steps.push([before, after, calls, prepared.view.len() as u64]);
        if self.reports {
            self.chat.after_model(after * self.ratio / 10);
        }
    }
}

#[test]
fn a_recorded_call_and_result_count_as_the_original_counts_them() {
    let call = M {
        role: Role::Assistant,
        parts: vec![P::Call { id: "1".into(), name: "kubectl_get".into(), input: json!({ "param": "value" }) }],
    };
    let result = M {
        role: Role::User,
        parts: vec![P::Result { id: "1".into(), output: json!({ "result": "x".repeat(10) }), failed: false }],
    };
    let tokens: Vec<u64> = precis::model::message::MessageRecord::split(&records(&[call, result], "bytes4"))
        .unwrap()
        .iter()
        .map(precis::model::message::MessageRecord::tokens)
        .collect();
    // Name 11/4 + key 5/4 + value 5/4, and the printed map of 10 + 12 bytes. The history counts the name of the result.
    assert_eq!(tokens, [2 + 1 + 1, 22 / 4]);
}

#[test]
fn nested_arguments_are_printed_as_the_original_prints_them() {
    let tokens = |input: Value| {
        let mut tape = Tape::default();
        tape.message(&M { role: Role::Assistant, parts: vec![P::Call { id: "1".into(), name: String::new(), input }] });
        let mut writer = RecordWriter::new(Estimator::parse("bytes4").unwrap());
        writer.push(&tape.ops, &tape.text).unwrap();
        precis::model::message::MessageRecord::split(&writer.finish().unwrap()).unwrap()[0].tokens()
    };
    // "keys" + "map[a:1 b:[x y] c:<nil> d:true]"
    assert_eq!(tokens(json!({ "keys": { "a": 1, "b": ["x", "y"], "c": null, "d": true } })), 4 / 4 + 31 / 4);
    assert_eq!(tokens(json!({ "first": "12345678", "second": [1, 2, 3] })), 5 / 4 + 8 / 4 + 6 / 4 + 7 / 4);
    assert_eq!(tokens(json!("raw text")), 2);
}
