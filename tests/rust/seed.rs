//! The preset `contextguard`: the original's single-shot numbers, window table, calibration and safeguards.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::answer;
use crate::support::assistant;
use crate::support::filler;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::user;
use crate::support::words;
use precis::base::markers;
use precis::engine;
use precis::engine::presets::contextguard;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::compaction::Kind;
use precis::session::state::ContextguardState;
use precis::summary::verify::Answer;
use proptest::prelude::*;
use serde_json::json;

/// A compactor with the preset. The original's tests have no user content, so no message counts as typed.
fn guard(window: u64) -> Chat {
    let mut chat = Chat::new(json!({
        "contextWindow": window, "summarize": true,
        "tune": { "preset": "contextguard", "tokens": { "estimator": "bytes4" } }
    }));
    chat.typed = Some(false);
    chat
}

fn call(id: &str, name: &str, key: &str, value: &str) -> M {
    M { role: Role::Assistant, parts: vec![P::Call { id: id.into(), name: name.into(), input: json!({ key: value }) }] }
}

/// A result in the original's form: a map with one member, printed with twelve bytes around its text.
fn output(id: &str, bytes: usize) -> M {
    M {
        role: Role::User,
        parts: vec![P::Result { id: id.into(), output: json!({ "result": "x".repeat(bytes) }), failed: false }],
    }
}

/// A user message, calls with their results, and an answer: `2 + 2 × tools` messages with `raw` raw tokens in total.
fn round(number: usize, tools: usize, raw: usize) -> Vec<M> {
    let mut messages = vec![user(&"u".repeat(40))];
    // A call costs 2 + 1 + 1, the result's name 2.
    let mut rest = raw - 20 - tools * 6;
    for tool in 0..tools {
        let id = format!("{number}.{tool}");
        let share = rest / (tools - tool);
        rest -= share;
        messages.push(call(&id, "look_up_", "param", "value"));
        messages.push(output(&id, share * 4 - 12));
    }
    messages.push(assistant(&"a".repeat(40 + rest * 4)));
    messages
}

fn kube(rounds: usize) -> Vec<M> {
    (0..rounds).flat_map(|number| round(number, 3, 8_042)).collect()
}

fn coding(rounds: usize) -> Vec<M> {
    (0..rounds).flat_map(|number| round(number, 4, 1_170)).collect()
}

fn mixed() -> Vec<M> {
    let rounds = [(3, 6_000), (2, 3_000), (1, 1_000), (0, 20), (2, 1_778)];
    let mut messages: Vec<M> =
        rounds.into_iter().enumerate().flat_map(|(number, (tools, raw))| round(number, tools, raw)).collect();
    messages.push(user(&"u".repeat(40)));
    messages
}

fn storm(pairs: usize, bytes: usize) -> Vec<M> {
    let pair = |number: usize| {
        let id = format!("s{number}");
        [call(&id, "exec", "args", &"v".repeat(180)), output(&id, bytes)]
    };
    (0..pairs).flat_map(pair).collect()
}

/// The raw tokens of messages in a session that never compacted.
fn raw(messages: &[M]) -> u64 {
    let call = guard(1_000_000_000).call(messages).unwrap();
    engine::usage(&call, &mut crate::support::TestHost::new(messages, "bytes4")).unwrap().raw
}

#[test]
fn the_conversations_of_the_single_shot_figures_have_their_recorded_sizes() {
    let sizes = |messages: Vec<M>| (messages.len(), raw(&messages));
    assert_eq!(sizes(kube(1)), (8, 8_042));
    assert_eq!(sizes(kube(3)), (24, 24_126));
    assert_eq!(sizes(kube(50)), (400, 402_100));
    assert_eq!(sizes(mixed()), (27, 11_808));
    assert_eq!(sizes(coding(1)), (10, 1_170));
    assert_eq!(sizes(coding(15)), (150, 17_550));
    for bytes in [0, 500, 2_000, 5_001, 10_003] {
        assert_eq!(raw(&storm(1, bytes)), 48 + (bytes as u64 + 12) / 4, "{bytes}");
    }
    assert_eq!(sizes(storm(20, 2_000)), (40, 11_020));
    assert_eq!(sizes(storm(50, 5_000)), (100, 65_050));
    assert_eq!(sizes(storm(100, 10_000)), (200, 255_100));
}

