//! What a command does to files without writing a text: it removes, moves, copies or restores them.

use crate::base::text;
use crate::memory::{paths, script, shell};

/// Files of one command that are looked at, and bytes of their names that are shown.
const FILES: usize = 16;
const NAMES: usize = 120;

/// What became of a file, or of all that was not committed.
#[derive(Clone)]
pub(super) enum Fate {
    Removed(String),
    /// Where it was, and where it is now.
    Moved(String, String),
    Copied(String, String),
    Restored(String),
    Reset,
    Stashed,
    Unstashed,
}

impl Fate {
    /// The files that are not any more what they were.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Removed(file) | Self::Restored(file) | Self::Copied(_, file) => vec![file],
            Self::Moved(from, to) => vec![from, to],
            Self::Reset | Self::Stashed | Self::Unstashed => Vec::new(),
        }
    }
}

/// What a command does to files.
#[derive(Clone)]
pub(super) struct Fates {
    /// In short: `rm a.ts, b.ts; mv c.ts → a.ts`.
    pub what: String,
    pub all: Vec<Fate>,
    /// The command does nothing else.
    pub alone: bool,
}

/// What does something to files.
const PROGRAMS: [&str; 5] = ["git", "rm", "unlink", "mv", "cp"];

/// What a command does to files, if it does anything to them.
pub(super) fn of(command: &str) -> Option<Fates> {
    // Most commands need not be taken apart to know that they do not.
    if !PROGRAMS.iter().any(|program| text::find(command, program).is_some()) {
        return None;
    }
    let mut fates = Fates { what: String::new(), all: Vec::new(), alone: true };
    let mut folder = String::new();
    for (from, to) in script::parts(command) {
        let part = shell::inside(text::between(command, from, to));
        let plain = || script::words(part).map(|word| word.trim_matches(['\'', '"']));
        match plain().next() {
            Some("cd") => folder = plain().nth(1).map_or_else(String::new, |into| paths::joined(&folder, into)),
            first => match first
                .filter(|program| PROGRAMS.contains(program))
                .and_then(|_| simple(&plain().collect::<Vec<_>>(), &folder))
            {
                Some((what, mut all)) => {
                    fates.what.push_str(if fates.what.is_empty() { "" } else { "; " });
                    fates.what.push_str(&what);
                    fates.all.append(&mut all);
                }
                None => fates.alone = fates.alone && shell::leads(part),
            },
        }
    }
    (!fates.what.is_empty()).then_some(fates)
}

/// The files that a patch removes. `what`: the activity that it is.
pub(super) fn of_patch(patch: &str, what: &str) -> Option<Fates> {
    let removed = patch.lines().filter_map(|line| line.strip_prefix("*** Delete File: "));
    let all: Vec<Fate> = removed.take(FILES).map(|file| Fate::Removed(file.trim().to_owned())).collect();
    (!all.is_empty()).then(|| Fates { what: what.to_owned(), all, alone: true })
}

/// What a simple command does to files, in short and one by one.
fn simple(words: &[&str], folder: &str) -> Option<(String, Vec<Fate>)> {
    let words = &words[..words.iter().position(|word| is_redirect(word)).unwrap_or(words.len())];
    let (program, rest) = match words {
        ["git", rest @ ..] => return by_git(rest, folder),
        [program, rest @ ..] => (*program, rest),
        [] => return None,
    };
    let files = files(rest, folder);
    match program {
        "rm" | "unlink" => removed(files),
        "mv" => moved(files),
        "cp" if !rest.iter().any(|word| ["-r", "-R", "-a", "-rf", "--recursive"].contains(word)) => copied(files),
        _ => None,
    }
}

fn is_redirect(word: &str) -> bool {
    matches!(word, "|" | "&") || word.trim_start_matches(|char: char| char.is_ascii_digit()).starts_with(['>', '<'])
}

/// The words of a command that are files, as seen from where the whole script began.
fn files(words: &[&str], folder: &str) -> Vec<String> {
    let is_file = |word: &&&str| !word.starts_with(['-', '$', '|']) && !word.is_empty();
    words.iter().filter(is_file).take(FILES).map(|word| paths::joined(folder, word)).collect()
}

