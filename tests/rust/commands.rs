//! How the commands and outputs of programs are read: what ran, what came of it, and whether it failed.

use crate::deeds::{calls, digest, line};
use crate::support::{assistant, filler, user};
use precis::ingest::content::Value;
use precis::memory::records;
use serde_json::json;

fn bash<'o>(command: &str, output: &'o str) -> (&'static str, serde_json::Value, &'o str) {
    ("bash", json!({ "command": command }), output)
}

/// The line of a command that printed this.
fn told(command: &str, output: &str) -> String {
    line(&digest(&calls(&[bash(command, output)])), "- bash").to_owned()
}

#[test]
fn a_program_is_named_behind_what_leads_to_it() {
    for (command, named) in [
        ("set -euo pipefail; npm run check", "- bash npm run check → 3"),
        ("X=$(git rev-parse HEAD); gh run list --commit $X", "- bash gh run list: --commit $X → 3"),
        ("for f in a b; do pytest $f; done", "- bash pytest: $f; done → 3"),
        ("if [ -f a ]; then make a; fi", "- bash make a: fi → 3"),
        ("git --no-pager show 1a2b3c4", "- bash git show: 1a2b3c4 → 3"),
        ("git -C /srv/app -c color.ui=never log", "- bash git log → 3"),
        ("gh --repo a/b pr view 12", "- bash gh pr view: 12 → 3"),
        ("echo '--- all ---' && ls src", "- bash ls src → 3"),
        ("echo done", "- bash echo done → 3"),
        ("printf 'Checks:\\n' && gh api --method POST x", "- bash gh api: --method POST x → 3"),
        (
            "while true; do X=$(gh pr checks 7); [ -n \"$X\" ] && break; done",
            "- bash gh pr checks: 7); [ -n \"$X\" ] && break; done → 3",
        ),
        ("cat > a.py << 'EOF'\nrm x; mv a b\nEOF\npython a.py", "- bash python: a.py, wrote a.py → 3"),
    ] {
        assert_eq!(told(command, "3"), named, "{command}");
    }
    let text = digest(&calls(&[("run", json!({ "command": "pnpm vitest run" }), "3 passed")]));
    assert_eq!(line(&text, "vitest"), "- run pnpm vitest → 3 passed", "{text}");
}

#[test]
fn how_a_program_is_run_is_not_shown() {
    let input =
        json!({ "command": "npm test", "mode": "sync", "initial_wait": 600, "shellId": "ci-watch-2173", "shell": "x" });
    let text = digest(&calls(&[("bash", input, "3 passed")]));
    assert_eq!(line(&text, "npm"), "- bash npm test → 3 passed", "{text}");
    let text = digest(&calls(&[("set_mode", json!({ "mode": "plan" }), "ok")]));
    assert_eq!(line(&text, "set_mode"), "- set_mode: plan → ok", "{text}");
}

#[test]
fn what_is_put_behind_a_text_does_not_replace_it() {
    let text = digest(&calls(&[bash("cat >> CHANGELOG.md <<'EOF'\n- New\nEOF", "")]));
    assert_eq!(line(&text, "CHANGELOG"), "- bash appended to CHANGELOG.md: - New", "{text}");
}

#[test]
fn only_a_block_for_a_shell_is_a_command_of_an_assistant_without_tools() {
    let told = |fence: &str| {
        let said = format!("Try this:\n```{fence}\nmake all\n```");
        digest(&[user("How is it built?"), assistant(&said), user("Exit code: 0\nbuilt")])
    };
    for fence in ["", "sh", "bash", "console", "shell"] {
        assert!(told(fence).contains("- bash make all"), "{fence}: {}", told(fence));
    }
    for fence in ["python", "make", "json"] {
        assert!(!told(fence).contains("- bash"), "{fence}: {}", told(fence));
    }
}

#[test]
fn calls_in_one_line_stand_in_the_order_in_which_they_were_made() {
    let text = digest(&calls(&[("stat", json!({ "of": "a.x" }), "ok"), ("stat", json!({ "of": "b.x" }), "ok")]));
    assert_eq!(line(&text, "stat"), "- stat (2×): a.x; b.x → ok", "{text}");
}

