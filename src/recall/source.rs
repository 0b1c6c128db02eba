//! What can be looked through: the messages of the history that its view does not show whole, and those that the host
//! loaded for the call.

use crate::base::error::Error;
use crate::base::text;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::ingest::host::Host;
use crate::model::message::Role;
use crate::session::history::History;
use crate::session::lasting;
use crate::session::state::SessionState;

/// Messages before a result that are read to find its call.
const MOST_BACK: u64 = 64;

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

    /// All messages, by index and where they are to be read: those that the host loaded, then those that it gave.
    pub fn places(&self) -> Vec<(u64, usize)> {
        let mut places = Vec::new();
        let given = self.history.messages.len();
        for at in 0..self.loaded.1 {
            let index = self.loaded.0 + at;
            if self.history.input_of(index).is_none() {
                places.push((index, given + at as usize));
            }
        }
        for input in 0..given {
            if let Some(index) = self.history.index_of(input) {
                places.push((index, input));
            }
        }
        places
    }

    /// Which parts of the message at a history index the view does not show whole: none for all of them.
    pub fn hidden(&self, index: u64, input: usize) -> Option<Vec<bool>> {
        let checkpoint = self.history.active.map(|active| &self.state.checkpoints[active]);
        let covered = checkpoint.is_some_and(|checkpoint| {
            index < checkpoint.covers.count && !checkpoint.head.contains(&index) && !checkpoint.kept.contains(&index)
        });
        if covered
            || input >= self.history.messages.len()
            || self.history.left_out(input).is_some_and(|left_out| left_out.whole)
        {
            return None;
        }
        Some(lasting::edited(self.history, self.state, input))
    }

    /// What the host did not load of what comes before the history it gave.
    pub fn missing(&self) -> Option<(u64, u64)> {
        let (from, count) = self.loaded;
        let loaded = if from == 0 { count } else { 0 };
        (loaded < self.history.first()).then_some((loaded, self.history.first()))
    }
}

/// A text of a message.
pub struct Text {
    pub text: String,
    /// A backslash in it escapes.
    pub escaped: bool,
    /// Which part of the message it is.
    pub at: usize,
}

/// A message, read.
pub fn read(source: &Source<'_>, input: usize, host: &mut dyn Host) -> Result<Content, Error> {
    // Of those that the host loaded only ids tell what belongs together.
    let given = input < source.history.messages.len();
    let mut read = if given { source.history.read(&[input], host)? } else { host.read(&[input])? };
    Ok(read.pop().unwrap_or(Content { role: Role::User, speaker: String::new(), parts: Vec::new() }))
}

/// The texts of a message, in their order: what was said, what tools were called with and answered. The instructions of the
/// program are no part of the conversation: what a tool returns is often shown to the user.
pub fn texts(content: &Content) -> Vec<Text> {
    let mut texts = Vec::new();
    if content.role == Role::System {
        return texts;
    }
    for (at, part) in content.parts.iter().enumerate().filter(|(_, part)| part.is_readable()) {
        let (text, structured) = match part {
            ContentPart::Text { text, .. } | ContentPart::Document { text, .. } | ContentPart::Compaction { text } => {
                (text.clone(), false)
            }
            ContentPart::Call { name, input, .. } => (text::joined(&[name, &input.to_text()], " "), true),
            ContentPart::Result { output, .. } => (output.to_text().into_owned(), !matches!(output, Value::Text(_))),
            _ => continue,
        };
        let escaped = structured || text.starts_with('{') || text.starts_with('[');
        texts.push(Text { text, escaped, at });
    }
    texts
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
