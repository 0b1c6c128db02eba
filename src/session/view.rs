//! The view: what is sent. The history with the state's checkpoint and edits applied.

use crate::base::error::Error;
use crate::base::references;
use crate::ingest::content::Content;
use crate::ingest::host::{Host, LEFT_OUT, Product};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{Digest, Part, PartKind, Position, Role, combine, hash_text};
use crate::session::breakdown::TokenBreakdown;
use crate::session::compaction::Checkpoint;
use crate::session::edits::rules::ResultRule;
use crate::session::edits::{self, Edits};
use crate::session::history::History;
use crate::session::state::{Clip, SessionState};
use crate::tokens::Estimator;

/// What a place in the view holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A message of the host.
    Host {
        /// Its place in the input.
        input: usize,
        /// Its place in the history.
        index: u64,
    },
    /// The summary.
    Summary,
    /// The progress note.
    Note,
    /// Made to repair a fault that the history brought.
    Repaired {
        /// The message of the input that had it.
        input: usize,
    },
}

/// A place in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it holds.
    pub slot: Slot,
    /// Raw tokens as sent.
    pub tokens: u64,
    /// What the host made for this place: an edited copy, or (once rendered) a message of ours.
    pub made: Option<Product>,
    /// No edit may change or cover it: head and pins.
    pub fixed: bool,
}

impl Item {
    /// The digest of what was made for this place, if anything was.
    pub fn digest(&self) -> Option<Digest<'_>> {
        self.made.as_ref().and_then(Product::digest)
    }
}

/// A projected view.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What is sent, in order.
    pub items: Vec<Item>,
    /// What is sent before that, where nobody has to look at it.
    pub before: Sums,
}

/// Raw tokens of a part of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// All.
    pub raw: u64,
    /// Those that no edit can change.
    pub fixed: u64,
    /// All, by what they are.
    pub parts: TokenBreakdown,
}

impl View {
    /// Raw tokens by what they are spent on; system prompt and tools beside the messages are not among them.
    pub fn breakdown(&self, history: &History<'_>) -> TokenBreakdown {
        let mut parts = self.before.parts;
        for item in &self.items {
            let Slot::Host { input, .. } = item.slot else {
                parts.summary += item.tokens;
                continue;
            };
            let message = &item.digest().unwrap_or(history.messages[input]);
            let mut rest = item.tokens;
            for part in message.parts() {
                let tokens = u64::from(part.tokens).min(rest);
                match part.kind {
                    PartKind::Result => parts.results += tokens,
                    PartKind::Media => parts.media += tokens,
                    _ => continue,
                }
                rest -= tokens;
            }
            *match message.role() {
                Role::System => &mut parts.system,
                Role::User => &mut parts.user,
                Role::Assistant => &mut parts.assistant,
                Role::Tool => &mut parts.results,
            } += rest;
        }
        parts
    }

    /// Raw tokens of the view.
    pub fn raw(&self) -> u64 {
        self.before.raw + self.items.iter().map(|item| item.tokens).sum::<u64>()
    }

    /// Raw tokens that no edit can change.
    pub fn fixed(&self) -> u64 {
        self.before.fixed + self.items.iter().filter(|item| item.fixed).map(|item| item.tokens).sum::<u64>()
    }

    /// Whether it is the input, message by message.
    pub fn is_input(&self, history: &History<'_>) -> bool {
        self.items.len() == history.messages.len()
            && self
                .items
                .iter()
                .enumerate()
                .all(|(at, item)| item.made.is_none() && matches!(item.slot, Slot::Host { input, .. } if input == at))
    }

    /// Where each of `count` input messages stands in the view.
    pub fn places(&self, count: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; count];
        for (at, item) in self.items.iter().enumerate() {
            if let Slot::Host { input, .. } = item.slot {
                places[input] = Some(at);
            }
        }
        places
    }

    /// Digests of what is sent, for the checker. Messages of ours are left out until they are rendered.
    pub fn digests<'v>(&'v self, history: &'v History<'_>) -> Vec<Digest<'v>> {
        self.items
            .iter()
            .filter_map(|item| match (&item.made, item.slot) {
                (Some(product), _) => product.digest(),
                (None, Slot::Host { input, .. }) => Some(history.messages[input]),
                (None, _) => None,
            })
            .collect()
    }
}

/// The state's view of a history. Asks the host for edited copies, which it remembers between calls.
///
/// # Errors
/// When the host cannot read or copy a message.
pub fn project(
    history: &History<'_>,
    state: &SessionState,
    estimator: &Estimator,
    host: &mut dyn Host,
) -> Result<View, Error> {
    let mut view = View::default();
    let head = leading(history);
    match history.active.map(|active| &state.checkpoints[active]) {
        None => {
            for input in 0..history.messages.len() {
                if let Some(index) = history.index_of(input) {
                    view.items.push(plain(history, input, index, input < head));
                }
            }
        }
        Some(checkpoint) => covered(history, checkpoint, &mut view),
    }
    if history.left_out.iter().any(|left_out| left_out.whole) {
        let goes = |item: &Item| matches!(item.slot, Slot::Host { input, .. } if history.left_out(input).is_some_and(|left_out| left_out.whole));
        view.items.retain(|item| !goes(item));
    }
    let edits = Lasting::of(history, state);
    for item in &mut view.items {
        if let Slot::Host { input, index } = item.slot
            && let Some(product) = copy(history, &edits, estimator, (input, index, item.fixed), host)?
        {
            item.tokens = measured(history, input, &product);
            item.made = Some(product);
        }
    }
    Ok(view)
}