#[test]
fn trouble_in_what_only_shows_a_text_is_none_of_it() {
    let text = format!("first line of it\n{}\n# Error: when failures are counted\n}}\n", filler(900));
    for command in [
        "sed -n '1,90p' a.py",
        "awk 1 a.py",
        "git show 1a2b3c4",
        "git log -3",
        "cat a.py",
        "head -99 a.py",
        "tail -99 a.py",
    ] {
        let told = told(command, &text);
        assert!(told.contains("→ first line of it") && !told.contains("Error"), "{command}: {told}");
    }
    let log = told("tail -99 build.log", &text);
    assert!(log.contains("→ # Error"), "{log}");
    let text = digest(&calls(&[("disassemble", json!({ "name": "main" }), &text)]));
    assert!(line(&text, "disassemble").contains("→ first line"), "{text}");
}

#[test]
fn the_numbers_of_lines_that_a_search_found_are_kept() {
    assert_eq!(told("grep -n def a.py", "12:def one\n96:def two"), "- bash grep -n: def a.py → 12:def one 96:def two");
    assert_eq!(told("cat -n a.py", "12\tdef one"), "- bash cat -n: a.py → def one");
}

#[test]
fn of_what_says_nothing_nothing_is_shown() {
    let long = filler(900);
    for last in ["-------", "r\"\"\"", "});", "```"] {
        let shown = told("python a.py", &format!("{long}\nthe result is two\n{last}"));
        assert!(shown.ends_with("→ the result is two"), "{last}: {shown}");
    }
    let shown = told("python a.py", &format!("end\n{long}\nthe result is two\nend"));
    assert!(shown.ends_with("→ the result is two"), "{shown}");
    assert_eq!(told("python a.py", "-------"), "- bash python: a.py");
    assert_eq!(told("python a.py", "{}"), "- bash python: a.py → {}");
    for frame in [
        "Debugger attached.\nWaiting for the debugger to disconnect...",
        "WARNING: Running pip as the 'root' user",
        "<shellId: 7 completed with exit code 0>",
    ] {
        assert_eq!(told("make", &format!("built\n{frame}")), "- bash make → built", "{frame}");
    }
}

#[test]
fn a_program_that_ends_with_a_code_has_failed() {
    for end in [
        "<shellId: 7 completed with exit code 2>",
        "Command exited with code 2",
        "exit code: 2",
        "(exit code 2)",
        "<returncode>2</returncode>",
    ] {
        let text = digest(&calls(&[bash("make", &format!("no rule\n{end}")), bash("make", "built")]));
        assert_eq!(line(&text, "make"), "- bash make (2×, 1 failed) → built", "{end}");
        assert_eq!(told("make", &format!("no rule\n{end}")), "- bash make → exit 2: no rule", "{end}");
        assert_eq!(told("make", end), "- bash make → exit 2", "{end}: no sign before nothing");
    }
    assert_eq!(told("grep a b", "Command exited with code 1"), "- bash grep a: b → exit 1");
    let text = digest(&calls(&[bash("grep a b", "Command exited with code 1"), bash("grep a b", "")]));
    assert!(!text.contains("failed"), "a search that found nothing did not fail: {text}");
}

#[test]
fn what_could_not_begin_failed_and_says_so_first() {
    let usage = format!("unknown flag: --jason\n\nUsage:  gh run list [flags]\n\nFlags:\n{}", filler(600));
    assert_eq!(told("gh run list --jason", &usage), "- bash gh run list: --jason → failed: unknown flag: --jason");
    for refused in ["Path does not exist", "cat: a.py: No such file or directory"] {
        assert!(told("cat a.py", refused).ends_with(&format!("→ failed: {refused}")), "{refused}");
    }
    let failed = "{\"error\": \"no such user\"}\nCommand exited with code 1";
    let text = digest(&calls(&[("users", json!({ "id": "u_17" }), failed)]));
    assert!(!text.contains("## Records"), "{text}");
}

