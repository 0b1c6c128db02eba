//! Reasoning of earlier turns is left out first where the host wants that, and never what a provider checks.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::TestHost;
use crate::support::added;
use crate::support::filler;
use crate::support::plain;
use crate::support::result;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::user;
use precis::engine::{Begun, begin};
use precis::ladder::Move;
use precis::model::message::Role;
use serde_json::json;

fn chat(window: u64) -> Chat {
    let mut chat = Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "reasoning": "drop-old",
        "tune": { "tokens": { "estimator": "bytes4" } }
    }));
    chat.more = json!({ "leavesOut": true, "model": "qwen3-max" });
    chat
}

fn thinking(text: &str, signed: bool, then: P) -> M {
    M { role: Role::Assistant, parts: vec![P::Reasoning { text: text.into(), signed }, then] }
}

/// Turns in each of which the assistant thinks twice, so many of them with a signature.
fn turns(count: usize, signed: usize) -> Vec<M> {
    let mut all = Vec::new();
    for turn in 0..count {
        let (id, is_signed) = (format!("call_{turn}"), turn < signed);
        let thought = |step: usize| format!("thought {turn}.{step}: {}", filler(1_200));
        let call = P::Call { id: id.clone(), name: "read".into(), input: json!({ "turn": turn }) };
        all.push(user(&format!("Request {turn}: {}", filler(100))));
        all.push(thinking(&thought(0), is_signed, call));
        all.push(result(&id, &format!("result {turn} {}", filler(200))));
        all.push(thinking(&thought(1), is_signed, P::Text(format!("answer {turn}"))));
    }
    all.push(user("And now?"));
    all
}

fn thoughts(view: &[M]) -> Vec<String> {
    let parts = view.iter().flat_map(|message| &message.parts);
    let first = |text: &String| text.split(':').next().unwrap().to_owned();
    parts.filter_map(|part| if let P::Reasoning { text, .. } = part { Some(first(text)) } else { None }).collect()
}

#[test]
fn old_reasoning_goes_before_anything_else_and_nothing_else_does() {
    let history = turns(10, 0);
    let mut chat = chat(6_000);
    let prepared = chat.before_model(&history, None).unwrap();
    let report = &prepared.committed.report;
    assert_eq!(report.rung, Some("drop-reasoning"), "{report:?}");
    assert!(report.after.raw < report.before.raw / 2);
    // What the model thought last is not old.
    assert_eq!(thoughts(&prepared.view), ["thought 9.1"]);
    let left: Vec<M> = history
        .iter()
        .enumerate()
        .map(|(at, message)| {
            if at + 2 == history.len() {
                return message.clone();
            }
            let parts = message.parts.iter().filter(|part| !matches!(part, P::Reasoning { .. })).cloned().collect();
            M { role: message.role, parts }
        })
        .collect();
    assert_eq!(prepared.view, left);
    let change = &report.changes[0];
    assert_eq!((change.rung, change.messages.len()), ("drop-reasoning", 19));
    // And once more: nothing is left to do, and the prefix stays.
    let again = chat.before_model(&history, None).unwrap();
    assert_eq!((again.view, again.committed.report.rung), (prepared.view, Some("pass")));
}

#[test]
fn what_the_model_thinks_in_its_active_turn_stays() {
    let mut history = turns(10, 0);
    history.pop();
    let view = chat(6_000).before_model(&history, None).unwrap().view;
    assert_eq!(thoughts(&view), ["thought 9.0", "thought 9.1"]);
}

#[test]
fn signed_reasoning_stays_as_it_is() {
    let history = turns(8, 1);
    let prepared = chat(9_000).before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.changes[0].rung, "drop-reasoning");
    assert_eq!(thoughts(&prepared.view)[..2], ["thought 0.0", "thought 0.1"]);
    assert_eq!(thoughts(&prepared.view)[2..], ["thought 7.1"]);
    // Where all of it is signed there is nothing to leave out.
    let prepared = chat(9_000).before_model(&turns(8, 8), None).unwrap();
    let rungs: Vec<_> = prepared.committed.report.changes.iter().map(|change| change.rung).collect();
    assert!(!rungs.is_empty() && !rungs.contains(&"drop-reasoning"), "{rungs:?}");
}

