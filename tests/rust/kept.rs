//! What stays in the view, word for word, when the past is covered.

use crate::support::M;
use crate::support::P;
use crate::support::STRATEGIES;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::plain_turns;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::spoken_step;
use crate::support::strategy_chat;
use crate::support::strategy_chats;
use crate::support::system;
use crate::support::tail_chat;
use crate::support::tool_step;
use crate::support::tool_turn;
use crate::support::tool_turns;
use crate::support::user;
use crate::support::words;
use precis::base::markers;
use precis::model::message::Role;
use precis::session::compaction::Kind;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

/// F01 of docs/guarantees.md.
#[test]
fn a_giant_turn_in_flight_keeps_what_the_last_summary_held() {
    let mut chat = small_chat(8_000);
    let mut history =
        vec![user("The database listens on db-7.internal:5433; the ticket is OPS-4711."), assistant("Noted.")];
    history.extend(tool_turns(12, 1_500));
    send_checked(
        &mut chat,
        &history,
        Some(&mut |_| answer("The database listens on db-7.internal:5433; the ticket is OPS-4711.")),
    );
    history.push(user("Now go through everything."));
    for number in 0..30 {
        history.extend(tool_step(number, 100));
        history.push(assistant(&filler(900)));
        let prepared = send_checked(&mut chat, &history, None);
        for fact in ["db-7.internal:5433", "OPS-4711"] {
            assert!(says(&prepared.view, fact), "{fact} is gone at step {number}");
        }
    }
    assert!(chat.session().checkpoints.len() > 1, "the turn in flight was compacted");
    // With a model, which reads the previous summary once.
    let mut asked = Vec::new();
    history.push(user("And again."));
    history.extend((0..20).map(|_| assistant(&filler(900))));
    send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
    assert!(asked.iter().any(|request| request.prompt.contains("OPS-4711")));
}

/// F02 of docs/guarantees.md.
#[test]
fn each_message_is_in_the_view_or_was_given_to_a_summary_over_many_compactions() {
    let mut chat = small_chat(8_000);
    let mut history = Vec::new();
    let mut told = String::new();
    for number in 0..60 {
        history.extend(tool_turn(number, 1_200));
        let mut hear = |request: &Request| {
            told.push_str(&request.prompt);
            good_summary(request)
        };
        let prepared = send_checked(&mut chat, &history, Some(&mut hear));
        let covers = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count as usize);
        for (index, message) in history.iter().enumerate() {
            let name = words(message).chars().take(12).collect::<String>();
            let sent = says(&prepared.view, &name);
            assert!(
                sent || index < covers && told.contains(&name),
                "message {index} ({name}) is nowhere, turn {number}"
            );
        }
    }
    assert!(
        told.matches("<previous-summary>").count() + told.matches("revious summary").count() > 2,
        "it compacted often"
    );
}

/// F07 of docs/guarantees.md.
#[test]
fn the_newest_turn_survives_a_compaction_at_any_point_and_a_summarizer_that_fails() {
    let mut history = tool_turns(12, 1_500);
    history.push(user("What is next?"));
    for extra in [vec![], tool_step(0, 900).to_vec(), tool_step(0, 900)[..1].to_vec()] {
        let mut own = history.clone();
        own.extend(extra);
        let before = own.clone();
        let mut chat = small_chat(8_000);
        let mut fail = |_: &Request| Answer::Failed("the network is down".to_owned());
        let prepared = send_checked(&mut chat, &own, Some(&mut fail));
        assert_eq!(own, before, "the history is the host's");
        assert_eq!(prepared.view.last(), own.last());
        assert!(prepared.view.contains(&user("What is next?")));
        assert!(prepared.committed.report.failed.is_some());
    }
}

/// F09 of docs/guarantees.md.
#[test]
fn todos_are_asked_for_and_kept_by_the_digest() {
    let mut chat = small_chat(4_000);
    chat.more = json!({ "todos": [
        { "content": "Write the parser", "status": "completed" },
        { "content": "Write the printer", "status": "in_progress" },
    ] });
    let history = tool_turns(12, 900);
    let mut asked = Vec::new();
    send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
    let last = asked.last().unwrap();
    let told = format!("{}{}", last.system, last.prompt);
    assert!(told.contains("Write the printer") && told.contains("in_progress"), "{told}");
}

