//! The flaws of the original (contextguard, A1 … F2): one test each shows that no strategy has it.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Prepared;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::filler;
use crate::support::result;
use crate::support::says;
use crate::support::system;
use crate::support::user;
use crate::support::words;
use precis::base::error::Warning;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::compaction::Kind;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

const STRATEGIES: [&str; 3] = ["full", "sliding-window", "tail"];

fn chat(strategy: &str, window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "summarize": true, "summarizer": { "contextWindow": 64_000 },
        "tune": { "strategy": strategy, "tokens": { "estimator": "bytes4" } }
    }))
}

const SUMMARY: &str = "The user works on the engine; the tests come next.";

fn good(_: &Request) -> Answer {
    answer(SUMMARY)
}

/// Makes one request, and checks that the view is valid, fits and ends with the newest message.
fn send(chat: &mut Chat, history: &[M], summarize: &mut dyn FnMut(&Request) -> Answer) -> Prepared {
    let prepared = chat.before_model(history, Some(summarize)).unwrap();
    let report = &prepared.committed.report;
    assert_eq!(added(&prepared.view, history), Vec::<String>::new());
    assert!(matches!(report.outcome, Outcome::Unchanged | Outcome::Reused | Outcome::Compacted), "{report:?}");
    assert!(report.after.tokens + report.after.bound < report.after.trigger, "{report:?}");
    prepared
}

/// A call with text before it, and its result.
fn step(number: usize, said: usize, output: &str) -> [M; 2] {
    let id = format!("step_{number}");
    let mut message = call(&id, "edit", json!({ "step": number }));
    message.parts.insert(0, P::Text(format!("Step {number}. {}", filler(said))));
    [message, result(&id, output)]
}

/// Turns of a question, a call with its result, and a long answer. Clearing results alone does not make enough room.
fn turns(count: usize, bytes: usize) -> Vec<M> {
    let turn = |turn: usize| {
        let id = format!("call_{turn}");
        [
            user(&format!("question {turn}?")),
            call(&id, "read_file", json!({ "path": format!("/src/file_{turn}.rs") })),
            result(&id, &format!("content {turn}: {}", filler(bytes / 8))),
            assistant(&format!("answer {turn}. {}", filler(bytes))),
        ]
    };
    (0..count).flat_map(turn).collect()
}

#[test]
fn a1_the_newest_message_is_sent_and_results_reach_the_summarizer() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        history.push(user("Which file is the largest?"));
        history.push(call("new", "list_files", json!({ "path": "/src" })));
        history.push(result("new", "engine.rs 40 kB, the largest"));
        let mut prompts = Vec::new();
        let prepared = send(&mut chat, &history, &mut |request| {
            prompts.push(request.prompt.clone());
            good(request)
        });
        assert_eq!(prompts.len(), 1, "{strategy}");
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
        assert!(says(&prepared.view, "Which file is the largest?"), "{strategy}");
        assert!(prompts[0].contains("content 0: line 0"), "{strategy}: {}", prompts[0]);
        assert!(prompts[0].contains("read_file({\"path\":\"/src/file_0.rs\"})"), "{strategy}");
    }
}

#[test]
fn a1_a_result_that_triggers_compaction_is_seen_by_the_model() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(3, 400);
        history.push(user("Read the log."));
        history.push(calls(&["log"]));
        history.push(result("log", &format!("START {} END", filler(60_000))));
        let prepared = send(&mut chat, &history, &mut good);
        let newest = words(prepared.view.last().unwrap());
        assert!(newest.starts_with("START") && newest.ends_with("END"), "{strategy}: clipped in its middle");
        assert!(newest.contains("[precis: "), "{strategy}: and said so");
    }
}

#[test]
fn a2_the_request_of_the_turn_stays_on_every_later_step() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(6, 1_000);
        let request = "Refactor the parser, but never touch lexer.rs.";
        history.push(user(request));
        for step in 0..25 {
            history.extend(self::step(step, 1_000, &filler(200)));
            let prepared = send(&mut chat, &history, &mut good);
            assert!(prepared.view.contains(&user(request)), "{strategy} step {step}");
            assert_eq!(prepared.view.last(), history.last(), "{strategy} step {step}");
        }
        assert!(!chat.session().checkpoints.is_empty(), "{strategy}");
    }
}

#[test]
fn a5_all_parts_of_a_request_are_sent() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        let parts = ["", "First the context.", "Then the wish: keep it short."];
        history.push(M { role: Role::User, parts: parts.map(|text| P::Text(text.into())).to_vec() });
        let prepared = send(&mut chat, &history, &mut good);
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
    }
}