#[test]
fn every_single_shot_figure_of_the_threshold_strategy_is_reproduced() {
    let scenarios = [
        ("kube-3", kube(3), 8_000, true),
        ("kube-3", kube(3), 32_000, true),
        ("kube-3", kube(3), 128_000, false),
        ("kube-10", kube(10), 32_000, true),
        ("kube-10", kube(10), 128_000, true),
        ("kube-10", kube(10), 200_000, true),
        ("kube-10", kube(10), 1_000_000, false),
        ("mixed", mixed(), 8_000, true),
        ("mixed", mixed(), 32_000, true),
        ("mixed", mixed(), 128_000, false),
        ("storm-20x2k", storm(20, 2_000), 8_000, true),
        ("storm-20x2k", storm(20, 2_000), 32_000, true),
        ("storm-50x5k", storm(50, 5_000), 32_000, true),
        ("storm-50x5k", storm(50, 5_000), 128_000, true),
        ("storm-50x5k", storm(50, 5_000), 200_000, false),
        ("kube-30", kube(30), 32_000, true),
        ("kube-30", kube(30), 128_000, true),
        ("kube-30", kube(30), 200_000, true),
        ("storm-100x10k", storm(100, 10_000), 32_000, true),
        ("storm-100x10k", storm(100, 10_000), 128_000, true),
        ("storm-100x10k", storm(100, 10_000), 1_000_000, false),
        ("coding-15", coding(15), 8_000, true),
        ("coding-15", coding(15), 32_000, true),
        ("coding-15", coding(15), 128_000, false),
        ("kube-3", kube(3), 4_000, true),
        ("mixed", mixed(), 4_000, true),
        ("storm-20x2k", storm(20, 2_000), 4_000, true),
        ("coding-15", coding(15), 4_000, true),
        ("kube-50", kube(50), 32_000, true),
        ("kube-50", kube(50), 128_000, true),
    ];
    for (name, messages, window, summarized) in scenarios {
        let mut chat = guard(window);
        let mut asked = Vec::new();
        let prepared =
            chat.before_model(&messages, Some(&mut recorded(&mut asked, |_| answer(&"s".repeat(155))))).unwrap();
        let report = &prepared.committed.report;
        let before = raw(&messages);
        let expected = if summarized { (2, 104, 1) } else { (messages.len(), before, 0) };
        assert_eq!(report.before.raw, before, "{name} in {window}");
        assert_eq!((prepared.view.len(), report.after.raw, asked.len()), expected, "{name} in {window}");
        assert_eq!(!chat.session().checkpoints.is_empty(), summarized, "{name} in {window}");
    }
}

/// What the strategy `sliding-window` guarantees where the original's has flaws (E1–E5): one summary, at least the six
/// newest messages, whole groups, and messages that stay in the next request.
#[test]
fn sliding_window_keeps_the_newest_messages_of_the_single_shot_conversations() {
    let scenarios = [
        ("kube-10", kube(10)),
        ("mixed", mixed()),
        ("storm-50x5k", storm(50, 5_000)),
        ("kube-30", kube(30)),
        ("storm-100x10k", storm(100, 10_000)),
        ("coding-15", coding(15)),
        ("kube-50", kube(50)),
    ];
    for (name, mut messages) in scenarios {
        let options = json!({ "contextWindow": 128_000, "summarize": true, "tune": { "strategy": "sliding-window" } });
        let mut chat = Chat::new(options);
        let mut asked = Vec::new();
        let prepared =
            chat.before_model(&messages, Some(&mut recorded(&mut asked, |_| answer(&"s".repeat(127))))).unwrap();
        assert_eq!(crate::support::added(&prepared.view, &messages), Vec::<String>::new(), "{name}");
        assert_eq!(chat.session().checkpoints.len(), 1, "{name}: {:?}", prepared.committed.report);
        let kept = messages.len() - chat.session().checkpoints[0].covers.count as usize;
        assert!((6..=8).contains(&kept), "{name} keeps {kept}");
        assert!(prepared.view.ends_with(&messages[messages.len() - kept..]), "{name}");
        let report = &prepared.committed.report;
        assert!(report.after.raw < report.before.raw, "{name}");
        assert!(report.after.tokens + report.after.bound < report.after.trigger, "{name}");

        messages.push(user("And now the next thing."));
        let next = chat.before_model(&messages, Some(&mut recorded(&mut asked, |_| answer("again")))).unwrap();
        assert_eq!(next.view, [prepared.view, vec![messages[messages.len() - 1].clone()]].concat(), "{name}");
        assert_eq!(asked.len(), 1, "{name}");
    }
}

