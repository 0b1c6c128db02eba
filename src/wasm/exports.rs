//! The exports of the module: typed functions that parse their arguments, call the engine and return plain objects.
//! `js/src/boundary/glue.ts` is the other side.
//!
//! Records, flags and the view cross as typed arrays. Options, state, plan, report, requests and answers cross as
//! plain objects; the names of members that every call returns are
//! interned. A refusal is thrown as `{ code, path, advice }`. What the host throws when it is asked something comes
//! out as it was. All calls but `complete` are synchronous.

use super::arguments::{parse_call, parse_options, parse_plan, parse_state};
use super::host::Bridge;
pub use super::host::JsHost;
use super::objects::{gone, object, plain, thrown, to_js};
use super::panics;
use super::polling::Guarded;
pub use super::polling::JsRounds;
pub use super::reading::TapeReading;
use super::results::{again, committed, requests_to_js};
use crate::base::archive::Record;
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::call::standing::Standing;
use crate::engine::fast_path;
use crate::engine::waiting::Waiting;
use crate::engine::{self, Begun};
use crate::ingest::pairs;
use crate::ingest::record_writer::RecordWriter;
use crate::limits::options;
use crate::model::message::MessageRecord;
use crate::recall::Asked;
use crate::summary::verify::Answer;
use crate::tokens::Estimator;
use js_sys::{Array, Uint32Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The standard library's allocator grows steadily under calls of many sizes. This one does not.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// The result of an export: an object, or what JavaScript throws.
type Returned = Result<JsValue, JsValue>;

/// Runs once per instance.
#[wasm_bindgen(start)]
pub fn start() {
    panics::report();
}

/// Makes records of messages on a short, complete tape, and adds them to a chat whose last call had nothing to do. Returns `{
/// records, again }`. `known` are the records of messages added before these, and `standing` is what the last call
/// left.
///
/// # Errors
///
/// If the tape is malformed.
#[wasm_bindgen]
pub fn records(
    estimator: &str,
    ops: &[u32],
    text: &[u8],
    known: Option<Vec<u32>>,
    standing: Option<Vec<u8>>,
) -> Returned {
    let mut writer = RecordWriter::new(Estimator::parse(estimator).map_err(thrown)?);
    writer.push(ops, text).map_err(thrown)?;
    let records = writer.finish().map_err(thrown)?;
    let passed = match known {
        Some(mut all) => {
            all.extend(&records);
            fast_path::repeat(&all, &Standing::from_bytes(&standing.unwrap_or_default())).map_err(thrown)?
        }
        None => None,
    };
    let again = passed.map_or(JsValue::UNDEFINED, |passed| again(&passed));
    Ok(object(&[("records", Uint32Array::from(&records[..]).into()), ("again", again)]))
}

/// Checks options. Returns the name of the estimator for this model.
///
/// # Errors
///
/// If an option is refused.
#[wasm_bindgen]
pub fn validate(given: JsValue, model: Option<String>) -> Result<String, JsValue> {
    let given = plain(given, "options", Code::InvalidOption).map_err(thrown)?;
    Ok(options::validate(&given).map_err(thrown)?.estimator.for_model(model.as_deref()).name())
}

/// Decides about a call.
///
/// # Errors
///
/// If the call is refused, or the host throws.
#[wasm_bindgen]
pub fn plan(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(to_js(&asking(host, |host| engine::plan(&call, host))?.to_json()))
}

/// Measures how full the window is.
///
/// # Errors
///
/// As [`plan`].
#[wasm_bindgen]
pub fn usage(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(to_js(&asking(host, |host| engine::usage(&call, host))?.to_json()))
}

/// Decides about a call, and commits the decision if no summarizer is needed. Otherwise returns
/// `{ plan, open }`.
///
/// # Errors
///
/// As [`plan`].
#[wasm_bindgen]
pub fn begin(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(match asking(host, |host| engine::begin(&call, host))? {
        Begun::Done(done) => committed(*done),
        Begun::Waits { mut plan, open } => object(&[("plan", to_js(&plan.to_json())), ("open", open.into())]),
    })
}

/// Like [`begin`], for a chat in which only the messages of the records were appended since the call that left
/// `standing`. Returns undefined if that is not enough to decide.
///
/// # Errors
///
/// If the call is refused.
#[wasm_bindgen]
pub fn resume(input: &JsValue, records: Vec<u32>, standing: Vec<u8>) -> Returned {
    let call = parse_call(input, records, Vec::new())?;
    Ok(fast_path::resume(&call, &Standing::from_bytes(&standing))
        .map_err(thrown)?
        .map_or(JsValue::UNDEFINED, committed))
}

/// Returns the requests of a plan to a summarizer: `{ id, kind, system, prompt, maxOutputTokens }[]`.
///
/// # Errors
///
/// As [`plan`].
#[wasm_bindgen]
pub fn requests(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, plan: JsValue, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    let plan = parse_plan(plan)?;
    let requests = asking(host, |host| engine::requests(&call, &plan, host))?;
    Ok(requests_to_js(requests.iter()))
}

/// Applies a plan, with the summarizer's answers if there are any.
///
/// # Errors
///
/// As [`plan`].
#[wasm_bindgen]
pub fn commit(
    input: &JsValue,
    records: Vec<u32>,
    flags: Vec<u8>,
    plan: JsValue,
    results: JsValue,
    host: &JsHost,
) -> Returned {
    let call = parse_call(input, records, flags)?;
    let plan = parse_plan(plan)?;
    let results = plain(results, "results", Code::InvalidCall).map_err(thrown)?;
    let answers = Answer::all(&results);
    let mut done = asking(host, |host| engine::commit(&call, &plan, answers.as_deref(), host))?;
    done.account(&plan, &results);
    Ok(committed(done))
}

/// Calls the host's summarizer for a plan, commits the answers, and repeats this as long as there is a further round.
/// Returns the result of the last one. Each step between two awaits is synchronous.
///
/// # Errors
///
/// As [`plan`], and if the host rejects because the call was cancelled.
#[wasm_bindgen]
pub async fn complete(input: JsValue, records: Vec<u32>, flags: Vec<u8>, plan: JsValue, rounds: JsRounds) -> Returned {
    Guarded::new(rounds.clone(), asked_and_committed(input, records, flags, plan, rounds)).await
}

async fn asked_and_committed(
    input: JsValue,
    records: Vec<u32>,
    flags: Vec<u8>,
    plan: JsValue,
    rounds: JsRounds,
) -> Returned {
    let mut waiting = Waiting::new(parse_call(&input, records, flags)?, parse_plan(plan)?);
    drop(input);
    loop {
        let requests = asking(&rounds.host(), |host| Ok(requests_to_js(waiting.requests(host)?)))?;
        let answers = JsFuture::from(rounds.ask(requests)).await?;
        let results = plain(answers, "results", Code::InvalidCall).map_err(thrown)?;
        let done = asking(&rounds.host(), |host| waiting.commit(&results, host))?;
        if done.next.is_none() {
            return Ok(committed(done));
        }
        rounds.next(committed(done));
    }
}

/// Searches everything that the view does not show in full: `{ excerpts, tokens, more, missing, candidates }`. `numbers`
/// are what a ranker said of the candidates, if `asked` has `dimensions`.
///
/// # Errors
///
/// As [`plan`].
#[wasm_bindgen]
pub fn recall(
    input: &JsValue,
    records: Vec<u32>,
    flags: Vec<u8>,
    asked: JsValue,
    numbers: Vec<i32>,
    host: &JsHost,
) -> Returned {
    let call = parse_call(input, records, flags)?;
    let mut asked = plain(asked, "call", Code::InvalidCall).and_then(|asked| Asked::parse(&asked)).map_err(thrown)?;
    if let Some(ranked) = &mut asked.ranked {
        ranked.says(numbers);
    }
    Ok(to_js(&asking(host, |host| engine::recall(&call, &asked, host))?.into_json()))
}

/// Learns from reported usage. Returns the new state.
///
/// # Errors
///
/// If the options or the state are refused.
#[wasm_bindgen]
pub fn after_model(options: JsValue, state: JsValue, usage: JsValue, request: JsValue) -> Returned {
    let (options, state) = (parse_options(options)?, parse_state(state)?);
    let usage = plain(usage, "usage", Code::InvalidCall).map_err(thrown)?;
    let count = |name: &str| usage.get(name).count();
    let reported = engine::Reported {
        prompt: count("prompt"),
        cached: count("cached"),
        aggregated: *usage.get("aggregated") == Json::Bool(true),
        output: count("output").unwrap_or(0),
        reasoning: count("reasoning").unwrap_or(0),
        mismatch: *usage.get("mismatch") == Json::Bool(true),
        unread: usage.get("unread").flag(),
    };
    Ok(to_js(&engine::after_model(&options, &state, reported, request.as_string().as_deref()).to_json()))
}

/// The first message that a host must load: `{ index, id }`.
///
/// # Errors
///
/// If the state is refused.
#[wasm_bindgen]
pub fn keep_from(state: JsValue) -> Returned {
    let state = parse_state(state)?;
    let (index, id) = engine::keep_from(&state);
    Ok(to_js(&Json::record(&mut [("index", index.into()), ("id", id.map(str::to_owned).into())])))
}

/// The violations in a run of messages: `{ rule, index, message }[]`.
///
/// # Errors
///
/// If the records are malformed.
#[wasm_bindgen]
pub fn check(records: &[u32], strict: bool) -> Returned {
    let messages = MessageRecord::split(records).ok_or_else(gone)?;
    let mut all = pairs::check(&messages);
    if strict {
        all.extend(pairs::alternation(&messages));
    }
    let violation = |violation: pairs::Violation| {
        to_js(&Json::record(&mut [
            ("rule", violation.rule.as_str().into()),
            ("index", violation.index.into()),
            ("message", violation.rule.complaint().into()),
        ]))
    };
    Ok(all.into_iter().map(violation).collect::<Array>().into())
}

/// Runs work that uses the host. What the host throws is returned unchanged.
fn asking<T>(host: &JsHost, work: impl FnOnce(&mut Bridge<'_>) -> Result<T, Error>) -> Result<T, JsValue> {
    let mut bridge = Bridge::new(host);
    work(&mut bridge).map_err(|error| bridge.thrown.take().unwrap_or_else(|| thrown(error)))
}
