//! The state: complete after a round trip, unknown members kept, damage refused, size limited.

use crate::support::Chat;
use crate::support::M;
use crate::support::Summarizer;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::filler;
use crate::support::json;
use crate::support::plain;
use crate::support::result;
use crate::support::spread;
use crate::support::to_value;
use crate::support::user;
use precis::base::error::Code;
use precis::memory::Memory;
use precis::memory::names::Name;
use precis::model::message::Position;
use precis::session::clip::Clip;
use precis::session::compaction::{Checkpoint, Kind, Made};
use precis::session::state::SessionState;
use precis::session::staying::Staying;
use precis::summary::verify::Answer;
use precis::tokens::{self, Estimator};
use serde_json::{Value, json as value};

fn parse(state: &Value) -> Result<SessionState, precis::base::error::Error> {
    SessionState::parse(&json(state))
}

/// A state with every member in use.
fn full() -> Value {
    let made = |text: &str| value!({ "text": text, "raw": 10, "hash": "00000000000000aa" });
    value!({
        "version": 1,
        "revision": 7,
        "chat": "00000000000000000000000000000000000000000000000000000000000000ee",
        "checkpoints": [
            {
                "revision": 3, "kind": "digest", "covers": { "count": 4, "chain": "0123456789abcdef" },
                "keptChain": "7072656369732031", "from": 4, "fromChain": "0123456789abcdef", "summary": made("old")
            },
            {
                "revision": 7, "kind": "summary", "covers": { "count": 9, "chain": "fedcba9876543210" },
                "head": [0], "kept": [5, 7], "keptChain": "00000000000000bb", "from": 0,
                "fromChain": "7072656369732031", "fromId": "msg_0", "summary": made("new"), "note": made("note"),
                "was": ["00000000000000fa"], "frame": ["<memory>", "</memory>"]
            }
        ],
        "clips": [{ "upTo": { "count": 9, "chain": "fedcba9876543210" }, "cap": 500, "typed": true }],
        "cleared": { "count": 8, "chain": "00000000000000cc" },
        "failed": { "count": 9, "chain": "00000000000000cd" },
        "thoughts": { "count": 6, "chain": "00000000000000ce" },
        "sent": {
            "system": "00000000000000d0", "tools": "00000000000000d1",
            "marks": [{ "at": 9, "hash": "00000000000000d2" }], "end": { "at": 11, "hash": "00000000000000d3" }
        },
        "stale": [{ "from": 0, "to": 4 }, { "from": 6, "to": 8 }],
        "spared": [3, 5],
        "rewrites": [{ "made": "00000000000000aa", "from": "00000000000000bb" }],
        "own": [{ "marks": [{ "at": 3, "hash": "00000000000000ab" }, { "at": 4, "hash": "00000000000000ac" }], "covers": 2, "runs": [2, 1, 4],
            "joined": [{ "hash": "00000000000000ad", "words": [10, 1, 0, 0, 4, 0, 0, 0, 0, 0, 10, 1, 0, 0, 4, 0, 0, 0, 0, 0] }]
        }],
        "calibration": {
            "key": "bytes4/1|m", "anchor": { "raw": 100, "reported": 250 }, "grown": { "raw": 200, "reported": 500 }, "whole": 1_500_000,
            "errors": [1, 2, 3], "parked": { "raw": 9, "reported": 99 }
        },
        "unread": true,
        "pending": { "request": "7-9-0000abcd", "raw": 1_234, "counted": true, "key": "bytes4/1|m", "sent": "00000000000000d4" },
        "breaker": { "failures": 1, "wait": 2, "thrash": 3 },
        "fired": { "count": 9, "chain": "0000000000000009" },
        "seed": { "real": 100, "last": 50 }
    })
}

#[test]
fn a_state_survives_its_round_trip_whole() {
    let state = parse(&full()).unwrap();
    assert_eq!(to_value(&plain(&state)), full());
    assert_eq!(SessionState::parse(&plain(&state)).unwrap(), state);
}

