//! Behaviour that no example held until a mutation of the engine survived: see `docs/mutations.md`.

use crate::support::{Chat, M, P, answer, assistant, calls, filler, result, user, words};
use precis::message::Role;
use precis::state::Kind;
use precis::summary::verify::Answer;
use serde_json::json;

fn chat() -> Chat {
    Chat::new(json!({
        "contextWindow": 8_000, "maxOutputTokens": 500, "summarize": true,
        "tune": { "strategy": "tail", "tokens": { "estimator": "bytes4" } }
    }))
}

fn long_turns(numbers: core::ops::Range<usize>) -> Vec<M> {
    let turn =
        |turn: usize| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
    numbers.flat_map(turn).collect()
}

#[test]
fn a_summary_after_a_digest_starts_again_from_the_messages() {
    let mut chat = chat();
    let mut history = long_turns(0..20);
    chat.before_model(&history, None).unwrap();
    let digest = chat.session().checkpoints.last().cloned().unwrap();
    assert_eq!(digest.kind, Kind::Digest);
    history.extend(long_turns(20..40));
    let mut prompts = Vec::new();
    let mut summarize = |request: &precis::summary::request::Request| {
        prompts.push(request.prompt.clone());
        answer("All of it.")
    };
    chat.before_model(&history, Some(&mut summarize)).unwrap();
    assert_eq!(chat.session().checkpoints.last().unwrap().kind, Kind::Summary);
    assert!(prompts[0].contains("answer 2."), "the messages are there: {}", prompts[0]);
    assert!(!prompts[0].contains("Condensed by code"), "the digest stood for the messages: {}", prompts[0]);
}

#[test]
fn a_request_that_was_kept_is_summarized_when_it_leaves() {
    let mut chat = chat();
    let mut history = vec![user("Count the 4711 herons.")];
    for _ in 0..12 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(2_400)), assistant(&filler(900))]);
    }
    chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    let first = chat.session().checkpoints.last().cloned().unwrap();
    assert_eq!((first.kind, first.kept.first()), (Kind::Summary, Some(&0)));
    history.extend(long_turns(0..20));
    let mut prompts = Vec::new();
    let mut summarize = |request: &precis::summary::request::Request| {
        prompts.push(request.prompt.clone());
        answer("More notes.")
    };
    chat.before_model(&history, Some(&mut summarize)).unwrap();
    assert!(!chat.session().checkpoints.last().unwrap().kept.contains(&0));
    assert!(prompts[0].contains("4711 herons"), "{}", prompts[0]);
}

#[test]
fn a_cleared_result_says_whether_the_tool_failed() {
    let mut chat = chat();
    let mut history = vec![user("Find the leak.")];
    for step in 0..14 {
        let output = P::Result { id: "call_0".into(), output: filler(1_800).into(), failed: step % 2 == 0 };
        history.extend([calls(&["call_0"]), M { role: Role::Tool, parts: vec![output] }]);
        history.push(assistant(&format!("step {step}")));
    }
    history.push(user("Go on."));
    let prepared = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"));
    let failed = |message: &M| message.parts.iter().any(|part| matches!(part, P::Result { failed: true, .. }));
    let mut told = [0, 0];
    for message in prepared.view.iter().filter(|message| words(message).contains("was removed to save space")) {
        let says = if failed(message) { "the tool had failed" } else { "the tool had succeeded" };
        assert!(words(message).contains(says), "{}", words(message));
        told[usize::from(failed(message))] += 1;
    }
    assert!(told.iter().all(|&count| count > 0), "{told:?}");
}

#[test]
fn a_part_as_large_as_the_cap_of_a_clip_stays_whole() {
    let mut chat = chat();
    let mut history = vec![user("Read."), calls(&["call_0"]), result("call_0", &filler(40_000)), assistant("Read.")];
    history.push(user("Again."));
    chat.before_model(&history, None).unwrap();
    let cap = chat.session().clips[0].cap as usize;
    // Within what the clip reaches: the result is edited to another one, which changes no hash.
    history[2] = result("call_0", &filler(cap * 4));
    let view = chat.before_model(&history, None).unwrap().view;
    assert_eq!(view[2], history[2]);
    history[2] = result("call_0", &filler(cap * 4 + 4));
    let view = chat.before_model(&history, None).unwrap().view;
    assert!(words(&view[2]).contains("left out"), "{}", words(&view[2]));
}

