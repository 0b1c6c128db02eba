//! Counting before the provider does: estimators, what stands around the text, and calibration by reported usage.

use crate::prelude::*;
pub mod bytes4;
pub mod calibration;
mod cost;
pub mod family;
pub mod lexical;
mod lookup;
pub mod media;
pub mod provider;
mod scan;
#[rustfmt::skip]
#[allow(missing_docs)]
mod tables;

use crate::error::{Code, Error};
use crate::message::{PartKind, Role};
use family::Family;
use lexical::Lexer;
use provider::Provider;

/// Which rule counts text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// UTF-8 bytes / 4, floored per field: see [`bytes4`].
    Bytes4,
    /// By the shape of words, with the weights of a tokenizer family: see [`lexical`].
    Lexical,
    /// The host's own function; its answers come over the tape.
    Host,
}

/// An estimator as it is named at the boundary: `rule[:family]`, with the kind of model as a letter behind the rule:
/// `lexical@b:claude`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimator {
    /// Which rule counts text.
    pub rule: Rule,
    /// The tokenizer family: as the host named it, or found by the model. Empty: not known.
    pub family: String,
    /// Which kind of model it counts for: see [`provider`].
    kind: u8,
}

impl Estimator {
    /// Reads `rule[:family]`, or a name with the kind of model.
    ///
    /// # Errors
    /// When the rule is unknown, or the family to the rule that needs one.
    pub fn parse(name: &str) -> Result<Self, Error> {
        let (rule, family) = name.split_once(':').unwrap_or((name, ""));
        let (rule, letter) = rule.split_once('@').unwrap_or((rule, ""));
        let rule = match rule {
            "bytes4" => Rule::Bytes4,
            "lexical" if family.is_empty() || Family::parse(family).is_some() => Rule::Lexical,
            "host" => Rule::Host,
            _ => {
                return Err(Error::at(
                    Code::InvalidOption,
                    "tune.tokens.estimator",
                    text!["There is no estimator \"", name, "\"."],
                ));
            }
        };
        let kind = letter.bytes().next().map_or_else(|| Provider::of(family), |letter| letter.wrapping_sub(b'a'));
        Ok(Self { rule, family: family.to_owned(), kind })
    }

    /// The same, with the kind of this model, and with its family where none was named.
    #[must_use]
    pub fn for_model(mut self, model: Option<&str>) -> Self {
        let Some(model) = model.filter(|_| self.rule != Rule::Bytes4) else { return self };
        let kind = Provider::of(model);
        if self.family.is_empty() || kind != Provider::of("") {
            self.kind = kind;
        }
        if self.rule == Rule::Lexical
            && self.family.is_empty()
            && let Some(family) = Family::of_model(model)
        {
            self.family = family.name().to_owned();
        }
        self
    }

    /// Its name as [`Estimator::parse`] reads it.
    pub fn name(&self) -> String {
        let rule = match self.rule {
            Rule::Bytes4 => "bytes4",
            Rule::Lexical => "lexical",
            Rule::Host => "host",
        };
        let mut name = rule.to_owned();
        if self.rule != Rule::Bytes4 {
            name.push('@');
            name.push(char::from(b'a' + self.kind));
        }
        if !self.family.is_empty() {
            name.push(':');
            name.push_str(&self.family);
        }
        name
    }

    /// Its name and version: part of the key under which calibration is kept.
    pub fn key(&self) -> String {
        let rule = match self.rule {
            Rule::Bytes4 => "bytes4/1",
            Rule::Lexical => "lexical/3",
            Rule::Host => "host/1",
        };
        if self.family.is_empty() { rule.to_owned() } else { text![rule, "/", self.family] }
    }

    /// A counter for one string.
    pub fn counter(&self) -> Counter {
        Counter { rule: self.rule, bytes: 0, lexer: Lexer::new(self.weights()), held: String::new() }
    }

