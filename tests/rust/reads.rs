//! How often a past is read that takes a summarizer several rounds.

use crate::support::{Chat, M, TestHost, assistant, json as plain, user};
use precis::engine::{self, Begun, waiting::Waiting};
use serde_json::json;

#[test]
fn a_past_in_pieces_is_read_to_plan_once_a_round_and_to_be_covered() {
    let message = |at: usize| match at % 2 {
        0 => user(&format!("What about part {at} of the plan, and who does it?")),
        _ => assistant(&format!("Part {at} is done, and nothing is left of it.")),
    };
    let history: Vec<M> = (0..4_000).map(message).chain([user("And now?")]).collect();
    let options =
        json!({ "contextWindow": 16_000, "maxOutputTokens": 500, "summarize": true, "summarizer": { "maxCalls": 64 } });
    let chat = Chat::new(options);
    let mut call = chat.call(&history).unwrap();
    call.asking = true;
    let mut host = TestHost::new(&history, &chat.estimator());
    let Begun::Waits { plan, .. } = engine::begin(&call, &mut host).unwrap() else { panic!("nothing is asked") };
    let covered = host.read;
    assert!(covered > 3_000, "the past is read to plan: {covered}");
    let mut waiting = Waiting::new(call, *plan);
    let notes =
        json!({ "text": "- notes of what was done, with part 17 and part 19 as the last of it", "finish": "stop" });
    let mut rounds = 0;
    loop {
        let count = waiting.requests(&mut host).unwrap().count();
        assert!(count > 0);
        rounds += 1;
        assert!(host.read <= covered * (rounds + 1), "round {rounds}: {} messages were read", host.read);
        if waiting.commit(&plain(&json!(vec![notes.clone(); count])), &mut host).unwrap().next.is_none() {
            break;
        }
    }
    assert!(rounds > 1);
    assert!(host.read <= covered * (rounds + 2), "{} messages were read in {rounds} rounds", host.read);
}
