//! The digest: a conversation, shortened. What was said is chosen by how much it adds and stands in its order, with the
//! work as a small table above it and names below. The same beside a summary that a model wrote: only what it lacks.
//!
//! A digest holds, in this order: a line that says what it is; an earlier summary by a model (35 % of its tokens); the
//! table of the work (10 %); the host's open todos; the conversation, shortened; names (14 %) that matter and that the
//! rest does not hold, at most three with the same words around them. What stands in the view, because its message stays,
//! is not repeated.
//!
//! Beside a model's summary stands what its words lack: typed sentences of which it says less than three quarters,
//! others of which it says less than half. Typed words stay within the share `facts`, anything else within half the
//! summary's size.
//!
//! A compaction reads the newly covered messages as the host holds them, not as they were cut or cleared meanwhile,
//! writes the digest, and then prunes the memory. So what is covered now is seen whole, and only what is older went
//! through the bound.

use crate::base::headings::{KEPT, NOTHING, OPENING};
use crate::base::id_map::IdMap;
use crate::base::order;
use crate::base::{markers, quoting, references, text};
use crate::ingest::host::Todo;
use crate::memory::pool::Pool;
use crate::memory::render;
use crate::memory::select::Selection;
use crate::memory::shapes;
use crate::memory::units::{Kind, Unit};
use crate::tokens::{self, Estimator};

/// Of a digest's tokens in percent: the table of the work, names, what was typed in any case, an earlier summary, the todo
/// list.
const WORK: u64 = 10;
const NAMES: u64 = 14;
const TYPED: u64 = 25;
const BEFORE: u64 = 35;
const TODOS: u64 = 15;
/// Names that are looked at, and those with the same words around them.
const NAMES_READ: usize = 800;
const ALIKE: u64 = 3;
/// Below so many tokens no name is listed, and no unit is added once the text was written.
const LEAST_NAMES: u64 = 12;
const LEAST_MORE: u64 = 14;
/// How often a text is filled up after it was written: joined lines take less than counted.
const ROUNDS: usize = 3;
/// Tokens of the smallest text that says how what it covers is looked up.
const LEAST_REFERRED: u64 = 150;
/// Times that a word of a summary counts as said.
const TOLD: u8 = 3;
/// The part of a unit's weight, in percent, from which on a summary says it: of what was typed, and of anything else.
const SAYS_TYPED: u64 = 75;
const SAYS: u64 = 50;

/// What a text is written of.
pub struct Source<'a> {
    /// What is known.
    pub known: &'a Pool<'a>,
    /// The newest summary by a model; empty if there is none.
    pub summary: &'a str,
    /// The host's todo list.
    pub todos: &'a [Todo],
    /// Whether the message with this index stands in the view: what it says is not repeated.
    pub visible: &'a dyn Fn(u64) -> bool,
    /// Where the model can look up what is covered: how many messages that are.
    pub references: Option<u64>,
    /// The index of the request behind which a progress note shows what was done about it: the digest does not.
    pub turn: Option<u64>,
    /// Counts tokens.
    pub estimator: &'a Estimator,
}

/// What was left out of a text for want of room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Most of what was typed, or the newest request.
    pub required: bool,
    /// Something that would have been shown with more room.
    pub more: bool,
}

/// A text that is being written, in parts.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) head: String,
    /// The paths of the files that the head names, in full.
    pub(super) paths: String,
    body: String,
    /// The tokens of the body.
    size: u64,
    names: String,
}

impl Draft {
    /// What begins with these lines.
    pub(super) fn of(head: String) -> Self {
        Self { head, ..Self::default() }
    }

    /// Whether nothing stands behind the first lines.
    pub(super) fn is_bare(&self) -> bool {
        self.body.is_empty() && self.names.is_empty()
    }

    /// The first lines with the paths that they name in full: what need not be said again.
    pub(super) fn above(&self) -> String {
        format!("{}\n{}", self.head, self.paths)
    }

    pub(super) fn text(&self) -> String {
        let parts = [&*self.head, &*self.body, &*self.names];
        text::joined(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>(), "\n")
    }
}

