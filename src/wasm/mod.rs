//! The only place that knows JavaScript: bindings and conversion. It holds no decision, and nothing in it waits.

use crate::prelude::*;
mod host;
mod js;
mod wire;

use crate::archive::Record;
use crate::call::Call;
use crate::digest::Digester;
use crate::engine::{self, Begun, Committed, Sent};
use crate::error::{Code, Error};
use crate::json::Json;
use crate::message::Digest;
use crate::options::Options;
use crate::pairs;
use crate::plan::record::Plan;
use crate::report;
use crate::standing::{self, Standing};
use crate::state::SessionState;
use crate::summary::request::Request;
use crate::summary::verify::Answer;
use crate::tokens::Estimator;
use host::Bridge;
pub use host::JsHost;
use wasm_bindgen::prelude::*;
use wire::{error_to_js, from_js, to_js};

/// 3 kB smaller (gzipped) than the standard one.
#[cfg(feature = "module")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic is a trap, by which the host knows that this instance is gone. `std` with its messages of panics
/// would be 8 kB of wasm, 3 kB gzipped.
#[cfg(feature = "module")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Bytes of text that cross at a time.
const CHUNK: usize = 65_536;

/// Digests messages from a tape whose text the host writes straight into this memory.
#[wasm_bindgen]
pub struct Reading {
    buffer: Vec<u8>,
    digester: Option<Digester>,
}

#[wasm_bindgen]
impl Reading {
    /// A reading that counts with this estimator (`rule[:family]`).
    #[wasm_bindgen(constructor)]
    pub fn new(estimator: &str) -> Result<Self, JsValue> {
        let estimator = Estimator::parse(estimator).map_err(error_to_js)?;
        Ok(Self { buffer: vec![0; CHUNK], digester: Some(Digester::new(estimator)) })
    }

    /// Where the buffer of 64 KiB lies in memory.
    #[wasm_bindgen(getter)]
    pub fn pointer(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    /// Takes ops and the first `bytes` of the buffer.
    pub fn push(&mut self, ops: &[u32], bytes: usize) -> Result<(), JsValue> {
        let text = self.buffer.get(..bytes).ok_or_else(gone)?;
        self.digester.as_mut().ok_or_else(gone)?.push(ops, text).map_err(error_to_js)
    }

    /// The records of all messages.
    pub fn finish(&mut self) -> Result<Vec<u32>, JsValue> {
        self.digester.take().ok_or_else(gone)?.finish().map_err(error_to_js)
    }
}

fn gone() -> JsValue {
    error_to_js(Error::new(Code::Boundary, "A reading was used after its end."))
}

/// Checks options; answers the name of the estimator for [`Reading`] and for this model.
#[wasm_bindgen]
pub fn validate(options: JsValue, model: Option<String>) -> Result<String, JsValue> {
    let options = parse_options(options).map_err(error_to_js)?;
    Ok(options.estimator.for_model(model.as_deref()).name())
}

fn parse_options(options: JsValue) -> Result<Options, Error> {
    Options::parse(&from_js(&options, "options", Code::InvalidOption)?)
}

/// Decides about a call.
#[wasm_bindgen]
pub fn plan(call: JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, flags).map_err(error_to_js)?;
    let mut bridge = Bridge::new(host);
    let plan = engine::plan(&call, &mut bridge);
    bridge.settle(plan).map(|mut plan| to_js(&plan.to_json()))
}

/// Decides about a call and commits at once if nothing has to be asked; else answers the plan that waits.
#[wasm_bindgen]
pub fn begin(call: JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, flags).map_err(error_to_js)?;
    let mut bridge = Bridge::new(host);
    let begun = engine::begin(&call, &mut bridge);
    Ok(match bridge.settle(begun)? {
        Begun::Done(committed) => committed_to_js(*committed),
        Begun::Waits(mut plan) => {
            let out = js::Object::new();
            out.member("plan", &to_js(&plan.to_json()));
            out.into()
        }
    })
}

