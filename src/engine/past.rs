//! What is summarized, in pieces that a request can hold. Every round and every machine cuts the same ones, by what the
//! plan says of them.

use crate::base::{quoting, text};
use crate::call::checkpoint::Material;
use crate::ladder::plan::Job;
use crate::memory::Memory;
use crate::memory::absorb::{Message, Recollection};
use crate::memory::digest::Source;
use crate::summary::chunk;
use crate::summary::transcript::{self, Line};
use crate::tokens::{self, Estimator};

/// Of the budget, what a digest of the pieces may take that no model is asked about: one of so many parts.
const DIGEST_PART: usize = 4;
/// Tries to bring a digest down to that.
const DIGEST_TRIES: usize = 4;

/// What is summarized, in pieces.
pub(crate) struct Past {
    /// The summary before it, if it is given beside the material.
    pub previous: String,
    /// What code says of the pieces that no model is asked about, and of the summary before them.
    pub digest: String,
    /// Raw tokens of material beside that.
    pub room: usize,
    lines: Vec<Line>,
    /// Where each piece ends among the lines.
    ends: Vec<usize>,
}

/// The summary before what is summarized, and its raw tokens.
struct Earlier {
    text: String,
    tokens: usize,
}

impl Earlier {
    fn of(text: String, estimator: &Estimator) -> Self {
        let tokens = tokens::of_text(estimator, &text) as usize;
        Self { text, tokens }
    }
}

impl Past {
    /// As the job says. Where it has one piece, nothing is cut; of pieces that no model is asked about, there is a digest,
    /// which holds the previous summary as well.
    pub(crate) fn of(material: Material, job: &Job, estimator: &Estimator) -> Self {
        let Material { previous, messages } = material;
        let budget = job.budget as usize;
        let earlier = Earlier::of(previous.unwrap_or_default(), estimator);
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
        if let Some(last) = past.piece(job.digested as usize).last() {
            let digested = messages.into_iter().take(last.message).enumerate();
            let message = |(at, (content, typed))| Message { index: at as u64, content, typed };
            let digested: Vec<Message> = digested.map(message).collect();
            past.digest = condensed(&digested, &earlier.text, budget, estimator);
            // It quotes what anybody may have said: it is material, and no summary that a model may rely on.
            (past.previous, past.room) = (String::new(), budget);
        }
        past
    }

    /// Lines in pieces that fit, the summary before them among them where it would fill too much of every piece.
    fn cut(mut lines: Vec<Line>, earlier: &Earlier, budget: usize, estimator: &Estimator) -> Self {
        let given_beside = earlier.tokens <= budget / 3;
        if !given_beside {
            let text = quoting::quote(&format!("What had happened before: {}", earlier.text));
            lines.insert(0, Line::new(text, false, estimator));
        }
        let (previous, known) = if given_beside { (earlier.text.clone(), earlier.tokens) } else { (String::new(), 0) };
        let room = budget.saturating_sub(known);
        let ends = chunk::pieces(&mut lines, room, estimator);
        Self { previous, digest: String::new(), room, lines, ends }
    }

    /// How many pieces the material takes within the first of these budgets that holds it in one, else within the last.
    pub(crate) fn pieces_within(material: Material, budgets: &[u64], estimator: &Estimator) -> u64 {
        let earlier = Earlier::of(material.previous.unwrap_or_default(), estimator);
        let lines = transcript::lines(&material.messages, estimator);
        let mut pieces = 1;
        for &budget in budgets {
            pieces = Self::cut(lines.clone(), &earlier, budget as usize, estimator).pieces();
            if pieces == 1 {
                break;
            }
        }
        pieces
    }

    /// The lines of a piece. In the only question about a past the digest stands before them.
    pub(crate) fn asked(&self, piece: usize, only: bool, estimator: &Estimator) -> Vec<Line> {
        let mut lines = self.piece(piece).to_vec();
        if only && !self.digest.is_empty() {
            let text = quoting::quote(&format!("What had happened before: {}", self.digest));
            lines.insert(0, Line::new(text, false, estimator));
        }
        lines
    }

    /// How many pieces there are.
    pub(crate) const fn pieces(&self) -> u64 {
        self.ends.len() as u64
    }

    /// A piece by its number, from 1.
    fn piece(&self, piece: usize) -> &[Line] {
        let from = if piece > 1 { self.ends.get(piece - 2).copied().unwrap_or(0) } else { 0 };
        let to = if piece > 0 { self.ends.get(piece - 1) } else { None };
        to.and_then(|&end| self.lines.get(from..end)).unwrap_or_default()
    }
}

/// What code says of messages in its part of the budget, with the summary before them. What it keeps beside a summary it
/// keeps beside this one, too.
fn condensed(messages: &[Message], earlier: &str, budget: usize, estimator: &Estimator) -> String {
    let most = budget / DIGEST_PART;
    let memory = Memory::default();
    let known = Recollection::of(&memory, messages);
    let source = Source { known: &known, summary: earlier, todos: &[], visible: &|_| false, references: None };
    let mut bytes = budget;
    let mut out = String::new();
    for _ in 0..DIGEST_TRIES {
        (out, _) = source.digest(bytes, false);
        let tokens = tokens::of_text(estimator, &out) as usize;
        if tokens <= most {
            return out;
        }
        bytes = bytes * most / tokens;
    }
    text::ends(&out, most)
}
