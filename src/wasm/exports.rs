//! What the module exports: typed functions that parse what they are given, call the engine and return plain objects.
//! `js/src/boundary/glue.ts` is the other side.

use super::host::Bridge;
pub use super::host::JsHost;
use super::objects::{gone, member, object, plain, thrown, to_js, words};
use super::panics;
use super::polling::Guarded;
pub use super::polling::JsRounds;
pub use super::reading::Reading;
use crate::base::archive::Record;
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::call::committed::Committed;
use crate::call::input::Call;
use crate::call::standing::Standing;
use crate::engine::fast_path::{self, Passed};
use crate::engine::waiting::Waiting;
use crate::engine::{self, Begun};
use crate::ingest::digester::Digester;
use crate::ingest::host::Sent;
use crate::ingest::pairs;
use crate::ladder::plan::Plan;
use crate::limits::names;
use crate::limits::options::{self, Options};
use crate::model::message::{Digest, hex};
use crate::recall::Asked;
use crate::report;
use crate::session::state::SessionState;
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::Estimator;
use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The standard library's allocator keeps growing under calls of many sizes; this one stays flat.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// What an export returns: an object, or what JavaScript throws.
type Returned = Result<JsValue, JsValue>;

/// Runs once an instance.
#[wasm_bindgen(start)]
pub fn start() {
    panics::report();
}

/// The records of messages on a whole tape that is short, and what comes of adding them to a chat that had nothing to do:
/// `{ records, again }`. `known` are the records of messages added before those, `standing` what the call before left.
///
/// # Errors
/// When the tape is malformed.
#[wasm_bindgen]
pub fn digest(
    estimator: &str,
    ops: &[u32],
    text: &[u8],
    known: Option<Vec<u32>>,
    standing: Option<Vec<u8>>,
) -> Returned {
    let mut digester = Digester::new(Estimator::parse(estimator).map_err(thrown)?);
    digester.push(ops, text).map_err(thrown)?;
    let records = digester.finish().map_err(thrown)?;
    let passed = match known {
        Some(mut all) => {
            all.extend(&records);
            fast_path::again(&all, &Standing::from_bytes(&standing.unwrap_or_default())).map_err(thrown)?
        }
        None => None,
    };
    let again = passed.map_or(JsValue::UNDEFINED, |passed| again(&passed));
    Ok(object(&[("records", Uint32Array::from(&records[..]).into()), ("again", again)]))
}

/// Checks options: the name of the estimator for this model.
///
/// # Errors
/// When an option is refused.
#[wasm_bindgen]
pub fn validate(given: JsValue, model: Option<String>) -> Result<String, JsValue> {
    let given = plain(given, "options", Code::InvalidOption).map_err(thrown)?;
    Ok(options::validate(&given).map_err(thrown)?.estimator.for_model(model.as_deref()).name())
}

/// What is said about a name that does not exist among these, of this kind of things.
#[wasm_bindgen]
pub fn unknown_name(name: &str, names: Vec<String>, what: &str) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names::unknown_name(name, &names, what)
}

/// Decides about a call.
///
/// # Errors
/// When the call is refused, or the host throws.
#[wasm_bindgen]
pub fn plan(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(to_js(&asking(host, |host| engine::plan(&call, host))?.to_json()))
}

/// The meter.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen]
pub fn usage(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(to_js(&asking(host, |host| engine::usage(&call, host))?.to_json()))
}

/// Decides, and commits at once if nothing has to be asked; else `{ plan }`, the plan that waits.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen]
pub fn begin(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    Ok(match asking(host, |host| engine::begin(&call, host))? {
        Begun::Done(done) => committed(*done),
        Begun::Waits(mut plan) => object(&[("plan", to_js(&plan.to_json()))]),
    })
}

/// As [`begin`] for a chat to which only the messages of the records were added since a call left `standing`; undefined
/// if that is not enough to decide.
///
/// # Errors
/// When the call is refused.
#[wasm_bindgen]
pub fn resume(input: &JsValue, records: Vec<u32>, standing: Vec<u8>) -> Returned {
    let call = parse_call(input, records, Vec::new())?;
    Ok(fast_path::resume(&call, &Standing::from_bytes(&standing))
        .map_err(thrown)?
        .map_or(JsValue::UNDEFINED, committed))
}

/// What a plan asks a summarizer for: `{ id, kind, system, prompt, maxOutputTokens }[]`.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen]
pub fn requests(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, plan: JsValue, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    let plan = parse_plan(plan)?;
    let requests = asking(host, |host| engine::requests(&call, &plan, host))?;
    Ok(requests_to_js(requests))
}

/// Applies a plan, with the answers of the host's summarizer if it was asked.
///
/// # Errors
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

