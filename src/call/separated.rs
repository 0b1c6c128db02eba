//! Messages that stand otherwise in a view that is passed back than the engine reads them.
//!
//! Of those that precis had joined, the host is asked for the one message that they stand in. Where one of them is to be
//! sent alone, that is a copy without the others. What stands behind the turns that follow a provider's own summary is
//! read where it stands in any other view, before them.

use crate::base::error::Error;
use crate::base::json::Json;
use crate::base::text;
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::host::{Host, KeptIndex, LEFT_OUT, Product, Sent};
use crate::model::message::MessageRecord;
use crate::session::history;
use crate::session::joined::{Joined, Seam, seam};
use crate::session::own;
use crate::session::state::SessionState;

/// Where a message that the engine reads stands in what the host passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPlace {
    /// The index of the host's message.
    input: usize,
    /// Which piece of that it is.
    piece: Option<Piece>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Parts with these places. The numbers are those of the other parts.
    Parts { from: usize, to: usize, others: Vec<u32> },
    /// Bytes of the only text, which has this number: so many come before them and behind them. In the largest piece
    /// encoded data may have been taken out as the text was read.
    Text { number: u32, before: usize, length: usize, after: usize, is_largest: bool, follows_largest: bool },
}

/// The messages of a call as the engine reads them: joined ones apart, and in the order of any other view.
pub(crate) struct Apart {
    /// Their records.
    pub(crate) records: Vec<u32>,
    /// Where each of them stands.
    pub(crate) places: Vec<InputPlace>,
}

impl Apart {
    /// Takes joined messages apart if what was passed is a view of this state. `None` if there is nothing to take apart.
    pub(crate) fn of(records: &[u32], state: &SessionState, leaves_out: bool) -> Option<Self> {
        let known = state.own.iter().rev().flat_map(|own| &own.joined).collect::<Vec<_>>();
        if known.is_empty() {
            return None;
        }
        let messages = MessageRecord::split(records)?;
        let mut apart = Self { records: Vec::new(), places: Vec::new() };
        let mut last = 0;
        for (input, message) in messages.iter().enumerate() {
            // Two views may hold the same message with results that were cut in one of them alone.
            let is_it = |joined: &&&Joined| joined.hash == message.hash();
            let found = known.iter().filter(is_it).find_map(|joined| pieces(message, joined, leaves_out));
            match found {
                Some((words, pieces)) => {
                    apart.records.extend(words);
                    apart.places.extend(pieces.into_iter().map(|piece| InputPlace { input, piece: Some(piece) }));
                    last = apart.places.len();
                }
                None => {
                    apart.records.extend(message.words());
                    apart.places.push(InputPlace { input, piece: None });
                }
            }
        }
        // Whoever says the same in a history of their own has said one message.
        (last > 0 && apart.is_view_of(state, last)).then_some(apart)
    }

    /// Puts what code keeps before the turns that stand between it and a provider's own summary, as in any other view. `None`
    /// if what was passed is no such view of this state.
    pub(crate) fn gathered(records: &[u32], state: &SessionState) -> Option<Self> {
        let checkpoint = state.checkpoints.last()?;
        let block = checkpoint.block.as_ref().filter(|block| block.tail.is_some())?;
        let messages = MessageRecord::split(records)?;
        let head = messages.iter().take(checkpoint.stays.head.len() + 1);
        let from = head.map(MessageRecord::hash).position(|hash| hash == block.hash)? + 1;
        let tail = messages[from..].iter().position(|message| checkpoint.is_summary(message.hash()))?;
        let kept = 1 + checkpoint.stays.kept.len() + usize::from(checkpoint.note.is_some());
        let to = Some(from + tail + kept).filter(|&to| tail > 0 && to <= messages.len())?;
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order[from..to].rotate_right(kept);
        let mut gathered = Self { records: Vec::with_capacity(records.len()), places: Vec::with_capacity(order.len()) };
        for input in order {
            gathered.records.extend(messages[input].words());
            gathered.places.push(InputPlace { input, piece: None });
        }
        gathered.is_view_of(state, from + kept).then_some(gathered)
    }

