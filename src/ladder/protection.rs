//! Which messages stay whole because of the policies of their tools: a result that is kept, with the whole group it is in.

use crate::base::id_map::IdMap;
use crate::ingest::pairs;
use crate::ladder::{Scene, compact};
use crate::limits::budget::share;
use crate::limits::tool_policy::{Stay, ToolPolicies, ToolPolicy};
use crate::limits::wishes::Keep;
use crate::model::message::PartKind;
use crate::session::history::History;
use crate::session::view;
use std::ops::Range;

/// How firmly a message stays whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Not at all.
    #[default]
    Free,
    /// What calls were given stays, as long as the message is in the view.
    Inputs,
    /// One of a tool's newest results is in its group.
    Kept,
    /// One that is always kept is.
    Always,
    /// One of a tool that no rung touches is.
    Excluded,
}

impl Hold {
    /// All, the weakest first.
    pub const ALL: [Self; 5] = [Self::Free, Self::Inputs, Self::Kept, Self::Always, Self::Excluded];
}

/// Of the room, in millionths: what a summary takes beside what is held.
const SUMMARY: u64 = 100_000;

/// A result that its tool's policy wants whole.
struct Wanted {
    input: usize,
    tool: u32,
    hold: Hold,
}

/// How firmly each message of the input stays whole, empty if nothing is held; and the first of the newest messages that
/// stay because the host keeps so many.
pub(crate) fn holds(scene: &Scene<'_>) -> (Vec<Hold>, Option<usize>) {
    let policies = &scene.options.tools;
    let keep = scene.options.wishes.keep.unwrap_or_default();
    if policies.is_empty() && keep == Keep::default() {
        return (Vec::new(), None);
    }
    let edited = view::edited_up_to(scene.history, scene.state);
    // What was cut or cleared stays so; of a view that was given back nothing else tells.
    let free = |input: usize| {
        scene.places[input].is_some()
            && scene
                .history
                .index_of(input)
                .is_some_and(|index| index >= edited || scene.state.spared.binary_search(&index).is_ok())
    };
    let mut holds = inputs(scene.history, policies, &free);
    let mut groups: Vec<(Hold, Range<usize>)> = Vec::new();
    // The newest first: of several results in one group the firmest hold counts.
    // What is in no view any more is not counted: a view that is given back does not hold it.
    let shown = |input: usize| scene.places[input].is_some();
    for one in wanted(scene, keep.results.unwrap_or(0), &shown) {
        let group = group(scene, one.input);
        match groups.last_mut().filter(|last| last.1 == group) {
            Some(last) => last.0 = last.0.max(one.hold),
            None => groups.push((one.hold, group)),
        }
    }
    let messages = &scene.history.messages;
    groups.retain(|(_, group)| group.clone().all(free) && pairs::is_settled(&messages[group.clone()]));
    // What must stay goes before what may, and among equals the newest.
    groups.sort_by_key(|(hold, _)| *hold == Hold::Kept);
    let mut taken = unavoidable(scene);
    let kept_from = newest(scene, keep, &free, &mut taken, &mut holds);
    for (hold, group) in groups {
        let most = scene.raw_below(if hold == Hold::Kept { scene.limits.accept } else { scene.limits.limit });
        let tokens: u64 = group.clone().map(|input| scene.tokens(input)).sum();
        // What is new is in the view in any case, and counted already.
        let counted = group.end > scene.newest() || kept_from.is_some_and(|from| group.start >= from);
        let comes = if counted { 0 } else { tokens };
        if taken + comes <= most {
            taken += comes;
            holds[group].iter_mut().for_each(|known| *known = hold.max(*known));
        }
    }
    (holds, kept_from)
}

/// Holds the newest turns and messages that the host keeps, as many whole groups as fit: the first of them.
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
    let (wanted, most) = (compact::kept_from(scene, keep), scene.raw_below(scene.limits.accept));
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

/// Raw tokens that stay in every view, and what a summary takes.
fn unavoidable(scene: &Scene<'_>) -> u64 {
    let newest = scene.newest();
    let active = scene.active_user().filter(|&active| active < newest);
    let newest: u64 = (newest..scene.history.messages.len()).map(|input| scene.tokens(input)).sum();
    let half = scene.raw_below(scene.limits.limit) / 2;
    let summary = scene.raw(share(scene.limits.room, SUMMARY));
    scene.view.fixed() + newest.min(half) + active.map_or(0, |active| scene.tokens(active)) + summary
}

