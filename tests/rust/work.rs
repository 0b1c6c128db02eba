//! The work in a digest: calls and what came of them, listings, paths, and the table of changes, checks and commits.

use crate::memory::{Past, digest_of, messages, place};
use crate::support::{M, P, assistant, call, result, user};
use precis::memory::Memory;
use precis::memory::pool::Pool;
use serde_json::json;

#[test]
fn the_work_is_a_table_above_what_was_said() {
    let edit = |id: &str, path: &str| {
        [call(id, "edit", json!({ "path": path, "old_str": "a", "new_str": "b" })), result(id, "ok")]
    };
    let mut all = vec![user("Fix the date.")];
    all.extend(edit("1", "src/date.py"));
    all.extend(edit("2", "src/date.py"));
    all.extend([
        call("3", "bash", json!({ "command": "cd /repo && python -m pytest tests -x" })),
        result("3", "collected 23 items\n\n1 failed, 22 passed in 0.31s"),
    ]);
    all.extend(edit("4", "tests/test_date.py"));
    all.extend([
        call("5", "bash", json!({ "command": "python -m pytest tests -q" })),
        result("5", "23 passed, 1 warning in 0.02s"),
        call("6", "bash", json!({ "command": "sed -i 's/a/b/' setup.cfg && git commit -qam \"Fix the date\"" })),
        result("6", ""),
        assistant("Fixed."),
    ]);
    let digest = digest_of(&all, 1_000);
    assert!(digest.contains("\nChanged: setup.cfg, tests/test_date.py, src/date.py (2×)\n"), "{digest}");
    assert!(digest.contains("\nCheck: python -m pytest tests -q ← 23 passed, 1 warning in 0.02s\n"), "{digest}");
    assert!(!digest.contains("Check: python -m pytest tests -x"), "an earlier verdict of the same check: {digest}");
    assert!(digest.contains("\nCommit: Fix the date\n"), "{digest}");
}

#[test]
fn zero_errors_are_no_error() {
    let check = |output: &str| {
        let all = [user("Go."), call("1", "sh", json!({ "command": "make lint" })), result("1", output)];
        digest_of(&all, 600)
    };
    assert!(check("Found 0 errors in 12 files").contains("Check: make lint ← Found 0 errors in 12 files"));
    assert!(check("Found 3 errors in 12 files").contains("Check: make lint ← Found 3 errors in 12 files"));
}

#[test]
fn the_number_a_command_ends_with_is_a_verdict_where_it_is_not_zero_and_nothing_else_is_said() {
    let check = |output: &str| {
        let all = [user("Go."), call("1", "sh", json!({ "command": "make lint" })), result("1", output)];
        digest_of(&all, 600)
    };
    for ran in ["linting\n[Command finished with exit code 0]", "a\nProcess exited with code 0", "exit status: 0"] {
        assert!(!check(ran).contains("Check:"), "{ran}");
    }
    assert!(check("linting\nexited with code 2").contains("Check: make lint ← exited with code 2"));
    let both = check("src/a.ts(5,3): error TS2339: no such thing\n\nCommand exited with code 2");
    assert!(both.contains("Check: make lint ← src/a.ts(5,3): error TS2339"), "{both}");
}

