//! A provider's own summary in a checkpoint. Its text, if others can read it, is the beginning of the checkpoint's text, so
//! that it is stored once; everything else that makes it the provider's stands beside it. It is sent as it came, in a
//! message of its own before the summary message, which then holds what code keeps. Where it cannot be sent (something
//! other than instructions comes before it, the format has no such message, its text was changed), the whole text is
//! sent in its place.
//!
//! A provider that binds thinking to what was sent before it takes that of the turns behind its summary only if they follow
//! it directly ([`Tail`]).

use crate::base::archive::{Archive, Record};
use crate::base::json::Json;
use crate::base::{markers, text};
use crate::model::message::{Position, hash_text};

/// The most bytes of a block in JSON, apart from its text.
pub const MOST: usize = 24_000;
/// The member of a block that holds its text.
const CONTENT: &str = "content";

/// The turns that follow a provider's own summary directly, so that their thinking stays valid: it was bound to what the
/// summary stands for. What code keeps stands behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// Their end. In a history in which it does not hold, what code keeps stands before them.
    pub end: Position,
    /// The hash of what is sent before the summary.
    pub before: u64,
    /// The hash of what had been sent before these turns, for which the summary stands.
    pub prefix: u64,
}

impl Record for Tail {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.position("end", &mut self.end);
        archive.hash("before", &mut self.before);
        archive.hash("prefix", &mut self.prefix);
    }
}

/// A provider's own summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The block as the provider returned it, without its text.
    pub rest: Json,
    /// The bytes of its text, 0 if only the provider can read it.
    pub length: u64,
    /// The hash of its text.
    pub text: u64,
    /// The blanks before and after its text, which are part of it.
    pub blanks: Vec<String>,
    /// The raw tokens of its message.
    pub raw: u64,
    /// The content hash of its message.
    pub hash: u64,
    /// The raw tokens of the summary message if it is sent as text.
    pub whole: u64,
    /// The turns that follow it directly, if their thinking stays valid by that.
    pub tail: Option<Tail>,
}

impl Block {
    /// Parses what a summarizer returned. `None` for what is no object or too large.
    pub fn of(given: &Json) -> Option<Self> {
        let Json::Object(members) = given else { return None };
        let rest = Json::Object(members.iter().filter(|(name, _)| name != CONTENT).cloned().collect());
        let content = given.get(CONTENT).text().unwrap_or_default();
        let said = content.trim();
        let start = content.len() - content.trim_start().len();
        let blanks = [text::between(content, 0, start), text::between(content, start + said.len(), content.len())];
        (rest.bytes() <= MOST && !members.is_empty()).then(|| Self {
            rest,
            length: said.len() as u64,
            text: hash_text(said),
            blanks: blanks.map(str::to_owned).to_vec(),
            ..Self::default()
        })
    }

    /// Whether others than the provider can read it.
    pub const fn is_readable(&self) -> bool {
        self.length > 0
    }

    /// Whether its provider demands a header of every request that holds it.
    pub fn is_signed(&self) -> bool {
        is_signed(&self.rest)
    }

    /// Whether its provider takes thinking behind it that was produced behind what it stands for.
    ///
    /// Source: <https://platform.claude.com/docs/en/build-with-claude/compaction-thinking-blocks>.
    pub fn keeps_thinking(&self) -> bool {
        let Json::Object(options) = self.rest.get("providerOptions") else { return self.is_signed() };
        options.iter().any(|(_, said)| is_signed(said))
    }

    /// The block as it came, and what stands beside it of the text of a summary; `None` if that does not begin with its
    /// text, letter for letter.
    pub fn within(&self, summary: &str) -> Option<(Json, String)> {
        let Json::Object(mut members) = self.rest.clone() else { return None };
        if !self.is_readable() {
            return Some((Json::Object(members), summary.to_owned()));
        }
        let body = summary.strip_prefix(markers::SUMMARY)?.strip_prefix('\n')?;
        let said = body.get(..self.length as usize).filter(|said| hash_text(said) == self.text)?;
        let beside = text::between(body, said.len(), body.len()).strip_suffix(markers::SUMMARY_END)?.trim_matches('\n');
        let [before, after] = &self.blanks[..] else { return None };
        members.push((CONTENT.to_owned(), Json::Text(format!("{before}{said}{after}"))));
        let line = if beside.is_empty() { "" } else { "\n" };
        Some((Json::Object(members), format!("{}{line}{beside}\n{}", markers::KEPT, markers::KEPT_END)))
    }
}

fn is_signed(said: &Json) -> bool {
    said.get("type").text() == Some("compaction") && said.get("signature").text().is_some()
}

impl Record for Block {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.plain("rest", &mut self.rest);
        archive.count("length", &mut self.length);
        archive.hash("text", &mut self.text);
        archive.texts("blanks", &mut self.blanks);
        archive.count("raw", &mut self.raw);
        archive.hash("hash", &mut self.hash);
        archive.count("whole", &mut self.whole);
        archive.maybe_record("tail", &mut self.tail);
        if !matches!(self.rest, Json::Object(_)) || self.rest.bytes() > MOST || self.blanks.len() != 2 {
            archive.reject("rest");
        }
    }
}
