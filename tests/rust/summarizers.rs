//! What a summarizer is asked, and what becomes of answers that are late, broken, too long or none.

use crate::support::GOOD_SUMMARY;
use crate::support::M;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::ours;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chats;
use crate::support::tail_chat;
use crate::support::tool_turns;
use crate::support::user;
use crate::support::words;
use precis::base::error::Warning;
use precis::base::markers;
use precis::report::Outcome;
use precis::session::compaction::Kind;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

/// F13 of docs/guarantees.md.
#[test]
fn the_language_of_the_conversation_is_asked_for_and_quoted() {
    let mut chat = small_chat(12_000);
    let turn = |number: usize| {
        [
            user(&format!("第{number}个问题：请检查支付服务的日志，不要重启数据库。")),
            assistant(&"日志里有很多超时。".repeat(60)),
        ]
    };
    let history: Vec<M> = (0..24).flat_map(turn).collect();
    let mut asked = String::new();
    let mut other = chat.clone();
    send_checked(
        &mut other,
        &history,
        Some(&mut |request: &Request| {
            asked = request.system.clone();
            answer("用户在检查支付服务的日志。")
        }),
    );
    assert!(asked.contains("language"), "{asked}");
    let prepared = send_checked(&mut chat, &history, None);
    let summary = words(ours(&prepared.view, markers::SUMMARY)[0]);
    assert!(summary.contains("第5个问题："), "{summary}");
}

/// F14 of docs/guarantees.md.
#[test]
fn nothing_but_a_whole_summary_is_stored() {
    let history = tool_turns(12, 1_500);
    let cut = |finish: &str| Answer::Text { text: "The user asked about".into(), finish: finish.into() };
    let bad = [
        cut("length"),
        cut("max_tokens"),
        cut("content_filter"),
        cut("tool_calls"),
        cut(""),
        answer(""),
        answer(" \n\t"),
        Answer::Failed("timeout".into()),
    ];
    for (number, bad) in bad.into_iter().enumerate() {
        let mut chat = small_chat(8_000);
        let prepared = send_checked(&mut chat, &history, Some(&mut |_| bad.clone()));
        assert_eq!(chat.session().checkpoints.last().unwrap().kind, Kind::Digest, "answer {number}");
        assert!(prepared.committed.report.failed.is_some(), "answer {number}");
        assert!(!says(&prepared.view, "The user asked about"), "answer {number}");
    }
}

/// F22 of docs/guarantees.md.
#[test]
fn a_summary_larger_than_its_source_is_not_used_and_success_means_room() {
    let history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    let prepared = send_checked(&mut chat, &history, Some(&mut |_| answer(&filler(60_000))));
    assert_eq!(chat.session().checkpoints.last().unwrap().kind, Kind::Digest);
    let after = prepared.committed.report.after;
    assert!(after.tokens * 10 < after.trigger * 8, "{after:?}: the next request must not compact again");
    let mut longer = history.clone();
    longer.push(user("Next."));
    let next = send_checked(&mut chat, &longer, Some(&mut |_| panic!("compacted again at once")));
    assert_eq!(next.committed.report.outcome, Outcome::Reused);
}

/// C3 of the original preset.
#[test]
fn an_empty_summary_does_not_compact_at_every_step() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        let mut asked = Vec::new();
        let mut first = true;
        for step in 0..6 {
            let prepared = send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, |_| answer("  \n"))));
            assert!(says(&prepared.view, "question 11?"), "{strategy}");
            if std::mem::take(&mut first) {
                let failed =
                    prepared.committed.report.warnings.iter().any(|warning| warning.code == Warning::SummaryFailed);
                assert!(failed, "{strategy}: said in the report");
                assert_eq!(chat.session().checkpoints[0].kind, Kind::Digest, "{strategy}");
            }
            let id = format!("more_{step}");
            history.push(calls(&[&id]));
            history.push(result(&id, "little"));
        }
        assert_eq!(asked.len(), 2, "{strategy}: once, and once more with the reason");
    }
}

/// E2 of the original preset.
#[test]
fn the_summarizers_prompt_does_not_grow_with_the_conversation() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = Vec::new();
        let mut prompts: Vec<usize> = Vec::new();
        for turn in 0..200 {
            history.push(user(&format!("turn {turn}: {}", filler(300))));
            send_checked(
                &mut chat,
                &history,
                Some(&mut |request| {
                    prompts.push(request.prompt.len());
                    good_summary(request)
                }),
            );
            history.push(assistant(&filler(300)));
        }
        let (first, largest) = (prompts[0], *prompts.iter().max().unwrap());
        assert!(prompts.len() >= 4, "{strategy}: {prompts:?}");
        assert!(largest <= first * 3 / 2, "{strategy}: {prompts:?}");
    }
}

