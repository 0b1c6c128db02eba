//! The module that is shipped, run by Node beside the native engine: every call is made of both, with the same host, and
//! must come to the same. `tests/fuzz/module.mjs` is the other end.

use crate::chat::Setup;
use crate::support::Chat;
use crate::support::M;
use crate::support::Tape;
use crate::support::TestHost;
use crate::support::json;
use crate::support::records;
use crate::support::system;
use crate::support::to_value;
use precis::base::archive::Record;
use precis::base::error::Error;
use precis::base::json::Json;
use precis::call::input::Call;
use precis::engine::{self, Begun, Committed, Reported, Sent, fast_path};
use precis::ingest::host::{Host, Product};
use precis::ladder::plan::Plan;
use precis::limits::options::Options;
use precis::session::state::SessionState;
use precis::summary::verify::Answer;
use serde_json::{Value, json as value};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard};

/// The number that JavaScript would see.
pub fn number(value: f64) -> Json {
    if !value.is_finite() {
        return Json::NotANumber;
    }
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_991.0 {
        return Json::Int(value as i64);
    }
    Json::Fraction { millionths: (value * 1e6).round() as i64, bits: value.to_bits() }
}

/// The value as JavaScript sees it: what is no number is null, and a number has the precision of a double.
pub fn as_seen(value: Json) -> Json {
    match value {
        Json::NotANumber => Json::Null,
        Json::Int(int) => number(int as f64),
        Json::Fraction { millionths, bits: 0 } => number(millionths as f64 / 1e6),
        Json::Fraction { bits, .. } => number(f64::from_bits(bits)),
        Json::List(items) => Json::List(items.into_iter().map(as_seen).collect()),
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(name, value)| (name, as_seen(value))).collect())
        }
        other => other,
    }
}

/// Node with the module in it.
struct Module {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Ends with this process, which closes its input.
    _node: Child,
}

static MODULE: LazyLock<Mutex<Module>> = LazyLock::new(|| {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/module.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node cannot be started");
    let (to, from) = (node.stdin.take().unwrap(), BufReader::new(node.stdout.take().unwrap()));
    Mutex::new(Module { to, from, _node: node })
});

impl Module {
    fn say(&mut self, value: &Value) {
        let mut line = value.to_string();
        line.push('\n');
        self.to.write_all(line.as_bytes()).and_then(|()| self.to.flush()).expect("Node has ended");
    }

    fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("Node has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// A call, what the engine asks meanwhile answered by a host; or what was refused as code, path and advice.
    fn call(&mut self, call: &Value, host: &mut TestHost<'_>) -> Result<Value, Value> {
        self.say(call);
        loop {
            let mut heard = self.heard();
            if let Some(name) = heard["ask"].as_str() {
                let answer = answer(host, name, &heard["args"]);
                self.say(&answer);
            } else if heard.get("done").is_some() {
                return Ok(seen(json(&heard["done"].take())));
            } else if heard.get("refused").is_some() {
                return Err(heard["refused"].take());
            } else {
                panic!("the module broke: {heard}");
            }
        }
    }
}

/// What the host of the native engine says to the module.
fn answer(host: &mut TestHost<'_>, name: &str, args: &Value) -> Value {
    let text = |at: usize| args[at].as_str().unwrap();
    let whole = |at: usize| args[at].as_u64().unwrap();
    let record = |product: Result<Product, Error>| value!(product.unwrap().record);
    let maybe = |product: Result<Option<Product>, Error>| {
        product.unwrap().map_or(Value::Null, |product| value!(product.record))
    };
    match name {
        "read" => {
            let mut tape = Tape::cut(BUFFER / 2);
            let inputs = args.as_array().unwrap().iter().map(|input| input.as_u64().unwrap() as usize);
            inputs.for_each(|input| tape.message(&host.messages[input]));
            pushes(&tape)
        }
        "summary" => record(host.summary(text(0), text(1), whole(2))),
        "remade" => maybe(host.remade(whole(0) as usize, text(1))),
        "replace" => {
            let texts = args[3].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
            let parts = args[2].as_array().unwrap().iter().map(|part| part.as_u64().unwrap() as u32);
            record(host.replace(whole(0) as usize, text(1), &parts.zip(texts).collect::<Vec<_>>()))
        }
        "result" => maybe(host.result(whole(0) as usize, text(1), text(2), text(3))),
        "merge" => {
            let place = |at: usize| match whole(at) {
                0 => Sent::Input(whole(at + 1) as usize),
                _ => Sent::Made(whole(at + 1) as u32),
            };
            record(host.merge(place(0), place(2)))
        }
        other => panic!("the module asks for {other}"),
    }
}

/// Bytes that a reading takes in at a time.
const BUFFER: usize = 65_536;

/// A tape in pieces, each of which a reading's buffer holds.
fn pushes(tape: &Tape) -> Value {
    let mut pieces = Vec::new();
    let (mut op, mut at) = (0, 0);
    while op < tape.ops.len() {
        let (first, start) = (op, at);
        while op < tape.ops.len() {
            let (words, bytes) = match tape.ops[op] {
                16 | 17 | 21 => (2, tape.ops[op + 1] as usize),
                1..=4 | 26 => (2, 0),
                5 | 25 => (3, 0),
                6 => (6, 0),
                _ => (1, 0),
            };
            if at + bytes - start > BUFFER {
                break;
            }
            (op, at) = (op + words, at + bytes);
        }
        let text = std::str::from_utf8(&tape.text[start..at]).unwrap();
        pieces.push(value!({ "ops": tape.ops[first..op], "text": text }));
    }
    pieces.into()
}

/// Both engines, one chat.
pub struct Both {
    module: MutexGuard<'static, Module>,
}

impl Default for Both {
    fn default() -> Self {
        let mut module = MODULE.lock().unwrap();
        module.call(&value!({ "name": "fresh" }), &mut TestHost::new(&[], "")).unwrap();
        Self { module }
    }
}

/// Numbers as JavaScript has them, so that both sides are compared alike.
fn seen(json: Json) -> Value {
    to_value(&as_seen(json))
}

fn answers(results: &Json) -> Vec<Answer> {
    let answer = |one: &Json| match (one.get("text").text(), one.get("finish").text()) {
        (Some(text), Some(finish)) => Answer::Text { text: text.to_owned(), finish: finish.to_owned() },
        _ => Answer::Failed(one.get("error").text().unwrap().to_owned()),
    };
    results.list().unwrap().iter().map(answer).collect()
}

/// A call as it is made of the module.
struct Asked<'a> {
    plain: Value,
    call: &'a Call,
    history: &'a [M],
    chat: &'a Chat,
}

impl Asked<'_> {
    fn with(&self, name: &str, more: &[(&str, Value)]) -> Value {
        let system = self.chat.system.as_ref().map(|body| records(&[system(body)], &self.chat.estimator()));
        let mut call = self.plain.clone();
        call["system"] = value!(system);
        call["tools"] = Value::Null;
        let mut all = value!({ "name": name, "call": call, "records": self.call.records, "flags": self.call.flags });
        more.iter().for_each(|(name, value)| all[*name] = value.clone());
        all
    }

    fn host(&self) -> TestHost<'_> {
        TestHost::new(self.history, &self.chat.estimator())
    }
}

impl Both {
    /// A request, with all that is asked, made of both.
    pub fn request(&mut self, chat: &mut Chat, history: &[M], setup: &Setup) {
        chat.tools = 0;
        self.digests(history, &chat.estimator());
        let mut call = chat.call(history).unwrap();
        call.asking = true;
        let mut plain = chat.more.clone();
        plain["options"] = chat.options.clone();
        plain["window"] = chat.options["contextWindow"].clone();
        plain["state"] = to_value(&chat.state);
        plain["asking"] = true.into();
        let state = self.decide(&Asked { plain, call: &call, history, chat }, setup);
        let Some(state) = state else { return };
        chat.state = state;
        self.after(chat);
    }

    /// A call by both engines: the state that it leaves, unless it was refused.
    fn decide(&mut self, asked: &Asked<'_>, setup: &Setup) -> Option<Json> {
        let used = engine::usage(asked.call, &mut asked.host()).map(|usage| seen(usage.to_json()));
        let theirs = self.module.call(&asked.with("usage", &[]), &mut asked.host());
        assert_eq!(theirs, used.map_err(told), "usage");

        let (mut host, mut other) = (asked.host(), asked.host());
        let theirs = self.module.call(&asked.with("begin", &[]), &mut other);
        let waits = match engine::begin(asked.call, &mut host) {
            Err(error) => {
                assert_eq!(theirs, Err(told(error)));
                return None;
            }
            Ok(Begun::Done(done)) => {
                assert_eq!(other.made, host.made, "messages made");
                let state = done.state.clone().to_json();
                assert_eq!(theirs, Ok(outcome(*done)));
                return Some(state);
            }
            Ok(Begun::Waits { plan, open }) => (*plan, open),
        };
        let (plan, open) = waits;
        assert_eq!(theirs, Ok(value!({ "plan": seen(plan.clone().to_json()), "open": open })));
        Some(self.summarize(asked, setup, plan))
    }

