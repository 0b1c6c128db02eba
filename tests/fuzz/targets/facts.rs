//! The memory: found in the text itself, typed only where a person typed, and bounded.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::base::headings::KEPT;
use precis::base::{sentences, words};
use precis::ingest::content::{Content, ContentPart, Value};
use precis::memory::digest::{self, Source};
use precis::memory::pool::Pool;
use precis::memory::units::Kind;
use precis::memory::{Memory, Message, notice};
use precis::model::message::{Position, Role};
use precis::tokens::{self, Estimator};
use precis_fuzz::texts::Text;

#[derive(Arbitrary, Debug)]
struct Input {
    said: Vec<(u8, Text)>,
    summary: Text,
    room: u16,
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
            content: Content { role, speaker: String::new(), parts, taken: Vec::new() },
            typed: role == Role::User,
        });
    }
    let untrusted: Vec<_> = messages.iter().map(|one| Message { typed: false, ..one.clone() }).collect();
    let nothing = Memory::default();
    let pool = Pool::of(&nothing, &untrusted);
    assert!(pool.units.iter().all(|unit| unit.kind != Kind::Typed), "what nobody typed");

    let room = 60 + u64::from(input.room) % 5_000;
    let mut summary = input.summary.write(8_000);
    let known = Pool::of(&nothing, &messages);
    let estimator = Estimator::parse("lexical").unwrap();
    let source = Source {
        known: &known,
        summary: "",
        todos: &[],
        visible: &|_| false,
        references: None,
        turn: None,
        estimator: &estimator,
    };
    let size = |text: &str| tokens::of_text(&estimator, text);
    let (digest, _) = source.digest(room, false);
    assert!(size(&digest) <= room + 40, "{} of {room}: {digest}", size(&digest));
    source.keep(&mut summary, room);
    let (written, kept) = digest::split(&summary);
    assert!(!written.lines().any(|line| line.starts_with(KEPT)), "a heading of ours in what somebody wrote: {written}");
    assert!(size(kept) <= room.max(96) + 40, "{} of {room}", size(kept));
    let memory = known.bounded(8_000, Position { count: 8, ..Position::START });
    let again = Pool::of(&memory, &[]);
    assert!(again.units.iter().all(|unit| memory.units.iter().any(|one| one.text == unit.text)), "what nobody said");
}

/// Sentences are pieces of the text, in its order; words and names of any text are found.
fn found(text: &str) {
    let mut at = text.as_ptr() as usize;
    let end = at + text.len();
    sentences::each(text, &mut |sentence| {
        let from = sentence.as_ptr() as usize;
        assert!(from >= at && from + sentence.len() <= end && !sentence.is_empty(), "not in its place: {sentence}");
        at = from + sentence.len();
    });
    words::of(text);
    let names = notice::names_in(text);
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "a name twice");
}
