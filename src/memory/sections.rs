//! The sections of a digest: how much room each has, and which of its lines stand in it.

use crate::base::headings::{BEFORE, DECIDED, NEXT, RECORDS, RULES, TASKS, TOLD, WORK};
use crate::memory::lines::{Cut, LEAST, Line, bytes, cut_all, cut_record, cut_request, cut_sentence, cut_work, gap};

/// Of the bytes, in percent, what requirements, decisions and facts have before anything else if they want as much.
const SAID_SHARE: usize = 50;

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

/// The lines of a section within a budget: all of them, cut, if each can keep something; else the first one and the newest.
/// Of rules and of work the newest are written, and short ones keep their length.
pub(super) fn fit(section: &Section, budget: usize) -> String {
    let Section { heading, lines, left_out, .. } = section;
    let cut: Cut = match *heading {
        TASKS => cut_request,
        WORK => cut_work,
        _ => cut_sentence,
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
    let mut written = cut_all(&chosen, room, cut);
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
        let text = line.cut_to(left - 1, cut_record);
        left -= text.len() + 1;
        shown.push(text);
    }
    shown.iter().rev().flat_map(|line| [line.as_str(), "\n"]).collect()
}