/// F11 of docs/guarantees.md.
#[test]
fn what_the_tail_cancels_stands_after_the_summary() {
    let mut chat = small_chat(4_000);
    let mut history = vec![user("Rewrite the billing module in Go."), assistant("I will plan it.")];
    history.extend(tool_turns(8, 900));
    history.push(user("Stop. No rewrite: cancel the Go plan."));
    let prepared = send_checked(&mut chat, &history, None);
    let at = |what: &str| prepared.view.iter().position(|message| words(message).contains(what));
    assert_eq!(at("cancel the Go plan"), Some(prepared.view.len() - 1));
    assert!(at("Rewrite the billing module").unwrap() < prepared.view.len() - 1, "the plan stands before it");
}

/// F12 of docs/guarantees.md.
#[test]
fn calls_in_the_view_are_calls_not_text() {
    let mut chat = small_chat(8_000);
    let history = tool_turns(20, 1_500);
    let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
    let tail: Vec<&M> = prepared.view.iter().filter(|message| message.role == Role::Assistant).collect();
    assert!(tail.iter().any(|message| matches!(message.parts[0], P::Call { .. })), "the tail holds calls");
    assert!(tail.iter().all(|message| history.contains(message)), "nothing of ours speaks as the assistant");
}

#[test]
fn the_system_prompt_is_never_covered() {
    let mut chat = small_chat(4_000);
    let mut history = vec![system("Answer in German.")];
    history.extend(tool_turns(20, 900));
    let prepared = send_checked(&mut chat, &history, None);
    assert_eq!(prepared.view[0], history[0]);
}

/// A1 of the original preset.
#[test]
fn the_newest_message_is_sent_and_results_reach_the_summarizer() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        history.push(user("Which file is the largest?"));
        history.push(call("new", "list_files", json!({ "path": "/src" })));
        history.push(result("new", "engine.rs 40 kB, the largest"));
        let mut asked = Vec::new();
        let prepared = send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
        assert_eq!(asked.len(), 1, "{strategy}");
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
        assert!(says(&prepared.view, "Which file is the largest?"), "{strategy}");
        assert!(asked[0].prompt.contains("content 0: line 0"), "{strategy}: {}", asked[0].prompt);
        assert!(asked[0].prompt.contains("read_file({\"path\":\"/src/file_0.rs\"})"), "{strategy}");
    }
}

/// A2 of the original preset.
#[test]
fn the_request_of_the_turn_stays_on_every_later_step() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(6, 1_000);
        let request = "Refactor the parser, but never touch lexer.rs.";
        history.push(user(request));
        for step in 0..25 {
            history.extend(spoken_step(step, 1_000, &filler(200)));
            let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
            assert!(prepared.view.contains(&user(request)), "{strategy} step {step}");
            assert_eq!(prepared.view.last(), history.last(), "{strategy} step {step}");
        }
        assert!(!chat.session().checkpoints.is_empty(), "{strategy}");
    }
}

/// A5 of the original preset.
#[test]
fn all_parts_of_a_request_are_sent() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        let parts = ["", "First the context.", "Then the wish: keep it short."];
        history.push(M { role: Role::User, parts: parts.map(|text| P::Text(text.into())).to_vec() });
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
    }
}

/// B6 of the original preset.
#[test]
fn what_is_kept_stays_at_the_next_request() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        let first = send_checked(&mut chat, &history, Some(&mut good_summary));
        history.push(user("Next."));
        let second = send_checked(&mut chat, &history, Some(&mut |_| panic!("nothing is to be summarized")));
        assert_eq!(second.view[..first.view.len()], first.view, "{strategy}");
        assert_eq!(second.view.len(), first.view.len() + 1, "{strategy}");
    }
}