#[test]
fn objects_one_a_line_are_a_table_and_a_long_text_has_the_room_that_the_others_leave() {
    let told = |text: &str| records::line(&Value::Text(text.to_owned()), 400).unwrap_or_default();
    assert_eq!(told("{\"id\": 1, \"name\": \"a\"}\n{\"id\": 2, \"name\": \"b\"}\n"), "id|name: 1|a; 2|b");
    let body = "The constructor keeps the handle open when the runtime throws, so close it in a finally block and add a test for that case.";
    let comment = json!([{ "id": 17, "path": "src/Handle.java", "body": body }]).to_string();
    assert!(told(&comment).contains(body), "{}", told(&comment));
}

#[test]
fn a_list_is_not_cut_inside_a_name() {
    let files: Vec<String> = (0..30).map(|at| format!("src/part{at}.ts")).collect();
    let text = digest(&calls(&[("check_files", json!({ "names": files.join(", ") }), "fine")]));
    let told = line(&text, "check_files");
    assert!(told.ends_with(".ts, … → fine"), "{told}");
}

#[test]
fn a_path_of_which_folders_are_left_out_says_so() {
    let read = |path: &str, output| ("read", json!({ "path": path }), output);
    let text = digest(&calls(&[read("packages/billing/src/part2.ts", "text"), read("src/a.ts", "more")]));
    assert!(text.contains("- read: …/billing/src/part2.ts → text") && text.contains("- read: src/a.ts"), "{text}");
}

#[test]
fn a_list_that_was_cut_is_a_table_beside_a_later_record() {
    let list = r#"{"error": "", "response": "[{\"id\":\"EKVF\",\"name\":\"EKVF\",\"phone\":\"+687 27.25.92\"},{\"id\":\"ACT_AGENCE\",\"codePostal\":\"98800\",\"email\":\"sales@act.nc\",\"name\":\"ACT - Agence\",\"phone\":\"+687 27.55.48\",\"ridet\":\"0036590\"},{\"id\":\"AFL_AGENCE\",\"codePostal\":\"98846\",\"name\":\"AFL - Agence\",\"phone\":\"+687 26.11.11\",\"website\":\"www.transportinter.eu\"},{\"id\":\"BOLLORE\",\"codePostal\":\"9..."#;
    let one = r#"{"error": "", "response": "{'id': 'ACT_AGENCE', 'codePostal': '98800', 'email': 'sales@act.nc', 'phone': '+687 27.55.48'}"}"#;
    let all = calls(&[("agencies", json!({}), list), ("agency", json!({ "is_id": "ACT_AGENCE" }), one)]);
    let text = digest(&all);
    let told = "- agencies: id|name|phone|codePostal: EKVF|EKVF|+687 27.25.92|; ACT_AGENCE|ACT - Agence|+687 27.55.48|98800; AFL_AGENCE|AFL - Agence|+687 26.11.11|98846\n";
    assert!(text.contains(told), "only whole elements: {text}");
    assert!(text.contains("- agency ACT_AGENCE: codePostal=98800"), "{text}");
}

#[test]
fn a_comment_does_not_swallow_what_follows() {
    for (command, named) in [
        ("cd /app  # it's the repo\ncargo test", "- bash cargo test → 3"),
        ("# Let's run the tests\nnpm test", "- bash npm test → 3"),
        ("# let's see (all of it\nls src", "- bash ls src → 3"),
        ("# let's commit\ngit commit -am 'A'", "- bash git commit: A → 3"),
    ] {
        assert_eq!(told(command, "3"), named, "{command}");
    }
}

