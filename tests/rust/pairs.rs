//! Groups, legal cuts, the validity checker, and how pairs are repaired.

use crate::support::M;
use crate::support::P;
use crate::support::added;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::recorded;
use crate::support::records;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chats;
use crate::support::system;
use crate::support::tool_turns;
use crate::support::user;
use crate::support::words;
use precis::ingest::pairs::{Cuts, check};
use precis::model::message::{MessageRecord, Role};
use proptest::prelude::*;
use serde_json::json;

fn cuts(messages: &[M]) -> Cuts {
    Cuts::of(&MessageRecord::split(&records(messages, "bytes4")).unwrap())
}

fn legal(messages: &[M]) -> Vec<usize> {
    let cuts = cuts(messages);
    (0..=messages.len()).filter(|&index| cuts.is_legal(index)).collect()
}

fn rules(messages: &[M]) -> Vec<(&'static str, usize)> {
    let records = records(messages, "bytes4");
    check(&MessageRecord::split(&records).unwrap()).iter().map(|found| (found.rule.as_str(), found.index)).collect()
}

/// A user message with results, as in Anthropic's API.
fn results(ids: &[&str]) -> M {
    let part = |id: &&str| P::Result { id: (*id).into(), output: "out".into(), failed: false };
    M { role: Role::User, parts: ids.iter().map(part).collect() }
}

fn reasoning(signed: bool) -> M {
    M { role: Role::Assistant, parts: vec![P::Reasoning { text: "hm".into(), signed }] }
}

#[test]
fn a_call_and_its_results_are_one_group() {
    let messages = [user("q"), calls(&["a", "b"]), result("a", "1"), result("b", "2"), assistant("done"), user("next")];
    assert_eq!(legal(&messages), [0, 1, 4, 5, 6]);
    let cuts = cuts(&messages);
    assert_eq!((cuts.start_of(3), cuts.end_of(2)), (1, 4));
    assert_eq!((cuts.at_or_before(3), cuts.at_or_after(2)), (1, Some(4)));
    assert_eq!(cuts.newest(), 5);
    assert_eq!(cuts.pending, None);
    assert_eq!(rules(&messages), []);
}

#[test]
fn parallel_calls_answered_in_pieces_and_out_of_order_stay_together() {
    let messages =
        [user("q"), calls(&["a", "b", "c"]), result("c", "3"), results(&["a"]), result("b", "2"), assistant("k")];
    assert_eq!(legal(&messages), [0, 1, 5, 6]);
    assert_eq!(rules(&messages), []);
}

#[test]
fn calls_that_come_as_several_messages_are_one_batch() {
    let messages = [user("q"), calls(&["a"]), calls(&["b"]), result("a", "1"), result("b", "2"), assistant("k")];
    assert_eq!(legal(&messages), [0, 1, 5, 6]);
    assert_eq!(rules(&messages), []);
}

#[test]
fn ids_may_come_again_in_every_turn() {
    let turn = || [user("q"), calls(&["call_0"]), result("call_0", "1"), assistant("k")];
    let messages: Vec<M> = (0..3).flat_map(|_| turn()).collect();
    assert_eq!(legal(&messages), [0, 1, 3, 4, 5, 7, 8, 9, 11, 12]);
    assert_eq!(rules(&messages), []);
}

#[test]
fn reasoning_stays_with_the_item_after_it() {
    let messages = [user("q"), reasoning(true), calls(&["a"]), result("a", "1"), reasoning(false), assistant("k")];
    assert_eq!(legal(&messages), [0, 1, 4, 6]);
}

