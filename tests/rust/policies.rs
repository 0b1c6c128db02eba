//! Tool policies: which results stay whole, which are cleared first, and which options are refused.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Twins;
use crate::support::added;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::result;
use crate::support::user;
use precis::base::error::{Code, Warning};
use precis::model::message::Role;
use precis::report::Report;
use proptest::prelude::*;
use serde_json::{Value, json};

fn chat(window: u64, policy: &Value) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "toolPolicy": policy,
        "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

/// A call of a tool and its result, with a text that identifies it.
fn step(tool: &str, number: usize, bytes: usize) -> [M; 2] {
    let id = format!("{tool}-{number}");
    [call(&id, tool, json!({ "number": number })), result(&id, &output(tool, number, bytes))]
}

fn output(tool: &str, number: usize, bytes: usize) -> String {
    format!("{tool} returned {number}. {}", filler(bytes))
}

/// Steps of these tools in turn.
fn steps(tools: &[&str], count: usize, bytes: usize) -> Vec<M> {
    let mut history = vec![user("Do what has to be done.")];
    history.extend((0..count).flat_map(|number| step(tools[number % tools.len()], number, bytes)));
    history
}

/// The numbers of the steps whose results are whole in a view.
fn whole(view: &[M], tool: &str) -> Vec<usize> {
    let parts = view.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| if let P::Result { output, .. } = part { output.as_str() } else { None });
    let mine = texts.filter_map(|text| text.strip_prefix(&format!("{tool} returned "))?.split_once(". "));
    mine.filter(|(_, rest)| !rest.contains("left out here")).filter_map(|(number, _)| number.parse().ok()).collect()
}

fn fits(report: &Report) -> bool {
    report.after.tokens + report.after.bound < report.after.trigger
}

fn warned(report: &Report) -> Vec<&str> {
    let lost = report.warnings.iter().filter(|warning| warning.code == Warning::KeepLost);
    lost.filter_map(|warning| warning.path.as_deref()).collect()
}

#[test]
fn the_newest_results_of_a_tool_stay_whole_where_others_are_cleared() {
    let mut kept = chat(8_000, &json!({ "read": { "keep": 4 } }));
    let history = steps(&["read", "search"], 24, 1_300);
    let prepared = kept.before_model(&history, None).unwrap();
    let report = &prepared.committed.report;
    assert!(fits(report), "{report:?}");
    let reads = whole(&prepared.view, "read");
    assert!(reads.ends_with(&[16, 18, 20, 22]), "{reads:?}");
    assert!(warned(report).is_empty(), "{report:?}");
    assert!(whole(&prepared.view, "search").len() < 12);
    // Without the policy, they are cleared.
    let free = chat(8_000, &json!({})).before_model(&history, None).unwrap();
    assert!(whole(&free.view, "read").len() < 4, "{:?}", whole(&free.view, "read"));
}

#[test]
fn what_is_kept_stays_when_the_past_is_covered() {
    for policy in [json!({ "keep": "always" }), json!({ "exclude": true })] {
        let mut chat = chat(8_000, &json!({ "charge": policy }));
        let mut history = vec![user("Buy it.")];
        history.extend(step("charge", 0, 400));
        history.push(assistant("Charged."));
        for turn in 0..30 {
            history.extend([user(&format!("Question {turn}: {}", filler(900))), assistant(&filler(900))]);
            let prepared = chat.before_model(&history, None).unwrap();
            assert_eq!(whole(&prepared.view, "charge"), [0], "turn {turn}");
            assert!(fits(&prepared.committed.report));
            assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
            assert!(warned(&prepared.committed.report).is_empty());
        }
        assert!(!chat.session().checkpoints.is_empty());
    }
}

