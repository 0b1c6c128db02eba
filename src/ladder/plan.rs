//! A plan is a decision about a request. It is plain data that can be stored until the summary is there. It holds
//! positions and request ids. The only text in it is the summarizer's notes on pieces of a long past.
//!
//! While the summary of a plan made ahead of time is being written, calls that carry the plan as `inFlight` ask for no
//! other, and the soft mark and strategies that count messages do not fire. What does not fit is clipped, cleared, or
//! covered by a digest at the plan's own cut, further only if that is not enough. Whatever code wrote, the summary
//! still applies when it comes. If none comes, or an unusable one, and the request fits below the trigger, nothing is
//! covered. Committing such a plan leaves `pending` alone: the request that is out still waits for its usage.

use crate::base::archive::{Archive, Origin, Record};
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::ladder::hold::Hold;
use crate::ladder::preview::Preview;
use crate::ladder::{Edit, Move, RungId};
use core::num::NonZeroU64;

/// The most notes in a plan.
pub(crate) const NOTES: u64 = 100;
/// The most pieces of a past. No machine holds that much text.
const PIECES: u64 = 1 << 24;
/// The version of the format.
const VERSION: u64 = 1;

/// A request to a summarizer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The id of the request.
    pub id: String,
    /// `"summary"`, `"chunk"`, `"merge"` or `"correction"`.
    pub kind: String,
    /// The most tokens of the answer.
    pub max_output_tokens: u64,
}

/// A decision that is not committed yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rung that proposes the action.
    pub rung: RungId,
    /// The action.
    pub action: Move,
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// The requests to a summarizer.
    pub requests: Vec<Asked>,
    /// How the summary is made, if there are requests. It then has at least one piece.
    pub job: Job,
    /// The summarizer's notes on pieces that are not merged yet. Empty where an answer could not be used.
    pub notes: Vec<String>,
    /// What it shows to people.
    pub preview: Preview,
    /// The costs of earlier rounds of the same call.
    pub spent: Spent,
}

/// How a summary is made. Computed once, so that every round and every machine cuts the same pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The raw tokens of material in one request.
    pub budget: u64,
    /// The number of pieces that the past is cut into.
    pub pieces: u64,
    /// The number of pieces that were requested, including this round.
    pub done: u64,
    /// The number of pieces, the oldest, that code digested because the summarizer's calls are limited.
    pub digested: u64,
    /// The most summarizer calls of all rounds, as far as known: those made and those to come.
    pub total: u64,
    /// The raw tokens that the summary replaces.
    pub raw: u64,
    /// The most tokens of the summary.
    pub most: u64,
    /// Whether the answer of this round is the summary.
    pub last: bool,
    /// Whether this round repeats requests whose answers were unusable.
    pub corrects: bool,
    /// Whether the plan was made at the soft mark, ahead of time.
    pub ahead: bool,
    /// The hash of what is sent before the cut, where reasoning may be bound to it.
    pub sent: Option<u64>,
    /// What each request of this round is about.
    pub parts: Vec<Part>,
}

/// What a request is about, and where its answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The piece of the past, from 1. `None` if the request merges notes.
    pub piece: Option<NonZeroU64>,
    /// The first of the plan's notes that the answer replaces.
    pub from: u64,
    /// The end of these notes.
    pub to: u64,
}

impl Part {
    /// The three numbers that stand for parts in plain data. A piece of 0 stands for merging.
    fn numbers(parts: &[Self]) -> Vec<u64> {
        parts.iter().flat_map(|part| [part.piece.map_or(0, NonZeroU64::get), part.from, part.to]).collect()
    }

    /// The parts that such numbers stand for. `None` if a part is cut off.
    fn read(numbers: &[u64]) -> Option<Vec<Self>> {
        let part = |three: &[u64]| match *three {
            [piece, from, to] => Some(Self { piece: NonZeroU64::new(piece), from, to }),
            _ => None,
        };
        numbers.chunks(3).map(part).collect()
    }
}

/// The costs of the summarizer so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The number of requests that were answered.
    pub calls: u64,
    /// Why an answer was not used.
    pub failed: Option<String>,
    /// The usage that the provider reported last.
    pub usage: Json,
    /// The usage before the first round. Null in the first round.
    pub before: Json,
}

impl Job {
    /// The number of pieces that the summarizer reads.
    pub const fn asked(&self) -> u64 {
        self.pieces.saturating_sub(self.digested)
    }

    /// Whether this round only puts notes together, and asks about no piece.
    pub fn merges(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.piece.is_none())
    }

    /// The number of pieces left for later rounds.
    pub const fn left(&self) -> u64 {
        self.pieces.saturating_sub(self.done)
    }
}

