//! What a state remembers of what was sent, and the reasoning that is left out because of it.

use crate::base::archive::{Archive, Record};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{MessageRecord, Part, PartKind};

/// The most gaps in the reasoning of a history. With more, the oldest reasoning goes, which no provider minds.
pub const MOST_STALE: usize = 16;
/// The most messages whose prefix is noted. Of older ones every second is forgotten.
const MOST_MARKS: usize = 24;
/// So many of the newest notes stay whatever their number is.
const NEWEST_MARKS: usize = 12;

/// Messages whose signed reasoning is left out: history indices from one up to, but not including, another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// The index of the first one.
    pub from: u64,
    /// The index after the last one.
    pub to: u64,
}

/// The hash of everything that was sent before a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The history index of the message, or the end of the history.
    pub at: u64,
    /// The hash of what was sent before it.
    pub hash: u64,
}

/// What was sent, as far as reasoning is bound to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentPrefixes {
    /// The hashes of the system prompt and of the tools, if they are known.
    pub beside: [Option<u64>; 2],
    /// What was sent before messages with signed reasoning, in the order of the view.
    pub marks: Vec<Mark>,
    /// The end of the newest request. The reply is bound to it.
    pub end: Option<Mark>,
}

impl Record for Stale {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("from", &mut self.from);
        archive.count("to", &mut self.to);
    }
}

impl Record for Mark {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("at", &mut self.at);
        archive.hash("hash", &mut self.hash);
    }
}

impl Record for SentPrefixes {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let [system, tools] = &mut self.beside;
        archive.maybe_hash("system", system);
        archive.maybe_hash("tools", tools);
        archive.records("marks", &mut self.marks);
        archive.maybe_record("end", &mut self.end);
        if archive.reads() && self.marks.len() > MOST_MARKS {
            archive.reject("marks");
        }
    }
}

/// Forgets every second of the older marks, as often as there are too many.
pub fn thin(marks: &mut Vec<Mark>) {
    while marks.len() > MOST_MARKS {
        let older = marks.len() - NEWEST_MARKS;
        let mut place = 0;
        marks.retain(|_| {
            place += 1;
            place > older || place % 2 == 1
        });
    }
}

/// Whether a message has signed reasoning that can be left out.
pub fn has_signed(message: &MessageRecord<'_>) -> bool {
    let is_loose = |part: Part| part.kind == PartKind::Reasoning && part.marked && part.number != NO_NUMBER;
    message.is_signed() && message.parts().any(is_loose)
}

/// Whether a part is signed reasoning that a format cannot leave out.
pub fn is_fixed(part: Part) -> bool {
    part.kind == PartKind::Reasoning && part.marked && part.number == NO_NUMBER
}

/// The numbers of the parts with reasoning that can be left out. Whoever binds what is signed takes nothing unsigned.
pub fn reasoning_parts(message: &MessageRecord<'_>) -> impl Iterator<Item = u32> {
    let is_loose = |part: &Part| part.kind == PartKind::Reasoning && part.number != NO_NUMBER;
    message.parts().filter(is_loose).map(|part| part.number)
}

/// Adds messages whose signed reasoning is left out: from an index up to another. What lies between two changes was
/// produced behind the first and before the second, and stays.
pub fn leave_out(stale: &mut Vec<Stale>, from: u64, to: u64) {
    let touches = |gap: &Stale| gap.to >= from && gap.from <= to;
    let mut whole = Stale { from, to };
    for gap in stale.iter().filter(|gap| touches(gap)) {
        whole = Stale { from: whole.from.min(gap.from), to: whole.to.max(gap.to) };
    }
    stale.retain(|gap| !touches(gap));
    stale.insert(stale.partition_point(|gap| gap.to < whole.from), whole);
    if stale.len() > MOST_STALE {
        stale.remove(0);
        stale[0].from = 0;
    }
}

/// Shortens what is left out to a history that ends at `end`: what comes after it is new.
pub fn end_at(stale: &mut Vec<Stale>, end: u64) {
    stale.iter_mut().for_each(|gap| gap.to = gap.to.min(end));
    stale.retain(|gap| gap.from < gap.to);
}

/// Whether the signed reasoning of a message is left out.
pub fn is_stale(stale: &[Stale], index: u64) -> bool {
    stale.iter().any(|gap| (gap.from..gap.to).contains(&index))
}
