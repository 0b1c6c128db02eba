//! Repeats natively what the engine decided in wasm: every boundary crossing that `tests/js/vectors/record.mjs`
//! recorded, with the same input and the same answers of the host.

use crate::support::json;
use crate::support::to_value;
use precis::base::archive::Record;
use precis::base::error::Error;
use precis::call::input::Call;
use precis::call::standing::Standing;
use precis::engine::fast_path::{self, Passed};
use precis::engine::waiting::Waiting;
use precis::engine::{self, Begun, Committed, Reported};
use precis::ingest::content::Content;
use precis::ingest::content_reader;
use precis::ingest::host::{Host, Product, Sent};
use precis::ingest::record_writer::RecordWriter;
use precis::ladder::plan::Plan;
use precis::limits::options::Options;
use precis::session::state::SessionState;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use precis::tokens::Estimator;
use serde_json::{Value, json as value};
use std::io::BufRead;

#[test]
#[ignore = "needs vectors: npm test -- native"]
fn the_native_engine_decides_as_the_one_in_wasm() {
    let path = std::env::var("PRECIS_VECTORS").expect("PRECIS_VECTORS names the file");
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut counts = std::collections::BTreeMap::new();
    for (number, line) in file.lines().enumerate() {
        let vector: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let name = vector["name"].as_str().unwrap().to_owned();
        let mut host = Recorded { said: vector["host"].as_array().unwrap().iter(), made: 0 };
        let answer = again(&name, &vector["given"], &mut host);
        // Compared as text, as it would be stored and sent: numbers and strings to the last digit.
        let (mine, theirs) = (answer.to_string(), vector["answer"].to_string());
        assert_eq!(mine, theirs, "vector {number}, {name}");
        assert!(host.said.next().is_none(), "vector {number}, {name}: the host was asked less");
        if answer.get("again").is_some() {
            *counts.entry("passed".to_owned()).or_insert(0_u32) += 1;
        }
        *counts.entry(name).or_insert(0_u32) += 1;
    }
    for name in [
        "reading",
        "usage",
        "plan",
        "begin",
        "complete",
        "requests",
        "commit",
        "resume",
        "records",
        "passed",
        "after_model",
    ] {
        assert!(counts.get(name).is_some_and(|&count| count > 20), "{name}: {counts:?}");
    }
    println!("{} vectors", counts.values().sum::<u32>());
}

fn again(name: &str, given: &Value, host: &mut Recorded<'_>) -> Value {
    match name {
        "reading" => {
            let estimator = Estimator::parse(given["estimator"].as_str().unwrap()).unwrap();
            let mut writer = RecordWriter::new(estimator);
            for push in given["pushes"].as_array().unwrap() {
                let text: Vec<u8> = words(&push["text"]).into_iter().map(|byte| byte as u8).collect();
                writer.push(&words(&push["ops"]), &text).unwrap();
            }
            value!(writer.finish().unwrap())
        }
        "usage" => to_value(&engine::usage(&call(given), host).unwrap().to_json()),
        "plan" => to_value(&engine::plan(&call(given), host).unwrap().to_json()),
        "begin" => match engine::begin(&call(given), host).unwrap() {
            Begun::Done(done) => outcome(*done),
            Begun::Waits { mut plan, open } => value!({ "plan": to_value(&plan.to_json()), "open": open }),
        },
        "requests" => asked(&engine::requests(&call(given), &plan(given), host).unwrap()),
        "commit" => {
            let plan = plan(given);
            let results = json(&given["results"]);
            let mut done = engine::commit(&call(given), &plan, Answer::all(&results).as_deref(), host).unwrap();
            done.account(&plan, &results);
            outcome(done)
        }
        "complete" => complete(Waiting::new(call(given), plan(given)), host),
        "resume" => fast_path::resume(&call(given), &known(given)).unwrap().map_or(Value::Null, outcome),
        "records" => {
            let mut writer = RecordWriter::new(Estimator::parse(given["estimator"].as_str().unwrap()).unwrap());
            let text: Vec<u8> = words(&given["text"]).into_iter().map(|byte| byte as u8).collect();
            writer.push(&words(&given["ops"]), &text).unwrap();
            let records = writer.finish().unwrap();
            let mut answer = value!({ "records": records });
            if !given["known"].is_null() {
                let all = [words(&given["known"]), records].concat();
                if let Some(passed) = fast_path::repeat(&all, &known(given)).unwrap() {
                    answer["again"] = self::passed(passed);
                }
            }
            answer
        }
        "after_model" => {
            let options = Options::parse(&json(&given["options"])).unwrap();
            let state = SessionState::parse(&json(&given["state"])).unwrap();
            let count = |name: &str| given["usage"][name].as_u64();
            let reported = Reported {
                prompt: count("prompt"),
                output: count("output").unwrap_or(0),
                reasoning: count("reasoning").unwrap_or(0),
                cached: count("cached"),
                aggregated: given["usage"]["aggregated"] == true,
                mismatch: given["usage"]["mismatch"] == true,
                unread: given["usage"]["unread"].as_bool(),
            };
            to_value(&engine::after_model(&options, &state, reported, given["request"].as_str()).to_json())
        }
        _ => panic!("nothing is known of {name}"),
    }
}

