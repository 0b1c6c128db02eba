//! A plan: what was decided about a request, as plain data that can wait in a database until the summary is there.
//! Positions and ids of requests, no text.

use super::compact::Shape;
use super::{Move, Rung};
use crate::error::{Code, Error};
use crate::json::{Fields, Json};

/// The version of plans.
const VERSION: u64 = 1;

/// What a plan asks a summarizer for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Names the request.
    pub id: String,
    /// "summary", "chunk", "merge" or "correction".
    pub kind: String,
    /// Tokens the answer may have.
    pub max_output_tokens: u64,
}

/// A decision that waits to be committed.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Plan {
    /// As plain JSON.
    pub fn to_json(&self) -> Json {
        let asked = |asked: &Asked| Json::object(&mut [("id", asked.id.as_str().into()), ("kind", asked.kind.as_str().into()), ("maxOutputTokens", asked.max_output_tokens.into())]);
        let (edit, shape) = match &self.action {
            Move::Edit { cap, typed, clear } => (Json::object(&mut [("cap", (*cap).into()), ("typed", (*typed).into()), ("clear", (*clear).into())]), Json::Null),
            Move::Compact(shape) => (Json::Null, shape.to_json()),
            Move::Pass | Move::Stuck => (Json::Null, Json::Null),
        };
        Json::object(&mut [
            ("version", VERSION.into()),
            ("rung", RUNGS.iter().find(|entry| entry.0 == self.rung).map_or("pass", |entry| entry.1).into()),
            ("stuck", if self.action == Move::Stuck { true.into() } else { Json::Null }),
            ("edit", edit),
            ("shape", shape),
            ("attempt", self.attempt.into()),
            ("requests", Json::List(self.requests.iter().map(asked).collect())),
            ("report", self.report.clone()),
        ])
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// When it is none, or of a newer version.
    pub fn parse(json: &Json) -> Result<Self, Error> {
        let fields = Fields::of(json, "plan", Code::InvalidPlan)?;
        if fields.raw("version").count() != Some(VERSION) {
            return Err(Error::at(Code::InvalidPlan, "plan.version", "This is not a plan of this version of precis: make a new one with `plan(call)`."));
        }
        let name = fields.need_text("rung")?;
        let rung = RUNGS.iter().find(|entry| entry.1 == name).ok_or_else(|| Error::at(Code::InvalidPlan, "plan.rung", "This plan was changed after precis made it."))?.0;
        let action = if !fields.raw("shape").is_null() {
            Move::Compact(Shape::parse(fields.raw("shape"))?)
        } else if !fields.raw("edit").is_null() {
            let edit = Fields::of(fields.raw("edit"), "plan.edit", Code::InvalidPlan)?;
            Move::Edit { cap: edit.count("cap")?, typed: edit.flag("typed")?.unwrap_or(false), clear: edit.count("clear")? }
        } else if fields.flag("stuck")?.unwrap_or(false) {
            Move::Stuck
        } else {
            Move::Pass
        };
        let requests = fields.list("requests")?.iter().map(|request| {
            let fields = Fields::of(request, "plan.requests", Code::InvalidPlan)?;
            Ok(Asked { id: fields.need_text("id")?.to_owned(), kind: fields.need_text("kind")?.to_owned(), max_output_tokens: fields.need_count("maxOutputTokens")? })
        });
        Ok(Self { rung, action, attempt: fields.count("attempt")?.unwrap_or(1), requests: requests.collect::<Result<_, _>>()?, report: fields.raw("report").clone() })
    }
}
