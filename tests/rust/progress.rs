//! The progress note: what was done about the request of the active turn.

use crate::memory::{estimator, messages, source};
use crate::support::{M, assistant, call, filler, result, user};
use precis::base::markers;
use precis::memory::Memory;
use precis::memory::digest::Source;
use precis::memory::pool::Pool;
use precis::model::message::Position;
use precis::tokens;
use proptest::prelude::*;
use serde_json::json;

/// The note on what came after the message with the index `turn`, and the digest beside it.
fn note_of(memory: &Memory, all: &[M], turn: u64, room: u64) -> (Option<String>, String) {
    let messages = messages(memory.upto.count, all);
    let (known, estimator) = (Pool::of(memory, &messages), estimator());
    let source = Source { turn: Some(turn), ..source(&known, &estimator) };
    (source.progress(room), source.digest(2_000, false).0)
}

fn note(all: &[M]) -> String {
    note_of(&Memory::default(), all, 0, 500).0.expect("something was done")
}

#[test]
fn a_note_says_what_was_changed_checked_and_found_in_its_order() {
    let all = [
        user("Fix the date."),
        call("1", "bash", json!({ "command": "grep -n parse src/date.py" })),
        result("1", "14: def parse(text):"),
        call("2", "edit", json!({ "path": "src/date.py", "old_str": "a", "new_str": "b" })),
        result("2", "ok"),
        assistant("The month was counted from zero in parse()."),
        call("3", "bash", json!({ "command": "pytest -q" })),
        result("3", "2 failed, 21 passed in 0.3s"),
    ];
    let text = note(&all);
    assert!(text.starts_with(markers::PROGRESS), "{text}");
    assert!(text.contains("\nChanged: src/date.py\nCheck: pytest -q ← 2 failed, 21 passed in 0.3s\n"), "{text}");
    let found = ["→ bash grep -n parse src/date.py", "14: def parse(text):", "The month was counted from zero"];
    let places: Vec<Option<usize>> = found.iter().map(|part| text.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
}

#[test]
fn no_line_of_a_result_stands_in_a_note_without_its_call_and_how_that_ended() {
    let mut all = vec![user("Find the host that holds the old certificate.")];
    for number in 0..40 {
        let id = number.to_string();
        let line = format!("subject of certificate {} on rack {}", number * 37, number * 11);
        let end = if number % 3 == 0 { format!("error: lease {number} expired") } else { String::new() };
        all.push(call(&id, "probe", json!({ "host": format!("storage-{number}.example") })));
        all.push(result(&id, &format!("connecting\n{line}\nport 443 of {number}\n{end}")));
    }
    let text = note(&all);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    for pair in lines.windows(2) {
        assert!(!pair[1].starts_with('←') || pair[0].starts_with(['→', '←']), "{text}");
    }
    assert!(lines[0].starts_with('→'), "{text}");
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("→ probe")) {
        let number: u32 =
            line.trim_start_matches("→ probe host=storage-").trim_end_matches(".example").parse().unwrap();
        let own: String = lines[at + 1..].iter().take_while(|line| line.starts_with('←')).copied().collect();
        assert_eq!(number.is_multiple_of(3), own.contains(&format!("error: lease {number} expired")), "{text}");
    }
}

#[test]
fn what_the_note_says_is_not_in_the_digest_and_earlier_work_is_there_alone() {
    let edit = |id: &str, path: &str| [call(id, "edit", json!({ "path": path, "text": "x" })), result(id, "ok")];
    let mut all = vec![user("First.")];
    all.extend(edit("1", "old.rs"));
    all.extend([assistant("Done with that."), user("Second.")]);
    all.extend(edit("2", "new.rs"));
    let (note, digest) = note_of(&Memory::default(), &all, 4, 500);
    let note = note.unwrap();
    assert!(note.contains("new.rs") && !note.contains("old.rs"), "{note}");
    assert!(digest.contains("old.rs") && !digest.contains("new.rs"), "{digest}");
}

#[test]
fn where_nothing_was_done_there_is_no_note() {
    let (note, digest) = note_of(&Memory::default(), &[user("Hello."), assistant("Hi."), user("Fix it.")], 2, 500);
    assert_eq!(note, None);
    assert!(digest.contains("Hello."));
}

#[test]
fn a_note_goes_on_from_the_memory() {
    let mut memory = Memory::default();
    let mut text = String::new();
    for round in 0..10 {
        let mut all = if round == 0 { vec![user("Read all parts.")] } else { Vec::new() };
        for number in 0..6 {
            let id = format!("{round}.{number}");
            let output = format!("part {id} holds key K{round}{number}X\n{}", filler(300));
            all.extend([call(&id, "read", json!({ "part": id })), result(&id, &output)]);
        }
        let read = messages(memory.upto.count, &all);
        let upto = Position { count: memory.upto.count + all.len() as u64, ..Position::START };
        text = note_of(&memory, &all, 0, 500).0.unwrap();
        memory = Pool::of(&memory, &read).bounded(12_000, upto);
    }
    assert!(text.contains("K95X"), "{text}");
    assert!((0..8).any(|round| (0..6).any(|number| text.contains(&format!("K{round}{number}X")))), "{text}");
}

proptest! {
    #[test]
    fn a_note_is_bounded(
        inputs in prop::collection::vec(("[a-z]{1,6}", "[a-zé世🦀\\-(… #\n]{0,400}", "[a-z→×:(\n ]{0,400}"), 0..40),
        said in "[a-zé世 \n]{0,900}",
        room in 0_u64..1_500,
    ) {
        let mut all = vec![user(&filler(40))];
        for (at, (name, input, output)) in inputs.iter().enumerate() {
            let id = at.to_string();
            all.extend([call(&id, name, json!({ "input": input })), result(&id, output)]);
        }
        all.push(assistant(&said));
        if let Some(note) = note_of(&Memory::default(), &all, 0, room).0 {
            let size = tokens::of_text(&estimator(), &note);
            prop_assert!(size <= room.max(60) + 8, "{} of {room}: {note}", size);
        }
    }
}
