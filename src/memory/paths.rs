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

/// Returns files in a row, as many as have room in about so many bytes.
pub(super) fn listed(files: &[impl AsRef<str>], bytes: usize) -> String {
    let mut out = String::new();
    for (at, file) in files.iter().enumerate() {
        let file = shown(file.as_ref());
        if at > 0 && out.len() + file.len() > bytes {
            out.push_str(&format!(" and {} more", files.len() - at));
            break;
        }
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(&file);
    }
    out
}

/// Returns a path as seen from where a command was before it went into a folder.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let (mut folder, mut inside) = (folder.trim_end_matches('/'), path);
    loop {
        if let Some(rest) = inside.strip_prefix("./") {
            inside = rest;
        } else if can_leave(folder) && (inside == ".." || inside.starts_with("../")) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            inside = text::between(inside, "../".len(), inside.len());
        } else {
            break;
        }
    }
    let inside = inside.strip_suffix("/.").unwrap_or(inside);
    match (folder, inside) {
        ("", "" | ".") => ".".to_owned(),
        (_, "" | ".") => folder.to_owned(),
        ("", _) => inside.to_owned(),
        _ if inside.starts_with(['/', '~']) => inside.to_owned(),
        _ => format!("{folder}/{inside}"),
    }
}

/// Whether the folder above one is known.
fn can_leave(folder: &str) -> bool {
    !folder.is_empty() && folder != "~" && !folder.ends_with("..")
}

/// Returns a path without its folders.
pub(super) fn name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    text::between(path, path.rfind('/').map_or(0, |at| at + 1), path.len())
}

/// Returns where a file is after it was brought into a folder.
pub(super) fn inside(folder: &str, file: &str) -> String {
    format!("{}/{}", folder.trim_end_matches('/'), name(file))
}

/// What two ways to write a path must have in common.
fn core(path: &str) -> &str {
    let mut path = path.strip_prefix(CUT).unwrap_or(path);
    while let Some(rest) = path.strip_prefix("../").or_else(|| path.strip_prefix("./")) {
        path = rest;
    }
    path.trim_end_matches('/')
}

/// Whether a path lies where no project does.
fn is_elsewhere(path: &str) -> bool {
    ["/tmp/", "/var/", "/etc/", "~"].iter().any(|start| path.starts_with(start)) || path == "/tmp"
}

/// Whether two paths may be of one file: one of them ends with the other, and what it has before that may be left out.
/// The name of the second one may hold a star.
pub(super) fn is_same(path: &str, pattern: &str) -> bool {
    if pattern.contains('*') { matches(path, pattern) } else { is_one(path, pattern) }
}

fn is_one(one: &str, other: &str) -> bool {
    let (long, short) = if core(one).len() < core(other).len() { (other, one) } else { (one, other) };
    let Some(before) = core(long).strip_suffix(core(short)).filter(|_| !core(short).is_empty()) else { return false };
    if before.is_empty() {
        return true;
    }
    let is_cut = short.starts_with(CUT) || long.starts_with(CUT);
    let leaves_out = core(short).contains('/') || long.starts_with('/');
    before.ends_with('/') && (is_cut || leaves_out && !short.starts_with('/') && !is_elsewhere(long))
}

/// Whether a path is one of those that a pattern names, whose name holds a star.
fn matches(path: &str, pattern: &str) -> bool {
    let (of_path, of_pattern) = (name(path), name(pattern));
    let Some((start, end)) = of_pattern.split_once('*') else { return false };
    let is_named = of_path.len() >= start.len() + end.len() && of_path.starts_with(start) && of_path.ends_with(end);
    is_named
        && match (folder(path), folder(pattern)) {
            // Where no folder is named, every file may be of any.
            ("", "") => of_pattern != "*",
            (path, pattern) => is_one(path, pattern),
        }
}

/// Returns the folders of a path, up to its name.
fn folder(path: &str) -> &str {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    text::between(path, 0, path.len() - name(path).len())
}

/// Returns what of a path a pattern names: the path itself, or a folder that it lies in.
pub(super) fn named<'p>(path: &'p str, pattern: &str) -> Option<&'p str> {
    if is_same(path, pattern) {
        return Some(path);
    }
    let folders = path.rmatch_indices('/').map(|(at, _)| text::between(path, 0, at));
    folders.filter(|folder| *folder != CUT.trim_end_matches('/')).find(|folder| is_one(folder, pattern))
}

/// Whether a path lies in a folder.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    named(path, folder).is_some_and(|named| named.len() < path.len())
}
