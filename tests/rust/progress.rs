//! The progress note: what was done about the request of the active turn.

use crate::memory::{estimator, messages, source};
use crate::support::good_summary;
use crate::support::ours;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::spoken_step;
use crate::support::strategy_chats;
use crate::support::tool_steps;
use crate::support::tool_turns;
use crate::support::words;
use crate::support::{M, assistant, call, filler, result, user};
use precis::base::markers;
use precis::memory::Memory;
use precis::memory::digest::Source;
use precis::memory::pool::Pool;
use precis::memory::progress::Steps;
use precis::model::message::Position;
use precis::model::message::Role;
use precis::tokens;
use proptest::prelude::*;
use serde_json::json;

/// The note on what came after the message with the index `turn`, and the digest beside it.
fn note_of(memory: &Memory, all: &[M], turn: u64, room: u64) -> (Option<String>, String) {
    let messages = messages(memory.upto.count, all);
    let (known, estimator) = (Pool::of(memory, &messages), estimator());
    let source = Source { turn: Some(turn), ..source(&known, &estimator) };
    (source.progress(room, Steps::Follow), source.digest(2_000, false).0)
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

/// F08 of docs/guarantees.md.
#[test]
fn what_was_done_about_a_request_is_said_and_the_newest_request_is_the_last_one() {
    let mut chat = small_chat(4_000);
    let mut history = vec![user("Delete the branch old-1."), assistant("Deleted.")];
    history.extend(tool_turns(6, 900));
    history.push(user("Migrate the table users."));
    history.extend((0..12).flat_map(|number| {
        let id = format!("sql_{number}");
        [
            call(&id, "run_sql", json!({ "statement": number })),
            result(&id, &format!("statement {number} ok, {}", filler(500))),
        ]
    }));
    let prepared = send_checked(&mut chat, &history, None);
    let typed: Vec<&M> =
        prepared.view.iter().filter(|message| history.contains(message) && message.role == Role::User).collect();
    assert_eq!(words(typed.last().unwrap()), "Migrate the table users.");
    let note = words(ours(&prepared.view, markers::PROGRESS)[0]);
    assert!(note.contains("do not repeat") && note.contains("run_sql"), "{note}");
}

/// E4 of the original preset.
#[test]
fn a_chain_inside_the_turn_is_told_in_a_progress_note() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = vec![user("Go through all files."), assistant("I will.")];
        history.extend((0..40).flat_map(|number| spoken_step(number, 500, &format!("file {number} is fine"))));
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        let note = prepared.view.iter().map(words).find(|text| text.starts_with(markers::PROGRESS)).unwrap();
        let told: Vec<usize> =
            note.lines().filter_map(|line| line.strip_prefix("→ edit step=")?.parse().ok()).collect();
        assert!(told.len() >= 10 && told.is_sorted(), "{strategy}: {note}");
        assert!(told.last() > Some(&34), "the newest that left is among them; {strategy}: {note}");
        assert_eq!(prepared.view[1], history[0], "{strategy}: the request stands before it");
    }
}

/// X17 of docs/guarantees.md.
#[test]
fn what_ran_is_told_with_its_arguments_as_done() {
    let mut history = vec![user("Publish the release 4.2.")];
    history.extend([call("p", "publish", json!({ "version": "4.2" })), result("p", "published")]);
    history.extend(tool_steps(40, 700).into_iter().flat_map(|message| [message]));
    let prepared = send_checked(&mut small_chat(4_000), &history, None);
    let view: String = prepared.view.iter().map(words).collect::<Vec<_>>().join("\n");
    assert!(view.contains("do not repeat"), "{view}");
    assert!(view.contains("publish"), "{view}");
}