impl Record for Spent {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("calls", &mut self.calls);
        archive.maybe_text("failed", &mut self.failed);
        archive.plain("usage", &mut self.usage);
        archive.plain("before", &mut self.before);
    }
}

impl Record for Asked {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("id", &mut self.id);
        archive.text("kind", &mut self.kind);
        archive.count("maxOutputTokens", &mut self.max_output_tokens);
    }
}

impl Record for Edit {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.maybe_count("cap", &mut self.cap);
        self.reach.archive(archive);
        archive.maybe_count("clear", &mut self.clear);
        archive.maybe_count("thoughts", &mut self.thoughts);
        archive.flag("failed", &mut self.failed);
        archive.flag("first", &mut self.first);
        archive.maybe_count("unsent", &mut self.unsent);
        let at = Hold::ALL.iter().position(|hold| *hold == self.over).filter(|&at| at > 0);
        let mut over = at.map(|at| at as u64);
        archive.maybe_count("over", &mut over);
        match Hold::ALL.get(over.unwrap_or(0) as usize) {
            Some(hold) => self.over = *hold,
            None => archive.reject("over"),
        }
    }
}

impl Record for Plan {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut version = VERSION;
        archive.count("version", &mut version);
        let mut rung = if archive.reads() { String::new() } else { self.rung.as_str().to_owned() };
        archive.text("rung", &mut rung);
        match RungId::named(&rung) {
            Some(id) => self.rung = id,
            None => archive.reject("rung"),
        }
        let (mut edit, mut shape, mut stuck) = match &self.action {
            Move::Edit(edit) => (Some(*edit), None, false),
            Move::Compact(shape) => (None, Some(shape.clone()), false),
            Move::Pass => (None, None, false),
            Move::Stuck => (None, None, true),
        };
        archive.maybe_record("edit", &mut edit);
        archive.maybe_record("shape", &mut shape);
        archive.flag("stuck", &mut stuck);
        self.action = match (edit, shape) {
            (Some(edit), _) => Move::Edit(edit),
            (_, Some(shape)) => Move::Compact(shape),
            _ if stuck => Move::Stuck,
            _ => Move::Pass,
        };
        archive.count("attempt", &mut self.attempt);
        // Hosts read the length of this list, so it is written even if it is empty.
        let mut requests = core::mem::take(&mut self.requests);
        archive.present("requests", &mut requests);
        self.requests = requests;
        let job = &mut self.job;
        if job.pieces > 0 || archive.reads() {
            archive.count("budget", &mut job.budget);
            archive.count("pieces", &mut job.pieces);
            archive.count("done", &mut job.done);
            archive.count("digested", &mut job.digested);
            archive.count("total", &mut job.total);
            archive.count("raw", &mut job.raw);
            archive.count("most", &mut job.most);
            archive.flag("last", &mut job.last);
            archive.flag("corrects", &mut job.corrects);
            archive.flag("ahead", &mut job.ahead);
            archive.maybe_hash("sent", &mut job.sent);
            let mut parts = Part::numbers(&job.parts);
            archive.counts("parts", &mut parts);
            match Part::read(&parts) {
                Some(parts) => job.parts = parts,
                None => archive.reject("parts"),
            }
            archive.texts("notes", &mut self.notes);
        }
        let pieces = job.pieces;
        let is_piece = |piece: Option<NonZeroU64>| piece.is_none_or(|piece| piece.get() <= pieces);
        let askable = |part: &Part| is_piece(part.piece) && part.from < part.to && part.to <= NOTES;
        if job.pieces > PIECES || job.done > job.pieces || job.digested > job.done {
            archive.reject("pieces");
        }
        if job.parts.len() != self.requests.len() && job.pieces > 0 || !job.parts.iter().all(askable) {
            archive.reject("parts");
        }
        self.preview.archive(archive);
        if self.spent != Spent::default() || archive.reads() {
            archive.record("spent", &mut self.spent);
        }
    }
}

const PLACE: Origin = Origin {
    name: "plan",
    code: Code::InvalidPlan,
    advice: "This plan was changed after precis made it: make a new one with `plan(call)`.",
};

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// If it is not a plan, or of another version.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        if json.get("version").count() == Some(VERSION) {
            return Self::from_json(json, PLACE);
        }
        Err(Error::at(
            Code::InvalidPlan,
            "plan",
            "This is not a plan of this version of precis: make a new one with `plan(call)`.",
        ))
    }
}
