//! Paths: how they are shown, and whether two of them are of one file.

use crate::base::text;

/// What begins a path of which folders are left out.
const CUT: &str = "…/";
/// Folders that are shown of a path.
const FOLDERS: usize = 2;

/// A file with the two folders that it lies in, and a sign where more are left out.
pub(super) fn shown(path: &str) -> String {
    let slashes = path.rmatch_indices('/').map(|(at, _)| at);
    match slashes.filter(|at| at + 1 < path.len()).nth(FOLDERS) {
        Some(at) if at > 0 => format!("{CUT}{}", text::between(path, at + 1, path.len())),
        _ => path.to_owned(),
    }
}

/// The beginning of a text in about so many bytes. A list ends with a whole name.
pub(super) fn start(text: &str, bytes: usize) -> String {
    /// Bytes of a name that is left out rather than cut.
    const NAME: usize = 40;
    let (text, mut out) = (text.trim(), text::start(text, bytes));
    if out == text {
        return out;
    }
    let kept = out.len() - "…".len();
    let between = [", ", "; "].iter().filter_map(|sign| text::between(&out, 0, kept).rfind(sign)).max();
    if let Some(at) = between.filter(|at| *at > bytes / 2 && kept - at < NAME) {
        out.truncate(at + ", ".len());
        out.push('…');
    }
    out
}

/// A path as seen from where a command was before it went into a folder.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let mut inside = path;
    while let Some(rest) = inside.strip_prefix("./") {
        inside = rest;
    }
    if folder.is_empty() || inside.starts_with(['/', '~', '.']) {
        return inside.to_owned();
    }
    format!("{}/{inside}", folder.trim_end_matches('/'))
}

/// What two ways to write a path must have in common.
fn core(path: &str) -> &str {
    let mut path = path.strip_prefix(CUT).unwrap_or(path);
    while let Some(rest) = path.strip_prefix("../").or_else(|| path.strip_prefix("./")) {
        path = rest;
    }
    path.trim_end_matches('/')
}

/// Whether two paths may be of one file: one of them ends with the other. The name of the second may hold a star.
pub(super) fn is_same(path: &str, pattern: &str) -> bool {
    let (path, pattern) = (core(path), core(pattern));
    if path.is_empty() || pattern.is_empty() {
        return false;
    }
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|before| before.is_empty() || before.ends_with('/') || short.starts_with('/'))
    };
    match pattern.split_once('*') {
        None => ends(path, pattern) || ends(pattern, path),
        Some((start, end)) => {
            let name = |path: &str| text::between(path, path.rfind('/').map_or(0, |at| at + 1), path.len()).to_owned();
            let (name, start) = (name(path), name(start));
            name.len() >= start.len() + end.len() && name.starts_with(&start) && name.ends_with(end)
        }
    }
}

/// Whether a path lies in a folder.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    let folder = core(folder);
    !folder.is_empty() && text::find(&format!("/{}", core(path)), &format!("/{folder}/")).is_some()
}
