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

/// The lines of the edits of these files, then of this command, and how each ends: `since` and why, or nothing.
fn assert_since(files: &[&str], command: &str, output: &'static str, since: &[(&str, &str)]) {
    let mut all: Vec<Call> = files.iter().copied().map(edit).collect();
    all.push(bash(command, output));
    let text = digest(&calls(&all));
    for file in files {
        let told = line(&text, &format!("- edit {file}"));
        let why = since.iter().find(|(of, _)| of == file).map(|(_, why)| *why);
        match why {
            Some(why) => assert!(told.ends_with(&format!("→ since {why}")), "{command}: {text}"),
            None => assert!(!told.is_empty() && !told.contains("since"), "{command}: {text}"),
        }
    }
}

#[test]
fn a_comment_is_no_part_of_a_command() {
    for command in [
        "# we don't need it\nrm src/a.ts",
        "npm ci   # don't use install\nrm src/a.ts\nnpm test",
        "# step 1 (clean\nrm src/a.ts\ncargo test",
        "rm src/a.ts  # keep src/b.ts",
        "rm -f \\\n  src/a.ts",
        "echo 'a # b'; rm src/a.ts",
    ] {
        assert_since(&["src/a.ts", "src/b.ts"], command, "", &[("src/a.ts", "removed")]);
    }
    assert_since(&["src/a.ts", "src/b.ts"], "rm -f x.log  # keep src/a.ts and src/b.ts", "", &[]);
    assert_since(&["src/a.ts"], "echo a#b; rm x#y.ts; rm src/a.ts", "", &[("src/a.ts", "removed")]);
}

