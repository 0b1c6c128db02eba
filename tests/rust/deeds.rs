//! What a digest says about the work: what came of each activity, what was changed, what failed, what is open and comes next.

use crate::memory::messages;
use crate::support::{M, P, assistant, call, filler, result, user};
use precis::memory::absorb::Recollection;
use precis::memory::digest::Source;
use precis::memory::{Memory, records};
use precis::model::message::Role;
use serde_json::json;

pub fn digest(all: &[M]) -> String {
    let memory = Memory::default();
    let messages = messages(0, all);
    let known = Recollection::of(&memory, &messages);
    Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: None }
        .digest(8_000, false)
        .0
}

/// The line that holds this.
pub fn line<'d>(digest: &'d str, what: &str) -> &'d str {
    digest.lines().find(|line| line.contains(what)).unwrap_or_default()
}

pub fn calls(pairs: &[(&str, serde_json::Value, &str)]) -> Vec<M> {
    let mut all = vec![user("Mend the build.")];
    for (at, (name, input, output)) in pairs.iter().enumerate() {
        let id = format!("c{at}");
        all.extend([call(&id, name, input.clone()), result(&id, output)]);
    }
    all
}

#[test]
fn each_command_is_told_with_what_came_of_it() {
    let text = digest(&calls(&[
        ("bash", json!({"command": "cat a.txt"}), "alpha"),
        ("bash", json!({"command": "cat b.txt"}), "beta"),
        ("bash", json!({"command": "cd /srv && pwd"}), "/srv"),
    ]));
    assert!(line(&text, "a.txt").ends_with("→ alpha"), "{text}");
    assert!(line(&text, "b.txt").ends_with("→ beta"), "{text}");
    assert!(line(&text, "pwd").ends_with("→ /srv") && !text.contains("cd /srv"), "{text}");
}

#[test]
fn calls_that_came_to_the_same_are_one_line_with_a_count() {
    let commit =
        |message: &str| ("bash", json!({"command": format!("git add -A && git commit -m {message}")}), "checks passed");
    let text = digest(&calls(&[commit("one"), commit("two"), commit("three")]));
    let told = line(&text, "git commit");
    assert!(told.contains("(3×)") && told.ends_with("→ checks passed"), "{text}");
    assert_eq!(text.matches("git commit").count(), 1, "{text}");
}

#[test]
fn a_file_that_a_command_writes_is_a_change_of_that_file() {
    let bash = |command: &str| ("bash", json!({ "command": command }), "");
    let text = digest(&calls(&[
        bash("cd /srv && cat > src/a.py <<'EOF'\nimport re\nEOF"),
        bash("cat <<EOF > src/a.py\nimport os\nEOF\n"),
        bash("tee -a b.txt << \"END\"\nnew\nEND"),
        bash("cd /srv && sed -i 's/one two/three/g' src/c.py"),
        bash("sed -i '3d' src/c.py"),
    ]));
    assert_eq!(line(&text, "src/a.py"), "- bash cat > src/a.py (2×): import os", "{text}");
    assert_eq!(line(&text, "b.txt"), "- bash appended to b.txt: new", "{text}");
    assert_eq!(line(&text, "src/c.py"), "- bash sed -i src/c.py (2×): '3d'", "{text}");
}

#[test]
fn a_program_is_named_without_what_only_says_how_it_runs_or_how_much_is_shown() {
    for (command, named) in [
        ("python -m pytest tests/a.py -x 2>&1 | tail -20", "- bash python -m pytest: tests/a.py -x → 3 passed"),
        ("python -m pytest tests/a.py | head -n 5", "- bash python -m pytest: tests/a.py → 3 passed"),
        ("cd /srv && source venv/bin/activate && pytest -q", "- bash pytest -q → 3 passed"),
        ("CI=1 PYTHONPATH=src timeout -k 5 60s uv run pytest", "- bash uv run pytest → 3 passed"),
        ("export CI=1 && npx -y vitest run", "- bash vitest run → 3 passed"),
        ("cd /srv\nmake all && echo made", "- bash make all: && echo made → 3 passed"),
        ("head a | tail -n5", "- bash head a → 3 passed"),
        ("grep a b | wc -l | tail -1", "- bash grep a: b | wc -l → 3 passed"),
        ("x == y | tail -f log", "- bash x: == y | tail -f log → 3 passed"),
        ("make a || tail -5", "- bash make a: || tail -5 → 3 passed"),
        ("2to3 -w a.py", "- bash 2to3 -w: a.py → 3 passed"),
        ("2>&1", "- bash → 3 passed"),
        ("env ", "- bash env → 3 passed"),
    ] {
        let text = digest(&calls(&[("bash", json!({ "command": command }), "3 passed")]));
        assert_eq!(line(&text, "passed"), named, "{command}");
    }
}

#[test]
fn what_matters_is_longer_than_other_work_where_room_is_short() {
    let long = |start: &str| format!("{start} {}", "and much more of the same ".repeat(6));
    let mut all = vec![user("Mend the build.")];
    for (at, (command, output)) in [
        ("cat one.txt", long("first")),
        ("cat two.txt", long("second")),
        ("npm test", long("Error: expected 345, got 344")),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("c{at}");
        all.extend([
            call(&id, "bash", json!({ "command": format!("{command} {}", "-v ".repeat(40)) })),
            result(&id, &output),
        ]);
    }
    let (memory, messages) = (Memory::default(), messages(0, &all));
    let known = Recollection::of(&memory, &messages);
    let source = Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: None };
    let text = source.digest(500, false).0;
    let (read, check) = (line(&text, "one.txt"), line(&text, "npm test"));
    assert!(check.len() > read.len() * 3 / 2, "{text}");
    assert!(check.contains("→ failed: Error: expected 345"), "{text}");
    assert!(!read.contains('→') && read.contains("cat"), "{text}");
}