#[test]
fn three_failures_leave_the_summarizer_alone_for_eight_compactions() {
    let mut chat = chat();
    let mut history = Vec::new();
    let mut asked = String::new();
    for round in 0..16 {
        history.extend(long_turns(round * 16..round * 16 + 16));
        let mut calls = 0;
        let mut fail = |_: &precis::summary::request::Request| {
            calls += 1;
            Answer::Failed("overloaded".into())
        };
        let revision = chat.session().revision;
        chat.before_model(&history, Some(&mut fail)).unwrap();
        assert!(chat.session().revision > revision, "round {round} compacts");
        asked.push_str(&calls.to_string());
    }
    assert_eq!(asked, "1110000000011100");
}

#[test]
fn the_soft_threshold_lies_at_85_percent_of_the_trigger() {
    let history = long_turns(0..2);
    let trigger_of = |more: serde_json::Value| {
        let mut chat = chat();
        chat.more = more;
        chat.before_model(&history, None).unwrap().committed.report.after.trigger
    };
    let hard = trigger_of(json!({}));
    assert_eq!(trigger_of(json!({ "threshold": "soft" })), hard * 85 / 100);
}

/// A fresh chat, whose trigger is 6,476 tokens; what a clip or clear may end at lies at nine tenths of that.
#[test]
fn a_clip_that_ends_close_to_the_trigger_is_not_enough() {
    let mut rungs = Vec::new();
    for older in (4_800..6_400).step_by(100) {
        let mut chat = chat();
        let mut history = Vec::new();
        for turn in 0..4 {
            history.extend([user(&format!("question {turn}?")), assistant(&filler(older / 4))]);
        }
        history.extend([user("More."), calls(&["call_0"]), result("call_0", &filler(4_200))]);
        history.extend([assistant("Read."), user("Go on.")]);
        let report = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap().committed.report;
        let after = report.after.tokens + report.after.bound;
        rungs.push(report.rung);
        if report.rung == Some("clip") {
            assert!(after <= report.after.trigger * 9 / 10 + 10, "{older}: {after} of {}", report.after.trigger);
        }
    }
    assert!(rungs.contains(&Some("clip")) && rungs.contains(&Some("clear")), "{rungs:?}");
}

#[test]
fn a_clear_that_gains_little_is_not_worth_the_prompt_cache() {
    for (least, rung) in [(0.05, "clear"), (0.6, "summarize")] {
        let mut chat = chat();
        chat.options["tune"]["shares"] = json!({ "clear": least, "accept": 1 });
        let mut history = vec![user("Find the leak.")];
        for step in 0..6 {
            history.extend([calls(&["call_0"]), result("call_0", &filler(600)), assistant(&filler(900))]);
            history.push(user(&format!("step {step}")));
        }
        history.push(assistant(&filler(700)));
        history.push(user("Go on."));
        let report = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap().committed.report;
        assert_eq!(report.rung, Some(rung), "{report:?}");
    }
}

#[test]
fn a_result_that_no_answer_followed_is_not_cleared() {
    let mut chat = chat();
    chat.options["tune"]["shares"] = json!({ "tail": 0.01 });
    let mut history = vec![user("Find the leak.")];
    for _ in 0..5 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(2_000)), assistant("Read.")]);
    }
    let unseen = result("call_0", &format!("unseen {}", filler(1_200)));
    history.extend([calls(&["call_0"]), unseen.clone(), user("Wait."), user("What did it say?")]);
    let prepared = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"), "{:?}", prepared.committed.report);
    assert!(prepared.view.contains(&unseen));
}

#[test]
fn what_is_cut_to_fit_is_cut_once_and_no_more_than_needed() {
    let mut chat = chat();
    // What the model said last is not cut: with it the target is out of reach, the trigger is not.
    let history = [user(&filler(30_000)), assistant(&filler(7_200))];
    let report = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap().committed.report;
    let after = report.after.tokens + report.after.bound;
    let trigger = report.after.trigger;
    assert!(report.after.bound > 0 && after < trigger && after > trigger * 9 / 10, "{report:?}");
    assert_eq!(chat.session().clips.len(), 1);
}
