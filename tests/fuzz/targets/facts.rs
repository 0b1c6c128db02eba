//! Facts: found in the text itself, told once, required only by what a person typed, and read back as they were written.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::ingest::content::{Content, ContentPart, Value};
use precis::model::message::Role;
use precis::summary::facts::{self, Facts};
use precis::summary::{rules, scan};
use precis_fuzz::texts::Text;

#[derive(Arbitrary, Debug)]
struct Input {
    said: Vec<(u8, Text)>,
    summary: Text,
    bytes: u16,
}

fuzz_target!(|input: Input| precis_fuzz::soon(|| check(&input)));

fn check(input: &Input) {
    let mut messages = Vec::new();
    for (who, body) in input.said.iter().take(8) {
        let text = body.write(16_000);
        found(&text);
        messages.push(match who % 3 {
            0 => (Content { role: Role::User, parts: vec![ContentPart::Text { number: 0, text }] }, true),
            1 => (Content { role: Role::Assistant, parts: vec![ContentPart::Text { number: 0, text }] }, false),
            _ => {
                let output = Value::Text(text);
                let parts = vec![ContentPart::Result { number: 0, id: "a".into(), output, failed: false }];
                (Content { role: Role::Tool, parts }, false)
            }
        });
    }
    let untrusted: Vec<_> = messages.iter().map(|(content, _)| (content.clone(), false)).collect();
    assert!(Facts::of("", &untrusted).rules.is_empty(), "a requirement that nobody typed");

    let bytes = 200 + usize::from(input.bytes) % 20_000;
    let mut summary = input.summary.write(8_000);
    facts::append(&mut summary, "", &messages, bytes, bytes / 2);
    let (written, told) = facts::split(&summary);
    assert!(
        !written.lines().any(|line| line.starts_with(facts::RULES) || line.starts_with(facts::FACTS)),
        "a heading of facts in what somebody wrote: {written}"
    );
    assert!(told.len() <= bytes + 64, "{} bytes of {bytes}", told.len());
    // Read again without anything new they are the same.
    let mut again = String::new();
    Facts::of(told, &[]).write(&mut again, 2 * told.len() + 400, 2 * told.len() + 400);
    let (mut one, mut other) = (sorted(told), sorted(&again));
    one.dedup();
    other.dedup();
    assert_eq!(one, other, "told: {told}\nagain: {again}");
}

/// What is told, whatever its order.
fn sorted(told: &str) -> Vec<&str> {
    let mut all: Vec<&str> =
        told.lines().flat_map(|line| line.split(", ")).map(str::trim).filter(|line| !line.is_empty()).collect();
    all.sort_unstable();
    all
}

/// The scanner's finds are pieces of the text, in its order, without a space in them.
fn found(text: &str) {
    let mut at = text.as_ptr() as usize;
    let end = at + text.len();
    scan::each(text, &mut |name| {
        let from = name.as_ptr() as usize;
        assert!(from >= at && from + name.len() <= end, "not in its place: {name}");
        at = from + name.len();
        assert!(!name.is_empty() && !name.contains([' ', '\n', '\t']), "no name: {name:?}");
        scan::is_weak(name);
    });
    let names = facts::names(text, usize::MAX);
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "a name twice");
    rules::Words::default().rules(text, &mut |rule| assert!(text.contains(rule) && !rule.is_empty(), "{rule}"));
    rules::cancels(text);
}
