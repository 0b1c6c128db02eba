//! Decides which messages stay whole because the host wants it: a result that a tool policy keeps, with its whole
//! group.
//!
//! Only what fits is held. Beside what is fixed, the newest group (counted up to half of the limit), the active
//! request and a tenth of the room for a summary, room goes first to what is always kept or excluded, the newest
//! first, up to the limit; then to the newest turns and messages; then to other results, up to `accept`. So nothing
//! that is held can bring a request over its limit. What was to be whole and is not is reported when something changes
//! (`keep-lost`). In a turn that opens with signed reasoning nothing is kept before that. What was once cut or cleared
//! stays so, also if a later policy would keep it.

use crate::base::id_map::IdMap;
use crate::base::order;
use crate::base::quoting;
use crate::ingest::pairing::Answer;
use crate::ingest::pairs;
use crate::ladder::hold::Hold;
use crate::ladder::{Scene, groups as grouped};
use crate::limits::budget::share;
use crate::limits::tool_policy::{Stay, ToolPolicies, ToolPolicy};
use crate::limits::wishes::Keep;
use crate::model::message::PartKind;
use crate::session::history::History;
use crate::session::lasting;
use std::ops::Range;

/// The share of the room for a summary in addition to the held messages, in millionths.
const SUMMARY: u64 = 100_000;

/// A result that the policy of its tool keeps whole.
struct Wanted {
    input: usize,
    tool: u32,
    hold: Hold,
}

impl Scene<'_> {
    /// Computes what the host wants kept.
    #[must_use]
    pub(crate) fn held(mut self) -> Self {
        (self.holds, self.kept_from) = holds(&self);
        self
    }
}

/// How firmly each input message is held (empty if none is), and the first of the newest messages that the host keeps
/// by number.
pub(crate) fn holds(scene: &Scene<'_>) -> (Vec<Hold>, Option<usize>) {
    let policies = &scene.options.tools;
    let keep = scene.options.wishes.keep.unwrap_or_default();
    if policies.is_empty() && keep == Keep::default() {
        return (Vec::new(), None);
    }
    let edited = lasting::edited_up_to(scene.history, scene.state);
    // Messages that were cut or cleared stay so. Nothing else shows this in a view that was passed as history.
    let free = |input: usize| {
        scene.places[input].is_some()
            && scene
                .history
                .index_of(input)
                .is_some_and(|index| index >= edited || scene.state.spared.binary_search(&index).is_ok())
    };
    let mut holds = inputs(scene.history, policies, &free);
    let mut groups: Vec<(Hold, Range<usize>)> = Vec::new();
    // The newest first. If a group has several results, the firmest hold applies. Results that are in no view are not
    // counted, because a view that is passed as history does not have them.
    let shown = |input: usize| scene.places[input].is_some();
    for one in wanted(scene, keep.results.unwrap_or(0), &shown) {
        let group = grouped::group(scene, one.input);
        match groups.last_mut().filter(|last| last.1 == group) {
            Some(last) => last.0 = last.0.max(one.hold),
            None => groups.push((one.hold, group)),
        }
    }
    let messages = &scene.history.messages;
    groups.retain(|(_, group)| group.clone().all(free) && pairs::is_settled(&messages[group.clone()]));
    // Messages that must stay come before those that may, and newer ones before older ones.
    order::by_key(&mut groups, |(hold, _)| (*hold == Hold::Kept).into());
    let mut taken = unavoidable(scene);
    let kept_from = newest(scene, keep, &free, &mut taken, &mut holds);
    for (hold, group) in groups {
        let most = scene.raw_below(if hold == Hold::Kept { scene.limits.accept } else { scene.limits.limit });
        let tokens: u64 = group.clone().map(|input| scene.tokens(input)).sum();
        // New messages are in the view anyway, and are counted already.
        let counted = group.end > scene.newest() || kept_from.is_some_and(|from| group.start >= from);
        let comes = if counted { 0 } else { tokens };
        if taken + comes <= most {
            taken += comes;
            holds[group].iter_mut().for_each(|known| *known = hold.max(*known));
        }
    }
    (holds, kept_from)
}

/// Holds the newest turns and messages that the host keeps, as many whole groups as fit. Returns the first message.
fn newest(
    scene: &Scene<'_>,
    keep: Keep,
    free: &dyn Fn(usize) -> bool,
    taken: &mut u64,
    holds: &mut [Hold],
) -> Option<usize> {
    if keep.turns.is_none() && keep.messages.is_none() {
        return None;
    }
    let lead = scene.lead();
    let (wanted, most) = (grouped::kept_from(scene, keep), scene.raw_below(scene.limits.accept));
    let mut start = scene.newest();
    while start > wanted.max(lead) {
        let group = scene.cuts.start_of(start - 1 - lead) + lead;
        let tokens: u64 = (group..start).map(|input| scene.tokens(input)).sum();
        if *taken + tokens > most || !(group..start).all(free) {
            break;
        }
        *taken += tokens;
        start = group;
    }
    for hold in holds.iter_mut().take(scene.newest()).skip(start) {
        *hold = (*hold).max(Hold::Kept);
    }
    Some(start)
}