#[test]
fn results_that_do_not_fit_are_dropped_and_reported() {
    for policy in [json!({ "keep": 100 }), json!({ "keep": "always" }), json!({ "exclude": true })] {
        let mut chat = chat(8_000, &json!({ "read": policy }));
        let history = steps(&["read"], 30, 1_300);
        let prepared = chat.before_model(&history, None).unwrap();
        let report = &prepared.committed.report;
        assert!(fits(report), "{policy}: {report:?}");
        assert_eq!(warned(report), ["toolPolicy.read"], "{policy}");
        let reads = whole(&prepared.view, "read");
        assert_eq!(reads.last(), Some(&29), "{policy}");
        assert!(reads.len() >= 3, "{policy}: {reads:?}");
    }
}

#[test]
fn a_policy_that_changes_later_changes_nothing_that_was_sent() {
    let mut chat = chat(8_000, &json!({ "read": { "keep": 4 } }));
    let mut history = steps(&["read", "search"], 24, 1_300);
    let first = chat.before_model(&history, None).unwrap();
    history.push(assistant("Done."));
    history.push(user("And now?"));
    for policy in [json!({}), json!({ "*": { "keep": "always" } }), json!({ "read": { "clear": "first" } })] {
        chat.options["toolPolicy"] = policy;
        let next = chat.before_model(&history, None).unwrap();
        assert_eq!(next.view[..first.view.len()], first.view[..]);
    }
}

#[test]
fn a_view_passed_as_history_keeps_the_same_results() {
    let mut twins = Twins::new(chat(8_000, &json!({ "read": { "keep": 4 }, "charge": { "keep": "always" } })));
    let mut history = steps(&["charge"], 2, 500);
    twins.given.clone_from(&history);
    for number in 0..60 {
        let more = step(["read", "search"][number % 2], number, 1_100);
        history.extend(more.clone());
        twins.send(&history, &more, &mut |chat: &mut Chat, messages: &[M]| chat.before_model(messages, None).unwrap());
    }
}

#[test]
fn a_call_overrides_policies_tool_by_tool() {
    let history = steps(&["read", "search"], 24, 1_300);
    let mut chat = chat(8_000, &json!({ "read": { "keep": 4 }, "search": { "keep": 1 } }));
    chat.more = json!({ "toolPolicy": { "read": { "keep": 0 }, "search": null, "nothing": { "keep": 3 } } });
    let prepared = chat.before_model(&history, None).unwrap();
    assert!(whole(&prepared.view, "read").len() < 4);
    assert!(!whole(&prepared.view, "search").is_empty());
}

#[test]
fn inputs_stay_where_the_policy_says_so() {
    let history = |bytes: usize| {
        let mut history = vec![user("Write.")];
        for number in 0..16 {
            let id = format!("w{number}");
            let text = format!("file {number} {}", filler(bytes));
            history.extend([call(&id, "write", json!({ "text": text })), result(&id, &filler(1_800))]);
        }
        history
    };
    let longest = |view: &[M]| {
        let inputs = view.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            P::Call { input, .. } => input["text"].as_str().map(str::len),
            _ => None,
        });
        inputs.min().unwrap()
    };
    let mut sizes = Vec::new();
    for inputs in ["clear", "keep"] {
        let mut chat = chat(20_000, &json!({ "write": { "inputs": inputs } }));
        let prepared = chat.before_model(&history(700), None).unwrap();
        assert_eq!(prepared.committed.report.rung, Some("clear"), "{inputs}");
        sizes.push(longest(&prepared.view));
    }
    assert!(sizes[0] < 700 && sizes[1] > 700, "{sizes:?}");
}

