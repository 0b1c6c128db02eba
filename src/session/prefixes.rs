//! What was sent before a message when it was produced, and whether that is still what is sent.
//!
//! Some providers bind a block of reasoning to everything before it. A hash over what is sent before each message tells
//! whether a block may still be sent. The hashes cover what a provider sees of messages, of whomever they are: whatever
//! changed them (an edit, a summary, a pin that is gone, another policy, the host), it shows in them.

use crate::base::order;
use crate::model::message::{CHAIN_START, MessageRecord, combine};
use crate::session::history::History;
use crate::session::sent::{Mark, Stale, has_signed, thin};
use crate::session::state::SessionState;
use crate::session::view::{Item, Slot, View};

/// A message of the host in a view.
#[derive(Clone, Copy, Debug)]
struct PrefixedMessage {
    index: u64,
    /// The hash of what is sent before it.
    before: u64,
    /// Whether signed reasoning is sent with it that could be left out.
    signed: bool,
}

/// What is sent before each message of the host in a view.
#[derive(Clone, Debug)]
pub struct Prefixes {
    places: Vec<PrefixedMessage>,
    end: Mark,
    /// A provider's own summary stands for the messages before this history index: what is behind it is bound to them.
    stood_for: u64,
    /// The history index of the first message behind what code keeps, if turns stand between that and the summary.
    tail_end: Option<u64>,
}

impl Prefixes {
    /// Computes them.
    pub fn of(view: &View, history: &History<'_>, state: &SessionState) -> Self {
        let checkpoint = history.active.map(|active| &state.checkpoints[active]);
        let block = checkpoint.and_then(|checkpoint| checkpoint.block.as_ref());
        let tail = block.and_then(|block| block.tail).filter(|_| view.has_tail_first());
        let (mut places, mut hash, mut stood_for, mut tail_end) = (Vec::new(), CHAIN_START, 0, None);
        for item in &view.items {
            if let Some(tail) = tail.filter(|tail| item.slot == Slot::Block && hash == tail.before) {
                hash = tail.prefix;
                stood_for = checkpoint.map_or(0, |checkpoint| checkpoint.covers.count);
                tail_end = Some(tail.end.count);
                continue;
            }
            let own = match item.slot {
                Slot::Block => block.map_or(0, |block| block.hash),
                Slot::Summary => checkpoint.map_or(0, |checkpoint| checkpoint.summary.hash),
                Slot::Note => checkpoint.and_then(|checkpoint| checkpoint.note.as_ref()).map_or(0, |note| note.hash),
                Slot::Host { .. } | Slot::Repaired { .. } => {
                    let record = sent(item, history);
                    if let Slot::Host { index, .. } = item.slot {
                        let signed = record.is_some_and(|record| has_signed(&record));
                        places.push(PrefixedMessage { index, before: hash, signed });
                    }
                    record.map_or(0, |record| record.wire())
                }
            };
            hash = combine(hash, own);
        }
        Self { places, end: Mark { at: history.end(), hash }, stood_for, tail_end }
    }

    /// What would be sent before each message if the history had always been sent as it is.
    pub fn of_history(history: &History<'_>) -> Self {
        let (mut places, mut hash) = (Vec::new(), CHAIN_START);
        for (input, message) in history.messages.iter().enumerate() {
            if let Some(index) = history.index_of(input) {
                places.push(PrefixedMessage { index, before: hash, signed: false });
            }
            hash = combine(hash, message.wire());
        }
        Self { places, end: Mark { at: history.end(), hash }, stood_for: 0, tail_end: None }
    }

    /// The hash of what is sent before a message.
    pub fn before(&self, index: u64) -> Option<u64> {
        self.places.iter().find(|place| place.index == index).map(|place| place.before)
    }

    /// The end of the request.
    pub const fn end(&self) -> Mark {
        self.end
    }

