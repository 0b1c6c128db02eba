//! When a summarizer that works is asked, and what a report says if it is not.

use crate::support::{Chat, M, answer, assistant, call, filler, result, spread, user};
use precis::summary::verify::Answer;
use serde_json::json;

const NOTES: &str = "## Task\nThe user wants all ports. Those of the services read so far are noted: 8000 to 8020.";

fn chat(window: u64) -> Chat {
    Chat::new(json!({ "contextWindow": window, "maxOutputTokens": 800, "summarize": true }))
}

/// The request of a user, and steps of an agent that reads a file of `lines` lines in each.
fn step(number: usize, lines: usize) -> [M; 2] {
    let id = format!("c{number}");
    let output: String = (0..lines).map(|line| format!("option_{line}: value {}\n", line * number)).collect();
    let said = assistant(&format!("I read file {number}. The port is {}. ", 8_000 + number));
    let mut asked = call(&id, "read", json!({ "path": format!("f{number}") }));
    asked.parts.splice(0..0, said.parts);
    [asked, result(&id, &format!("port: {}\n{output}", 8_000 + number))]
}

#[test]
fn in_a_long_loop_of_tools_a_summarizer_that_works_is_asked() {
    // What is left of a cleared result is small: a larger window takes more steps until clearing frees too little.
    for &(window, lines, steps) in spread(&[(8_000, 60, 60), (32_000, 300, 120)], 1) {
        let mut chat = chat(window);
        let mut history = vec![user("Collect the port of every service.")];
        let (mut asked, mut by_code) = (0, Vec::new());
        for number in 0..steps {
            let mut summarize = |_: &_| {
                asked += 1;
                answer(NOTES)
            };
            let report = chat.before_model(&history, Some(&mut summarize)).unwrap().committed.report;
            by_code.extend(report.rung.filter(|rung| ["digest", "trim"].contains(rung)));
            history.extend(step(number, lines));
        }
        assert!(asked >= 1, "window {window}: asked {asked} times");
        assert_eq!(by_code, Vec::<&str>::new(), "window {window}");
    }
}

/// A result that was cleared is counted by what is left of it, and nothing more is to be had from that.
#[test]
fn what_was_cleared_counts_no_second_time_as_gained() {
    let mut chat = chat(8_000);
    let mut history = vec![user("Collect the port of every service.")];
    let mut cleared = Vec::new();
    for number in 0..60 {
        let report = chat.before_model(&history, Some(&mut |_| answer(NOTES))).unwrap().committed.report;
        if report.rung == Some("clear") {
            // What a placeholder takes is estimated: so a little less than the least may come of it.
            let least = report.before.trigger * 12 / 100;
            let gained = report.before.tokens - report.after.tokens;
            assert!(gained >= least, "step {number}: {gained} of at least {least}");
            cleared.push(gained);
        }
        history.extend(step(number, 60));
    }
    assert!(!cleared.is_empty());
}

fn turns(from: usize, to: usize) -> Vec<M> {
    let turn = |turn| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
    (from..to).flat_map(turn).collect()
}

#[test]
fn after_failures_the_report_says_why_nobody_is_asked() {
    let mut chat = chat(8_000);
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
    let mut history = Vec::new();
    let mut skipped = Vec::new();
    for round in 0..5 {
        history.extend(turns(round * 16, round * 16 + 16));
        let mut summarize = |_: &_| Answer::Failed("down".into());
        let report = chat.before_model(&history, Some(&mut summarize)).unwrap().committed.report;
        skipped.push((report.failed.is_some(), report.skipped.unwrap_or_default()));
    }
    for (failed, skipped) in &skipped[..3] {
        assert!(*failed && skipped.is_empty(), "{skipped}");
    }
    for ((failed, skipped), left) in skipped[3..].iter().zip([8, 7]) {
        assert!(!failed && skipped.contains(&format!("not called for the next {left} compactions")), "{skipped}");
    }
}

#[test]
fn without_a_summarizer_nobody_is_missed() {
    let mut chat = Chat::new(json!({ "contextWindow": 8_000, "maxOutputTokens": 800 }));
    let report = chat.before_model(&turns(0, 20), None).unwrap().committed.report;
    assert_eq!((report.rung, report.skipped), (Some("digest"), None));
}

#[test]
fn a_plan_that_is_committed_without_answers_says_so() {
    let mut chat = chat(8_000);
    let report = chat.before_model(&turns(0, 20), None).unwrap().committed.report;
    assert_eq!(report.skipped.as_deref(), Some("The plan was committed without answers to its requests."));
}

#[test]
fn a_reply_limit_that_is_not_kept_free_is_told_once() {
    use precis::base::error::Warning::ReplyLimitTooLarge;
    let told = |limit: u64| {
        let mut chat = Chat::new(json!({ "contextWindow": 8_000, "maxOutputTokens": limit }));
        let mut history = vec![user("Hello.")];
        let mut told = Vec::new();
        for _ in 0..2 {
            let report = chat.before_model(&history, None).unwrap().committed.report;
            told.extend(report.warnings.into_iter().filter(|notice| notice.code == ReplyLimitTooLarge));
            history.extend([assistant("Hello."), user("And now?")]);
        }
        told
    };
    assert_eq!(told(4_000), []);
    let told = told(5_000);
    assert!(told.len() == 1 && told[0].advice.contains("4000 are kept free"), "{told:?}");
}

#[test]
fn a_state_that_is_a_string_is_called_one() {
    use precis::session::state::SessionState;
    let refused = SessionState::parse(&"{\"version\":1}".to_owned().into()).unwrap_err();
    assert!(refused.advice.contains("is a string") && refused.advice.contains("JSON.parse"), "{refused}");
}