impl Source<'_> {
    /// The digest within about so many raw tokens. With `least`, it holds what was said alone: no table, no names.
    pub fn digest(&self, room: u64, least: bool) -> (String, LeftOut) {
        let mut draft = Draft::of(OPENING.to_owned());
        let table = self.table(if least { 0 } else { room * WORK / 100 }, &|at| !self.is_of_turn(at));
        draft.paths = table.paths;
        let mut add = |part: String| {
            if !part.is_empty() {
                draft.head.push('\n');
                draft.head.push_str(&part);
            }
        };
        if !least {
            add(self.legend(room));
            add(self.before(room * BEFORE / 100));
            add(table.text);
            add(self.open(room * TODOS / 100));
        }
        let shown = |at: u64| !(self.visible)(at) && !self.is_of_turn(at);
        let above = draft.above();
        let units = &self.known.units;
        let mut selection = self.selection(&|unit| shown(units[unit].at));
        selection.attach();
        selection.said(&above, 1);
        selection.said(self.summary, TOLD);
        let named = if least { 0 } else { self.wanted(room).min(room * NAMES / 100) };
        self.fill(&mut draft, &mut selection, room, (named, if least { 100 } else { TYPED }), &shown);
        let left_out = self.left_out(&selection);
        let is_told = draft.is_bare() && draft.head == OPENING && !left_out.more;
        (if is_told { NOTHING.to_owned() } else { draft.text() }, left_out)
    }

    /// Whether a digest has something to say: a message it would show, or what stands above them.
    pub fn tells(&self) -> bool {
        let mut units = self.known.units.iter();
        !self.summary.trim().is_empty()
            || !self.todos.is_empty()
            || units.any(|unit| !(self.visible)(unit.at) && !self.is_of_turn(unit.at))
    }

    /// Appends to a summary by a model what it lacks, within about so many raw tokens: what was typed, and of anything else
    /// as much as half of its size leaves.
    pub fn keep(&self, summary: &mut String, room: u64) -> LeftOut {
        disown(summary);
        let size = self.tokens(summary);
        let shown = |at: u64| !(self.visible)(at);
        let units = &self.known.units;
        let of_use = |kind: Kind| !matches!(kind, Kind::Edge | Kind::Code | Kind::Earlier);
        let mut selection = self.selection(&|unit| {
            let Unit { at, kind, .. } = units[unit];
            shown(at) && of_use(kind)
        });
        selection.unbundle();
        selection.said(summary, TOLD);
        selection.close_said(&|unit| if units[unit].kind == Kind::Typed { SAYS_TYPED } else { SAYS });
        let mut draft = Draft::of(KEPT.to_owned());
        let legend = self.legend(room);
        if !legend.is_empty() {
            draft.head.push('\n');
            draft.head.push_str(&legend);
        }
        // What a person typed may take all of the room; anything else has what is left of half the summary's size.
        let head = self.tokens(&draft.head) + 2;
        let room = room.saturating_sub(head);
        let left = selection.typed(room);
        selection.more((size / 2).saturating_sub(head + room - left).min(left));
        draft.body = self.fit(&draft.above(), &mut selection, room).0;
        let left_out = self.left_out(&selection);
        if !draft.body.is_empty() {
            summary.push_str("\n\n");
            summary.push_str(&draft.text());
        }
        LeftOut { required: false, ..left_out }
    }

    pub(super) fn tokens(&self, text: &str) -> u64 {
        tokens::of_text(self.estimator, text)
    }

    /// Whether a message belongs to the turn that has a progress note.
    pub(super) fn is_of_turn(&self, at: u64) -> bool {
        self.turn.is_some_and(|turn| at > turn)
    }

    /// A choice among the units for which this holds, counted in tokens.
    pub(super) fn selection(&self, open: &dyn Fn(usize) -> bool) -> Selection<'_, '_> {
        let tokens = self.known.tokens(self.estimator);
        let reference = if self.references.is_some() { 3 } else { 0 };
        let size =
            |unit: usize| tokens[unit] + 3 + reference + if self.known.units[unit].header.is_some() { 2 } else { 0 };
        Selection::new(self.known, &size, open)
    }

    /// Chooses units and names and writes them, within about so many raw tokens with the head.
    pub(super) fn fill(
        &self,
        draft: &mut Draft,
        selection: &mut Selection<'_, '_>,
        room: u64,
        (named, typed): (u64, u64),
        shown: &dyn Fn(u64) -> bool,
    ) {
        let head = self.tokens(&draft.head) + 2;
        let room = room.saturating_sub(head);
        selection.spread(room);
        selection.choose(room.saturating_sub(named), typed);
        (draft.body, draft.size) = self.fit(&draft.above(), selection, room.saturating_sub(named));
        let left = room.saturating_sub(draft.size);
        if named > LEAST_NAMES {
            let said = format!("{}\n{}", draft.paths, draft.text());
            draft.names = self.names(&said, left.min(named), shown);
        }
        let names = self.tokens(&draft.names);
        // What a note beside a digest leaves is the digest's.
        let rounds = if draft.head.starts_with(markers::PROGRESS) && self.tells() { 0 } else { ROUNDS };
        for _ in 0..rounds {
            let left = room.saturating_sub(draft.size + names);
            let before = selection.order.len();
            if left <= LEAST_MORE || {
                selection.more(left);
                selection.order.len() == before
            } {
                break;
            }
            (draft.body, draft.size) = self.fit(&draft.above(), selection, room.saturating_sub(names));
        }
    }

    /// Writes what is chosen, below another text. As long as that is more than there is room for, what adds least goes.
    /// Returns the text and its tokens.
    pub(super) fn fit(&self, above: &str, selection: &mut Selection<'_, '_>, room: u64) -> (String, u64) {
        let mut body = self.write(above, selection);
        let mut size = self.tokens(&body);
        if size <= room {
            return (body, size);
        }
        let mut over = size - room;
        for unit in selection.least() {
            over = over.saturating_sub(selection.drop(unit));
            if over == 0 {
                body = self.write(above, selection);
                size = self.tokens(&body);
                if size <= room {
                    return (body, size);
                }
                over = size - room;
            }
        }
        (String::new(), 0)
    }

    fn write(&self, above: &str, selection: &Selection<'_, '_>) -> String {
        let units = &self.known.units;
        let mut chosen: Vec<&Unit<'_>> = Vec::with_capacity(selection.order.len());
        for (_, unit) in units.iter().enumerate().filter(|(unit, _)| selection.holds(*unit)) {
            chosen.insert(behind_call(unit, &chosen), unit);
        }
        render::lines(&chosen, above, self.references)
    }

    /// Says what is covered and how it is looked up, unless that would take much of the room.
    fn legend(&self, room: u64) -> String {
        let count = self.references.filter(|_| room >= LEAST_REFERRED);
        count.map_or_else(String::new, references::legend)
    }

    /// An earlier summary by a model, as far as it fits.
    fn before(&self, room: u64) -> String {
        let summary = self.summary.trim();
        let size = self.tokens(summary);
        if summary.is_empty() {
            return String::new();
        }
        let bytes = if size > room { (summary.len() as u64 * room / size) as usize } else { summary.len() };
        format!("Before: {}", quoting::quote(&text::ends(summary, bytes)))
    }

    /// About the tokens that the names would take which are worth a place.
    fn wanted(&self, room: u64) -> u64 {
        let mut wanted = 0;
        for name in self.known.names.all.iter().filter(|name| name.is_listed()) {
            wanted += name.context.len() as u64 / 4 + 2;
            if wanted > room {
                break;
            }
        }
        wanted
    }

    /// A line of names that a text does not hold, within about so many raw tokens, each with words around it.
    fn names(&self, said: &str, room: u64, shown: &dyn Fn(u64) -> bool) -> String {
        const START: &str = "Also seen: ";
        let known = self.known;
        let all = &known.names.all;
        let mut ranked: Vec<(u64, usize)> = (0..all.len())
            .filter(|&number| shown(all[number].at) && all[number].is_listed())
            .map(|number| {
                let name = &all[number];
                let size = name.context.len() as u64 / 4 + 4;
                // By the root of what it takes.
                (name.worth(known.end) * 64 / (size * 64).isqrt().max(1), number)
            })
            .collect();
        // Of equals the one that was met last.
        order::by_key(&mut ranked, |&(worth, number)| order::both(!worth, !(number as u64)));
        let is_held = |text: &str, name: &str| text::find(text, name).is_some();
        let mut alike = IdMap::default();
        let mut left = room.saturating_sub(self.tokens(START));
        let mut listed = Vec::new();
        for (_, number) in ranked.into_iter().take(NAMES_READ) {
            let name = &all[number];
            if left < LEAST_NAMES {
                break;
            }
            let shown = quoting::one_line(&name.context);
            let size = self.tokens(&shown) + 2;
            let shape = shapes::shape(&name.label());
            let times = alike.get(shape).unwrap_or(0);
            if size > left || times >= ALIKE {
                continue;
            }
            let is_said = [said, self.summary].iter().any(|text| is_held(text, &name.text))
                || listed.iter().any(|(_, _, shown): &(u64, usize, String)| is_held(shown, &name.text));
            if is_said {
                continue;
            }
            alike.insert(shape, times + 1);
            left -= size;
            listed.push((name.at, number, shown));
        }
        order::by_key(&mut listed, |(at, number, _)| order::both(*at, *number as u64));
        let listed: Vec<&str> = listed.iter().map(|(_, _, shown)| &**shown).collect();
        if listed.is_empty() { String::new() } else { START.to_owned() + &text::joined(&listed, " · ") }
    }

    /// What a choice leaves out.
    fn left_out(&self, selection: &Selection<'_, '_>) -> LeftOut {
        let (mut typed, mut shown, mut more) = (0, 0, false);
        let (mut open, mut open_shown) = (false, false);
        for (number, unit) in self.known.units.iter().enumerate().filter(|(unit, _)| selection.is_open(*unit)) {
            let holds = selection.holds(number);
            more |= !holds;
            if unit.kind == Kind::Typed {
                let size = selection.size(number);
                typed += size;
                shown += if holds { size } else { 0 };
                let newest = self.known.marks.last == Some(unit.at);
                open |= newest;
                open_shown |= newest && holds;
            }
        }
        LeftOut { required: typed > 3 * shown || open && !open_shown, more }
    }
}