#[test]
fn null_is_a_fresh_state_and_a_fresh_state_is_small() {
    assert_eq!(parse(&Value::Null).unwrap(), SessionState::default());
    let fresh = plain(&SessionState::default());
    assert!(to_value(&fresh).to_string().len() < 150, "{fresh:?}");
    assert_eq!(SessionState::parse(&fresh).unwrap(), SessionState::default());
}

#[test]
fn unknown_members_are_kept_through_calls() {
    let mut state = full();
    state["checkpoints"] = Value::Null;
    state["future"] = value!({ "list": [1, 2.5, null, { "deep": "é" }], "flag": true });
    state["another"] = value!(0.1);
    let mut chat = Chat::new(value!({ "contextWindow": 8_000 }));
    chat.state = json(&state);
    chat.before_model(&[user("hello")], None).unwrap();
    chat.after_model(1_000);
    let after = to_value(&chat.state);
    assert_eq!((&after["future"], &after["another"]), (&state["future"], &state["another"]));
}

#[test]
fn a_newer_version_is_refused_and_named() {
    for version in [2, 3, 1_000] {
        let error = parse(&value!({ "version": version, "revision": 0 })).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::NewerState, Some("state.version")));
        assert!(error.advice.contains(&version.to_string()), "{error}");
    }
}

#[test]
fn other_data_is_refused_as_a_state() {
    for other in [value!([]), value!("state"), value!(1), value!(true)] {
        assert_eq!(parse(&other).unwrap_err().code, Code::InvalidState, "{other}");
    }
    for version in [value!(0), value!(-1), value!("1"), value!(1.5), Value::Null] {
        let error = parse(&value!({ "version": version, "revision": 0 })).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::InvalidState, Some("state")), "{version}");
    }
}

/// Sets the member at a JSON pointer, or removes it.
fn damaged(pointer: &str, new: Option<Value>) -> Value {
    let mut state = full();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = state.pointer_mut(parent).unwrap();
    match new {
        Some(new) => parent[name] = new,
        None => assert!(parent.as_object_mut().unwrap().remove(name).is_some()),
    }
    state
}

fn refused_at(pointer: &str, new: Option<Value>, path: &str) {
    let name = format!("{pointer} = {new:?}");
    match parse(&damaged(pointer, new)) {
        Ok(_) => panic!("{name} is accepted"),
        Err(error) => {
            assert_eq!(error.code, Code::InvalidState, "{name}");
            let at = error.path.as_deref().unwrap_or_default();
            assert!(at.starts_with(path), "{name} is refused at {at}");
        }
    }
}

#[test]
fn damage_is_refused_with_its_place() {
    refused_at("/revision", Some(value!(-1)), "state.revision");
    refused_at("/revision", Some(value!("7")), "state.revision");
    refused_at("/checkpoints", Some(value!({})), "state.checkpoints");
    refused_at("/clips", Some(value!([1])), "state.clips");
    refused_at("/clips/0/upTo", None, "state.clips");
    refused_at("/cleared", Some(value!(8)), "state.cleared");
    refused_at("/cleared/chain", Some(value!("cc")), "state.cleared");
    refused_at("/rewrites", Some(value!([["00000000000000aa"]])), "state.rewrites");
    refused_at("/rewrites/0/made", Some(value!(1)), "state.rewrites");
    refused_at("/calibration", Some(value!([])), "state.calibration");
    refused_at("/calibration/anchor", Some(value!({ "raw": -1 })), "state.calibration");
    refused_at("/calibration/grown", Some(value!([1, 2])), "state.calibration");
    refused_at("/calibration/errors", Some(value!([-1])), "state.calibration");
    refused_at("/calibration/whole", Some(value!("much")), "state.calibration");
    refused_at("/pending", Some(value!("request")), "state.pending");
    refused_at("/pending/raw", Some(value!(-1)), "state.pending");
    refused_at("/breaker", Some(value!("open")), "state.breaker");
    refused_at("/breaker/wait", Some(value!(0.5)), "state.breaker");
    refused_at("/seed", Some(value!([1, 2])), "state.seed");
}

