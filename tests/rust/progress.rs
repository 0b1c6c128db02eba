//! The progress note: what was done about the request of the active turn.

use crate::memory::messages;
use crate::support::{M, assistant, call, filler, result, user};
use precis::base::markers;
use precis::memory::absorb::Recollection;
use precis::memory::digest::Source;
use precis::memory::{Memory, recover};
use precis::model::message::Position;
use proptest::prelude::*;
use serde_json::json;

/// The note on what came after the message with the index `turn`, and the digest beside it.
fn note_of(memory: &Memory, all: &[M], turn: u64, bytes: usize) -> (Option<String>, String) {
    let messages = messages(memory.upto.count, all);
    let known = Recollection::of(memory, &messages);
    let source =
        Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: Some(turn) };
    (source.progress(bytes), source.digest(8_000, false).0)
}

fn note(all: &[M]) -> String {
    note_of(&Memory::default(), all, 0, 2_000).0.expect("something was done")
}

fn steps(numbers: core::ops::Range<usize>) -> Vec<M> {
    let step = |number: usize| {
        let id = format!("step {number}");
        [call(&id, &format!("step{number}"), json!({ "n": number })), result(&id, &format!("done {number}"))]
    };
    numbers.flat_map(step).collect()
}

#[test]
fn calls_are_listed_with_what_came_of_them_and_without_frames() {
    let output = |code: &str, text: &str| format!("<returncode>{code}</returncode>\n<output>\n{text}\n</output>");
    let text = note(&[
        user("Deploy it."),
        call("a", "bash", json!({ "command": "cd /srv && git tag" })),
        result("a", &output("0", "v1.4.2")),
        call("b", "bash", json!({ "command": "deploy staging" })),
        result("b", &output("1", "permission denied")),
        assistant("The deployment failed: permission denied."),
    ]);
    assert!(text.starts_with(markers::PROGRESS), "{text}");
    assert!(text.contains("\n- bash git tag → v1.4.2\n"), "{text}");
    assert!(text.contains("\n- bash deploy staging → exit 1: permission denied\n"), "{text}");
    assert!(text.ends_with("\nThe assistant's last words on it: The deployment failed: permission denied."), "{text}");
}

#[test]
fn a_call_without_a_result_is_listed_and_each_result_belongs_to_its_own_call() {
    let text = note(&[
        user("Read them."),
        call("call_0", "read", json!({ "n": "one" })),
        result("call_0", "the first"),
        call("call_0", "read", json!({ "n": "two" })),
        result("call_0", "the second"),
        call("call_0", "read", json!({ "n": "three" })),
    ]);
    assert!(text.contains("\n- read: one → the first\n"), "{text}");
    assert!(text.contains("\n- read: two → the second\n"), "{text}");
    assert!(text.ends_with("\n- read: three"), "{text}");
}

#[test]
fn what_the_note_says_is_not_in_the_digest_and_earlier_work_is_there_alone() {
    let mut all = vec![user("Mend the parser."), call("a", "bash", json!({ "command": "npm test" }))];
    all.extend([result("a", "3 failed"), assistant("Three tests fail."), user("Then mend the printer.")]);
    all.extend([call("b", "write", json!({ "path": "printer.ts", "content": "export {}" })), result("b", "ok")]);
    all.push(assistant("The printer is mended."));
    let (note, digest) = note_of(&Memory::default(), &all, 4, 2_000);
    let note = note.expect("something was done");
    assert!(note.contains("write printer.ts") && note.contains("The printer is mended."), "{note}");
    assert!(!note.contains("npm test") && !note.contains("Three tests fail."), "{note}");
    assert!(digest.contains("- bash npm test → 3 failed"), "{digest}");
    assert!(!digest.contains("- write printer.ts") && !digest.contains("The assistant: "), "{digest}");
}

#[test]
fn where_nothing_was_done_there_is_no_note() {
    assert_eq!(note_of(&Memory::default(), &[user("Mend it.")], 0, 2_000).0, None);
    let before =
        [user("Mend it."), call("a", "bash", json!({ "command": "ls" })), result("a", "a.ts"), user("And now?")];
    assert_eq!(note_of(&Memory::default(), &before, 3, 2_000).0, None);
}

#[test]
fn a_note_goes_on_from_the_memory_and_says_how_many_it_leaves_out() {
    let mut memory = Memory::default();
    let mut last = String::new();
    for turn in 0..10 {
        let mut all = if turn == 0 { vec![user("Take every step.")] } else { Vec::new() };
        all.extend(steps(turn * 5..turn * 5 + 5));
        let (note, _) = note_of(&memory, &all, 0, 1_500);
        let read = messages(memory.upto.count, &all);
        let upto = Position { count: memory.upto.count + all.len() as u64, ..Position::START };
        memory = Memory { upto, ..Recollection::of(&memory, &read).bounded(8_000, 48_000, "") };
        last = note.expect("something was done");
    }
    let listed = last.matches("\n- step").count();
    assert!(last.contains(&format!("(… {} more …)", 50 - listed)), "{last}");
    assert!(listed > 10 && last.ends_with("\n- step49: 49 → done 49"), "{last}");
}