#[test]
fn wrong_policies_are_refused_at_their_place() {
    for (policy, path) in [
        (json!([]), "toolPolicy"),
        (json!("always"), "toolPolicy"),
        (json!({ "read": 5 }), "toolPolicy.read"),
        (json!({ "read": { "keep": -1 } }), "toolPolicy.read.keep"),
        (json!({ "read": { "keep": 1.5 } }), "toolPolicy.read.keep"),
        (json!({ "read": { "keep": "forever" } }), "toolPolicy.read.keep"),
        (json!({ "read": { "clear": "last" } }), "toolPolicy.read.clear"),
        (json!({ "read": { "keep": "always", "clear": "first" } }), "toolPolicy.read.clear"),
        (json!({ "*": { "exclude": true, "clear": "first" } }), "toolPolicy.*.clear"),
        (json!({ "read": { "inputs": true } }), "toolPolicy.read.inputs"),
        (json!({ "read": { "exclude": 1 } }), "toolPolicy.read.exclude"),
        (json!({ "read": { "keeps": 1 } }), "toolPolicy.read.keeps"),
        (json!({ "read": { "clip": 63 } }), "toolPolicy.read.clip"),
        (json!({ "read": { "clip": "4k" } }), "toolPolicy.read.clip"),
        (json!({ "read": { "clip": 400, "exclude": true } }), "toolPolicy.read.clip"),
        (json!({ "read": { "rerun": "yes" } }), "toolPolicy.read.rerun"),
    ] {
        let error = chat(8_000, &policy).call_error();
        assert_eq!(error.path.as_deref(), Some(path), "{policy}: {error}");
        assert!(matches!(error.code, Code::InvalidOption | Code::UnknownOption), "{error}");
        let mut of_call = chat(8_000, &json!({}));
        of_call.more = json!({ "toolPolicy": policy });
        assert_eq!(of_call.call(&[user("x")]).unwrap_err().path.as_deref(), Some(path), "{policy}");
    }
    // Policies for tools that do not occur are valid.
    let odd = json!({ "": { "keep": 1 }, "no such tool": { "exclude": true }, "read": { "keep": 9_007_199_254_740_991_u64 } });
    chat(8_000, &odd).before_model(&steps(&["read"], 30, 1_300), None).unwrap();
}

impl Chat {
    fn call_error(&self) -> precis::base::error::Error {
        precis::limits::options::Options::parse(&crate::support::json(&self.options)).unwrap_err()
    }
}

#[test]
fn results_of_some_tools_are_cleared_first() {
    let mut chat = chat(14_000, &json!({ "search": { "clear": "first" } }));
    let mut history = steps(&["read", "search"], 13, 1_600);
    let prepared = chat.before_model(&history, None).unwrap();
    let report = &prepared.committed.report;
    assert_eq!(report.rung, Some("clear"), "{report:?}");
    assert_eq!(whole(&prepared.view, "read"), [0, 2, 4, 6, 8, 10, 12]);
    assert!(whole(&prepared.view, "search").len() < 3, "{:?}", whole(&prepared.view, "search"));
    // Cleared results stay cleared, and the others follow later.
    let mut before = prepared.view.clone();
    for number in 13..40 {
        history.extend(step("read", number, 1_600));
        let next = chat.before_model(&history, None).unwrap();
        assert!(fits(&next.committed.report));
        if next.committed.report.rung == Some("pass") {
            assert_eq!(next.view[..before.len()], before[..]);
        }
        before = next.view;
    }
}

#[test]
fn a_trigger_and_a_target_of_ones_own_hold_where_they_fit() {
    let history = steps(&["read"], 40, 1_300);
    let run = |options: Value| {
        let mut chat = chat(200_000, &json!(null));
        for (name, value) in options.as_object().unwrap() {
            chat.options[name.as_str()] = value.clone();
        }
        chat.before_model(&history, None).unwrap().committed.report
    };
    assert_eq!(run(json!({})).rung, Some("pass"));
    let early = run(json!({ "trigger": { "tokens": 20_000 } }));
    assert_eq!((early.after.trigger, early.rung), (20_000, Some("clear")), "{early:?}");
    assert_eq!(run(json!({ "trigger": 0.1 })).after.trigger, 20_000);
    assert_eq!(run(json!({ "trigger": { "share": 0.1 } })).after.trigger, 20_000);
    let high = run(json!({ "trigger": 0.1, "target": { "tokens": 16_000 } }));
    assert!(high.after.tokens > early.after.tokens, "{} {}", high.after.tokens, early.after.tokens);
    // Never above the size that fits.
    let most = run(json!({})).after.trigger;
    assert_eq!(run(json!({ "trigger": 1 })).after.trigger, most);
    assert_eq!(run(json!({ "trigger": { "tokens": 900_000_000 }, "target": 1 })).after.trigger, most);
    // By messages.
    let counted = run(json!({ "trigger": { "messages": 60 } }));
    assert_eq!(counted.rung, Some("digest"), "{counted:?}");
    assert_eq!(run(json!({ "trigger": { "messages": 100 } })).rung, Some("pass"));
}

