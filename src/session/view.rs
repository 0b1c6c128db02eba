//! The view is what is sent: the history with the checkpoint and edits of the state applied.

use crate::base::error::Error;
use crate::base::order;
use crate::ingest::host::{Host, LEFT_OUT, Product};
use crate::ingest::tape::NO_NUMBER;
use crate::model::message::{MessageRecord, Part, PartKind, Role};
use crate::session::breakdown::TokenBreakdown;
use crate::session::compaction::Checkpoint;
use crate::session::edits;
use crate::session::history::History;
use crate::session::lasting::Lasting;
use crate::session::sent::{self, Stale};
use crate::session::state::SessionState;
use crate::summary::block::Tail;
use crate::tokens::Estimator;
use core::ops::Range;

/// The source of an item of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A message of the host.
    Host {
        /// Its input index.
        input: usize,
        /// Its history index.
        index: u64,
    },
    /// A provider's own summary, before the summary message.
    Block,
    /// The summary.
    Summary,
    /// The progress note.
    Note,
    /// A message that repairs a fault of the history.
    Repaired {
        /// The input index of the faulty message.
        input: usize,
    },
}

/// An item of the view: one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its source.
    pub slot: Slot,
    /// The raw tokens as sent.
    pub tokens: u64,
    /// The message that the host created for this item: an edited copy or, once rendered, a message that we wrote.
    pub made: Option<Product>,
    /// Whether no edit may change or cover it: head and pins.
    pub fixed: bool,
}

impl Item {
    /// The history index of the host's message.
    const fn index(&self) -> Option<u64> {
        if let Slot::Host { index, .. } = self.slot { Some(index) } else { None }
    }

    /// The record of the created message, if there is one.
    pub fn record(&self) -> Option<MessageRecord<'_>> {
        self.made.as_ref().and_then(Product::record)
    }
}

/// A projected view.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The messages to send, in order.
    pub items: Vec<Item>,
    /// The sums of the messages before them that need not be read.
    pub before: Sums,
}

/// The raw tokens of a part of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// All tokens.
    pub raw: u64,
    /// The tokens that no edit can change.
    pub fixed: u64,
    /// All tokens by kind of content.
    pub parts: TokenBreakdown,
}

impl View {
    /// The raw tokens by kind of content, without the system prompt and tools outside the messages.
    pub fn breakdown(&self, history: &History<'_>) -> TokenBreakdown {
        let mut parts = self.before.parts;
        for item in &self.items {
            let Slot::Host { input, .. } = item.slot else {
                parts.summary += item.tokens;
                continue;
            };
            let message = &item.record().unwrap_or(history.messages[input]);
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

    /// Whether it begins with a provider's own summary.
    pub fn has_block(&self) -> bool {
        self.items.iter().any(|item| item.slot == Slot::Block)
    }

    /// The items behind a provider's own summary up to the end of what code keeps, if turns stand between the two, and how
    /// many of them code keeps.
    fn behind_block(&self) -> Option<(Range<usize>, usize)> {
        let block = self.items.iter().position(|item| item.slot == Slot::Block)?;
        let summary = self.items.iter().position(|item| item.slot == Slot::Summary).filter(|&at| at > block + 1)?;
        let newest = self.items[block + 1..summary].iter().rev().find_map(Item::index)?;
        let rest = &self.items[summary..];
        let kept = rest.iter().position(|item| item.index().is_some_and(|index| index > newest)).unwrap_or(rest.len());
        Some((block + 1..summary + kept, kept))
    }

    /// Whether turns stand between a provider's own summary and what code keeps.
    pub fn has_tail_first(&self) -> bool {
        self.behind_block().is_some()
    }

    /// Moves what code keeps before the turns that stand between it and a provider's own summary, in a list with something of
    /// each item: so it stands in any other view.
    pub fn gather<T>(&self, list: &mut [T]) {
        let found = self.behind_block().filter(|_| list.len() == self.items.len());
        if let Some((moved, kept)) = found {
            list[moved].rotate_right(kept);
        }
    }

    /// The raw tokens of the view.
    pub fn raw(&self) -> u64 {
        self.before.raw + self.items.iter().map(|item| item.tokens).sum::<u64>()
    }

    /// The raw tokens that no edit can change.
    pub fn fixed(&self) -> u64 {
        self.before.fixed + self.items.iter().filter(|item| item.fixed).map(|item| item.tokens).sum::<u64>()
    }

    /// Whether the view is the same as the input.
    pub fn is_input(&self, history: &History<'_>) -> bool {
        self.items.len() == history.messages.len()
            && self
                .items
                .iter()
                .enumerate()
                .all(|(at, item)| item.made.is_none() && matches!(item.slot, Slot::Host { input, .. } if input == at))
    }

    /// For each of `count` input messages, its index in the view.
    pub fn places(&self, count: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; count];
        for (at, item) in self.items.iter().enumerate() {
            if let Slot::Host { input, .. } = item.slot {
                places[input] = Some(at);
            }
        }
        places
    }

    /// The records of what is sent, for the checker. Our own messages are missing until they are rendered.
    pub fn records<'v>(&'v self, history: &'v History<'_>) -> Vec<MessageRecord<'v>> {
        self.items
            .iter()
            .filter_map(|item| match (&item.made, item.slot) {
                (Some(product), _) => product.record(),
                (None, Slot::Host { input, .. }) => Some(history.messages[input]),
                (None, _) => None,
            })
            .collect()
    }
}

