//! Which result belongs to which call: by ids where they tell, by names, by order; and that nothing is repaired where
//! nothing is missing.

use crate::support::small_chat;
use crate::support::{M, P, added, assistant, calls, records, result, says, user};
use precis::ingest::pairing::Pairing;
use precis::ingest::pairs::check;
use precis::model::message::{MessageRecord, Role};
use proptest::prelude::*;
use serde_json::json;

/// For each result, the number of its call.
fn pairs(messages: &[M]) -> Vec<Option<usize>> {
    let records = records(messages, "bytes4");
    Pairing::of(&MessageRecord::split(&records).unwrap()).results.iter().map(|result| result.call).collect()
}

fn rules(messages: &[M]) -> Vec<(&'static str, usize)> {
    let records = records(messages, "bytes4");
    check(&MessageRecord::split(&records).unwrap()).iter().map(|found| (found.rule.as_str(), found.index)).collect()
}

fn asks(all: &[(&str, &str)]) -> M {
    let part = |(id, name): &(&str, &str)| P::Call { id: (*id).into(), name: (*name).into(), input: json!({}) };
    M { role: Role::Assistant, parts: all.iter().map(part).collect() }
}

fn answers(role: Role, all: &[(&str, &str)]) -> M {
    let part = |(id, name): &(&str, &str)| P::Named {
        id: (*id).into(),
        name: (*name).into(),
        output: format!("of {id}{name}"),
    };
    M { role, parts: all.iter().map(part).collect() }
}

fn runs(id: &str) -> P {
    P::Executed { id: id.into(), name: "code".into() }
}

#[test]
fn ids_that_tell_nothing_are_matched_by_order() {
    for id in ["", "same", "read"] {
        let messages = [
            user("q"),
            asks(&[(id, "read"), (id, "read")]),
            answers(Role::Tool, &[(id, "")]),
            answers(Role::Tool, &[(id, "")]),
            user("next"),
        ];
        assert_eq!(pairs(&messages), [Some(0), Some(1)], "{id}");
        assert_eq!(rules(&messages), [], "{id}");
    }
}

#[test]
fn ids_come_before_names_and_names_before_order() {
    let calls = asks(&[("", "read"), ("b", "write"), ("", "list"), ("d", "write")]);
    let results = answers(Role::User, &[("d", ""), ("", "list"), ("b", ""), ("", "")]);
    assert_eq!(pairs(&[user("q"), calls, results]), [Some(3), Some(2), Some(1), Some(0)]);
    // An id may be the name of the tool.
    let calls = asks(&[("x", "read"), ("y", "write")]);
    assert_eq!(pairs(&[calls, answers(Role::User, &[("write", ""), ("read", "")])]), [Some(1), Some(0)]);
    // Of calls with the same id the names decide.
    let calls = asks(&[("a", "read"), ("a", "write")]);
    assert_eq!(pairs(&[calls, answers(Role::User, &[("a", "write"), ("a", "read")])]), [Some(1), Some(0)]);
}

#[test]
fn two_clear_ids_that_differ_are_no_pair() {
    let messages = [user("q"), calls(&["a"]), result("b", "1"), user("next")];
    assert_eq!(rules(&messages), [("unanswered-call", 1), ("orphan-result", 2)]);
    let messages = [user("q"), calls(&["a", "b"]), result("a", "1"), result("a", "2"), user("next")];
    assert_eq!(rules(&messages), [("unanswered-call", 1), ("duplicate-result", 3)]);
    // An empty one may be the lost one's.
    let messages = [user("q"), calls(&["a", "b"]), result("", "1"), result("b", "2"), user("next")];
    assert_eq!(pairs(&messages), [Some(0), Some(1)]);
}

#[test]
fn only_what_is_missing_is_repaired_where_ids_tell_nothing() {
    for id in ["", "tool"] {
        let history = vec![user("q"), calls(&[id, id, id]), result(id, "one"), result(id, "two"), user("next")];
        let prepared = small_chat(100_000).before_model(&history, None).unwrap();
        assert_eq!(prepared.view[..4], history[..4], "{id}");
        assert_eq!(prepared.view.len(), 6, "{id}");
        assert!(says(&prepared.view[4..5], "No result of this call was recorded"), "{id}");
        // One result too many is quoted.
        let history =
            vec![user("q"), calls(&[id]), result(id, "one"), result(id, "two"), assistant("so"), user("next")];
        let prepared = small_chat(100_000).before_model(&history, None).unwrap();
        assert_eq!(prepared.view[..3], history[..3], "{id}");
        assert!(says(&prepared.view[3..4], "two") && prepared.view[3].role == Role::User, "{id}");
    }
}

#[test]
fn a_provider_may_execute_a_call_over_several_rounds() {
    let open = M { role: Role::Assistant, parts: vec![runs("srv"), calls(&["a"]).parts.remove(0)] };
    let rounds = [user("q"), open, result("a", "1"), calls(&["b"]), result("b", "2")];
    assert_eq!(rules(&rounds), []);
    let mut chat = small_chat(100_000);
    assert_eq!(chat.before_model(&rounds, None).unwrap().view, rounds);
    // Its result comes in a message of the assistant.
    let done = [&rounds[..], &[answers(Role::Assistant, &[("srv", "")]), user("next")]].concat();
    assert_eq!(pairs(&done), [Some(1), Some(2), Some(0)]);
    assert_eq!(chat.before_model(&done, None).unwrap().view, done);
    // A turn that the provider paused goes on in the next message.
    let paused = |rest: &[M]| [&[user("q"), M { role: Role::Assistant, parts: vec![runs("")] }], rest].concat();
    for history in [paused(&[]), paused(&[assistant("so")]), paused(&[answers(Role::Assistant, &[("", "code")])])] {
        assert_eq!(rules(&history), []);
        assert_eq!(chat.before_model(&history, None).unwrap().view, history);
    }
}

