//! Histories that were edited, rewound, branched, loaded in part, or decided about twice at once.

use crate::support::M;
use crate::support::STRATEGIES;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::ours;
use crate::support::plain_turns;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chat;
use crate::support::strategy_chats;
use crate::support::tail_chat;
use crate::support::tool_turns;
use crate::support::user;
use crate::support::words;
use precis::base::markers;
use precis::model::message::Role;
use precis::report::Outcome;
use serde_json::json;

/// The view of a new chat.
fn afresh(strategy: &str, history: &[M]) -> Vec<M> {
    send_checked(&mut strategy_chat(strategy, 8_000), history, Some(&mut good_summary)).view
}

/// F03 of docs/guarantees.md.
#[test]
fn old_summaries_anywhere_in_the_history_break_nothing() {
    let base = tool_turns(10, 1_200);
    let mut chat = small_chat(6_000);
    let first = send_checked(&mut chat, &base, Some(&mut good_summary));
    let summary = ours(&first.view, markers::SUMMARY)[0].clone();
    for at in 0..=base.len() {
        let mut history = base.clone();
        history.insert(at, summary.clone());
        for state in [precis::base::json::Json::Null, chat.state.clone()] {
            let mut other = chat.clone();
            other.state = state;
            let prepared = other.before_model(&history, None).unwrap();
            assert_eq!(added(&prepared.view, &history), Vec::<String>::new(), "inserted at {at}");
            assert_eq!(prepared.view.last(), history.last(), "inserted at {at}");
        }
    }
}

/// F23 of docs/guarantees.md.
#[test]
fn an_answer_counts_only_for_the_history_it_was_made_of() {
    let history = tool_turns(12, 1_500);
    let mut chat = small_chat(8_000);
    chat.options["summarizer"] = json!({ "contextWindow": 32_000 });
    let plan = chat.plan(&history);
    let late = [answer("A late answer.")];
    let appended = [history.clone(), vec![user("More.")]].concat();
    let mut edited = history.clone();
    edited[2] = user("Something else.");
    let shortened = history[..8].to_vec();
    for (name, other, welcome) in
        [("appended", appended, true), ("edited", edited, false), ("aborted", shortened, false)]
    {
        let mut own = chat.clone();
        let prepared = own.commit(&other, &plan, Some(&late));
        assert_eq!(says(&prepared.view, "A late answer."), welcome, "{name}");
        assert_eq!(prepared.view.last(), other.last(), "{name}");
        assert_eq!(added(&prepared.view, &other), Vec::<String>::new(), "{name}");
    }
}

/// F24 of docs/guarantees.md.
#[test]
fn an_edit_or_rewind_at_any_index_equals_a_chat_that_never_saw_the_rest() {
    let history = tool_turns(10, 1_200);
    let mut seen = small_chat(6_000);
    for end in 1..=history.len() {
        seen.before_model(&history[..end], None).unwrap();
    }
    assert!(!seen.session().checkpoints.is_empty());
    for at in 0..history.len() {
        let mut rewound = history[..at].to_vec();
        rewound.push(user("Another question."));
        let mut own = seen.clone();
        let prepared = send_checked(&mut own, &rewound, None);
        for (index, message) in history.iter().enumerate().skip(at) {
            let text: String = words(message).chars().take(14).collect();
            assert!(
                !says(&prepared.view, &text) || says(&rewound, &text),
                "message {index} came back after a rewind to {at}"
            );
        }
    }
}

/// B1 of the original preset.
#[test]
fn a_rewound_edited_or_branched_history_never_gets_the_old_summary() {
    for strategy in STRATEGIES {
        let history = tool_turns(12, 1_500);
        let mut compacted = strategy_chat(strategy, 8_000);
        send_checked(&mut compacted, &history, Some(&mut |_| answer("About the branch that was given up.")));
        let covers = compacted.session().checkpoints[0].covers.count as usize;
        let rewound = history[..5].to_vec();
        let mut edited = history.clone();
        edited[0] = user("a different question?");
        let mut deleted = history.clone();
        deleted.drain(4..8);
        let branched = [&history[..4], &[user("another way?"), assistant("yes")]].concat();
        for (name, other) in [("rewound", rewound), ("edited", edited), ("deleted", deleted), ("branched", branched)] {
            let mut chat = compacted.clone();
            let prepared = send_checked(&mut chat, &other, Some(&mut good_summary));
            assert!(!says(&prepared.view, "given up"), "{strategy} {name}");
            assert_eq!(prepared.view, afresh(strategy, &other), "{strategy} {name}: as if made anew");
            assert!(prepared.committed.report.diverged.is_some(), "{strategy} {name}");
            // The branch grows past the old position: nothing is lost.
            let mut grown = other;
            while grown.len() < covers + 3 {
                grown.push(user("small talk"));
                grown.push(assistant("more of it"));
                send_checked(&mut chat, &grown, Some(&mut good_summary));
            }
            let covered = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count as usize);
            let last = send_checked(&mut chat, &grown, Some(&mut good_summary)).view;
            assert!(last.ends_with(&grown[covered..]), "{strategy} {name}");
        }
    }
}

/// B2 of the original preset.
#[test]
fn a_host_that_sends_only_the_current_turn_loses_none_of_it() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        send_checked(&mut chat, &tool_turns(12, 1_500), Some(&mut good_summary));
        let turn = [user("Only this."), calls(&["x"]), result("x", "found"), assistant("so"), user("And now?")];
        let prepared = send_checked(&mut chat, &turn, Some(&mut good_summary));
        assert_eq!(prepared.view, turn, "{strategy}");
        assert_eq!(prepared.committed.report.outcome, Outcome::Unchanged, "{strategy}");
    }
}