#[test]
fn of_too_much_changes_checks_and_what_failed_stay() {
    let mut all = vec![user("Mend it.")];
    all.extend([call("e", "edit", json!({ "path": "a.rs", "new_string": "one" })), result("e", "ok")]);
    all.extend([call("t", "bash", json!({ "command": "cargo test" })), result("t", "test result: ok. 3 passed")]);
    all.extend([call("f", "fetch", json!({ "page": "first" })), result("f", "Error: no route to host")]);
    all.extend(steps(0..40));
    let (note, _) = note_of(&Memory::default(), &all, 0, 1_000);
    let note = note.expect("something was done");
    for kept in
        ["- edit a.rs: one", "- bash cargo test → test result: ok. 3 passed", "→ failed: Error: no route", "step39"]
    {
        assert!(note.contains(kept), "{kept}: {note}");
    }
    assert!(!note.contains("step0:"), "{note}");
}

#[test]
fn of_what_only_looked_the_newest_stand_in_a_note_and_each_line_says_what_came_of_it() {
    let mut all = vec![user("Find it.")];
    for at in 0..40 {
        let id = format!("r{at}");
        let path = format!("/srv/app/packages/billing/src/parts/part{at}.ts");
        all.extend([call(&id, "read", json!({ "path": path })), result(&id, &format!("export const part = {at};"))]);
    }
    all.extend(steps(0..40));
    let (memory, messages) = (Memory::default(), messages(0, &all));
    let known = Recollection::of(&memory, &messages);
    let references = Some(messages.len() as u64);
    let source = Source { known: &known, summary: "", todos: &[], visible: &|_| false, references, turn: Some(0) };
    let text = source.progress(3_000).expect("something was done");
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(lines.iter().all(|line| line.contains(" → ")), "{text}");
    assert!(lines.iter().filter(|line| line.starts_with("- read")).count() <= 6, "{text}");
    assert!(lines.len() > 15 && text.contains("- step39: 39 → done 39"), "{text}");
}

#[test]
fn new_files_with_names_alike_share_a_line() {
    let mut all = vec![user("Mend it.")];
    for at in 0..15 {
        let id = format!("w{at}");
        let command = format!("cat > test_{at}.py <<'EOF'\nprint({at})\nEOF");
        all.extend([call(&id, "bash", json!({ "command": command })), result(&id, "")]);
    }
    all.extend([call("x", "bash", json!({ "command": "cat > fix_all.py <<'EOF'\nrun()\nEOF" })), result("x", "")]);
    let text = note(&all);
    assert!(text.contains("\n- wrote 15 test_*.py, the last one test_14.py: print(14)\n"), "{text}");
    assert!(text.contains("\n- bash cat > fix_all.py: run()") && text.matches("test_").count() == 2, "{text}");
}

#[test]
fn the_note_of_an_earlier_version_is_read_where_no_memory_is_left() {
    let note = format!(
        "{}: what has been done about it so far. Already done, do not repeat.]\n- 12 earlier tool calls, see the summary\n- charge (2×): card_1, 20 → ok: paid\n- bash: deploy (staging): now → failed: permission denied\n- (3 earlier ones are left out)\n- edit a.rs (3×, 1 failed): new ← was old (r12)\nThe assistant's last words on it: It failed.",
        markers::PROGRESS
    );
    let work = recover::work(&note, 7);
    let [counted, charged, deployed, edited] = work.as_slice() else { panic!("{work:?}") };
    assert_eq!(counted.what, "12 earlier tool calls, see the summary");
    assert_eq!((charged.what.as_str(), charged.calls, charged.last.as_str()), ("charge", 2, "card_1, 20"));
    assert_eq!(charged.outcome.as_deref(), Some("ok: paid"));
    assert_eq!((deployed.what.as_str(), deployed.last.as_str()), ("bash", "deploy (staging): now"));
    assert_eq!((edited.calls, edited.failures, edited.last.as_str()), (3, 1, "new ← was old"));
    assert!(work.iter().all(|one| one.at == 7));
}

proptest! {
    #[test]
    fn a_note_is_bounded(
        inputs in prop::collection::vec(("[a-z]{1,6}", "[a-zé世🦀\\-(… #\n]{0,400}", "[a-z→×:(\n ]{0,400}"), 0..40),
        said in "[a-zé世 \n]{0,900}",
        bytes in 0_usize..6_000,
    ) {
        let mut all = vec![user(&filler(40))];
        for (at, (name, input, output)) in inputs.iter().enumerate() {
            let id = at.to_string();
            all.extend([call(&id, name, json!({ "input": input })), result(&id, output)]);
        }
        all.push(assistant(&said));
        if let Some(note) = note_of(&Memory::default(), &all, 0, bytes).0 {
            prop_assert!(note.len() <= bytes.max(400) + 40, "{} of {bytes}: {note}", note.len());
        }
    }
}

#[test]
fn new_files_that_were_removed_are_not_told_as_there() {
    let mut all = vec![user("Test it.")];
    for name in ["a", "b", "c"] {
        let path = format!("t/test_{name}.py");
        all.extend([call(name, "write", json!({ "path": path, "content": "x = 1" })), result(name, "ok")]);
    }
    all.extend([call("rm", "bash", json!({ "command": "rm t/test_*.py" })), result("rm", "")]);
    let text = note(&all);
    assert!(!text.contains("wrote 3") && text.matches("since removed").count() == 3, "{text}");
}
