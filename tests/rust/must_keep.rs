//! Literal strings that must stay: through digests, trims, clips and clears, or a warning that names the one that is lost.

use crate::support::{Chat, M, Prepared, assistant, call, filler, result, says, user};
use precis::engine::Committed;
use precis::error::Warning;
use precis::state::Kind;
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

/// Turns of calls with large results; the literal stands in the middle of the first result.
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
    // Newest results so large that everything before them has to go.
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

/// Whether a trim was needed for this history and what comes after it.
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
