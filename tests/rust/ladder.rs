//! Corner cases of the ladder that random histories found, each reduced to the smallest one that shows it.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Twins;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::filler;
use crate::support::plain_turns;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::system;
use crate::support::tail_chat;
use crate::support::user;
use crate::support::words;
use precis::base::error::Warning;
use precis::ladder::Move;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::compaction::Kind;
use serde_json::json;

fn chat(strategy: &str, window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "summarize": true,
        "tune": { "strategy": strategy, "tokens": { "estimator": "bytes4" } }
    }))
}

/// Parallel calls whose results are in one user message.
fn together(ids: &[&str], bytes: usize) -> [M; 2] {
    let part = |id: &&str| P::Result { id: (*id).into(), output: filler(bytes).into(), failed: false };
    [calls(ids), M { role: Role::User, parts: ids.iter().map(part).collect() }]
}

#[test]
fn parallel_results_that_were_cut_are_not_counted_again() {
    let mut chat = chat("tail", 4_000);
    chat.options["maxOutputTokens"] = json!(974);
    chat.tools = 15;
    let mut history = together(&["call_0", "call_1"], 5_651).to_vec();
    history.extend([calls(&["call_0"]), result("call_0", &filler(99)), assistant(&filler(280))]);
    let first = chat.before_model(&history, None).unwrap();
    assert_eq!(first.committed.report.outcome, Outcome::Compacted);
    history.push(user(&filler(707)));
    let prepared = chat.before_model(&history, None).unwrap();
    let report = prepared.committed.report;
    assert!(report.after.tokens + report.after.bound < report.after.trigger, "{report:?}");
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
}