/// Round by round, as recorded: the requests, the answers and the results.
fn complete(mut waiting: Waiting, host: &mut Recorded<'_>) -> Value {
    loop {
        host.made = 0;
        let requests = asked(&waiting.requests(host).unwrap().cloned().collect::<Vec<_>>());
        let answers = json(host.next("ask", requests));
        host.made = 0;
        let done = waiting.commit(&answers, host).unwrap();
        if done.next.is_none() {
            return outcome(done);
        }
        host.next("next", outcome(done));
    }
}

fn asked(requests: &[Request]) -> Value {
    let request = |one: &Request| {
        value!({
            "id": one.id, "kind": one.kind, "system": one.system, "prompt": one.prompt,
            "maxOutputTokens": one.max_output_tokens, "chat": runs(&one.chat), "append": runs(&one.append),
        })
    };
    requests.iter().map(request).collect()
}

fn call(given: &Value) -> Call {
    let fixed = |name: &str| given.get(name).filter(|record| !record.is_null()).map(words);
    let (system, tools) = (fixed("system"), fixed("tools"));
    let flags = words(&given["flags"]).into_iter().map(|flag| flag as u8).collect();
    Call::parse(&json(&given["call"]), words(&given["records"]), flags, system.as_deref(), tools.as_deref()).unwrap()
}

fn plan(given: &Value) -> Plan {
    Plan::parse(&json(&given["plan"])).unwrap()
}

fn known(given: &Value) -> Standing {
    let bytes: Vec<u8> = words(&given["standing"]).into_iter().map(|byte| byte as u8).collect();
    Standing::from_bytes(&bytes)
}

/// The same for a call that only appended messages.
fn passed(passed: Passed) -> Value {
    let Passed { usage, at, outcome, sent, request, reason, saved, standing } = passed;
    let size = to_value(&usage.to_json());
    let report = value!({
        "outcome": outcome.as_str(), "reason": reason, "before": size, "after": size,
        "replyRoom": usage.reply_room(), "saved": saved, "request": request,
    });
    value!({
        "report": report,
        "at": { "count": at.count, "chain": precis::model::message::hex(at.chain) }, "sent": sent.map(precis::model::message::hex), "standing": standing.to_bytes(),
    })
}

/// As the boundary returns it to JavaScript.
fn outcome(mut done: Committed) -> Value {
    let mut out = value!({
        "state": to_value(&done.state.to_json()),
        "report": to_value(&done.report.to_json()),
        "changed": done.changed,
        "open": done.report.before.is_open(),
        "view": runs(&done.view),
    });
    if let Some(standing) = done.standing {
        if let Some(template) = fast_path::template(&standing, &done.report) {
            out["template"] = to_value(&template.to_json());
        }
        out["standing"] = value!(standing.to_bytes());
    }
    if let Some(next) = &mut done.next {
        out["next"] = to_value(&next.to_json());
    }
    out
}

/// Triples: `0, from, to` for the host's own messages, `1, number, 0` for one created in the call.
fn runs(view: &[Sent]) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for sent in view {
        match *sent {
            Sent::Input(input) => match out.as_mut_slice() {
                [.., 0, _, to] if *to == input as u32 => *to += 1,
                _ => out.extend([0, input as u32, input as u32 + 1]),
            },
            Sent::Made(number) => out.extend([1, number, 0]),
        }
    }
    out
}

fn words(list: &Value) -> Vec<u32> {
    list.as_array().unwrap().iter().map(|number| u32::try_from(number.as_u64().unwrap()).unwrap()).collect()
}

/// A host that repeats its recorded answers, and checks that it gets the recorded questions.
struct Recorded<'a> {
    said: std::slice::Iter<'a, Value>,
    made: u32,
}

impl Recorded<'_> {
    fn next(&mut self, name: &str, args: Value) -> &Value {
        let said = self.said.next().unwrap_or_else(|| panic!("{name} was never asked"));
        assert_eq!(value!([name, args]), value!([said[0], said[1]]));
        &said[2]
    }

    fn product(&mut self, name: &str, args: Value) -> Option<Product> {
        let answer = self.next(name, args);
        let record = (!answer.is_null()).then(|| words(answer))?;
        self.made += 1;
        Some(Product { record, number: self.made - 1 })
    }
}

impl Host for Recorded<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let tape = self.next("read", value!([inputs]));
        let text: Vec<u8> = words(&tape["text"]).into_iter().map(|byte| byte as u8).collect();
        content_reader::read(&words(&tape["ops"]), &text)
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        Ok(self.product("summary", value!([text, id, covers])).unwrap())
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        Ok(self.product("remade", value!([input, key])))
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let (parts, bodies): (Vec<u32>, Vec<&str>) = texts.iter().map(|(part, text)| (*part, text.as_str())).unzip();
        Ok(self.product("replace", value!([input, key, parts, bodies])).unwrap())
    }

    fn result(&mut self, input: usize, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error> {
        Ok(self.product("result", value!([input, id, name, text])))
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let place = |sent| match sent {
            Sent::Input(input) => [0, input as u32],
            Sent::Made(number) => [1, number],
        };
        let pair = [place(first), place(second)].concat();
        Ok(self.product("merge", value!([pair])).unwrap())
    }
}