#[test]
fn a5_a_giant_request_is_cut_and_asks_for_one_summary_at_most() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(2, 400);
        history.push(user(&format!("Explain this: {} What is wrong with it?", filler(40_000))));
        let mut calls = 0;
        let prepared = send(&mut chat, &history, &mut |request| {
            calls += 1;
            good(request)
        });
        let newest = words(prepared.view.last().unwrap());
        assert!(newest.starts_with("Explain this:") && newest.ends_with("What is wrong with it?"), "{strategy}");
        assert!(calls <= 1, "{strategy}: {calls}");
    }
}

/// The view of a new chat.
fn afresh(strategy: &str, history: &[M]) -> Vec<M> {
    send(&mut chat(strategy, 8_000), history, &mut good).view
}

#[test]
fn b1_a_rewound_edited_or_branched_history_never_gets_the_old_summary() {
    for strategy in STRATEGIES {
        let history = turns(12, 1_500);
        let mut compacted = chat(strategy, 8_000);
        send(&mut compacted, &history, &mut |_| answer("About the branch that was given up."));
        let covers = compacted.session().checkpoints[0].covers.count as usize;
        let rewound = history[..5].to_vec();
        let mut edited = history.clone();
        edited[0] = user("a different question?");
        let mut deleted = history.clone();
        deleted.drain(4..8);
        let branched = [&history[..4], &[user("another way?"), assistant("yes")]].concat();
        for (name, other) in [("rewound", rewound), ("edited", edited), ("deleted", deleted), ("branched", branched)] {
            let mut chat = compacted.clone();
            let prepared = send(&mut chat, &other, &mut good);
            assert!(!says(&prepared.view, "given up"), "{strategy} {name}");
            assert_eq!(prepared.view, afresh(strategy, &other), "{strategy} {name}: as if made anew");
            assert!(prepared.committed.report.diverged.is_some(), "{strategy} {name}");
            // The branch grows past the old position: nothing is lost.
            let mut grown = other;
            while grown.len() < covers + 3 {
                grown.push(user("small talk"));
                grown.push(assistant("more of it"));
                send(&mut chat, &grown, &mut good);
            }
            let covered = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count as usize);
            let last = send(&mut chat, &grown, &mut good).view;
            assert!(last.ends_with(&grown[covered..]), "{strategy} {name}");
        }
    }
}

#[test]
fn b2_a_host_that_sends_only_the_current_turn_loses_none_of_it() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        send(&mut chat, &turns(12, 1_500), &mut good);
        let turn = [user("Only this."), calls(&["x"]), result("x", "found"), assistant("so"), user("And now?")];
        let prepared = send(&mut chat, &turn, &mut good);
        assert_eq!(prepared.view, turn, "{strategy}");
        assert_eq!(prepared.committed.report.outcome, Outcome::Unchanged, "{strategy}");
    }
}

#[test]
fn b3_a_call_that_waits_at_compaction_gets_its_result_later() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        history.push(user("Deploy it."));
        history.push(calls(&["deploy", "notify"]));
        history.push(result("notify", "sent"));
        send(&mut chat, &history, &mut good);
        assert!(!chat.session().checkpoints.is_empty(), "{strategy}");
        history.push(result("deploy", "confirmed by a person"));
        let prepared = send(&mut chat, &history, &mut good);
        assert!(prepared.view.ends_with(&history[history.len() - 3..]), "{strategy}");
        history.push(assistant("Deployed."));
        history.push(user("Thanks."));
        send(&mut chat, &history, &mut good);
    }
}

#[test]
fn b4_a_host_that_inserts_or_merges_messages_loses_nothing() {
    for strategy in STRATEGIES {
        let history = turns(12, 1_500);
        let mut compacted = chat(strategy, 8_000);
        send(&mut compacted, &history, &mut good);
        let covers = compacted.session().checkpoints[0].covers.count as usize;
        let mut inserted = history.clone();
        inserted.insert(covers - 1, user("Handle the requests as specified."));
        let mut removed = history.clone();
        removed.remove(3);
        let mut appended = history.clone();
        appended.push(user("Continue."));
        for (name, other) in [("inserted", inserted), ("removed", removed), ("appended", appended)] {
            let mut chat = compacted.clone();
            let prepared = send(&mut chat, &other, &mut good);
            let covered = chat.session().checkpoints.last().unwrap().covers.count as usize;
            assert!(prepared.view.ends_with(&other[covered..]), "{strategy} {name}");
        }
    }
}

#[test]
fn b5_the_same_request_again_sends_the_same_messages() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let history = turns(12, 1_500);
        let first = send(&mut chat, &history, &mut good);
        for _ in 0..3 {
            let again = send(&mut chat, &history, &mut |_| panic!("nothing is to be summarized"));
            assert_eq!(again.view, first.view, "{strategy}");
            assert_eq!(again.committed.report.outcome, Outcome::Reused, "{strategy}");
        }
        assert!(says(&first.view, "question 11?"), "{strategy}");
    }
}

