//! What a digest says of changes that did not last: their files were removed, moved, copied over or restored.

use crate::deeds::{calls, digest, line};
use crate::support::{assistant, user};
use serde_json::json;

type Call = (&'static str, serde_json::Value, &'static str);

fn write(path: &str) -> Call {
    ("write", json!({ "path": path, "content": "export const a = 1;" }), "ok")
}

fn edit(path: &str) -> Call {
    ("edit", json!({ "path": path, "oldText": "one", "newText": "two" }), "Replaced 1 block.")
}

fn bash(command: &str, output: &'static str) -> Call {
    ("bash", json!({ "command": command }), output)
}

#[test]
fn what_is_removed_is_a_change_and_closes_what_was_done_to_the_file() {
    let text = digest(&calls(&[
        edit("/srv/app/src/main.ts"),
        write("/srv/app/src/kept.ts"),
        bash("cd /srv/app && rm -f src/main.ts src/cli.ts 2>/dev/null", ""),
    ]));
    assert_eq!(line(&text, "bash"), "- bash rm …/app/src/main.ts, …/app/src/cli.ts", "{text}");
    assert!(line(&text, "edit").ends_with("← was one → since removed"), "{text}");
    assert!(!line(&text, "kept.ts").contains("since"), "{text}");
}

#[test]
fn what_is_moved_says_where_it_is_and_what_it_replaced_is_closed() {
    let text = digest(&calls(&[
        edit("src/main.ts"),
        write("src/main-new.ts"),
        bash("cd src; rm cli.ts && mv main-new.ts main.ts && npm run check", "Checked 3 files."),
        edit("src/main.ts"),
    ]));
    assert!(line(&text, "write").ends_with("→ since moved to src/main.ts"), "{text}");
    assert!(text.contains("- bash rm src/cli.ts; mv src/main-new.ts → src/main.ts\n"), "{text}");
    assert!(!line(&text, "- edit src/main.ts (2×)").contains("since"), "what was edited again is not void: {text}");
    assert!(line(&text, "npm run check").ends_with("→ Checked 3 files."), "{text}");
}

#[test]
fn what_is_restored_closes_the_edits_before() {
    for (command, told) in [
        ("git checkout -- src/L003.py", "- bash restored src/L003.py"),
        ("git checkout HEAD src/L003.py", "- bash restored src/L003.py"),
        ("git restore src/L003.py", "- bash restored src/L003.py"),
    ] {
        let text = digest(&calls(&[edit("src/L003.py"), edit("src/L004.py"), bash(command, "")]));
        assert_eq!(line(&text, "- bash"), told, "{text}");
        assert!(line(&text, "edit src/L003.py").ends_with("→ since restored"), "{text}");
        assert!(!line(&text, "L004").contains("since"), "{text}");
    }
    let text = digest(&calls(&[edit("src/a.py"), bash("cp src/a.py.bak src/a.py", "")]));
    assert_eq!(line(&text, "- bash"), "- bash cp src/a.py.bak → src/a.py", "{text}");
    assert!(line(&text, "edit").ends_with("→ since replaced by src/a.py.bak"), "{text}");
    for branch in
        ["git checkout main", "git checkout -b fix/a.b", "git restore --staged src/a.py", "git rm --cached a.py"]
    {
        let text = digest(&calls(&[edit("src/a.py"), bash(branch, "")]));
        assert!(!text.contains("since") && !text.contains("restored"), "{branch}: {text}");
    }
}

#[test]
fn what_was_not_committed_is_closed_by_a_reset_and_a_stash_until_it_comes_back() {
    let edits = || vec![edit("a.py"), bash("git commit -am 'A'", "[main 1a2b3c4] A"), edit("b.py")];
    let told = |more: &[Call]| {
        let mut all = edits();
        all.extend(more.iter().cloned());
        digest(&calls(&all))
    };
    let text = told(&[bash("git reset --hard", "HEAD is now at 1a2b3c4 A")]);
    assert!(line(&text, "edit b.py").ends_with("→ since reset"), "{text}");
    assert!(!line(&text, "edit a.py").contains("since") && text.contains("- bash git reset --hard"), "{text}");
    let text = told(&[bash("git stash", "Saved working directory"), bash("git stash list", "stash@{0}")]);
    assert!(line(&text, "edit b.py").ends_with("→ since stashed"), "{text}");
    let text = told(&[bash("git stash", "Saved"), bash("git stash pop", "Dropped")]);
    assert!(!line(&text, "edit b.py").contains("since") && text.contains("git stash pop"), "{text}");
}