#[test]
fn a_change_that_failed_is_no_change() {
    let edit = |id: &str, path: &str| call(id, "edit", json!({ "path": path, "new_text": "x" }));
    let failed = |tool: &str, output: &str| {
        let all = [user("Go."), call("1", tool, json!({ "path": "a.rs", "new_text": "x" })), result("1", output)];
        !digest_of(&all, 500).contains("Changed: a.rs")
    };
    for output in [
        "Error: old_text was not found",
        "Ran into [Errno 2] No such file or directory: 'a.rs' while trying to write to a.rs",
        "Your proposed edit has introduced new syntax error(s).\nYour changes have NOT been applied.",
        "The edit was refused",
    ] {
        assert!(failed("edit", output), "{output}");
    }
    for output in ["The file a.rs has been edited.", "ok", "", "Done.\n12: raise ValueError(error)"] {
        assert!(!failed("edit", output), "{output}");
    }
    // A command writes a file and goes on.
    let shell = |command: &str, output: &str| {
        digest_of(&[user("Go."), call("1", "bash", json!({ "command": command })), result("1", output)], 500)
    };
    assert!(shell("echo 1 > b.py && python b.py", "Traceback (most recent call last):").contains("Changed: b.py"));
    assert!(!shell("echo 1 > /x/b.py", "bash: /x/b.py: No such file or directory").contains("Changed:"));
    // It failed twice and then it did not.
    let all = [
        user("Go."),
        edit("1", "a.rs"),
        result("1", "Error: no match"),
        edit("2", "a.rs"),
        result("2", "Error: no match"),
        edit("3", "a.rs"),
        result("3", "Edited."),
    ];
    let digest = digest_of(&all, 500);
    assert!(digest.contains("Changed: a.rs\n"), "{digest}");
}

#[test]
fn of_the_files_that_commands_write_those_stand_as_changed_that_are_no_means() {
    let changed = |commands: &[(&str, &str)]| {
        let mut all = vec![user("Fix the port.")];
        for (number, (command, output)) in commands.iter().enumerate() {
            let id = number.to_string();
            all.extend([call(&id, "bash", json!({ "command": command })), result(&id, output)]);
        }
        let digest = digest_of(&all, 500);
        let line = digest.lines().find(|line| line.starts_with("Changed: ")).unwrap_or_default().to_owned();
        line.trim_start_matches("Changed: ").to_owned()
    };
    let script = ("cat > fix.py << 'EOF'\nopen('x')\nEOF\npython fix.py", "done");
    let edit = ("sed -i 's/from old.port import/from new.port import/' src/port.py", "ok");
    assert_eq!(changed(&[script, edit]), "src/port.py");
    assert_eq!(changed(&[script]), "fix.py", "what nothing else was changed beside");
    assert_eq!(changed(&[("echo 1 > a.txt", ""), edit, ("rm -f a.txt", "")]), "src/port.py");
    assert_eq!(changed(&[("echo 1 > a.txt", ""), edit, ("git checkout -- src/port.py", "")]), "a.txt");
    // What a script changed a comparison shows.
    let diff = "diff --git a/src/port.py b/src/port.py\n--- a/src/port.py\n+++ b/src/port.py\n@@ -1 +1 @@\n-a\n+b";
    assert_eq!(changed(&[script, ("git diff", diff)]), "src/port.py");
    assert_eq!(changed(&[script, ("git diff -- src/port.py", diff)]), "src/port.py");
    assert_eq!(changed(&[script, ("git diff main..other", diff)]), "fix.py");
    assert_eq!(changed(&[("git diff > p.txt && cat p.txt", diff)]), "src/port.py");
    assert_eq!(changed(&[("sed -i 's/1/2/' ./src/port.py", ""), ("git diff", diff)]), "./src/port.py");
}

/// A file that is shown, a log of commits and a help text speak of errors that happened nowhere.
#[test]
fn what_a_program_says_about_errors_is_none() {
    let shown = |output: &str| {
        let all = [user("Go."), call("1", "bash", json!({ "command": "cat a.py" })), result("1", output)];
        digest_of(&all, 500)
    };
    for output in [
        "    raise ValueError(\"Cannot read 3\")",
        "except KeyError:",
        "from django.core import CommandError, CommandParser, 3",
        "fail_str: ' select 1 from tbl;'",
        "if e.desc().startswith(\"Unexpected exception\"): count(3)",
        "77-    raise _exception[0]",
        "ed3c59097a Fixed #30361 -- Increased the default timeout",
        "logger.error('not connected', 3)",
        "// throws an exception in 2 cases",
        "'sphinx-version-warning==1.1.2',",
        "File \"/lib/warnings.py\", line 128",
        "    sys.exit(1)",
        "ERRORS = {",
        "raise ValueError(\"The 2 parts cannot be zero.\")",
    ] {
        assert!(!shown(output).contains("Check:"), "{output}: {}", shown(output));
    }
    for output in [
        "ERROR: 2 of 14 tests",
        "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
        "sqlfluff.core.errors.SQLParseError: line 3",
        "ValueError: 3 is not allowed",
        "# fail 1",
        "error[E0433]: failed to resolve, 1 error",
        "=== 3 failed, 2 passed in 0.1s ===",
        "\u{1b}[1;31mFAILED\u{1b}[m 3 of 4 tests",
    ] {
        assert!(shown(output).contains("Check:"), "{output}: {}", shown(output));
    }
}

