//! What can be looked through: the messages of the history that its view does not show whole, and those that the host
//! loaded for the call.

use crate::base::error::Error;
use crate::base::references;
use crate::ingest::content::{Content, ContentPart};
use crate::ingest::host::Host;
use crate::model::message::{PartKind, Role};
use crate::session::history::History;
use crate::session::lasting;
use crate::session::state::SessionState;

/// Messages before a result that are read to find its call.
const MOST_BACK: u64 = 64;

/// Bytes of text after which a run of messages ends: what a new message makes an index be made of again.
const RUN: u64 = 1 << 16;
/// Bytes of the largest message that is indexed. One that is larger is a run of its own.
const MOST_INDEXED: u64 = 1 << 18;
/// Messages of a run of those that were loaded: it is not known how large they are.
const LOADED: usize = 16;

/// The messages of a call to recall.
pub struct Source<'a> {
    pub history: &'a History<'a>,
    pub state: &'a SessionState,
    /// History index of the first loaded message, and how many there are: they stand behind those of the history.
    pub loaded: (u64, u64),
}

impl Source<'_> {
    /// Where the message at a history index is to be read.
    pub fn input_of(&self, index: u64) -> Option<usize> {
        self.history.input_of(index).or_else(|| {
            let at = index.checked_sub(self.loaded.0).filter(|&at| at < self.loaded.1)?;
            Some(self.history.messages.len() + at as usize)
        })
    }

    /// All messages in runs: those that the host loaded, then those that it gave. Each message once, oldest first.
    pub fn runs(&self) -> Vec<Run> {
        let given = self.history.messages.len();
        let loaded = (0..self.loaded.1).map(|at| (self.loaded.0 + at, given + at as usize));
        let loaded: Vec<_> = loaded.filter(|&(index, _)| self.history.input_of(index).is_none()).collect();
        let mut runs: Vec<Run> =
            loaded.chunks(LOADED).map(|messages| Run { messages: messages.to_vec(), is_indexed: false }).collect();
        let (mut run, mut bytes) = (Run { messages: Vec::new(), is_indexed: true }, 0);
        for input in 0..given {
            let own = self.bytes(input);
            let is_large = own > MOST_INDEXED;
            let index = self.history.index_of(input);
            if index.is_none() || is_large || bytes >= RUN {
                let next = Run { messages: Vec::new(), is_indexed: !is_large };
                runs.push(std::mem::replace(&mut run, next));
                bytes = 0;
            }
            if let Some(index) = index {
                run.messages.push((index, input));
                bytes += own;
            }
        }
        runs.push(run);
        runs.retain(|run| !run.messages.is_empty());
        runs
    }

    /// Bytes of the texts of a message that the host gave.
    fn bytes(&self, input: usize) -> u64 {
        let parts = self.history.messages[input].parts().filter(|part| part.kind != PartKind::Media);
        parts.map(|part| u64::from(part.bytes)).sum()
    }

    /// Whether the host gave a message, rather than loading it.
    pub fn is_given(&self, input: usize) -> bool {
        input < self.history.messages.len()
    }

    /// Message and part of the call that a result belongs to, among those that the host gave.
    pub fn call_of(&self, input: usize, part: usize) -> Option<(usize, usize)> {
        let call = self.history.pairing().call_of(input, part).filter(|_| self.is_given(input))?;
        Some((call.message, call.part))
    }

    /// Which parts of the message at a history index the view does not show whole.
    pub fn hidden(&self, index: u64, input: usize) -> Hidden {
        let checkpoint = self.history.active.map(|active| &self.state.checkpoints[active]);
        let covered =
            checkpoint.is_some_and(|checkpoint| index < checkpoint.covers.count && !checkpoint.stays.holds(index));
        if covered
            || input >= self.history.messages.len()
            || self.history.left_out(input).is_some_and(|left_out| left_out.whole)
        {
            return Hidden(None);
        }
        Hidden(Some(lasting::edited(self.history, self.state, input)))
    }

    /// What the host did not load of what comes before the history it gave.
    pub fn missing(&self) -> Option<(u64, u64)> {
        let (from, count) = self.loaded;
        let loaded = if from == 0 { count } else { 0 };
        (loaded < self.history.first()).then_some((loaded, self.history.first()))
    }
}

/// Messages that follow one another, by their place in the history and where they are to be read.
pub struct Run {
    pub messages: Vec<(u64, usize)>,
    /// The host keeps an index of it.
    pub is_indexed: bool,
}

/// Which parts of a message the view does not show whole: none for all of them.
pub struct Hidden(Option<Vec<bool>>);

impl Hidden {
    /// Whether this part is one of them.
    pub fn has(&self, part: usize) -> bool {
        self.0.as_ref().is_none_or(|hidden| hidden.get(part) == Some(&true))
    }

    /// Whether a message has to be looked at: it has such a part, or calls that may look something up.
    pub fn matters(&self, source: &Source<'_>, input: usize) -> bool {
        self.0.as_ref().is_none_or(|hidden| {
            let mut calls = source.history.messages[input].parts().filter(|part| part.kind == PartKind::Call);
            hidden.contains(&true) || calls.any(|call| references::is_named(&call))
        })
    }
}

/// A message, read.
pub fn read(source: &Source<'_>, input: usize, host: &mut dyn Host) -> Result<Content, Error> {
    // Of those that the host loaded only ids tell what belongs together.
    let mut read = if source.is_given(input) { source.history.read(&[input], host)? } else { host.read(&[input])? };
    Ok(read.pop().unwrap_or(Content { role: Role::User, speaker: String::new(), parts: Vec::new(), taken: Vec::new() }))
}

/// The tool of the call or result at a place in a message of the history.
pub fn tool(
    content: &Content,
    at: usize,
    source: &Source<'_>,
    index: u64,
    host: &mut dyn Host,
) -> Result<Option<String>, Error> {
    let wanted = match &content.parts[at] {
        ContentPart::Call { name, .. } => return Ok(Some(name.clone())),
        ContentPart::Result { id, .. } if !id.is_empty() => id,
        _ => return Ok(None),
    };
    let given = source.input_of(index).filter(|&input| input < source.history.messages.len());
    if let Some(call) = given.and_then(|input| source.history.pairing().call_of(input, at)) {
        let name = match read(source, call.message, host)?.parts.into_iter().nth(call.part) {
            Some(ContentPart::Call { name, .. }) => Some(name),
            _ => None,
        };
        return Ok(name);
    }
    let mut back = index + 1;
    while back > index.saturating_sub(MOST_BACK)
        && let Some(input) = source.input_of(back - 1)
    {
        back -= 1;
        for part in &read(source, input, host)?.parts {
            if let ContentPart::Call { id, name, .. } = part
                && id == wanted
            {
                return Ok(Some(name.clone()));
            }
        }
    }
    Ok(None)
}
