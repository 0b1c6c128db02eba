//! The awaited callback: plan, ask, commit, as long as there is something to ask. A pump over the engine's steps that
//! owns all it works on; nothing is borrowed across an await, any number of calls may be in flight.

use super::host::{Bridge, JsHost, event};
use super::wire::to_js;
use super::{committed_to_js, parse_answers, requests_to_js};
use crate::call::Call;
use crate::engine::{self, Committed};
use crate::error::Error;
use crate::host::Host;
use crate::json::Json;
use crate::plan::record::Plan;
use crate::summary::verify::Answer;
use std::cell::Cell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Runs a call to its end.
pub async fn run(mut call: Call, host: &JsHost) -> Result<JsValue, JsValue> {
    let made = Cell::new(0);
    let mut plan = step(host, &made, |bridge| engine::plan(&call, bridge))?;
    let id = plan.requests.first().map(|asked| asked.id.clone()).unwrap_or_default();
    let asks = call.options.summarize && !plan.requests.is_empty();
    if asks {
        let before = plan.report.get("before").clone();
        event(host, &Json::record(&mut [("type", "start".into()), ("id", id.as_str().into()), ("reason", plan.report.get("reason").clone()), ("before", before)]));
    }
    let (mut calls, mut failed, mut usage) = (0, None, Json::Null);
    let mut before = None;
    loop {
        let answers = if asks && !plan.requests.is_empty() { ask(&call, &plan, host, &made, &mut calls, &mut usage).await? } else { None };
        let mut bridge = Bridge::new(host, &made);
        let committed = engine::commit(&call, &plan, answers.as_deref(), &mut bridge);
        let mut committed = bridge.settle(committed)?;
        // Further rounds start from what the first one left; the report tells of the whole.
        committed.report.before = *before.get_or_insert(committed.report.before);
        if let Some(reason) = committed.report.failed.take() {
            event(host, &Json::record(&mut [("type", "fallback".into()), ("id", id.as_str().into()), ("reason", reason.as_str().into())]));
            failed = Some(reason);
        }
        if let Some(next) = committed.next.take().filter(|_| asks) {
            event(host, &Json::record(&mut [("type", "retry".into()), ("id", id.as_str().into()), ("reason", next.report.get("reason").clone())]));
            call.state = committed.state;
            plan = next;
            continue;
        }
        return Ok(finish(committed, &plan, asks, calls, failed, usage, &id, host));
    }
}

/// Asks what a plan asks for. `None` when it asks for nothing any more.
async fn ask(call: &Call, plan: &Plan, host: &JsHost, made: &Cell<u32>, calls: &mut u64, usage: &mut Json) -> Result<Option<Vec<Answer>>, JsValue> {
    let requests = step(host, made, |bridge| engine::requests(call, plan, bridge))?;
    if requests.is_empty() {
        return Ok(None);
    }
    *calls += requests.len() as u64;
    let answered = JsFuture::from(host.ask(requests_to_js(&requests))?).await?;
    if let Ok(Json::List(list)) = super::wire::from_js(&answered, "summarize", crate::error::Code::InvalidCall)
        && let Some(reported) = list.iter().rev().map(|answer| answer.get("usage")).find(|usage| !usage.is_null())
    {
        *usage = reported.clone();
    }
    // An answer in no readable form is a failed answer, not a failed call.
    Ok(Some(parse_answers(&answered).ok().flatten().unwrap_or_else(|| vec![Answer::Failed("The summarizer answered in no known form.".into())])))
}

fn finish(mut committed: Committed, plan: &Plan, asks: bool, calls: u64, failed: Option<String>, usage: Json, id: &str, host: &JsHost) -> JsValue {
    committed.report.calls = calls;
    committed.report.failed = failed;
    committed.report.summarizer_usage = usage;
    let report = committed.report.to_json();
    if asks || report.get("outcome").text() == Some("compacted") {
        let id = if id.is_empty() { plan.report.get("request").text().unwrap_or_default() } else { id };
        if !asks {
            event(host, &Json::record(&mut [("type", "start".into()), ("id", id.into()), ("reason", report.get("reason").clone()), ("before", report.get("before").clone())]));
        }
        host.event(to_js(&Json::record(&mut [("type", "done".into()), ("id", id.into()), ("report", report)])));
    }
    committed_to_js(&committed)
}

fn step<T>(host: &JsHost, made: &Cell<u32>, work: impl FnOnce(&mut dyn Host) -> Result<T, Error>) -> Result<T, JsValue> {
    let mut bridge = Bridge::new(host, made);
    let result = work(&mut bridge);
    bridge.settle(result)
}