/// The raw tokens that stay in every view, including a summary.
fn unavoidable(scene: &Scene<'_>) -> u64 {
    let newest = scene.newest();
    let active = scene.active_user().filter(|&active| active < newest);
    let newest: u64 = (newest..scene.history.messages.len()).map(|input| scene.tokens(input)).sum();
    let half = scene.raw_below(scene.limits.limit) / 2;
    let summary = scene.raw(share(scene.limits.room, SUMMARY));
    scene.view.fixed() + newest.min(half) + active.map_or(0, |active| scene.tokens(active)) + summary
}

/// The calls whose arguments stay.
fn inputs(history: &History<'_>, policies: &ToolPolicies, free: &dyn Fn(usize) -> bool) -> Vec<Hold> {
    let messages = &history.messages;
    let stays = |input: usize| {
        free(input)
            && messages[input].parts().any(|part| part.kind == PartKind::Call && policies.of(part.name).inputs_stay)
    };
    (0..messages.len()).map(|input| if stays(input) { Hold::Inputs } else { Hold::Free }).collect()
}

/// The results that are kept whole, the newest first.
fn wanted(scene: &Scene<'_>, all: u64, counts_in: &dyn Fn(usize) -> bool) -> Vec<Wanted> {
    let policies = &scene.options.tools;
    let mut newest = 0;
    let mut counts = IdMap::default();
    let mut wanted = Vec::new();
    for (input, tool) in results(scene.history).into_iter().rev().filter(|&(input, _)| counts_in(input)) {
        newest += 1;
        let newer = counts.get(u64::from(tool)).unwrap_or(0);
        counts.insert(u64::from(tool), newer + 1);
        let hold = match policies.of(tool) {
            ToolPolicy { exclude: true, .. } => Hold::Excluded,
            ToolPolicy { keep: Stay::Always, .. } => Hold::Always,
            ToolPolicy { keep: Stay::Newest(count), .. } if newer < count => Hold::Kept,
            _ if newest <= all => Hold::Kept,
            _ => continue,
        };
        wanted.push(Wanted { input, tool, hold });
    }
    wanted
}

/// The tool of each result whose call is known.
fn results(history: &History<'_>) -> Vec<(usize, u32)> {
    let pairing = history.pairing();
    let tool = |result: &Answer| Some((result.message, pairing.calls[result.call?].name));
    pairing.results.iter().filter_map(tool).collect()
}

/// For each input message, whether all its results or calls are of tools that are cleared first. Empty if there are no
/// such tools.
pub(crate) fn first(scene: &Scene<'_>) -> Vec<bool> {
    let policies = &scene.options.tools;
    let mut first = vec![false; scene.history.messages.len()];
    if !policies.any_first() {
        return Vec::new();
    }
    for (input, tool) in results(scene.history) {
        first[input] = policies.of(tool).first;
    }
    for (input, message) in scene.history.messages.iter().enumerate() {
        let mut tools = message.parts().filter(|part| part.kind == PartKind::Call).peekable();
        if tools.peek().is_some() {
            first[input] = tools.all(|part| policies.of(part.name).first);
        }
    }
    // A message with results of several tools is cleared with the others.
    for pair in results(scene.history).windows(2) {
        if pair[0].0 == pair[1].0 && policies.of(pair[0].1).first != policies.of(pair[1].1).first {
            first[pair[0].0] = false;
        }
    }
    first
}

/// Tools that are named of those whose results were not kept; the others are one number.
const MOST_LOST: usize = 8;

/// What should have been kept whole but was not: the path of the option, and the number of messages or results.
pub(crate) fn lost(scene: &Scene<'_>) -> Vec<(String, u64)> {
    let policies = &scene.options.tools;
    let mut lost: Vec<(String, u64)> = Vec::new();
    let keep = scene.options.wishes.keep.unwrap_or_default();
    if policies.is_empty() && keep == Keep::default() {
        return lost;
    }
    if (keep.turns, keep.messages) != (None, None) {
        let from = grouped::kept_from(scene, keep);
        let gone = (from..scene.history.messages.len()).filter(|&input| !is_sent_whole(scene, input)).count();
        if gone > 0 {
            lost.push(("keep".to_owned(), gone as u64));
        }
    }
    let (mut results, mut of_others) = (0, 0);
    for Wanted { input, tool, .. } in wanted(scene, keep.results.unwrap_or(0), &|_| true) {
        if is_sent_whole(scene, input) {
            continue;
        }
        if policies.of(tool).holds() {
            let name = policies.name_of(tool).map_or_else(|| "*".to_owned(), quoting::tool_label);
            let path = format!("toolPolicy.{name}");
            let names_more = lost.len() < MOST_LOST;
            match lost.iter_mut().find(|(known, _)| *known == path) {
                Some(known) => known.1 += 1,
                None if names_more => lost.push((path, 1)),
                None => of_others += 1,
            }
        } else {
            results += 1;
        }
    }
    if of_others > 0 {
        lost.push(("toolPolicy".to_owned(), of_others));
    }
    if results > 0 {
        lost.push(("keep.results".to_owned(), results));
    }
    lost
}

fn is_sent_whole(scene: &Scene<'_>, input: usize) -> bool {
    scene.places[input].is_some_and(|at| {
        scene.view.items[at].made.is_none()
            || scene.history.left_out(input).is_none() && !lasting::is_edited(scene.history, scene.state, input)
    })
}