/// The copy of a message that is sent in its place, if any is: without what is left out, and edited unless it is fixed.
fn copy(
    history: &History<'_>,
    edits: &Lasting<'_>,
    estimator: &Estimator,
    (input, index, fixed): (usize, u64, bool),
    host: &mut dyn Host,
) -> Result<Option<Product>, Error> {
    let mut left_out = history.left_out(input).map_or_else(Vec::new, |left_out| left_out.parts.clone());
    if !fixed && index < edits.thoughts {
        let thoughts = thoughts(&history.messages[input]);
        let stays = |part: Part| !left_out.contains(&part.number) && !thoughts.contains(&part.number);
        if history.messages[input].parts().any(stays) {
            left_out.extend(thoughts);
        }
    }
    let edits = if fixed { None } else { edits.of_message(history, input, index) };
    let (mut key, edits) = edits.map_or((String::new(), None), |(key, edits)| (key, Some(edits)));
    for part in &left_out {
        key.push_str(&format!("-{part}"));
    }
    if key.is_empty() {
        return Ok(None);
    }
    if let Some(product) = host.remade(input, &key)? {
        return Ok(Some(product));
    }
    let mut texts = Vec::new();
    if let Some(edits) = edits
        && let Some(content) = host.read(&[input])?.pop()
    {
        texts = edits::apply(&history.messages[input], content, &edits, estimator).1;
        texts.retain(|(part, _)| !left_out.contains(part));
    }
    texts.extend(left_out.iter().map(|part| (part | LEFT_OUT, String::new())));
    if texts.is_empty() { Ok(None) } else { host.replace(input, &key, &texts).map(Some) }
}

/// The numbers of the parts of a message that hold reasoning which is not signed: it can be left out without a word.
pub fn thoughts(message: &Digest<'_>) -> Vec<u32> {
    let is_thought = |part: &Part| part.kind == PartKind::Reasoning && part.number != NO_NUMBER;
    let said = message.parts().any(|part| part.kind != PartKind::Reasoning);
    if message.role() != Role::Assistant || message.is_signed() || !said {
        return Vec::new();
    }
    message.parts().filter(is_thought).map(|part| part.number).collect()
}

/// A message with its text as the state's edits leave it.
pub fn as_sent(
    history: &History<'_>,
    state: &SessionState,
    estimator: &Estimator,
    input: usize,
    content: Content,
) -> Content {
    let edits = Lasting::of(history, state);
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    match index.and_then(|index| edits.of_message(history, input, index)) {
        Some((_, edits)) => edits::apply(&history.messages[input], content, &edits, estimator).0,
        None => content,
    }
}

/// Which parts of an input message the state's edits change.
pub fn edited(history: &History<'_>, state: &SessionState, input: usize) -> Vec<bool> {
    let message = &history.messages[input];
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    let of = |index| Lasting::of(history, state).of_message(history, input, index);
    let Some((_, edits)) = index.and_then(of) else { return Vec::new() };
    message.parts().map(|part| edits::touches(&part, message, &edits)).collect()
}

/// Whether the state's edits change a message of the input, apart from what policies cut of it in any case.
pub fn is_edited(history: &History<'_>, state: &SessionState, input: usize) -> bool {
    let message = &history.messages[input];
    let index = history.index_of(input).filter(|_| !history.is_pinned(input));
    let found = index.and_then(|index| Lasting::of(history, state).of_message(history, input, index));
    found.is_some_and(|(_, edits)| message.parts().any(|part| edits::touches_more(&part, message, &edits)))
}

/// The history index before which lasting edits concern messages, apart from those that they spare.
pub fn edited_up_to(history: &History<'_>, state: &SessionState) -> u64 {
    let edits = Lasting::of(history, state);
    let clipped = edits.clips.iter().map(|clip| clip.up_to.count).max().unwrap_or(0);
    clipped.max(edits.cleared).max(edits.failed)
}

/// Raw tokens of an edited copy: what its own digest says, and what the original is charged beside its parts.
fn measured(history: &History<'_>, input: usize, product: &Product) -> u64 {
    let own = product.digest().map_or(0, |digest| digest.tokens());
    own + (history.tokens[input] - history.messages[input].tokens())
}