    /// The marks of all messages.
    pub fn all(&self) -> impl Iterator<Item = Mark> + '_ {
        self.places.iter().map(|place| Mark { at: place.index, hash: place.before }).chain([self.end])
    }

    /// The place in the view from which on messages were said to requests that are not `remembered`: where turns stand before
    /// what code keeps, and it was never sent there. A summary can be made while the chat goes on without it.
    fn unsent_from(&self, remembered: &[Mark]) -> Option<usize> {
        let tail_end = self.tail_end?;
        let is_sent = self.all().any(|mark| mark.at >= tail_end && remembered.contains(&mark));
        if is_sent { None } else { self.places.iter().position(|place| place.index >= tail_end) }
    }

    /// The place in the view from which on something else was sent before messages, by what is known of that. Between a
    /// message with the same prefix and one with another, all are taken for changed.
    fn broken_from(&self, known: &[Mark]) -> Option<usize> {
        let mut known: Vec<Mark> = known.to_vec();
        order::by_key(&mut known, |mark| mark.at.into());
        let of = |at: u64| known.binary_search_by_key(&at, |mark| mark.at).ok().map(|found| known[found].hash);
        let mut same = 0;
        for (place, mark) in self.all().enumerate() {
            match of(mark.at) {
                Some(hash) if hash == mark.hash => same = place + 1,
                Some(_) => return Some(same),
                None => {}
            }
        }
        None
    }

    /// The least history index of signed reasoning from a place of the view on.
    fn signed_from(&self, place: usize, spared: u64) -> Option<u64> {
        let behind = self.places.get(place..).unwrap_or_default();
        behind.iter().filter(|one| one.signed && one.index < spared).map(|one| one.index).min()
    }

    /// What is pinned stands before older messages. Whatever stands behind reasoning that goes must go as well, so more
    /// may have to go than from an index on.
    fn behind(&self, mut from: u64, spared: u64) -> u64 {
        loop {
            let is_gone = |one: &PrefixedMessage| one.signed && (from..spared).contains(&one.index);
            let behind = self.places.iter().skip_while(|one| !is_gone(one));
            let least = behind.filter(|one| one.signed && one.index < spared).map(|one| one.index).min();
            match least.filter(|&least| least < from) {
                Some(least) => from = least,
                None => return from,
            }
        }
    }

    /// What is to be remembered of them. `before`: what was remembered of the request before, whose marks still hold.
    pub fn marks(&self, before: &[Mark]) -> Vec<Mark> {
        let newest = before.iter().map(|mark| mark.at).max();
        let holds = |place: &&PrefixedMessage| {
            place.signed
                && (newest.is_none_or(|newest| place.index > newest)
                    || before.iter().any(|mark| mark.at == place.index))
        };
        let mut marks: Vec<Mark> =
            self.places.iter().filter(holds).map(|place| Mark { at: place.index, hash: place.before }).collect();
        thin(&mut marks);
        marks
    }
}

/// Messages that follow what was sent: adds their marks, and returns the hash of what is sent with them.
pub fn append(marks: &mut Vec<Mark>, history: &History<'_>, mut hash: u64) -> u64 {
    for (input, message) in history.messages.iter().enumerate() {
        if let Some(at) = history.index_of(input).filter(|_| has_signed(message)) {
            marks.push(Mark { at, hash });
        }
        hash = combine(hash, message.wire());
    }
    thin(marks);
    hash
}

/// What is known of what was sent, when a call begins.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    remembered: Vec<Mark>,
    known: Vec<Mark>,
    /// The messages with signed reasoning in the view that the call begins with.
    signed: Vec<u64>,
    /// Whether something before all messages is another now.
    is_another: bool,
}

impl Sent {
    /// Joins what is remembered with the view that the call begins with, as far as that is what was sent. Without a
    /// memory, the history was sent as it is. `is_another`: the system prompt or the tools are others.
    pub fn new(remembered: Option<Vec<Mark>>, first: &Prefixes, history: &History<'_>, is_another: bool) -> Self {
        let remembered = remembered.unwrap_or_else(|| Prefixes::of_history(history).all().collect());
        let mut known = remembered.clone();
        let same = first.broken_from(&known).unwrap_or(usize::MAX);
        known.extend(first.all().take(same));
        let signed = first.places.iter().filter(|place| place.signed).map(|place| place.index).collect();
        Self { remembered, known, signed, is_another }
    }

    /// The messages with signed reasoning for which a provider's own summary stands now. Should they come back, that is
    /// behind something else.
    pub fn stood_for(&self, now: &Prefixes) -> Option<Stale> {
        let from = self.signed.iter().filter(|&&index| index < now.stood_for).min()?;
        Some(Stale { from: *from, to: now.stood_for })
    }

    /// The history index from which on signed reasoning must go because what is sent before it is not what was. The
    /// reasoning of messages from the index `spared` on stays in any case.
    ///
    /// Messages that are no longer sent count: should they come back, what was produced meanwhile would be behind another
    /// prefix.
    pub fn stale_from(&self, now: &Prefixes, spared: u64) -> Option<u64> {
        let changed = now.broken_from(&self.known).into_iter().chain(now.unsent_from(&self.remembered)).min();
        let broken = if self.is_another { Some(0) } else { changed };
        let mut present: Vec<u64> = now.places.iter().map(|place| place.index).collect();
        order::numbers(&mut present);
        let is_lost = |index: &&u64| (now.stood_for..spared).contains(*index) && present.binary_search(*index).is_err();
        let lost = self.signed.iter().filter(is_lost);
        let from = lost.copied().chain(broken.and_then(|place| now.signed_from(place, spared))).min()?;
        Some(now.behind(from, spared))
    }
}

/// The record of an item as it is sent.
fn sent<'a>(item: &'a Item, history: &'a History<'_>) -> Option<MessageRecord<'a>> {
    item.record().or(match item.slot {
        Slot::Host { input, .. } => Some(history.messages[input]),
        _ => None,
    })
}