#[test]
fn nothing_goes_unless_it_is_wanted_and_needed_and_can_be_done() {
    let history = turns(10, 0);
    let goes = |chat: &mut Chat| {
        let prepared = chat.before_model(&history, None).unwrap();
        prepared.committed.report.changes.iter().any(|change| change.rung == "drop-reasoning")
    };
    assert!(goes(&mut chat(6_000)));
    assert!(!goes(&mut chat(60_000)), "it fits");
    let mut keeps = chat(6_000);
    keeps.options["reasoning"] = json!("keep");
    let mut otherwise = keeps.clone();
    otherwise.more["reasoning"] = json!("drop-old");
    assert!(!goes(&mut keeps));
    assert!(goes(&mut otherwise), "a call says otherwise");
    let mut unable = chat(6_000);
    unable.more = json!({});
    assert!(!goes(&mut unable), "the format cannot leave parts out");
    let mut demanded = chat(6_000);
    demanded.more["model"] = json!("deepseek/deepseek-v4");
    assert!(!goes(&mut demanded), "its provider wants reasoning back");
    demanded.more["model"] = json!("my-server");
    assert!(!goes(&mut demanded), "nothing is known of it");
    let mut known = chat(6_000);
    known.more = json!({ "leavesOut": true, "model": "my-server", "thinking": "free" });
    assert!(goes(&mut known), "the host knows it");
    let mut pinned = chat(6_000);
    pinned.pinned = (0..history.len()).filter(|&at| history[at].role == Role::Assistant).collect();
    assert!(!goes(&mut pinned), "all of it is pinned");
}

#[test]
fn a_message_of_nothing_but_reasoning_keeps_it() {
    let mut history = turns(10, 0);
    let alone = M { role: Role::Assistant, parts: vec![P::Reasoning { text: "alone: hm".into(), signed: false }] };
    history.insert(4, alone);
    let view = chat(6_000).before_model(&history, None).unwrap().view;
    assert_eq!(thoughts(&view), ["alone", "thought 9.1"]);
}

#[test]
fn a_turn_that_grows_changes_no_message_before_it_and_a_rewind_brings_reasoning_back() {
    let history = turns(30, 0);
    let mut chat = chat(8_000);
    let (mut before, mut dropped): (Vec<M>, usize) = (Vec::new(), 0);
    for end in (1..history.len()).step_by(4) {
        let prepared = chat.before_model(&history[..end], None).unwrap();
        let report = &prepared.committed.report;
        if report.rung == Some("pass") {
            assert_eq!(prepared.view[..before.len()], before[..], "{end}");
        }
        // Each time it is worth the prompt cache that it costs: `accept` lies a tenth below the trigger.
        if report.changes.iter().any(|one| one.rung == "drop-reasoning") {
            assert!((report.before.tokens - report.after.tokens) * 10 >= report.after.trigger, "{end}: {report:?}");
            dropped += 1;
        }
        assert_eq!(added(&prepared.view, &history[..end]), Vec::<String>::new());
        before = prepared.view;
    }
    // A turn takes a quarter of the room here, so in the fourth quarter no rung can spare every second one.
    assert!((2..20).contains(&dropped), "{dropped}");
    // Other messages instead of those it was dropped from: the position no longer holds.
    let mut chat = self::chat(6_000);
    chat.before_model(&turns(10, 0), None).unwrap();
    assert!(chat.session().thoughts.is_some());
    let mut other = turns(2, 0);
    other[0] = user("Something else.");
    let view = chat.before_model(&other, None).unwrap().view;
    assert_eq!(view, other);
}