#[test]
fn a_passage_that_was_taken_out_is_told_and_no_sign_stands_before_nothing() {
    let edit = |old: &str, new: &str| {
        let input = json!({ "path": "a.py", "oldText": old, "newText": new });
        digest(&calls(&[("edit", input, "Replaced 1 block.")]))
    };
    let text = edit("import os", "");
    assert_eq!(line(&text, "- edit"), "- edit a.py: nothing ← was import os", "{text}");
    let text = edit("one\n", "one\ntwo");
    assert_eq!(line(&text, "- edit"), "- edit a.py: two", "{text}");
}

#[test]
fn what_could_not_be_removed_is_not_void() {
    for (command, output) in [
        ("rm a.py", "rm: cannot remove 'a.py': Permission denied"),
        ("git checkout -- a.py", "error: pathspec 'a.py' did not match any file(s) known to git"),
        ("rm a.py && make", "rm: cannot remove 'a.py': No such file or directory"),
    ] {
        let text = digest(&calls(&[edit("a.py"), bash(command, output)]));
        assert!(!text.contains("since"), "{command}: {text}");
    }
}

#[test]
fn a_name_that_several_files_have_closes_none_of_them() {
    let text = digest(&calls(&[edit("one/index.ts"), edit("two/index.ts"), bash("rm index.ts", "")]));
    assert!(!text.contains("since"), "{text}");
    let text = digest(&calls(&[edit("one/index.ts"), bash("rm -r one", "")]));
    assert!(line(&text, "edit").ends_with("→ since removed"), "{text}");
}

#[test]
fn a_patch_that_removes_a_file_closes_what_was_done_to_it() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n-one\n+two\n*** Delete File: src/b.py\n*** End Patch";
    let text = digest(&calls(&[edit("src/b.py"), ("apply_patch", json!({ "input": patch }), "Done")]));
    assert!(line(&text, "edit src/b.py").ends_with("→ since removed"), "{text}");
    assert_eq!(line(&text, "apply_patch"), "- apply_patch a.py: -one +two", "{text}");
}

/// What an agent prints of an edit that it committed.
const APPLIED: &str = "Applied edit to a.py\nCommit c17d57c feat: Two\nCommit 1dcceba style: Lint";

#[test]
fn a_commit_that_an_agent_took_back_closes_its_edit() {
    let block = "a.py\n```python\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```";
    let mut all = vec![user("Mend it."), assistant(block), user(APPLIED)];
    let before = digest(&all);
    assert!(line(&before, "edit a.py").ends_with("→ commit c17d57c, 1dcceba"), "{before}");
    all.push(user("/undo\nRemoved: 1dcceba style: Lint\nHEAD is: c17d57c feat: Two"));
    assert!(line(&digest(&all), "edit a.py").ends_with("→ commit c17d57c"), "{}", digest(&all));
    let at_once =
        format!("{}\n/undo\nRemoved: 1dcceba style: Lint\nRemoved: c17d57c feat: Two\nHEAD is: 881e50b", APPLIED);
    let text = digest(&[user("Mend it."), assistant(block), user(&at_once)]);
    assert!(line(&text, "edit a.py").ends_with("→ since undone"), "{text}");
    all.push(user("/undo\nRemoved: c17d57c feat: Two\nHEAD is: 881e50b fix"));
    let text = digest(&all);
    assert!(line(&text, "edit a.py").ends_with("→ since undone"), "{text}");
    assert!(text.contains("- undid c17d57c feat: Two"), "{text}");
}

#[test]
fn a_record_of_a_file_that_was_changed_since_is_dropped() {
    let read = ("read", json!({ "path": "src/theme/dark.json" }), r##"{"accent": "#00d7ff", "border": "#ff0000"}"##);
    let text = digest(&calls(core::slice::from_ref(&read)));
    assert!(text.contains("- read src/theme/dark.json: accent=#00d7ff"), "{text}");
    for change in [edit("src/theme/dark.json"), bash("rm src/theme/dark.json", "")] {
        let text = digest(&calls(&[read.clone(), change]));
        assert!(!text.contains("## Records"), "{text}");
    }
    let text = digest(&calls(&[read, edit("src/theme/light.json")]));
    assert!(text.contains("## Records"), "{text}");
}
