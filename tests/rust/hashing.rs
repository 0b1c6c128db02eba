//! Content hashes and the chain. The constants are frozen, because stored states hold positions made with them.

use crate::support::M;
use crate::support::P;
use crate::support::Tape;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::records;
use crate::support::result;
use crate::support::system;
use crate::support::user;
use precis::ingest::record_writer::RecordWriter;
use precis::model::message::{CHAIN_START, MessageRecord, Position, Role, from_hex, hex};
use precis::tokens::Estimator;
use proptest::prelude::*;
use serde_json::{Value, json};

fn hash(message: &M) -> u64 {
    MessageRecord::split(&records(std::slice::from_ref(message), "bytes4")).unwrap()[0].hash()
}

/// The digests of messages whose strings arrive in chunks of at most `chunk` bytes.
fn cut(messages: &[M], chunk: usize, estimator: &str) -> Vec<u32> {
    let mut tape = Tape::cut(chunk);
    messages.iter().for_each(|message| tape.message(message));
    let mut writer = RecordWriter::new(Estimator::parse(estimator).unwrap());
    writer.push(&tape.ops, &tape.text).unwrap();
    writer.finish().unwrap()
}

fn medium(bytes: u64, reference: &str) -> M {
    let part = P::Media { kind: 0, media_type: "image/png".into(), bytes, reference: reference.into() };
    M { role: Role::User, parts: vec![part] }
}

fn both(parts: Vec<P>) -> M {
    M { role: Role::Assistant, parts }
}

fn thought(text: &str) -> P {
    P::Reasoning { text: text.into(), signed: true }
}

fn said(text: &str) -> P {
    P::Text(text.into())
}

fn samples() -> Vec<M> {
    vec![
        system("You are a careful engineer."),
        user("Hello, world"),
        user("Grüße, 世界 🦀"),
        assistant("I will look."),
        call(
            "call_1",
            "read_file",
            json!({ "path": "/etc/hosts", "lines": [1, 2.5, null, true], "deep": { "a": "b" } }),
        ),
        result("call_1", "127.0.0.1 localhost"),
        both(vec![said("Both:"), P::Call { id: "c2".into(), name: "ls".into(), input: json!({}) }]),
        calls(&["c3", "c4"]),
        medium(1_234, ""),
        medium(0, "https://example.com/a.png"),
        user(""),
    ]
}

const FROZEN: [&str; 11] = [
    "370dd10edaa5ef20",
    "b4c4e54a2c1fdf49",
    "67de285283c51573",
    "99b63b6474f3a4dc",
    "1f5ae740f5edcaa0",
    "d09a73e02f0663f9",
    "97554c535c589974",
    "1711f377e357d103",
    "0a98afca1d312213",
    "27f56153ab826d1a",
    "6ec2195ffcaa3025",
];
const FROZEN_CHAIN: &str = "8c1beb03603deb67";

#[test]
fn content_hashes_are_frozen() {
    let found: Vec<String> = samples().iter().map(|message| hex(hash(message))).collect();
    assert_eq!(found, FROZEN);
}

#[test]
fn the_chain_is_frozen() {
    let end = crate::support::end_of(&records(&samples(), "bytes4")).unwrap();
    assert_eq!((end.count, hex(end.chain).as_str()), (11, FROZEN_CHAIN));
    assert_eq!(hex(CHAIN_START), "7072656369732031", "\"precis 1\"");
    assert_eq!(crate::support::end_of(&[]), Some(Position::START));
}

#[test]
fn hashes_do_not_depend_on_the_estimator() {
    for estimator in ["host", "bytes4:claude"] {
        let other = records(&samples(), estimator);
        let hashes: Vec<u64> = MessageRecord::split(&other).unwrap().iter().map(MessageRecord::hash).collect();
        assert_eq!(hashes, samples().iter().map(hash).collect::<Vec<_>>(), "{estimator}");
    }
}

#[test]
fn samples_have_different_hashes() {
    let mut hashes: Vec<u64> = samples().iter().map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), samples().len());
}

