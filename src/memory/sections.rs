//! The sections of a digest: how much room each has, and how its lines are brought to it.

use crate::base::headings::{BEFORE, DECIDED, NEXT, RECORDS, RULES, TASKS, TOLD, WORK};
use crate::base::{references, text};

/// Stands before what came of something.
pub(super) const ARROW: &str = " → ";
/// How an outcome begins that a later one has made good.
const BEFORE_THAT: &str = "failed before";
/// Bytes below which a line says nothing, and of the shortest line that a section has.
pub(super) const LEAST: usize = 80;
/// Of the bytes, in percent, what requirements, decisions and facts have before anything else if they want as much.
const SAID_SHARE: usize = 50;

/// An entry of a section.
pub(super) struct Line {
    pub text: String,
    /// The reference behind it, with the space before it: a line that is cut keeps it.
    reference: String,
    /// How much longer it may be than others that are cut.
    pub weight: usize,
}

impl From<String> for Line {
    fn from(mut text: String) -> Self {
        let reference = text.split_off(references::without(&text).len());
        Self { text, reference, weight: 1 }
    }
}

impl Line {
    /// The line with a weight.
    pub fn weighing(self, weight: usize) -> Self {
        Self { weight, ..self }
    }

    /// Bytes of it and of the break behind it.
    fn bytes(&self) -> usize {
        self.text.len() + self.reference.len() + 1
    }

    /// The line within so many bytes.
    fn within(&self, bytes: usize, cut: fn(&Self, usize) -> String) -> String {
        cut(self, bytes.saturating_sub(self.reference.len())) + &self.reference
    }
}

/// A section: its heading, its entries, and its part of the room.
pub(super) struct Section {
    pub heading: &'static str,
    pub lines: Vec<Line>,
    /// How many earlier entries are not among the lines.
    pub left_out: usize,
    pub share: usize,
}

impl Section {
    /// Bytes of all of it.
    fn wanted(&self) -> usize {
        self.heading.len() + 3 + self.body()
    }

    /// Bytes of all of it below its heading.
    pub fn body(&self) -> usize {
        bytes(&self.lines) + if self.left_out > 0 { gap(self.left_out).len() + 1 } else { 0 }
    }

    /// Bytes of its heading and of the least that a reader could use.
    fn least(&self) -> usize {
        self.heading.len() + 3 + least_of(self.heading == RULES)
    }
}

/// Whether a section holds what a person said and what nobody else can say again.
fn is_said(section: &Section) -> bool {
    [RULES, DECIDED, TOLD].contains(&section.heading)
}

/// Of so many bytes those that what a person said has before anything else.
pub(super) fn said(sections: &[Section], bytes: usize) -> usize {
    let wanted: usize = sections.iter().filter(|one| is_said(one)).map(Section::wanted).sum();
    wanted.min(bytes * SAID_SHARE / 100)
}

/// Which sections give way where there is too little room for a line of each, the first one last.
const IMPORTANCE: [&str; 8] = [RULES, TASKS, BEFORE, DECIDED, TOLD, WORK, NEXT, RECORDS];

/// The bytes that each section may have. A section in whose part nothing could be read leaves it to the others, and the
/// room reserved for names goes to what was required and asked for if neither could be read without it.
pub(super) fn readable(sections: &mut Vec<Section>, room: usize, reserved: usize) -> Vec<usize> {
    loop {
        let caps = allot(sections, room - reserved);
        let unread = |at: &usize| caps[*at] < sections[*at].wanted() && caps[*at] < sections[*at].least();
        let rank = |at: &usize| IMPORTANCE.iter().position(|heading| *heading == sections[*at].heading);
        let Some(gives_way) = (0..sections.len()).filter(unread).max_by_key(rank) else { return caps };
        if sections.len() == 1 {
            return allot(sections, room);
        }
        sections.remove(gives_way);
    }
}

/// The bytes that each section may have: what a person said as much as it wants, up to its share of the whole; then each
/// its part of the rest, and what others leave of theirs.
fn allot(sections: &[Section], bytes: usize) -> Vec<usize> {
    let mut caps = vec![0; sections.len()];
    let said = share_out(sections, &mut caps, bytes * SAID_SHARE / 100, is_said);
    share_out(sections, &mut caps, bytes - said, |_| true);
    caps
}

/// Gives the sections of a kind more bytes by their shares, none more than it wants. Returns how many were given.
fn share_out(sections: &[Section], caps: &mut [usize], bytes: usize, is_one: fn(&Section) -> bool) -> usize {
    let mut left = bytes;
    loop {
        let wanting = |at: &usize| is_one(&sections[*at]) && caps[*at] < sections[*at].wanted();
        let open: Vec<usize> = (0..sections.len()).filter(wanting).collect();
        let weight: usize = open.iter().map(|at| sections[*at].share).sum();
        let before = left;
        for at in open {
            let more = (before * sections[at].share / weight).min(sections[at].wanted() - caps[at]);
            caps[at] += more;
            left -= more;
        }
        if left == before {
            return bytes - left;
        }
    }
}