#[test]
fn b6_what_is_kept_stays_at_the_next_request() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        let first = send(&mut chat, &history, &mut good);
        history.push(user("Next."));
        let second = send(&mut chat, &history, &mut |_| panic!("nothing is to be summarized"));
        assert_eq!(second.view[..first.view.len()], first.view, "{strategy}");
        assert_eq!(second.view.len(), first.view.len() + 1, "{strategy}");
    }
}

#[test]
fn c1_a_large_fixed_cost_does_not_compact_at_every_step() {
    for strategy in STRATEGIES {
        for ratio in [None, Some(2)] {
            let mut chat = chat(strategy, 8_000);
            chat.system = Some(filler(1_600));
            // With the tools, 1,600 of 6,476 tokens at a ratio of 2.5. Reported usage shows that it is more than half.
            chat.tools = 1_200;
            let mut history = Vec::new();
            let mut calls = 0;
            for turn in 0..40 {
                history.push(user(&format!("turn {turn}: {}", filler(200))));
                let prepared = send(&mut chat, &history, &mut |request| {
                    calls += 1;
                    good(request)
                });
                assert_eq!(prepared.view.last(), history.last(), "{strategy} turn {turn}");
                if let Some(ratio) = ratio {
                    chat.after_model(prepared.committed.report.after.raw * ratio);
                }
                history.push(assistant(&filler(200)));
            }
            assert!(calls <= 8, "{strategy} at {ratio:?}: {calls} summaries in 40 steps");
        }
    }
}

#[test]
fn c2_a_summarizer_that_keeps_failing_is_left_alone_and_nothing_grows() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = Vec::new();
        let (mut asked, mut compacted) = (0, 0);
        for turn in 0..120 {
            history.push(user(&format!("turn {turn}: {}", filler(700))));
            let prepared = send(&mut chat, &history, &mut |_| {
                asked += 1;
                Answer::Failed("The provider is down.".into())
            });
            chat.after_model(prepared.committed.report.after.raw * 2);
            compacted += u32::from(prepared.committed.report.outcome == Outcome::Compacted);
            let text = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.summary.text.len());
            assert!(text < 12_000, "{strategy} turn {turn}: {text} bytes");
            history.push(assistant(&filler(700)));
        }
        assert!(compacted >= 5, "{strategy}");
        assert!(asked * 2 <= compacted + 4, "{strategy}: asked {asked} times in {compacted} compactions");
        assert!(compacted <= 60, "{strategy}: {compacted}");
    }
}

#[test]
fn c3_an_empty_summary_does_not_compact_at_every_step() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        let mut asked = 0;
        let mut first = true;
        for step in 0..6 {
            let prepared = send(&mut chat, &history, &mut |_| {
                asked += 1;
                answer("  \n")
            });
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
        assert_eq!(asked, 2, "{strategy}: once, and once more with the reason");
    }
}

#[test]
fn e1_a_handful_of_messages_never_fails() {
    for strategy in STRATEGIES {
        for now in [false, true] {
            for count in 0..6 {
                for bytes in [0, 10, 4_000] {
                    let mut chat = chat(strategy, 8_000);
                    chat.more = json!({ "compact": now });
                    let all = turns(2, bytes);
                    let prepared = send(&mut chat, &all[..count], &mut good);
                    assert_eq!(prepared.view.is_empty(), count == 0, "{strategy} {count} {bytes}");
                }
            }
        }
    }
}

/// A compaction by hand has nothing to cover here, but the large message must still be cut.
#[test]
fn compaction_by_hand_still_clips_what_does_not_fit() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        chat.more = json!({ "compact": true });
        let history = [user("read it"), calls(&["x"]), result("x", &filler(20_000))];
        send(&mut chat, &history, &mut good);
    }
}

/// Results could be cleared, but a strategy that starts at a number of messages must also stop.
#[test]
fn b5_a_request_whose_results_can_be_cleared_is_decided_once() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let step = |number: usize| {
            let id = format!("step_{number}");
            [call(&id, "read", json!({ "n": number })), result(&id, &filler(1_000))]
        };
        let mut history = vec![user("Go through all files.")];
        history.extend((0..30).flat_map(step));
        let first = send(&mut chat, &history, &mut good);
        let again = send(&mut chat, &history, &mut good);
        assert_eq!(again.committed.report.outcome, Outcome::Reused, "{strategy}");
        assert_eq!(again.view, first.view, "{strategy}");
    }
}

