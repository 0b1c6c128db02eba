//! What a command does to files without writing a text: it removes, moves, copies or restores them.

use crate::base::text;
use crate::memory::script::{self, Joint, Part};
use crate::memory::{paths, shell};

/// Files of one command that are looked at, and bytes of their names that are shown.
const FILES: usize = 16;
const NAMES: usize = 120;

/// What became of a file, or of all that was not committed.
#[derive(Clone)]
pub(super) enum FileEffect {
    Removed(String),
    /// Where it was, and where it is now.
    Moved(String, String),
    Copied(String, String),
    Restored(String),
    Reset,
    /// All of it, or what was done to one file.
    Stashed(Option<String>),
    Unstashed,
}

impl FileEffect {
    /// Returns the files that are not any more what they were.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Removed(file) | Self::Restored(file) | Self::Copied(_, file) | Self::Stashed(Some(file)) => {
                vec![file]
            }
            Self::Moved(from, to) => vec![from, to],
            Self::Reset | Self::Stashed(None) | Self::Unstashed => Vec::new(),
        }
    }

    /// Returns the file that stays what it was, although the other one may be written like it.
    pub fn source(&self) -> Option<&str> {
        if let Self::Copied(from, _) = self { Some(from) } else { None }
    }
}

/// What a command does to files.
#[derive(Clone)]
pub(super) struct FileEffects {
    /// In short: `rm a.ts, b.ts; mv c.ts → a.ts`.
    pub what: String,
    pub all: Vec<FileEffect>,
    /// The command does nothing else.
    pub alone: bool,
}

/// What does something to files.
const PROGRAMS: [&str; 5] = ["git", "rm", "unlink", "mv", "cp"];

/// Returns what a command does to files for sure, if it does anything to them.
pub(super) fn of(command: &str) -> Option<FileEffects> {
    // Most commands need not be taken apart to know that they do not.
    if !PROGRAMS.iter().any(|program| text::find(command, program).is_some()) {
        return None;
    }
    let mut effects = FileEffects { what: String::new(), all: Vec::new(), alone: true };
    let (mut folder, mut outside, mut doubt) = (String::new(), Vec::new(), Doubt::default());
    for part in script::parts(command) {
        (0..part.opens).for_each(|_| outside.push(folder.clone()));
        let inside = shell::inside(part.text);
        let simple = if doubt.covers(&part) { None } else { simple(inside, &mut folder) };
        match simple {
            Some((what, mut all)) => {
                effects.what.push_str(if effects.what.is_empty() { "" } else { "; " });
                effects.what.push_str(&what);
                effects.all.append(&mut all);
            }
            None => effects.alone = effects.alone && shell::leads(inside),
        }
        (0..part.closes).for_each(|_| folder = outside.pop().unwrap_or_default());
    }
    (!effects.what.is_empty()).then_some(effects)
}

/// Returns the files that a patch removes. `what`: the activity that it is.
pub(super) fn of_patch(patch: &str, what: &str) -> Option<FileEffects> {
    let removed = patch.lines().filter_map(|line| line.strip_prefix("*** Delete File: "));
    let all: Vec<FileEffect> = removed.take(FILES).map(|file| FileEffect::Removed(file.trim().to_owned())).collect();
    (!all.is_empty()).then(|| FileEffects { what: what.to_owned(), all, alone: true })
}

/// Whether the commands of a script may not have run: that depends on what others came to.
#[derive(Default)]
struct Doubt {
    /// Conditions that are open.
    conditions: usize,
    /// What stands behind `||`, or behind `[ … ] &&`.
    joined: bool,
}

impl Doubt {
    /// Whether a simple command may not have run. Takes them one after the other.
    fn covers(&mut self, part: &Part<'_>) -> bool {
        match part.joint {
            Joint::Next => self.joined = false,
            Joint::And => {}
            Joint::Or => self.joined = true,
        }
        if part.text.starts_with("if ") {
            self.conditions += 1;
        } else if script::words(part.text).next() == Some("fi") {
            self.conditions = self.conditions.saturating_sub(1);
        }
        let covers = self.joined || self.conditions > 0;
        self.joined |= ["[ ", "[[ ", "test "].iter().any(|start| part.text.starts_with(start));
        covers
    }
}

