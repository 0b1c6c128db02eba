//! What is remembered of a conversation: sentences, lines and records of its messages, word for word, within a bound. A
//! digest chooses among them and among what is covered now, by how much each adds, and shows them in the order of the
//! conversation. Nothing is read back from a text that was written of them.

mod amendments;
mod bound;
mod bundles;
mod calls;
mod commands;
pub mod digest;
mod echo;
mod listings;
mod message;
pub mod names;
pub mod notice;
mod outline;
mod outputs;
mod paths;
pub mod pool;
pub mod progress;
mod records;
mod render;
mod repeats;
mod score;
mod select;
mod shapes;
mod state;
mod table;
mod trim;
pub mod units;
mod uptake;
mod vocabulary;
pub mod work;

use crate::base::headings::{NOTHING, OPENING};
use crate::base::words;
use crate::memory::names::Name;
use crate::memory::trim::{clean, cut};
use crate::memory::units::{Kind, Unit};
use crate::memory::work::Work;
use crate::model::message::Position;
use std::borrow::Cow;
use std::rc::Rc;

pub use message::Message;

/// Who said what is left of a text of ours.
const EARLIER: &str = "Earlier";
/// Lines of such a text that are read, and characters of the start and end of each.
const LINES: usize = 400;
const LINE: (usize, usize) = (500, 100);

/// Which messages matter, by their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The first in which a person typed something.
    pub first: Option<u64>,
    /// The newest of these.
    pub last: Option<u64>,
    /// The newest in which the assistant said something.
    pub said: Option<u64>,
    /// The newest in which the assistant made a list.
    pub plan: Option<u64>,
}

/// All that is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Messages before this are in it.
    pub upto: Position,
    /// Sentences, lines and records, oldest first.
    pub units: Vec<Unit<'static>>,
    /// Names with words around them, those that matter most first.
    pub names: Vec<Name>,
    /// What was done.
    pub work: Work,
    /// Which messages matter.
    pub marks: Marks,
    /// The newest calls, by id, with their tools.
    pub calls: Vec<(String, String)>,
}

impl Memory {
    /// What a text of ours says, as if the message with the index `at` had said it: where neither the messages nor what
    /// was remembered of them is left.
    pub fn of_text(text: &str, at: u64) -> Self {
        let speaker: Rc<str> = Rc::from(EARLIER);
        let lines = text.lines().filter(|line| words::says_anything(line) && ![OPENING, NOTHING].contains(line));
        let unit = |(order, line): (usize, &str)| Unit {
            at,
            order: order as u64,
            kind: Kind::Earlier,
            text: Cow::Owned(cut(clean(line), LINE).into_owned()),
            speaker: Some(speaker.clone()),
            ..Unit::default()
        };
        Self { units: lines.take(LINES).enumerate().map(unit).collect(), ..Self::default() }
    }

    /// The same where the message with the index `at` stands for all that was read: in a history of its own.
    pub fn moved(&self, at: u64) -> Self {
        let mut memory = self.clone();
        memory.upto = Position::START;
        for (order, unit) in (0..).zip(&mut memory.units) {
            (unit.at, unit.order, unit.call) = (at, order, None);
        }
        memory.names.iter_mut().for_each(|name| name.at = at);
        memory.work.files.iter_mut().for_each(|file| file.at = at);
        memory.work.checks.iter_mut().for_each(|check| check.at = at);
        memory.work.commits.iter_mut().for_each(|commit| commit.at = at);
        let marks = &mut memory.marks;
        for mark in [&mut marks.first, &mut marks.last, &mut marks.said, &mut marks.plan] {
            *mark = mark.map(|_| at);
        }
        memory
    }

    /// Takes back what messages from this index on have taught: they are gone.
    pub fn roll_back(&mut self, to: Position) {
        if self.upto.count <= to.count {
            return;
        }
        self.upto = to;
        self.units.retain(|unit| unit.at < to.count);
        // What the newest of the rest gained and lost by the reply to it is gone with the reply.
        let said = self.units.iter().rfind(|unit| unit.kind.is_said()).map(|unit| unit.at);
        for unit in self.units.iter_mut().rev().take_while(|unit| Some(unit.at) >= said) {
            (unit.echo[1], unit.answered) = (0, 0);
        }
        self.names.retain(|name| name.at < to.count || name.seen > 1);
        for name in &mut self.names {
            name.at = name.at.min(to.count.saturating_sub(1));
        }
        self.work.roll_back(to.count);
        let newest = |kinds: &[Kind]| self.units.iter().rfind(|unit| kinds.contains(&unit.kind)).map(|unit| unit.at);
        let marks = &mut self.marks;
        let stays = |mark: Option<u64>| mark.filter(|&at| at < to.count);
        marks.first = stays(marks.first);
        marks.last = stays(marks.last).or_else(|| newest(&[Kind::Typed, Kind::Pasted]));
        marks.said = stays(marks.said).or_else(|| newest(&[Kind::Answer, Kind::Step]));
        marks.plan = stays(marks.plan);
    }
}
