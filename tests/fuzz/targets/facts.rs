//! The memory: found in the text itself, told once, required only by what a person typed, and bounded the same again.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::base::headings::{KEPT, NAMES, RULES};
use precis::ingest::content::{Content, ContentPart, Value};
use precis::memory::absorb::{Message, Recollection};
use precis::memory::digest::{self, Source};
use precis::memory::{Memory, names, rules, scan, sentences};
use precis::model::message::Role;
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
    for (index, (who, body)) in (0..).zip(input.said.iter().take(8)) {
        let text = body.write(16_000);
        found(&text);
        let (role, parts) = match who % 3 {
            0 => (Role::User, vec![ContentPart::Text { number: 0, text }]),
            1 => (Role::Assistant, vec![ContentPart::Text { number: 0, text }]),
            _ => {
                let output = Value::Text(text);
                (Role::Tool, vec![ContentPart::Result { number: 0, id: "a".into(), output, failed: false }])
            }
        };
        messages.push(Message {
            index,
            content: Content { role, speaker: String::new(), parts },
            typed: role == Role::User,
        });
    }
    let untrusted: Vec<_> = messages.iter().map(|one| Message { typed: false, ..one.clone() }).collect();
    let nothing = Memory::default();
    let memory = Recollection::of(&nothing, &untrusted).memory;
    assert!(memory.required.is_empty() && memory.tasks.is_empty(), "what nobody typed");

    let bytes = 200 + usize::from(input.bytes) % 20_000;
    let mut summary = input.summary.write(8_000);
    let known = Recollection::of(&nothing, &messages);
    let source = Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: None };
    source.keep(&mut summary, bytes);
    let (written, told) = digest::split(&summary);
    assert!(
        !written.lines().any(|line| [KEPT, RULES, NAMES].iter().any(|heading| line.starts_with(heading))),
        "a heading of ours in what somebody wrote: {written}"
    );
    assert!(told.len() <= bytes + 500, "{} bytes of {bytes}", told.len());
    // Remembered without anything new, nothing is required that was not.
    let kept = known.bounded(8_000, 48_000, "");
    let again = Recollection::of(&kept, &[]).bounded(8_000, 48_000, "");
    assert!(again.required.iter().all(|entry| kept.required.contains(entry)), "{again:?}");
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
    let names = names::in_text(text);
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "a name twice");
    let mut words = rules::Words::default();
    for sentence in sentences::split(text) {
        assert!(text.contains(sentence) && !sentence.is_empty(), "{sentence}");
        words.tell(sentence);
    }
    rules::cancels(text);
}