#[test]
fn a_check_is_named_by_what_it_runs() {
    let named = |command: &str| {
        let all = [user("Go."), call("1", "bash", json!({ "command": command })), result("1", "3 passed")];
        let digest = digest_of(&all, 500);
        let line = digest.lines().find(|line| line.starts_with("Check: ")).unwrap_or_default().to_owned();
        line.trim_start_matches("Check: ").split(" ←").next().unwrap().to_owned()
    };
    for (command, name) in [
        ("cd /repo && export A=1 && npm test", "npm test"),
        ("set -o pipefail\nREPO='a/b'; NUMBER=3;\ngh pr checks 3", "gh pr checks 3"),
        ("CI=1 npm test", "CI=1 npm test"),
        ("cd /repo", "cd /repo"),
        ("cat > t.py << 'EOF'\nprint(1)\nEOF\npython t.py", "python t.py"),
        ("python -c \"\nimport a\na.run()\"", "python -c \" import a a.run()\""),
    ] {
        assert_eq!(named(command), name);
    }
}

#[test]
fn a_check_says_a_verdict_only_where_the_output_has_one() {
    let check = |output: &str, failed: bool| {
        let mut ended = result("1", output);
        if let P::Result { failed: is, .. } = &mut ended.parts[0] {
            *is = failed;
        }
        let digest = digest_of(&[user("Go."), call("1", "sh", json!({ "command": "make lint" })), ended], 600);
        digest.lines().find_map(|line| line.strip_prefix("Check: make lint ← ").map(str::to_owned))
    };
    // Who looks for something and does not find it prints nothing.
    assert_eq!(check("Command exited with code 1", true), None);
    assert_eq!(check("Test 4: nested many invalid data\nas it was", false), None);
    assert_eq!(
        check("src/a.ts(1,2): error TS1: bad\nnpm error code 2\nnpm error command sh -c tsc", true).as_deref(),
        Some("src/a.ts(1,2): error TS1: bad")
    );
    assert_eq!(check("Found 49 errors.\nFound 1 warning.", true).as_deref(), Some("Found 49 errors."));
    assert_eq!(check("12 tests passed\nbye", false).as_deref(), Some("12 tests passed"));
}

#[test]
fn a_list_of_like_objects_is_a_table_with_its_columns_once() {
    let rows: Vec<_> =
        (0..4).map(|n| json!({ "flight": format!("HAT{n:03}"), "from": "SFO", "price": 100 + n })).collect();
    let all =
        [user("Find flights."), call("1", "search", json!({})), result("1", &json!({ "flights": rows }).to_string())];
    let digest = digest_of(&all, 600);
    assert_eq!(digest.matches("[flight, from, price]").count(), 1, "{digest}");
    assert!(digest.contains("HAT000, SFO, 100 | HAT001, SFO, 101"), "{digest}");
}

#[test]
fn of_an_edit_stands_what_it_changes() {
    let body = |middle: &str| {
        format!("def area(shape):\n    \"\"\"{}\"\"\"\n    {middle}\n    return size\n", "x".repeat(260))
    };
    let edit = json!({ "path": "geo.py", "old_str": body("size = w + h"), "new_str": body("size = w * h") });
    let digest = digest_of(&[user("Fix area()."), call("1", "edit", edit), result("1", "ok")], 300);
    assert!(digest.contains("new_str=…size = w * h… old_str=…size = w + h…"), "{digest}");
    assert!(!digest.contains("wrote: size = w + h"), "{digest}");
    let insert = json!({ "path": "geo.py", "old": "import a\nimport c", "new": "import a\nimport b\nimport c" });
    let digest = digest_of(&[user("Import b."), call("1", "edit", insert), result("1", "ok")], 300);
    assert!(digest.contains("new=…import b… old=…"), "{digest}");
}