/// The calls whose input stays.
fn inputs(history: &History<'_>, policies: &ToolPolicies, free: &dyn Fn(usize) -> bool) -> Vec<Hold> {
    let messages = &history.messages;
    let stays = |input: usize| {
        free(input)
            && messages[input].parts().any(|part| part.kind == PartKind::Call && policies.of(part.name).inputs_stay)
    };
    (0..messages.len()).map(|input| if stays(input) { Hold::Inputs } else { Hold::Free }).collect()
}

/// The results that policies want whole, the newest first.
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

/// The tool of each result, by the call before it that has its id.
fn results(history: &History<'_>) -> Vec<(usize, u32)> {
    let (mut tools, mut results) = (IdMap::default(), Vec::new());
    for (input, message) in history.messages.iter().enumerate() {
        for part in message.parts() {
            match part.kind {
                PartKind::Call => tools.insert(part.id, u64::from(part.name)),
                PartKind::Result => {
                    results.extend(tools.get(part.id).and_then(|tool| Some((input, u32::try_from(tool).ok()?))));
                }
                _ => {}
            }
        }
    }
    results
}

/// The messages that stay with a result. In a view that was given back groups are not known: there they are the messages
/// around it from the call on.
fn group(scene: &Scene<'_>, input: usize) -> Range<usize> {
    let (lead, messages) = (scene.lead(), &scene.history.messages);
    if let Some(at) = input.checked_sub(lead) {
        return scene.cuts.start_of(at) + lead..scene.cuts.end_of(at) + lead;
    }
    let has = |at: usize, kind| messages[at].has(kind);
    let mut from = input;
    while from > 0 && has(from, PartKind::Result) && !has(from, PartKind::Call) {
        from -= 1;
    }
    while from > 0 && has(from - 1, PartKind::Reasoning) && !has(from - 1, PartKind::Result) {
        from -= 1;
    }
    let mut end = input + 1;
    while end < lead && has(end, PartKind::Result) && !has(end, PartKind::Call) {
        end += 1;
    }
    from..end
}

/// Input messages whose results are all of tools that are cleared first, and the calls for them; none if no tool is.
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
    // Where results of several tools share a message it is cleared with the others.
    for pair in results(scene.history).windows(2) {
        if pair[0].0 == pair[1].0 && policies.of(pair[0].1).first != policies.of(pair[1].1).first {
            first[pair[0].0] = false;
        }
    }
    first
}

/// What should be whole and is not, by the path of what the host said: how many messages or results.
pub(crate) fn lost(scene: &Scene<'_>) -> Vec<(String, u64)> {
    let policies = &scene.options.tools;
    let mut lost: Vec<(String, u64)> = Vec::new();
    let keep = scene.options.wishes.keep.unwrap_or_default();
    if policies.is_empty() && keep == Keep::default() {
        return lost;
    }
    if (keep.turns, keep.messages) != (None, None) {
        let from = compact::kept_from(scene, keep);
        let gone = (from..scene.history.messages.len()).filter(|&input| !is_sent_whole(scene, input)).count();
        if gone > 0 {
            lost.push(("keep".to_owned(), gone as u64));
        }
    }
    let mut results = 0;
    for Wanted { input, tool, .. } in wanted(scene, keep.results.unwrap_or(0), &|_| true) {
        if is_sent_whole(scene, input) {
            continue;
        }
        if policies.of(tool).holds() {
            let path = format!("toolPolicy.{}", policies.name_of(tool).unwrap_or("*"));
            match lost.iter_mut().find(|(known, _)| *known == path) {
                Some(known) => known.1 += 1,
                None => lost.push((path, 1)),
            }
        } else {
            results += 1;
        }
    }
    if results > 0 {
        lost.push(("keep.results".to_owned(), results));
    }
    lost
}

fn is_sent_whole(scene: &Scene<'_>, input: usize) -> bool {
    scene.places[input].is_some_and(|at| {
        scene.view.items[at].made.is_none()
            || scene.history.left_out(input).is_none() && !view::is_edited(scene.history, scene.state, input)
    })
}
