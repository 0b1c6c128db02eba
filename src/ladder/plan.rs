//! A plan: what was decided about a request, as plain data that can wait in a database until the summary is there.
//! Positions and ids of requests; of text only what a summarizer has said of the pieces of a long past so far.

use crate::base::archive::{Archive, Place, Record};
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::ladder::protection::Hold;
use crate::ladder::{Edit, Move, RungId};

/// The most notes that a plan can have.
pub(crate) const NOTES: u64 = 100;
/// The most pieces that a past can have: more text than any machine holds.
const PIECES: u64 = 1 << 24;
/// The version of plans.
const VERSION: u64 = 1;

/// What a plan asks a summarizer for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Names the request.
    pub id: String,
    /// "summary", "chunk", "merge" or "correction".
    pub kind: String,
    /// Tokens the answer may have.
    pub max_output_tokens: u64,
}

/// A decision that waits to be committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rung it stands on.
    pub rung: RungId,
    /// What is to be done.
    pub action: Move,
    /// Which try this is, from 1.
    pub attempt: u64,
    /// What it asks for.
    pub requests: Vec<Asked>,
    /// How, if it asks: then there are pieces.
    pub job: Job,
    /// What the summarizer said of pieces, still to be put together; empty where an answer could not be used.
    pub notes: Vec<String>,
    /// The report so far.
    pub report: Json,
    /// What is done to which messages, for people: nothing is decided by it.
    pub changes: Vec<Json>,
    /// What earlier rounds of the same call have cost.
    pub spent: Spent,
}

/// How a summary is asked for. Measured once, so that every round and every machine cuts the same pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Raw tokens of material that one request may hold.
    pub budget: u64,
    /// Pieces the past is cut into, and how many of them were asked for with this round.
    pub pieces: u64,
    /// See `pieces`.
    pub done: u64,
    /// How many of them, the oldest, a digest by code stands for, because a summarizer may not be asked that often.
    pub digested: u64,
    /// Calls of the summarizer that all rounds take at most, as far as is known: those made and those to come.
    pub total: u64,
    /// Raw tokens of what the summary replaces.
    pub raw: u64,
    /// Tokens the summary may have.
    pub most: u64,
    /// The answer of this round is the summary.
    pub last: bool,
    /// This round asks again for what could not be used.
    pub corrects: bool,
    /// Made at the soft mark: nobody waits for it.
    pub ahead: bool,
    /// Of each request of this round three numbers: which piece of the past it is about, from 1, or 0 if notes are put
    /// together; and for which of the plan's notes the answer stands, from and to.
    pub parts: Vec<u64>,
}

/// What asking has cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests answered.
    pub calls: u64,
    /// Why an answer was not used.
    pub failed: Option<String>,
    /// What the provider reported last.
    pub usage: Json,
    /// How full the window was before the first round; null in the first.
    pub before: Json,
}

impl Job {
    /// Pieces that a summarizer is asked about.
    pub const fn asked(&self) -> u64 {
        self.pieces.saturating_sub(self.digested)
    }

    /// Pieces that it will be asked about in later rounds.
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
        crate::session::state::reach(archive, &mut self.reach);
        archive.maybe_count("clear", &mut self.clear);
        archive.maybe_count("thoughts", &mut self.thoughts);
        archive.flag("failed", &mut self.failed);
        archive.flag("first", &mut self.first);
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
        // Hosts look at the length of this list, also when it is empty.
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
            archive.counts("parts", &mut job.parts);
            archive.texts("notes", &mut self.notes);
        }
        let askable = |part: &[u64]| part.len() == 3 && part[0] <= job.pieces && part[1] < part[2] && part[2] <= NOTES;
        if job.pieces > PIECES || job.done > job.pieces || job.digested > job.done {
            archive.reject("pieces");
        }
        if job.parts.len() != self.requests.len() * 3 && job.pieces > 0 || !job.parts.chunks(3).all(askable) {
            archive.reject("parts");
        }
        archive.plain("report", &mut self.report);
        for (name, action) in [("covers", "cover"), ("clears", "clear"), ("clips", "clip")] {
            let of = |change: &&Json| change.get("action").text() == Some(action);
            let mut list = Json::List(self.changes.iter().filter(of).cloned().collect());
            archive.plain(name, &mut list);
            if archive.reads() {
                self.changes.extend_from_slice(list.list().unwrap_or_default());
            }
        }
        if self.spent != Spent::default() || archive.reads() {
            archive.record("spent", &mut self.spent);
        }
    }
}

const PLACE: Place = Place {
    name: "plan",
    code: Code::InvalidPlan,
    advice: "This plan was changed after precis made it: make a new one with `plan(call)`.",
};

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// When it is none, or of another version.
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