#[test]
fn a_call_stands_with_how_it_ended_and_an_error_with_its_call() {
    let mut all = vec![user("Find out why the upload fails.")];
    for number in 0..40 {
        let id = number.to_string();
        let output = if number == 23 {
            "connecting\nerror: certificate of storage-23.example expired\n"
        } else {
            "connecting\nnothing of interest here\n"
        };
        all.extend([call(&id, "probe", json!({ "host": format!("storage-{number}.example") })), result(&id, output)]);
    }
    let digest = digest_of(&all, 260);
    let line = "← error: certificate of storage-23.example expired";
    let before = digest.find(line).map(|at| digest[..at].trim_end().lines().last().unwrap_or_default());
    assert_eq!(before, Some("→ probe host=storage-23.example"), "{digest}");
}

#[test]
fn a_call_that_failed_before_it_worked_stands_with_what_it_failed_at() {
    let run = |id: &str| call(id, "bash", json!({ "command": "python train.py" }));
    let all = [
        user("Make the training script run."),
        run("1"),
        result("1", "Traceback (most recent call last):\n  import torch\nModuleNotFoundError: No module named 'torch'"),
        call("2", "bash", json!({ "command": "pip install torch" })),
        result("2", "Successfully installed torch-2.4"),
        run("3"),
        result("3", "epoch 1 of 3\nloss 0.31"),
    ];
    let digest = digest_of(&all, 400);
    let parts = ["No module named 'torch'", "pip install torch", "loss 0.31"];
    assert!(parts.map(|part| place(&digest, part)).is_sorted(), "{digest}");
    // In little room it does not stand as if it had failed for good.
    for room in (60..400).step_by(10) {
        let digest = digest_of(&all, room);
        assert!(!digest.contains("named 'torch'") || digest.contains("epoch 1") || digest.contains("loss"), "{digest}");
    }
    assert_eq!(digest.matches("→ bash python train.py").count(), 2, "{digest}");
    // What failed in the same way each time is reported once.
    let often: Vec<M> =
        (0..3).flat_map(|id| [run(&id.to_string()), result(&id.to_string(), "error: no GPU")]).collect();
    assert_eq!(digest_of(&often, 400).matches("→ bash").count(), 1);
}

#[test]
fn no_result_stands_without_its_call() {
    let mut all = vec![user("Where do the herons nest?")];
    for number in 0..12 {
        let id = number.to_string();
        all.push(call(&id, "lookup", json!({ "marsh": format!("marsh-{number}") })));
        let output = format!("a colony of {number}7 herons nests behind the dyke of the Aller\nit was counted in May");
        all.push(result(&id, &output));
    }
    let digest = digest_of(&all, 260);
    let lines: Vec<&str> = digest.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('←')) {
        assert!(lines[at - 1].starts_with(['→', '←']), "{line}: {digest}");
    }
    assert!(digest.contains('←'), "{digest}");
}

#[test]
fn of_a_listing_that_line_stands_which_the_assistant_went_on_with() {
    let lines: Vec<String> = (0..80).map(|at| format!("src/part{at}.rs opens port {}", 8_400 + at)).collect();
    for taken in [23, 37, 61] {
        let said = format!("Port {} is the one that the proxy has taken.", 8_400 + taken);
        let past = [
            user("Which part clashes with the proxy?"),
            call("a", "grep", json!({ "pattern": "opens port" })),
            result("a", &lines.join("\n")),
            assistant(&said),
            user("Then move that part to another port."),
        ];
        let digest = Past::default().cover(&past, 160);
        assert!(digest.contains(&lines[taken]), "{taken}: {digest}");
    }
}

