//! Pins come with every call: what is no longer pinned stays until the next compaction, which covers it.

use crate::support::tail_chat;
use crate::support::{Chat, M, P, Summarizer, added, answer, assistant, calls, filler, result, says, user, words};
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

const RULES: &str = "House rules: answer in Danish, and never promise a date.";
const PINNED: usize = 6;

fn history(turns: usize) -> Vec<M> {
    let turn = |n: usize| [user(&format!("Question {n}: {}", filler(500))), assistant(&filler(500))];
    let mut all: Vec<M> = (0..turns).flat_map(turn).collect();
    all.insert(PINNED, user(RULES));
    all
}

fn chat() -> Chat {
    Chat::new(json!({ "contextWindow": 6_000, "maxOutputTokens": 500, "summarize": true }))
}

/// The view of a call, and what the summarizer was asked.
fn sent(chat: &mut Chat, history: &[M], by_model: bool) -> (Vec<M>, String) {
    let mut asked = String::new();
    let mut hear = |request: &Request| -> Answer {
        asked.push_str(&request.prompt);
        answer("- The questions were answered.")
    };
    let summarize: Option<Summarizer<'_>> = by_model.then_some(&mut hear);
    let view = chat.before_model(history, summarize).unwrap().view;
    (view, asked)
}

fn place(view: &[M]) -> Option<usize> {
    view.iter().position(|message| words(message) == RULES)
}

/// A chat whose past was covered around a pinned message, its view, and no pin any more.
fn no_longer_pinned(by_model: bool) -> (Chat, Vec<M>) {
    let mut chat = chat();
    chat.pinned = vec![PINNED];
    let (view, asked) = sent(&mut chat, &history(30), by_model);
    assert!(place(&view).is_some() && !asked.contains(RULES));
    chat.pinned.clear();
    (chat, view)
}

#[test]
fn what_is_no_longer_pinned_stays_until_the_next_compaction_covers_it() {
    for by_model in [true, false] {
        let (mut chat, view) = no_longer_pinned(by_model);
        // Nothing changes at once: a request that begins like the one before it is read from the prompt cache.
        let (next, asked) = sent(&mut chat, &history(31), by_model);
        assert_eq!(next[..view.len()], view[..], "{by_model}");
        assert_eq!(asked, "");
        let (later, asked) = sent(&mut chat, &history(60), by_model);
        assert_eq!(place(&later), None, "{by_model}");
        // What it said is covered like the rest, not lost.
        assert!(if by_model { asked.contains(RULES) } else { says(&later, "never promise a date") }, "{asked}");
        assert!(chat.session().checkpoints.last().unwrap().stays.head.is_empty());
    }
}

#[test]
fn what_is_pinned_again_before_the_next_compaction_stays_where_it_was() {
    for by_model in [true, false] {
        let (mut chat, view) = no_longer_pinned(by_model);
        sent(&mut chat, &history(31), by_model);
        chat.pinned = vec![PINNED];
        let (later, _) = sent(&mut chat, &history(60), by_model);
        assert_eq!(place(&later), place(&view), "{by_model}");
    }
}

#[test]
fn what_is_pinned_although_it_is_covered_comes_back() {
    for by_model in [true, false] {
        let mut chat = chat();
        let (view, _) = sent(&mut chat, &history(30), by_model);
        assert_eq!(place(&view), None);
        chat.pinned = vec![PINNED];
        let (next, _) = sent(&mut chat, &history(31), by_model);
        let (later, _) = sent(&mut chat, &history(60), by_model);
        assert!(place(&later).is_some(), "{by_model}: at once {:?}", place(&next));
    }
}

/// A group that is held by another option as well as by a pin stands before the summary, and nowhere else.
#[test]
fn what_is_pinned_and_kept_stands_once() {
    for keep in [json!({ "results": 3 }), json!({ "messages": 2 })] {
        let mut chat = Chat::new(json!({ "contextWindow": 4_000, "maxOutputTokens": 500, "keep": keep,
            "toolPolicy": { "tool": { "keep": 3 } } }));
        let mut history = vec![user("Look everything up.")];
        for step in 0..40 {
            let ids = [format!("a{step}"), format!("b{step}")];
            history.push(calls(&[&ids[0], &ids[1]]));
            history.extend(ids.iter().map(|id| result(id, &format!("{id}: {}", filler(200)))));
            // A result, and so the group that it is in.
            chat.pinned = (0..history.len()).filter(|at| at % 50 == 3 || at + 4 == history.len()).collect();
            let prepared = chat.before_model(&history, None).unwrap();
            for message in history.iter().filter(|message| !matches!(message.parts[0], P::Text(_))) {
                let times = prepared.view.iter().filter(|sent| *sent == message).count();
                assert!(times <= 1, "step {step}: {times} times {message:?}");
            }
            assert_eq!(added(&prepared.view, &history), Vec::<String>::new(), "step {step}");
        }
    }
}

#[test]
fn pinned_messages_stay_whole_even_if_nothing_fits() {
    let mut chat = tail_chat();
    chat.pinned = vec![1];
    let history = [user("Write it."), assistant(&filler(60_000)), user("And now?"), assistant("Done."), user("Good.")];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.outcome.as_str(), "infeasible");
    assert!(prepared.view.contains(&history[1]), "a pinned message was cut");
}