    /// Whether these messages, up to the `last` one that was moved or taken apart, are a view of this state.
    fn is_view_of(&self, state: &SessionState, last: usize) -> bool {
        let records = MessageRecord::split(&self.records);
        records.is_some_and(|records| {
            own::among(&state.own, &records).0.len() >= last || history::is_view_of(&records, state)
        })
    }

    /// For each message, the flags of the one that it stands in.
    pub(crate) fn flags(&self, given: &[u8]) -> Vec<u8> {
        self.places.iter().map(|place| given.get(place.input).copied().unwrap_or(0)).collect()
    }

    /// For each message, the id of the one whose end it is.
    pub(crate) fn ids(&self, given: &[Option<String>]) -> Vec<Option<String>> {
        if given.is_empty() {
            return Vec::new();
        }
        let ends = |at: usize| self.places.get(at + 1).map(|next| next.input) != Some(self.places[at].input);
        let of = |(at, place): (usize, &InputPlace)| given.get(place.input).filter(|_| ends(at)).cloned().flatten();
        self.places.iter().enumerate().map(of).collect()
    }
}

/// The records of the pieces of a message, and where they stand in it.
fn pieces(message: &MessageRecord<'_>, joined: &Joined, leaves_out: bool) -> Option<(Vec<u32>, Vec<Piece>)> {
    let records = joined.records()?;
    let all = MessageRecord::split(&records)?;
    let numbers: Vec<u32> = message.parts().map(|part| part.number).collect();
    let mut pieces = Vec::with_capacity(all.len());
    match seam(message, &all)? {
        Seam::Parts if !leaves_out => return None,
        Seam::Parts => {
            let mut from = 0;
            for piece in &all {
                let to = from + piece.len();
                let mut others: Vec<u32> = numbers[..from].iter().chain(&numbers[to..]).copied().collect();
                others.dedup();
                pieces.push(Piece::Parts { from, to, others });
                from = to;
            }
        }
        Seam::Text(between) => {
            let lengths: Vec<usize> =
                all.iter().flat_map(|piece| piece.parts().next()).map(|part| part.bytes as usize).collect();
            // The first is a summary, or stands for itself.
            let largest = (1..lengths.len()).max_by_key(|&at| lengths[at]).unwrap_or(0);
            for (at, &length) in lengths.iter().enumerate() {
                let sum = |lengths: &[usize]| lengths.iter().map(|length| length + between).sum::<usize>();
                pieces.push(Piece::Text {
                    number: numbers[0],
                    before: sum(&lengths[..at]),
                    length,
                    after: sum(&lengths[at + 1..]),
                    is_largest: at == largest,
                    follows_largest: at > largest,
                });
            }
        }
    }
    // Its numbers are those that the state noted, if it is the same message.
    let noted = all.iter().flat_map(MessageRecord::parts).map(|part| part.number);
    let is_same = match &pieces[..] {
        [Piece::Text { number, .. }, ..] => noted.into_iter().all(|other| other == *number),
        _ => noted.eq(numbers),
    };
    is_same.then_some((records, pieces))
}

impl InputPlace {
    /// The index of the host's message.
    pub const fn input(&self) -> usize {
        self.input
    }
}

impl Piece {
    /// What of a message belongs to it.
    fn of(&self, mut whole: Content) -> Content {
        match *self {
            Self::Parts { from, to, .. } => {
                whole.parts.truncate(to);
                whole.parts.drain(..from.min(whole.parts.len()));
                whole.taken.retain(|&at| (from..to).contains(&at));
                whole.taken.iter_mut().for_each(|at| *at -= from);
            }
            Self::Text { before, length, after, is_largest, follows_largest, .. } => {
                if !is_largest {
                    whole.taken.clear();
                }
                if let Some(ContentPart::Text { text, .. }) = whole.parts.first_mut() {
                    let end = text.len();
                    let (from, to) = if is_largest {
                        (before, end.saturating_sub(after))
                    } else if follows_largest {
                        (end.saturating_sub(after + length), end.saturating_sub(after))
                    } else {
                        (before, before + length)
                    };
                    let (from, to) = (text::floor(text, from.min(end)), text::floor(text, to.min(end)));
                    *text = text::between(text, from, to.max(from)).to_owned();
                }
            }
        }
        whole
    }

