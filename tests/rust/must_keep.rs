//! Literal strings that must stay: they survive digests, trims, clips and clears, or a warning names the lost string.

use crate::support::Chat;
use crate::support::M;
use crate::support::Prepared;
use crate::support::Twins;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::tool_turn;
use crate::support::user;
use crate::support::words;
use precis::base::error::Warning;
use precis::engine::Committed;
use precis::report::Outcome;
use precis::session::compaction::Kind;
use serde_json::json;

const LITERAL: &str = "PO-2024-00017";

fn chat(window: u64, literals: &[&str]) -> Chat {
    let mut chat = Chat::new(json!({ "contextWindow": window, "maxOutputTokens": 200 }));
    chat.more = json!({ "mustKeep": literals });
    chat
}

fn lost(committed: &Committed) -> Vec<String> {
    let warnings = committed.report.warnings.iter();
    warnings.filter(|warning| warning.code == Warning::MustKeepLost).map(|warning| warning.advice.clone()).collect()
}

fn said_or_told(prepared: &Prepared, literal: &str) -> bool {
    says(&prepared.view, literal) || lost(&prepared.committed).iter().any(|advice| advice.contains(literal))
}

/// Turns of calls with large results. The literal string is in the middle of the first result.
fn work(turns: usize, bytes: usize) -> Vec<M> {
    let mut messages = vec![user("Go through the files.")];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        messages.push(call(&id, "read", json!({ "file": turn })));
        let body = filler(bytes / 2);
        let middle = if turn == 0 { LITERAL } else { "nothing" };
        messages.push(result(&id, &format!("{body}\n{middle}\n{body}")));
    }
    messages.push(assistant("Done so far."));
    messages.push(user("And now?"));
    messages
}

#[test]
fn a_literal_stays_while_more_and_more_is_covered() {
    let mut history = work(3, 1_500);
    let mut chat = chat(4_000, &[LITERAL, "never said", ""]);
    let mut kinds = std::collections::BTreeSet::new();
    for turn in 0..25 {
        let prepared = chat.before_model(&history, None).unwrap();
        assert!(said_or_told(&prepared, LITERAL), "turn {turn}: {}", prepared.committed.report.reason);
        assert!(
            !says(&prepared.view, "never said") && lost(&prepared.committed).iter().all(|told| !told.contains("never"))
        );
        kinds.extend(prepared.committed.state.checkpoints.last().map(|checkpoint| format!("{:?}", checkpoint.kind)));
        history.push(assistant(&filler(900)));
        history.push(user(&format!("Next {turn}. {}", filler(700))));
    }
    assert!(kinds.contains("Digest"), "{kinds:?}");
}

#[test]
fn a_literal_stays_when_groups_are_dropped_without_a_summary() {
    // The newest results are so large that everything before them must be removed.
    let mut history = vec![user(&format!("The order is {LITERAL}.")), assistant("Noted.")];
    for turn in 0..6 {
        history.push(user(&format!("Request {turn}: {}", filler(1_200))));
        history.push(assistant(&format!("Answer {turn}: {}", filler(1_200))));
    }
    let mut trimmed = false;
    for share in [0.2, 0.5, 0.8] {
        trimmed |= groups_go(history.clone(), share);
    }
    assert!(trimmed, "no trim was needed");
}

/// Whether a trim was needed for this history and what follows it.
fn groups_go(mut history: Vec<M>, tail: f64) -> bool {
    let mut chat = Chat::new(json!({
        "contextWindow": 6_000, "maxOutputTokens": 200, "tune": { "shares": { "tail": tail, "target": 0.9 } }
    }));
    chat.more = json!({ "mustKeep": [LITERAL] });
    chat.system = Some(filler(4_000));
    let mut trimmed = false;
    for turn in 0..12 {
        let prepared = chat.before_model(&history, None).unwrap();
        assert!(said_or_told(&prepared, LITERAL), "turn {turn}");
        assert!(says(&prepared.view, LITERAL), "turn {turn}");
        trimmed |= prepared.committed.state.checkpoints.iter().any(|checkpoint| checkpoint.kind == Kind::Trim);
        history.push(assistant(&filler(300 + 500 * (turn % 3))));
        history.push(user(&format!("More {turn}: {}", filler(400 + 900 * (turn % 4)))));
    }
    trimmed
}

#[test]
fn a_literal_that_a_cut_loses_is_kept_or_named() {
    let mut history = work(1, 40_000);
    history.truncate(3);
    let mut chat = chat(4_000, &[LITERAL]);
    let prepared = chat.before_model(&history, None).unwrap();
    assert!(prepared.committed.changed);
    assert!(said_or_told(&prepared, LITERAL));
    assert_eq!(says(&prepared.view, LITERAL), lost(&prepared.committed).is_empty());
}

#[test]
fn a_literal_in_a_result_that_had_been_cut_is_kept_when_it_is_covered() {
    let mut history = work(1, 40_000);
    history.truncate(3);
    let mut chat = chat(4_000, &[LITERAL]);
    chat.before_model(&history, None).unwrap();
    for turn in 0..6 {
        history.push(assistant(&filler(1_500)));
        history.push(user(&format!("Next {turn}. {}", filler(1_500))));
        let prepared = chat.before_model(&history, None).unwrap();
        if prepared.committed.state.checkpoints.last().is_some_and(|checkpoint| checkpoint.covers.count > 3) {
            assert!(says(&prepared.view, LITERAL), "turn {turn}");
            return;
        }
    }
    panic!("never covered");
}