fn removed(mut files: Vec<String>) -> Option<(String, Vec<Fate>)> {
    /// What tools write again whenever they run.
    const MADE: [&str; 7] = ["node_modules", "dist", "build", "target", "coverage", "__pycache__", ".pytest_cache"];
    files.retain(|file| !MADE.contains(&name(file)));
    let what = format!("rm {}", listed(&files)?);
    Some((what, files.into_iter().map(Fate::Removed).collect()))
}

fn moved(mut files: Vec<String>) -> Option<(String, Vec<Fate>)> {
    let to = files.pop()?;
    let what = format!("mv {} → {}", listed(&files)?, paths::shown(&to));
    let into = files.len() > 1 || to.ends_with('/');
    let one = |from: String| {
        let to = place(&from, &to, into);
        Fate::Moved(from, to)
    };
    Some((what, files.into_iter().map(one).collect()))
}

/// A file in the place that it was brought to.
fn place(file: &str, to: &str, into: bool) -> String {
    if !into {
        return to.to_owned();
    }
    format!("{}/{}", to.trim_end_matches('/'), name(file))
}

fn copied(files: Vec<String>) -> Option<(String, Vec<Fate>)> {
    let [from, to] = files.as_slice() else { return None };
    let what = format!("cp {} → {}", paths::shown(from), paths::shown(to));
    let to = place(from, to, to.ends_with('/'));
    Some((what, vec![Fate::Copied(from.clone(), to)]))
}

fn restored(files: Vec<String>) -> Option<(String, Vec<Fate>)> {
    let what = format!("restored {}", listed(&files)?);
    let all = files.into_iter().map(|file| if file.ends_with('.') { Fate::Reset } else { Fate::Restored(file) });
    Some((what, all.collect()))
}

/// What a subcommand of git does to files.
fn by_git(words: &[&str], folder: &str) -> Option<(String, Vec<Fate>)> {
    let at = words
        .iter()
        .position(|word| ["rm", "mv", "checkout", "restore", "reset", "stash", "clean", "revert"].contains(word))?;
    let (subcommand, rest) = (words[at], &words[at + 1..]);
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let whole = || format!("git {subcommand} {}", text::joined(rest, " ")).trim_end().to_owned();
    if words[..at].iter().any(|word| !word.starts_with('-') && !word.contains(['/', '.'])) {
        return None;
    }
    match subcommand {
        "rm" if !has(&["--cached"]) => removed(files(rest, folder)),
        "mv" => moved(files(rest, folder)),
        "checkout" if !has(&["-b", "-B", "--orphan"]) => {
            let named = rest.iter().position(|word| *word == "--").map(|at| &rest[at + 1..]);
            let named = named.map(<[&str]>::to_vec);
            restored(files(
                &named.unwrap_or_else(|| rest.iter().copied().filter(|word| is_file(word)).collect()),
                folder,
            ))
        }
        "restore" if !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]) => restored(files(rest, folder)),
        "reset" if has(&["--hard"]) => Some((whole(), vec![Fate::Reset])),
        "reset" if has(&["--soft", "--mixed"]) || rest.iter().any(|word| word.contains(['~', '^'])) => {
            Some((whole(), Vec::new()))
        }
        "clean" if !has(&["-n", "--dry-run"]) => Some((whole(), Vec::new())),
        "revert" => Some((whole(), Vec::new())),
        "stash" => match rest.first() {
            None | Some(&"push" | &"save" | &"-u") => Some((whole(), vec![Fate::Stashed])),
            Some(&"pop" | &"apply") => Some((whole(), vec![Fate::Unstashed])),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a word names a file and no branch: its last part has an ending.
fn is_file(word: &str) -> bool {
    let ending = name(word).rsplit_once('.').map(|(_, ending)| ending);
    word == "."
        || !word.starts_with('-')
            && ending.is_some_and(|ending| {
                (1..6).contains(&ending.len())
                    && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && !ending.starts_with(|char: char| char.is_ascii_digit())
            })
}

/// A file without its folders.
fn name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    text::between(path, path.rfind('/').map_or(0, |at| at + 1), path.len())
}

/// Files in a row, as many as are shown; none of no file.
fn listed(files: &[String]) -> Option<String> {
    let mut out = paths::shown(files.first()?);
    for (at, file) in files.iter().enumerate().skip(1) {
        let file = paths::shown(file);
        if out.len() + file.len() > NAMES {
            out.push_str(&format!(" and {} more", files.len() - at));
            break;
        }
        out.push_str(", ");
        out.push_str(&file);
    }
    Some(out)
}