#[test]
fn a_line_that_is_cut_keeps_its_reference() {
    let mut all = vec![user(&format!("Mend the build. {}", "And the tests, all of them. ".repeat(10)))];
    for at in 0..4 {
        let id = format!("c{at}");
        let flags = "-v ".repeat(40);
        all.push(call(&id, "bash", json!({ "command": format!("cat {at}.txt {flags}") })));
        all.push(result(&id, &"word ".repeat(30)));
        all.push(call(&format!("d{at}"), "get_order", json!({ "id": format!("#W261134{at}") })));
        let order = json!({ "status": "pending", "names": vec![format!("K7QZP{at} and a long name"); 20] });
        all.push(result(&format!("d{at}"), &order.to_string()));
    }
    let (memory, messages) = (Memory::default(), messages(0, &all));
    let known = Recollection::of(&memory, &messages);
    let references = Some(all.len() as u64);
    let source = Source { known: &known, summary: "", todos: &[], visible: &|_| false, references, turn: None };
    for bytes in (700..2_400).step_by(50) {
        let text = source.digest(bytes, false).0;
        let lines: Vec<&str> =
            text.lines().filter(|line| line.contains("bash") || line.contains("- get_order")).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.ends_with(')') && line.contains(" (r")), "{text}");
        assert!(line(&text, "Mend the build").ends_with(" (r0)"), "{text}");
        assert!(text.len() <= bytes + 100, "{} of {bytes}: {text}", text.len());
    }
}

#[test]
fn a_script_that_a_command_writes_and_runs_is_shown_with_what_came_of_it() {
    let command = "mkdir -p out && cat > fix.py << 'EOF'\nprint('<< fixed')\nEOF\npython fix.py";
    let text = digest(&calls(&[("bash", json!({ "command": command }), "<< fixed")]));
    assert_eq!(line(&text, "fix.py"), "- bash python: fix.py, wrote fix.py → << fixed", "{text}");
    for other in [
        "cat > a.py << 'EOF'\nno end",
        "cat a.py",
        "sed -i 's/a/b/' a.py && python a.py",
        "sed -i 's/a/b/' *.ts",
        "sed -i 's/a b/c/'",
        "echo 'cat > a.py << EOF'\nEOF",
    ] {
        let text = digest(&calls(&[("bash", json!({ "command": other }), "done")]));
        assert!(line(&text, "bash").ends_with("→ done"), "{other}: {text}");
    }
}

#[test]
fn of_many_calls_of_a_kind_the_newest_stand_apart() {
    let all: Vec<_> =
        (0..9).map(|at| ("read", json!({"path": format!("src/part{at}.rs")}), format!("body {at}"))).collect();
    let pairs: Vec<_> = all.iter().map(|(name, input, output)| (*name, input.clone(), output.as_str())).collect();
    let text = digest(&calls(&pairs));
    assert_eq!(text.matches("- read").count(), 4, "{text}");
    assert!(line(&text, "(6×)").contains("part0.rs") && line(&text, "part8.rs").ends_with("→ body 8"), "{text}");
}

#[test]
fn frames_are_no_outcome() {
    let output = "Hello\n[The command completed with exit code 0.]\n[Current working directory: /srv]\n[Command finished with exit code 0]";
    let text = digest(&calls(&[
        ("terminal", json!({"command": "python hello.py", "security_risk": "LOW"}), output),
        (
            "Read",
            json!({"file_path": "/srv/main.py", "offset": 3}),
            "     3\u{2192}import os\n<system-reminder>\nMind this.\n</system-reminder>",
        ),
        ("bash", json!({"command": "npm run check"}), "> app@1.0.0 check\n> tsc --noEmit\n"),
    ]));
    assert_eq!(line(&text, "python"), "- terminal python: hello.py → Hello", "{text}");
    assert_eq!(line(&text, "Read"), "- Read: /srv/main.py → import os", "{text}");
    assert_eq!(line(&text, "npm"), "- bash npm run check → ok", "{text}");
}

#[test]
fn the_last_check_is_told_in_its_own_words() {
    let output = "Checked 232 files.\n../app/src/core/session.ts(5,3): error TS2339: Property 'x' does not exist.\nnpm error code 2\nnpm error command failed";
    let text = digest(&calls(&[("bash", json!({"command": "npm run check"}), output)]));
    assert!(line(&text, "npm run").ends_with("error TS2339: Property 'x' does not exist."), "{text}");
    let long = format!("{}\n{output}", filler(900));
    let text = digest(&calls(&[("bash", json!({"command": "npm run check"}), &long)]));
    assert!(line(&text, "npm run").contains("→ session.ts(5,3): error TS2339: Property 'x' does not exist."), "{text}");
}

#[test]
fn what_failed_before_a_change_went_through_is_told_beside_it() {
    let edit = |old: &str| ("edit", json!({"path": "src/a.rs", "oldText": old, "newText": "fn new() {}"}), "");
    let mut pairs = [edit("fn gone() {}"), edit("fn old() {}")];
    pairs[0].2 = "Error: the old text was not found";
    pairs[1].2 = "Replaced.";
    let told = digest(&calls(&pairs));
    let told = line(&told, "src/a.rs");
    assert!(told.contains("(2×, 1 failed): fn new() {} ← was fn old() {}"), "{told}");
    assert!(told.ends_with("→ failed before: Error: the old text was not found"), "{told}");
}

#[test]
fn an_edit_of_the_open_file_names_that_file() {
    let input = json!({"replacement_text": "return round(x)", "start_line": 7, "end_line": 7});
    let text = digest(&calls(&[("edit", input, "[File: /srv/app/math.py (9 lines total)]\n7:return round(x)")]));
    assert!(line(&text, "math.py").starts_with("- edit /srv/app/math.py: return round(x)"), "{text}");
}

