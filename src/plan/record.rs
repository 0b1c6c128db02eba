//! A plan: what was decided about a request, as plain data that can wait in a database until the summary is there.
//! Positions and ids of requests, no text.

use super::{Edit, Move, Rung};
use crate::archive::{Archive, Place, Record};
use crate::error::{Code, Error};
use crate::json::Json;
use crate::prelude::*;

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
    pub rung: Rung,
    /// What is to be done.
    pub action: Move,
    /// Which try this is, from 1.
    pub attempt: u64,
    /// What it asks for.
    pub requests: Vec<Asked>,
    /// The report so far.
    pub report: Json,
    /// What earlier rounds of the same call have cost.
    pub spent: Spent,
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

impl Record for Spent {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.count("calls", &mut self.calls);
        archive.maybe_text("failed", &mut self.failed);
        archive.plain("usage", &mut self.usage);
        archive.plain("before", &mut self.before);
    }
}

const RUNGS: [(Rung, &str); 8] = [
    (Rung::Pass, "pass"),
    (Rung::Clip, "clip"),
    (Rung::Clear, "clear"),
    (Rung::Summarize, "summarize"),
    (Rung::Digest, "digest"),
    (Rung::Squeeze, "squeeze"),
    (Rung::Trim, "trim"),
    (Rung::Crush, "crush"),
];

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
        crate::state::reach(archive, &mut self.reach);
        archive.maybe_count("clear", &mut self.clear);
        archive.flag("failed", &mut self.failed);
    }
}

impl Record for Plan {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut version = VERSION;
        archive.count("version", &mut version);
        let name = RUNGS.iter().find(|entry| entry.0 == self.rung && !archive.reads());
        let mut rung = name.map_or("", |entry| entry.1).to_owned();
        archive.text("rung", &mut rung);
        match RUNGS.iter().find(|entry| entry.1 == rung) {
            Some(entry) => self.rung = entry.0,
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
        archive.plain("report", &mut self.report);
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
