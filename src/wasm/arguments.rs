//! What the exports take: options, states, plans and calls, parsed.

use super::objects::{member, plain, thrown, words};
use crate::base::error::Code;
use crate::base::json::Json;
use crate::call::input::Call;
use crate::ladder::plan::Plan;
use crate::limits::options::Options;
use crate::session::state::SessionState;
use wasm_bindgen::prelude::*;

pub(super) fn parse_options(options: JsValue) -> Result<Options, JsValue> {
    plain(options, "options", Code::InvalidOption).and_then(|options| Options::parse(&options)).map_err(thrown)
}

pub(super) fn parse_state(state: JsValue) -> Result<SessionState, JsValue> {
    plain(state, "state", Code::InvalidState).and_then(|state| SessionState::parse(&state)).map_err(thrown)
}

pub(super) fn parse_plan(given: JsValue) -> Result<Plan, JsValue> {
    plain(given, "plan", Code::InvalidPlan).and_then(|given| Plan::parse(&given)).map_err(thrown)
}

/// The members of a call, each with the code of errors about it.
const MEMBERS: [(&str, Code); 37] = [
    ("options", Code::InvalidOption),
    ("window", Code::InvalidWindow),
    ("state", Code::InvalidState),
    ("chat", Code::InvalidCall),
    ("offset", Code::InvalidCall),
    ("model", Code::InvalidCall),
    ("maxOutputTokens", Code::InvalidCall),
    ("uncountedTools", Code::InvalidCall),
    ("recall", Code::InvalidCall),
    ("todos", Code::InvalidCall),
    ("mustKeep", Code::InvalidCall),
    ("threshold", Code::InvalidCall),
    ("focus", Code::InvalidCall),
    ("focusBy", Code::InvalidCall),
    ("toolPolicy", Code::InvalidCall),
    ("asksPolicies", Code::InvalidCall),
    ("trigger", Code::InvalidCall),
    ("target", Code::InvalidCall),
    ("keep", Code::InvalidCall),
    ("prefer", Code::InvalidCall),
    ("reasoning", Code::InvalidCall),
    ("systemMessages", Code::InvalidCall),
    ("thinking", Code::InvalidCall),
    ("compact", Code::InvalidCall),
    ("ids", Code::InvalidCall),
    ("unreadable", Code::InvalidCall),
    ("counterFailed", Code::InvalidCall),
    ("overflow", Code::InvalidCall),
    ("strict", Code::InvalidCall),
    ("opensWithUser", Code::InvalidCall),
    ("continues", Code::InvalidCall),
    ("takesEmpty", Code::InvalidCall),
    ("leavesOut", Code::InvalidCall),
    ("signsFreely", Code::InvalidCall),
    ("before", Code::InvalidCall),
    ("asking", Code::InvalidCall),
    ("inFlight", Code::InvalidPlan),
];

pub(super) fn parse_call(input: &JsValue, records: Vec<u32>, flags: Vec<u8>) -> Result<Call, JsValue> {
    let mut members = Vec::with_capacity(MEMBERS.len());
    for (name, code) in MEMBERS {
        members.push((name.to_owned(), plain(member(input, name), name, code).map_err(thrown)?));
    }
    let (system, tools) = (words(member(input, "system")), words(member(input, "tools")));
    Call::parse(&Json::Object(members), records, flags, system.as_deref(), tools.as_deref()).map_err(thrown)
}