/// Makes one request, reports `reported` tokens for it, appends `more`, and returns the estimate of the next request.
fn after_a_report(first: Vec<M>, reported: u64, more: Vec<M>) -> (u64, engine::Committed, Vec<M>) {
    let mut chat = guard(200_000);
    let mut history = first;
    let mut summarize = |_: &_| answer("A summary.");
    let prepared = chat.before_model(&history, Some(&mut summarize)).unwrap();
    assert_eq!(prepared.committed.report.outcome, Outcome::Unchanged);
    chat.after_model(reported);
    history.extend(more);
    let next = chat.before_model(&history, Some(&mut summarize)).unwrap();
    (next.committed.report.before.raw, next.committed, next.view)
}

#[test]
fn a_calibrated_estimate_sees_a_result_that_came_after_the_report() {
    let more = vec![call("c", "get_logs", "args", "some"), output("c", 80_000)];
    let (raw, committed, _) = after_a_report(vec![user(&"u".repeat(280_000))], 140_000, more);
    assert_eq!(raw, 90_009);
    assert_eq!(committed.report.before.tokens, 180_018);
    assert_eq!(committed.report.outcome, Outcome::Compacted);
}

#[test]
fn a_massive_result_after_the_report_compacts() {
    let more = vec![call("c", "fetch", "path", "/var/log"), output("c", 400_000)];
    let (raw, committed, view) = after_a_report(vec![user(&"u".repeat(200_000))], 100_000, more);
    assert_eq!(raw, 150_008);
    assert_eq!(committed.report.before.tokens, 300_016);
    assert!(words(&view[0]).starts_with(markers::PRESET_SUMMARY));
}

#[test]
fn the_window_table_is_the_originals() {
    // window, buffer, threshold, output tokens, words
    let rows: [[u64; 5]; 8] = [
        [4_000, 800, 3_200, 400, 300],
        [8_000, 1_600, 6_400, 800, 600],
        [32_000, 6_400, 25_600, 3_200, 2_400],
        [128_000, 25_600, 102_400, 12_800, 9_600],
        [180_000, 36_000, 144_000, 18_000, 13_500],
        [199_999, 39_999, 160_000, 19_999, 14_999],
        [200_000, 20_000, 180_000, 10_000, 7_500],
        [1_000_000, 20_000, 980_000, 10_000, 7_500],
    ];
    for [window, buffer, threshold, output, words] in rows {
        assert_eq!(contextguard::buffer(window), buffer, "{window}");
        assert_eq!(contextguard::summary_tokens(window), output, "{window}");
        assert_eq!(contextguard::limits(window)[3], words, "{window}");
        assert_eq!(contextguard::limits(window), [buffer, threshold, output, words], "{window}");
    }
}

#[test]
fn the_request_states_the_limits_of_the_window_table() {
    let chat = guard(8_000);
    let messages = kube(1);
    let plan = chat.plan(&messages);
    let requests = chat.requests(&messages, &plan);
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].max_output_tokens, 800);
    assert!(requests[0].system.contains("600 words"), "{}", requests[0].system);
    for heading in ["## Current State", "## Key Information", "## Context & Decisions", "## Exact Next Steps"] {
        assert!(requests[0].system.contains(heading), "{heading}");
    }
}

