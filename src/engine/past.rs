//! What is summarized, in pieces that a request can hold. Every round and every machine cuts the same ones, by what the
//! plan says of them.

use crate::base::text;
use crate::call::checkpoint::Material;
use crate::ladder::plan::Job;
use crate::summary::transcript::{self, Line};
use crate::summary::{Source, chunk, digest, facts};
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

impl Past {
    /// As the job says. Where it has one piece, nothing is cut; of pieces that no model is asked about, there is a digest,
    /// which holds the previous summary as well.
    pub(crate) fn of(material: Material, job: &Job, estimator: &Estimator) -> Self {
        let Material { previous, messages, raw, condensed: by_code } = material;
        let budget = job.budget as usize;
        let earlier = previous.unwrap_or_default();
        let mut lines = transcript::lines(&messages, estimator);
        let mut known = tokens::of_text(estimator, &earlier) as usize;
        let mut previous = earlier.clone();
        if known > budget / 3 && job.pieces != 1 {
            let text = transcript::quote(&format!("What had happened before: {earlier}"));
            lines.insert(0, Line::new(text, false, estimator));
            (previous, known) = (String::new(), 0);
        }
        let room = budget.saturating_sub(known);
        let ends = if job.pieces == 1 { vec![lines.len()] } else { chunk::pieces(&mut lines, room, estimator) };
        let mut past = Self { previous, digest: String::new(), room, lines, ends };
        if let Some(last) = past.piece(job.digested as usize).last() {
            let digested = messages.get(..last.message).unwrap_or_default();
            let source = Source { previous: Some(&earlier), messages: digested, raw, condensed: by_code };
            past.digest = condensed(source, budget, estimator);
            // It quotes what anybody may have said: it is material, and no summary that a model may rely on.
            (past.previous, past.room) = (String::new(), budget);
        }
        past
    }

    /// The lines of a piece. In the only question about a past the digest stands before them.
    pub(crate) fn asked(&self, piece: usize, only: bool, estimator: &Estimator) -> Vec<Line> {
        let mut lines = self.piece(piece).to_vec();
        if only && !self.digest.is_empty() {
            let text = transcript::quote(&format!("What had happened before: {}", self.digest));
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

/// What code says of a source in its part of the budget. Facts are kept beside the summary, whoever writes it.
fn condensed(source: Source<'_>, budget: usize, estimator: &Estimator) -> String {
    let most = budget / DIGEST_PART;
    let mut bytes = budget;
    let mut out = String::new();
    for _ in 0..DIGEST_TRIES {
        let (written, _) = digest::write(&source, &[], bytes, false);
        facts::split(&written).0.clone_into(&mut out);
        let tokens = tokens::of_text(estimator, &out) as usize;
        if tokens <= most {
            return out;
        }
        bytes = bytes * most / tokens;
    }
    text::ends(&out, most)
}