#[test]
fn a_view_without_reasoning_that_is_given_back_reads_like_its_history() {
    let history = turns(10, 0);
    let mut chat = chat(6_000);
    let view = chat.before_model(&history, None).unwrap().view;
    let again = chat.before_model(&view, None).unwrap();
    assert_eq!(again.view, view);
    assert!(again.committed.report.diverged.is_none());
}

#[test]
fn a_plan_says_what_it_will_leave_out_and_can_be_stored() {
    let history = turns(10, 0);
    let mut chat = chat(6_000);
    let plan = chat.plan(&history);
    assert!(matches!(plan.action, Move::Edit(edit) if edit.thoughts.is_some()), "{plan:?}");
    let stored = precis::ladder::plan::Plan::parse(&plain(&plan)).unwrap();
    assert_eq!(stored, plan);
    let change = &plan.preview.report.get("changes").list().unwrap()[0];
    assert_eq!((change.get("rung").text(), change.get("count").count()), (Some("drop-reasoning"), Some(19)));
    let prepared = chat.commit(&history, &stored, None);
    assert_eq!(prepared.committed.report.rung, Some("drop-reasoning"));
}

#[test]
fn where_it_is_not_enough_the_ladder_goes_on() {
    let mut history = turns(10, 0);
    for turn in 0..10 {
        if let P::Result { output, .. } = &mut history[turn * 4 + 2].parts[0] {
            *output = filler(4_000).into();
        }
    }
    let chat = chat(6_000);
    let mut host = TestHost::new(&history, &chat.estimator());
    let Begun::Done(done) = begin(&chat.call(&history).unwrap(), &mut host).unwrap() else { panic!("it waits") };
    let rungs: Vec<_> = done.report.changes.iter().map(|change| change.rung).collect();
    assert_eq!(rungs[0], "drop-reasoning");
    assert!(rungs.len() > 1, "{rungs:?}");
    assert!(done.report.after.tokens < 6_000);
    // A summarizer that can be asked is asked, rather than code covering what dropping did not make room for.
    assert!(chat.plan(&history).action != Move::Pass && !chat.plan(&history).requests.is_empty());
}

/// F06 of docs/guarantees.md.
#[test]
fn signed_reasoning_and_the_newest_assistant_message_stay_as_they_are() {
    let thinking = |number: usize| {
        let id = format!("t{number}");
        vec![
            M {
                role: Role::Assistant,
                parts: vec![
                    P::Reasoning { text: format!("thought {number}"), signed: true },
                    P::Text(filler(300)),
                    P::Call { id: id.clone(), name: "tool".into(), input: json!({ "text": filler(300) }) },
                ],
            },
            result(&id, &filler(900)),
        ]
    };
    let mut chat = small_chat(4_000);
    let mut history = vec![user("Go.")];
    for number in 0..40 {
        history.extend(thinking(number));
        let prepared = send_checked(&mut chat, &history, None);
        for message in prepared.view.iter().filter(|message| message.role == Role::Assistant) {
            assert!(history.contains(message), "an assistant's message was changed");
        }
        let newest = history.iter().rfind(|message| message.role == Role::Assistant);
        assert_eq!(prepared.view.iter().rfind(|message| message.role == Role::Assistant), newest);
    }
    assert!(!chat.session().checkpoints.is_empty());
}

/// X03 of docs/guarantees.md.
#[test]
fn old_signed_reasoning_goes_whole_when_it_is_covered() {
    let block = |number: usize| {
        let parts = vec![P::Reasoning { text: filler(1_200), signed: true }, P::Text(format!("answer {number}"))];
        [user(&format!("question {number}")), M { role: Role::Assistant, parts }]
    };
    let history: Vec<M> = (0..20).flat_map(block).collect();
    let prepared = send_checked(&mut small_chat(4_000), &history, None);
    let reasoning = |view: &[M]| view.iter().filter(|message| matches!(message.parts[0], P::Reasoning { .. })).count();
    assert!(reasoning(&prepared.view) < 10, "it no longer fills the window");
    assert!(prepared.view.iter().all(|message| message.role != Role::Assistant || history.contains(message)));
}