#[test]
fn as_many_messages_stay_as_the_host_counts() {
    for (target, kept) in [(json!(null), 10), (json!({ "messages": 6 }), 6)] {
        let mut chat = chat(200_000, &json!(null));
        chat.options["trigger"] = json!({ "messages": 20 });
        chat.options["target"] = target;
        let history: Vec<M> = (0..30)
            .map(|n| if n % 2 == 0 { user(&format!("Q{n} {}", filler(400))) } else { assistant(&filler(400)) })
            .collect();
        let prepared = chat.before_model(&history, None).unwrap();
        let covered = chat.session().checkpoints.last().unwrap().covers.count;
        assert!((30 - covered).abs_diff(kept) <= 1, "{covered}: {:?}", prepared.committed.report);
        let again = chat.before_model(&history, None).unwrap();
        assert_eq!(again.view, prepared.view);
    }
}

#[test]
fn the_newest_turns_stay_whole_if_they_fit() {
    let turn = |n: usize| [user(&format!("Question {n}: {}", filler(700))), assistant(&filler(700))];
    let history: Vec<M> = (0..30).flat_map(turn).collect();
    for (keep, least, path) in [
        (json!({ "turns": 4 }), 7, None),
        (json!({ "messages": 9 }), 9, None),
        (json!({ "turns": 29 }), 3, Some("keep")),
    ] {
        let mut chat = chat(10_000, &json!(null));
        chat.options["keep"] = keep.clone();
        let prepared = chat.before_model(&history, None).unwrap();
        let report = &prepared.committed.report;
        assert!(fits(report), "{keep}");
        let same = prepared.view.iter().rev().zip(history.iter().rev()).take_while(|(view, own)| view == own).count();
        assert!(same >= least, "{keep}: {same}");
        assert_eq!(warned(report), path.into_iter().collect::<Vec<_>>(), "{keep}: {report:?}");
    }
}

/// The texts of all results in a view.
fn results_in(view: &[M]) -> Vec<&str> {
    let parts = view.iter().flat_map(|message| &message.parts);
    parts.filter_map(|part| if let P::Result { output, .. } = part { output.as_str() } else { None }).collect()
}

#[test]
fn a_result_is_never_larger_than_its_tool_s_policy_allows() {
    let mut clipped = chat(100_000, &json!({ "search": { "clip": 300 } }));
    let mut plain = chat(100_000, &json!(null));
    // One message with results of two tools.
    let results = ["search", "read"].map(|tool| {
        let P::Result { output, failed, .. } = result("", &output(tool, 0, 4_000)).parts.remove(0) else { panic!() };
        P::Result { id: format!("{tool}-0"), output, failed }
    });
    let calls = ["search", "read"].map(|tool| call(&format!("{tool}-0"), tool, json!({})).parts.remove(0));
    let mut history = vec![
        user("Find it."),
        M { role: Role::Assistant, parts: calls.to_vec() },
        M { role: Role::User, parts: results.to_vec() },
    ];
    let mut fed = history.clone();
    let mut given_back = clipped.clone();
    for number in 1..40 {
        let prepared = clipped.before_model(&history, None).unwrap();
        for text in results_in(&prepared.view) {
            if text.starts_with("search") && text.len() > 300 {
                assert!(text.len() <= 1_200 && text.contains("left out here"), "{text}");
                assert!(text.contains("would do it again"), "{text}");
            } else {
                assert!(!text.contains("left out here"), "{text}");
            }
        }
        let report = &prepared.committed.report;
        assert_eq!((report.rung, report.warnings.is_empty()), (Some("pass"), true), "{report:?}");
        assert!(report.after.tokens < plain.before_model(&history, None).unwrap().committed.report.after.tokens);
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        // The same view is sent again.
        let back = given_back.before_model(&fed, None).unwrap();
        assert_eq!(back.view, prepared.view, "request {number}");
        let more = step(["search", "read"][number % 2], number, [3_000, 200][number % 3 / 2]);
        history.extend(more.clone());
        fed = back.view;
        fed.extend(more);
    }
}