/// Returns what a simple command does to files, in short and one by one. It may go into another folder.
fn simple(part: &str, folder: &mut String) -> Option<(String, Vec<FileEffect>)> {
    let part = text::between(part, shell::unwrapped(part, 0), part.len());
    let plain = || script::words(part).map(|word| word.trim_matches(['\'', '"']));
    let program = plain().next()?;
    if program == "cd" {
        *folder = match plain().nth(1) {
            None | Some("-") => String::new(),
            Some(into) => paths::joined(folder, into),
        };
    }
    if !PROGRAMS.contains(&program) {
        return None;
    }
    let words: Vec<&str> = plain().skip(1).take_while(|word| !script::is_redirect(word)).collect();
    let rest = words.as_slice();
    match program {
        "git" => by_git(rest, folder),
        "rm" | "unlink" => removed(files(rest, folder)),
        "mv" => moved(rest, folder),
        "cp" if !rest.iter().any(|word| ["-r", "-R", "-a", "-rf", "--recursive"].contains(word)) => {
            copied(rest, folder)
        }
        _ => None,
    }
}

/// Returns the words of a command that are files, as seen from where the whole script began.
fn files(words: &[&str], folder: &str) -> Vec<String> {
    let is_file = |word: &&&str| !word.starts_with(['-', '$', '|']) && !word.is_empty();
    words.iter().filter(is_file).map(|word| paths::joined(folder, word)).collect()
}

/// Returns files in a row, as many as are shown; none of no file.
fn listed(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| paths::listed(files, NAMES))
}

fn removed(mut files: Vec<String>) -> Option<(String, Vec<FileEffect>)> {
    /// What tools write again whenever they run.
    const MADE: [&str; 7] = ["node_modules", "dist", "build", "target", "coverage", "__pycache__", ".pytest_cache"];
    files.retain(|file| !MADE.contains(&paths::name(file)));
    let what = format!("rm {}", listed(&files)?);
    Some((what, files.into_iter().take(FILES).map(FileEffect::Removed).collect()))
}

/// What is brought from one place to another: the files, the place, and whether that is a folder.
struct Transfer {
    from: Vec<String>,
    to: String,
    into: bool,
}

impl Transfer {
    fn of(words: &[&str], folder: &str) -> Option<Self> {
        const TARGET: &str = "--target-directory";
        let at = words.iter().position(|word| *word == "-t" || word.starts_with(TARGET));
        let Some(at) = at else {
            let mut from = files(words, folder);
            let to = from.pop()?;
            let into = to.ends_with('/') || from.len() > 1 || is_folder(&to, from.first()?);
            return Some(Self { from, to, into });
        };
        let named = words[at].strip_prefix(TARGET).and_then(|rest| rest.strip_prefix('='));
        let behind = at + 1 + usize::from(named.is_none());
        let to = named.or_else(|| words.get(at + 1).copied())?;
        let mut from = files(&words[..at], folder);
        from.append(&mut files(words.get(behind..)?, folder));
        Some(Self { from, to: paths::joined(folder, to), into: true })
    }

    fn what(&self, program: &str) -> Option<String> {
        Some(format!("{program} {} → {}", listed(&self.from)?, paths::shown(&self.to)))
    }

    /// Returns each file with its new place.
    fn each(self) -> impl Iterator<Item = (String, String)> {
        let Self { from, to, into } = self;
        from.into_iter().take(FILES).map(move |file| {
            let to = if into { paths::inside(&to, &file) } else { to.clone() };
            (file, to)
        })
    }
}

/// Whether the place that a file is brought to is a folder: its name has no ending, but that of the file has one.
fn is_folder(to: &str, file: &str) -> bool {
    let (to, file) = (paths::name(to), paths::name(file));
    let is_named_file = to.ends_with("file") || !to.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_without_ending = file.strip_prefix(to).is_some_and(|rest| rest.starts_with('.'));
    matches!(to, "." | "..") || !to.contains('.') && file.contains('.') && !is_named_file && !is_without_ending
}

fn moved(words: &[&str], folder: &str) -> Option<(String, Vec<FileEffect>)> {
    let transfer = Transfer::of(words, folder)?;
    Some((transfer.what("mv")?, transfer.each().map(|(from, to)| FileEffect::Moved(from, to)).collect()))
}