/// Projects the view of a history. Asks the host for edited copies, which it caches between calls.
///
/// # Errors
///
/// If the host cannot read or copy a message.
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
        Some(checkpoint) => covered(history, checkpoint, &mut view, host)?,
    }
    if history.left_out.iter().any(|left_out| left_out.whole) {
        let is_left_out = |item: &Item| matches!(item.slot, Slot::Host { input, .. } if history.left_out(input).is_some_and(|left_out| left_out.whole));
        view.items.retain(|item| !is_left_out(item));
    }
    if history.binds_before.is_some() {
        let newest = history.end().saturating_sub(1);
        view.items.retain(|item| match item.slot {
            Slot::Host { input, index } => {
                !(index < newest
                    && history.loses_reasoning(index, &state.stale)
                    && is_thought(&history.messages[input]))
            }
            _ => true,
        });
    }
    let edits = Lasting::of(history, state);
    let checkpoint = history.active.map(|active| &state.checkpoints[active]);
    for item in &mut view.items {
        let Slot::Host { input, index } = item.slot else { continue };
        let is_alone = checkpoint.is_some_and(|checkpoint| checkpoint.stays.is_alone(index)) && history.is_typed(input);
        if let Some(product) =
            copy(history, (&edits, &state.stale), estimator, (input, index, item.fixed, is_alone), host)?
        {
            item.tokens = measured(history, input, &product);
            item.made = Some(product);
        }
    }
    Ok(view)
}

