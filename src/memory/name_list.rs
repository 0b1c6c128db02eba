//! A list of names within a number of bytes, in which no name stands that is a part of another one: `agent.state.model`
//! also says `agent.state`, and `src/core/tools.ts` also says `tools.ts`.

use crate::base::distinct::Distinct;
use crate::base::text;
use crate::memory::scan;

/// Bytes of what parts two names.
const BETWEEN: usize = ", ".len();
/// A name with more segments is looked at up to there: what is longer has few parts that are names.
const SEGMENTS: usize = 8;

/// What became of a name that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is in the list.
    Yes,
    /// It is shown already, or is a part of what is.
    Shown,
    /// There is too little room for it.
    NoRoom,
}

/// The names chosen so far. Each has a line; a name that stands in an earlier line is shown for all later ones, because
/// earlier lines say more of who said it.
#[derive(Clone, Debug, Default)]
pub struct NameList<'t> {
    /// All names that are shown, whether in a line, elsewhere or as a part of another one.
    known: Distinct<'t>,
    /// For each of them the first line that shows it, and its place among the chosen ones, if it stands there itself.
    shown: Vec<(usize, Option<usize>)>,
    /// Those chosen, in the order in which they were added, each with its line. A name that became a part of a later
    /// one is no longer there.
    chosen: Vec<Option<(&'t str, usize)>>,
}

impl<'t> NameList<'t> {
    /// Notes that a name is shown elsewhere, and with it its parts.
    pub fn hold(&mut self, name: &'t str) {
        self.show(name, 0);
        each_part(name, &mut |part| self.show(part, 0));
    }

    /// Notes that the names in a text are shown there.
    pub fn hold_all(&mut self, text: &'t str) {
        scan::each(text, &mut |name| self.hold(name));
    }

    /// Adds a name to a line if it is not shown yet and `room`, in bytes, is left for it and for `more`. Names in this line
    /// or a later one that are parts of it leave the list, and their room is free again.
    pub fn add(&mut self, name: &'t str, line: usize, more: usize, room: &mut usize) -> Added {
        if self.known.find(name).is_some_and(|number| self.shown[number].0 <= line) {
            return Added::Shown;
        }
        let mut parts = Vec::new();
        each_part(name, &mut |part| parts.push(part));
        let mut replaced: Vec<usize> =
            parts.iter().chain([&name]).filter_map(|part| self.replaced_by(part, line)).collect();
        // `state.state` holds `state` twice.
        replaced.sort_unstable();
        replaced.dedup();
        let freed: usize =
            replaced.iter().filter_map(|&at| self.chosen[at]).map(|(name, _)| name.len() + BETWEEN).sum();
        let cost = name.len() + BETWEEN + more;
        if cost > *room + freed {
            return Added::NoRoom;
        }
        *room = *room + freed - cost;
        replaced.into_iter().for_each(|at| self.chosen[at] = None);
        parts.into_iter().for_each(|part| self.show(part, line));
        let number = self.number(name);
        self.shown[number] = (line, Some(self.chosen.len()));
        self.chosen.push(Some((name, line)));
        Added::Yes
    }

    /// The chosen names of a line, in the order in which they were added.
    pub fn of_line(&self, line: usize) -> impl Iterator<Item = &'t str> {
        self.chosen.iter().flatten().filter(move |(_, of)| *of == line).map(|(name, _)| *name)
    }

    /// Notes that a line shows a name.
    fn show(&mut self, name: &'t str, line: usize) {
        let number = self.number(name);
        self.shown[number].0 = self.shown[number].0.min(line);
    }

    fn number(&mut self, name: &'t str) -> usize {
        let (number, new) = self.known.number(name);
        if new {
            self.shown.push((usize::MAX, None));
        }
        number
    }

    /// The place of a chosen name that need not stand there by itself any more, if `line` shows it.
    fn replaced_by(&self, part: &str, line: usize) -> Option<usize> {
        let place = self.shown[self.known.find(part)?].1?;
        self.chosen[place].filter(|(_, of)| *of >= line).map(|_| place)
    }
}

/// Calls `each` with every run of segments that is shorter than the name: of a path between slashes, of a member between
/// dots. Parts without a letter are none: `1.25` does not say 25.
fn each_part<'t>(name: &'t str, each: &mut dyn FnMut(&'t str)) {
    let separator = if name.contains('/') { b'/' } else { b'.' };
    let ends = name.bytes().enumerate().filter(|&(_, byte)| byte == separator).map(|(at, _)| at).take(SEGMENTS - 1);
    let ends: Vec<usize> = ends.chain([name.len()]).collect();
    let starts: Vec<usize> = [0].into_iter().chain(ends.iter().map(|end| end + 1)).take(ends.len()).collect();
    for (at, &start) in starts.iter().enumerate() {
        for &end in &ends[at..] {
            let part = text::between(name, start, end);
            if part.len() < name.len() && part.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) {
                each(part);
            }
        }
    }
}
