//! When a chat is compacted again, and when it is not.

use crate::support::Chat;
use crate::support::M;
use crate::support::STRATEGIES;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::ours;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chat;
use crate::support::strategy_chats;
use crate::support::tool_step;
use crate::support::tool_steps;
use crate::support::tool_turn;
use crate::support::tool_turns;
use crate::support::user;
use precis::base::markers;
use precis::report::Outcome;
use serde_json::json;

/// Runs a history request by request. Returns how often it compacted.
fn replayed(chat: &mut Chat, history: &[M], from: usize) -> usize {
    let mut compactions = 0;
    for end in from..=history.len() {
        let prepared = send_checked(chat, &history[..end], Some(&mut good_summary));
        compactions += usize::from(prepared.committed.report.outcome == Outcome::Compacted);
    }
    compactions
}

/// F15 of docs/guarantees.md.
#[test]
fn what_cannot_be_helped_is_said_once_and_never_looped_on() {
    let mut chat = small_chat(4_000);
    chat.system = Some(filler(9_000));
    let mut history = tool_turns(2, 900);
    let (mut asked, mut revisions) = (Vec::new(), Vec::new());
    for number in 2..10 {
        history.extend(tool_turn(number, 900));
        let prepared = chat.before_model(&history, Some(&mut recorded(&mut asked, good_summary))).unwrap();
        assert!(matches!(prepared.committed.report.outcome, Outcome::Infeasible | Outcome::Tight));
        let again = chat.clone().before_model(&history, None).unwrap();
        assert_eq!(again.view, prepared.view, "turn {number}");
        revisions.push(chat.session().revision);
    }
    assert_eq!(asked.len(), 0, "no model can help");
    assert!(revisions.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{revisions:?}");
}

/// F20 of docs/guarantees.md.
#[test]
fn between_compactions_the_prefix_does_not_change() {
    let mut chat = small_chat(8_000);
    chat.system = Some("You are brief.".into());
    let mut history = Vec::new();
    let mut sent: Vec<M> = Vec::new();
    let mut breaks = 0;
    for number in 0..60 {
        history.extend(tool_turn(number, 700));
        let prepared = send_checked(&mut chat, &history, None);
        let kept = prepared.view.starts_with(&sent);
        breaks += usize::from(!kept);
        assert_eq!(!kept && !sent.is_empty(), prepared.committed.report.outcome == Outcome::Compacted, "turn {number}");
        sent = prepared.view;
    }
    assert!((2..=12).contains(&breaks), "{breaks} of 60 requests begin anew");
}

/// B5 of the original preset.
#[test]
fn the_same_request_again_sends_the_same_messages() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let history = tool_turns(12, 1_500);
        let first = send_checked(&mut chat, &history, Some(&mut good_summary));
        for _ in 0..3 {
            let again = send_checked(&mut chat, &history, Some(&mut |_| panic!("nothing is to be summarized")));
            assert_eq!(again.view, first.view, "{strategy}");
            assert_eq!(again.committed.report.outcome, Outcome::Reused, "{strategy}");
        }
        assert!(says(&first.view, "question 11?"), "{strategy}");
    }
}

/// C1 of the original preset.
#[test]
fn a_large_fixed_cost_does_not_compact_at_every_step() {
    for strategy in STRATEGIES {
        for ratio in [None, Some(2)] {
            let mut chat = strategy_chat(strategy, 8_000);
            chat.system = Some(filler(1_600));
            // With the tools, 1,600 of 6,476 tokens at a ratio of 2.5. Reported usage shows that it is more than half.
            chat.tools = 1_200;
            let mut history = Vec::new();
            let mut asked = Vec::new();
            for turn in 0..40 {
                history.push(user(&format!("turn {turn}: {}", filler(200))));
                let prepared = send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
                assert_eq!(prepared.view.last(), history.last(), "{strategy} turn {turn}");
                if let Some(ratio) = ratio {
                    chat.after_model(prepared.committed.report.after.raw * ratio);
                }
                history.push(assistant(&filler(200)));
            }
            assert!(asked.len() <= 8, "{strategy} at {ratio:?}: {} summaries in 40 steps", asked.len());
        }
    }
}

