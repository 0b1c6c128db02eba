//! The engine as a wasm module: three functions it exports, one it imports. It holds no decision, and nothing in it waits.
//!
//! What crosses lies in blocks of this module's memory that begin with their length in 32 bits; [`crate::wasm::wire`] says how
//! the rest is written. `js/src/boundary/glue.ts` is the other side.

use crate::base::archive::Record;
use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::call::committed::Standing;
use crate::call::input::Call;
use crate::engine::fast_path::{self, Passed};
use crate::engine::{self, Begun, Committed, Sent};
use crate::ingest::digester::Digester;
use crate::ingest::pairs;
use crate::ladder::plan::Plan;
use crate::limits::options::{self, Options};
use crate::model::message::{Digest, hex};
use crate::report;
use crate::session::state::SessionState;
use crate::summary::verify::Answer;
use crate::tokens::Estimator;
use crate::wasm::block;
use crate::wasm::host::Bridge;
use crate::wasm::reading::{Reading, Taker};
use crate::wasm::wire::{Reader, Writer};

/// The standard library's allocator keeps growing under calls of many sizes; this one stays flat.
#[cfg(feature = "module")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Room for a block of `length` bytes, its own length included, for the host to fill.
#[cfg_attr(feature = "module", unsafe(no_mangle))]
pub extern "C" fn room(length: u32) -> *mut u8 {
    let mut block = vec![0; length as usize];
    block[..4].copy_from_slice(&length.to_le_bytes());
    block::give(block)
}

/// The host is done with a block that [`call`] answered.
///
/// # Safety
/// `block` is one that `call` answered, and nothing reads it any more.
#[cfg_attr(feature = "module", unsafe(no_mangle))]
pub unsafe extern "C" fn done(block: *mut u8) {
    // SAFETY: by contract.
    drop(unsafe { block::take(block) });
}

/// Answers a call, by its number in [`answer`]: a block that holds how it went, 0 or [`REFUSED`] or [`THROWN`], and what
/// belongs to that.
///
/// # Safety
/// `block` was made by [`room`] and filled, and nothing reads it any more. A reading named in it is open.
#[cfg_attr(feature = "module", unsafe(no_mangle))]
pub unsafe extern "C" fn call(number: u32, block: *mut u8) -> *mut u8 {
    // SAFETY: by contract.
    let given = unsafe { block::take(block) };
    let mut bridge = Bridge::default();
    let mut out = Writer::default();
    out.whole(0);
    if let Err(error) = answer(number, &mut Reader::new(&given[4..]), &mut bridge, &mut out) {
        out = Writer::default();
        if bridge.thrown {
            out.whole(THROWN);
        } else {
            out.whole(REFUSED);
            out.value(&error_to_json(&error));
        }
    }
    block::give(out.finish())
}

/// An error follows.
const REFUSED: u32 = 1;
/// The host threw when it was asked something. It knows what.
const THROWN: u32 = 2;

fn error_to_json(error: &Error) -> Json {
    Json::record(&mut [
        ("code", error.code.as_str().into()),
        ("path", error.path.clone().into()),
        ("advice", error.advice.as_str().into()),
    ])
}