#[test]
fn reasoning_stays_with_every_item_of_its_reply() {
    let reply = |thinks: bool| {
        let items = [assistant("first"), calls(&["a"]), calls(&["b"]), assistant("then")];
        thinks.then(|| reasoning(true)).into_iter().chain(items)
    };
    let outputs = [result("a", "1"), result("b", "2")];
    let messages: Vec<M> = [user("q")].into_iter().chain(reply(true)).chain(outputs.clone()).collect();
    assert_eq!(legal(&messages), [0, 1, 8]);
    assert_eq!(rules(&messages), [], "outputs may come behind what the reply says after its calls");
    // Messages that nobody thought about are no reply in items.
    let messages: Vec<M> = [user("q")].into_iter().chain(reply(false)).chain(outputs).collect();
    assert_eq!(legal(&messages), [0, 1, 2, 7]);
    // Outputs end a reply.
    let turn = [reasoning(true), calls(&["a"]), result("a", "1")];
    let long: Vec<M> = turn.iter().cycle().take(300).cloned().collect();
    assert_eq!(legal(&long), (0..=300).step_by(3).collect::<Vec<_>>());
}

#[test]
fn pending_calls_come_last_and_are_not_cut() {
    let messages = [user("q"), assistant("a"), user("go"), calls(&["a", "b"]), result("a", "1")];
    assert_eq!(legal(&messages), [0, 1, 2, 3]);
    assert_eq!(cuts(&messages).pending, Some(3));
    assert_eq!(rules(&messages), []);
}

#[test]
fn unanswered_calls_before_a_newer_message_do_not_wait() {
    let messages = [user("q"), calls(&["a"]), user("never mind"), assistant("ok")];
    assert_eq!(cuts(&messages).pending, None);
    assert_eq!(legal(&messages), [0, 1, 2, 3, 4]);
}

#[test]
fn a_result_without_its_call_stays_with_the_message_before_it() {
    assert_eq!(legal(&[user("q"), result("lost", "1"), user("next")]), [0, 2, 3]);
    assert_eq!(legal(&[user("q"), results(&["lost"]), user("next")]), [0, 2, 3]);
}

/// A message in which the provider itself ran the call.
fn executed(id: &str) -> M {
    let result = P::Result { id: id.into(), output: "out".into(), failed: false };
    M { role: Role::Assistant, parts: [calls(&[id]).parts, vec![result, P::Text("So.".into())]].concat() }
}

#[test]
fn a_call_answered_in_its_own_message_binds_no_other_message() {
    assert_eq!(legal(&[user("?"), executed("a"), executed("b"), executed("a")]), [0, 1, 2, 3, 4]);
    // A result in a later assistant message stays with its call.
    let late = M { role: Role::Assistant, parts: vec![P::Result { id: "a".into(), output: 1.into(), failed: false }] };
    assert_eq!(legal(&[user("?"), calls(&["a"]), executed("b"), late.clone(), assistant("!")]), [0, 1, 4, 5]);
    assert_eq!(legal(&[user("?"), late]), [0, 1, 2], "an orphan");
    // A call without a result does not join the groups that follow it.
    assert_eq!(legal(&[user("?"), calls(&["a"]), executed("b"), executed("c")]), [0, 1, 2, 3, 4]);
}

#[test]
fn no_messages_have_one_cut() {
    assert_eq!(legal(&[]), [0]);
    assert_eq!(cuts(&[]).newest(), 0);
    assert_eq!(rules(&[]), []);
}

#[test]
fn the_checker_finds_each_rule() {
    assert_eq!(rules(&[user("q"), result("a", "1")]), [("orphan-result", 1)]);
    assert_eq!(rules(&[result("a", "1"), user("q")]), [("orphan-result", 0)]);
    assert_eq!(rules(&[calls(&["a"]), user("q")]), [("unanswered-call", 0)]);
    assert_eq!(rules(&[calls(&["a", "b"]), result("a", "1"), user("q")]), [("unanswered-call", 0)]);
    assert_eq!(
        rules(&[calls(&["a"]), assistant("text"), result("a", "1")]),
        [("unanswered-call", 0), ("orphan-result", 2)]
    );
    assert_eq!(
        rules(&[calls(&["a"]), system("note"), result("a", "1")]),
        [("unanswered-call", 0), ("orphan-result", 2)]
    );
    assert_eq!(rules(&[calls(&["a", "a"]), result("a", "1")]), [("duplicate-id", 0)]);
    assert_eq!(rules(&[calls(&["a"]), result("a", "1"), result("a", "2")]), [("duplicate-result", 2)]);
    assert_eq!(rules(&[user("")]), [("empty-content", 0)]);
    assert_eq!(rules(&[M { role: Role::Assistant, parts: Vec::new() }]), [("empty-content", 0)]);
    assert_eq!(rules(&[calls(&["a"])]), [], "a call may wait at the end");
}