#[test]
fn kept_results_of_a_tool_with_a_limit_are_cut_to_it() {
    let mut chat = chat(8_000, &json!({ "read": { "keep": 4, "clip": 200 } }));
    let prepared = chat.before_model(&steps(&["read", "search"], 40, 1_300), None).unwrap();
    let report = &prepared.committed.report;
    assert!(fits(report) && report.rung != Some("pass"), "{report:?}");
    assert!(warned(report).is_empty(), "{report:?}");
    let cut = results_in(&prepared.view).into_iter().filter(|text| text.starts_with("read"));
    let cut: Vec<_> = cut.filter(|text| text.contains("left out here")).collect();
    assert!(cut.len() >= 4 && cut.iter().all(|text| text.len() <= 800), "{cut:?}");
}

#[test]
fn a_notice_says_of_a_repeated_call_what_the_policy_knows_of_its_tool() {
    let known = json!({ "rerun": true, "clip": 100 });
    for (charge, says) in [
        (json!({}), "would do it again"),
        (json!({ "rerun": null }), "would do it again"),
        (json!({ "rerun": false }), "not repeat"),
        (json!({ "rerun": false, "clip": 100 }), "not repeat"),
    ] {
        let mut chat = chat(12_000, &json!({ "read": { "rerun": true }, "search": known, "charge": charge }));
        chat.options["prefer"] = json!("clear");
        let history = steps(&["read", "charge", "search"], 27, 1_200);
        let prepared = chat.before_model(&history, None).unwrap();
        let mut told = [0; 3];
        for message in &prepared.view {
            for part in &message.parts {
                let P::Result { id, output, .. } = part else { continue };
                let text = output.as_str().unwrap();
                if text.contains("[precis: ") {
                    let tool = TOOLS.iter().position(|tool| id.starts_with(tool)).unwrap();
                    told[tool] += 1;
                    let said = ["Call the tool again", "would do it again", "not repeat"];
                    let said: Vec<_> = said.into_iter().filter(|said| text.contains(said)).collect();
                    assert_eq!(said, [if tool < 2 { "Call the tool again" } else { says }], "{id}: {text}");
                }
            }
        }
        assert!(told.iter().all(|&count| count > 0), "{told:?}");
    }
}

#[test]
fn the_newest_results_stay_whole_whatever_their_tool() {
    let mut chat = chat(10_000, &json!(null));
    chat.options["keep"] = json!({ "results": 5 });
    let prepared = chat.before_model(&steps(&["read", "search"], 30, 1_000), None).unwrap();
    assert!(fits(&prepared.committed.report));
    let all = whole(&prepared.view, "read").len() + whole(&prepared.view, "search").len();
    assert!(all >= 5 && warned(&prepared.committed.report).is_empty(), "{all} {:?}", prepared.committed.report);
}

#[test]
fn the_past_can_be_covered_before_results_are_cleared() {
    let history = steps(&["read"], 24, 1_300);
    for (prefer, rung) in [("clear", "clear"), ("summarize", "digest")] {
        let mut chat = chat(12_000, &json!(null));
        chat.options["prefer"] = json!(prefer);
        assert_eq!(chat.before_model(&history, None).unwrap().committed.report.rung, Some(rung));
        let mut of_call = self::chat(12_000, &json!(null));
        of_call.more = json!({ "prefer": prefer });
        assert_eq!(of_call.before_model(&history, None).unwrap().committed.report.rung, Some(rung));
    }
}

