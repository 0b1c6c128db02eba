//! The strategy `last-tool-batch` keeps the system prompt, a summary, the current request and the last batch of calls.

use crate::support::Chat;
use crate::support::M;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::recorded;
use crate::support::result;
use crate::support::says;
use crate::support::system;
use crate::support::user;
use crate::support::words;
use precis::session::compaction::Kind;
use serde_json::json;

fn chat() -> Chat {
    Chat::new(json!({
        "contextWindow": 4_000, "maxOutputTokens": 300, "summarize": true, "summarizer": { "contextWindow": 32_000 },
        "tune": { "strategy": "last-tool-batch", "tokens": { "estimator": "bytes4" } }
    }))
}

fn batch(number: usize, bytes: usize) -> Vec<M> {
    let ids: Vec<String> = (0..3).map(|call| format!("b{number}.{call}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut out = vec![calls(&names)];
    out.extend(ids.iter().map(|id| result(id, &format!("result {id} {}", filler(bytes)))));
    out
}

/// Earlier turns with their own calls, a request, and `batches` batches for it.
fn history(batches: usize) -> Vec<M> {
    let mut out = vec![system("Be brief.")];
    for turn in 0..6 {
        out.extend([user(&format!("earlier {turn}")), assistant(&format!("reply {turn} {}", filler(900)))]);
    }
    out.extend(batch(90, 40));
    out.push(assistant("done with that"));
    out.push(user("the current request"));
    for number in 0..batches {
        out.push(assistant(&format!("thinking about step {number}")));
        out.extend(batch(number, 60));
    }
    out
}

#[test]
fn the_view_is_system_summary_request_and_the_last_batch() {
    let mut chat = chat();
    let history = history(3);
    let prepared = chat.before_model(&history, Some(&mut |_| answer("What happened."))).unwrap();
    let view = &prepared.view;
    assert_eq!(view.len(), 3 + 4, "{view:#?}");
    assert_eq!(view[0], history[0]);
    assert!(words(&view[1]).contains("What happened."));
    assert_eq!(view[2], user("the current request"));
    assert_eq!(view[3..], history[history.len() - 4..]);
    assert_eq!(added(view, &history), Vec::<String>::new());
}

#[test]
fn without_a_batch_the_newest_group_stays_and_a_batch_of_history_is_summarized() {
    let mut chat = chat();
    let history = history(0);
    let prepared = chat.before_model(&history, Some(&mut |_| answer("What happened."))).unwrap();
    assert_eq!(prepared.view.len(), 3, "{:#?}", prepared.view);
    assert_eq!(prepared.view[2], user("the current request"));
    let mut answered = history.clone();
    answered.extend([assistant("an answer in between"), user("ok, and now?")]);
    let mut later = crate::last_tool_batch::chat();
    let prepared = later.before_model(&answered, Some(&mut |_| answer("What happened."))).unwrap();
    assert_eq!(prepared.view[2..], [user("ok, and now?")]);
}

#[test]
fn covered_messages_are_recognized_and_coverage_grows() {
    let mut chat = chat();
    let mut messages = history(3);
    let mut asked = Vec::new();
    let first =
        chat.before_model(&messages, Some(&mut recorded(&mut asked, |_| answer("The first summary.")))).unwrap();
    let covered = chat.session().checkpoints[0].covers.count;
    messages.push(assistant("one more step"));
    let again = chat.before_model(&messages, None).unwrap();
    assert_eq!(again.view[..first.view.len()], first.view, "nothing covered comes back");
    for number in 10..14 {
        messages.push(assistant(&filler(1_500)));
        messages.extend(batch(number, 60));
    }
    let second =
        chat.before_model(&messages, Some(&mut recorded(&mut asked, |_| answer("The second summary.")))).unwrap();
    let session = chat.session();
    assert!(session.checkpoints.last().unwrap().covers.count > covered);
    assert_eq!(session.checkpoints.last().unwrap().kind, Kind::Summary);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].prompt.matches("The first summary.").count(), 1, "{}", asked[1].prompt);
    assert!(!asked[1].prompt.contains("earlier 0"), "what was summarized is not told again");
    assert!(asked[1].prompt.contains("result b10.0") && !asked[1].prompt.contains("result b13.0"));
    assert!(says(&second.view, "the current request") && says(&second.view, "result b13.2"));
    assert_eq!(added(&second.view, &messages), Vec::<String>::new());
}

#[test]
fn a_failing_summarizer_and_few_messages_lose_nothing() {
    let mut chat = chat();
    let history = history(3);
    let prepared = chat
        .before_model(&history, Some(&mut |_| precis::summary::verify::Answer::Failed("It is down.".into())))
        .unwrap();
    assert_eq!(prepared.view.len(), 7);
    assert!(says(&prepared.view, "earlier 5"), "the digest quotes what was asked");
    for few in [vec![], vec![user("hello")], vec![system("Be brief."), user("hello")]] {
        let mut chat = self::chat();
        chat.more = json!({ "compact": true });
        assert_eq!(chat.before_model(&few, None).unwrap().view, few);
    }
}
