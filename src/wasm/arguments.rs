//! What the exports take: options, states, plans and calls, parsed.

use super::objects::{member, plain, thrown, words};
use crate::base::error::Code;
use crate::base::json::Json;
use crate::call::input::Call;
use crate::contract;
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

pub(super) fn parse_call(input: &JsValue, records: Vec<u32>, flags: Vec<u8>) -> Result<Call, JsValue> {
    let mut members = Vec::new();
    for (name, code) in contract::crossing() {
        members.push((name.to_owned(), plain(member(input, name), name, code).map_err(thrown)?));
    }
    let (system, tools) = (words(member(input, "system")), words(member(input, "tools")));
    Call::parse(&Json::Object(members), records, flags, system.as_deref(), tools.as_deref()).map_err(thrown)
}