fn long_turns(count: usize) -> Vec<M> {
    let turn =
        |turn: usize| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
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
        assert!(
            sent,
            "{strategy}: {:?}",
            prepared.view.iter().map(|message| words(message).chars().take(40).collect::<String>()).collect::<Vec<_>>()
        );
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

/// The host deletes a call while its summary is being written. Its result now belongs to a call that the late summary
/// covers, so no cut is legal where that summary ends.
#[test]
fn a_trim_never_covers_less_than_a_late_summary_does() {
    for output in (200..1_200).step_by(20) {
        let mut chat = chat("tail", 1_000);
        chat.options["repair"] = false.into();
        let picture = P::Media { kind: 0, media_type: "image/png".into(), bytes: 744, reference: String::new() };
        let mut history = vec![user(&filler(176)), calls(&["call_0"; 3])];
        history.extend((0..3).map(|_| result("call_0", &filler(16))));
        history.push(user("Now see this."));
        history.push(M { role: Role::User, parts: vec![P::Text("see:".into()), picture] });
        history.extend([calls(&["call_0"]), result("call_0", &filler(output))]);
        let plan = chat.plan(&history);
        history.remove(7);
        let committed = chat.commit(&history, &plan, Some(&[answer("A late summary.")]));
        assert!(chat.session().checkpoints.iter().is_sorted_by_key(|checkpoint| checkpoint.covers.count));
        assert!(committed.view.last().is_some_and(|last| last.role == Role::Tool));
    }
}

#[test]
fn a_request_that_stays_above_the_trigger_is_not_reported_as_fine() {
    for strategy in ["full", "tail", "sliding-window"] {
        let mut chat = chat(strategy, 8_000);
        // The last assistant message must not be cut: 7,000 tokens, above the trigger of 6,476 and below the window.
        let history = [user("Write it."), assistant(&filler(11_200))];
        let prepared = chat.before_model(&history, Some(&mut |_| answer("S"))).unwrap();
        let report = prepared.committed.report;
        assert!(report.after.tokens + report.after.bound >= report.after.trigger);
        assert_eq!(report.outcome, Outcome::Tight, "{strategy}: {report:?}");
        assert!(!report.reason.contains("below the trigger"), "{strategy}: {}", report.reason);
    }
}

#[test]
fn results_are_cleared_when_a_compaction_alone_does_not_make_room() {
    let mut chat = chat("tail", 1_000);
    chat.options["maxOutputTokens"] = json!(0);
    chat.system = Some(filler(60));
    chat.tools = 9;
    let mut history = Vec::new();
    let mut send = |more: Vec<M>| {
        history.extend(more);
        let prepared = chat.before_model(&history, Some(&mut |_| answer("The work goes on."))).unwrap();
        // A provider that counts 1.3 times our estimate.
        chat.after_model(prepared.committed.report.after.raw * 13 / 10);
        prepared
    };
    send((0..4).map(|number| user(&format!("{number}. "))).collect());
    send(vec![calls(&["a"]), result("a", &filler(11))]);
    send(vec![system(&filler(106)), user("7. ")]);
    let call =
        |number: usize| P::Call { id: "call".into(), name: "tool_0".into(), input: json!({ "n": number, "id": 0 }) };
    let calls = |parts: Vec<P>| M { role: Role::Assistant, parts };
    let output = |bytes| result("call", &filler(bytes));
    // With signed reasoning, a cut inside the turn is legal only before the reasoning.
    let thought = P::Reasoning { text: filler(40), signed: true };
    send(vec![
        calls(vec![call(8), call(8), call(8)]),
        output(99),
        output(99),
        output(99),
        user(&filler(28)),
        calls(vec![thought, P::Text("13. I will look.".into()), call(13)]),
        output(484),
        calls(vec![call(15)]),
        output(364),
        assistant(&filler(20)),
    ]);
    let last = vec![
        calls(vec![P::Text("18. I will look.".into()), call(18), call(18), call(18)]),
        output(248),
        output(248),
        output(248),
        assistant("done"),
    ];
    let report = send(last).committed.report;
    assert!(report.after.tokens + report.after.bound < report.after.trigger, "{report:?}");
}

#[test]
fn clipped_and_cleared_results_are_the_same_in_both_loops() {
    let mut twins = Twins::new(chat("tail", 4_000));
    let mut history: Vec<M> = Vec::new();
    let mut cut = false;
    for turn in 0..40 {
        let id = format!("call_{turn}");
        let output = format!("result {turn}\n{}", filler(1_500 * (turn % 4 + 1)));
        let new = [user(&format!("turn {turn}")), calls(&[&id]), result(&id, &output)];
        history.extend_from_slice(&new);
        let mut send = |chat: &mut Chat, messages: &[M]| chat.before_model(messages, None).unwrap();
        let (_, prepared) = twins.send(&history, &new, &mut send);
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        cut |= says(&prepared.view, "[precis: ");
    }
    assert!(cut && !twins.raw.session().checkpoints.is_empty());
}

/// A message with a requirement is trimmed, although the summarizer's text does not mention the requirement.
#[test]
fn a_trim_takes_over_what_the_trimmed_messages_require() {
    let mut seen = 0;
    for bytes in (400..6_000).step_by(200) {
        let mut chat = Chat::new(json!({
            "contextWindow": 4_000, "maxOutputTokens": 200, "summarize": true, "tune": { "tokens": { "estimator": "bytes4" } }
        }));
        let mut history = long_turns(6);
        history.push(user(&format!("Never touch the table orders of the shop. {}", filler(300))));
        chat.before_model(&history, Some(&mut |_| answer("The work goes on."))).unwrap();
        history.extend([
            assistant("Fine."),
            user("Write the file."),
            call("call_0", "write", json!({ "text": filler(bytes) })),
        ]);
        history.push(result("call_0", "written"));
        let prepared = chat.before_model(&history, None).unwrap();
        let state = chat.session();
        let Some(newest) = state.checkpoints.last().filter(|newest| newest.kind == Kind::Trim) else { continue };
        seen += 1;
        let told = says(&prepared.view, "Never touch the table orders of the shop.");
        let report = &prepared.committed.report;
        let warned = report.warnings.iter().any(|warning| warning.code == Warning::RequirementsCut);
        assert!(told || warned, "{bytes}: {}", newest.summary.text);
    }
    assert!(seen > 2, "{seen}");
}

/// A chat whose summary is large for its window, with a rule of the user in it, and a newest call of `bytes`.
fn with_a_large_call(bytes: usize) -> (Chat, Vec<M>) {
    let mut chat = Chat::new(json!({
        "contextWindow": 6_000, "maxOutputTokens": 200, "tune": { "tokens": { "estimator": "bytes4" } }
    }));
    chat.system = Some(filler(2_000));
    let mut history = vec![user("Never delete the branch release-7.")];
    history.extend(long_turns(12));
    history.push(user("Write the file."));
    chat.before_model(&history, None).unwrap();
    history.push(call("call_0", "write", json!({ "text": filler(bytes) })));
    history.push(result("call_0", "written"));
    (chat, history)
}

#[test]
fn a_summary_is_shortened_before_a_request_is_called_infeasible() {
    let (mut shortened, mut infeasible) = (0, 0);
    for bytes in (0..24_000).step_by(200) {
        let (mut chat, history) = with_a_large_call(bytes);
        let before = chat.session().checkpoints.last().unwrap().summary.raw;
        let prepared = chat.before_model(&history, None).unwrap();
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        let (report, state) = (&prepared.committed.report, chat.session());
        let own = report.after.parts.summary;
        let hard = 6_000 - 6_000 / 64;
        if report.outcome == Outcome::Infeasible {
            infeasible += 1;
            assert!(own > 100, "{bytes}: what does not help is not lost: {own}");
            assert!(report.after.tokens + report.after.bound - own >= hard - 120, "{bytes}: {report:?}");
            continue;
        }
        assert!(report.after.tokens + report.after.bound < hard, "{bytes}: {report:?}");
        let newest = state.checkpoints.last().unwrap();
        if newest.summary.raw < before / 2 {
            shortened += 1;
            // Requirements are removed last, and their loss is reported.
            let told = newest.summary.text.contains("Never delete the branch release-7.");
            assert!(told || newest.summary.raw < 70, "{}", newest.summary.text);
            let warned = report.warnings.iter().any(|warning| warning.code == Warning::RequirementsCut);
            assert!(told || warned, "{} {:?}", newest.summary.text, report.warnings);
        }
    }
    assert!(shortened > 2 && infeasible > 2, "{shortened} shortened, {infeasible} infeasible");
}

#[test]
fn a_shortened_summary_is_the_same_for_a_history_and_for_its_view() {
    let mut seen = 0;
    for bytes in (4_000..8_000).step_by(200) {
        let (mut chat, mut history) = with_a_large_call(bytes);
        let first = chat.before_model(&history, None).unwrap();
        seen += usize::from(first.committed.report.rung == Some("trim"));
        let mut fed = first.view.clone();
        let mut other = chat.clone();
        for more in [assistant("Done."), user("And now the next file.")] {
            history.push(more.clone());
            fed.push(more);
        }
        let (raw, back) = (chat.before_model(&history, None).unwrap(), other.before_model(&fed, None).unwrap());
        assert_eq!(raw.view, back.view, "{bytes}");
        let again = chat.before_model(&history, None).unwrap();
        assert_eq!((again.view, again.committed.state.revision), (raw.view, raw.committed.state.revision), "{bytes}");
    }
    assert!(seen > 1, "{seen}");
}

/// A step of an agent: a call with this input, and its result.
fn step(id: usize, input: serde_json::Value, output: &str) -> [M; 2] {
    [call(&format!("call_{id}"), "tool", input), result(&format!("call_{id}"), output)]
}

#[test]
fn a_clear_takes_the_oldest_results_and_stops_at_the_target() {
    let mut history = vec![user("Compare the eight files.")];
    for file in 0..8 {
        history.extend(step(file, json!({ "path": format!("src/{file}.rs") }), &filler(5_000)));
    }
    let mut chat = chat("tail", 32_000);
    chat.options["maxOutputTokens"] = json!(4_000);
    let prepared = chat.before_model(&history, Some(&mut |_| panic!("nobody has to be asked"))).unwrap();
    let report = prepared.committed.report;
    assert_eq!(report.rung, Some("clear"));
    let whole =
        |view: &[M]| view.iter().filter(|message| message.role == Role::Tool && history.contains(message)).count();
    assert!((3..8).contains(&whole(&prepared.view)), "{} of eight results are whole", whole(&prepared.view));
    // The target is half of the room, and one file is an eighth of what there was.
    let (trigger, left) = (report.after.trigger, report.after.tokens + report.after.bound);
    assert!(left > trigger * 3 / 10 && left < trigger * 8 / 10, "{left} of {trigger}");
    let cleared = prepared.view.iter().position(|message| message.role == Role::Tool && history.contains(message));
    assert!(prepared.view[cleared.unwrap()..].iter().all(|message| history.contains(message)), "the oldest go first");
}

#[test]
fn old_arguments_are_cleared_with_old_results_without_a_summarizer() {
    let mut history = vec![user("Write the forty files.")];
    for file in 0..40 {
        let input = json!({ "path": format!("src/{file}.rs"), "content": filler(12_000), "force": true });
        history.extend(step(file, input, "written"));
    }
    let mut chat = chat("tail", 100_000);
    let prepared = chat.before_model(&history, Some(&mut |_| panic!("nobody has to be asked"))).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"), "{}", prepared.committed.report.reason);
    let P::Call { input, .. } = &prepared.view[1].parts[0] else { panic!("a call") };
    assert_eq!((&input["path"], &input["force"]), (&json!("src/0.rs"), &json!(true)), "the same members");
    assert!(input["content"].as_str().unwrap().len() < 600, "{input}");
    assert_eq!(prepared.view[prepared.view.len() - 6..], history[history.len() - 6..], "the newest stay");
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
}

#[test]
fn turns_whose_tools_the_provider_runs_are_covered_like_others() {
    let mut history = vec![user("Research it.")];
    for id in 0..200 {
        let result = P::Result { id: format!("call_{id}"), output: filler(1_600).into(), failed: false };
        let mut step = calls(&[&format!("call_{id}")]);
        step.parts.extend([result, P::Text(format!("Step {id} is done."))]);
        history.push(step);
    }
    let prepared = chat("tail", 32_000).before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.outcome, Outcome::Compacted, "{}", prepared.committed.report.reason);
    assert_eq!(prepared.view.last(), history.last());
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
}