    /// What distinguishes copies of it from those of other pieces.
    fn key(&self, key: &str) -> String {
        let at = match self {
            Self::Parts { from, .. } => from,
            Self::Text { before, .. } => before,
        };
        format!("piece {at} {key}")
    }
}

/// A host of which messages are taken apart.
pub struct Separated<'h> {
    host: &'h mut dyn Host,
    places: &'h [InputPlace],
    /// How many messages the host passed, where their places are others.
    passed: usize,
}

impl<'h> Separated<'h> {
    /// `places`: where each message stands; empty if all are as the host passed them.
    pub fn new(places: &'h [InputPlace], host: &'h mut dyn Host) -> Self {
        let passed = places.iter().map(|place| place.input + 1).max().unwrap_or(0);
        Self { host, places, passed }
    }

    /// The host's message that an input stands in. What the host loads beside them comes behind them.
    fn input(&self, input: usize) -> usize {
        match self.places.get(input) {
            Some(place) => place.input,
            None => input - self.places.len() + self.passed,
        }
    }

    fn piece(&self, input: usize) -> Option<&'h Piece> {
        self.places.get(input).and_then(|place| place.piece.as_ref())
    }

    /// A message as it is sent: of one that is a piece of another, a copy.
    ///
    /// # Errors
    ///
    /// If the host cannot create it.
    pub fn place(&mut self, sent: Sent) -> Result<Sent, Error> {
        let Sent::Input(input) = sent else { return Ok(sent) };
        if self.piece(input).is_none() {
            return Ok(Sent::Input(self.input(input)));
        }
        let copy = match self.remade(input, "")? {
            Some(copy) => copy,
            None => self.replace(input, "", &[])?,
        };
        Ok(Sent::Made(copy.number))
    }
}

impl Host for Separated<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let places: Vec<usize> = inputs.iter().map(|&input| self.input(input)).collect();
        let whole = self.host.read(&places)?;
        let own = |(content, &input): (Content, &usize)| match self.piece(input) {
            Some(piece) => piece.of(content),
            None => content,
        };
        Ok(whole.into_iter().zip(inputs).map(own).collect())
    }

    fn index(&mut self, from: usize, to: usize) -> Result<KeptIndex, Error> {
        // Messages that are pieces have other places than those for which the host keeps something.
        if self.places.is_empty() { self.host.index(from, to) } else { Ok(KeptIndex::Nowhere) }
    }

    fn keep_index(&mut self, from: usize, to: usize, index: &[u8]) -> Result<(), Error> {
        if self.places.is_empty() { self.host.keep_index(from, to, index) } else { Ok(()) }
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        self.host.summary(text, id, covers)
    }

    fn block(&mut self, block: &Json) -> Result<Option<Product>, Error> {
        self.host.block(block)
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        match self.piece(input) {
            Some(piece) => self.host.remade(self.input(input), &piece.key(key)),
            None => self.host.remade(self.input(input), key),
        }
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let Some(piece) = self.piece(input) else { return self.host.replace(self.input(input), key, texts) };
        let mut texts = texts.to_vec();
        match piece {
            Piece::Parts { others, .. } => texts.extend(others.iter().map(|part| (part | LEFT_OUT, String::new()))),
            Piece::Text { number, .. } if texts.is_empty() => {
                let own = self.read(&[input])?.pop().and_then(|mut own| own.parts.pop());
                if let Some(ContentPart::Text { text, .. }) = own {
                    texts.push((*number, text));
                }
            }
            Piece::Text { .. } => {}
        }
        self.host.replace(self.input(input), &piece.key(key), &texts)
    }

    fn result(&mut self, input: usize, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error> {
        self.host.result(self.input(input), id, name, text)
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let (first, second) = (self.place(first)?, self.place(second)?);
        self.host.merge(first, second)
    }
}
