//! The material of a summary, in pieces that fit into a request. The plan determines the pieces, so every round and
//! every machine cuts the same ones.

use crate::base::{millionths, quoting, sizes, text};
use crate::call::covered::Material;
use crate::ladder::plan::Job;
use crate::memory::digest::Source;
use crate::memory::pool::Pool;
use crate::memory::{Memory, Message};
use crate::summary::chunk;
use crate::summary::transcript::{self, TranscriptLine};
use crate::tokens::{self, Estimator};

/// The share of the budget for a digest of pieces that no model reads: one part in this many.
const DIGEST_PART: usize = 4;

/// The material of a summary, in pieces.
pub(crate) struct Past {
    /// The previous summary, if it is passed along with the material.
    pub previous: String,
    /// The digest of the pieces that no model reads, and of the summary before them.
    pub digest: String,
    /// The raw tokens of material beside that.
    pub room: usize,
    lines: Vec<TranscriptLine>,
    /// The end of each piece, as an index into the lines.
    ends: Vec<usize>,
}

/// The previous summary and its raw tokens.
struct Earlier {
    text: String,
    tokens: usize,
}

impl Earlier {
    fn of(text: String, estimator: &Estimator) -> Self {
        let tokens = sizes::of(tokens::of_text(estimator, &text));
        Self { text, tokens }
    }
}

impl Past {
    /// Cuts the material as the job says. A single piece is not cut. Pieces that no model reads become a digest, which
    /// includes the previous summary.
    pub(crate) fn of(material: Material, job: &Job, estimator: &Estimator) -> Self {
        let Material { previous, messages } = material;
        let budget = sizes::of(job.budget);
        let earlier = Earlier::of(previous.unwrap_or_default(), estimator);
        // Where notes are put together, and none of the messages is shown, only what stands beside the notes counts.
        if job.merges() && job.digested == 0 {
            return Self::cut(Vec::new(), &earlier, budget, estimator);
        }
        let lines = transcript::lines(&messages, estimator);
        let mut past = if job.pieces == 1 {
            Self {
                digest: String::new(),
                room: budget.saturating_sub(earlier.tokens),
                ends: vec![lines.len()],
                previous: earlier.text.clone(),
                lines,
            }
        } else {
            Self::cut(lines, &earlier, budget, estimator)
        };
        if let Some(last) = past.piece(sizes::of(job.digested)).last() {
            let digested = messages.into_iter().take(last.message).enumerate();
            let message = |(at, (content, typed))| Message { index: at as u64, content, typed };
            let digested: Vec<Message> = digested.map(message).collect();
            past.digest = condensed(&digested, &earlier.text, budget, estimator);
            // The digest quotes what anybody may have said. So it is material, not a summary that a model may rely on.
            (past.previous, past.room) = (String::new(), budget);
        }
        past
    }

    /// Cuts lines into pieces that fit. The previous summary becomes part of them if it would fill too much of every
    /// piece.
    fn cut(mut lines: Vec<TranscriptLine>, earlier: &Earlier, budget: usize, estimator: &Estimator) -> Self {
        let given_beside = earlier.tokens <= budget / 3;
        if !given_beside {
            let text = quoting::quote(&format!("What had happened before: {}", earlier.text));
            lines.insert(0, TranscriptLine::new(text, false, estimator));
        }
        let (previous, known) = if given_beside { (earlier.text.clone(), earlier.tokens) } else { (String::new(), 0) };
        let room = budget.saturating_sub(known);
        let ends = chunk::pieces(&mut lines, room, estimator);
        Self { previous, digest: String::new(), room, lines, ends }
    }

    /// The number of pieces within the first budget that holds the material in one piece, otherwise within the last
    /// budget.
    pub(crate) fn pieces_within(material: Material, budgets: &[u64], estimator: &Estimator) -> u64 {
        let earlier = Earlier::of(material.previous.unwrap_or_default(), estimator);
        let lines = transcript::lines(&material.messages, estimator);
        let mut pieces = 1;
        for &budget in budgets {
            pieces = Self::cut(lines.clone(), &earlier, sizes::of(budget), estimator).pieces();
            if pieces == 1 {
                break;
            }
        }
        pieces
    }

    /// The lines of a piece. If only one request is made about the past, they begin with the digest.
    pub(crate) fn asked(&self, piece: usize, only: bool, estimator: &Estimator) -> Vec<TranscriptLine> {
        let mut lines = self.piece(piece).to_vec();
        if only && !self.digest.is_empty() {
            let text = quoting::quote(&format!("What had happened before: {}", self.digest));
            lines.insert(0, TranscriptLine::new(text, false, estimator));
        }
        lines
    }

    /// The number of pieces.
    pub(crate) const fn pieces(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The lines of a piece by its number, from 1.
    fn piece(&self, piece: usize) -> &[TranscriptLine] {
        let from = if piece > 1 { self.ends.get(piece - 2).copied().unwrap_or(0) } else { 0 };
        let to = if piece > 0 { self.ends.get(piece - 1) } else { None };
        to.and_then(|&end| self.lines.get(from..end)).unwrap_or_default()
    }
}

/// The digest of messages within its share of the budget, including the previous summary and what code keeps beside a
/// summary.
fn condensed(messages: &[Message], earlier: &str, budget: usize, estimator: &Estimator) -> String {
    let most = (budget / DIGEST_PART) as u64;
    let memory = Memory::default();
    let known = Pool::of(&memory, messages);
    let (todos, references, turn) = (&[], None, None);
    let source = Source { known: &known, summary: earlier, todos, visible: &|_| false, references, turn, estimator };
    let (out, _) = source.digest(most, false);
    let tokens = tokens::of_text(estimator, &out);
    if tokens <= most {
        return out;
    }
    text::ends(&out, sizes::of(millionths::scale(out.len() as u64, most, tokens)))
}