#[test]
fn a_line_counts_as_used_where_only_calls_follow_it() {
    let lines: Vec<String> = (0..80).map(|at| format!("job-{at} has the run {}", 30_400 + at)).collect();
    for taken in [23, 37, 61] {
        let past = [
            user("Restart what hangs."),
            call("a", "list", json!({ "state": "hanging" })),
            result("a", &lines.join("\n")),
            call("b", "restart", json!({ "given": [{ "run": 30_400 + taken }] })),
            result("b", "ok"),
            call("c", "wait", json!({ "seconds": 30 })),
            result("c", "ok"),
        ];
        let digest = Past::default().cover(&past, 160);
        assert!(digest.contains(&lines[taken]), "{taken}: {digest}");
    }
}

#[test]
fn what_a_tool_returned_stands_behind_its_call_where_several_were_made_at_once() {
    let read = |id: &str, path: &str| call(id, "read", json!({ "path": path }));
    let both = M { parts: [read("1", "a.txt").parts, read("2", "b.txt").parts].concat(), ..read("1", "a.txt") };
    let all = [user("Read both."), both, result("1", "The first holds alpha."), result("2", "The other holds beta.")];
    let digest = digest_of(&all, 500);
    let work = "→ read a.txt\n← The first holds alpha.\n→ read b.txt\n← The other holds beta.";
    assert!(digest.ends_with(work), "{digest}");
}

/// What `ls -l` prints of files with these names.
fn long_list(names: &[&str]) -> String {
    let row = |(at, name): (usize, &&str)| {
        let month = ["Jan", "Feb", "Mar"][at % 3];
        let size = 17_usize.pow(at as u32 % 5 + 1);
        format!("-rw-r--r-- {:2} root  staff {size:8} {month} {:2} 08:{:02} {name}\n", at % 7 + 1, at + 1, at + 10)
    };
    let rows: String = names.iter().enumerate().map(row).collect();
    format!("total 784\ndrwxr-xr-x 14 root  staff      448 Jan 31 08:51 .\n{rows}")
}

fn listed(output: &str) -> String {
    let asked = [user("What is there?"), call("1", "sh", json!({ "command": "ls -l" })), result("1", output)];
    digest_of(&asked, 600)
}

#[test]
fn a_row_of_a_listing_is_known_by_what_stands_last_in_it() {
    let digest = listed(&long_list(&["Makefile", "hello.py", "my notes.txt", "src", "uv.lock"]));
    assert!(digest.contains("Makefile · hello.py · my notes.txt · src · uv.lock"), "{digest}");
    assert!(!digest.contains("rw-r--r--") && !digest.contains("staff") && !digest.contains("08:"), "{digest}");
}

#[test]
fn what_is_no_listing_stands_as_it_is() {
    let short = long_list(&["a.py", "b.py"]);
    let pods = "NAME          READY  STATUS   RESTARTS  AGE\napi-7d9f      1/1    Running  0         5d\n\
                api-8c1e      0/1    Pending  3         2m\nworker-55ab   1/1    Running  1         5d\n\
                worker-77cd   1/1    Running  0         5d\nworker-78cd   1/1    Running  0         5d\n";
    let log = "12:00:01  web   1  started  in 4 ms on port 8080\n12:00:02  web   2  started  in 6 ms on port 8081\n\
               12:00:03  job  13  started  in 4 ms on port 8082\n12:00:04  job  14  started  in 9 ms on port 8083\n";
    let loss = "epoch  1 loss 0.91 accuracy 0.41\nepoch  2 loss 0.77 accuracy 0.52\n\
                epoch  3 loss 0.61 accuracy 0.60\nepoch 10 loss 0.42 accuracy 0.71\n";
    for (output, says) in [
        (short.as_str(), "root staff"),
        (pods, "0/1 Pending 3 2m"),
        (log, "started in 6 ms on port 8081"),
        (loss, "loss 0.77 accuracy 0.52"),
    ] {
        let digest = listed(output);
        assert!(digest.contains(says), "{says}: {digest}");
    }
}