#[test]
fn thinking_aloud_is_no_work_and_a_list_of_todos_comes_next() {
    let todos = json!({"todos": [
        {"content": "Read the code", "status": "completed"},
        {"content": "Write the file", "status": "in_progress"},
        {"content": "Run it", "status": "pending"},
    ]});
    let text = digest(&calls(&[
        ("think", json!({"thought": "The user is a gold member."}), ""),
        ("TodoWrite", todos, "Todos have been modified."),
    ]));
    assert!(!text.contains("gold member"), "{text}");
    let next = &text[text.find("## Open, and next").unwrap_or(text.len())..];
    assert!(next.contains("- [in_progress] Write the file; [pending] Run it; 1 done"), "{text}");
    assert!(!text.contains("modified"), "{text}");
}

#[test]
fn a_tool_that_ends_the_work_answers_the_request() {
    let text = digest(&calls(&[("finish", json!({"message": "The build is green again."}), "")]));
    assert!(line(&text, "Mend the build").ends_with("→ The build is green again."), "{text}");
    assert!(!text.contains("[open]"), "{text}");
}

#[test]
fn whoever_goes_on_after_something_was_done_waits_for_no_answer() {
    let mut all = calls(&[("bash", json!({"command": "make"}), "ok")]);
    all.push(user("Now the docs."));
    let text = digest(&all);
    assert_eq!(line(&text, "Mend the build"), "- Mend the build.", "{text}");
    assert_eq!(line(&text, "Now the docs"), "- [open] Now the docs.", "{text}");
}

#[test]
fn the_first_request_of_an_agent_with_a_prompt_is_a_request() {
    let text = digest(&[
        user("Solve the puzzle in a.txt.\n(Open file: n/a)\n(Current directory: /srv)\nbash-$"),
        assistant("Let's look, then guess\n```\ncat a.txt\n```"),
        user("forty-two\n(Open file: n/a)\n(Current directory: /srv)\nbash-$"),
    ]);
    assert_eq!(line(&text, "Solve"), "- [open] Solve the puzzle in a.txt.", "{text}");
    assert_eq!(line(&text, "cat"), "- bash cat: a.txt → forty-two", "{text}");
    assert!(text.contains("- The assistant: Let's look, then guess"), "{text}");
}

#[test]
fn changes_written_into_words_are_work() {
    let block = |old: &str| {
        format!(
            "Sure, here it is:\n\napp/main.py\n```python\n<<<<<<< SEARCH\n{old}\n=======\nimport sys\n>>>>>>> REPLACE\n```\n\nThis imports sys."
        )
    };
    let text = digest(&[
        user("import sys in the main file"),
        assistant(&block("import so")),
        user("The LLM did not conform to the edit format.\n# 1 SEARCH/REPLACE block failed to match!"),
        assistant(&block("import os")),
        user("Applied edit to app/main.py"),
    ]);
    assert!(line(&text, "edit app/main.py").contains("(2×, 1 failed): import sys ← was import os"), "{text}");
    assert!(
        line(&text, "- import sys in").ends_with("→ here it is: This imports sys.")
            || line(&text, "- [open] import sys").is_empty(),
        "{text}"
    );
    assert!(!text.contains("<<<<<<<") && !text.contains("Applied edit"), "{text}");
}

#[test]
fn the_file_of_a_change_is_the_line_above_its_fence() {
    let change = |fence: &str| {
        assistant(&format!("app/main.py\n{fence}\n<<<<<<< SEARCH\nimport so\n=======\nimport os\n>>>>>>> REPLACE\n```"))
    };
    for fence in ["```python", "<source>python"] {
        let text = digest(&[user("repair the import"), change(fence), user("Applied edit to app/main.py")]);
        assert!(line(&text, "edit app/main.py").contains("import os ← was import so"), "{text}");
    }
}

#[test]
fn what_an_assistant_said_is_shown_without_its_code() {
    let said = "The cap is three:\n```js\nconst retries = Math.min(given, 3)\n```\nIt is read once.";
    let text = digest(&[user("How are retries capped?"), assistant(said), user("Thanks."), assistant("Gladly.")]);
    assert_eq!(line(&text, "- How"), "- How are retries capped? → The cap is three: It is read once.", "{text}");
}

#[test]
fn a_request_that_comes_again_and_comes_to_the_same_is_shown_once() {
    let mut all = vec![user("Set up the project."), assistant("It is set up.")];
    for answer in ["All pass.", "All pass.", "One fails.", "All pass."] {
        all.extend([user("Run them once more"), assistant(answer)]);
    }
    let asked: Vec<String> =
        digest(&all).lines().filter(|line| line.contains("once more")).map(str::to_owned).collect();
    assert_eq!(
        asked,
        ["- Run them once more → All pass.", "- Run them once more → One fails.", "- Run them once more → All pass."]
    );
}

#[test]
fn thanks_and_greetings_are_no_request_and_change_nothing() {
    let remembered = |all: &[M]| Recollection::of(&Memory::default(), &messages(0, all)).memory;
    for courtesy in [
        "Thanks!",
        "Thank you so much for your help!",
        "hi there",
        "yo",
        "Vielen Dank!",
        "merci beaucoup",
        "Muchas gracias",
        "Спасибо большое!",
        "好的，谢谢！",
        "好的，收到，谢谢你！",
        "好，谢谢，我没有问题了。",
        "ありがとうございます。",
        "감사합니다!",
    ] {
        let memory = remembered(&[user("Mend it."), assistant("Mended."), user(courtesy)]);
        assert_eq!(memory.tasks.len(), 1, "{courtesy}");
        assert_eq!(memory.tasks[0].outcome.as_deref(), Some("Mended."), "{courtesy}");
        let twice = remembered(&[user("好的，谢谢你！"), user(courtesy)]);
        assert!(twice.decided.is_empty() && twice.required.is_empty() && twice.told.is_empty(), "{courtesy}");
    }
    for request in [
        "Thanks, now deploy it",
        "ok",
        "Yes, please",
        "Hello, who is there?",
        "好的，谢谢，那地址呢？",
        "Thanks. Port 80?",
    ] {
        assert_eq!(remembered(&[user("Mend it."), assistant("Mended."), user(request)]).tasks.len(), 2, "{request}");
    }
}