#[test]
fn a_damaged_checkpoint_is_refused_with_its_place() {
    for name in ["covers", "keptChain", "summary", "summary/hash", "note/hash"] {
        refused_at(&format!("/checkpoints/1/{name}"), None, "state.checkpoints");
    }
    let changes = [
        ("kind", value!("guess")),
        ("covers/count", value!(-9)),
        ("covers/chain", value!("FEDCBA98765432")),
        ("kept", value!([7, 5])),
        ("kept", value!([5, 5])),
        ("kept", value!([9])),
        ("head", value!([0, 99])),
        ("keptChain", value!("zz")),
        ("fromChain", value!(5)),
        ("fromId", value!(5)),
        ("note/hash", value!("")),
        ("frame", value!(["only one side"])),
        ("frame", value!(["x".repeat(501), ""])),
    ];
    for (name, wrong) in changes {
        refused_at(&format!("/checkpoints/1/{name}"), Some(wrong), "state.checkpoints");
    }
    refused_at("/checkpoints/0/covers/count", Some(value!(10)), "state.checkpoints");
}

#[test]
fn a_state_that_precis_never_writes_is_refused_with_the_path_of_the_member() {
    let many = |item: Value, count: usize| Value::Array(vec![item; count]);
    let exact = |pointer: &str, new: Value, path: &str| {
        let error = parse(&damaged(pointer, Some(new))).unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::InvalidState, Some(path)), "{pointer}");
    };
    exact("/revision", value!((1_u64 << 53) - 1), "state.revision");
    exact("/checkpoints/1/summary/text", value!("x".repeat(1_000_001)), "state.checkpoints[1].summary.text");
    exact("/checkpoints/1/note/hash", value!("x"), "state.checkpoints[1].note.hash");
    exact("/checkpoints/0/kind", value!("guess"), "state.checkpoints[0].kind");
    exact("/calibration/anchor", value!({ "raw": -1 }), "state.calibration.anchor.raw");
    exact("/rewrites", many(full()["rewrites"][0].clone(), 65), "state.rewrites");
    exact("/checkpoints/0/frame", value!(5), "state.checkpoints[0].frame");
    exact("/checkpoints/1/frame", value!({}), "state.checkpoints[1].frame");
    exact("/checkpoints/1/frame", value!("<memory>"), "state.checkpoints[1].frame");
    exact("/checkpoints/1/frame", value!([5, 5]), "state.checkpoints[1].frame");
    exact("/spared", value!((0..1_001).collect::<Vec<u64>>()), "state.spared");
    exact("/clips", many(full()["clips"][0].clone(), 25), "state.clips");
    exact("/checkpoints", many(full()["checkpoints"][0].clone(), 5), "state.checkpoints");
    let mut state = full();
    state["learned"] = many(value!({ "key": "k" }), 5);
    assert_eq!(parse(&state).unwrap_err().path.as_deref(), Some("state.learned"));
}

#[test]
fn a_breaker_keeps_the_summarizer_out_no_longer_than_precis_would() {
    let most = (1_u64 << 53) - 1;
    let state = parse(&damaged("/breaker", Some(value!({ "failures": most, "wait": most, "thrash": most })))).unwrap();
    assert_eq!(state.breaker.wait, 8);
    assert!(state.breaker.failures <= 1_000 && state.breaker.thrash <= 1_000);
}

/// How far an estimate may be off is read off the errors, which takes as long as their number squared.
#[test]
fn of_many_errors_the_newest_count() {
    let errors: Vec<u64> = (0..100_000).collect();
    let state = parse(&damaged("/calibration/errors", Some(value!(errors)))).unwrap();
    assert_eq!(state.calibration.errors, (99_980..100_000).collect::<Vec<u64>>());
}

/// A summary that lost its text would silently replace everything it covers.
#[test]
fn a_checkpoint_without_its_text_is_refused() {
    for name in ["summary/text", "note/text", "kind"] {
        refused_at(&format!("/checkpoints/1/{name}"), None, "state.checkpoints");
    }
}

/// A host loads messages from `from` on. What a checkpoint keeps must not be before that, nor after what it covers.
#[test]
fn a_checkpoint_whose_start_contradicts_what_it_keeps_is_refused() {
    refused_at("/checkpoints/1/from", Some(value!(10)), "state.checkpoints");
    refused_at("/checkpoints/1/from", Some(value!(6)), "state.checkpoints");
}