/// E1 of the original preset.
#[test]
fn a_handful_of_messages_never_fails() {
    for strategy in STRATEGIES {
        for now in [false, true] {
            for count in 0..6 {
                for bytes in [0, 10, 4_000] {
                    let mut chat = strategy_chat(strategy, 8_000);
                    chat.more = json!({ "compact": now });
                    let all = tool_turns(2, bytes);
                    let prepared = send_checked(&mut chat, &all[..count], Some(&mut good_summary));
                    assert_eq!(prepared.view.is_empty(), count == 0, "{strategy} {count} {bytes}");
                }
            }
        }
    }
}

/// E4 of the original preset.
#[test]
fn a_long_chain_of_calls_is_cut_where_the_strategy_wants() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = vec![user("Go through all files."), assistant("I will.")];
        history.extend((0..40).flat_map(|number| spoken_step(number, 700, &filler(200))));
        let mut asked = Vec::new();
        let prepared = send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
        assert!(asked.len() <= 1, "{strategy}: {}", asked.len());
        let (before, after) = (prepared.committed.report.before.raw, prepared.committed.report.after.raw);
        assert!(after * 2 < before, "{strategy}: {before} to {after}");
        assert!(says(&prepared.view, "Go through all files."), "{strategy}");
        history.push(assistant("Done."));
        let next = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert_eq!(next.view[..prepared.view.len()], prepared.view, "{strategy}: and that stays");
    }
}

/// E5 of the original preset.
#[test]
fn no_continuation_is_added_to_a_request_that_is_still_there() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        history.push(user("What next?"));
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
        assert_eq!(prepared.view.iter().filter(|message| words(message).starts_with('[')).count(), 1, "{strategy}");
    }
}

#[test]
fn instructions_stay_in_front_whatever_is_compacted() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = vec![system("Be brief."), system("Never delete files.")];
        history.extend(tool_turns(12, 1_500));
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert_eq!(prepared.view[..2], history[..2], "{strategy}");
    }
}

/// X08 of docs/guarantees.md.
#[test]
fn a_follow_up_is_not_taken_for_the_first_request() {
    let mut history = vec![user("Write a parser for TOML."), assistant(&filler(600))];
    history.extend(tool_turns(8, 900));
    history.push(user("Faster, please."));
    let prepared = send_checked(&mut small_chat(4_000), &history, None);
    let view: String = prepared.view.iter().map(words).collect::<Vec<_>>().join("\n");
    assert!(view.find("Write a parser for TOML").unwrap() < view.find("Faster, please.").unwrap());
    assert_eq!(prepared.view.last(), history.last());
}

/// X11 of docs/guarantees.md.
#[test]
fn the_system_prompt_is_never_lost() {
    let mut history = vec![system("Answer in German.")];
    history.extend(tool_turns(30, 900));
    let mut chat = small_chat(4_000);
    for end in 1..=history.len() {
        let prepared = chat.before_model(&history[..end], None).unwrap();
        assert_eq!(prepared.view[0], history[0], "up to {end}");
    }
}

/// X14 of docs/guarantees.md.
#[test]
fn a_summary_is_text_that_any_model_can_read_on() {
    let history = tool_turns(12, 1_500);
    let prepared = send_checked(&mut small_chat(8_000), &history, Some(&mut good_summary));
    let summary = prepared.view.iter().find(|message| words(message).starts_with(markers::SUMMARY)).unwrap();
    assert!(matches!(&summary.parts[..], [P::Text(_)]) && summary.role == Role::User);
}

#[test]
fn a_request_that_was_kept_is_summarized_when_it_leaves() {
    let mut chat = tail_chat();
    chat.options["summarizer"] = json!({ "maxCalls": 100 });
    let mut history = vec![user("Count the 4711 herons.")];
    for _ in 0..12 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(2_400)), assistant(&filler(900))]);
    }
    chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    let first = chat.session().checkpoints.last().cloned().unwrap();
    assert_eq!((first.kind, first.stays.kept.first()), (Kind::Summary, Some(&0)));
    history.extend(plain_turns(0..20));
    let mut asked = Vec::new();
    chat.before_model(&history, Some(&mut recorded(&mut asked, |_| answer("More notes.")))).unwrap();
    assert!(!chat.session().checkpoints.last().unwrap().stays.kept.contains(&0));
    assert!(asked[0].prompt.contains("4711 herons"), "{}", asked[0].prompt);
}