fn answer(number: u32, given: &mut Reader<'_>, host: &mut Bridge, out: &mut Writer) -> Result<(), Error> {
    match number {
        // Opens a reading with this estimator (`rule[:family]`): the reading, and where its buffer of 64 KiB lies.
        0 => {
            let estimator = Estimator::parse(given.value().unwrap_or_default().text().unwrap_or_default())?;
            let reading = Reading::open(Taker::Digests(Box::new(Digester::new(estimator))));
            out.whole(reading as u32);
            // SAFETY: it was opened just now.
            out.whole(unsafe { &*reading }.buffer());
        }
        // Gives a reading ops and so many bytes of its buffer.
        1 => {
            let reading = reading(given)?;
            let bytes = given.value().unwrap_or_default().count().ok_or_else(gone)?;
            reading.push(&given.words().ok_or_else(gone)?, bytes as usize)?.ok_or_else(gone)?;
        }
        // Ends a reading: the records of all messages.
        2 => match reading(given)?.finish() {
            Some(Taker::Digests(digester)) => out.words(&digester.finish()?),
            _ => return Err(gone()),
        },
        // Frees a reading.
        3 => {
            let reading: *mut Reading = reading(given)?;
            // SAFETY: it was opened by 0, and the host forgets it now.
            unsafe { Reading::free(reading) };
        }
        // Checks options: the name of the estimator for 0 and for this model.
        4 => {
            let options = options::validate(&given.plain("options", Code::InvalidOption)?)?;
            out.text(&options.estimator.for_model(given.value().unwrap_or_default().text()).name());
        }
        5..=10 => of_call(number, &parse_call(given)?, given, host, out)?,
        // Learns from reported usage.
        11 => {
            let (options, state) = (options(given)?, state(given)?);
            let usage = given.value().unwrap_or_default();
            let request = given.value().unwrap_or_default();
            let count = |name: &str| usage.get(name).count();
            let reported = engine::Reported {
                prompt: count("prompt"),
                output: count("output").unwrap_or(0),
                reasoning: count("reasoning").unwrap_or(0),
            };
            out.value(&engine::after_model(&options, &state, reported, request.text()).to_json());
        }
        // The first message a host must load.
        12 => {
            let state = state(given)?;
            let (index, id) = engine::keep_from(&state);
            out.value(&Json::record(&mut [("index", index.into()), ("id", id.map(str::to_owned).into())]));
        }
        // The newest summary.
        13 => out.value(&engine::summary_of(&state(given)?).map(str::to_owned).into()),
        // Flat attributes of a report.
        14 => out.value(&report::attributes(&given.plain("report", Code::InvalidCall)?)?),
        // Violations in a run of messages.
        15 => {
            let records = given.words().ok_or_else(gone)?;
            let messages = Digest::split(&records).ok_or_else(gone)?;
            let mut all = pairs::check(&messages);
            if given.value() == Some(Json::Bool(true)) {
                all.extend(pairs::alternation(&messages));
            }
            out.list(all.len());
            for violation in all {
                out.value(&Json::record(&mut [
                    ("rule", violation.rule.into()),
                    ("index", violation.index.into()),
                    ("message", violation.message.into()),
                ]));
            }
        }
        // The records of messages on a whole tape that is short: as 0 to 3 in one go. If records follow, and what a call
        // left: as 7 where everything but the messages is as it was, first those of the records, then those of the tape.
        16 => {
            let estimator = Estimator::parse(given.value().unwrap_or_default().text().unwrap_or_default())?;
            let mut digester = Digester::new(estimator);
            digester.push(&given.words().ok_or_else(gone)?, given.bytes().ok_or_else(gone)?)?;
            let records = digester.finish()?;
            out.words(&records);
            let again = match given.words() {
                Some(mut all) => {
                    all.extend(records);
                    fast_path::again(&all, &known(given))?
                }
                None => None,
            };
            match again {
                Some(passed) => write_passed(&passed, out),
                None => out.value(&Json::Null),
            }
        }
        // What is said about a name that does not exist among these, of this kind of things.
        17 => {
            let (name, names, what) = (given.value(), given.value(), given.value());
            let (name, names, what) = (name.unwrap_or_default(), names.unwrap_or_default(), what.unwrap_or_default());
            let names: Vec<&str> = names.list().unwrap_or_default().iter().filter_map(Json::text).collect();
            out.text(&options::unknown_name(name.text().unwrap_or_default(), &names, what.text().unwrap_or_default()));
        }
        _ => return Err(gone()),
    }
    Ok(())
}

/// What a call, as [`parse_call`] reads it, is made for.
fn of_call(number: u32, call: &Call, given: &mut Reader<'_>, host: &mut Bridge, out: &mut Writer) -> Result<(), Error> {
    match number {
        // Decides about it.
        5 => out.value(&engine::plan(call, host)?.to_json()),
        // Decides, and commits at once if nothing has to be asked; else the plan that waits.
        6 => match engine::begin(call, host)? {
            Begun::Done(committed) => {
                out.value(&Json::Null);
                write_committed(*committed, out);
            }
            Begun::Waits(mut plan) => out.value(&plan.to_json()),
        },
        // As 6 for a chat to which only the messages of the records were added since a call left `standing`; nothing if
        // that is not enough to decide.
        7 => match fast_path::resume(call, &known(given))? {
            None => out.value(&Json::Bool(true)),
            Some(committed) => {
                out.value(&Json::Null);
                write_committed(committed, out);
            }
        },
        // The meter.
        8 => out.value(&engine::usage(call, host)?.to_json()),
        // What a plan asks a summarizer for.
        9 => {
            let requests = engine::requests(call, &plan(given)?, host)?;
            out.list(requests.len());
            for request in requests {
                out.value(&Json::record(&mut [
                    ("id", request.id.into()),
                    ("kind", request.kind.into()),
                    ("system", request.system.into()),
                    ("prompt", request.prompt.into()),
                    ("maxOutputTokens", request.max_output_tokens.into()),
                ]));
            }
        }
        // Applies a plan.
        _ => {
            let plan = plan(given)?;
            let results = given.plain("results", Code::InvalidCall)?;
            let mut committed = engine::commit(call, &plan, answers(&results).as_deref(), host)?;
            committed.account(&plan, &results);
            write_committed(committed, out);
        }
    }
    Ok(())
}

