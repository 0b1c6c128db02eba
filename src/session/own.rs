//! Which parts of what was sent are ours: texts that precis shortened, or put in place of others.
//!
//! A host may pass back what was sent in place of its history. Then what precis wrote into it must be read as such: a notice
//! counts what is missing, and what was cleared is not cleared again. That is known by hashes over what was sent, never by
//! how a text looks: a tool can print what reads like a notice.

use crate::base::archive::{Archive, Record};
use crate::model::message::{CHAIN_START, MessageRecord, Part, combine};
use crate::session::joined::{self, Joined};
use crate::session::sent::Mark;

/// The most views whose parts are known.
pub const MOST: usize = 2;
/// The most marks. They lie the farther apart the older they are, so that these are enough for any view.
const MOST_MARKS: usize = 12;
/// The most messages of which a part was sent and nothing of ours.
const MOST_PARTS: usize = 32;
/// The most runs. Of older parts it is forgotten whose they are.
const MOST_RUNS: usize = 96;

/// What is ours of what was sent. Empty if nothing is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnParts {
    /// Hashes over so many of the first messages as they were sent, the shortest first.
    pub marks: Vec<Mark>,
    /// How many of their parts in a row are not ours, then how many are, and so on.
    pub runs: Vec<u64>,
    /// What was sent as one message. The others count these as what they were made of.
    pub joined: Vec<Joined>,
    /// How many messages its summary stands for; 0 if it has none. Two summaries may say the same.
    pub covers: u64,
    /// The places of messages of which a part was sent, and nothing of ours: they say less than those of the history.
    pub parts: Vec<u64>,
}

impl Record for OwnParts {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.records("marks", &mut self.marks);
        archive.counts("runs", &mut self.runs);
        archive.records("joined", &mut self.joined);
        let mut covers = Some(self.covers).filter(|&covers| covers > 0);
        archive.maybe_count("covers", &mut covers);
        self.covers = covers.unwrap_or(0);
        archive.counts("parts", &mut self.parts);
        if archive.reads() && self.parts.len() > MOST_PARTS {
            archive.reject("parts");
        }
        if archive.reads() && self.joined_words() > joined::MOST_WORDS {
            archive.reject("joined");
        }
        if archive.reads() && self.marks.len() > MOST_MARKS {
            archive.reject("marks");
        }
        if archive.reads() && self.runs.len() > MOST_RUNS {
            archive.reject("runs");
        }
    }
}

/// A message as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    hash: u64,
    outputs: u64,
    /// For each of its parts, whether it is ours.
    own: Vec<bool>,
    /// Whether it is a part of a message, and nothing of it is ours.
    is_part: bool,
}

impl SentMessage {
    /// A message of the host as it is. `own`: its parts that are ours, if the host passed back what was sent. `hash`: that of
    /// the message of the history which it is, or was made of.
    pub fn of_host(message: &MessageRecord<'_>, own: &[bool], hash: u64) -> Self {
        let own: Vec<bool> = (0..message.parts().len()).map(|at| own.get(at) == Some(&true)).collect();
        let is_part = !own.contains(&true) && message.hash() != hash;
        Self { hash: message.hash(), outputs: message.outputs(), own, is_part }
    }

    /// A message that precis wrote.
    pub fn of_ours(message: &MessageRecord<'_>) -> Self {
        let own = vec![true; message.parts().len()];
        Self { hash: message.hash(), outputs: message.outputs(), own, is_part: false }
    }

    /// A copy of a message of the host: what is not among the parts of the original is ours. `own` and `hash` as above.
    pub fn of_copy(copy: &MessageRecord<'_>, original: &MessageRecord<'_>, own: &[bool], hash: u64) -> Self {
        let mut rest = original.parts().enumerate();
        let is_same = |one: &Part, other: &Part| {
            (one.kind, one.bytes, one.tokens, one.id) == (other.kind, other.bytes, other.tokens, other.id)
        };
        let of_part = |part: Part| {
            let mut ahead = rest.clone();
            let Some((at, _)) = ahead.find(|(_, other)| is_same(&part, other)) else { return true };
            rest = ahead;
            own.get(at) == Some(&true)
        };
        let own: Vec<bool> = copy.parts().map(of_part).collect();
        let is_part = !own.contains(&true) && copy.hash() != hash;
        Self { hash: copy.hash(), outputs: copy.outputs(), own, is_part }
    }

    /// Messages that are sent as one of which nothing tells what is whose.
    pub fn merged(message: &MessageRecord<'_>, pieces: &[Self]) -> Self {
        let mut own: Vec<bool> = pieces.iter().flat_map(|piece| piece.own.iter().copied()).collect();
        own.resize(message.parts().len(), false);
        Self { hash: message.hash(), outputs: message.outputs(), own, is_part: false }
    }
}

fn after(chain: u64, hash: u64, outputs: u64) -> u64 {
    combine(combine(chain, hash), outputs)
}