fn checkpoint(count: u64, bytes: usize) -> Checkpoint {
    Checkpoint {
        revision: count,
        digest: false,
        shortened: false,
        kind: Kind::Summary,
        covers: Position { count, chain: count },
        raw: Some(90_000),
        stays: Staying::default(),
        kept_chain: 0,
        from: count,
        from_chain: None,
        from_id: None,
        outputs: None,
        sample: Vec::new(),
        summary: Made { text: "s".repeat(bytes), raw: 1, hash: 1 },
        was: Vec::new(),
        frame: Vec::new(),
        note: None,
        block: None,
    }
}

#[test]
fn the_oldest_checkpoints_go_first() {
    let mut state = SessionState::default();
    for count in 1..=9 {
        state.push(checkpoint(count, 100));
    }
    let kept: Vec<u64> = state.checkpoints.iter().map(|checkpoint| checkpoint.covers.count).collect();
    assert_eq!(kept, [6, 7, 8, 9]);
}

#[test]
fn long_texts_push_out_older_checkpoints() {
    let mut state = SessionState::default();
    for count in 1..=4 {
        state.push(checkpoint(count, 15_000));
    }
    let kept: Vec<u64> = state.checkpoints.iter().map(|checkpoint| checkpoint.covers.count).collect();
    assert_eq!(kept, [3, 4]);
    state.push(checkpoint(5, 60_000));
    assert_eq!(state.checkpoints.len(), 1, "the newest always stays");
}

#[test]
fn clips_of_a_history_that_was_longer_are_open_or_covered_like_others() {
    let clip = |count: u64| Clip { up_to: Position { count, chain: count }, cap: count, ..Clip::default() };
    let mut state = SessionState::default();
    state.push(checkpoint(30, 100));
    // The chat went back to the message 25 after the second one.
    state.clips = vec![clip(20), clip(50), clip(25), clip(40)];
    assert_eq!(state.open_clips().map(|clip| clip.cap).collect::<Vec<u64>>(), [50, 40]);
}

#[test]
fn long_lists_push_out_older_checkpoints() {
    let mut state = SessionState::default();
    for count in 1..=4 {
        let head = (100_000..102_000).collect();
        state.push(Checkpoint { stays: Staying { head, ..Staying::default() }, ..checkpoint(200_000 + count, 5_000) });
        assert!(to_value(&plain(&state)).to_string().len() <= 64_000);
    }
    assert_eq!(state.checkpoints.len(), 3);
}

#[test]
fn a_state_stays_within_64_kilobytes_beside_many_pins_and_results_that_are_always_kept() {
    let mut chat = Chat::new(value!({
        "contextWindow": 100_000, "toolPolicy": { "read": { "keep": "always" } },
        "tune": { "memory": 64_000, "tokens": { "estimator": "bytes4" } }
    }));
    let mut history = Vec::new();
    for turn in 0..1_500 {
        chat.pinned.push(history.len());
        history.push(user(&format!("pin {turn}")));
        let id = format!("call_{turn}");
        let tool = if turn % 3 == 0 { "read" } else { "list" };
        history.push(call(&id, tool, value!({ "path": format!("src/part_{turn}/file_{turn}.rs") })));
        let bytes = if turn % 3 == 0 { 100 } else { 600 };
        history.push(result(&id, &format!("src/found_{turn}.rs: id_{turn}x{turn} {}", filler(bytes))));
        history.push(assistant(&format!("In src/found_{turn}.rs, retries are now {turn}0 and {}", filler(60))));
    }
    for end in [3_000, 4_000, 5_000, 6_000] {
        chat.before_model(&history[..end], None).unwrap();
        assert!(size(&chat) <= 64_000, "{} bytes at {end}: {}", size(&chat), sizes(&chat));
    }
    let session = chat.session();
    assert!(
        session.checkpoints.last().is_some_and(|newest| newest.stays.head.len() + newest.stays.kept.len() > 1_000),
        "{}",
        sizes(&chat)
    );
}