/// What an earlier call left.
fn known(given: &mut Reader<'_>) -> Standing {
    let mut known = Standing::default();
    for (number, bytes) in known.iter_mut().zip(given.bytes().unwrap_or_default().as_chunks().0) {
        *number = u64::from_le_bytes(*bytes);
    }
    known
}

fn write_standing(standing: &Standing, out: &mut Writer) {
    out.bytes(standing.map(u64::to_le_bytes).as_flattened());
}

/// That it is enough, and what is different: usage by its numbers alone, in the order of its JSON.
fn write_passed(Passed { usage, at, request, reason, standing }: &Passed, out: &mut Writer) {
    out.value(&Json::Bool(true));
    usage.each(&mut |_, value| out.value(&value));
    out.text(request);
    out.text(reason);
    out.value(&at.count.into());
    out.text(&hex(at.chain));
    write_standing(standing, out);
}

#[cold]
#[inline(never)]
fn gone() -> Error {
    Error::new(Code::Boundary, "JavaScript and engine of precis do not belong together: install precis afresh.")
}

fn reading<'a>(given: &mut Reader<'_>) -> Result<&'a mut Reading, Error> {
    let address = given.value().unwrap_or_default().count().ok_or_else(gone)?;
    // SAFETY: by the contract of `call` this is an open reading, and the host uses one at a time.
    Ok(unsafe { &mut *(address as usize as *mut Reading) })
}

fn options(given: &mut Reader<'_>) -> Result<Options, Error> {
    Options::parse(&given.plain("options", Code::InvalidOption)?)
}

fn state(given: &mut Reader<'_>) -> Result<SessionState, Error> {
    SessionState::parse(&given.plain("state", Code::InvalidState)?)
}

fn plan(given: &mut Reader<'_>) -> Result<Plan, Error> {
    Plan::parse(&given.plain("plan", Code::InvalidPlan)?)
}

/// The members of a call in the order in which they are passed, each with the code of its errors.
const MEMBERS: [(&str, Code); 24] = [
    ("options", Code::InvalidOption),
    ("window", Code::InvalidWindow),
    ("state", Code::InvalidState),
    ("offset", Code::InvalidCall),
    ("model", Code::InvalidCall),
    ("maxOutputTokens", Code::InvalidCall),
    ("uncountedTools", Code::InvalidCall),
    ("todos", Code::InvalidCall),
    ("mustKeep", Code::InvalidCall),
    ("threshold", Code::InvalidCall),
    ("focus", Code::InvalidCall),
    ("keep", Code::InvalidCall),
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

fn parse_call(given: &mut Reader<'_>) -> Result<Call, Error> {
    let mut members = Vec::with_capacity(MEMBERS.len());
    for (name, code) in MEMBERS {
        members.push((name.to_owned(), given.plain(name, code)?));
    }
    let (system, tools) = (given.words(), given.words());
    let records = given.words().ok_or_else(gone)?;
    let flags = given.bytes().unwrap_or_default().to_vec();
    Call::parse(&Json::Object(members), records, flags, system.as_deref(), tools.as_deref())
}

/// Answers of the host's summarizer; none when nobody was asked.
fn answers(results: &Json) -> Option<Vec<Answer>> {
    let answer = |answer: &Json| match (answer.get("text").text(), answer.get("finish").text()) {
        (Some(text), Some(finish)) => Answer::Text { text: text.to_owned(), finish: finish.to_owned() },
        _ => {
            Answer::Failed(answer.get("error").text().unwrap_or("The summarizer answered in no known form.").to_owned())
        }
    };
    Some(results.list()?.iter().map(answer).collect())
}

/// State, report, whether anything changed, what is sent, what the next call may rely on, what would be better still.
fn write_committed(mut committed: Committed, out: &mut Writer) {
    out.value(&committed.state.to_json());
    out.value(&committed.report.to_json());
    out.value(&Json::Bool(committed.changed));
    out.words(&runs(&committed.view));
    match committed.standing {
        Some(standing) => write_standing(&standing, out),
        None => out.value(&Json::Null),
    }
    out.value(&committed.next.map_or(Json::Null, |mut next| next.to_json()));
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
