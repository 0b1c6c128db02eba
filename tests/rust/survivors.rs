//! Behaviour that no test covered until a mutation of the engine survived (CONTRIBUTING.md, "How we test").

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::result;
use crate::support::user;
use crate::support::words;
use precis::model::message::Role;
use precis::session::compaction::Kind;
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
    chat.options["summarizer"] = json!({ "maxCalls": 100 });
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
    chat.options["summarizer"] = json!({ "maxCalls": 100 });
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
    for step in 0..9 {
        let output = P::Result { id: "call_0".into(), output: filler(2_600).into(), failed: step % 2 == 0 };
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
    // Within the reach of the clip. The result is replaced by another one, which changes no hash.
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
    // One request each, however long the past is.
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
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

/// A new chat with a trigger of 6,476 tokens. A clip or clear may stop at nine tenths of that.
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
    // The last assistant message is not cut. With it, the target is out of reach, but the trigger is not.
    let history = [user(&filler(30_000)), assistant(&filler(7_200))];
    let report = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap().committed.report;
    let after = report.after.tokens + report.after.bound;
    let trigger = report.after.trigger;
    assert!(report.after.bound > 0 && after < trigger && after > trigger * 9 / 10, "{report:?}");
    assert_eq!(chat.session().clips.len(), 1);
}

#[test]
fn a_pinned_part_is_no_part_of_what_a_cut_gains() {
    let mut chat = chat();
    chat.pinned = vec![1];
    // Larger than the cap of the other one.
    let history = [user("Write it."), assistant(&filler(6_000)), user(&filler(30_000)), assistant("Done.")];
    let prepared = chat.before_model(&history, None).unwrap();
    assert!(chat.session().clips[0].cap < 1_000, "{:?}", chat.session().clips);
    let after = prepared.committed.report.after;
    assert!(after.tokens + after.bound < after.trigger, "{after:?}");
    assert!(prepared.view.contains(&history[1]));
    assert_eq!(chat.session().clips.len(), 1, "the first cut was enough");
}

#[test]
fn a_sliding_window_fires_above_twenty_messages_and_keeps_six() {
    let mut chat = chat();
    chat.options["tune"]["strategy"] = json!("sliding-window");
    let turn = |turn: usize| [assistant(&format!("answer {turn}")), user(&format!("question {turn}?"))];
    let mut history: Vec<M> = (0..10).flat_map(turn).collect();
    let twenty = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    assert_eq!((history.len(), twenty.view.len()), (20, 20));
    history.push(user("And?"));
    let more = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap();
    assert_eq!(chat.session().checkpoints[0].covers.count, 15);
    assert_eq!(more.view[more.view.len() - 6..], history[15..]);
}

#[test]
fn nothing_is_covered_where_all_of_it_would_stay() {
    for strategy in ["full", "tail", "sliding-window"] {
        let mut chat = chat();
        chat.options["tune"]["strategy"] = json!(strategy);
        let history = [user("Write it."), assistant(&filler(11_200))];
        let mut asked = 0;
        let mut summarize = |_: &precis::summary::request::Request| {
            asked += 1;
            answer("Notes.")
        };
        let prepared = chat.before_model(&history, Some(&mut summarize)).unwrap();
        assert_eq!((asked, chat.session().checkpoints.len()), (0, 0), "{strategy}");
        assert_eq!(prepared.view, history, "{strategy}");
    }
}

#[test]
fn a_cut_of_one_branch_is_not_made_in_another() {
    let mut chat = chat();
    let branch = |words: &str, bytes: usize| {
        [user(words), calls(&["call_0"]), result("call_0", &filler(bytes)), assistant("Read."), user("Go on.")]
    };
    let first = chat.before_model(&branch("Read the log.", 20_000), None).unwrap();
    assert_eq!(chat.session().clips.len(), 1);
    assert!(words(&first.view[2]).contains("left out"));
    let cap = chat.session().clips[0].cap as usize;
    let other = branch("Read the letter.", cap * 4 + 1_000);
    assert_eq!(chat.before_model(&other, None).unwrap().view, other);
}

#[test]
fn what_a_person_attached_stays_while_results_of_the_turn_are_cleared() {
    let mut chat = chat();
    let image = P::Media { kind: 0, media_type: "image/png".into(), bytes: 600, reference: String::new() };
    let asked = M { role: Role::User, parts: vec![P::Text("What is this?".into()), image] };
    let mut history = vec![asked.clone()];
    let mut cleared = false;
    for step in 0..12 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(900)), assistant(&format!("step {step}"))]);
        let prepared = chat.before_model(&history, None).unwrap();
        cleared |= prepared.committed.report.rung == Some("clear");
        if chat.session().checkpoints.is_empty() {
            assert!(prepared.view.contains(&asked), "step {step}");
        }
    }
    assert!(cleared, "nothing was cleared");
}