#[test]
fn equality_with_the_threshold_fires() {
    // 2,560 × 2.5 = 6,400 = the threshold of 8k.
    let below = guard(8_000).plan(&[user(&"u".repeat(4 * 2_559))]);
    let equal = guard(8_000).plan(&[user(&"u".repeat(4 * 2_560))]);
    assert_eq!((below.requests.len(), equal.requests.len()), (0, 1));
}

#[test]
fn estimates_are_corrected_by_the_last_ratio_within_one_and_five() {
    let count = |raw, real, last| contextguard::token_count(raw, ContextguardState { real, last });
    assert_eq!(count(1_000, 0, 0), 2_500);
    assert_eq!(count(1_001, 0, 700), 2_502, "the default factor, truncated");
    assert_eq!(count(750, 1_000, 500), 1_500);
    assert_eq!(count(750, 500, 1_000), 750, "a ratio below 1 counts as 1");
    assert_eq!(count(1_000, 6_000, 1_000), 6_000, "a ratio above 5 counts as 5, but what was reported stands");
    assert_eq!(count(2_000, 6_000, 1_000), 10_000);
    assert_eq!(count(10, 140_000, 70_000), 140_000, "never less than what was reported, even if the host shortened");
    assert_eq!(count(1_000, 2_000, 0), 2_500, "a report without a stored estimate uses the default factor");
}

proptest! {
    #[test]
    fn the_corrected_count_stays_in_its_clamps(raw in 0_u64..2_000_000, more in 0_u64..10_000, real in 0_u64..2_000_000, last in 0_u64..2_000_000) {
        let seed = ContextguardState { real, last };
        let count = contextguard::token_count(raw, seed);
        prop_assert!(count >= raw.max(real));
        prop_assert!(count <= (raw * 5).max(real));
        prop_assert!(contextguard::token_count(raw + more, seed) >= count);
    }
}

#[test]
fn a_compaction_resets_the_correction_and_stores_the_new_estimate() {
    let mut chat = guard(8_000);
    let mut history = kube(1);
    chat.before_model(&history[..1], None).unwrap();
    chat.after_model(40);
    let prepared = chat.before_model(&history, Some(&mut |_| answer(&"s".repeat(155)))).unwrap();
    assert_eq!(chat.session().contextguard, Some(ContextguardState { real: 0, last: 104 }));
    assert_eq!(prepared.committed.report.after.tokens, 260, "the default factor until the next report");
    chat.after_model(208);
    history.push(user(&"u".repeat(400)));
    let next = chat.before_model(&history, None).unwrap();
    // The summary's 58 and the new message's 100, at the ratio 208 / 104.
    assert_eq!(next.committed.report.before.tokens, 316);
}

#[test]
fn a_summary_that_fits_is_asked_for_once() {
    let mut asked = Vec::new();
    let mut chat = guard(8_000);
    chat.before_model(&kube(1), Some(&mut recorded(&mut asked, |_| answer("Short.")))).unwrap();
    assert_eq!(asked.len(), 1);
}

#[test]
fn a_summary_that_stays_huge_is_asked_for_exactly_three_times() {
    let mut asked = Vec::new();
    let mut chat = guard(8_000);
    let huge = "h".repeat(30_000);
    let prepared = chat.before_model(&kube(1), Some(&mut recorded(&mut asked, |_| answer(&huge)))).unwrap();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[1].prompt.matches(&huge).count(), 1, "the second round gets the first one's summary, once");
    assert_eq!(prepared.view.len(), 2, "the request goes out as it is");
    assert_eq!(chat.session().checkpoints.len(), 1, "a further round replaces what the round before made");
}

#[test]
fn a_second_round_may_bring_the_request_below_the_threshold() {
    let mut calls = 0;
    let mut chat = guard(8_000);
    let mut summarize = |_: &_| {
        calls += 1;
        answer(&"h".repeat(if calls == 1 { 30_000 } else { 155 }))
    };
    let prepared = chat.before_model(&kube(1), Some(&mut summarize)).unwrap();
    assert_eq!(calls, 2);
    assert_eq!(prepared.committed.report.after.raw, 104);
}

