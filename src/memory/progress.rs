//! The progress note: what has been done about a request so far. It stands behind the request where a cut lies inside its
//! turn, so that nothing is done twice. The digest beside it leaves out what it says, and is sized by the note that was
//! written, not by the longest one that could be. Where nothing has been done yet there is none, unless steps of the turn
//! stand before the request: then the note says so.

use crate::base::markers;
use crate::memory::digest::{Draft, Source};
use crate::memory::table::Table;
use crate::memory::units::Kind;

/// Of the note in percent: the table of the work.
const WORK: u64 = 25;

/// Where the steps of the turn that are still shown stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Behind the note.
    Follow,
    /// Before the request, which is given again behind them.
    Precede,
}

impl Steps {
    const fn words(self) -> &'static str {
        match self {
            Self::Follow => ": what has been done about it so far. Already done, do not repeat.]",
            Self::Precede => {
                ", which is given again: the newest steps stand before it. What had been done before them, and is not to be repeated:]"
            }
        }
    }
}

impl Source<'_> {
    /// The note within about so many raw tokens, unless nothing has been done yet: the changes and checks, then what was
    /// said, called and found, in its order.
    pub fn progress(&self, room: u64, steps: Steps) -> Option<String> {
        let head = format!("{}{}", markers::PROGRESS, steps.words());
        let is_shown = |at: u64| self.is_of_turn(at) && !(self.visible)(at);
        let units = &self.known.units;
        let mut selection = self.selection(&|unit| is_shown(units[unit].at) && units[unit].kind != Kind::Code);
        let mut draft = Draft::of(head);
        let Table { text: table, paths } = self.table(room * WORK / 100, &is_shown);
        if !table.is_empty() {
            draft.head.push('\n');
            draft.head.push_str(&table);
            draft.paths = paths;
            selection.said(&draft.above(), 1);
        }
        selection.attach();
        self.fill(&mut draft, &mut selection, room, (0, 0), &is_shown);
        (!table.is_empty() || !draft.is_bare() || steps == Steps::Precede).then(|| draft.text())
    }
}