    /// Rounds of a plan until nothing is left to be asked.
    fn summarize(&mut self, asked: &Asked<'_>, setup: &Setup, mut plan: Plan) -> Json {
        let mut call = asked.call.clone();
        let mut plain = asked.plain.clone();
        loop {
            let asked = Asked { plain: plain.clone(), call: &call, ..*asked };
            let requests = engine::requests(&call, &plan, &mut asked.host()).unwrap();
            let plan_json = ("plan", to_value(&plan.clone().to_json()));
            let theirs =
                self.module.call(&asked.with("requests", std::slice::from_ref(&plan_json)), &mut asked.host()).unwrap();
            let mine: Value = requests
                .iter()
                .map(|one| value!({ "id": one.id, "kind": one.kind, "system": one.system, "prompt": one.prompt, "maxOutputTokens": one.max_output_tokens, "chat": runs(&one.chat), "append": runs(&one.append) }))
                .collect();
            assert_eq!(theirs, mine);
            let results: Value = requests
                .iter()
                .map(|request| match setup.answer(request) {
                    Answer::Text { text, finish } => value!({ "text": text, "finish": finish }),
                    Answer::Block { block, text, finish } => {
                        value!({ "block": to_value(&block), "text": text, "finish": finish })
                    }
                    Answer::Failed(reason) => value!({ "error": reason }),
                })
                .collect();
            let (mut host, mut other) = (asked.host(), asked.host());
            let mut done = engine::commit(&call, &plan, Some(&answers(&json(&results))), &mut host).unwrap();
            done.account(&plan, &json(&results));
            let given = asked.with("commit", &[plan_json, ("results", results)]);
            let theirs = self.module.call(&given, &mut other).unwrap();
            assert_eq!(other.made, host.made, "messages made");
            let (next, mut state) = (done.next.clone(), done.state.clone());
            assert_eq!(theirs, outcome(done));
            let Some(next) = next else { return state.to_json() };
            plain["state"] = to_value(&state.to_json());
            (plan, call.state) = (next, state);
        }
    }

    fn after(&mut self, chat: &mut Chat) {
        let options = Options::parse(&json(&chat.options)).unwrap();
        let state = SessionState::parse(&chat.state).unwrap();
        let prompt = state.pending.as_ref().map(|pending| pending.raw * 9 / 8);
        let reported = Reported { prompt, output: 40, ..Reported::default() };
        let mine = engine::after_model(&options, &state, reported, None).to_json();
        let usage = value!({ "prompt": prompt, "output": 40, "reasoning": 0 });
        let given =
            value!({ "name": "after_model", "options": chat.options, "state": to_value(&chat.state), "usage": usage });
        let theirs = self.module.call(&given, &mut TestHost::new(&[], "")).unwrap();
        assert_eq!(theirs, seen(mine.clone()), "after the model");
        chat.state = mine;
    }

    fn digests(&mut self, history: &[M], estimator: &str) {
        let mut tape = Tape::default();
        history.iter().for_each(|message| tape.message(message));
        let text = std::str::from_utf8(&tape.text).unwrap();
        let given = value!({ "name": "digest", "estimator": estimator, "ops": tape.ops, "text": text });
        let theirs = self.module.call(&given, &mut TestHost::new(&[], "")).unwrap();
        assert_eq!(theirs, value!(records(history, estimator)), "records");
    }
}

fn told(error: Error) -> Value {
    value!({ "code": error.code.as_str(), "path": error.path, "advice": error.advice })
}

/// What came of a commit, as the module says it.
fn outcome(mut done: Committed) -> Value {
    let template = done.standing.as_ref().and_then(|standing| fast_path::template(standing, &done.report));
    let standing = done.standing.map(|standing| standing.to_bytes());
    value!({
        "open": done.report.before.is_open(),
        "template": template.map_or(Value::Null, |template| seen(template.to_json())),
        "state": seen(done.state.to_json()), "report": seen(done.report.to_json()), "changed": done.changed,
        "view": runs(&done.view), "standing": standing,
        "next": done.next.as_mut().map_or(Value::Null, |next| seen(next.to_json())),
    })
}

/// Triples: `0, from, to` for the host's own messages, `1, number, 0` for one made in the call.
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