/// A summarizer that always fails.
fn fails(_: &precis::summary::request::Request) -> Answer {
    Answer::Failed("The provider answered 500.".into())
}

#[test]
fn excerpts_replace_a_failed_summary() {
    let mut chat = guard(8_000);
    let long = "ü".repeat(8_000);
    let messages = [user("short question"), assistant(&long), user("another")];
    let prepared = chat.before_model(&messages, Some(&mut fails)).unwrap();
    let summary = words(&prepared.view[0]);
    assert!(summary.contains("user: short question\n"));
    assert!(summary.contains(&format!("assistant: {}...\n", "ü".repeat(100))), "200 bytes, on a character boundary");
    assert_eq!(chat.session().checkpoints[0].kind, Kind::Digest);
    assert_eq!(prepared.committed.report.failed.as_deref(), Some("The provider answered 500."));
}

#[test]
fn an_excerpt_never_splits_a_character() {
    for lead in 0..5 {
        let mut chat = guard(4_000);
        let text = format!("{}{}", "a".repeat(lead), "🦀".repeat(2_000));
        let prepared = chat.before_model(&[user(&text)], Some(&mut fails)).unwrap();
        let crabs = (200 - lead) / 4;
        let excerpt = format!("user: {}{}...\n", "a".repeat(lead), "🦀".repeat(crabs));
        assert!(words(&prepared.view[0]).contains(&excerpt), "{lead}");
    }
}

#[test]
fn the_previous_summary_comes_first_in_the_fallback() {
    let mut chat = guard(8_000);
    let mut history = kube(1);
    chat.before_model(&history, Some(&mut |_| answer("What came before."))).unwrap();
    history.extend(kube(1));
    let prepared = chat.before_model(&history, Some(&mut fails)).unwrap();
    let body = format!("{}\nWhat came before.\n\n---\n\nassistant: {}", markers::PRESET_SUMMARY, "a".repeat(40));
    assert!(words(&prepared.view[0]).starts_with(&body), "{}", words(&prepared.view[0]));
    assert_eq!(words(&prepared.view[0]).matches(markers::PRESET_SUMMARY).count(), 1, "markers do not pile up");
}

#[test]
fn the_fallback_stays_bounded_however_often_the_summarizer_fails() {
    let mut chat = guard(8_000);
    let mut history = Vec::new();
    for turn in 0..120 {
        history.push(user(&format!("{turn} {}", "é".repeat(700))));
        let prepared = chat.before_model(&history, Some(&mut fails)).unwrap();
        let summary = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.summary.text.len());
        assert!(summary <= 24_000 + 80 + 7, "{summary} bytes in turn {turn}");
        history.push(assistant(&"è".repeat(700)));
        assert!(!prepared.view.is_empty());
    }
    assert!(!chat.session().checkpoints.is_empty());
}

#[test]
fn an_empty_summary_is_never_stored_as_no_summary() {
    for empty in [answer(""), fails(&chat_request())] {
        let mut chat = guard(8_000);
        // Only calls and results: there is no text to quote either.
        let mut history = storm(20, 2_000);
        let mut asked = Vec::new();
        for step in 0..5 {
            chat.before_model(&history, Some(&mut recorded(&mut asked, |_| empty.clone()))).unwrap();
            let session = chat.session();
            assert!(!engine::summary_of(&session).unwrap().trim().is_empty());
            history.push(call(&format!("n{step}"), "exec", "args", "v"));
            history.push(output(&format!("n{step}"), 100));
        }
        assert_eq!(asked.len(), 1, "later steps compact only when they must");
    }
}

fn chat_request() -> precis::summary::request::Request {
    precis::summary::request::Request {
        id: String::new(),
        kind: "summary",
        system: String::new(),
        prompt: String::new(),
        max_output_tokens: 1,
        ..Default::default()
    }
}

