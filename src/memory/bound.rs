//! The bound of a memory: what stays in the state is chosen as a digest is, within so many bytes.

use crate::base::json::quoted_bytes;
use crate::base::order;
use crate::memory::Memory;
use crate::memory::names::Name;
use crate::memory::pool::Pool;
use crate::memory::select::Selection;
use crate::memory::units::Unit;
use crate::memory::work::Work;
use crate::model::message::Position;

/// Of the bytes, what names have in percent, and no more than so many.
const NAMES: usize = 18;
const NAMES_MOST: usize = 220;
/// What typed sentences have of the rest in any case, in percent.
const TYPED: u64 = 70;
/// Bytes of a row beside its texts, and of what the message behind it makes of its worth.
const ROW: usize = 26;
const REPLY: usize = 5;

impl Pool<'_> {
    /// What of it is kept in the state, within about so many `bytes` of JSON.
    pub fn bounded(&self, bytes: usize, upto: Position) -> Memory {
        let mut memory = Memory {
            upto,
            work: Work { committing: None, pending: Vec::new(), ..self.work.clone() },
            marks: self.marks,
            calls: self.calls.clone(),
            ..Memory::default()
        };
        let left = bytes.saturating_sub(memory.stored());
        memory.names = self.best_names(left * NAMES / 100);
        let names: usize = memory.names.iter().map(Name::bytes).sum();
        memory.units = self.best_units(left - names.min(left));
        memory
    }

    fn best_names(&self, bytes: usize) -> Vec<Name> {
        let mut all: Vec<(u64, usize)> =
            self.names.all.iter().enumerate().map(|(number, name)| (name.worth(self.end), number)).collect();
        // Of equals the one that was met last.
        order::by_key(&mut all, |&(worth, number)| order::both(!worth, !(number as u64)));
        let mut left = bytes;
        let mut names = Vec::new();
        for (_, number) in all.into_iter().take(NAMES_MOST) {
            let name = &self.names.all[number];
            let Some(rest) = left.checked_sub(name.bytes()) else { break };
            left = rest;
            names.push(name.clone());
        }
        names
    }

    fn best_units(&self, bytes: usize) -> Vec<Unit<'static>> {
        let sizes: Vec<u64> = self.units.iter().map(|unit| stored(unit) as u64).collect();
        let all: u64 = sizes.iter().sum();
        if all <= bytes as u64 {
            return self.units.iter().map(Unit::owned).collect();
        }
        let mut selection = Selection::new(self, &|unit| sizes[unit], &|_| true);
        selection.choose(bytes as u64, TYPED);
        let chosen = self.units.iter().enumerate().filter(|(unit, _)| selection.holds(*unit));
        chosen.map(|(_, unit)| unit.owned()).collect()
    }
}

/// Bytes of a unit in a state.
fn stored(unit: &Unit<'_>) -> usize {
    let more = [&unit.speaker, &unit.tool, &unit.header];
    let more = more.into_iter().flatten().map(|text| quoted_bytes(text)).sum::<usize>();
    quoted_bytes(&unit.text) + more + ROW + if unit.answered > 0 || unit.echo[1] > 0 { REPLY } else { 0 }
}