    /// What the provider adds around the text; nothing by the seed's rule.
    fn provider(&self) -> Option<&'static Provider> {
        (self.rule != Rule::Bytes4).then(|| Provider::at(self.kind))
    }

    /// Raw tokens a provider adds to every request.
    pub fn request_overhead(&self) -> u64 {
        self.provider().map_or(0, |provider| u64::from(provider.request))
    }

    /// Raw tokens a provider adds around each message of this role.
    pub fn message_overhead(&self, role: Role) -> u32 {
        self.provider().filter(|_| role != Role::Tool).map_or(0, |provider| u32::from(provider.message))
    }

    /// Raw tokens a provider adds around a part of this kind.
    pub fn part_overhead(&self, kind: PartKind) -> u32 {
        let added = matches!(kind, PartKind::Call | PartKind::Result);
        self.provider().filter(|_| added).map_or(0, |provider| u32::from(provider.call))
    }

    /// Raw tokens of definitions of tools whose text has `raw`.
    pub fn tools(&self, raw: u64) -> u64 {
        self.provider()
            .filter(|_| raw > 0)
            .map_or(raw, |provider| u64::from(provider.tools) + raw * u64::from(provider.tool_share) / 100)
    }

    /// Whether a result is charged with the name of its tool (the seed's rule; no chat API sends it).
    pub fn charges_result_name(&self) -> bool {
        self.rule == Rule::Bytes4
    }

    /// Raw tokens of a medium.
    pub fn media(&self, medium: &Medium) -> u32 {
        self.provider().map_or_else(|| bytes4::media(medium), |provider| media::tokens(medium, provider.media))
    }

    /// The family whose weights are used; what is not known counts like the newest.
    fn weights(&self) -> Family {
        Family::parse(&self.family).unwrap_or(Family::O200k)
    }

    /// How far calibration may move the slope, and where it starts, in millionths.
    pub fn slope(&self) -> SlopeRange {
        match self.rule {
            Rule::Bytes4 => SlopeRange { least: 1_000_000, start: 2_500_000, most: 5_000_000, bound: 100_000 },
            Rule::Lexical if self.family.is_empty() => {
                SlopeRange { least: 500_000, start: 1_000_000, most: 2_000_000, bound: 200_000 }
            }
            Rule::Lexical | Rule::Host => {
                SlopeRange { least: 500_000, start: 1_000_000, most: 2_000_000, bound: 100_000 }
            }
        }
    }
}

/// The range of a slope, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlopeRange {
    /// Lower clamp.
    pub least: u64,
    /// Before anything was learned.
    pub start: u64,
    /// Upper clamp.
    pub most: u64,
    /// How far too low a guess may be before anything was measured.
    pub bound: u64,
}

/// A picture, document, sound, film or file, as far as counting needs to know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Medium {
    /// 0 image, 1 pdf, 2 audio, 3 video, 4 file.
    pub kind: u32,
    /// Bytes of inline data, 0 for a reference.
    pub bytes: u64,
    /// Pixels of a picture, pages of a PDF, seconds of sound or film; 0 when unknown.
    pub width: u32,
    /// Pixels, 0 when unknown.
    pub height: u32,
    /// Bytes of the media type's name.
    pub type_bytes: u64,
    /// Bytes of the URL or file id, 0 when inline.
    pub reference_bytes: u64,
}

/// Counts one string, fed in chunks; where the chunks are cut makes no difference.
#[derive(Clone, Debug)]
pub struct Counter {
    rule: Rule,
    bytes: u64,
    lexer: Lexer,
    /// Small chunks until they are many: the lexer is quick where it sees whole pieces.
    held: String,
}

/// Bytes of small chunks that are held.
const HELD: usize = 2_048;

impl Counter {
    /// More of the string.
    pub fn feed(&mut self, chunk: &str) {
        if self.rule != Rule::Lexical {
            self.bytes += chunk.len() as u64;
            return;
        }
        if self.held.len() + chunk.len() > HELD {
            self.flush();
        }
        if chunk.len() > HELD {
            self.lexer.feed(chunk);
        } else {
            self.held.push_str(chunk);
        }
    }

    fn flush(&mut self) {
        self.lexer.feed(&self.held);
        self.held.clear();
    }

    /// The tokens of what was fed since the last call.
    pub fn take(&mut self) -> u64 {
        let bytes = core::mem::take(&mut self.bytes);
        match self.rule {
            Rule::Bytes4 => bytes4::text(bytes),
            Rule::Lexical => {
                self.flush();
                self.lexer.take()
            }
            Rule::Host => 0,
        }
    }
}

/// Tokens of a text that did not come over the tape (a summary, a notice).
pub fn of_text(estimator: &Estimator, text: &str) -> u64 {
    match estimator.rule {
        Rule::Lexical => {
            let mut counter = estimator.counter();
            counter.feed(text);
            counter.take()
        }
        // A host's counter cannot be asked from here; a quarter of the bytes is scaled by the message's own ratio where one is known.
        Rule::Host | Rule::Bytes4 => bytes4::text(text.len() as u64),
    }
}