/// A line of similar items, with a literal string in the middle that no rule recognizes as a name.
fn around(literal: &str, bytes: usize) -> String {
    let half = "what it was and how it came to be so; ".repeat(bytes / 76 + 1);
    format!("{half}{literal} {half}")
}

const SECRETS: [&str; 3] = ["blue heron at dawn", "the third key", "口令是蓝鹭"];

#[test]
fn literals_that_a_cut_would_lose_are_in_its_notice() {
    let json_list = |literal: &str| {
        let item =
            |at: usize| format!("{{\"at\": {at}, \"text\": \"{}\"}}", if at == 300 { literal } else { "nothing" });
        format!("[{}]", (0..600).map(item).collect::<Vec<_>>().join(",\n"))
    };
    let log = |literal: &str| {
        let line = |at: usize| format!("12:00:{at:02} INFO {}\n", if at == 300 { literal } else { "nothing to see" });
        (0..900).map(line).collect::<String>()
    };
    for literal in SECRETS {
        for output in [around(literal, 40_000), json_list(literal), log(literal)] {
            let history = [user("Read."), call("a", "read", json!({ "file": 1 })), result("a", &output)];
            let mut chat = chat(4_000, &[literal]);
            let prepared = chat.before_model(&history, None).unwrap();
            assert_eq!(prepared.committed.report.rung, Some("clip"));
            assert!(says(&prepared.view, literal), "{}", words(&prepared.view[2]));
            assert!(lost(&prepared.committed).is_empty());
            let after = prepared.committed.report.after;
            assert!(after.tokens + after.bound < after.trigger, "{after:?}");
            if output.starts_with('[') {
                serde_json::from_str::<serde_json::Value>(&words(&prepared.view[2])).unwrap();
            }
            // Without the option, it is lost.
            chat.more = json!({});
            assert!(!says(&chat.before_model(&history, None).unwrap().view, literal));
        }
    }
}

#[test]
fn what_a_clear_would_lose_of_the_literals_stands_in_its_placeholder() {
    let mut history = vec![user("Find the leak.")];
    for step in 0..12 {
        let id = format!("call_{step}");
        let output = around(SECRETS.get(step).unwrap_or(&"nothing"), 1_800);
        history.extend([call(&id, "read", json!({ "file": step })), result(&id, &output), assistant("Read.")]);
    }
    history.push(user("Go on."));
    let mut chat = chat(8_000, &SECRETS);
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"), "{:?}", prepared.committed.report);
    for (step, literal) in SECRETS.iter().enumerate() {
        let told = words(&prepared.view[2 + 3 * step]);
        assert!(told.contains("was removed to save space") && told.contains(literal), "{told}");
    }
    assert!(lost(&prepared.committed).is_empty());
}

#[test]
fn a_literal_that_does_not_fit_into_a_notice_or_would_break_it_is_reported() {
    let long = "so long that no notice takes it, ".repeat(12);
    for literal in [long.as_str(), "a [1] b", "a\\b", "two\nlines"] {
        let history = [user("Read."), call("a", "read", json!({})), result("a", &around(literal, 40_000))];
        let prepared = chat(4_000, &[literal]).before_model(&history, None).unwrap();
        assert!(!says(&prepared.view, literal));
        assert_eq!(lost(&prepared.committed).len(), 1, "{literal}");
        // A later cut finds the notice.
        assert_eq!(words(&prepared.view[2]).matches("left out here").count(), 1);
    }
}

#[test]
fn a_view_passed_as_history_keeps_the_same_literals() {
    for (window, bytes) in [(3_000, 2_400), (4_000, 1_500), (6_000, 9_000), (8_000, 3_000)] {
        let mut twins = Twins::new(chat(window, &SECRETS));
        let mut history = vec![user("Find the leak.")];
        twins.given.clone_from(&history);
        let mut edited = 0;
        for step in 0..16 {
            let id = format!("call_{step}");
            let output = around(SECRETS.get(step % 4).unwrap_or(&"nothing"), bytes * (1 + step % 3));
            let new = [call(&id, "read", json!({ "file": step })), result(&id, &output)];
            history.extend(new.clone());
            let mut send = |chat: &mut Chat, messages: &[M]| chat.before_model(messages, None).unwrap();
            let (expected, _) = twins.send(&history, &new, &mut send);
            edited += u64::from(matches!(expected.committed.report.rung, Some("clip" | "clear")));
        }
        assert!(edited > 0, "nothing was cut or cleared");
    }
}

/// F10 of docs/guarantees.md.
#[test]
fn what_must_be_kept_survives_ten_compactions_word_for_word() {
    let needles = ["postgres://app@db-3.internal:6432/shop", "ORD-2024-99731", "never run TRUNCATE", "port 8443"];
    let mut chat = small_chat(4_000);
    chat.more = json!({ "mustKeep": needles });
    let mut history = vec![user(&format!("Remember: {}.", needles.join(", "))), assistant("Noted.")];
    let mut compactions = 0;
    for number in 0..120 {
        history.extend(tool_turn(number, 900));
        let prepared = send_checked(&mut chat, &history, None);
        compactions += usize::from(prepared.committed.report.outcome == Outcome::Compacted);
        for needle in needles {
            assert!(says(&prepared.view, needle), "{needle} is gone at turn {number}");
        }
    }
    assert!(compactions >= 10, "{compactions}");
}