/// B5 of the original preset.
/// Results could be cleared, but a strategy that starts at a number of messages must also stop.
#[test]
fn a_request_whose_results_can_be_cleared_is_decided_once() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let step = |number: usize| {
            let id = format!("step_{number}");
            [call(&id, "read", json!({ "n": number })), result(&id, &filler(1_000))]
        };
        let mut history = vec![user("Go through all files.")];
        history.extend((0..30).flat_map(step));
        let first = send_checked(&mut chat, &history, Some(&mut good_summary));
        let again = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert_eq!(again.committed.report.outcome, Outcome::Reused, "{strategy}");
        assert_eq!(again.view, first.view, "{strategy}");
    }
}

/// E5 of the original preset.
#[test]
fn size_counts_between_compactions_and_limits_are_heeded() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        // Far fewer messages than start the sliding window. Each is larger than all of them together may be.
        let mut history = tool_turns(2, 12_000);
        history.push(user("And now?"));
        send_checked(&mut chat, &history, Some(&mut good_summary));
        let mut limited = Chat::new(json!({
            "contextWindow": 128_000, "maxOutputTokens": 500, "summarize": true,
            "tune": { "strategy": strategy, "maxInputTokens": 4_000, "tokens": { "estimator": "bytes4" } }
        }));
        let prepared = send_checked(&mut limited, &history, Some(&mut good_summary));
        assert_eq!(prepared.committed.report.after.trigger, 3_920, "{strategy}");
        assert!(prepared.committed.report.after.tokens < 3_920, "{strategy}");
    }
}

/// X10 of docs/guarantees.md.
#[test]
fn a_history_that_can_hardly_shrink_is_helped_as_far_as_it_goes() {
    // One small group after another: a summary of 0.2 of the room cannot replace much.
    let history: Vec<M> =
        (0..14).flat_map(|number| [user(&format!("q{number} {}", filler(80))), assistant(&filler(80))]).collect();
    let mut chat = small_chat(1_400);
    for end in 1..=history.len() {
        let prepared = chat.before_model(&history[..end], None).unwrap();
        assert_eq!(prepared.view.last(), history[..end].last());
        assert!(!matches!(prepared.committed.report.outcome, Outcome::Infeasible), "up to {end}");
    }
}

/// X12 of docs/guarantees.md.
#[test]
fn a_turn_of_nothing_but_tools_is_compacted() {
    let mut history = vec![user("Go.")];
    history.extend(tool_steps(60, 300));
    let compactions = replayed(&mut small_chat(4_000), &history, 2);
    assert!(compactions > 0);
}

/// X16 of docs/guarantees.md.
#[test]
fn no_compaction_follows_one_that_was_asked_for() {
    let history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    chat.more = json!({ "now": true });
    send_checked(&mut chat, &history, Some(&mut good_summary));
    let revision = chat.session().revision;
    chat.more = json!({});
    let longer = [history, vec![user("Next.")]].concat();
    send_checked(&mut chat, &longer, Some(&mut |_| panic!("asked again")));
    assert_eq!(chat.session().revision, revision);
}

/// D03 of docs/guarantees.md.
#[test]
fn three_compactions_in_one_run_leave_one_summary_and_one_note() {
    let mut history = vec![user("Go through all of it.")];
    let mut chat = small_chat(4_000);
    let mut most = 0;
    for number in 0..60 {
        history.extend(tool_step(number, 200));
        history.push(assistant(&filler(400)));
        let prepared = send_checked(&mut chat, &history, None);
        assert!(
            ours(&prepared.view, markers::SUMMARY).len() <= 1 && ours(&prepared.view, markers::PROGRESS).len() <= 1
        );
        most = most.max(chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.revision));
    }
    assert!(most >= 3, "{most} compactions");
}

/// D09 and D15 of docs/guarantees.md.
#[test]
fn one_prompt_with_hundreds_of_tool_rounds_compacts_now_and_then() {
    for before in [vec![], vec![user("Hello."), assistant("Hello.")]] {
        let mut history = before;
        history.push(user("Go through everything."));
        let from = history.len();
        for number in 0..150 {
            history.extend(tool_step(number, 300));
            history.push(assistant(&filler(200)));
        }
        let requests = history.len() - from;
        let compactions = replayed(&mut small_chat(8_000), &history, from);
        assert!(compactions > 2 && compactions * 6 < requests, "{compactions} of {requests}");
    }
}