#[test]
fn a_backup_is_another_file_than_the_original() {
    for command in [
        "cp config.json /tmp/config.json",
        "cp config.json backup/",
        "cp config.json backup",
        "cp config.json packages/core/config.json",
        "cd /srv && cp config.json conf/config.json",
        "rm /tmp/config.json",
        "mv old/config.json ~/config.json",
        "rm -f backup/config.json",
    ] {
        assert_since(&["config.json"], command, "", &[]);
        let read = ("read", json!({ "path": "config.json" }), r##"{"accent": "#00d7ff", "border": "#ff0000"}"##);
        let text = digest(&calls(&[read, bash(command, "")]));
        assert!(text.contains("- read config.json: accent"), "{command}: {text}");
    }
    assert_since(&["config.json"], "cd /srv && rm config.json", "", &[("config.json", "removed")]);
    assert_since(&["/srv/app/main.py"], "rm main.py", "", &[("/srv/app/main.py", "removed")]);
}

#[test]
fn a_star_stands_for_names_in_one_folder() {
    let files = ["src/a.ts", "lib/b.py", "lib/d.ts"];
    for (command, removed) in [
        ("rm -rf /tmp/*", None),
        ("rm -f /tmp/*.py", None),
        ("rm -f /tmp/b*.py", None),
        ("rm -rf *", None),
        ("rm src/*.ts", Some("src/a.ts")),
        ("cd lib && rm *.py", Some("lib/b.py")),
        ("rm /srv/app/lib/*.py", Some("lib/b.py")),
    ] {
        let since: Vec<_> = removed.map(|file| (file, "removed")).into_iter().collect();
        assert_since(&files, command, "", &since);
    }
}

#[test]
fn what_is_brought_into_a_folder_leaves_the_other_files_in_it() {
    let files = ["lib/d.ts", "src/a.ts"];
    for command in ["mv src/a.ts lib", "mv src/a.ts lib/", "mv -t lib src/a.ts", "mv --target-directory=lib src/a.ts"] {
        assert_since(&files, command, "", &[("src/a.ts", "moved to lib/a.ts")]);
    }
    for command in ["cp src/a.ts lib", "cp src/a.ts src/b.ts lib", "cp -t lib src/a.ts"] {
        assert_since(&files, command, "", &[]);
    }
    assert_since(&["src/d.ts"], "cp lib/d.ts src", "", &[("src/d.ts", "replaced by lib/d.ts")]);
    assert_since(&["Dockerfile"], "mv Dockerfile.new Dockerfile", "", &[("Dockerfile", "replaced by Dockerfile.new")]);
    assert_since(&["bin/a", "tools/b"], "mv bin/a tools", "", &[("bin/a", "moved to tools/a")]);
}

#[test]
fn a_folder_that_is_removed_or_moved_takes_its_files_with_it() {
    let files = ["src/a.ts", "src/sub/b.ts", "lib/src/c.ts"];
    assert_since(&files, "rm -rf src", "", &[("src/a.ts", "removed"), ("src/sub/b.ts", "removed")]);
    let moved = "moved to source";
    assert_since(&files, "mv src source", "", &[("src/a.ts", moved), ("src/sub/b.ts", moved)]);
    assert_since(&files, "rm -rf out/src", "", &[]);
    assert_since(&["/one/src/a.ts", "/two/src/b.ts"], "rm -rf src", "", &[]);
}

#[test]
fn what_may_not_have_run_does_nothing() {
    for command in [
        "npm test || git checkout -- src/a.ts",
        "npm run build || rm src/a.ts && npm test",
        "[ -f src/a.ts ] && rm src/a.ts",
        "[[ -n $X ]] && cd web && rm ../src/a.ts",
        "if npm test; then echo ok; else git checkout -- src/a.ts; fi",
    ] {
        assert_since(&["src/a.ts"], command, "3 passed", &[]);
    }
    for command in
        ["npm test || true; rm src/a.ts", "[ -d x ] || mkdir x\nrm src/a.ts", "cd /srv || exit 1; rm src/a.ts"]
    {
        assert_since(&["src/a.ts"], command, "3 passed", &[("src/a.ts", "removed")]);
    }
}

#[test]
fn a_folder_is_restored_alone() {
    let files = ["src/a.ts", "web/b.ts"];
    for command in
        ["cd web && git checkout .", "git checkout -- ./web/.", "git restore web", "cd web/x; git restore .."]
    {
        assert_since(&files, command, "", &[("web/b.ts", "restored")]);
    }
    for command in ["git checkout .", "cd web && cd .. && git checkout -- ."] {
        assert_since(&files, command, "", &[("src/a.ts", "reset"), ("web/b.ts", "reset")]);
    }
    assert_since(&["src/writer.ts"], "git checkout .", "", &[("src/writer.ts", "reset")]);
}

#[test]
fn a_stash_holds_what_it_is_given() {
    let files = ["src/a.ts", "src/b.ts"];
    for command in ["git stash push -- src/a.ts", "git stash push -m 'two words' src/a.ts", "git stash -- src/a.ts"] {
        assert_since(&files, command, "Saved", &[("src/a.ts", "stashed")]);
    }
    for command in ["git stash", "git stash -m wip", "git stash --include-untracked", "git stash save 'src/a.ts'"] {
        assert_since(&files, command, "Saved", &[("src/a.ts", "stashed"), ("src/b.ts", "stashed")]);
    }
    for command in ["git stash show -p", "git stash list", "git stash -p", "git stash drop"] {
        assert_since(&files, command, "Saved", &[]);
    }
    for tool in ["Write", "create_file"] {
        let text = digest(&calls(&[
            (tool, json!({ "file_path": "src/new.ts", "content": "x = 1" }), "ok"),
            bash("git stash", "Saved"),
        ]));
        assert!(!line(&text, "src/new.ts").contains("since"), "git does not know a new file: {text}");
    }
}

#[test]
fn a_commit_that_failed_keeps_nothing() {
    let told = |output: &'static str| {
        let all =
            [edit("a.py"), bash("git commit -am 'A' && git push", output), bash("git reset --hard", "HEAD is now")];
        let text = digest(&calls(&all));
        (line(&text, "- edit").to_owned(), line(&text, "git commit").to_owned())
    };
    assert!(told("lint failed\nCommand exited with code 1").0.ends_with("→ since reset"));
    assert!(!told("[main 1a2b3c4] A").0.contains("since"));
    let (edit, commit) = told("[main 1a2b3c4] A\n! [rejected] main -> main\nCommand exited with code 1");
    assert!(!edit.contains("since"), "{edit}");
    assert!(commit.ends_with("→ [main 1a2b3c4], then failed"), "{commit}");
}

#[test]
fn only_files_are_restored() {
    for (command, told) in [
        ("git checkout feature/foo.bar", "- bash git checkout: feature/foo.bar → ok"),
        ("git restore --source HEAD~1 src/a.ts", "- bash restored src/a.ts"),
        ("git restore -s HEAD~1 src/a.ts", "- bash restored src/a.ts"),
        ("git restore --source=HEAD~1 src/a.ts", "- bash restored src/a.ts"),
        ("git checkout HEAD~1 src/a.ts", "- bash restored src/a.ts"),
    ] {
        assert_eq!(line(&digest(&calls(&[bash(command, "")])), "- bash"), told, "{command}");
    }
}

#[test]
fn brackets_and_who_runs_a_program_do_not_hide_what_it_does() {
    for command in [
        "sudo rm src/a.ts",
        "(cd src && rm a.ts)",
        "(cd src && rm a.ts) 2>/dev/null; rm b.ts",
        "(cd web && npm ci); rm src/a.ts",
        "rm $(git ls-files x); rm src/a.ts",
        "echo $((1 + 2)); rm src/a.ts",
    ] {
        assert_since(&["src/a.ts"], command, "", &[("src/a.ts", "removed")]);
    }
    assert_since(&["src/b.ts"], "(cd src && rm a.ts); rm b.ts", "", &[]);
}