#[test]
fn wrong_wishes_are_refused_at_their_place() {
    for (name, value, path) in [
        ("trigger", json!(0), "trigger"),
        ("trigger", json!(-0.5), "trigger"),
        ("trigger", json!(100_000), "trigger"),
        ("trigger", json!("80%"), "trigger"),
        ("trigger", json!({}), "trigger"),
        ("trigger", json!({ "tokens": 0 }), "trigger.tokens"),
        ("trigger", json!({ "tokens": -5 }), "trigger.tokens"),
        ("trigger", json!({ "messages": 0 }), "trigger.messages"),
        ("trigger", json!({ "share": 2 }), "trigger.share"),
        ("trigger", json!({ "token": 5 }), "trigger.token"),
        ("trigger", json!({ "tokens": 5, "share": 0.5 }), "trigger"),
        ("target", json!([1]), "target"),
        ("keep", json!(3), "keep"),
        ("keep", json!({ "turns": -1 }), "keep.turns"),
        ("keep", json!({ "results": 1.5 }), "keep.results"),
        ("keep", json!({ "tools": 1 }), "keep.tools"),
        ("prefer", json!("digest"), "prefer"),
    ] {
        let mut wrong = chat(8_000, &json!(null));
        wrong.options[name] = value.clone();
        assert_eq!(wrong.call_error().path.as_deref(), Some(path), "{name}: {value}");
        let mut of_call = chat(8_000, &json!(null));
        of_call.more = json!({ name: value });
        assert_eq!(of_call.call(&[user("x")]).unwrap_err().path.as_deref(), Some(path), "{name}: {value}");
    }
    let mut circle = chat(8_000, &json!(null));
    circle.options["trigger"] = json!(0.5);
    circle.options["target"] = json!(0.5);
    assert_eq!(circle.call_error().path.as_deref(), Some("target"));
    for (name, value) in [("toolPolicy", json!({})), ("keep", json!({ "turns": 1 })), ("prefer", json!("clear"))] {
        let mut preset = chat(8_000, &json!(null));
        preset.options["tune"] = json!({ "preset": "contextguard" });
        preset.options[name] = value;
        let error = preset.call_error();
        assert_eq!((error.code, error.path.as_deref()), (Code::PresetWithStrategy, Some(name)));
    }
}

fn policy() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(json!(null)),
        4 => (0_u64..8).prop_map(|keep| json!({ "keep": keep })),
        2 => Just(json!({ "keep": "always" })),
        2 => Just(json!({ "exclude": true })),
        1 => Just(json!({ "inputs": "keep" })),
        1 => (64_u64..900).prop_map(|clip| json!({ "clip": clip, "rerun": true })),
        2 => Just(json!({ "clear": "first" })),
    ]
}

const TOOLS: [&str; 3] = ["read", "search", "charge"];

