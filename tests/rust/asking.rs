//! When a summarizer that works is asked, and what a report says if it is not.

use crate::support::calls;
use crate::support::good_summary;
use crate::support::plain_turns;
use crate::support::recorded;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chats;
use crate::support::tail_chat;
use crate::support::tool_turns;
use crate::support::{Chat, M, answer, assistant, call, filler, result, spread, user};
use precis::report::Outcome;
use precis::session::compaction::Kind;
use precis::summary::request::Request;
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
        let (mut asked, mut by_code) = (Vec::new(), Vec::new());
        for number in 0..steps {
            let report = chat
                .before_model(&history, Some(&mut recorded(&mut asked, |_| answer(NOTES))))
                .unwrap()
                .committed
                .report;
            by_code.extend(report.rung.filter(|rung| ["digest", "trim"].contains(rung)));
            history.extend(step(number, lines));
        }
        assert!(!asked.is_empty(), "window {window}");
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

/// How often the summarizer is called if this many bytes are new each time, in one long turn whose request stays. Less
/// than half of the room counts as little. The request and the summaries are long, so that little fills the room.
fn asked_for(new: &[usize]) -> String {
    let mut chat = tail_chat();
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
    chat.options["tune"]["shares"] = json!({ "fresh": 0.5, "tail": 0 });
    let mut history = vec![user(&filler(4_200))];
    let mut asked = String::new();
    for bytes in new {
        for _ in 0..8 {
            history.extend([assistant(&filler(bytes / 8)), calls(&["call_0"]), result("call_0", "ok")]);
        }
        let revision = chat.session().revision;
        let round = asked.len();
        let mut calls = 0;
        let mut summarize = |_: &Request| {
            calls += 1;
            // As long as a summary may be, and without repeating its material or the previous one.
            answer(&(0..75).map(|note| format!("note {note} of {round}, on work; ")).collect::<String>())
        };
        chat.before_model(&history, Some(&mut summarize)).unwrap();
        assert!(chat.session().revision > revision, "{asked}: nothing was compacted");
        asked.push_str(&calls.to_string());
    }
    asked
}

/// C2 of the original preset.
#[test]
fn a_summarizer_that_keeps_failing_is_left_alone_and_nothing_grows() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = Vec::new();
        let (mut asked, mut compacted) = (Vec::new(), 0);
        for turn in 0..120 {
            history.push(user(&format!("turn {turn}: {}", filler(700))));
            let prepared = send_checked(
                &mut chat,
                &history,
                Some(&mut recorded(&mut asked, |_| Answer::Failed("The provider is down.".into()))),
            );
            chat.after_model(prepared.committed.report.after.raw * 2);
            compacted += usize::from(prepared.committed.report.outcome == Outcome::Compacted);
            let text = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.summary.text.len());
            assert!(text < 12_000, "{strategy} turn {turn}: {text} bytes");
            history.push(assistant(&filler(700)));
        }
        assert!(compacted >= 5, "{strategy}");
        assert!(asked.len() * 2 <= compacted + 4, "{strategy}: asked {} times in {compacted} compactions", asked.len());
        assert!(compacted <= 60, "{strategy}: {compacted}");
    }
}

/// D12 of docs/guarantees.md.
#[test]
fn a_failure_leaves_the_state_able_to_go_on() {
    let mut history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    chat.options["summarizer"] = json!({ "maxCalls": 100 });
    send_checked(&mut chat, &history, Some(&mut |_| Answer::Failed("no JSON".into())));
    history.extend(tool_turns(12, 1_500));
    let mut asked = Vec::new();
    send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
    assert!(asked[0].prompt.contains("question 0?"), "the summary after a digest starts from the messages again");
}

#[test]
fn a_summary_after_a_digest_starts_again_from_the_messages() {
    let mut chat = tail_chat();
    chat.options["summarizer"] = json!({ "maxCalls": 100 });
    let mut history = plain_turns(0..20);
    chat.before_model(&history, None).unwrap();
    let digest = chat.session().checkpoints.last().cloned().unwrap();
    assert_eq!(digest.kind, Kind::Digest);
    history.extend(plain_turns(20..40));
    let mut asked = Vec::new();
    chat.before_model(&history, Some(&mut recorded(&mut asked, |_| answer("All of it.")))).unwrap();
    assert_eq!(chat.session().checkpoints.last().unwrap().kind, Kind::Summary);
    assert!(asked[0].prompt.contains("answer 2."), "the messages are there: {}", asked[0].prompt);
    assert!(!asked[0].prompt.contains("Condensed by code"), "the digest stood for the messages: {}", asked[0].prompt);
}

#[test]
fn three_failures_leave_the_summarizer_alone_for_eight_compactions() {
    let mut chat = tail_chat();
    // One request each, however long the past is.
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
    let mut history = Vec::new();
    let mut calls = String::new();
    for round in 0..16 {
        history.extend(plain_turns(round * 16..round * 16 + 16));
        let mut asked = Vec::new();
        let revision = chat.session().revision;
        chat.before_model(&history, Some(&mut recorded(&mut asked, |_| Answer::Failed("overloaded".into())))).unwrap();
        assert!(chat.session().revision > revision, "round {round} compacts");
        calls.push_str(&asked.len().to_string());
    }
    assert_eq!(calls, "1110000000011100");
}

#[test]
fn a_good_summary_closes_the_count_of_failures() {
    let mut chat = tail_chat();
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
    let mut history = Vec::new();
    let mut calls = String::new();
    for (round, fails) in [true, true, false, true, true, false, true].into_iter().enumerate() {
        history.extend(plain_turns(round * 16..round * 16 + 16));
        let mut asked = Vec::new();
        let answers = |_: &Request| if fails { Answer::Failed("overloaded".into()) } else { answer("Notes.") };
        chat.before_model(&history, Some(&mut recorded(&mut asked, answers))).unwrap();
        calls.push_str(&asked.len().to_string());
    }
    assert_eq!(calls, "1111111");
}

#[test]
fn after_three_compactions_with_little_new_no_summary_is_asked_for() {
    assert_eq!(asked_for(&[20_000, 4_000, 4_000, 4_000, 4_000]), "11110");
}

#[test]
fn what_code_covered_meanwhile_counts_as_new_to_the_next_summary() {
    let asked = asked_for(&[20_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000]);
    assert!(asked.starts_with("11110") && asked[5..].contains('1') && asked[5..].contains('0'), "{asked}");
}

#[test]
fn a_compaction_with_much_new_ends_the_count_of_those_with_little() {
    assert_eq!(asked_for(&[20_000, 4_000, 4_000, 20_000, 4_000, 4_000, 4_000]), "1111111");
}
