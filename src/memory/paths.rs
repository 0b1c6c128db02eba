//! Paths: a long one that stood in full before is named by its end, as nobody reads it again to its end.

use crate::base::text;

/// Bytes and separators of a path that is long.
const LONG: usize = 24;
const PARTS: usize = 3;
/// Bytes of a folder that is not to be repeated.
const FOLDER: usize = 12;
/// What stands for all of a path before its last part.
const BEFORE: &str = "…/";

/// The long paths that stand in a text.
#[derive(Debug, Default)]
pub struct Paths {
    known: Vec<String>,
}

impl Paths {
    /// Those of a text.
    pub fn of(text: &str) -> Self {
        let mut paths = Self::default();
        text.lines().for_each(|line| drop(paths.shortened(line)));
        paths
    }

    /// A line with the paths that are known by their ends; others are known from now on.
    pub fn shortened(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while !rest.is_empty() {
            let from = rest.find(is_part).unwrap_or(rest.len());
            let to =
                from + text::between(rest, from, rest.len()).find(|char| !is_part(char)).unwrap_or(rest.len() - from);
            let path = text::between(rest, from, to).trim_end_matches('.');
            let end = path.rsplit('/').next().unwrap_or(path);
            out.push_str(text::between(rest, 0, from));
            if is_long(path) && self.knows(path, end) {
                out.push_str(BEFORE);
                out.push_str(end);
            } else {
                out.push_str(path);
            }
            out.push_str(text::between(rest, from + path.len(), to));
            rest = text::between(rest, to, rest.len());
        }
        out
    }

    /// Whether a path is known and no other one ends like it.
    fn knows(&mut self, path: &str, end: &str) -> bool {
        let ends = |known: &&String| known.rsplit('/').next() == Some(end);
        let mut alike = self.known.iter().filter(ends);
        let is_known = alike.clone().any(|known| known == path);
        let is_only = alike.all(|known| may_be_same(known, path));
        if !is_known {
            self.known.push(path.to_owned());
        }
        is_known && is_only
    }
}

/// Whether two paths may name one file: they are the same, or one is the end of the other.
pub fn may_be_same(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|path| path.trim_start_matches("../").trim_start_matches("./"));
    let ends = |long: &str, short: &str| {
        short.contains('/') && long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
    };
    one == other || ends(one, other) || ends(other, one)
}

/// The folder that paths share, if its name is a long one.
pub fn folder<'p>(paths: &[&'p str]) -> Option<&'p str> {
    let (first, others) = paths.split_first()?;
    let mut folder = first.rsplit_once('/')?.0;
    while !others.iter().all(|other| other.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))) {
        folder = folder.rsplit_once('/')?.0;
    }
    (folder.len() >= FOLDER && !others.is_empty()).then_some(folder)
}

fn is_long(path: &str) -> bool {
    path.len() >= LONG
        && path.bytes().filter(|&byte| byte == b'/').count() >= PARTS
        && !path.ends_with('/')
        && !path.contains("//")
}

/// Whether a character may be part of a path: what stands before a path, or the number of a line behind it, is none.
fn is_part(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '/' | '.' | '_' | '-' | '~' | '@' | '+')
}