#[test]
fn reasoning_between_parallel_calls_ends_nothing() {
    let thought = M { role: Role::Assistant, parts: vec![P::Reasoning { text: "hm".into(), signed: true }] };
    let messages = [user("q"), calls(&["a"]), thought, calls(&["b"]), result("a", "1"), result("b", "2"), user("n")];
    assert_eq!(rules(&messages), []);
}

#[test]
fn long_ids_and_many_of_them_take_no_time() {
    let long = "x".repeat(1 << 20);
    let history = [user("q"), asks(&[(&long, "a"), (&long, "b")]), result(&long, "1"), result(&long, "2"), user("n")];
    assert_eq!(small_chat(100_000).before_model(&history, None).unwrap().view, history);
    let open: Vec<M> = (0..4_000).map(|_| M { role: Role::Assistant, parts: vec![runs("")] }).collect();
    let done = vec![answers(Role::Assistant, &[("", "")]); 4_000];
    let found = pairs(&[open, done].concat());
    assert_eq!(found.len(), 4_000);
}

/// How the ids of a call and its result may be.
#[derive(Clone, Copy, Debug)]
enum Id {
    Unique,
    Equal,
    Empty,
    Name,
    /// The call has one, its result none.
    Half,
}

fn any_id() -> impl Strategy<Value = Id> {
    prop_oneof![Just(Id::Unique), Just(Id::Equal), Just(Id::Empty), Just(Id::Name), Just(Id::Half)]
}

/// Complete histories: batches of calls, each with all results, in one message or several.
fn complete() -> impl Strategy<Value = Vec<M>> {
    let one = (any_id(), 0..3_usize, any::<bool>());
    let batch = prop::collection::vec(one, 1..4);
    let turn = (batch, any::<bool>(), any::<bool>(), 10..400_usize);
    prop::collection::vec(turn, 1..14).prop_map(|turns| {
        let mut all = vec![user("begin")];
        for (turn, (batch, apart, says, length)) in turns.into_iter().enumerate() {
            let ids: Vec<(String, String, &str, bool)> = batch
                .iter()
                .enumerate()
                .map(|(at, &(id, tool, named))| {
                    let name = ["read", "write", "list"][tool];
                    let unique = format!("call_{turn}_{at}");
                    let (call, answer) = match id {
                        Id::Unique => (unique.clone(), unique),
                        Id::Equal => ("same".into(), "same".into()),
                        Id::Empty => (String::new(), String::new()),
                        Id::Name => (name.to_owned(), name.to_owned()),
                        Id::Half => (unique, String::new()),
                    };
                    (call, answer, name, named)
                })
                .collect();
            let named: Vec<(&str, &str)> = ids.iter().map(|(id, _, name, _)| (id.as_str(), *name)).collect();
            all.push(asks(&named));
            let output = "0123456789 ".repeat(length);
            let parts: Vec<P> = ids
                .iter()
                .map(|(_, id, name, named)| P::Named {
                    id: id.clone(),
                    name: if *named { (*name).to_owned() } else { String::new() },
                    output: format!("{turn} {output}"),
                })
                .collect();
            if apart {
                all.extend(parts.into_iter().map(|part| M { role: Role::Tool, parts: vec![part] }));
            } else {
                all.push(M { role: Role::User, parts });
            }
            if says {
                all.push(assistant(&format!("answer {turn}")));
                all.push(user(&format!("request {turn}")));
            }
        }
        all.push(user("end"));
        all
    })
}

/// The messages of a view with calls, each with the results that follow it.
fn counts(view: &[M]) -> Vec<(usize, usize)> {
    let count = |message: &M, of: fn(&P) -> bool| message.parts.iter().filter(|part| of(part)).count();
    let mut all: Vec<(usize, usize)> = Vec::new();
    for message in view {
        let calls = count(message, |part| matches!(part, P::Call { .. }));
        let results = count(message, |part| matches!(part, P::Result { .. } | P::Named { .. }));
        if calls > 0 {
            all.push((calls, 0));
        }
        if results > 0 {
            all.last_mut().expect("a result follows its call").1 += results;
        }
    }
    all
}

proptest! {
    #[test]
    fn a_complete_history_comes_back_as_it_is_whatever_its_ids_are(history in complete()) {
        prop_assert_eq!(rules(&history), []);
        prop_assert_eq!(small_chat(4_000_000).before_model(&history, None).unwrap().view, history);
    }

    #[test]
    fn calls_and_results_stay_together_in_small_windows(history in complete(), window in 800..6_000_u64) {
        let mut chat = small_chat(window);
        for end in 1..=history.len() {
            let seen = &history[..end];
            let prepared = chat.before_model(seen, None).unwrap();
            prop_assert_eq!(added(&prepared.view, seen), Vec::<String>::new());
            prop_assert!(!says(&prepared.view, "No result of this call was recorded"));
            prop_assert!(!says(&prepared.view, "that is not in this history"));
            if end == history.len() {
                for (calls, results) in counts(&prepared.view) {
                    prop_assert_eq!(calls, results);
                }
            }
        }
    }
}
