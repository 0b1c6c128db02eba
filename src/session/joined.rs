//! Messages that were sent as one, where roles must alternate: a summary and the request after it.
//!
//! A host may pass back what was sent in place of its history. Then the one message stands for several, of which some are
//! ours. What they were is noted in the state, as their records, so that the engine reads them one by one.

use crate::base::archive::{Archive, Record};
use crate::model::message::{MessageRecord, NO_NUMBER, PartKind};

/// The most words of the records that are noted of one view: about 3.5 kB in JSON. A summary between two pins, with what
/// stays of the turn behind it, takes 180 where roles must alternate.
pub const MOST_WORDS: usize = 320;
/// The most bytes of a word in JSON.
pub const WORD_BYTES: usize = 11;

/// One message that was sent in place of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The content hash of the message.
    pub hash: u64,
    /// The records of the messages that it was made of, in order, with the numbers of its own parts.
    pub words: Vec<u64>,
}

impl Record for Joined {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.hash("hash", &mut self.hash);
        archive.counts("words", &mut self.words);
        if archive.reads() && (self.words.len() > MOST_WORDS || self.records().is_none()) {
            archive.reject("words");
        }
    }
}

/// How the content of a joined message is made of its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seam {
    /// Each piece has its own parts.
    Parts,
    /// All are one text, with so many bytes between two of them.
    Text(usize),
}

impl Joined {
    /// What is to be noted of a message that was made of others. `None` if nothing tells what of it is whose.
    pub fn of(whole: &MessageRecord<'_>, pieces: &[Vec<u32>]) -> Option<Self> {
        let all = pieces.concat();
        let records = MessageRecord::split(&all)?;
        let seam = seam(whole, &records)?;
        let mut numbers = whole.parts().map(|part| part.number);
        let mut words = Vec::with_capacity(all.len());
        for piece in &records {
            let own = piece.parts().map(|_| match seam {
                Seam::Parts => numbers.next().unwrap_or(NO_NUMBER),
                Seam::Text(_) => whole.parts().next().map_or(NO_NUMBER, |part| part.number),
            });
            words.extend(piece.numbered(&own.collect::<Vec<_>>()).into_iter().map(u64::from));
        }
        Some(Self { hash: whole.hash(), words }).filter(|joined| joined.words.len() <= MOST_WORDS)
    }

    /// The records of its pieces.
    pub fn records(&self) -> Option<Vec<u32>> {
        let records = self.words.iter().map(|&word| u32::try_from(word).ok()).collect::<Option<Vec<u32>>>()?;
        MessageRecord::split(&records).filter(|pieces| pieces.len() > 1)?;
        Some(records)
    }
}

/// How a message is made of pieces, if it is made of them.
pub fn seam(whole: &MessageRecord<'_>, pieces: &[MessageRecord<'_>]) -> Option<Seam> {
    // Of what tools returned only the whole is known, so one of them may hold all of it.
    let mut returned = pieces.iter().map(MessageRecord::outputs).filter(|&outputs| outputs != 0);
    let outputs = returned.next().unwrap_or(0);
    if whole.outputs() != outputs || returned.next().is_some() {
        return None;
    }
    if pieces.iter().any(|piece| piece.role() != whole.role()) {
        return None;
    }
    let parts: Vec<_> = pieces.iter().flat_map(MessageRecord::parts).collect();
    // One that has a number of another piece would be left out with it.
    let mut numbers = whole.parts().map(|part| part.number);
    let of_pieces: Vec<Vec<u32>> = pieces.iter().map(|piece| numbers.by_ref().take(piece.len()).collect()).collect();
    let is_apart = (1..of_pieces.len())
        .all(|at| of_pieces[at].iter().all(|number| of_pieces[..at].iter().all(|before| !before.contains(number))));
    let is_alike = whole.parts().zip(&parts).all(|(one, other)| {
        (one.kind, one.bytes, one.id, one.marked) == (other.kind, other.bytes, other.id, other.marked)
            && one.number != NO_NUMBER
    });
    if whole.len() == parts.len() && is_alike && is_apart {
        return Some(Seam::Parts);
    }
    let only = whole.parts().next().filter(|part| whole.len() == 1 && part.kind == PartKind::Text)?;
    let is_text = |piece: &MessageRecord<'_>| piece.len() == 1 && piece.has(PartKind::Text);
    let between = pieces.len().checked_sub(1).filter(|&between| between > 0)?;
    let bytes: u64 = parts.iter().map(|part| u64::from(part.bytes)).sum();
    let rest = u64::from(only.bytes).checked_sub(bytes)?;
    // A size that does not fit into a record says nothing.
    let is_known = only.bytes < u32::MAX && only.number != NO_NUMBER && rest % between as u64 == 0;
    (is_known && pieces.iter().all(is_text)).then_some(Seam::Text((rest / between as u64) as usize))
}