/// Bytes of the shortest line that is written.
const fn least_of(rules: bool) -> usize {
    if rules { LEAST / 2 } else { LEAST }
}

/// What stands for entries that are left out.
pub(super) fn gap(count: usize) -> String {
    format!("(… {count} more …)")
}

/// The lines of a section within a budget: all of them, cut, if each can keep something; else the first one and the newest.
/// Of rules and of work the newest are written, and short ones keep their length.
pub(super) fn fit(section: &Section, budget: usize) -> String {
    let Section { heading, lines, left_out, .. } = section;
    let cut = match *heading {
        TASKS => asked,
        WORK => done,
        _ => shorten,
    };
    let least = least_of(*heading == RULES);
    let room = (budget / least).max(1);
    let whole = section.body() <= budget;
    if budget < least && !whole {
        // Nothing of it could be read.
        return String::new();
    }
    if *heading == RECORDS && !whole {
        return newest_whole(lines, budget);
    }
    let first = usize::from(*heading != RULES && *heading != WORK);
    let total = lines.len();
    let newest = if whole { total } else { room.min(total) - first };
    let chosen: Vec<&Line> = if newest + first < total {
        lines[..first].iter().chain(&lines[total - newest..]).collect()
    } else {
        lines.iter().collect()
    };
    let gone = left_out + total - chosen.len();
    let gap = (gone > 0).then(|| gap(gone));
    let room = budget.saturating_sub(gap.as_ref().map_or(0, |gap| gap.len() + 1));
    let mut written = within(&chosen, room, cut);
    if let Some(gap) = gap {
        written.insert(first, gap);
    }
    written.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// The newest records that fit, whole; of the one before them as much as there is room for.
fn newest_whole(lines: &[Line], budget: usize) -> String {
    let (mut left, mut shown) = (budget, Vec::new());
    for line in lines.iter().rev() {
        if left < LEAST {
            break;
        }
        let text = line.within(left - 1, beginning);
        left -= text.len() + 1;
        shown.push(text);
    }
    shown.iter().rev().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Bytes of lines with their breaks.
pub(super) fn bytes(lines: &[Line]) -> usize {
    lines.iter().map(Line::bytes).sum()
}

/// Lines cut to so many bytes with their breaks: the longest ones, and those that weigh more less than others.
pub(super) fn within(lines: &[&Line], budget: usize, cut: fn(&Line, usize) -> String) -> Vec<String> {
    // A line of weight two counts as two lines of half its length.
    let parts = |line: &&Line| {
        let (length, weight) = (line.bytes(), line.weight);
        (0..weight).map(move |part| (length + part) / weight)
    };
    let lengths: Vec<usize> = lines.iter().flat_map(parts).collect();
    let cap = text::level(&lengths, budget);
    lines.iter().map(|line| line.within(cap.saturating_mul(line.weight).saturating_sub(1), cut)).collect()
}

/// A line within so many bytes: where it says what came of something, both are cut.
fn shorten(line: &Line, bytes: usize) -> String {
    const HALF: Came = Came { share: 50, least: 36 };
    parted(&line.text, bytes, &HALF)
}

/// A request within so many bytes: it says more than how its answer begins.
fn asked(line: &Line, bytes: usize) -> String {
    const ANSWER: Came = Came { share: 30, least: 70 };
    parted(&line.text, bytes, &ANSWER)
}

/// Work within so many bytes: a short line rather says what was done than what came of it, unless it matters.
pub(super) fn done(line: &Line, bytes: usize) -> String {
    /// Bytes below which half of a line does not even say what it is about.
    const SHORT: usize = 100;
    const OUTCOME: Came = Came { share: 50, least: 24 };
    const ASIDE: Came = Came { share: 40, least: 28 };
    parted(&line.text, bytes, if line.weight > 1 || bytes >= SHORT { &OUTCOME } else { &ASIDE })
}

/// Of a line that is cut, what came of something: its part in percent, and the bytes below which it would say nothing.
struct Came {
    share: usize,
    least: usize,
}

/// A line within so many bytes, of which what came of something has its part.
fn parted(line: &str, bytes: usize, of: &Came) -> String {
    let arrow = text::find(line, ARROW).filter(|_| line.len() > bytes);
    let Some(at) = arrow else { return text::ends(line, bytes) };
    let (what, came) = (text::between(line, 0, at), text::between(line, at + ARROW.len(), line.len()));
    let room = bytes.saturating_sub(ARROW.len());
    // What one of them leaves of its part is the other's.
    let part = if came.starts_with(BEFORE_THAT) { room / 3 } else { room * of.share / 100 };
    let part = part.max(room.saturating_sub(what.len()));
    if part < of.least && came.len() > part {
        return text::ends(what, bytes);
    }
    let came = text::ends(came, part);
    format!("{}{ARROW}{came}", text::ends(what, room.saturating_sub(came.len())))
}

/// The beginning of a record within so many bytes: it begins with what identifies it.
fn beginning(line: &Line, bytes: usize) -> String {
    if line.text.len() <= bytes {
        line.text.clone()
    } else {
        text::start(&line.text, bytes.saturating_sub("…".len()))
    }
}