#[test]
fn only_what_a_view_adds_is_blamed_on_it() {
    let history = [user("q"), result("gone", "1"), calls(&["a"]), result("a", "1"), user("next")];
    assert_eq!(added(&history, &history), Vec::<String>::new());
    assert_eq!(added(&history[1..], &history), Vec::<String>::new());
    assert_eq!(added(&history[3..], &history), ["orphan-result at 0"]);
    assert_eq!(added(&[history[2].clone(), history[4].clone()], &history), ["unanswered-call at 0"]);
    let twice = [history[1].clone(), history[1].clone()];
    assert_eq!(
        added(&twice, &history),
        ["orphan-result at 1"],
        "each violation of the history excuses one of the view"
    );
}

/// Messages of every kind in any order. The ids are from a small set, so they collide.
fn any_messages() -> impl Strategy<Value = Vec<M>> {
    let id = || prop_oneof![Just("a"), Just("b"), Just("c")];
    let message = prop_oneof![
        Just(user("u")),
        Just(assistant("a")),
        Just(system("s")),
        Just(reasoning(true)),
        prop::collection::vec(id(), 1..4).prop_map(|ids| calls(&ids)),
        id().prop_map(|id| result(id, "out")),
        prop::collection::vec(id(), 1..3).prop_map(|ids| results(&ids)),
        id().prop_map(|id| call(id, "other", json!({ "x": [1] }))),
    ];
    prop::collection::vec(message, 0..14)
}

#[test]
fn a_result_waits_for_a_later_call_only_if_no_other_result_does() {
    let mut chat = small_chat(4_000);
    let mut history = vec![
        user("0?"),
        result("call_5", "first"),
        result("call_5", "second"),
        calls(&["call_5"]),
        user("1?"),
        calls(&["call_0"]),
    ];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(added(&prepared.view, &[]), Vec::<String>::new());
    assert_eq!(prepared.view.last(), history.last());
    assert!(says(&prepared.view, "second"));
    // Two calls of the same id take one result each.
    history.insert(5, calls(&["call_5"]));
    history.insert(6, user("2?"));
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(added(&prepared.view, &[]), Vec::<String>::new());
    let answered = |view: &[M]| view.iter().filter(|message| message.role == Role::Tool).count();
    assert_eq!(answered(&prepared.view), 2);
}

/// A chat in items, and the number of the reply that each belongs to. Tools answer at the end of a reply.
fn replies() -> impl Strategy<Value = Vec<(M, Option<usize>)>> {
    let item = prop_oneof![Just(true), Just(false)];
    let reply = (any::<bool>(), prop::collection::vec(item, 1..5), any::<bool>());
    prop::collection::vec(reply, 1..8).prop_map(|replies| {
        let mut chat = vec![(user("q"), None)];
        for (number, (thinks, items, asked)) in replies.into_iter().enumerate() {
            let id = |at: usize| format!("{number}-{at}");
            let thought = thinks.then(|| reasoning(true)).into_iter();
            let called = |at: usize, calls_tool: bool| if calls_tool { calls(&[&id(at)]) } else { assistant("k") };
            let said = items.iter().enumerate().map(|(at, &calls_tool)| called(at, calls_tool));
            chat.extend(thought.chain(said).map(|message| (message, thinks.then_some(number))));
            let answered = items.iter().enumerate().filter(|(_, calls_tool)| **calls_tool);
            let before = chat.len();
            chat.extend(answered.map(|(at, _)| (result(&id(at), "out"), None)));
            if asked || chat.len() == before {
                chat.push((user("go"), None));
            }
        }
        chat
    })
}