/// [`begin`] for a chat to which only the messages of `records` were added since a call left `standing`. Answers nothing
/// if that is not enough to decide.
#[wasm_bindgen]
pub fn resume(call: JsValue, records: Vec<u32>, standing: &[u32]) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, Vec::new()).map_err(error_to_js)?;
    let mut known = Standing::default();
    for (number, words) in known.iter_mut().zip(standing.chunks_exact(2)) {
        *number = u64::from(words[0]) | u64::from(words[1]) << 32;
    }
    let committed = standing::resume(&call, &known).map_err(error_to_js)?;
    Ok(committed.map_or(JsValue::UNDEFINED, committed_to_js))
}

/// The meter.
#[wasm_bindgen]
pub fn usage(call: JsValue, records: Vec<u32>, flags: Vec<u8>, host: &JsHost) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, flags).map_err(error_to_js)?;
    let mut bridge = Bridge::new(host);
    let usage = engine::usage(&call, &mut bridge);
    bridge.settle(usage).map(|usage| to_js(&usage.to_json()))
}

/// What a plan asks a summarizer for.
#[wasm_bindgen]
pub fn requests(
    call: JsValue,
    records: Vec<u32>,
    flags: Vec<u8>,
    plan: JsValue,
    host: &JsHost,
) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, flags).map_err(error_to_js)?;
    let plan = parse_plan(plan).map_err(error_to_js)?;
    let mut bridge = Bridge::new(host);
    let requests = engine::requests(&call, &plan, &mut bridge);
    bridge.settle(requests).map(|requests| requests_to_js(&requests))
}

/// Applies a plan.
#[wasm_bindgen]
pub fn commit(
    call: JsValue,
    records: Vec<u32>,
    flags: Vec<u8>,
    plan: JsValue,
    results: JsValue,
    host: &JsHost,
) -> Result<JsValue, JsValue> {
    let call = parse_call(&call, records, flags).map_err(error_to_js)?;
    let plan = parse_plan(plan).map_err(error_to_js)?;
    let results = from_js(&results, "results", Code::InvalidCall).map_err(error_to_js)?;
    let answers = parse_answers(&results);
    let mut bridge = Bridge::new(host);
    let committed = engine::commit(&call, &plan, answers.as_deref(), &mut bridge);
    let mut committed = bridge.settle(committed)?;
    committed.account(&plan, &results);
    Ok(committed_to_js(committed))
}

/// Learns from reported usage.
#[wasm_bindgen]
pub fn after_model(options: JsValue, state: JsValue, usage: JsValue, request: JsValue) -> Result<JsValue, JsValue> {
    let options = parse_options(options).map_err(error_to_js)?;
    let state = parse_state(state).map_err(error_to_js)?;
    let usage = from_js(&usage, "usage", Code::InvalidCall).unwrap_or_default();
    let request = request.as_string();
    let count = |name: &str| usage.get(name).count();
    let reported = engine::Reported {
        prompt: count("prompt"),
        output: count("output").unwrap_or(0),
        reasoning: count("reasoning").unwrap_or(0),
    };
    Ok(to_js(&engine::after_model(&options, &state, reported, request.as_deref()).to_json()))
}

/// The first message a host must load.
#[wasm_bindgen]
pub fn keep_from(state: JsValue) -> Result<JsValue, JsValue> {
    let state = parse_state(state).map_err(error_to_js)?;
    let (index, id) = engine::keep_from(&state);
    Ok(to_js(&Json::record(&mut [("index", index.into()), ("id", id.map(str::to_owned).into())])))
}

/// The newest summary.
#[wasm_bindgen]
pub fn summary_of(state: JsValue) -> Result<Option<String>, JsValue> {
    let state = parse_state(state).map_err(error_to_js)?;
    Ok(engine::summary_of(&state).map(str::to_owned))
}

/// Flat attributes of a report.
#[wasm_bindgen]
pub fn attributes(report: JsValue) -> Result<JsValue, JsValue> {
    let report = from_js(&report, "report", Code::InvalidCall).map_err(error_to_js)?;
    report::attributes(&report).map(|flat| to_js(&flat)).map_err(error_to_js)
}