#[test]
fn a_long_path_that_stood_in_full_is_named_by_its_end() {
    let path = "/srv/projects/warehouse/packages/orders/src/reservation.rs";
    let other = "/srv/projects/warehouse/packages/orders/src/picking.rs";
    let twin = "/srv/projects/warehouse/packages/stock/src/picking.rs";
    let mut all = vec![user("Why are orders reserved twice?")];
    for (at, (path, pattern)) in
        [(path, "reserve_all"), (path, "release_all"), (other, "pick_wave"), (twin, "pick_batch"), (other, "pick_zone")]
            .into_iter()
            .enumerate()
    {
        let id = at.to_string();
        all.extend([
            call(&id, "grep", json!({ "pattern": pattern, "in": path })),
            result(&id, &format!("fn {pattern}(")),
        ]);
    }
    let digest = digest_of(&all, 800);
    assert!(digest.contains(&format!("in={path} pattern=reserve_all")), "{digest}");
    assert!(digest.contains("in=…/reservation.rs pattern=release_all"), "{digest}");
    // Two files are called so.
    assert!(digest.contains(&format!("in={other} pattern=pick_zone")), "{digest}");
}

#[test]
fn of_files_that_were_changed_the_folder_they_share_stands_once() {
    let changed = |paths: &[&str]| {
        let mut all = vec![user("Rename it everywhere.")];
        for (at, path) in paths.iter().enumerate() {
            let id = at.to_string();
            all.extend([call(&id, "write", json!({ "path": path, "content": "x" })), result(&id, "ok")]);
        }
        let digest = digest_of(&all, 900);
        digest.lines().find_map(|line| line.strip_prefix("Changed: ")).unwrap_or_default().to_owned()
    };
    let [reserve, pick] = ["src/reserve.rs", "docs/pick.md"].map(|end| format!("/srv/projects/warehouse/{end}"));
    assert_eq!(changed(&[&pick, &reserve]), "src/reserve.rs, docs/pick.md (in /srv/projects/warehouse)");
    assert_eq!(changed(&[&reserve]), reserve);
    assert_eq!(changed(&["/tmp/a.rs", "/tmp/b.rs"]), "/tmp/b.rs, /tmp/a.rs");
    assert_eq!(changed(&[&reserve, "/tmp/b.rs"]), format!("/tmp/b.rs, {reserve}"));
}

#[test]
fn a_list_of_like_objects_in_a_call_is_written_in_rows() {
    let todos = json!({ "todos": [
        { "content": "Read the parser", "status": "completed" },
        { "content": "Write the printer", "status": "pending" },
    ] });
    let digest = digest_of(&[user("Go on."), call("1", "plan", todos), result("1", "ok")], 400);
    let rows = "→ plan todos [content, status]: Read the parser, completed | Write the printer, pending";
    assert!(digest.contains(rows), "{digest}");
}

#[test]
fn a_check_that_reports_nothing_any_more_no_longer_fails() {
    let run = |id: &str, output: &str| [call(id, "sh", json!({ "command": "npm run check" })), result(id, output)];
    let mut past = Past::default();
    let mut all = vec![user("Mend the types.")];
    all.extend(run("1", "src/a.ts(1,2): error TS1: bad\nFound 2 errors."));
    let digest = past.cover(&all, 600);
    assert!(digest.contains("Check: npm run check ← Found 2 errors."), "{digest}");
    let digest = past.cover(&run("2", "> check\n> tsc --noEmit"), 600);
    assert!(!digest.contains("Check:"), "{digest}");
}

#[test]
fn a_commit_that_failed_is_none() {
    let commit = json!({ "command": "git commit -am 'Release 0.8'" });
    for (output, is_made) in [
        ("[main 1a2b3c4] Release 0.8\n 2 files changed", true),
        ("", true),
        ("husky - pre-commit script failed (code 2)\nCommand exited with code 1", false),
        ("exit code: 1", false),
    ] {
        let all = [user("Release it."), call("1", "sh", commit.clone()), result("1", output)];
        assert_eq!(digest_of(&all, 400).contains("Commit: Release 0.8"), is_made, "{output}");
    }
}