proptest! {
    #[test]
    fn no_cut_goes_through_a_reply_in_items(chat in replies()) {
        let messages: Vec<M> = chat.iter().map(|(message, _)| message.clone()).collect();
        let cuts = cuts(&messages);
        for at in 1..messages.len() {
            let (before, after) = (&chat[at - 1], &chat[at]);
            prop_assert!(!cuts.is_legal(at) || before.1.is_none() || before.1 != after.1, "at {}", at);
            // What comes after a person or a tool is another group, so groups stay small.
            let is_next = before.0.role != Role::Assistant && after.0.role != Role::Tool;
            prop_assert!(cuts.is_legal(at) || !is_next, "at {}", at);
        }
    }

    #[test]
    fn a_legal_cut_breaks_nothing_on_either_side(messages in any_messages(), at in any::<prop::sample::Index>()) {
        let legal = legal(&messages);
        if !legal.is_empty() {
            let cut = legal[at.index(legal.len())];
            prop_assert_eq!(added(&messages[cut..], &messages), Vec::<String>::new(), "from {}", cut);
            prop_assert_eq!(added(&messages[..cut], &messages), Vec::<String>::new(), "up to {}", cut);
        }
    }

    #[test]
    fn starts_and_ends_of_groups_are_legal_cuts(messages in any_messages()) {
        let cuts = cuts(&messages);
        for index in 0..messages.len() {
            let (start, end) = (cuts.start_of(index), cuts.end_of(index));
            prop_assert!(start <= index && index < end && end <= messages.len());
            prop_assert!(cuts.is_legal(start));
            prop_assert!(cuts.is_legal(end) || cuts.pending == Some(start));
            prop_assert!((start + 1..end).all(|inner| !cuts.is_legal(inner)));
        }
        prop_assert!(cuts.is_legal(0), "nothing comes before the first message");
    }

    #[test]
    fn a_run_checked_against_itself_adds_nothing(messages in any_messages()) {
        prop_assert_eq!(added(&messages, &messages), Vec::<String>::new());
    }
}

/// F04 of docs/guarantees.md.
#[test]
fn calls_pending_parallel_partial_or_answered_by_the_provider_are_never_split() {
    let provider = M {
        role: Role::Assistant,
        parts: vec![
            P::Text("I search.".into()),
            P::Call { id: "web".into(), name: "web_search".into(), input: json!({ "q": "x" }) },
            P::Result { id: "web".into(), output: filler(600).into(), failed: false },
            P::Text("Found it.".into()),
        ],
    };
    let block = |number: usize| {
        let ids = [format!("a{number}"), format!("b{number}"), format!("c{number}")];
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        vec![
            user(&format!("question {number}")),
            calls(&ids),
            result(ids[2], &filler(700)),
            result(ids[0], &filler(700)),
            result(ids[1], &filler(700)),
            provider.clone(),
            assistant("done"),
        ]
    };
    let history: Vec<M> = (0..8).flat_map(block).collect();
    let mut chat = small_chat(4_000);
    for end in 1..=history.len() {
        let part = &history[..end];
        let mut asked = Vec::new();
        let prepared = chat.before_model(part, Some(&mut recorded(&mut asked, good_summary))).unwrap();
        assert_eq!(added(&prepared.view, part), Vec::<String>::new(), "up to {end}");
        assert_eq!(words(prepared.view.last().unwrap()).get(..4), words(&part[end - 1]).get(..4), "up to {end}");
    }
    assert!(!chat.session().checkpoints.is_empty());
}