/// Asks the host's summarizer what a plan asks for, commits the answers, and goes on as long as a further round is due:
/// the outcome of the last. Every step between two awaits is synchronous.
///
/// # Errors
/// As [`plan`]; also when the answers are refused by the host, because the call was cancelled.
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
        let requests = asking(&rounds.host(), |host| waiting.requests(host))?;
        let answers = JsFuture::from(rounds.ask(requests_to_js(requests))).await?;
        let results = plain(answers, "results", Code::InvalidCall).map_err(thrown)?;
        let done = asking(&rounds.host(), |host| waiting.commit(&results, host))?;
        if done.next.is_none() {
            return Ok(committed(done));
        }
        rounds.next(committed(done));
    }
}

/// Looks for something in what the view does not show whole: `{ excerpts, tokens, more, missing }`.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen]
pub fn recall(input: &JsValue, records: Vec<u32>, flags: Vec<u8>, asked: JsValue, host: &JsHost) -> Returned {
    let call = parse_call(input, records, flags)?;
    let asked = plain(asked, "call", Code::InvalidCall).and_then(|asked| Asked::parse(&asked)).map_err(thrown)?;
    Ok(to_js(&asking(host, |host| engine::recall(&call, &asked, host))?.into_json()))
}

/// Learns from reported usage: the new state.
///
/// # Errors
/// When options or state are refused.
#[wasm_bindgen]
pub fn after_model(options: JsValue, state: JsValue, usage: JsValue, request: JsValue) -> Returned {
    let (options, state) = (parse_options(options)?, parse_state(state)?);
    let usage = plain(usage, "usage", Code::InvalidCall).map_err(thrown)?;
    let count = |name: &str| usage.get(name).count();
    let reported = engine::Reported {
        prompt: count("prompt"),
        output: count("output").unwrap_or(0),
        reasoning: count("reasoning").unwrap_or(0),
    };
    Ok(to_js(&engine::after_model(&options, &state, reported, request.as_string().as_deref()).to_json()))
}

/// The first message a host must load: `{ index, id }`.
///
/// # Errors
/// When the state is refused.
#[wasm_bindgen]
pub fn keep_from(state: JsValue) -> Returned {
    let state = parse_state(state)?;
    let (index, id) = engine::keep_from(&state);
    Ok(to_js(&Json::record(&mut [("index", index.into()), ("id", id.map(str::to_owned).into())])))
}

/// The newest summary.
///
/// # Errors
/// When the state is refused.
#[wasm_bindgen]
pub fn summary_of(state: JsValue) -> Result<Option<String>, JsValue> {
    Ok(engine::summary_of(&parse_state(state)?).map(str::to_owned))
}

/// Flat attributes of a report.
///
/// # Errors
/// When it is no report.
#[wasm_bindgen]
pub fn attributes(report: JsValue) -> Returned {
    let report = plain(report, "report", Code::InvalidCall).map_err(thrown)?;
    Ok(to_js(&report::attributes(&report).map_err(thrown)?))
}

/// What a plan does, or a report says was done, in a few sentences.
///
/// # Errors
/// When it is neither.
#[wasm_bindgen]
pub fn describe(given: JsValue) -> Result<String, JsValue> {
    let given = plain(given, "plan", Code::InvalidPlan).map_err(thrown)?;
    report::describe::describe(&given).map_err(thrown)
}

