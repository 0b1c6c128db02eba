//! Changes that were made void: their file was removed, moved or restored afterwards.

use crate::base::text;
use crate::memory::fate::Fate;
use crate::memory::{Activity, paths, work};

/// How the outcome of a change begins that is void.
const SINCE: &str = "since ";
const STASHED: &str = "since stashed";

/// Whether a change was made void.
pub(super) fn is_void(one: &Activity) -> bool {
    one.outcome.as_deref().is_some_and(|outcome| outcome.starts_with(SINCE))
}

/// Marks what is void, now that this became of a file. `by`: the activity that did it.
pub(super) fn close(all: &mut [Activity], fate: &Fate, by: &str) {
    match fate {
        Fate::Removed(file) => void(all, file, by, "removed"),
        Fate::Restored(file) => void(all, file, by, "restored"),
        Fate::Copied(from, to) => void(all, to, by, &format!("replaced by {}", paths::shown(from))),
        Fate::Moved(from, to) => {
            void(all, to, by, &format!("replaced by {}", paths::shown(from)));
            void(all, from, by, &format!("moved to {}", paths::shown(to)));
        }
        Fate::Reset => void_uncommitted(all, by, "reset"),
        Fate::Stashed => void_uncommitted(all, by, "stashed"),
        Fate::Unstashed => {
            for one in all.iter_mut().filter(|one| one.outcome.as_deref() == Some(STASHED)) {
                one.outcome = None;
            }
        }
    }
}

/// The file that a change is of.
pub(super) fn file(one: &Activity) -> Option<&str> {
    let is_list = one.what.split(' ').nth(1) == Some("rm") || one.what.starts_with("undid ");
    if one.changes && !is_list { one.what.rsplit(' ').next() } else { None }
}

/// Marks the changes of a file, unless several files may be meant.
fn void(all: &mut [Activity], path: &str, by: &str, why: &str) {
    let is_of = |one: &Activity| {
        one.what != by && file(one).is_some_and(|file| paths::is_same(file, path) || paths::is_inside(file, path))
    };
    let sure = path.contains('/') || path.contains('*') || {
        let files = || all.iter().filter(|one| is_of(one)).filter_map(file);
        let longest = files().max_by_key(|file| file.len());
        longest.is_none_or(|longest| files().all(|file| paths::is_same(longest, file)))
    };
    if sure {
        all.iter_mut().filter(|one| is_of(one)).for_each(|one| one.outcome = Some(format!("{SINCE}{why}")));
    }
}

/// Marks the edits since the last commit. A new file stays where it is.
fn void_uncommitted(all: &mut [Activity], by: &str, why: &str) {
    let committed = all.iter().filter(|one| work::commits(&one.what)).map(|one| one.at).max();
    let is_new = |one: &Activity| ["write", "create", "cat >"].iter().any(|how| one.what.contains(how));
    for one in all {
        let is_open = one.changes && one.what != by && committed.is_none_or(|at| one.at > at);
        if is_open && !is_new(one) && !is_void(one) {
            one.outcome = Some(format!("{SINCE}{why}"));
        }
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