fn compact(chat: &Chat, keep: serde_json::Value) -> Chat {
    let mut chat = chat.clone();
    chat.more["compact"] = json!(true);
    chat.more["keep"] = keep;
    chat
}

#[test]
fn compacting_by_hand_covers_all_but_the_newest_turn_however_small_the_chat_is() {
    let mut history = long_turns(6);
    history.extend([user("And now?"), assistant("Now this.")]);
    let chat = chat("tail", 100_000);
    let covers = |keep| {
        let mut chat = compact(&chat, keep);
        let prepared = chat.before_model(&history, Some(&mut |_| answer("What came before."))).unwrap();
        assert_eq!(prepared.view.last(), history.last());
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        (chat.session().checkpoints.last().map(|checkpoint| checkpoint.covers.count), prepared.committed.report.reason)
    };
    assert_eq!(covers(json!(null)).0, Some(12));
    assert_eq!(covers(json!({ "turns": 3 })).0, Some(8));
    assert_eq!(covers(json!({ "messages": 5 })).0, Some(9));
    assert_eq!(covers(json!({ "turns": 1, "messages": 1 })).0, Some(12));
    let (none, reason) = covers(json!({ "turns": 50 }));
    assert_eq!(none, None);
    assert!(reason.starts_with("Compacting would save nothing"), "{reason}");
    let refused = compact(&chat, json!({ "turn": 1 })).call(&history).unwrap_err();
    assert_eq!((refused.code.as_str(), refused.path.as_deref()), ("invalid-call", Some("keep.turn")));
}