#[test]
fn a_good_summary_closes_the_count_of_failures() {
    let mut chat = chat();
    chat.options["summarizer"] = json!({ "contextWindow": 400_000 });
    let mut history = Vec::new();
    let mut asked = String::new();
    for (round, fails) in [true, true, false, true, true, false, true].into_iter().enumerate() {
        history.extend(long_turns(round * 16..round * 16 + 16));
        let mut calls = 0;
        let mut summarize = |_: &precis::summary::request::Request| {
            calls += 1;
            if fails { Answer::Failed("overloaded".into()) } else { answer("Notes.") }
        };
        chat.before_model(&history, Some(&mut summarize)).unwrap();
        asked.push_str(&calls.to_string());
    }
    assert_eq!(asked, "1111111");
}

/// How often the summarizer is called if this many bytes are new each time, in one long turn whose request stays. Less
/// than half of the room counts as little. The request and the summaries are long, so that little fills the room.
fn asked_for(new: &[usize]) -> String {
    let mut chat = chat();
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
        let mut summarize = |_: &precis::summary::request::Request| {
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

#[test]
fn what_a_person_wrote_is_cut_last() {
    let mut chat = chat();
    let history = [
        user(&filler(3_900)),
        assistant("Let me look."),
        user("Do."),
        calls(&["call_0"]),
        result("call_0", &filler(6_000)),
        assistant("Read."),
        user("Go on."),
    ];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clip"));
    assert_eq!(prepared.view[0], history[0]);
    assert_ne!(prepared.view[4], history[4]);
}

#[test]
fn a_cut_ends_within_its_cap_whatever_a_byte_counts() {
    use precis::tokens::{Estimator, of_text};
    for text in ["4711 0815 ", "订单已经发货", "🦀🐙", "naïve façade ", "{[()]}"] {
        let mut chat = chat();
        chat.options["tune"]["tokens"]["estimator"] = json!("lexical");
        let giant = result("call_0", &text.repeat(60_000 / text.len()));
        let history = [user("Read."), calls(&["call_0"]), giant, assistant("Read."), user("Go on.")];
        let view = chat.before_model(&history, None).unwrap().view;
        let cap = chat.session().clips[0].cap;
        let tokens = of_text(&Estimator::parse("lexical").unwrap(), &words(&view[2]));
        assert!(tokens > 0 && tokens <= cap, "{text}: {tokens} of {cap}");
    }
}

#[test]
fn usage_of_another_request_is_not_believed() {
    let mut chat = chat();
    let report = chat.before_model(&[user("Hello.")], None).unwrap().committed.report;
    let before = chat.session();
    let options = precis::limits::options::Options::parse(&crate::support::json(&chat.options)).unwrap();
    let usage = || precis::engine::Reported { prompt: Some(400), ..Default::default() };
    let other = precis::engine::after_model(&options, &before, usage(), Some("another"));
    assert_eq!(other, before);
    let own = precis::engine::after_model(&options, &before, usage(), Some(&report.request));
    assert_ne!(own, before);
}

#[test]
fn only_the_newest_cuts_are_remembered() {
    let mut state = precis::session::state::SessionState::default();
    for cap in 1..30 {
        let up_to = precis::model::message::Position { count: cap, chain: cap };
        state.clip(precis::session::state::Clip { up_to, cap, ..Default::default() });
    }
    assert_eq!(state.clips.iter().map(|clip| clip.cap).collect::<Vec<_>>(), (6..30).collect::<Vec<_>>());
}

#[test]
fn pinned_messages_stay_whole_even_if_nothing_fits() {
    let mut chat = chat();
    chat.pinned = vec![1];
    let history = [user("Write it."), assistant(&filler(60_000)), user("And now?"), assistant("Done."), user("Good.")];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.outcome.as_str(), "infeasible");
    assert!(prepared.view.contains(&history[1]), "a pinned message was cut");
}

#[test]
fn a_message_known_by_its_id_says_how_many_were_not_loaded() {
    let history = long_turns(0..30);
    let ids = |from: usize| (from..60).map(|index| format!("m{index}")).collect::<Vec<_>>();
    let mut chat = chat();
    chat.more = json!({ "ids": ids(0) });
    let whole = chat.before_model(&history, None).unwrap();
    let from = chat.session().checkpoints.last().unwrap().from as usize;
    assert!(from > 20, "{from}");
    // Only the ids show that messages are missing. One more message than necessary is loaded.
    chat.more = json!({ "ids": ids(from - 1) });
    let loaded = chat.before_model(&history[from - 1..], None).unwrap();
    assert_eq!(loaded.committed.report.diverged, None);
    assert_eq!(loaded.view, whole.view);
}

#[test]
fn a_digest_takes_half_of_what_it_replaces_at_most() {
    let mut chat = chat();
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