#[test]
fn a_request_says_what_it_is_about_where_its_sentences_are_kept_elsewhere() {
    let asked = |text: &str| {
        let memory = Recollection::of(&Memory::default(), &messages(0, &[user(text)])).memory;
        memory.tasks.first().map(|task| task.text.clone()).unwrap_or_default()
    };
    let long =
        "I have a flight from Boston to Minneapolis on May 20, and my reservation is the one with the ID YAX4DR.";
    let label = asked(&format!("Hi! {long} Could you help me with that?"));
    assert!(label.starts_with("Hi! I have a flight from Boston"), "{label}");
    assert!(label.ends_with("… Could you help me with that?") && label.len() < 130, "{label}");
    let whole = asked("Find out why the tests of the parser fail on Windows and nowhere else. Never touch the lexer.");
    assert_eq!(whole, "Find out why the tests of the parser fail on Windows and nowhere else");
}

#[test]
fn an_answer_is_shown_without_its_pleasantries_unless_they_say_more() {
    let outcome = |answer: &str| {
        let all = [user("Cancel it."), assistant(answer), user("And?")];
        Recollection::of(&Memory::default(), &messages(0, &all)).memory.tasks[0].outcome.clone().unwrap_or_default()
    };
    assert_eq!(outcome("I'd be happy to help you cancel it. Which reservation is it?"), "Which reservation is it?");
    assert_eq!(
        outcome("I understand your concern, but it cannot be cancelled. Sorry."),
        "I understand your concern, but it cannot be cancelled. Sorry."
    );
}

#[test]
fn what_an_agent_wrote_beside_a_request_is_none() {
    let banner = "Aider v0.48.2-dev\nModels: gpt-4o with diff edit format\nUse /help <question> for help, always";
    let text = digest(&[
        user(&format!("{banner}\nMake the limit three.")),
        assistant("It is three."),
        user("Tokens: 1,497 sent, 57 received. Cost: $0.0053 request, $0.0053 session."),
        assistant("Anything else?"),
    ]);
    assert_eq!(line(&text, "Make the limit"), "- Make the limit three. → It is three.", "{text}");
    assert!(!text.contains("/help") && !text.contains("Tokens: "), "{text}");
    for typed in ["Tokens: never more than 500", "Model: never switch it", "Git repo: never push to it"] {
        assert!(digest(&[user(typed), assistant("Understood.")]).contains(typed), "{typed}");
    }
}

#[test]
fn what_is_typed_behind_the_report_of_an_agent_is_a_request() {
    let block = "a.py\n```python\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```";
    let report = "Tokens: 7,373 sent, 764 received. Cost: $0.03 request, $0.03 session.\nApplied edit to a.py\n\
                  Commit b272bcc feat: Two\nYou can use /undo to revert and discard commit b272bcc.";
    let said = |typed: &str| digest(&[user("Mend it."), assistant(block), user(&format!("{report}\n\n{typed}\n"))]);
    let text = said("don't use --no-git in those tests\n\n\n^C again to exit");
    assert_eq!(line(&text, "--no-git"), "- don't use --no-git in those tests", "{text}");
    assert!(line(&text, "edit a.py").ends_with("→ commit b272bcc"), "{text}");
    assert!(!text.contains("^C"), "{text}");
    let text = said("/add b.py\nAdded b.py to the chat\n\nBuild a map of the folder too");
    assert_eq!(line(&text, "Build a map"), "- [open] Build a map of the folder too", "{text}");
    for printed in ["# Fix any errors below, if possible.\n\nAlways import what is used", "/test pytest\nNever failed"]
    {
        assert_eq!(said(printed).matches("- [open]").count(), 1, "{printed}");
        assert!(!said(printed).contains("## Required"), "{printed}");
    }
}

#[test]
fn a_question_that_a_person_answered_is_not_open() {
    let asks = assistant("I found two flights. Which date do you want to fly on?");
    let before = digest(&[user("Book a flight to Oslo."), asks.clone()]);
    assert!(before.contains("Which date"), "{before}");
    let answered =
        [user("Book a flight to Oslo."), asks.clone(), user("My date is 2025-11-28."), call("a", "book", json!({}))];
    assert!(!digest(&answered).contains("## Open"), "{}", digest(&answered));
    let agreed = digest(&[user("Book a flight to Oslo."), asks, user("Yes, please!")]);
    assert!(agreed.contains("Which date"), "{agreed}");
}

#[test]
fn of_a_traceback_the_error_is_shown() {
    let frames = "  File \"a.py\", line 3, in <module>\n    from api.simple import lint, APIParsingError\n".repeat(3);
    let trace = format!("Traceback (most recent call last):\n{frames}");
    let run = |output: &str| digest(&calls(&[("bash", json!({"command": "python a.py"}), output)]));
    let text = run(&format!("{trace}KeyError: 'dialect'\nin all 3 files"));
    assert!(line(&text, "python").contains("→ failed: KeyError: 'dialect'"), "{text}");
    let cut = run(&trace);
    assert!(line(&cut, "python").ends_with("→ failed: Traceback (most recent call last):"), "{cut}");
    let chained = format!(
        "{trace}KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n{trace}OSError: no disk"
    );
    assert!(line(&run(&chained), "python").contains("→ failed: OSError: no disk"), "{}", run(&chained));
}