#[test]
fn a_switch_of_models_reports_where_lasting_cuts_are_redone() {
    let mut history = vec![user("Read it."), call("a", "read", json!({})), result("a", &filler(60_000))];
    history.extend([assistant("Read."), user("Thanks.")]);
    let mut chat = Chat::new(json!({ "contextWindow": 12_000, "maxOutputTokens": 500 }));
    chat.more["model"] = json!("gpt-5");
    chat.before_model(&history, None).unwrap();
    history.extend([assistant("You are welcome."), user("Go on.")]);
    let same = chat.clone().before_model(&history, None).unwrap().committed.report;
    assert_eq!(same.first_changed, None);
    chat.more["model"] = json!("claude-opus-4-5");
    let other = chat.before_model(&history, None).unwrap().committed.report;
    assert_eq!(other.first_changed, Some(2), "the result is cut to another length");
}

#[test]
fn where_the_provider_compacts_nothing_new_is_done_whatever_the_size_and_what_was_done_stays() {
    for preset in [json!({}), json!({ "preset": "contextguard" })] {
        let options = json!({ "contextWindow": 8_000, "maxOutputTokens": 800, "tune": preset });
        let mut chat = Chat::new(options);
        let mut history = vec![user("Begin.")];
        for turn in 0..20 {
            history.extend([assistant(&filler(2_000)), user(&format!("And {turn}?"))]);
        }
        chat.more = json!({ "providerCompacts": true });
        let plan = chat.plan(&history);
        assert_eq!((&plan.action, plan.requests.len()), (&Move::Pass, 0));
        let untouched = chat.before_model(&history, None).unwrap();
        let report = &untouched.committed.report;
        assert_eq!((report.outcome, report.rung), (Outcome::Unchanged, Some("pass")));
        assert_eq!(report.reason, "The provider compacts this chat itself.");
        assert!(report.warnings.iter().any(|warning| warning.code == Warning::ProviderCompaction));
        assert!(untouched.view == history && untouched.committed.standing.is_none());
        assert!(report.after.tokens > 8_000, "{}", report.after.tokens);
        // A plan that was made before, and a compaction by hand.
        chat.more = json!({});
        let earlier = chat.plan(&history);
        assert!(matches!(earlier.action, Move::Compact(_)));
        for more in [json!({ "providerCompacts": true }), json!({ "providerCompacts": true, "compact": true })] {
            let mut asked = chat.clone();
            asked.more = more;
            assert!(asked.commit(&history, &earlier, None).view == history);
            assert!(asked.before_model(&history, None).unwrap().view == history);
        }
        // What an earlier call covered stays covered.
        let covered = chat.before_model(&history, None).unwrap();
        assert!(covered.view.len() < history.len());
        history.extend([assistant(&filler(20_000)), user("And now?")]);
        chat.more = json!({ "providerCompacts": true });
        let again = chat.before_model(&history, None).unwrap();
        assert_eq!(again.committed.report.outcome, Outcome::Reused);
        assert!(again.committed.report.changes.is_empty() && again.view.len() < history.len());
        assert!(again.view.ends_with(&history[history.len() - 2..]));
    }
}

#[test]
fn the_soft_threshold_lies_at_85_percent_of_the_trigger() {
    let history = plain_turns(0..2);
    let trigger_of = |more: serde_json::Value| {
        let mut chat = tail_chat();
        chat.more = more;
        chat.before_model(&history, None).unwrap().committed.report.after.trigger
    };
    let hard = trigger_of(json!({}));
    assert_eq!(trigger_of(json!({ "threshold": "soft" })), hard * 85 / 100);
}

#[test]
fn a_sliding_window_fires_above_twenty_messages_and_keeps_six() {
    let mut chat = tail_chat();
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
        let mut chat = tail_chat();
        chat.options["tune"]["strategy"] = json!(strategy);
        let history = [user("Write it."), assistant(&filler(11_200))];
        let mut asked = Vec::new();
        let prepared = chat.before_model(&history, Some(&mut recorded(&mut asked, |_| answer("Notes.")))).unwrap();
        assert_eq!((asked.len(), chat.session().checkpoints.len()), (0, 0), "{strategy}");
        assert_eq!(prepared.view, history, "{strategy}");
    }
}