/// Violations in a run of messages.
#[wasm_bindgen]
pub fn check(records: Vec<u32>, strict: bool) -> Result<JsValue, JsValue> {
    let messages = Digest::split(&records).ok_or_else(gone)?;
    let mut all = pairs::check(&messages);
    if strict {
        all.extend(pairs::alternation(&messages));
    }
    let found = all.into_iter().map(|violation| {
        Json::record(&mut [
            ("rule", violation.rule.into()),
            ("index", violation.index.into()),
            ("message", violation.message.into()),
        ])
    });
    Ok(to_js(&Json::List(found.collect())))
}

#[wasm_bindgen]
extern "C" {
    /// What TypeScript passes as a call, as far as it is not plain data.
    type Given;

    #[wasm_bindgen(method, getter)]
    fn system(this: &Given) -> Option<Vec<u32>>;
    #[wasm_bindgen(method, getter)]
    fn tools(this: &Given) -> Option<Vec<u32>>;
}

fn parse_call(call: &JsValue, records: Vec<u32>, flags: Vec<u8>) -> Result<Call, Error> {
    let member = |name: &str| js::get(call, &JsValue::from_str(name)).unwrap_or(JsValue::NULL);
    let given: &Given = call.unchecked_ref();
    let mut members = Vec::new();
    for (name, code) in
        [("options", Code::InvalidOption), ("window", Code::InvalidWindow), ("state", Code::InvalidState)]
    {
        members.push((name.to_owned(), from_js(&member(name), name, code)?));
    }
    for name in [
        "offset",
        "model",
        "maxOutputTokens",
        "uncountedTools",
        "todos",
        "mustKeep",
        "threshold",
        "focus",
        "compact",
        "ids",
        "unreadable",
        "counterFailed",
        "overflow",
        "strict",
    ] {
        members.push((name.to_owned(), from_js(&member(name), name, Code::InvalidCall)?));
    }
    Call::parse(&Json::Object(members), records, flags, given.system().as_deref(), given.tools().as_deref())
}

fn parse_state(state: JsValue) -> Result<SessionState, Error> {
    SessionState::parse(&from_js(&state, "state", Code::InvalidState)?)
}

fn parse_plan(plan: JsValue) -> Result<Plan, Error> {
    Plan::parse(&from_js(&plan, "plan", Code::InvalidPlan)?)
}

/// Answers of the host's summarizer; none when nobody was asked.
fn parse_answers(results: &Json) -> Option<Vec<Answer>> {
    let answer = |answer: &Json| match (answer.get("text").text(), answer.get("finish").text()) {
        (Some(text), Some(finish)) => Answer::Text { text: text.to_owned(), finish: finish.to_owned() },
        _ => {
            Answer::Failed(answer.get("error").text().unwrap_or("The summarizer answered in no known form.").to_owned())
        }
    };
    Some(results.list()?.iter().map(answer).collect())
}

fn requests_to_js(requests: &[Request]) -> JsValue {
    let request = |request: &Request| {
        Json::record(&mut [
            ("id", request.id.as_str().into()),
            ("kind", request.kind.into()),
            ("system", request.system.as_str().into()),
            ("prompt", request.prompt.as_str().into()),
            ("maxOutputTokens", request.max_output_tokens.into()),
        ])
    };
    to_js(&Json::List(requests.iter().map(request).collect()))
}

fn committed_to_js(mut committed: Committed) -> JsValue {
    let out = js::Object::new();
    out.member("state", &to_js(&committed.state.to_json()));
    out.member("report", &to_js(&committed.report.to_json()));
    out.member("changed", &JsValue::from_bool(committed.changed));
    out.member("view", &JsValue::from(runs(&committed.view)));
    if let Some(standing) = committed.standing {
        let words: Vec<u32> = standing.iter().flat_map(|&number| [number as u32, (number >> 32) as u32]).collect();
        out.member("standing", &JsValue::from(words));
    }
    if let Some(next) = &mut committed.next {
        out.member("next", &to_js(&next.to_json()));
    }
    out.into()
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