impl OwnParts {
    /// Of all messages that are sent, in order.
    fn of(sent: &[SentMessage], joined: Vec<Joined>, covers: u64) -> Self {
        let Some(first) = sent.iter().position(|message| message.own.contains(&true)) else { return Self::default() };
        // The end, and places ever farther before it: whoever takes messages back passes what is left.
        let backs = std::iter::once(0).chain((0..MOST_MARKS - 1).map(|power| 4_usize.pow(power as u32)));
        let places: Vec<usize> =
            backs.map_while(|back| sent.len().checked_sub(back)).filter(|&place| place > first).collect();
        let (mut marks, mut runs, mut chain) = (Vec::new(), Vec::new(), CHAIN_START);
        let (mut run, mut is_own) = (0, false);
        for (at, message) in sent.iter().enumerate() {
            chain = after(chain, message.hash, message.outputs);
            if places.contains(&(at + 1)) {
                marks.push(Mark { at: at as u64 + 1, hash: chain });
            }
            for &own in &message.own {
                if own != is_own {
                    runs.push(core::mem::take(&mut run));
                    is_own = own;
                }
                run += 1;
            }
        }
        runs.push(run);
        while runs.len() > MOST_RUNS {
            let forgotten: u64 = runs.drain(..3).sum();
            runs.insert(0, forgotten);
        }
        let parts = (0..).zip(sent).filter(|(_, message)| message.is_part).map(|(at, _)| at).take(MOST_PARTS).collect();
        Self { marks, runs, joined, covers, parts }
    }

    /// Whether a message of the view is a copy that we made of a part of it, or shortened.
    pub fn has_copy(&self, at: usize, own: &[bool]) -> bool {
        own.contains(&true) || self.parts.contains(&(at as u64))
    }

    /// The words that it notes of joined messages.
    pub fn joined_words(&self) -> usize {
        self.joined.iter().map(|joined| joined.words.len()).sum()
    }

    /// Whether messages go on from those that it is about, and nothing that was added is ours.
    fn stands_in(&self, sent: &[SentMessage]) -> bool {
        let Some(end) = self.marks.last() else { return false };
        let Some((before, added)) = usize::try_from(end.at).ok().and_then(|at| sent.split_at_checked(at)) else {
            return false;
        };
        let chain = before.iter().fold(CHAIN_START, |chain, message| after(chain, message.hash, message.outputs));
        chain == end.hash && !added.iter().any(|message| message.own.contains(&true))
    }

    /// Whether nothing is ours.
    fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// For each message at the front of these that was sent as it is, which of its parts are ours. Empty if these are not
    /// what was sent.
    fn among(&self, messages: &[MessageRecord<'_>]) -> Vec<Vec<bool>> {
        let (mut chain, mut count) = (CHAIN_START, 0);
        let mut marks = self.marks.iter().peekable();
        for (at, message) in messages.iter().enumerate() {
            chain = after(chain, message.hash(), message.outputs());
            while let Some(mark) = marks.next_if(|mark| mark.at <= at as u64 + 1) {
                if *mark == (Mark { at: at as u64 + 1, hash: chain }) {
                    count = at + 1;
                }
            }
            if marks.peek().is_none() {
                break;
            }
        }
        let (mut runs, mut left, mut is_own) = (self.runs.iter(), 0, true);
        let mut next = || {
            while left == 0 {
                let Some(&run) = runs.next() else { return false };
                (left, is_own) = (run, !is_own);
            }
            left -= 1;
            is_own
        };
        messages[..count].iter().map(|message| message.parts().map(|_| next()).collect()).collect()
    }
}

/// Which parts of messages are ours, by what is known of views. Returns the view that they are, too.
pub fn among(known: &[OwnParts], messages: &[MessageRecord<'_>]) -> (Vec<Vec<bool>>, Option<OwnParts>) {
    let mut found = (Vec::new(), None);
    for one in known {
        let own = one.among(messages);
        if own.len() > found.0.len() {
            found = (own, Some(one.clone()));
        }
    }
    found
}

/// What is to be known of views: of the one that was `passed` as history, which may be passed again, and of what is sent now.
/// `covers`: how many messages its summary stands for. Where that only goes on from what is known, nothing has to change.
pub fn following(
    known: Vec<OwnParts>,
    passed: Option<OwnParts>,
    (sent, mut joined): (&[SentMessage], Vec<Joined>),
    covers: u64,
) -> Vec<OwnParts> {
    // The newest are the first that a host takes back.
    while joined.iter().map(|joined| joined.words.len()).sum::<usize>() > joined::MOST_WORDS {
        joined.pop();
    }
    if known.last().is_some_and(|newest| newest.stands_in(sent) && newest.joined == joined && newest.covers == covers) {
        return known;
    }
    let newest = OwnParts::of(sent, joined, covers);
    let passed = passed.filter(|passed| *passed != newest);
    passed.into_iter().chain(Some(newest).filter(|newest| !newest.is_empty())).collect()
}