/// F05 of docs/guarantees.md.
#[test]
fn a_reasoning_item_stays_with_the_call_after_it() {
    let block = |number: usize| {
        let id = format!("fc_{number}");
        vec![
            user(&format!("question {number}")),
            M { role: Role::Assistant, parts: vec![P::Reasoning { text: filler(80), signed: true }] },
            calls(&[&id]),
            result(&id, &filler(900)),
            M { role: Role::Assistant, parts: vec![P::Reasoning { text: filler(80), signed: true }] },
            assistant("done"),
        ]
    };
    let history: Vec<M> = (0..12).flat_map(block).collect();
    let mut chat = small_chat(4_000);
    for end in 1..=history.len() {
        let part = &history[..end];
        let prepared = chat.before_model(part, None).unwrap();
        assert_eq!(added(&prepared.view, part), Vec::<String>::new(), "up to {end}");
        for (at, message) in prepared.view.iter().enumerate() {
            let bare = message.parts.iter().all(|part| matches!(part, P::Reasoning { .. }));
            if bare && at + 1 < prepared.view.len() {
                let source = part.windows(2).find(|pair| &pair[0] == message).unwrap();
                assert_eq!(prepared.view[at + 1].parts.len(), source[1].parts.len(), "up to {end}: its item follows");
                assert_eq!(prepared.view[at + 1].role, Role::Assistant, "up to {end}");
            }
        }
    }
    assert!(!chat.session().checkpoints.is_empty());
}

/// B3 of the original preset.
#[test]
fn a_call_that_waits_at_compaction_gets_its_result_later() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(12, 1_500);
        history.push(user("Deploy it."));
        history.push(calls(&["deploy", "notify"]));
        history.push(result("notify", "sent"));
        send_checked(&mut chat, &history, Some(&mut good_summary));
        assert!(!chat.session().checkpoints.is_empty(), "{strategy}");
        history.push(result("deploy", "confirmed by a person"));
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        assert!(prepared.view.ends_with(&history[history.len() - 3..]), "{strategy}");
        history.push(assistant("Deployed."));
        history.push(user("Thanks."));
        send_checked(&mut chat, &history, Some(&mut good_summary));
    }
}

/// X05 of docs/guarantees.md.
#[test]
fn no_result_is_made_up_for_a_call_that_nobody_answered() {
    let mut history = tool_turns(3, 300);
    history.extend([user("Deploy."), calls(&["dead"]), user("Never mind.")]);
    history.extend(tool_turns(8, 900));
    let prepared = small_chat(4_000).before_model(&history, None).unwrap();
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
    let made = |part: &P| matches!(part, P::Result { id, .. } if id == "dead");
    assert!(!prepared.view.iter().any(|message| message.parts.iter().any(made)));
}

/// D18 of docs/guarantees.md.
#[test]
fn two_user_messages_before_a_call_keep_the_pair_whole() {
    let block = |number: usize| {
        let id = format!("c{number}");
        [
            user(&format!("context {number} {}", filler(400))),
            user(&format!("question {number}")),
            calls(&[&id]),
            result(&id, &filler(600)),
        ]
    };
    let history: Vec<M> = (0..12).flat_map(block).collect();
    let mut chat = small_chat(4_000);
    for end in 1..=history.len() {
        let prepared = chat.before_model(&history[..end], None).unwrap();
        assert_eq!(added(&prepared.view, &history[..end]), Vec::<String>::new(), "up to {end}");
    }
}

/// D24 of docs/guarantees.md.
#[test]
fn a_result_two_messages_later_is_seen_as_out_of_place() {
    let history = [user("q"), calls(&["a"]), user("wait"), result("a", "late")];
    let rules: Vec<String> = added(&history, &[]);
    assert!(rules.iter().any(|rule| rule.starts_with("unanswered-call")), "{rules:?}");
    assert!(rules.iter().any(|rule| rule.starts_with("orphan-result")), "{rules:?}");
}