fn copied(words: &[&str], folder: &str) -> Option<(String, Vec<FileEffect>)> {
    let transfer = Transfer::of(words, folder)?;
    Some((transfer.what("cp")?, transfer.each().map(|(from, to)| FileEffect::Copied(from, to)).collect()))
}

fn restored(files: Vec<String>) -> Option<(String, Vec<FileEffect>)> {
    let what = format!("restored {}", listed(&files)?);
    let one = |file| if file == "." { FileEffect::Reset } else { FileEffect::Restored(file) };
    Some((what, files.into_iter().take(FILES).map(one).collect()))
}

/// Returns what a subcommand of git does to files.
fn by_git(words: &[&str], folder: &str) -> Option<(String, Vec<FileEffect>)> {
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
        "mv" => moved(rest, folder),
        "checkout" if !has(&["-b", "-B", "--orphan"]) => {
            let named = rest.iter().position(|word| *word == "--").map(|at| rest[at + 1..].to_vec());
            let named = named.unwrap_or_else(|| rest.iter().copied().filter(|word| is_file(word)).collect());
            restored(files(&named, folder))
        }
        "restore" if !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]) => {
            restored(files(&without_values(rest, &["--source", "-s"]), folder))
        }
        "reset" if has(&["--hard"]) => Some((whole(), vec![FileEffect::Reset])),
        "reset" if has(&["--soft", "--mixed"]) || rest.iter().any(|word| word.contains(['~', '^'])) => {
            Some((whole(), Vec::new()))
        }
        "clean" if !has(&["-n", "--dry-run"]) => Some((whole(), Vec::new())),
        "revert" => Some((whole(), Vec::new())),
        "stash" => Some((whole(), stash(rest, folder)?)),
        _ => None,
    }
}

/// Returns what `git stash` does to files.
fn stash(words: &[&str], folder: &str) -> Option<Vec<FileEffect>> {
    let rest = match words {
        ["pop" | "apply", ..] => return Some(vec![FileEffect::Unstashed]),
        ["save", ..] => &[],
        ["push", rest @ ..] => rest,
        [] => words,
        [first, ..] if first.starts_with('-') => words,
        _ => return None,
    };
    // What was chosen there stands nowhere.
    if rest.iter().any(|word| ["-p", "--patch", "-S", "--staged"].contains(word)) {
        return Some(Vec::new());
    }
    let files = files(&without_values(rest, &["-m", "--message"]), folder);
    if files.is_empty() {
        return Some(vec![FileEffect::Stashed(None)]);
    }
    Some(files.into_iter().take(FILES).map(|file| FileEffect::Stashed(Some(file).filter(|file| file != "."))).collect())
}

/// Returns words without these flags and the words that are their values. A value in quotation marks is one word.
fn without_values<'w>(words: &[&'w str], flags: &[&str]) -> Vec<&'w str> {
    let is_value = |at: usize| at > 0 && flags.contains(&words[at - 1]);
    (0..words.len()).filter(|at| !is_value(*at)).map(|at| words[at]).collect()
}

/// Whether a word names a file and no branch: its last part has the ending of one.
fn is_file(word: &str) -> bool {
    const ENDINGS: [&str; 69] = [
        "astro", "bash", "c", "cc", "cfg", "cjs", "clj", "conf", "cpp", "cs", "css", "csv", "cts", "dart", "env",
        "erl", "ex", "exs", "gif", "go", "gradle", "h", "hpp", "hs", "html", "ini", "ipynb", "java", "jpg", "js",
        "json", "jsx", "kt", "less", "lock", "lua", "m", "md", "mjs", "ml", "mts", "php", "pl", "png", "proto", "ps1",
        "py", "r", "rb", "rs", "rst", "scala", "scss", "sh", "sql", "svelte", "svg", "swift", "tf", "toml", "ts",
        "tsx", "txt", "vue", "xml", "yaml", "yml", "zig", "zsh",
    ];
    let ending = paths::name(word).rsplit_once('.').map_or("", |(_, ending)| ending);
    !word.starts_with('-') && (word.ends_with("/.") || word == "." || ENDINGS.contains(&ending))
}
