//! The size that a compaction aims at, set by the host: a summary leaves the view at or below it.

use crate::support::{Chat, M, answer, assistant, call, filler, result, user, words};
use precis::report::Report;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::{Value, json};

/// Turns of a chat, each with a text that identifies it.
fn turns(count: usize, bytes: usize) -> Vec<M> {
    let turn = |n: usize| [user(&format!("Question {n}: {}", filler(bytes))), assistant(&filler(bytes))];
    (0..count).flat_map(turn).collect()
}

/// One turn of many calls.
fn steps(count: usize, bytes: usize) -> Vec<M> {
    let step = |n: usize| {
        let id = format!("call-{n}");
        [call(&id, "read_file", json!({ "number": n })), result(&id, &format!("Result {n}. {}", filler(bytes)))]
    };
    std::iter::once(user("Do what has to be done.")).chain((0..count).flat_map(step)).collect()
}

/// A summary as long as it may be.
fn longest(request: &Request) -> Answer {
    let bytes = usize::try_from(request.max_output_tokens * 4).unwrap();
    let mut text = String::new();
    for number in 0.. {
        let next = format!("- Of everything that happened, point {number} is noted.\n");
        if text.len() + next.len() > bytes {
            break;
        }
        text.push_str(&next);
    }
    answer(&text)
}

fn chat(window: u64, options: &Value) -> Chat {
    let mut chat = Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "summarize": true, "prefer": "summarize"
    }));
    for (name, value) in options.as_object().unwrap() {
        chat.options[name.as_str()] = value.clone();
    }
    chat
}

/// The report of a compaction, by a model or by code.
fn compacted(chat: &mut Chat, history: &[M], by_model: bool) -> (Vec<M>, Report) {
    let mut asked = longest;
    let prepared = chat.before_model(history, by_model.then_some(&mut asked)).unwrap();
    let report = prepared.committed.report;
    assert_eq!(report.rung, Some(if by_model { "summarize" } else { "digest" }), "{report:?}");
    (prepared.view, report)
}

#[test]
fn a_summary_leaves_the_view_at_the_target() {
    for history in [turns(60, 1_200), steps(60, 2_000)] {
        for by_model in [true, false] {
            for target in [3_000, 6_000, 9_000, 15_000, 20_000] {
                let mut chat =
                    chat(32_000, &json!({ "trigger": { "tokens": 28_000 }, "target": { "tokens": target } }));
                let (view, report) = compacted(&mut chat, &history, by_model);
                let size = report.after.tokens;
                assert!(size <= target, "{by_model} {target}: {size}");
                // It aims at it, too. What it may end below it: a group, a tenth that estimates may be off before any
                // report, and room for facts and a note, of which there is little here.
                let group = 700;
                assert!(!by_model || size + group > target / 10 * 6, "{by_model} {target}: {size}");
                assert_eq!(words(view.last().unwrap()), words(history.last().unwrap()));
            }
        }
    }
}

#[test]
fn a_target_of_one_call_holds_for_it() {
    let history = turns(60, 1_200);
    let sizes = [json!(0.1), json!({ "tokens": 4_000 }), json!(0.5)].map(|target| {
        let mut chat = chat(32_000, &json!({ "trigger": 0.9 }));
        chat.more = json!({ "target": target });
        compacted(&mut chat, &history, true).1.after.tokens
    });
    assert!(sizes[0] <= 3_200 && sizes[1] <= 4_000 && sizes[2] <= 16_000, "{sizes:?}");
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
}

#[test]
fn what_is_to_be_kept_stays_although_the_target_is_lower() {
    let history = turns(60, 1_200);
    for (keep, least) in [(json!({ "turns": 8 }), 16), (json!({ "messages": 11 }), 11)] {
        for by_model in [true, false] {
            let mut chat =
                chat(32_000, &json!({ "trigger": 0.9, "target": { "tokens": 3_000 }, "keep": keep.clone() }));
            let (view, report) = compacted(&mut chat, &history, by_model);
            for message in &history[history.len() - least..] {
                assert!(view.iter().any(|sent| words(sent) == words(message)), "{keep}: {report:?}");
            }
            assert!(report.warnings.is_empty(), "{report:?}");
        }
    }
}