/// What the members of a state take.
fn sizes(chat: &Chat) -> String {
    let state = to_value(&chat.state);
    let all = state.as_object().unwrap().iter();
    all.map(|(name, value)| format!("{name} {} ", value.to_string().len())).collect()
}

fn size(chat: &Chat) -> usize {
    to_value(&chat.state).to_string().len()
}

/// A conversation of turns with tools.
fn turns(count: usize, bytes: usize) -> Vec<M> {
    let turn = |turn: usize| {
        let id = format!("call_{turn}");
        let question = user(&format!("question {turn}: {}", filler(bytes)));
        [question, calls(&[&id]), result(&id, &filler(bytes)), assistant(&format!("answer {turn}"))]
    };
    (0..count).flat_map(turn).collect()
}

#[test]
fn a_state_stays_within_64_kilobytes_whatever_is_summarized() {
    // Every escaped character takes more room in JSON than in the text.
    let lines = "\"quoted\"\n".repeat(20_000);
    for &(window, bytes) in spread(&[(200_000, 30_000), (8_000, 1_000), (1_000_000, 200_000)], 1) {
        for answered in [false, true] {
            let mut chat = Chat::new(
                value!({ "contextWindow": window, "summarize": answered.then_some(true), "tune": { "tokens": { "estimator": "bytes4" } } }),
            );
            let history = turns(40, bytes);
            for end in (4..=history.len()).step_by(4) {
                let mut summarize = |request: &precis::summary::request::Request| {
                    let most = usize::try_from(request.max_output_tokens * 4).unwrap();
                    answer(&lines[..lines.len().min(most)])
                };
                chat.before_model(&history[..end], answered.then_some(&mut summarize as Summarizer<'_>)).unwrap();
                assert!(size(&chat) <= 64_000, "{} bytes at {window}", size(&chat));
                assert!(chat.session().checkpoints.len() <= 4);
            }
            assert!(!chat.session().checkpoints.is_empty(), "{window}");
        }
    }
}

#[test]
fn a_revision_counts_changes_and_only_those() {
    let mut chat = Chat::new(value!({ "contextWindow": 8_000 }));
    let history = turns(12, 2_000);
    chat.before_model(&history[..1], None).unwrap();
    assert_eq!(chat.session().revision, 0, "nothing was changed");
    chat.before_model(&history, None).unwrap();
    assert_eq!(chat.session().revision, 1);
    chat.before_model(&history, None).unwrap();
    assert_eq!(chat.session().revision, 1, "the same request again changes nothing");
    chat.after_model(3_000);
    assert_eq!(chat.session().revision, 1);
}

#[test]
fn the_summary_for_people_is_the_text_alone() {
    let mut chat = Chat::new(value!({ "contextWindow": 8_000, "summarize": true }));
    let text = "They want tests. The tests are being written now.";
    chat.before_model(&turns(12, 2_000), Some(&mut |_| answer(text))).unwrap();
    assert!(precis::engine::summary_of(&chat.session()).unwrap().starts_with(text));
    let session = chat.session();
    assert_eq!(precis::engine::keep_from(&session), (session.checkpoints[0].from, None));
    let cut_off = Answer::Text { text: text.into(), finish: "length".into() };
    let mut other = Chat::new(value!({ "contextWindow": 8_000, "summarize": true }));
    other.before_model(&turns(12, 2_000), Some(&mut |_| cut_off.clone())).unwrap();
    assert_eq!(other.session().checkpoints[0].kind, Kind::Digest);
}

/// The count of a summary, relative to the lexical count of its text, after a state claimed the count `said`.
fn recounted(text: &str, said: impl Fn(u64) -> u64) -> (u64, u64) {
    let estimator = Estimator::parse("lexical").unwrap();
    let counted = tokens::of_text(&estimator, text);
    let mut state = damaged("/checkpoints/1/summary/text", Some(value!(text)));
    state["checkpoints"][1]["summary"]["raw"] = value!(said(counted));
    let mut state = parse(&state).unwrap();
    state.recount(&estimator);
    (counted, state.checkpoints[1].summary.raw)
}

#[test]
fn an_impossible_count_for_a_text_is_recomputed() {
    let text = "All is well. ".repeat(40_000);
    let (counted, raw) = recounted(&text, |_| 464);
    assert_eq!(raw, counted);
    let (counted, raw) = recounted(&text, |_| 9_000_000_000);
    assert_eq!(raw, counted + 4_096);
    let (counted, raw) = recounted(&text, |counted| counted + 20);
    assert_eq!(raw, counted + 20);
}

#[test]
fn a_summary_of_few_tokens_for_its_size_counts_what_its_message_does() {
    let (counted, raw) = recounted(&"-".repeat(4_000), |counted| counted + 4);
    assert!(counted < 500, "{counted}");
    assert_eq!(raw, counted + 4);
}

#[test]
fn a_request_with_a_summary_that_claims_to_be_small_is_not_taken_for_small() {
    let mut chat = Chat::new(value!({ "contextWindow": 8_000 }));
    let history = turns(12, 2_000);
    chat.before_model(&history, None).unwrap();
    let mut state = to_value(&chat.state);
    let newest = state["checkpoints"].as_array().unwrap().len() - 1;
    state["checkpoints"][newest]["summary"]["text"] = value!("All is well. ".repeat(40_000));
    chat.state = json(&state);
    let after = chat.before_model(&history, None).unwrap().committed.report.after;
    assert!(after.tokens < 8_000, "{after:?}");
}

#[test]
fn a_state_stays_small_however_long_its_digest_and_its_note_are() {
    let lines = |turn: usize| -> String {
        (0..60).map(|n| format!("src/module_{turn}/file_{n}.rs: getValue{turn}x{n} = \"{turn}{n}\"\n")).collect()
    };
    for &window in spread(&[64_000, 32_000, 200_000], 1) {
        let mut chat = Chat::new(value!({ "contextWindow": window, "maxOutputTokens": 1_000 }));
        let mut history = vec![user("Go through all modules and fix what is wrong.")];
        for turn in 0..300 {
            let id = format!("c{turn}");
            history.push(call(
                &id,
                "edit",
                value!({ "path": format!("src/module_{turn}/main.rs"), "newText": lines(turn) }),
            ));
            history.push(result(&id, &lines(turn)));
            if turn % 8 == 7 {
                let prepared = chat.before_model(&history, None).unwrap();
                let bytes = to_value(&plain(&prepared.committed.state)).to_string().len();
                assert!(bytes <= 64_000, "{bytes} bytes in a window of {window} at {turn}");
            }
        }
    }
}

#[test]
fn members_that_nobody_knows_are_bounded() {
    let refused = |future: Value| {
        let mut state = full();
        state["future"] = future;
        parse(&state).map_err(|error| (error.code, error.path.clone().unwrap())).err()
    };
    assert_eq!(refused(value!("x".repeat(15_000))), None);
    let long = (Code::InvalidState, "state.future".to_owned());
    assert_eq!(refused(value!("x".repeat(20_000_000))), Some(long.clone()));
    assert_eq!(refused(value!(vec![0; 100_000])), Some(long));
    let mut many = full();
    for number in 0..2_000 {
        many[format!("member{number:05}")] = value!("a value");
    }
    assert!(parse(&many).is_err());
    let mut named = full();
    named["n".repeat(1_000_000)] = value!(1);
    let error = parse(&named).unwrap_err();
    assert!(error.path.as_ref().unwrap().len() < 100 && error.advice.len() < 400);
}

#[test]
fn a_name_whose_surroundings_hold_control_characters_reads_back() {
    let upto = Position { count: 1, ..Position::START };
    for context in ["write u\u{3}\u{1} a.rs", "open a.rs \u{1} now", "a.rs", "its name is elsewhere"] {
        let name = Name { text: "a.rs".to_owned(), context: context.to_owned(), at: 0, used: 1, seen: 1 };
        let state = SessionState {
            memory: Some(Memory { upto, names: vec![name], ..Memory::default() }),
            ..SessionState::default()
        };
        assert_eq!(SessionState::parse(&plain(&state)), Ok(state), "{context:?}");
    }
}