#[test]
fn the_texts_around_a_summary_have_the_sizes_of_the_original() {
    assert_eq!(format!("{}\n\n{}", markers::PRESET_SUMMARY, markers::PRESET_SUMMARY_END).len(), 80);
    let continuation = |chat: &mut Chat, messages: &[M]| {
        let view = chat.before_model(messages, Some(&mut |_| answer("S"))).unwrap().view;
        assert_eq!(view.len(), 2);
        words(&view[1])
    };
    let large = filler(30_000);
    assert_eq!(continuation(&mut guard(8_000), &[user(&large)]).len(), 187);
    for request in ["q", "Fix the tests, please", "übergroß"] {
        let mut chat = guard(8_000);
        chat.typed = None;
        let text = continuation(&mut chat, &[user(request), assistant(&large)]);
        assert_eq!(text.len(), 238 + request.len());
        assert!(text.contains(&format!("`{request}`")));
    }
}

#[test]
fn a_turn_without_text_gets_the_short_continuation() {
    let mut chat = guard(8_000);
    chat.typed = None;
    let image = P::Media { kind: 0, media_type: "image/png".into(), bytes: 60_000, reference: String::new() };
    let view =
        chat.before_model(&[M { role: Role::User, parts: vec![image] }], Some(&mut |_| answer("S"))).unwrap().view;
    assert_eq!(words(&view[1]).len(), 187);
}

#[test]
fn a_compaction_lasts_on_an_append_only_history() {
    let mut chat = guard(8_000);
    let mut history = kube(1);
    chat.before_model(&history, Some(&mut |_| answer("What came before."))).unwrap();
    let covered = history.len();
    for turn in 0..6 {
        history.push(user(&format!("question {turn}")));
        let mut asked = Vec::new();
        let prepared = chat.before_model(&history, Some(&mut recorded(&mut asked, |_| answer("again")))).unwrap();
        assert_eq!(asked.len(), 0, "turn {turn}");
        assert_eq!(prepared.view.len(), 1 + history.len() - covered, "turn {turn}");
        assert!(says(&prepared.view[..1], "What came before."));
        assert_eq!(prepared.view[1..], history[covered..], "turn {turn}");
        assert_eq!(prepared.committed.report.outcome, Outcome::Reused);
        history.push(assistant("answer"));
    }
}

#[test]
fn the_summarizer_gets_no_more_than_eight_tenths_of_the_window() {
    let chat = guard(8_000);
    // 100 + 6,350 raw tokens exceed the 6,400 allowed: the oldest message is dropped, the rest stays.
    let mut messages = vec![user(&"first".repeat(80)), user(&"x".repeat(4 * 6_300)), user(&"y".repeat(200))];
    let prompt = |messages: &[M]| chat.requests(messages, &chat.plan(messages)).remove(0).prompt;
    assert!(!prompt(&messages).contains("first"));
    assert!(prompt(&messages).contains("xxxx"));
    messages.remove(0);
    assert!(prompt(&messages).contains("xxxx"), "two messages always stay");
}

#[test]
fn todos_go_with_the_request_and_are_to_be_kept() {
    let mut chat = guard(8_000);
    chat.more = json!({ "todos": [{ "content": "write tests", "status": "in_progress" }] });
    let messages = kube(1);
    let prompt = chat.requests(&messages, &chat.plan(&messages)).remove(0).prompt;
    assert!(prompt.contains("- [in_progress] write tests\n"));
    assert!(prompt.contains("## Todo List"));
    assert_eq!(prompt.matches("\n- [").count(), 1);
}

#[test]
fn a_call_that_waits_for_its_result_is_not_covered_by_the_preset() {
    let mut chat = guard(8_000);
    let mut history = kube(1);
    history.push(user("ask me first"));
    history.push(call("wait", "confirm", "args", "v"));
    let prepared = chat.before_model(&history, Some(&mut |_| answer("S"))).unwrap();
    assert_eq!(prepared.view.last(), history.last());
    history.push(result("wait", "yes"));
    let next = chat.before_model(&history, None).unwrap();
    assert_eq!(crate::support::added(&next.view, &history), Vec::<String>::new());
    assert!(says(&next.view, "yes"));
}