#[test]
fn of_a_file_that_was_read_those_lines_stand_that_were_used() {
    let lines: String =
        (1..60).map(|at| format!("{at}: let value_{at} = read(source, {at}) + offset_{at};\n")).collect();
    let past = [
        user("Which value is wrong?"),
        call("a", "read", json!({ "path": "src/values.rs" })),
        result("a", &lines),
        assistant("The sum of value_31 is off by one, as offset_31 is counted twice."),
        user("Then mend that and say what else reads the source."),
    ];
    let digest = digest_of(&past, 130);
    assert!(digest.contains("\n← 31: let value_31"), "{digest}");
    assert!(digest.matches("let value_").count() < 3, "{digest}");
}

/// A file of code: what it takes from elsewhere, then functions with bodies. Each line behind `numbered`.
fn file_of_code(numbered: impl Fn(usize) -> String) -> String {
    let mut lines: Vec<String> = (0..20)
        .map(|at| format!("import {{ loadShape{at}, parseShape{at} }} from \"./shapes/kind{at}.js\";"))
        .collect();
    for at in 0..20 {
        lines.push(format!("export function drawFigure{at}(canvas: Canvas{at}): Figure{at} {{"));
        lines.extend((0..6).map(|step| format!("\tconst edge{step} = canvas.at({step});")));
        lines.push("}".to_owned());
    }
    lines.iter().enumerate().map(|(at, line)| format!("{}{line}\n", numbered(at + 1))).collect()
}

#[test]
fn of_a_file_that_was_read_its_heads_stand_before_what_it_imports() {
    let plain = |_: usize| String::new();
    for file in [file_of_code(plain), file_of_code(|at| format!("{at:6}\t")), file_of_code(|at| format!("{at}→"))] {
        let past = [
            user("What is in the file?"),
            call("a", "read", json!({ "path": "src/figures.ts" })),
            result("a", &file),
            user("Go on."),
        ];
        let digest = digest_of(&past, 300);
        assert!(digest.matches("export function drawFigure").count() > 5, "{digest}");
        assert!(digest.matches("import {").count() < 3, "{digest}");
    }
}

#[test]
fn of_a_log_no_line_counts_less_for_its_first_word() {
    let log: String = (0..40).map(|at| format!("INFO worker-{at} took shard_{at}a in {at}7 ms\n")).collect();
    let past =
        [user("How did it go?"), call("a", "logs", json!({ "of": "workers" })), result("a", &log), user("Go on.")];
    assert!(digest_of(&past, 200).contains("INFO worker-"));
}

#[test]
fn a_call_of_whose_result_nothing_was_used_makes_room() {
    let mut all = vec![user("Find out why the build hangs.")];
    for at in 0..12 {
        let id = at.to_string();
        let output: String = (0..30).map(|line| format!("module_{at}_{line} depends on layer_{line}_{at}\n")).collect();
        all.extend([call(&id, "read", json!({ "path": format!("build/graph_{at}.txt") })), result(&id, &output)]);
    }
    all.push(assistant("The build hangs because the linker waits for a lock that the indexer never gives back."));
    all.push(user("Go on."));
    let digest = digest_of(&all, 150);
    assert!(digest.contains("waits for a lock"), "{digest}");
    assert!(digest.matches("→ read").count() <= 4, "{digest}");
}

#[test]
fn names_to_list_are_values_and_places_that_matter_and_no_words_of_code() {
    let code = "const sessionPath4 = getShellConfig(child.pid, data.length);\nsee docs/config-7.md";
    let customer = json!({ "payment_id": "gift_card_6941833", "born": "1974-08-15" });
    let all = [
        user("Change the booking."),
        call("1", "read", json!({ "path": "src/shell.ts" })),
        result("1", code),
        call("2", "customer", json!({ "mail": "jo@example.org" })),
        result("2", &customer.to_string()),
    ];
    let known = messages(0, &all);
    let memory = Memory::default();
    let pool = Pool::of(&memory, &known);
    let matters = |name: &str| pool.names.all.iter().find(|one| one.text == name).unwrap().matters();
    for name in ["src/shell.ts", "jo@example.org", "gift_card_6941833", "1974-08-15"] {
        assert!(matters(name), "{name}");
    }
    for name in ["sessionPath4", "getShellConfig", "data.length", "docs/config-7.md"] {
        assert!(!matters(name), "{name}");
    }
}
