//! Corners of the ladder that random histories found: each is the smallest one that showed it.

use crate::support::{Chat, M, P, added, answer, assistant, calls, filler, result, says, system, user, words};
use precis::message::Role;
use precis::report::Outcome;
use serde_json::json;

fn chat(strategy: &str, window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "summarize": true,
        "tune": { "strategy": strategy, "tokens": { "estimator": "bytes4" } }
    }))
}

/// Parallel calls, answered in one message of the user.
fn together(ids: &[&str], bytes: usize) -> [M; 2] {
    let part = |id: &&str| P::Result { id: (*id).into(), output: filler(bytes).into(), failed: false };
    [calls(ids), M { role: Role::User, parts: ids.iter().map(part).collect() }]
}

#[test]
fn parallel_results_that_were_cleared_are_not_counted_again() {
    for window in [1_000, 2_000, 4_000, 8_000] {
        let mut chat = chat("tail", window);
        let mut history = vec![user("Read everything.")];
        for batch in 0..24 {
            let ids: Vec<String> = (0..3).map(|number| format!("{batch}.{number}")).collect();
            let bytes = window as usize / 10 * (batch % 4 + 1);
            history.extend(together(&ids.iter().map(String::as_str).collect::<Vec<_>>(), bytes));
            let prepared = chat.before_model(&history, None).unwrap();
            let report = prepared.committed.report;
            assert!(report.after.tokens < window, "batch {batch} of {window}: {report:?}");
            assert_eq!(prepared.view.last().map(|message| message.parts.len()), Some(3));
        }
    }
}

fn long_turns(count: usize) -> Vec<M> {
    let turn = |turn: usize| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
    (0..count).flat_map(turn).collect()
}

#[test]
fn a_history_rewound_to_what_was_covered_still_sends_its_newest_message() {
    for strategy in ["full", "tail", "sliding-window"] {
        let mut compacted = chat(strategy, 8_000);
        let history = long_turns(14);
        compacted.before_model(&history, Some(&mut |_| answer("What came before."))).unwrap();
        let covers = compacted.session().checkpoints[0].covers.count as usize;
        for end in 1..=covers + 1 {
            let mut chat = compacted.clone();
            let rewound = &history[..end];
            let prepared = chat.before_model(rewound, Some(&mut |_| answer("Again."))).unwrap();
            assert_eq!(prepared.view.last(), rewound.last(), "{strategy} rewound to {end} of {covers}");
            assert!(!prepared.view.is_empty());
        }
    }
}

#[test]
fn a_request_that_was_covered_is_sent_again_when_the_one_after_it_is_deleted() {
    for strategy in ["full", "tail"] {
        let mut chat = chat(strategy, 8_000);
        // Too long to be kept beside the newer request.
        let first = user(&format!("The large request. {}", filler(4_000)));
        let mut history = vec![first.clone()];
        history.extend((0..5).map(|number| assistant(&format!("part {number} {}", filler(2_000)))));
        history.push(assistant("a last word"));
        history.push(user("a small request"));
        chat.before_model(&history, Some(&mut |_| answer("What came before."))).unwrap();
        assert_eq!(chat.session().checkpoints.len(), 1, "{strategy}");
        history.pop();
        let prepared = chat.before_model(&history, Some(&mut |_| answer("Again."))).unwrap();
        let sent = prepared.view.iter().any(|message| words(message).starts_with("The large request."));
        assert!(sent, "{strategy}: {:?}", prepared.view.iter().map(|message| words(message).chars().take(40).collect::<String>()).collect::<Vec<_>>());
    }
}

#[test]
fn a_late_plan_does_not_cover_the_newest_message_of_a_history_that_was_rewound() {
    for strategy in ["full", "tail", "sliding-window"] {
        let start = chat(strategy, 8_000);
        let history = long_turns(14);
        let plan = start.plan(&history);
        for end in 1..history.len() {
            let mut chat = start.clone();
            let rewound = &history[..end];
            let committed = chat.commit(rewound, &plan, Some(&[answer("A late summary.")]));
            assert_eq!(committed.view.last(), rewound.last(), "{strategy} rewound to {end}");
            let typed = rewound.iter().rev().find(|message| message.role == Role::User).unwrap();
            assert!(committed.view.contains(typed), "{strategy} rewound to {end}");
        }
    }
}

#[test]
fn a_request_that_stays_above_the_trigger_is_not_reported_as_fine() {
    for strategy in ["full", "tail", "sliding-window"] {
        let mut chat = chat(strategy, 8_000);
        // Nobody may cut what the model said last: 7,000 tokens, above the trigger of 6,476 and below the window.
        let history = [user("Write it."), assistant(&filler(11_200))];
        let prepared = chat.before_model(&history, Some(&mut |_| answer("S"))).unwrap();
        let report = prepared.committed.report;
        assert!(report.after.tokens + report.after.bound >= report.after.trigger);
        assert_eq!(report.outcome, Outcome::Squeezed, "{strategy}: {report:?}");
        assert!(!report.reason.contains("below the trigger"), "{strategy}: {}", report.reason);
    }
}

#[test]
fn results_are_cleared_when_a_compaction_alone_does_not_make_room() {
    let mut chat = chat("tail", 1_000);
    chat.options["maxOutputTokens"] = json!(0);
    chat.system = Some(filler(60));
    let mut history = vec![user("0. "), system("A rule."), user("7. ")];
    for turn in 0..3 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(300)), assistant(&format!("{turn}. {}", filler(40)))]);
    }
    history.extend([calls(&["a", "b", "c"]), result("a", &filler(244)), result("b", &filler(244)), result("c", &filler(244))]);
    history.push(assistant("done"));
    let first = chat.before_model(&history, Some(&mut |_| answer("The work goes on."))).unwrap();
    let report = &first.committed.report;
    assert!(report.after.tokens + report.after.bound < report.after.trigger, "{report:?}");
    let again = chat.before_model(&history, Some(&mut |_| answer("The work goes on."))).unwrap();
    assert_eq!(again.view, first.view);
}

#[test]
fn what_was_clipped_and_cleared_reads_alike_in_both_loops() {
    let (mut raw, mut fed) = (chat("tail", 4_000), chat("tail", 4_000));
    let (mut history, mut given): (Vec<M>, Vec<M>) = (Vec::new(), Vec::new());
    let mut cut = false;
    for turn in 0..40 {
        let id = format!("call_{turn}");
        let output = format!("result {turn}\n{}", filler(1_500 * (turn % 4 + 1)));
        let new = [user(&format!("turn {turn}")), calls(&[&id]), result(&id, &output)];
        history.extend_from_slice(&new);
        given.extend_from_slice(&new);
        let expected = raw.before_model(&history, None).unwrap();
        let prepared = fed.before_model(&given, None).unwrap();
        assert_eq!(prepared.view, expected.view, "turn {turn}");
        assert_eq!(prepared.committed.report.diverged, None, "turn {turn}");
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        given = prepared.view;
        cut |= says(&given, "[precis: ");
    }
    assert!(cut && !raw.session().checkpoints.is_empty());
}