#[test]
fn the_order_of_members_makes_no_difference_and_the_order_of_elements_does() {
    let with = |text: &str| hash(&call("c", "t", serde_json::from_str::<Value>(text).unwrap()));
    // serde_json sorts members by default, so the tape is written by hand.
    let members = |order: [(&str, &str); 3]| {
        let mut tape = Tape::default();
        tape.ops.extend([1, 2, 4, 0, 0]);
        tape.string("c");
        tape.string("t");
        tape.ops.push(23);
        for (key, value) in order {
            tape.string(key);
            tape.string(value);
        }
        tape.ops.push(24);
        let mut writer = RecordWriter::new(Estimator::parse("bytes4").unwrap());
        writer.push(&tape.ops, &tape.text).unwrap();
        MessageRecord::split(&writer.finish().unwrap()).unwrap()[0].hash()
    };
    let first = members([("a", "1"), ("b", "2"), ("c", "3")]);
    assert_eq!(first, members([("c", "3"), ("a", "1"), ("b", "2")]));
    assert_eq!(first, with(r#"{"a":"1","b":"2","c":"3"}"#));
    assert_ne!(first, members([("a", "2"), ("b", "1"), ("c", "3")]), "values stay with their keys");
    assert_ne!(with("[1,2]"), with("[2,1]"));
    assert_ne!(with(r#"{"a":[],"b":{}}"#), with(r#"{"a":{},"b":[]}"#));
    assert_ne!(with("[[1],2]"), with("[1,[2]]"));
    assert_ne!(with("\"1\""), with("1"));
    assert_ne!(with("null"), with("\"\""));
    assert_ne!(with("{}"), with("[]"));
}

#[test]
fn empty_texts_reasoning_and_result_output_are_not_covered() {
    let plain = assistant("text");
    assert_eq!(hash(&both(vec![said(""), said("text"), said("")])), hash(&plain));
    assert_eq!(hash(&both(vec![thought("hm"), said("text")])), hash(&plain));
    assert_eq!(hash(&both(vec![P::Opaque, said("text")])), hash(&plain));
    assert_eq!(hash(&result("c", "one")), hash(&result("c", "two")));
    let failed =
        |failed, output: Value| M { role: Role::Tool, parts: vec![P::Result { id: "c".into(), output, failed }] };
    assert_eq!(hash(&failed(true, json!({ "error": ["x"] }))), hash(&failed(false, json!("fine"))));
}

#[test]
fn text_role_tool_arguments_and_ids_are_covered() {
    let base = call("c", "tool", json!({ "a": 1 }));
    assert_ne!(hash(&user("a")), hash(&user("b")));
    assert_ne!(hash(&user("a")), hash(&user("a ")));
    assert_ne!(hash(&user("a")), hash(&assistant("a")));
    assert_ne!(hash(&user("a")), hash(&system("a")));
    assert_ne!(hash(&base), hash(&call("d", "tool", json!({ "a": 1 }))));
    assert_ne!(hash(&base), hash(&call("c", "fool", json!({ "a": 1 }))));
    assert_ne!(hash(&base), hash(&call("c", "tool", json!({ "a": 2 }))));
    assert_ne!(hash(&base), hash(&call("c", "tool", json!({ "b": 1 }))));
    assert_ne!(hash(&base), hash(&call("c", "tool", json!({ "a": 1, "b": null }))));
    assert_ne!(hash(&result("c", "x")), hash(&result("d", "x")));
    assert_ne!(hash(&result("c", "x")), hash(&call("c", "", Value::Null)), "a call is no result");
    assert_ne!(hash(&medium(10, "")), hash(&medium(11, "")));
    assert_ne!(hash(&medium(0, "a")), hash(&medium(0, "b")));
}

#[test]
fn a_chain_depends_on_the_order_and_on_every_message() {
    let end = |messages: &[M]| crate::support::end_of(&records(messages, "bytes4")).unwrap();
    let (a, b, c) = (user("a"), user("b"), user("c"));
    let whole = end(&[a.clone(), b.clone(), c.clone()]);
    assert_ne!(whole, end(&[b.clone(), a.clone(), c.clone()]));
    assert_ne!(whole, end(&[a.clone(), c.clone()]));
    assert_eq!(whole, end(&[a, b]).after(hash(&c)));
}

#[test]
fn hex_is_sixteen_digits_and_nothing_else() {
    for value in [0, 1, 0xdead_beef, u64::MAX] {
        assert_eq!(from_hex(&hex(value)), Some(value));
        assert_eq!(hex(value).len(), 16);
    }
    for wrong in ["", "1", "00000000000000001", "000000000000000g", "+000000000000001", "0x00000000000001"] {
        assert_eq!(from_hex(wrong), None, "{wrong}");
    }
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\é世\n]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zé世]{0,9}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn message() -> impl Strategy<Value = M> {
    let text = || "[a-zé世🦀 \n]{0,40}";
    let part = prop_oneof![
        text().prop_map(P::Text),
        (text(), any::<bool>()).prop_map(|(text, signed)| P::Reasoning { text, signed }),
        ("[a-z0-9]{0,8}", "[a-z_é]{0,8}", value()).prop_map(|(id, name, input)| P::Call { id, name, input }),
        ("[a-z0-9]{0,8}", value(), any::<bool>()).prop_map(|(id, output, failed)| P::Result { id, output, failed }),
        (0_u32..5, "[a-z/]{0,9}", 0_u64..9_999, "[a-z:/]{0,9}")
            .prop_map(|(kind, media_type, bytes, reference)| { P::Media { kind, media_type, bytes, reference } }),
    ];
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    (role, prop::collection::vec(part, 0..4)).prop_map(|(role, parts)| M { role, parts })
}

proptest! {
    #[test]
    fn where_strings_are_cut_makes_no_difference(messages in prop::collection::vec(message(), 0..4), chunk in 1_usize..9) {
        for estimator in ["bytes4", "host"] {
            prop_assert_eq!(cut(&messages, chunk, estimator), cut(&messages, 0, estimator));
        }
    }

    #[test]
    fn where_the_tape_is_cut_makes_no_difference(messages in prop::collection::vec(message(), 1..5)) {
        let mut writer = RecordWriter::new(Estimator::parse("bytes4").unwrap());
        for message in &messages {
            let mut tape = Tape::cut(5);
            tape.message(message);
            writer.push(&tape.ops, &tape.text).unwrap();
        }
        prop_assert_eq!(writer.finish().unwrap(), cut(&messages, 0, "bytes4"));
    }

    #[test]
    fn a_message_is_read_the_same_by_itself(messages in prop::collection::vec(message(), 1..5)) {
        let each: Vec<u32> = messages.iter().flat_map(|one| cut(std::slice::from_ref(one), 0, "bytes4")).collect();
        prop_assert_eq!(each, cut(&messages, 0, "bytes4"));
    }
}

#[test]
fn a_long_key_cut_in_two_counts_like_a_whole_one() {
    let message = call("c", "tool", json!({ "outer": { "first": 1, "second": 2 } }));
    let tokens =
        |chunk| MessageRecord::split(&cut(std::slice::from_ref(&message), chunk, "bytes4")).unwrap()[0].tokens();
    let whole = tokens(0);
    for chunk in 1..7 {
        assert_eq!(tokens(chunk), whole, "{chunk}");
    }
}

#[test]
fn a_malformed_tape_is_refused() {
    let mut whole = Tape::default();
    whole.message(&call("c", "tool", json!({ "a": [1, { "b": "c" }] })));
    for end in 1..whole.ops.len() {
        let mut writer = RecordWriter::new(Estimator::parse("bytes4").unwrap());
        let refused = writer.push(&whole.ops[..end], &whole.text).and_then(|()| writer.finish().map(|_| ()));
        assert!(refused.is_err(), "cut after {end} words");
    }
    let refused = |ops: &[u32], text: &[u8]| {
        let mut writer = RecordWriter::new(Estimator::parse("bytes4").unwrap());
        writer.push(ops, text).and_then(|()| writer.finish().map(|_| ())).is_err()
    };
    assert!(refused(&[1, 9], b""), "an unknown role");
    assert!(refused(&[99], b""), "an unknown op");
    assert!(refused(&[2, 0, 16, 1], b"x"), "a part without a message");
    assert!(refused(&[1, 1, 2, 0, 16, 2], &[0xff, 0xfe]), "no UTF-8");
    assert!(refused(&[1, 1, 2, 0, 16, 1], b"xy"), "bytes nobody speaks of");
    assert!(!refused(&[1, 1, 2, 0, 16, 1], b"x"));
}

#[test]
fn malformed_records_are_refused() {
    let good = records(&[user("a"), assistant("b")], "bytes4");
    assert_eq!(MessageRecord::split(&good).unwrap().len(), 2);
    assert!(MessageRecord::split(&good[..good.len() - 1]).is_none());
    assert!(MessageRecord::split(&[0]).is_none());
    let mut role = good.clone();
    role[1] = 7;
    assert!(MessageRecord::split(&role).is_none());
    let mut parts = good;
    parts[5] = 9;
    assert!(MessageRecord::split(&parts).is_none());
}