/// E3 of the original preset.
#[test]
fn an_error_of_the_summarizer_does_not_send_the_whole_history() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        send_checked(&mut chat, &history, Some(&mut good_summary));
        history.extend(tool_turns(12, 1_500));
        let prepared = send_checked(&mut chat, &history, Some(&mut |_| Answer::Failed("It threw.".into())));
        assert!(prepared.view.len() < 30, "{strategy}: {} messages", prepared.view.len());
        assert!(says(&prepared.view, GOOD_SUMMARY), "{strategy}: what was summarized before is carried on");
    }
}

/// X06 and X13 of docs/guarantees.md.
#[test]
fn the_summarizer_is_asked_in_text_without_tools_or_tool_blocks() {
    let history = tool_turns(12, 1_500);
    let chat = small_chat(8_000);
    let plan = chat.plan(&history);
    let requests = chat.requests(&history, &plan);
    assert!(!requests.is_empty());
    for request in requests {
        assert!(request.prompt.contains("read_file"), "calls are in the request");
        assert!(!request.prompt.contains("\"tool_use\"") && !request.prompt.contains("tool_call_id"));
    }
}

/// X07 of docs/guarantees.md.
#[test]
fn a_focus_reaches_every_request() {
    let mut chat = small_chat(8_000);
    chat.more = json!({ "now": true, "focus": "keep the table names" });
    let history = tool_turns(30, 1_500);
    let plan = chat.plan(&history);
    let requests = chat.requests(&history, &plan);
    assert!(!requests.is_empty());
    assert!(requests.iter().all(|request| request.system.contains("keep the table names")));
}

/// D02 of docs/guarantees.md.
#[test]
fn half_a_summary_is_never_stored() {
    let history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    let cut = Answer::Text { text: "The user wants to".into(), finish: "length".into() };
    let prepared = send_checked(&mut chat, &history, Some(&mut |_| cut.clone()));
    assert!(!says(&prepared.view, "The user wants to"));
    assert!(!precis::base::json::Json::eq(&chat.state, &precis::base::json::Json::Null));
    assert_eq!(chat.session().checkpoints[0].kind, Kind::Digest);
}

/// D05 of docs/guarantees.md.
#[test]
fn two_thousand_messages_over_the_window_are_one_question() {
    let history: Vec<M> = (0..1_000).flat_map(|number| [user(&format!("q{number}")), assistant(&filler(60))]).collect();
    let mut asked = Vec::new();
    send_checked(&mut small_chat(20_000), &history, Some(&mut recorded(&mut asked, good_summary)));
    let kinds: Vec<&str> = asked.iter().map(|request| request.kind).collect();
    assert_eq!(kinds, ["chunk", "chunk", "chunk", "chunk", "merge"]);
    let mut large = small_chat(20_000);
    large.options["summarizer"] = json!({ "contextWindow": 200_000 });
    let mut asked = Vec::new();
    send_checked(&mut large, &history, Some(&mut recorded(&mut asked, good_summary)));
    assert_eq!(asked.len(), 1);
}

/// D07 of docs/guarantees.md.
#[test]
fn a_summarizer_that_overflows_leaves_a_digest_that_fits() {
    let history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    send_checked(&mut chat, &history, Some(&mut |_| Answer::Failed("prompt is too long".into())));
    assert_eq!(chat.session().checkpoints[0].kind, Kind::Digest);
}

/// D22 of docs/guarantees.md.
#[test]
fn the_summarizer_sees_the_newest_of_what_is_covered_and_the_newest_summary_counts() {
    let mut history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    let mut prompt = String::new();
    send_checked(
        &mut chat,
        &history,
        Some(&mut |request: &Request| {
            prompt.push_str(&request.prompt);
            answer("The first summary.")
        }),
    );
    let covered = chat.session().checkpoints[0].covers.count as usize;
    let last = words(&history[covered - 1]);
    assert!(prompt.contains(&last[..9]), "the last covered message is in the request: {}", &last[..9]);
    history.extend(tool_turns(12, 1_500));
    let prepared = send_checked(&mut chat, &history, Some(&mut |_| answer("The second summary.")));
    assert!(says(&prepared.view, "The second summary.") && !says(&prepared.view, "The first summary."));
}

#[test]
fn a_digest_takes_half_of_what_it_replaces_at_most() {
    let mut chat = tail_chat();
    chat.options["contextWindow"] = json!(100_000);
    chat.options["tune"]["strategy"] = json!("full");
    chat.more = json!({ "compact": true });
    let names = |turn: usize| (0..90).map(|name| format!("src/part_{turn}/file_{name}.rs ")).collect::<String>();
    let history: Vec<M> =
        (0..8).flat_map(|turn| [user(&names(turn)), assistant("Read.")]).chain([user("Go on.")]).collect();
    let prepared = chat.before_model(&history, None).unwrap();
    let checkpoint = chat.session().checkpoints.last().cloned().unwrap();
    assert_eq!(checkpoint.kind, Kind::Digest);
    let gone: usize =
        history.iter().filter(|message| !prepared.view.contains(message)).map(|message| words(message).len()).sum();
    let bytes = checkpoint.summary.text.len();
    // A frame, and a rounded token per message.
    assert!(bytes > gone / 4 && bytes <= gone / 2 + 160, "{bytes} bytes stand for {gone}");
}