fn covered(history: &History<'_>, checkpoint: &Checkpoint, view: &mut View) {
    let kept = |indices: &[u64], fixed: bool, view: &mut View| {
        for &index in indices {
            if let Some(input) = history.input_of(index) {
                view.items.push(plain(history, input, index, fixed));
            }
        }
    };
    kept(&checkpoint.head, true, view);
    let made = |slot, tokens| Item { slot, tokens, made: None, fixed: false };
    view.items.push(made(Slot::Summary, checkpoint.summary.raw));
    kept(checkpoint.before_note(), false, view);
    if let Some(note) = &checkpoint.note {
        view.items.push(made(Slot::Note, note.raw));
    }
    kept(checkpoint.opening(), false, view);
    let mut index = checkpoint.covers.count;
    while let Some(input) = history.input_of(index) {
        view.items.push(plain(history, input, index, false));
        index += 1;
    }
}

/// A message of the host as it is.
pub(crate) fn plain(history: &History<'_>, input: usize, index: u64, head: bool) -> Item {
    Item {
        slot: Slot::Host { input, index },
        tokens: history.tokens[input],
        made: None,
        fixed: head || history.is_pinned(input),
    }
}

/// How many leading messages are instructions.
pub fn leading(history: &History<'_>) -> usize {
    history.messages.iter().take_while(|message| message.role() == Role::System).count()
}

/// The state's lasting edits, as far as their positions hold for this history.
struct Lasting<'s> {
    keep: &'s [String],
    clips: Vec<&'s Clip>,
    cleared: u64,
    /// Of what is cleared the inputs go up to here: a history that was rewound may end inside it.
    inputs: u64,
    failed: u64,
    thoughts: u64,
    media: u64,
    /// Messages that nothing of it touches.
    spared: &'s [u64],
    /// What policies say of single results.
    rules: &'s [ResultRule],
}

impl<'s> Lasting<'s> {
    fn of(history: &'s History<'_>, state: &'s SessionState) -> Self {
        // A position inside what a checkpoint covers cannot be checked any more, and need not be.
        let holds = |position: &Position| {
            history.chain_at(position.count).is_none_or(|chain| chain == position.chain)
                && position.count <= history.end()
        };
        let held = |position: Option<Position>| position.filter(holds).map_or(0, |position| position.count);
        let cleared = held(state.cleared);
        Self {
            keep: history.keep,
            clips: state.clips.iter().filter(|clip| holds(&clip.up_to)).collect(),
            cleared,
            inputs: if cleared > 0 { cleared.min(history.said_last()) } else { 0 },
            failed: held(state.failed),
            thoughts: held(state.thoughts),
            media: state.media.min(cleared),
            spared: &state.spared,
            rules: &history.rules,
        }
    }

    /// What policies say of the results in a message.
    fn rules_of(&self, input: usize) -> &'s [ResultRule] {
        let from = self.rules.partition_point(|rule| rule.input < input);
        let count = self.rules[from..].iter().take_while(|rule| rule.input == input).count();
        &self.rules[from..from + count]
    }

    /// What is done to a message, and what that is called, if anything is.
    fn of_message(&self, history: &History<'_>, input: usize, index: u64) -> Option<(String, Edits<'s>)> {
        let rules = self.rules_of(input);
        let spared = self.spared.binary_search(&index).is_ok();
        let message = &history.messages[input];
        let lasting = self.clips.iter().filter(|clip| !spared && index < clip.up_to.count).map(|&clip| edits::Cut {
            clip,
            old: index < clip.old,
            cleared: index < clip.cleared.min(self.cleared),
            failed: index < clip.failed.min(self.failed),
            only: None,
        });
        let edits = Edits {
            clips: rules.iter().filter_map(edits::Cut::of_rule).chain(lasting).collect(),
            keep: self.keep,
            clears: !spared && index < self.cleared,
            clears_inputs: !spared && index < self.inputs,
            clears_failed: !spared && index < self.failed,
            clears_media: !spared && index < self.media,
            rules,
            reference: None,
        };
        if !message.parts().any(|part| edits::touches(&part, message, &edits)) {
            return None;
        }
        let reference = history.references.then_some(index);
        let edits = Edits { reference, ..edits };
        // Copies are of one list of literals.
        let kept = self.keep.iter().fold(0, |kept, literal| combine(kept, hash_text(literal)));
        let mut key = if kept == 0 { String::new() } else { format!("{kept} ") };
        if history.references {
            key.push_str(&format!("{} ", references::of(index, 0)));
        }
        for rule in rules.iter().filter(|rule| rule.rerun) {
            key.push_str(&format!("{}r ", rule.number));
        }
        for &edits::Cut { clip, old, cleared, failed, only } in &edits.clips {
            if let Some(number) = only {
                key.push_str(&format!("{number}:"));
            }
            key.push_str(&format!("{}/{}", clip.cap, clip.reach));
            for (mark, is) in [("o", old), ("c", cleared), ("f", failed)] {
                key.push_str(if is { mark } else { "" });
            }
            key.push(' ');
        }
        key.push_str(if edits.clears_media {
            "cm"
        } else if edits.clears {
            "c"
        } else if edits.clears_failed {
            "f"
        } else {
            ""
        });
        Some((key, edits))
    }
}