#[test]
fn a_result_that_a_policy_cut_is_cleared_with_the_view_passed_back_as_with_the_history() {
    let policy = json!({ "read": { "clip": 64, "rerun": true }, "charge": { "clear": "first" } });
    let mut twins = Twins::new(chat(5_032, &policy));
    let mut history = vec![user("Begin.")];
    twins.given.clone_from(&history);
    let rounds = [
        step("read", 0, 1_667),
        step("search", 1, 1_665),
        step("charge", 2, 3_161),
        [assistant(&filler(777)), user(&filler(777))],
    ];
    for more in rounds {
        history.extend(more.clone());
        twins.send(&history, &more, &mut |chat: &mut Chat, messages: &[M]| chat.before_model(messages, None).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// What a policy keeps is whole or reported as lost. It never makes a view exceed the window. A view passed as
    /// history gives the same result.
    #[test]
    fn policies_are_kept_or_their_loss_is_reported(
        policies in prop::collection::vec(policy(), 3),
        window in 3_000_u64..20_000,
        rounds in prop::collection::vec((0_usize..4, 20_usize..4_000), 4..40),
    ) {
        let by_name: serde_json::Map<String, Value> =
            TOOLS.iter().zip(&policies).map(|(name, policy)| ((*name).to_owned(), policy.clone())).collect();
        let mut twins = Twins::new(chat(window, &Value::Object(by_name)));
        let mut history = vec![user("Begin.")];
        twins.given.clone_from(&history);
        let mut numbers = vec![Vec::new(); 3];
        for (number, (tool, bytes)) in rounds.into_iter().enumerate() {
            let more = match TOOLS.get(tool) {
                Some(name) => {
                    numbers[tool].push(number);
                    step(name, number, bytes.min(window as usize)).to_vec()
                }
                None => vec![assistant(&filler(bytes / 4)), user(&format!("{number}: {}", filler(bytes / 4)))],
            };
            history.extend(more.clone());
            let mut send = |chat: &mut Chat, messages: &[M]| chat.before_model(messages, None).unwrap();
            let (prepared, _) = twins.send(&history, &more, &mut send);
            let report = &prepared.committed.report;
            prop_assert!(fits(report), "{report:?}");
            prop_assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
            for (at, policy) in policies.iter().enumerate() {
                let keep = if policy["exclude"] == true || policy["keep"] == "always" {
                    usize::MAX
                } else {
                    policy["keep"].as_u64().unwrap_or(0) as usize
                };
                let wanted = &numbers[at][numbers[at].len().saturating_sub(keep)..];
                let whole = whole(&prepared.view, TOOLS[at]);
                let lost = wanted.iter().any(|number| !whole.contains(number));
                let path = format!("toolPolicy.{}", TOOLS[at]);
                if report.rung != Some("pass") {
                    prop_assert_eq!(lost, warned(report).contains(&&*path), "{:?} of {:?}", whole, wanted);
                }
                // A policy that keeps little in a large window always succeeds.
                if window > 12_000 && policies.iter().all(|other| other["keep"].as_u64().unwrap_or(0) < 2)
                    && !policies.iter().any(|other| other["exclude"] == true || other["keep"] == "always")
                    && bytes < 1_500
                    && numbers[at].last() == Some(&number) && keep == 1 {
                    prop_assert!(!lost, "{:?} of {:?}", whole, wanted);
                }
            }
        }
    }
}

#[test]
fn what_could_not_be_kept_of_many_tools_is_a_few_warnings() {
    let names: Vec<String> = (0..900).map(|at| format!("tool_{at}\n[precis: forged")).collect();
    let policy: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({ "keep": "always" }))).collect();
    let mut chat = chat(4_000, &Value::Object(policy));
    let history = steps(&names.iter().map(String::as_str).collect::<Vec<_>>(), 900, 300);
    let report = chat.before_model(&history, None).unwrap().committed.report;
    let lost = warned(&report);
    assert!((2..=10).contains(&lost.len()), "{lost:?}");
    assert!(lost.contains(&"toolPolicy") && lost.iter().all(|path| !path.contains(['\n', '['])), "{lost:?}");
    let bytes: usize = report.warnings.iter().map(|warning| warning.advice.len()).sum();
    assert!(bytes < 4_000, "{bytes}");
}

#[test]
fn a_calls_policy_is_found_whatever_the_compactor_says_of_the_same_tool() {
    let names: Vec<String> = (0..300).map(|at| format!("t{at}")).collect();
    let all = |keep: u64| -> Value {
        names.iter().map(|name| (name.clone(), json!({ "keep": keep }))).collect::<serde_json::Map<_, _>>().into()
    };
    let history = steps(&["t7", "t211"], 24, 1_300);
    let mut both = chat(8_000, &all(0));
    both.more = json!({ "toolPolicy": { "t7": { "keep": 4 } } });
    let view = both.before_model(&history, None).unwrap().view;
    assert!(whole(&view, "t7").len() >= 4 && whole(&view, "t211").len() < whole(&view, "t7").len());
}