#[test]
fn each_tool_has_its_newest_records() {
    let find = |at: usize| {
        ("search", json!({"date": format!("2024-05-{at}")}), r#"{"flight": "HAT1", "price": 100, "seats": 7}"#)
    };
    let mut all =
        vec![("reservation", json!({"id": "X7BYG1"}), r#"{"flight": "HAT232", "cabin": "economy", "paid": 120}"#)];
    all.extend((10..30).map(find));
    let text = digest(&calls(&all));
    assert!(line(&text, "X7BYG1").contains("cabin=economy"), "{text}");
    let messages = messages(0, &calls(&all));
    let memory = Memory::default();
    let bounded = Recollection::of(&memory, &messages).bounded(1_200, 60_000, "");
    assert!(bounded.records.len() < 20, "the bound is reached");
    assert!(bounded.records.iter().any(|record| record.text.contains("X7BYG1")), "{:?}", bounded.records);
}

#[test]
fn what_was_found_on_the_way_stands_before_the_last_words() {
    let step = |at: usize, said: &str| {
        let mut message = call(&format!("c{at}"), "bash", json!({"command": format!("run {at}")}));
        message.parts.insert(0, P::Text(said.to_owned()));
        [message, result(&format!("c{at}"), "done")]
    };
    let mut all = vec![user("Why does the upload fail?")];
    for (at, said) in
        ["The upload fails because the bucket is read-only.", "Let me look at the policy.", "Now let me try it again:"]
            .iter()
            .enumerate()
    {
        all.extend(step(at, said));
    }
    let (memory, messages) = (Memory::default(), messages(0, &all));
    let known = Recollection::of(&memory, &messages);
    let source =
        Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: Some(0) };
    let note = source.progress(2_000).unwrap_or_default();
    assert!(note.contains("- The assistant: The upload fails because the bucket is read-only.\n"), "{note}");
    assert!(note.ends_with("The assistant's last words on it: Now let me try it again:"), "{note}");
    assert!(!note.contains("look at the policy"), "{note}");
}

#[test]
fn what_a_program_puts_beside_a_request_is_none() {
    let parts = vec![
        P::Text("<system-reminder>\nThe user provided a reference.\n</system-reminder>".to_owned()),
        P::Text("Give me 4 paragraphs of filler".to_owned()),
    ];
    let text = digest(&[M { role: Role::User, parts }, assistant("Here they are.")]);
    assert_eq!(line(&text, "4 paragraphs"), "- Give me 4 paragraphs of filler → Here they are.", "{text}");
    assert!(!text.contains("reference"), "{text}");
}

#[test]
fn of_a_long_line_the_outcome_is_kept_as_well() {
    let memory = Memory::default();
    let request = "word ".repeat(60);
    let all = [user(&request), assistant("It is done, and the port is 5433."), user("More?")];
    let messages = messages(0, &all);
    let known = Recollection::of(&memory, &messages);
    let text = Source { known: &known, summary: "", todos: &[], visible: &|_| false, references: None, turn: None }
        .digest(330, false)
        .0;
    assert!(line(&text, "word word").contains("→ It is done"), "{text}");
}

#[test]
fn a_response_in_a_wrapper_is_a_record() {
    use precis::ingest::content::Value;
    let told = |text: &str| records::line(&Value::Text(text.to_owned()), 300).unwrap_or_default();
    assert_eq!(
        told(r#"{"error": "", "response": "{'id': 'A7', 'open': True, 'note': None, 'phone': '+687 27'}"}"#),
        "id=A7, open=yes, phone=+687 27"
    );
    // Cut as it was recorded: what stands before the cut is told.
    let cut = r#"{"error": "", "response": "[{\"id\":\"E\",\"phone\":\"1 2\"},{\"id\":\"F\",\"code\":\"98\",\"phone\":\"3 4\"},{\"id\":\"G"#;
    assert!(told(cut).starts_with("id|phone: E|1 2; F|3 4"), "{}", told(cut));
    for text in ["[main] started", "{}", "[File: a.py (3 lines)]", "{'", "[{"] {
        assert_eq!(told(text), "", "{text}");
    }
}

#[test]
fn a_commit_is_told_with_its_message_and_its_hash() {
    let bash = |command: &str, output| ("bash", json!({ "command": command }), output);
    let made = "All checks passed\n[main 1a2b3c4] Mend\n 2 files changed";
    let text = digest(&calls(&[
        bash("git add -A && git commit -m \"Mend the parser\" && git push", made),
        bash("git commit -am 'Test the parser'", "[fix/parser (root-commit) 0f0f0f0f] Test\n 1 file changed"),
        bash("git commit -m \"$(cat <<'EOF'\nName the parts\n\nThey had none.\nEOF\n)\"", "nothing to commit"),
        bash("git commit --amend --author='Tom Berg <tom@berg.example>'", "[main 77777777] Mend"),
    ]));
    for told in [
        "bash git commit: Mend the parser → [main 1a2b3c4]",
        "bash git commit: Test the parser → [fix/parser (root-commit) 0f0f0f0f]",
        "bash git commit: Name the parts → nothing to commit",
        "bash git commit: --amend --author='Tom Berg <tom@berg.example>' → [main 77777777]",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
}

#[test]
fn what_is_written_is_told_without_the_signs_of_a_comment() {
    let write = |path: &str, content: &str| ("write", json!({ "path": path, "content": content }), "ok");
    let text = digest(&calls(&[
        write("src/a.ts", "/**\n * Reads dates.\n */\nexport const a = 1;"),
        write("b.md", "# The plan\n\nFirst …"),
        write("c.css", "#id { color: red }"),
    ]));
    assert!(line(&text, "a.ts").contains("a.ts: Reads dates."), "{text}");
    assert!(line(&text, "b.md").contains("b.md: The plan"), "{text}");
    assert!(line(&text, "c.css").contains("c.css: #id {"), "{text}");
}

#[test]
fn what_only_prepares_is_no_work_unless_it_failed() {
    let bash = |command: &str, output| ("bash", json!({ "command": command }), output);
    let text = digest(&calls(&[bash("mkdir -p src/new", ""), bash("ls src", "new")]));
    assert!(!text.contains("mkdir") && text.contains("→ new"), "{text}");
    let text = digest(&calls(&[bash("cd /srv/app", ""), bash("export A=b", ""), bash("pwd", "/srv/app")]));
    assert!(!text.contains("bash cd") && !text.contains("export") && text.contains("→ /srv/app"), "{text}");
    let write = ("write", json!({"path": "src/mkdir.ts", "content": "export const mkdir = 1;"}), "ok");
    let text = digest(&calls(&[write, bash("sh mkdir_all.sh", "done")]));
    assert!(text.contains("src/mkdir.ts") && text.contains("mkdir_all.sh"), "{text}");
    let text = digest(&calls(&[bash("mkdir src", "Error: File exists"), bash("ls src", "new")]));
    assert!(text.contains("mkdir") && text.contains("File exists"), "{text}");
}

#[test]
fn a_name_that_only_ends_like_a_check_is_none() {
    let told = |tool: &str| {
        let call = |of: &'static str, output| (tool.to_owned(), json!({ "of": of }), output);
        let all = [call("Rome", "sunny"), call("Oslo", "snow")];
        let all: Vec<_> = all.iter().map(|(tool, input, output)| (tool.as_str(), input.clone(), *output)).collect();
        digest(&calls(&all)).matches(&format!("- {tool}")).count()
    };
    for tool in ["get_latest", "find_contest", "get_greatest"] {
        assert_eq!(told(tool), 2, "{tool}");
    }
    for tool in ["run_tests", "pytest", "typecheck", "eslint"] {
        assert_eq!(told(tool), 1, "{tool}");
    }
}

#[test]
fn what_follows_a_group_of_commands_is_shown_without_its_bracket() {
    let command = "[ -n \"$PR\" ] || { echo none; exit 1; }\nLINKED=$(gh api graphql -f query=abc)\necho $LINKED";
    let text = digest(&calls(&[("bash", json!({ "command": command }), "2168")]));
    assert!(line(&text, "gh api graphql").starts_with("- bash gh api graphql"), "{text}");
}

#[test]
fn an_answer_in_an_object_is_shown_as_it_reads() {
    let answer = r#"{"message":"Yes.\nI need your user ID."}"#;
    let text = digest(&[user("Could you move my flight?"), assistant(answer), user("Sure: mia_li_3668")]);
    assert_eq!(line(&text, "Could you move"), "- Could you move my flight? → Yes. I need your user ID.", "{text}");
    for wanted in [
        r#"{"code":404,"message":"User not found","retry":false}"#,
        r#"{"subject":"Your order","content":"It ships on Monday."}"#,
        r#"{"text":"Great shop","label":"positive"}"#,
    ] {
        let text = digest(&[user("Give me the object in JSON?"), assistant(wanted)]);
        assert!(line(&text, "Give me").ends_with(&format!("→ {wanted}")), "{text}");
    }
    let answer = r#"{"thought":"They need the id first.","answer":"Which flight?","confidence":0.9}"#;
    let text = digest(&[user("Could you move my flight?"), assistant(answer)]);
    assert!(line(&text, "Could you move").ends_with("→ Which flight?"), "{text}");
    for plain in [r#"{"flights":["HAT001","HAT002"]}"#, r#"{"message":"cut off"#, r#"{"answer":["a"],"note":"b"}"#] {
        let text = digest(&[user("Could you move my flight?"), assistant(plain)]);
        assert!(line(&text, "Could you move").ends_with(&format!("→ {plain}")), "{text}");
    }
}

#[test]
fn calls_that_an_assistant_without_tools_writes_as_tags_are_work() {
    let called = |name: &str, parameters: &[(&str, &str)]| {
        let parameters: String =
            parameters.iter().map(|(key, value)| format!("<parameter={key}>{value}</parameter>\n")).collect();
        format!("<function={name}>\n{parameters}</function>")
    };
    let text = digest(&[
        user("Is there a hello.py?"),
        assistant(&format!("I look first.\n\n{}", called("terminal", &[("command", "cd /srv && cat hello.py")]))),
        user("EXECUTION RESULT of [terminal]:\ncat: hello.py: No such file or directory"),
        assistant(&called(
            "str_replace_editor",
            &[("command", "create"), ("path", "/srv/hello.py"), ("file_text", "\nprint('hello')\n")],
        )),
        user("EXECUTION RESULT of [str_replace_editor]:\nFile created successfully at: /srv/hello.py"),
        assistant(&called("finish", &[("message", "hello.py prints a greeting.")])),
    ]);
    assert_eq!(line(&text, "Is there"), "- Is there a hello.py? → hello.py prints a greeting.", "{text}");
    assert!(line(&text, "cat").starts_with("- terminal cat: hello.py → "), "{text}");
    assert!(line(&text, "No such file").ends_with("No such file or directory"), "{text}");
    assert_eq!(line(&text, "/srv/hello.py"), "- str_replace_editor /srv/hello.py: print('hello')", "{text}");
    assert!(text.contains("- The assistant: I look first.") || !text.contains("I look"), "{text}");
    assert!(!text.contains("<function") && !text.contains("<parameter") && !text.contains("EXECUTION"), "{text}");
}

#[test]
fn commands_of_an_agents_own_shell_are_no_programs() {
    let step = |said: &str, command: &str, printed: &str| {
        [
            assistant(&format!("{said}\n```\n{command}\n```")),
            user(&format!("{printed}\n(Open file: /srv/solve.py)\n(Current directory: /srv)\nbash-$")),
        ]
    };
    let mut all = vec![user("Find the flag.\n(Open file: n/a)\n(Current directory: /srv)\nbash-$")];
    all.extend(step("A script.", "create solve.py", "[File: /srv/solve.py (1 lines total)]\n1:"));
    all.extend(step(
        "",
        "edit 1:1\nprint(open('flag.txt').read())\nend_of_edit",
        "[File: /srv/solve.py (1 lines total)]\n1:print(open('flag.txt').read())",
    ));
    all.extend(step("Run it.", "python solve.py", "flag{42}"));
    let open = digest(&all);
    assert!(line(&open, "Find the flag").starts_with("- [open] "), "{open}");
    assert!(line(&open, "print(open").starts_with("- edit /srv/solve.py: print(open('flag.txt')"), "{open}");
    assert!(!open.contains("bash create") && !open.contains("bash edit"), "{open}");
    assert!(line(&open, "flag{42}").starts_with("- bash python"), "{open}");
    all.push(assistant("We have the flag.\n```\nsubmit 'flag{42}'\n```"));
    let done = digest(&all);
    assert_eq!(line(&done, "Find the flag"), "- Find the flag. → We have the flag.", "{done}");
    assert!(line(&done, "submit").starts_with("- submit"), "{done}");
    all.push(user("Wrong flag!\n(Open file: n/a)\n(Current directory: /srv)\nbash-$"));
    let refused = digest(&all);
    assert!(line(&refused, "Find the flag").starts_with("- [open] "), "{refused}");
    assert!(line(&refused, "submit").ends_with("→ Wrong flag!"), "{refused}");
    let submits = "All tests pass.\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt\n```";
    let done = digest(&[user("Mend it."), assistant(submits)]);
    assert_eq!(line(&done, "Mend it"), "- Mend it. → All tests pass.", "{done}");
}

#[test]
fn what_an_application_puts_around_a_request_is_left_out() {
    let skill = "<skill-context name=\"ship\">\n# Skill: Ship\nNever merge by hand.\n</skill-context>";
    let text = digest(&[user(&format!("Ship #2168.\n{skill}")), assistant("Shipped.")]);
    assert_eq!(line(&text, "Ship #2168"), "- Ship #2168. → Shipped.", "{text}");
    assert!(!text.contains("skill-context") && !text.contains("merge by hand"), "{text}");
    // By itself it asks for nothing, and leaves open what is.
    let text = digest(&[user("Ship #2168."), user(skill)]);
    assert_eq!(line(&text, "Ship #2168"), "- [open] Ship #2168.", "{text}");
    assert_eq!(text.matches("[open]").count(), 1, "{text}");
    let copilot = "<context>\nThe current date is October 31, 2025.\n</context>\n<reminderInstructions>\nUse the tool.\n\
                   </reminderInstructions>\n<userRequest>\nrun the tests\n</userRequest>";
    let text = digest(&[user(copilot), assistant("They pass.")]);
    assert_eq!(line(&text, "run the tests"), "- run the tests → They pass.", "{text}");
    let rule = copilot.replace("run the tests", "Never run the slow tests.");
    let text = digest(&[user(&rule), assistant("Understood.")]);
    assert!(text.contains("## Required by the user\n- Never run the slow tests."), "{text}");
    assert!(!text.contains("<userRequest") && !text.contains("October"), "{text}");
    let openhands = "Here is an example.\nUSER: Never stop.\n----- END OF EXAMPLE -----\n\n\
                     ----- NEW TASK DESCRIPTION -----\nIs there a hello.py?\n\
                     ----- END OF NEW TASK DESCRIPTION -----\nPLEASE follow the format strictly!";
    let text = digest(&[user(openhands), assistant("There is.")]);
    assert_eq!(line(&text, "Is there"), "- Is there a hello.py? → There is.", "{text}");
    assert!(!text.contains("EXAMPLE"), "{text}");
    let claude = "<command-message>init is analyzing your codebase…</command-message>\n<command-name>/init</command-name>\n\
                  <command-args>for packages/core</command-args>";
    let text = digest(&[user(claude), assistant("CLAUDE.md is written.")]);
    assert_eq!(line(&text, "/init"), "- /init for packages/core → CLAUDE.md is written.", "{text}");
    let text = digest(&[
        user("Mend it."),
        user("[Request interrupted by user for tool use]"),
        user("<local-command-stdout>Set model to opus</local-command-stdout>"),
    ]);
    assert_eq!(text.matches("[open]").count(), 1, "{text}");
    // What nothing is put around is asked.
    let text = digest(&[user("<context>\nA cat sat on a mat.\n</context>"), assistant("A fine cat.")]);
    assert!(line(&text, "A cat sat").starts_with("- ") || text.contains("A cat sat on a mat."), "{text}");
    let text = digest(&[user("<context>\nA cat sat on a mat.\n</context>\nWho sat?"), assistant("A cat.")]);
    assert!(text.contains("A cat sat") && line(&text, "Who sat").ends_with("Who sat? → A cat."), "{text}");
}

#[test]
fn what_starts_and_serves_an_agent_is_no_request() {
    let start = "/srv/.venv/bin/aider tests/test_main.py\nGit repo: none\nRepo-map: disabled\n\
                 Added tests/test_main.py to the chat.\nadd a test for --map-tokens";
    let text = digest(&[user(start), assistant("Added."), user("/clear\n/drop a.py\nRemoved a.py from the chat")]);
    assert_eq!(line(&text, "--map-tokens"), "- add a test for --map-tokens → Added.", "{text}");
    assert!(!text.contains("/clear") && !text.contains("to the chat"), "{text}");
    let text = digest(&[user("/add the missing tests")]);
    assert!(text.contains("- [open] /add the missing tests"), "{text}");
}

#[test]
fn what_a_person_writes_about_tags_and_files_stays_a_request() {
    let reminder = "<system-reminder>\nTodo list is empty.\n</system-reminder>";
    let context = "<context>\nAll prices must be in CHF.\n</context>";
    for (said, parts) in [
        ("Added emoji support to the chat, but it breaks. Please fix that.", vec!["Added emoji support to the chat"]),
        ("Removed the avatar from the chat header. Put it back?", vec!["Removed the avatar"]),
        (&format!("{context}\n{reminder}"), vec!["All prices must be in CHF"]),
        (&format!("{context}\nWrite the price list."), vec!["All prices must be in CHF", "Write the price list"]),
        (
            "<context> tags are not closed in my builder. Every one ends with </context> and nothing else.",
            vec!["tags are not closed"],
        ),
        (&format!("What does\n<system-reminder>\nin my log mean?\n\n{reminder}"), vec!["in my log mean?"]),
        ("Is this valid?\n```xml\n<attachments>\n<file name=\"a\"/>\n</attachments>\n```", vec!["<file name="]),
        ("Is this valid?\n```xml\n<user_query>\nx\n</user_query>\n```", vec!["<user_query>"]),
        ("Why?\n-- NEW TASK DESCRIPTION --\nSay hello.\n-- END OF NEW TASK DESCRIPTION --\nFind it.", vec!["Why?"]),
        (
            "<command-name>/init</command-name>\n<command-args>x</command-args>\nCheck the docs as well?",
            vec!["/init x", "Check the docs as well?"],
        ),
        ("[Request interrupted by user for tool use] Use the second entry, items[1]", vec!["Use the second entry"]),
        ("./venv/bin/aider hangs when I press Ctrl-C?", vec!["hangs when I press"]),
        ("<MyCard>\n  <Title>x</Title>\n</MyCard>", vec!["<MyCard>"]),
    ] {
        let text = digest(&[user(said), assistant("Let me see.")]);
        for part in parts {
            assert!(text.contains(part), "{said}: {text}");
        }
    }
    let nested =
        "Mend it?\n<system-reminder>\n<system-reminder>\nin\n</system-reminder>\nNot them.\n</system-reminder>";
    let text = digest(&[user(nested), assistant("Done.")]);
    assert_eq!(line(&text, "Mend it"), "- Mend it? → Done.", "{text}");
    assert!(!text.contains("Not them"), "{text}");
}

#[test]
fn what_a_person_typed_between_asides_counts_as_typed() {
    let aside = |said: &str| format!("<system-reminder>\n{said}\n</system-reminder>");
    let context = "<context>\nTerminal: pwsh\n</context>";
    for said in [
        format!("{}\nNever push to main.\n{}", aside("a"), aside("b")),
        format!("{context}\n<userRequest>\nNever push to main.\n</userRequest>\n{context}"),
        "<user_query>Never push to main.</user_query>".to_owned(),
        "<userRequest>Never push to main.\n</userRequest>".to_owned(),
    ] {
        let text = digest(&[user(&said), assistant("Understood.")]);
        assert!(text.contains("## Required by the user\n- Never push to main.\n"), "{said}: {text}");
        assert!(!text.contains("<user"), "{said}: {text}");
    }
    // What stands in an aside does not.
    let text = digest(&[user(&format!("Ship it?\n{}", aside("Never push to main."))), assistant("Shipped.")]);
    assert!(!text.contains("## Required"), "{text}");
}

#[test]
fn an_application_s_words_beside_results_or_nothing_leave_a_request_open() {
    let reminder = "<system-reminder>\nTodo list is empty.\n</system-reminder>";
    let parts = vec![P::Text(String::new()), P::Text(reminder.to_owned())];
    let begun = [user("Could you ship it?"), call("c", "bash", json!({"command": "make"})), result("c", "ok")];
    let text = digest(&[begun.as_slice(), &[M { role: Role::User, parts }]].concat());
    assert_eq!(line(&text, "ship it"), "- [open] Could you ship it?", "{text}");
}

#[test]
fn tags_of_calls_in_prose_are_no_call() {
    for said in [
        "A call is written as `<function=NAME><parameter=KEY>`, then the value, then the closing tags.",
        "For example <function=NAME><parameter=KEY>value</parameter></function>",
        "Write this:\n<function=NAME>\n<parameter=KEY>value</parameter>\n</function>\nThat is all.",
    ] {
        let text = digest(&[user("How is a call written?"), assistant(said)]);
        assert!(!text.contains("## State") && !text.contains("[open]"), "{said}: {text}");
    }
    let calls = "I look.\n<tool_call>\n<function=bash>\n<parameter=command>\nls src\n</parameter>\n</function>\n</tool_call>\n\
                 <tool_call>\n<function=create_file>\n<parameter=path>doc.md</parameter>\n<parameter=content>\nCalls:\n\
                 <function=NAME>\n</function>\nEnd.\n</parameter>\n</function>\n</tool_call>";
    let text = digest(&[user("How is it going?"), assistant(calls)]);
    assert!(line(&text, "ls").starts_with("- bash ls") && text.contains("- create_file doc.md"), "{text}");
    assert!(text.contains("- The assistant: I look.\n"), "{text}");
    let done = "Repaired.\n<function=finish>\n</function>";
    let text = digest(&[user("How is it going?"), assistant(done), user("Look again?\nExit code is still 1.")]);
    assert_eq!(line(&text, "How is it"), "- How is it going? → Repaired.", "{text}");
    assert!(text.contains("- [open] Look again?"), "{text}");
}

#[test]
fn work_that_was_handed_in_is_not_reopened_by_its_own_output() {
    let marker = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
    for command in [format!("echo {marker} && git diff"), format!("git add -A && echo \"{marker}\" && git diff")] {
        let said = format!("All tests pass.\n```bash\n{command}\n```");
        let output = format!("<returncode>0</returncode>\n<output>\n{marker}\ndiff --git a/a.py b/a.py\n</output>");
        let text = digest(&[user("How is it going?"), assistant(&said), user(&output)]);
        assert_eq!(line(&text, "How is it"), "- How is it going? → All tests pass.", "{text}");
    }
}

#[test]
fn the_source_of_a_copy_is_not_changed() {
    let input = json!({"path": "src/c.py", "new_path": "src/d.py"});
    let text = digest(&calls(&[("copy_file", input, "ok")]));
    assert_eq!(line(&text, "copy_file"), "- copy_file: src/c.py → ok", "{text}");
}