#[test]
fn e2_the_summarizers_prompt_does_not_grow_with_the_conversation() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = Vec::new();
        let mut prompts: Vec<usize> = Vec::new();
        for turn in 0..200 {
            history.push(user(&format!("turn {turn}: {}", filler(300))));
            send(&mut chat, &history, &mut |request| {
                prompts.push(request.prompt.len());
                good(request)
            });
            history.push(assistant(&filler(300)));
        }
        let (first, largest) = (prompts[0], *prompts.iter().max().unwrap());
        assert!(prompts.len() >= 4, "{strategy}: {prompts:?}");
        assert!(largest <= first * 3 / 2, "{strategy}: {prompts:?}");
    }
}

#[test]
fn e3_an_error_of_the_summarizer_does_not_send_the_whole_history() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        send(&mut chat, &history, &mut good);
        history.extend(turns(12, 1_500));
        let prepared = send(&mut chat, &history, &mut |_| Answer::Failed("It threw.".into()));
        assert!(prepared.view.len() < 30, "{strategy}: {} messages", prepared.view.len());
        assert!(says(&prepared.view, SUMMARY), "{strategy}: what was summarized before is carried on");
    }
}

#[test]
fn e4_a_long_chain_of_calls_is_cut_where_the_strategy_wants() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = vec![user("Go through all files."), assistant("I will.")];
        history.extend((0..40).flat_map(|number| step(number, 700, &filler(200))));
        let mut calls = 0;
        let prepared = send(&mut chat, &history, &mut |request| {
            calls += 1;
            good(request)
        });
        assert!(calls <= 1, "{strategy}: {calls}");
        let (before, after) = (prepared.committed.report.before.raw, prepared.committed.report.after.raw);
        assert!(after * 2 < before, "{strategy}: {before} to {after}");
        assert!(says(&prepared.view, "Go through all files."), "{strategy}");
        history.push(assistant("Done."));
        let next = send(&mut chat, &history, &mut good);
        assert_eq!(next.view[..prepared.view.len()], prepared.view, "{strategy}: and that stays");
    }
}

#[test]
fn e4_a_chain_inside_the_turn_is_told_in_a_progress_note() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = vec![user("Go through all files."), assistant("I will.")];
        history.extend((0..40).flat_map(|number| step(number, 500, &format!("file {number} is fine"))));
        let prepared = send(&mut chat, &history, &mut good);
        let note =
            prepared.view.iter().map(words).find(|text| text.starts_with(precis::base::markers::PROGRESS)).unwrap();
        let told: Vec<usize> =
            note.lines().filter_map(|line| line.strip_prefix("→ edit step=")?.parse().ok()).collect();
        assert!(told.len() >= 10 && told.is_sorted(), "{strategy}: {note}");
        assert!(told.last() > Some(&34), "the newest that left is among them; {strategy}: {note}");
        assert_eq!(prepared.view[1], history[0], "{strategy}: the request stands before it");
    }
}

#[test]
fn e5_size_counts_between_compactions_and_limits_are_heeded() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        // Far fewer messages than start the sliding window. Each is larger than all of them together may be.
        let mut history = turns(2, 12_000);
        history.push(user("And now?"));
        send(&mut chat, &history, &mut good);
        let mut limited = Chat::new(json!({
            "contextWindow": 128_000, "maxOutputTokens": 500, "summarize": true,
            "tune": { "strategy": strategy, "maxInputTokens": 4_000, "tokens": { "estimator": "bytes4" } }
        }));
        let prepared = send(&mut limited, &history, &mut good);
        assert_eq!(prepared.committed.report.after.trigger, 3_920, "{strategy}");
        assert!(prepared.committed.report.after.tokens < 3_920, "{strategy}");
    }
}

#[test]
fn e5_no_continuation_is_added_to_a_request_that_is_still_there() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = turns(12, 1_500);
        history.push(user("What next?"));
        let prepared = send(&mut chat, &history, &mut good);
        assert_eq!(prepared.view.last(), history.last(), "{strategy}");
        assert_eq!(prepared.view.iter().filter(|message| words(message).starts_with('[')).count(), 1, "{strategy}");
    }
}

#[test]
fn f2_concurrent_steps_of_one_session_compact_once() {
    for strategy in STRATEGIES {
        let history = turns(12, 1_500);
        let start = chat(strategy, 8_000);
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

#[test]
fn instructions_stay_in_front_whatever_is_compacted() {
    for strategy in STRATEGIES {
        let mut chat = chat(strategy, 8_000);
        let mut history = vec![system("Be brief."), system("Never delete files.")];
        history.extend(turns(12, 1_500));
        let prepared = send(&mut chat, &history, &mut good);
        assert_eq!(prepared.view[..2], history[..2], "{strategy}");
    }
}