/// B4 of the original preset.
#[test]
fn a_host_that_inserts_or_merges_messages_loses_nothing() {
    for strategy in STRATEGIES {
        let history = tool_turns(12, 1_500);
        let mut compacted = strategy_chat(strategy, 8_000);
        send_checked(&mut compacted, &history, Some(&mut good_summary));
        let covers = compacted.session().checkpoints[0].covers.count as usize;
        let mut inserted = history.clone();
        inserted.insert(covers - 1, user("Handle the requests as specified."));
        let mut removed = history.clone();
        removed.remove(3);
        let mut appended = history.clone();
        appended.push(user("Continue."));
        for (name, other) in [("inserted", inserted), ("removed", removed), ("appended", appended)] {
            let mut chat = compacted.clone();
            let prepared = send_checked(&mut chat, &other, Some(&mut good_summary));
            let covered = chat.session().checkpoints.last().unwrap().covers.count as usize;
            assert!(prepared.view.ends_with(&other[covered..]), "{strategy} {name}");
        }
    }
}

/// F2 of the original preset.
#[test]
fn concurrent_steps_of_one_session_compact_once() {
    for strategy in STRATEGIES {
        let history = tool_turns(12, 1_500);
        let start = strategy_chat(strategy, 8_000);
        let mut longer = history.clone();
        longer.push(user("A second tab asks this."));
        let (one, two) = (start.plan(&history), start.plan(&history));
        assert_eq!(one, two, "{strategy}: the same input, the same decision");

        let mut first = start.clone();
        first.commit(&history, &one, Some(&[answer("The first answer.")]));
        let revision = first.session().revision;
        // The other call comes late, with the state that the first one stored.
        let mut second = first.clone();
        let late = second.commit(&longer, &two, Some(&[answer("The second answer.")]));
        assert_eq!(second.session().checkpoints, first.session().checkpoints, "{strategy}: what is newer stays");
        assert_eq!(second.session().revision, revision, "{strategy}");
        assert_eq!(late.view.last(), longer.last(), "{strategy}");
        assert!(says(&late.view, "The first answer.") && !says(&late.view, "The second answer."), "{strategy}");
        // Two states derived from the same one have the same revision, so a host that compares and sets detects the
        // conflict.
        let mut rival = start.clone();
        rival.commit(&history, &two, Some(&[answer("The second answer.")]));
        assert_eq!(rival.session().revision, revision, "{strategy}");
    }
}

/// X19 of docs/guarantees.md.
#[test]
fn a_chat_resumed_from_what_must_be_loaded_goes_on_alike() {
    let history = tool_turns(30, 900);
    let mut whole = small_chat(4_000);
    for end in 1..=history.len() {
        send_checked(&mut whole, &history[..end], None);
    }
    let from = whole.session().checkpoints.last().unwrap().from as usize;
    assert!(from > 0);
    let mut resumed = whole.clone();
    resumed.more = json!({ "offset": from });
    let more = [history.clone(), vec![user("Next.")]].concat();
    let expected = send_checked(&mut whole, &more, None);
    let prepared = send_checked(&mut resumed, &more[from..], None);
    assert_eq!(prepared.view, expected.view);
}

/// D16 of docs/guarantees.md.
#[test]
fn ids_used_again_in_every_turn_bind_nothing_together() {
    let block = |number: usize| {
        [
            user(&format!("question {number}")),
            calls(&["call_0"]),
            result("call_0", &filler(200)),
            assistant(&filler(900)),
        ]
    };
    let history: Vec<M> = (0..20).flat_map(block).collect();
    let prepared = send_checked(&mut small_chat(6_000), &history, None);
    assert!(prepared.view.len() > 3, "only the past is covered: {}", prepared.view.len());
    assert!(says(&prepared.view, "question 19"));
}

#[test]
fn a_cut_of_one_branch_is_not_made_in_another() {
    let mut chat = tail_chat();
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
fn a_message_known_by_its_id_says_how_many_were_not_loaded() {
    let history = plain_turns(0..30);
    let ids = |from: usize| (from..60).map(|index| format!("m{index}")).collect::<Vec<_>>();
    let mut chat = tail_chat();
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

/// A call was given up, and covered; then its result arrives, and the host puts it where it belongs.
#[test]
fn a_result_that_comes_behind_its_covered_call_is_quoted() {
    let result_and_words =
        M { role: Role::User, parts: [result("late", "The gate is open.").parts, user("Look!").parts].concat() };
    for late in [result("late", "The gate is open."), result_and_words] {
        let mut chat = small_chat(100_000);
        let mut history = plain_turns(0..10);
        history.extend([user("Open the gate."), calls(&["late"]), user("Never mind.")]);
        chat.more = json!({ "compact": true, "keep": { "messages": 1 }, "leavesOut": true });
        chat.before_model(&history, None).unwrap();
        let covers = chat.session().checkpoints[0].covers.count as usize;
        assert_eq!(covers, history.len() - 1);
        history.insert(covers, late.clone());
        chat.more = json!({ "leavesOut": true });
        for _ in 0..2 {
            let prepared = chat.before_model(&history, None).unwrap();
            assert_eq!(added(&prepared.view, &history), Vec::<String>::new(), "{:?}", prepared.view);
            assert!(says(&prepared.view, "The gate is open."), "{:?}", prepared.view);
            assert!(says(&prepared.view, "Look!") || late.parts.len() == 1);
            let warned = prepared.committed.report.warnings.iter().any(|warning| {
                warning.code.as_str() == "orphan-result" && warning.advice.ends_with("It is repaired in the view.")
            });
            assert!(warned);
            history.push(assistant("So it is."));
            history.push(user("Good."));
        }
    }
}