#[test]
fn sed_names_the_files_that_it_changes() {
    for (command, named) in [
        ("sed -i 's/x/y/' a.py", "- bash sed -i a.py: 's/x/y/'"),
        ("sed -i 's/x/y/' a.py 2>/dev/null", "- bash sed -i a.py: 's/x/y/'"),
        ("sed -i 's/x/y/' a.py  # both", "- bash sed -i a.py: 's/x/y/'"),
        ("sed -i 's/x/y/' a.py b.py", "- bash sed -i a.py, b.py: 's/x/y/'"),
        ("sed -i -E 's/(x)/y/; s/a/b/' a.py", "- bash sed -i a.py: 's/(x)/y/; s/a/b/'"),
        ("sed -i -e 's/x/y/' -e '3d' a.py", "- bash sed -i a.py: 's/x/y/'"),
        ("sed -i '' 's/x/y/' a.py", "- bash sed -i a.py: 's/x/y/'"),
        ("sed -i 's/x/y/' a.py; python run.py", "- bash sed -i: 's/x/y/' a.py; python run.py → ok"),
        ("sed -i 's/x/y/' a.py || cat b.py", "- bash sed -i: 's/x/y/' a.py || cat b.py → ok"),
        ("sed -i 's/x/y/' $(grep -rl x src/)", "- bash sed -i: 's/x/y/' $(grep -rl x src/) → ok"),
    ] {
        assert_eq!(told(command, ""), named, "{command}");
    }
}

#[test]
fn what_stands_behind_the_head_of_a_text_is_what_runs() {
    for (line, named) in [
        ("cat > a.ts <<'EOF' && npm test", "- bash npm test: wrote a.ts → 2 failed"),
        ("cat > a.ts <<'EOF'; npm test", "- bash npm test: wrote a.ts → 2 failed"),
        ("cat > a.ts <<'EOF' || exit 1", "- bash cat > a.ts: x = 1"),
        ("cat <<'EOF' | sudo tee a.ts > /dev/null", "- bash cat > a.ts: x = 1"),
        ("cat > a.ts <<'EOF'  # it's new", "- bash cat > a.ts: x = 1"),
    ] {
        let told = told(&format!("{line}\nx = 1\nEOF"), "2 failed");
        assert!(told.starts_with(named), "{line}: {told}");
    }
    let told = told("cat <<'EOF' | psql db > out.txt\nselect 1;\nEOF", "");
    assert!(!told.contains("cat > "), "{told}");
}

#[test]
fn what_decides_whether_others_run_is_what_is_told() {
    for (command, named) in [
        ("until curl -sf localhost:80; do sleep 1; done", "- bash curl -sf: localhost:80; do sleep 1; done → 3"),
        ("while ! nc -z db 5432; do sleep 1; done", "- bash nc -z: db 5432; do sleep 1; done → 3"),
        ("if npm test; then echo GOOD; else echo BAD; fi", "- bash npm test: then echo GOOD; else echo BAD; fi → 3"),
        ("test -d out || mkdir out; cargo test", "- bash cargo test → 3"),
        ("while IFS= read -r f; do wc -l $f; done < list", "- bash wc -l: $f; done < list → 3"),
        ("(cd web && npm test)", "- bash npm test → 3"),
        (". venv/bin/activate && pytest", "- bash pytest → 3"),
        ("git commit -m \"Fix \\\"quoted\\\" thing\"", "- bash git commit: Fix \"quoted\" thing → 3"),
    ] {
        assert_eq!(told(command, "3"), named, "{command}");
    }
}

#[test]
fn a_text_that_speaks_of_failure_is_no_failure() {
    let read = |output: &str| {
        let text = digest(&calls(&[("Read", json!({ "file_path": "errors.md" }), output)]));
        line(&text, "- Read").to_owned()
    };
    for text in ["Error codes\n\n1 means bad", "The regex failed to match.\nmore", "exit code 2 means usage\nmore"] {
        assert!(read(text).contains("errors.md → ") && !read(text).contains("failed:"), "{}", read(text));
        assert!(!read(text).contains("exit 2:"), "{}", read(text));
        let twice = digest(&calls(&[bash("cat a.md", text), bash("cat a.md", text)]));
        assert!(!twice.contains("failed)"), "{twice}");
    }
    let log = told("tail -3 ci.txt", "Step 3\nProcess completed with exit code 1.");
    assert!(!log.contains("exit 1:") && !log.contains("failed:"), "{log}");
    assert!(read("Error: file not found").contains("failed"), "{}", read("Error: file not found"));
}