/// Violations in a run of messages: `{ rule, index, message }[]`.
///
/// # Errors
/// When the records are malformed.
#[wasm_bindgen]
pub fn check(records: &[u32], strict: bool) -> Returned {
    let messages = Digest::split(records).ok_or_else(gone)?;
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

/// Works with the host; what it threw comes out as it was.
fn asking<T>(host: &JsHost, work: impl FnOnce(&mut Bridge<'_>) -> Result<T, Error>) -> Result<T, JsValue> {
    let mut bridge = Bridge::new(host);
    work(&mut bridge).map_err(|error| bridge.thrown.take().unwrap_or_else(|| thrown(error)))
}

fn parse_options(options: JsValue) -> Result<Options, JsValue> {
    plain(options, "options", Code::InvalidOption).and_then(|options| Options::parse(&options)).map_err(thrown)
}

fn parse_state(state: JsValue) -> Result<SessionState, JsValue> {
    plain(state, "state", Code::InvalidState).and_then(|state| SessionState::parse(&state)).map_err(thrown)
}

fn parse_plan(given: JsValue) -> Result<Plan, JsValue> {
    plain(given, "plan", Code::InvalidPlan).and_then(|given| Plan::parse(&given)).map_err(thrown)
}

/// The members of a call, each with the code of its errors.
const MEMBERS: [(&str, Code); 31] = [
    ("options", Code::InvalidOption),
    ("window", Code::InvalidWindow),
    ("state", Code::InvalidState),
    ("offset", Code::InvalidCall),
    ("model", Code::InvalidCall),
    ("maxOutputTokens", Code::InvalidCall),
    ("uncountedTools", Code::InvalidCall),
    ("recall", Code::InvalidCall),
    ("todos", Code::InvalidCall),
    ("mustKeep", Code::InvalidCall),
    ("threshold", Code::InvalidCall),
    ("focus", Code::InvalidCall),
    ("toolPolicy", Code::InvalidCall),
    ("asksPolicies", Code::InvalidCall),
    ("trigger", Code::InvalidCall),
    ("target", Code::InvalidCall),
    ("keep", Code::InvalidCall),
    ("prefer", Code::InvalidCall),
    ("reasoning", Code::InvalidCall),
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
    ("asking", Code::InvalidCall),
    ("inFlight", Code::InvalidPlan),
];

fn parse_call(input: &JsValue, records: Vec<u32>, flags: Vec<u8>) -> Result<Call, JsValue> {
    let mut members = Vec::with_capacity(MEMBERS.len());
    for (name, code) in MEMBERS {
        members.push((name.to_owned(), plain(member(input, name), name, code).map_err(thrown)?));
    }
    let (system, tools) = (words(member(input, "system")), words(member(input, "tools")));
    Call::parse(&Json::Object(members), records, flags, system.as_deref(), tools.as_deref()).map_err(thrown)
}

/// `{ id, kind, system, prompt, maxOutputTokens }[]`.
fn requests_to_js(requests: Vec<Request>) -> JsValue {
    let request = |request: Request| {
        to_js(&Json::record(&mut [
            ("id", request.id.into()),
            ("kind", request.kind.into()),
            ("system", request.system.into()),
            ("prompt", request.prompt.into()),
            ("maxOutputTokens", request.max_output_tokens.into()),
        ]))
    };
    requests.into_iter().map(request).collect::<Array>().into()
}

/// `{ state, report, changed, view, standing, next }`.
fn committed(mut committed: Committed) -> JsValue {
    let standing = committed.standing.as_ref().map_or(JsValue::UNDEFINED, standing_to_js);
    let next = committed.next.as_mut().map_or(JsValue::UNDEFINED, |next| to_js(&next.to_json()));
    object(&[
        ("state", to_js(&committed.state.to_json())),
        ("report", to_js(&committed.report.to_json())),
        ("changed", committed.changed.into()),
        ("view", Uint32Array::from(&runs(&committed.view)[..]).into()),
        ("standing", standing),
        ("next", next),
    ])
}

/// What is different from the call before, in as few crossings as can be, because that is all that most calls return:
/// `{ numbers, texts, standing }`. `unfolded` in `js/src/boundary/glue.ts` reads them in this order, the texts a line each.
#[allow(clippy::cast_precision_loss, reason = "whole numbers here are at most 2^53")]
fn again(Passed { usage, at, outcome, request, reason, saved, standing }: &Passed) -> JsValue {
    let parts = usage.parts;
    let numbers = [
        usage.tokens,
        usage.raw,
        usage.window,
        usage.trigger,
        usage.until_compaction(),
        usage.bound,
        usage.reply_room(),
        parts.system,
        parts.tools,
        parts.user,
        parts.assistant,
        parts.results,
        parts.media,
        parts.summary,
        at.count,
        *saved,
    ]
    .map(|number| number as f64);
    let fraction = Json::Fraction { millionths: usage.fraction() as i64, bits: 0 };
    let texts = [outcome.as_str(), usage.source(), request, reason, &hex(at.chain)].join("\n");
    object(&[
        ("numbers", Float64Array::from(&numbers[..]).into()),
        ("fraction", to_js(&fraction)),
        ("texts", texts.into()),
        ("standing", standing_to_js(standing)),
    ])
}

fn standing_to_js(standing: &Standing) -> JsValue {
    Uint8Array::from(&standing.to_bytes()[..]).into()
}

/// What is sent as triples: `0, from, to` for the host's own messages, `1, number, 0` for one made in this call.
fn runs(view: &[Sent]) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for sent in view {
        match *sent {
            Sent::Input(input) => {
                let input = input as u32;
                let end = out.len();
                if end >= 3 && out[end - 3] == 0 && out[end - 1] == input {
                    out[end - 1] = input + 1;
                } else {
                    out.extend([0, input, input + 1]);
                }
            }
            Sent::Made(number) => out.extend([1, number, 0]),
        }
    }
    out
}
