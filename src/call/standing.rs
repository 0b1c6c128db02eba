//! What a call with nothing to do leaves for the next call of the same chat, which then need not read the messages
//! again. It crosses the boundary as bytes and is never stored.

use crate::limits::budget::Window;
use crate::model::message::Position;
use crate::session::breakdown::TokenBreakdown;
use crate::session::view::Sums;
use crate::tokens::calibration::UsageReading;

/// What is known after a call with nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The first history index of the input.
    pub start: u64,
    /// The end of the history.
    pub end: Position,
    /// A hash over the structure of the state.
    pub structure: u64,
    /// Whether the view differs from the input.
    pub changed: bool,
    /// The raw tokens of the view.
    pub sums: Sums,
    /// The raw tokens that compactions keep out of the view.
    pub saved: u64,
    /// The hash of everything that was sent, where reasoning may be bound to it.
    pub sent: Option<u64>,
    /// The measures for the next call if messages are only appended.
    pub measures: Option<Measures>,
}

/// The precomputed numbers by which a request is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// The limits of the model.
    pub window: Window,
    /// The slope, in millionths.
    pub slope: u64,
    /// The uncertainty of the slope, in millionths.
    pub uncertainty: u64,
    /// The newest reported usage, if any.
    pub anchor: Option<UsageReading>,
    /// The raw tokens outside the messages.
    pub beside: u64,
    /// The raw tokens of the system prompt.
    pub system: u64,
    /// The raw tokens of the tool definitions.
    pub tools: u64,
    /// The revision of the state.
    pub revision: u64,
    /// The raw tokens of the request that the slope was learned on, or `u64::MAX` if it was not learned.
    pub learned_on: u64,
}

/// The number of integers in the encoded form.
const NUMBERS: usize = 30;

impl Standing {
    /// Encodes the standing for the boundary.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Sums { raw, fixed, parts } = self.sums;
        let TokenBreakdown { system, tools, user, assistant, results, media, summary } = parts;
        let measures = self.measures.unwrap_or_default();
        let anchor = measures.anchor.unwrap_or_default();
        let numbers: [u64; NUMBERS] = [
            self.start,
            self.end.count,
            self.end.chain,
            self.structure,
            u64::from(self.changed),
            self.saved,
            raw,
            fixed,
            system,
            tools,
            user,
            assistant,
            results,
            media,
            summary,
            u64::from(self.measures.is_some()),
            measures.window.size,
            measures.window.trigger,
            measures.window.hard,
            measures.slope,
            measures.uncertainty,
            anchor.raw,
            anchor.reported,
            measures.beside,
            measures.system,
            measures.tools,
            measures.revision,
            measures.learned_on,
            u64::from(self.sent.is_some()),
            self.sent.unwrap_or(0),
        ];
        numbers.map(u64::to_le_bytes).as_flattened().to_vec()
    }

    /// Decodes bytes that [`to_bytes`](Self::to_bytes) returned.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut numbers = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut next = || numbers.next().unwrap_or(0);
        let (start, end, structure) = (next(), Position { count: next(), chain: next() }, next());
        let (changed, saved) = (next() == 1, next());
        let (raw, fixed) = (next(), next());
        let parts = TokenBreakdown {
            system: next(),
            tools: next(),
            user: next(),
            assistant: next(),
            results: next(),
            media: next(),
            summary: next(),
        };
        let measured = next() == 1;
        let measures = Measures {
            window: Window { size: next(), trigger: next(), hard: next(), pays: None },
            slope: next(),
            uncertainty: next(),
            anchor: Some(UsageReading { raw: next(), reported: next() }).filter(|anchor| anchor.reported > 0),
            beside: next(),
            system: next(),
            tools: next(),
            revision: next(),
            learned_on: next(),
        };
        let (is_sent, hash) = (next() == 1, next());
        let sent = is_sent.then_some(hash);
        let sums = Sums { raw, fixed, parts };
        Self { sent, start, end, structure, changed, saved, sums, measures: measured.then_some(measures) }
    }
}
