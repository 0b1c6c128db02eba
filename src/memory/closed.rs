//! Changes that were made void: their file was removed, moved or restored afterwards.

use crate::base::text;
use crate::memory::file_effects::FileEffect;
use crate::memory::{Activity, paths, work};

/// How the outcome of a change begins that did not last.
const SINCE: &str = "since ";
const STASHED: &str = "since stashed";

/// Whether a change did not last.
pub(super) fn is_undone(one: &Activity) -> bool {
    one.outcome.as_deref().is_some_and(|outcome| outcome.starts_with(SINCE))
}

/// Marks the changes that did not last, now that this became of a file. `by`: the activity that did it.
pub(super) fn close(all: &mut [Activity], effect: &FileEffect, by: &str) {
    match effect {
        FileEffect::Removed(file) => mark_undone(all, file, Reach::Folder, by, "removed"),
        FileEffect::Restored(file) => mark_undone(all, file, Reach::Uncommitted, by, "restored"),
        FileEffect::Copied(from, to) => {
            let to = placed(all, from, to);
            mark_undone(all, &to, Reach::AllBut(from), by, &format!("replaced by {}", paths::shown(from)));
        }
        FileEffect::Moved(from, to) => {
            let to = placed(all, from, to);
            mark_undone(all, &to, Reach::AllBut(from), by, &format!("replaced by {}", paths::shown(from)));
            mark_undone(all, from, Reach::Folder, by, &format!("moved to {}", paths::shown(&to)));
        }
        FileEffect::Stashed(Some(file)) => mark_undone(all, file, Reach::Uncommitted, by, "stashed"),
        FileEffect::Reset => mark_uncommitted(all, by, "reset"),
        FileEffect::Stashed(None) => mark_uncommitted(all, by, "stashed"),
        FileEffect::Unstashed => {
            for one in all.iter_mut().filter(|one| one.outcome.as_deref() == Some(STASHED)) {
                one.outcome = None;
            }
        }
    }
}

/// Returns the file that a change is of, unless it is of several.
pub(super) fn file(one: &Activity) -> Option<&str> {
    let is_list = one.what.split(' ').nth(1) == Some("rm") || one.what.starts_with("undid ") || one.what.contains(", ");
    if one.changes && !is_list { one.what.rsplit(' ').next() } else { None }
}

/// Returns the files into which a change writes: `sed -i a.py, b.py`. What an effect on files does to them is known by
/// itself.
pub(super) fn files(one: &Activity) -> Vec<&str> {
    if one.what.contains('→') {
        return Vec::new();
    }
    if let Some(file) = file(one) {
        return vec![file];
    }
    let words = one.what.rsplit(' ').enumerate();
    words.take_while(|(at, word)| *at == 0 || word.ends_with(',')).map(|(_, word)| word.trim_end_matches(',')).collect()
}

/// What an effect on a path reaches beside the file that lies there.
#[derive(Clone, Copy)]
enum Reach<'p> {
    /// The files of a folder.
    Folder,
    /// What was not committed of the files of a folder.
    Uncommitted,
    /// Nothing, and not this file, whose path may look like the same.
    AllBut(&'p str),
}

/// Marks the changes of a file, unless several files may be meant.
fn mark_undone(all: &mut [Activity], path: &str, reach: Reach<'_>, by: &str, why: &str) {
    let committed = last_commit(all);
    let named = |one: &Activity| {
        let file = file(one).filter(|_| one.what != by)?;
        let named = paths::named(file, path)?;
        let is_whole = named.len() == file.len();
        let is_reached = match reach {
            Reach::Folder => true,
            Reach::Uncommitted => is_whole || is_uncommitted(one, committed),
            Reach::AllBut(source) => is_whole && !paths::is_same(file, source),
        };
        is_reached.then(|| named.to_owned())
    };
    let all_named: Vec<String> = all.iter().filter_map(named).collect();
    let longest = all_named.iter().max_by_key(|named| named.len());
    let is_one = longest.is_none_or(|longest| all_named.iter().all(|named| paths::is_same(longest, named)));
    if is_one || path.contains(['/', '*']) {
        all.iter_mut().filter(|one| named(one).is_some()).for_each(|one| one.outcome = Some(format!("{SINCE}{why}")));
    }
}

/// Returns where a file is after it was brought to a path, which may be a folder of files that are known.
fn placed(all: &[Activity], from: &str, to: &str) -> String {
    let is_folder = all.iter().filter_map(file).any(|file| paths::is_inside(file, to));
    let is_from_folder = all.iter().filter_map(file).any(|file| paths::is_inside(file, from));
    if is_folder && !is_from_folder { paths::inside(to, from) } else { to.to_owned() }
}

/// Returns when something was committed last.
fn last_commit(all: &[Activity]) -> Option<u64> {
    let is_made = |one: &&Activity| {
        let is_told = one.outcome.as_deref().is_some_and(|outcome| outcome.starts_with('['));
        work::commits(&one.what) && (one.failures < one.calls || is_told)
    };
    all.iter().filter(is_made).map(|one| one.at).max()
}

/// Whether a change was made since the last commit, and lasts. A new file is not known to git.
fn is_uncommitted(one: &Activity, committed: Option<u64>) -> bool {
    one.changes && committed.is_none_or(|at| one.at > at) && !work::creates(&one.what) && !is_undone(one)
}

/// Marks the edits since the last commit.
fn mark_uncommitted(all: &mut [Activity], by: &str, why: &str) {
    let committed = last_commit(all);
    for one in all.iter_mut().filter(|one| one.what != by && is_uncommitted(one, committed)) {
        one.outcome = Some(format!("{SINCE}{why}"));
    }
}

/// Marks what the commit with this hash changed, now that an agent took it back.
pub(super) fn undo(all: &mut [Activity], hash: &str) {
    for one in all.iter_mut().filter(|one| one.changes) {
        let Some(hashes) = one.outcome.as_deref().and_then(|outcome| outcome.strip_prefix(COMMIT)) else { continue };
        let (hashes, behind) = hashes.split_once(BEHIND_COMMITS).unwrap_or((hashes, ""));
        let mut kept: Vec<&str> = hashes.split(", ").collect();
        if kept.first() == Some(&hash) {
            let which = if one.calls > 1 { ", the last of them" } else { "" };
            one.outcome = Some(format!("{SINCE}undone{which}"));
        } else if kept.contains(&hash) {
            kept.retain(|one| *one != hash);
            let behind = if behind.is_empty() { String::new() } else { format!("{BEHIND_COMMITS}{behind}") };
            one.outcome = Some(format!("{COMMIT}{}{behind}", text::joined(&kept, ", ")));
        }
    }
}

/// How the outcome of a change begins that an agent committed by itself.
pub(super) const COMMIT: &str = "commit ";
/// What stands between the hashes of commits and why the change failed before.
pub(super) const BEHIND_COMMITS: &str = "; ";