/// Where a unit stands behind others: what a tool returned stands behind its call, also where several calls were made at
/// once.
fn behind_call(unit: &Unit<'_>, before: &[&Unit<'_>]) -> usize {
    let end = before.len();
    let Some(place) = unit.call else { return end };
    let is_work = |one: &&&Unit<'_>| one.at >= place.0 && (one.kind == Kind::Call || one.kind.is_returned());
    let work = before.iter().rev().take_while(is_work);
    let is_own = |one: &&Unit<'_>| one.call == Some(place) || one.kind == Kind::Call && (one.at, one.order) == place;
    work.enumerate().find(|(_, one)| is_own(one)).map_or(end, |(back, _)| end - back)
}

/// Splits a summary in what a model wrote and what code kept beside it.
pub fn split(summary: &str) -> (&str, &str) {
    let at =
        if summary.starts_with(KEPT) { Some(0) } else { text::find(summary, &format!("\n{KEPT}")).map(|at| at + 1) };
    let at = at.unwrap_or(summary.len());
    (text::between(summary, 0, at).trim_end(), text::between(summary, at, summary.len()))
}

/// Makes other headings of ours in a text that somebody else wrote, and of markers what is none: only what we write
/// ourselves may stand under them.
pub fn disown(text: &mut String) {
    let plain = quoting::without_markers(&quoting::with_breaks(text, "\n"));
    text.clear();
    for line in plain.split_inclusive('\n') {
        if [KEPT, OPENING, NOTHING].iter().any(|ours| line.starts_with(ours)) {
            text.push('#');
        } else if line.starts_with(render::USER) {
            text.push_str("- ");
        }
        text.push_str(line);
    }
}