/// Creates the copy that is sent in place of a message, if one is needed: without parts that are left out, and edited
/// unless it is fixed. Of one that stays alone, without the calls before it, only what was typed beside results is sent.
fn copy(
    history: &History<'_>,
    (edits, stale): (&Lasting<'_>, &[Stale]),
    estimator: &Estimator,
    (input, index, fixed, is_alone): (usize, u64, bool, bool),
    host: &mut dyn Host,
) -> Result<Option<Product>, Error> {
    let mut left_out = history.left_out(input).map_or_else(Vec::new, |left_out| left_out.parts.clone());
    if is_alone {
        left_out.extend(
            history.messages[input]
                .results()
                .iter()
                .filter(|number| !left_out.contains(number))
                .copied()
                .collect::<Vec<_>>(),
        );
    }
    if !fixed && !history.keeps_reasoning && index < edits.thoughts {
        let thoughts = thoughts(&history.messages[input]);
        let stays = |part: Part| !left_out.contains(&part.number) && !thoughts.contains(&part.number);
        if history.messages[input].parts().any(stays) {
            left_out.extend(thoughts);
        }
    }
    if history.loses_reasoning(index, stale) {
        let message = &history.messages[input];
        left_out.extend(sent::reasoning_parts(message).filter(|_| !is_thought(message)));
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

/// The numbers of the parts of a message that hold unsigned reasoning: it can be left out without a word.
pub fn thoughts(message: &MessageRecord<'_>) -> Vec<u32> {
    let is_thought = |part: &Part| part.kind == PartKind::Reasoning && part.number != NO_NUMBER;
    let said = message.parts().any(|part| part.kind != PartKind::Reasoning);
    if message.role() != Role::Assistant || message.is_signed() || !said {
        return Vec::new();
    }
    message.parts().filter(is_thought).map(|part| part.number).collect()
}

/// Whether a message holds nothing but reasoning, so that nothing is left of it without that.
fn is_thought(message: &MessageRecord<'_>) -> bool {
    let says = |part: Part| part.kind != PartKind::Reasoning && (part.kind != PartKind::Text || part.bytes > 0);
    message.has(PartKind::Reasoning) && !message.parts().any(says)
}

/// The raw tokens of an edited copy: those of its record, and what the original counts apart from its parts.
fn measured(history: &History<'_>, input: usize, product: &Product) -> u64 {
    let own = product.record().map_or(0, |record| record.tokens());
    own + (history.tokens[input] - history.messages[input].tokens())
}

fn covered(history: &History<'_>, checkpoint: &Checkpoint, view: &mut View, host: &mut dyn Host) -> Result<(), Error> {
    let kept = |indices: &[u64], fixed: bool, view: &mut View| {
        for &index in indices {
            if let Some(input) = history.input_of(index) {
                view.items.push(plain(history, input, index, fixed));
            }
        }
    };
    let mut head = checkpoint.stays.head.clone();
    head.extend(pinned_late(history, checkpoint));
    order::numbers(&mut head);
    kept(&head, true, view);
    let made = |slot, tokens| Item { slot, tokens, made: None, fixed: false };
    let mut summary = checkpoint.summary.raw;
    let mut index = checkpoint.covers.count;
    let mut follow = |end: u64, view: &mut View| {
        while let Some(input) = history.input_of(index).filter(|_| index < end) {
            view.items.push(plain(history, input, index, false));
            index += 1;
        }
    };
    if let Some(block) = &checkpoint.block {
        match sent_block(history, checkpoint, &view.items, host)? {
            Some(product) => {
                view.items.push(Item { slot: Slot::Block, tokens: block.raw, made: Some(product), fixed: false });
                let holds = |tail: &Tail| history.position(tail.end.count) == Some(tail.end);
                follow(block.tail.filter(holds).map_or(0, |tail| tail.end.count), view);
            }
            None => summary = block.whole,
        }
    }
    view.items.push(made(Slot::Summary, summary));
    kept(checkpoint.stays.before_note(), false, view);
    if let Some(note) = &checkpoint.note {
        view.items.push(made(Slot::Note, note.raw));
    }
    kept(checkpoint.stays.opening(), false, view);
    follow(u64::MAX, view);
    Ok(())
}

/// The message of a checkpoint's own summary of the provider, if it can be sent: only instructions stand before it.
fn sent_block(
    history: &History<'_>,
    checkpoint: &Checkpoint,
    before: &[Item],
    host: &mut dyn Host,
) -> Result<Option<Product>, Error> {
    let is_instruction =
        |item: &Item| matches!(item.slot, Slot::Host { input, .. } if history.messages[input].role() == Role::System);
    let block = checkpoint.block.as_ref().filter(|_| before.iter().all(is_instruction));
    match block.and_then(|block| block.within(&checkpoint.summary.text)) {
        Some((block, _)) => host.block(&block),
        None => Ok(None),
    }
}

/// The covered messages that the host pins by now. Those that belong to a group stay covered, because the group is not
/// in the view.
fn pinned_late(history: &History<'_>, checkpoint: &Checkpoint) -> Vec<u64> {
    let is_single = |message: &MessageRecord<'_>| {
        let any = |kinds: &[PartKind]| kinds.iter().any(|&kind| message.has(kind));
        // What only the provider reads may be an item of a reply.
        let is_item = message.role() == Role::Assistant && !any(&[PartKind::Text, PartKind::Media]);
        !is_item && !any(&[PartKind::Call, PartKind::Result, PartKind::Reasoning])
    };
    let comes_back = |index: &u64| {
        let input = history.input_of(*index).filter(|&input| history.is_pinned_by_host(input));
        input.is_some_and(|input| is_single(&history.messages[input])) && !checkpoint.stays.holds(*index)
    };
    (history.first()..checkpoint.covers.count).filter(comes_back).collect()
}

/// An item for an unchanged message of the host.
pub(crate) fn plain(history: &History<'_>, input: usize, index: u64, head: bool) -> Item {
    Item {
        slot: Slot::Host { input, index },
        tokens: history.tokens[input],
        made: None,
        fixed: head || history.is_pinned(input),
    }
}

/// The number of leading instruction messages.
pub fn leading(history: &History<'_>) -> usize {
    history.messages.iter().take_while(|message| message.role() == Role::System).count()
}
