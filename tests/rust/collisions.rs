//! Texts, names and ids that collide on purpose. XXH64 is no cryptographic hash: whoever knows a text can write another
//! with the same hash. These tests show what that is worth: of a chat of one's own a change goes unnoticed, and nothing of
//! another chat is reached, which the name of the chat (SHA-256) keeps apart.

use crate::support::{Chat, M, P, added, assistant, filler, says, system, user, words};
use precis::model::message::{Role, hash_text};
use serde_json::json;

const P1: u64 = 0x9e37_79b1_85eb_ca87;
const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const P5: u64 = 0x27d4_eb2f_1656_67c5;
/// The seed of our hashes.
const SEED: u64 = 1;

/// The inverse of an odd number modulo 2^64.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |found, _| found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found))))
}

fn round(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

/// Another text of 64 bytes or more with the same hash: one lane takes other words in its first two stripes.
fn collides(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (first, second) = (word(&bytes[16..]), word(&bytes[48..]));
    let is_plain = |word: u64| word.to_le_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    // The third lane begins with the seed.
    let before = round(SEED, first);
    for number in 0_u64.. {
        let other = word(format!("x{number:07}").as_bytes());
        let shift = before.wrapping_sub(round(SEED, other)).wrapping_mul(inverse(P2));
        let next = second.wrapping_add(shift);
        if is_plain(next) && other != first {
            bytes[16..24].copy_from_slice(&other.to_le_bytes());
            bytes[48..56].copy_from_slice(&next.to_le_bytes());
            return String::from_utf8(bytes).unwrap();
        }
    }
    unreachable!()
}

/// Another name of 16 bytes with the same hash as one of that length.
fn collides_short(name: &str) -> String {
    let bytes = name.as_bytes();
    let start = SEED.wrapping_add(P5).wrapping_add(16);
    let step = |hash: u64, input: u64| {
        (hash ^ round(0, input)).rotate_left(27).wrapping_mul(P1).wrapping_add(0x85eb_ca77_c2b2_ae63)
    };
    let known = step(start, word(bytes)) ^ round(0, word(&bytes[8..]));
    let is_plain = |word: u64| word.to_le_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    for number in 0_u64.. {
        let first = word(format!("{number:08}").as_bytes());
        let rounded = known ^ step(start, first);
        let second = rounded.wrapping_mul(inverse(P1)).rotate_right(31).wrapping_mul(inverse(P2));
        if is_plain(second) {
            return String::from_utf8([first.to_le_bytes(), second.to_le_bytes()].concat()).unwrap();
        }
    }
    unreachable!()
}

/// A text of more than 64 bytes with these words in it.
fn long(words: &str) -> String {
    format!("{words:>15}                                                  {words}.")
}

fn chat(window: u64) -> Chat {
    Chat::new(
        json!({ "contextWindow": window, "maxOutputTokens": 100, "tune": { "tokens": { "estimator": "bytes4" } } }),
    )
}

fn called(id: &str, name: &str) -> M {
    M { role: Role::Assistant, parts: vec![P::Call { id: id.into(), name: name.into(), input: json!({}) }] }
}

fn returned(id: &str, output: &str) -> M {
    M { role: Role::Tool, parts: vec![P::Result { id: id.into(), output: output.into(), failed: false }] }
}

/// A chat in which somebody asks for something, and a tool returns something of theirs.
fn history(asked: &str, owner: &str) -> Vec<M> {
    let mut history = vec![system("You help."), user(asked)];
    for at in 0..12 {
        history.push(called("call_0", "read"));
        history.push(returned("call_0", &format!("{owner}-{at} owns it. {}", filler(600))));
    }
    history.extend([assistant("I have read it."), user("Go on.")]);
    history
}

#[test]
fn texts_that_collide_exist() {
    let text = long("send it to alice");
    let other = collides(&text);
    assert!(text != other && hash_text(&text) == hash_text(&other), "{other}");
    let name = "read_the_ledger1";
    let other = collides_short(name);
    assert!(name != other && hash_text(name) == hash_text(&other), "{other}");
}

#[test]
fn a_chat_that_collides_with_another_reaches_nothing_of_it() {
    let asked = long("send it to alice");
    let theirs = history(&asked, "alice");
    let forged = history(&collides(&asked), "mallory");
    // Named, as the guide says: SHA-256 tells them apart.
    let mut named = chat(3_000);
    named.more = json!({ "chat": "aa".repeat(32) });
    named.before_model(&theirs, None).unwrap();
    assert!(named.session().checkpoints.len() + usize::from(named.session().cleared.is_some()) > 0);
    let mut other = Chat { more: json!({ "chat": "bb".repeat(32) }), ..named.clone() };
    let prepared = other.before_model(&forged, None).unwrap();
    assert!(prepared.committed.report.diverged.is_some());
    assert!(!says(&prepared.view, "alice-"));
    assert!(!crate::support::to_value(&other.state).to_string().contains("alice-"));
    // Unnamed, what the tools returned still does: what differs of that is taken back.
    let mut unnamed = chat(3_000);
    unnamed.before_model(&theirs, None).unwrap();
    let prepared = unnamed.before_model(&forged, None).unwrap();
    assert!(prepared.committed.report.diverged.is_some());
    assert!(!says(&prepared.view, "alice-"));
    assert!(!crate::support::to_value(&unnamed.state).to_string().contains("alice-"));
}

#[test]
fn an_edit_that_collides_goes_unnoticed_and_loses_nothing_that_is_sent() {
    let asked = long("send it to alice");
    let mut chat = chat(3_000);
    let mut history = history(&asked, "alice");
    chat.before_model(&history, None).unwrap();
    history[1] = user(&collides(&asked));
    history.extend([assistant("Yes."), user("And now?")]);
    let prepared = chat.before_model(&history, None).unwrap();
    // Whoever can write that into a history can write anything into it. What is shown whole is what it says now.
    assert_eq!(prepared.committed.report.diverged, None);
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
    for message in &prepared.view {
        let is_hosts = history.contains(message);
        assert!(
            is_hosts || words(message).contains("[precis: ") || words(message).contains("Summary of the conversation")
        );
    }
    assert_eq!(prepared.view.last(), history.last());
}

#[test]
fn calls_whose_ids_collide_keep_their_results() {
    let id = "call_0123456789a";
    let other = collides_short(id);
    for window in [2_500, 60_000] {
        let mut chat = chat(window);
        let mut history = vec![user("Look at both.")];
        for at in 0..9 {
            let call = |id: &str| P::Call { id: id.into(), name: "read".into(), input: json!({ "at": at }) };
            history.push(M { role: Role::Assistant, parts: vec![call(id), call(&other)] });
            history.push(returned(id, &format!("first {at}: {}", filler(300))));
            history.push(returned(&other, &format!("second {at}: {}", filler(300))));
            let prepared = chat.before_model(&history, None).unwrap();
            let view = &prepared.view;
            // By the ids themselves, each call has its result, and each result its call.
            let calls: Vec<&String> = ids(view, |part| if let P::Call { id, .. } = part { Some(id) } else { None });
            let results: Vec<&String> = ids(view, |part| if let P::Result { id, .. } = part { Some(id) } else { None });
            assert_eq!(calls, results, "{window}, {at}");
            assert!(says(view, &format!("first {at}: ")) && says(view, &format!("second {at}: ")), "{window}, {at}");
        }
    }
}

fn ids(view: &[M], of: impl Fn(&P) -> Option<&String>) -> Vec<&String> {
    view.iter().flat_map(|message| &message.parts).filter_map(of).collect()
}

#[test]
fn a_tool_whose_name_collides_has_the_policy_of_the_other_and_no_more() {
    let name = "read_the_ledger1";
    let other = collides_short(name);
    let mut chat = chat(4_000);
    chat.options["toolPolicy"] = json!({ name: { "exclude": true } });
    let mut history = vec![user("Look.")];
    for at in 0..30 {
        history.extend([called(&format!("m{at}"), &other), returned(&format!("m{at}"), &filler(900))]);
        history.extend([called(&format!("o{at}"), name), returned(&format!("o{at}"), &format!("ledger {at}"))]);
        let prepared = chat.before_model(&history, None).unwrap();
        let after = prepared.committed.report.after;
        // What is held never brings a request over its limit.
        assert!(after.tokens + after.bound < after.window, "{at}: {after:?}");
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
        assert!(says(&prepared.view, &format!("ledger {at}")));
    }
}
