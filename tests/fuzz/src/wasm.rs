//! The module that is shipped, run by an interpreter beside the native engine: every call is made of both, with the same
//! host, and must come to the same.

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
use precis::engine::{self, Begun, Committed, Reported, Sent};
use precis::ingest::host::{Host, Product};
use precis::ladder::plan::Plan;
use precis::limits::options::Options;
use precis::session::state::SessionState;
use precis::summary::verify::Answer;
use serde_json::{Value, json as value};
use std::sync::LazyLock;
use wasmi::{Caller, Engine, Extern, Instance, Linker, Module, Store};

/// The members of a call, in the order in which the module reads them.
static MEMBERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let source = include_str!("../../../src/wasm/exports.rs");
    let list = source.split("const MEMBERS").nth(1).unwrap().split("];").next().unwrap();
    list.split("(\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
});

/// A value as it crosses.
#[derive(Clone, Debug, PartialEq)]
pub enum Crossing {
    Plain(Json),
    Words(Vec<u32>),
    Bytes(Vec<u8>),
}

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

/// The first value of a block that a writer has finished, its length taken off; and what follows.
pub fn read(block: &[u8]) -> (Json, &[u8]) {
    let mut from = Outgoing::new(block);
    let Crossing::Plain(json) = from.next() else { panic!("no plain data") };
    (json, from.structure)
}

/// Reads what the engine wrote, as JavaScript does: texts stand behind the structure, measured in UTF-16 units.
struct Outgoing<'a> {
    structure: &'a [u8],
    text: &'a str,
}

impl<'a> Outgoing<'a> {
    fn new(block: &'a [u8]) -> Self {
        let texts = u32::from_le_bytes(block[..4].try_into().unwrap()) as usize - 4;
        Self { structure: &block[4..texts], text: std::str::from_utf8(&block[texts..]).unwrap() }
    }

    fn byte(&mut self) -> u8 {
        *self.structure.split_off_first().expect("the answer ends too early")
    }

    fn count(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return number;
            }
            shift += 7;
        }
    }

    fn words_of_text(&mut self) -> String {
        let mut units = self.count();
        let end = self.text.char_indices().find_map(|(at, character)| {
            if units == 0 {
                return Some(at);
            }
            units -= character.len_utf16();
            None
        });
        let (text, rest) = self.text.split_at(end.unwrap_or(self.text.len()));
        self.text = rest;
        text.to_owned()
    }

    fn next(&mut self) -> Crossing {
        Crossing::Plain(match self.byte() {
            0 => Json::Null,
            1 => Json::Bool(false),
            2 => Json::Bool(true),
            3 => Json::Int(self.count() as i64),
            4 => number(f64::from_le_bytes(self.structure.split_off(..8).unwrap().try_into().unwrap())),
            5 => Json::Text(self.words_of_text()),
            6 => {
                let count = self.count();
                Json::List((0..count).map(|_| self.plain()).collect())
            }
            7 => {
                let count = self.count();
                Json::Object((0..count).map(|_| (self.words_of_text(), self.plain())).collect())
            }
            8 => {
                let bytes = self.count() * 4;
                let words = self.structure.split_off(..bytes).unwrap().chunks_exact(4);
                return Crossing::Words(words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect());
            }
            9 => {
                let bytes = self.count();
                return Crossing::Bytes(self.structure.split_off(..bytes).unwrap().to_vec());
            }
            tag => panic!("tag {tag}"),
        })
    }

    fn plain(&mut self) -> Json {
        match self.next() {
            Crossing::Plain(json) => json,
            other => panic!("{other:?}"),
        }
    }

    fn words(&mut self) -> Vec<u32> {
        match self.next() {
            Crossing::Words(words) => words,
            other => panic!("{other:?}"),
        }
    }

    fn text(&mut self) -> String {
        self.plain().text().unwrap().to_owned()
    }
}

fn put_count(out: &mut Vec<u8>, mut count: usize) {
    while count > 127 {
        out.push(count as u8 | 128);
        count >>= 7;
    }
    out.push(count as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend(text.as_bytes());
}

/// Writes a value as JavaScript does: texts stand in their places, measured in bytes.
fn put(out: &mut Vec<u8>, value: &Crossing) {
    match value {
        Crossing::Words(words) => {
            out.push(8);
            put_count(out, words.len());
            words.iter().for_each(|word| out.extend(word.to_le_bytes()));
        }
        Crossing::Bytes(bytes) => {
            out.push(9);
            put_count(out, bytes.len());
            out.extend(bytes);
        }
        Crossing::Plain(json) => put_json(out, json),
    }
}

fn put_json(out: &mut Vec<u8>, json: &Json) {
    let float = |out: &mut Vec<u8>, value: f64| {
        out.push(4);
        out.extend(value.to_le_bytes());
    };
    match json {
        Json::Null | Json::NotANumber => out.push(0),
        Json::Bool(flag) => out.push(1 + u8::from(*flag)),
        Json::Int(int) => match u32::try_from(*int) {
            Ok(whole) => {
                out.push(3);
                put_count(out, whole as usize);
            }
            Err(_) => float(out, *int as f64),
        },
        Json::Fraction { millionths, bits: 0 } => float(out, *millionths as f64 / 1e6),
        Json::Fraction { bits, .. } => float(out, f64::from_bits(*bits)),
        Json::Text(text) => {
            out.push(5);
            put_text(out, text);
        }
        Json::List(items) => {
            out.push(6);
            put_count(out, items.len());
            items.iter().for_each(|item| put_json(out, item));
        }
        Json::Object(members) => {
            out.push(7);
            put_count(out, members.len());
            for (name, item) in members {
                put_text(out, name);
                put_json(out, item);
            }
        }
    }
}

fn block(how: &[u8], values: &[Crossing]) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.extend(how);
    values.iter().for_each(|value| put(&mut out, value));
    let length = (out.len() as u32).to_le_bytes();
    out[..4].copy_from_slice(&length);
    out
}

/// The host of the module: that of the native engine, over messages of its own.
#[derive(Default)]
struct Asked {
    messages: Vec<M>,
    estimator: String,
    made: Vec<M>,
}

impl Asked {
    fn answer(&mut self, number: u32, args: &[u8]) -> Vec<u8> {
        let mut from = Outgoing::new(args);
        let mut host = TestHost {
            messages: &self.messages,
            estimator: self.estimator.clone(),
            made: std::mem::take(&mut self.made),
        };
        let record = |product: Result<Product, Error>| Crossing::Words(product.unwrap().record);
        let maybe = |product: Result<Option<Product>, Error>| {
            product.unwrap().map_or(Crossing::Plain(Json::Null), |product| Crossing::Words(product.record))
        };
        let values = match number {
            1 => vec![record(host.summary(&from.text(), &from.text(), from.plain().count().unwrap()))],
            2 => vec![maybe(host.remade(from.plain().count().unwrap() as usize, &from.text()))],
            3 => {
                let (input, key, parts) = (from.plain().count().unwrap(), from.text(), from.words());
                let texts = from.plain();
                let texts = texts.list().unwrap().iter().map(|text| text.text().unwrap().to_owned());
                let texts: Vec<(u32, String)> = parts.into_iter().zip(texts).collect();
                vec![record(host.replace(input as usize, &key, &texts))]
            }
            4 => vec![maybe(host.result(&from.text(), &from.text(), &from.text()))],
            _ => {
                let pair = from.words();
                let place = |at: usize| match pair[at] {
                    0 => Sent::Input(pair[at + 1] as usize),
                    _ => Sent::Made(pair[at + 1]),
                };
                vec![record(host.merge(place(0), place(2)))]
            }
        };
        self.made = host.made;
        block(&[0], &values)
    }
}

/// An instance of the module.
struct Machine {
    store: Store<Asked>,
    instance: Instance,
}

static MODULE: LazyLock<(Engine, Module)> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../pkg/precis.wasm");
    let bytes = std::fs::read(path).expect("pkg/precis.wasm: npm run build");
    let engine = Engine::default();
    let module = Module::new(&engine, &bytes[..]).unwrap();
    (engine, module)
});

fn room(caller: &mut Caller<'_, Asked>, length: usize) -> u32 {
    let room = caller.get_export("room").and_then(Extern::into_func).unwrap();
    let room = room.typed::<u32, u32>(&*caller).unwrap();
    room.call(&mut *caller, length as u32).unwrap()
}

/// Pushes the messages that are asked for to the engine's own reading, its buffer filled again and again.
fn read_into(caller: &mut Caller<'_, Asked>, args: &[u8]) {
    const BUFFER: usize = 65_536;
    let mut from = Outgoing::new(args);
    let inputs = from.words();
    let (reading, buffer) = (from.plain(), from.plain().count().unwrap() as usize);
    let mut tape = Tape::cut(BUFFER / 2);
    inputs.iter().for_each(|&input| tape.message(&caller.data().messages[input as usize]));
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
        let memory = caller.get_export("memory").and_then(Extern::into_memory).unwrap();
        memory.write(&mut *caller, buffer, &tape.text[start..at]).unwrap();
        let bytes = Json::Int((at - start) as i64);
        let ops = Crossing::Words(tape.ops[first..op].to_vec());
        let given = block(&[], &[Crossing::Plain(reading.clone()), Crossing::Plain(bytes), ops]);
        let place = room(caller, given.len());
        memory.write(&mut *caller, place as usize, &given).unwrap();
        let call = caller.get_export("call").and_then(Extern::into_func).unwrap();
        let call = call.typed::<(u32, u32), u32>(&*caller).unwrap();
        let answer = call.call(&mut *caller, (1, place)).expect("the module trapped");
        let done = caller.get_export("done").and_then(Extern::into_func).unwrap();
        done.typed::<u32, ()>(&*caller).unwrap().call(&mut *caller, answer).unwrap();
    }
}

impl Machine {
    fn new() -> Self {
        let (engine, module) = &*MODULE;
        let mut store = Store::new(engine, Asked::default());
        let mut linker = Linker::new(engine);
        linker
            .func_wrap("precis", "ask", |mut caller: Caller<'_, Asked>, number: u32, args: u32| -> u32 {
                let memory = caller.get_export("memory").and_then(Extern::into_memory).unwrap();
                let at = args as usize;
                let data = memory.data(&caller);
                let length = u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize;
                let args = data[at + 4..at + length].to_vec();
                let answer = if number == 0 {
                    read_into(&mut caller, &args);
                    block(&[0], &[])
                } else {
                    caller.data_mut().answer(number, &args)
                };
                let place = room(&mut caller, answer.len());
                memory.write(&mut caller, place as usize, &answer).unwrap();
                place
            })
            .unwrap();
        let instance = linker.instantiate_and_start(&mut store, module).unwrap();
        Self { store, instance }
    }

    /// A call: the bytes of its answer behind their length.
    fn call(&mut self, number: u32, values: &[Crossing]) -> Vec<u8> {
        let given = block(&[], values);
        let Self { store, instance } = self;
        let memory = instance.get_memory(&*store, "memory").unwrap();
        let room = instance.get_typed_func::<u32, u32>(&*store, "room").unwrap();
        let call = instance.get_typed_func::<(u32, u32), u32>(&*store, "call").unwrap();
        let done = instance.get_typed_func::<u32, ()>(&*store, "done").unwrap();
        let at = room.call(&mut *store, given.len() as u32).unwrap();
        memory.write(&mut *store, at as usize, &given).unwrap();
        let answer = call.call(&mut *store, (number, at)).expect("the module trapped") as usize;
        let data = memory.data(&*store);
        let length = u32::from_le_bytes(data[answer..answer + 4].try_into().unwrap()) as usize;
        let out = data[answer + 4..answer + length].to_vec();
        done.call(&mut *store, answer as u32).unwrap();
        out
    }
}

/// Both engines, one chat.
pub struct Both {
    machine: Machine,
}

impl Default for Both {
    fn default() -> Self {
        Self { machine: Machine::new() }
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

impl Both {
    /// A request, with all that is asked, made of both.
    pub fn request(&mut self, chat: &mut Chat, history: &[M], setup: &Setup) {
        chat.tools = 0;
        let estimator = chat.estimator();
        let asked = self.machine.store.data_mut();
        (asked.messages, asked.estimator) = (history.to_vec(), estimator.clone());
        self.digests(history, &estimator);
        let mut call = chat.call(history).unwrap();
        call.asking = true;
        let mut plain = chat.more.clone();
        plain["options"] = chat.options.clone();
        plain["window"] = chat.options["contextWindow"].clone();
        plain["state"] = to_value(&chat.state);
        plain["asking"] = true.into();

        let used = engine::usage(&call, &mut TestHost::new(history, &estimator)).map(|usage| seen(usage.to_json()));
        let theirs = self.ask(8, &plain, &call, chat, &[], |from| from.plain());
        assert_eq!(theirs.map(seen), used.map_err(told), "usage");

        let mut host = TestHost::new(history, &estimator);
        let begun = engine::begin(&call, &mut host);
        let theirs = self.ask(6, &plain, &call, chat, &[], |from| match from.plain() {
            Json::Null => committed(from),
            plan => value!({ "plan": seen(plan) }),
        });
        let mine = match begun {
            Err(error) => return assert_eq!(theirs, Err(told(error))),
            Ok(Begun::Done(done)) => {
                assert_eq!(self.machine.store.data().made, host.made, "messages made");
                chat.state = done.state.clone().to_json();
                let mine = outcome(*done);
                return assert_eq!(theirs, Ok(mine));
            }
            Ok(Begun::Waits(plan)) => plan,
        };
        let mut plan: Plan = *mine;
        assert_eq!(theirs, Ok(value!({ "plan": seen(plan.to_json()) })));
        loop {
            let requests = engine::requests(&call, &plan, &mut TestHost::new(history, &estimator)).unwrap();
            let plan_json = Crossing::Plain(plan.to_json());
            let theirs =
                self.ask(9, &plain, &call, chat, std::slice::from_ref(&plan_json), |from| from.plain()).unwrap();
            let mine: Value = requests
                .iter()
                .map(|one| value!({ "id": one.id, "kind": one.kind, "system": one.system, "prompt": one.prompt, "maxOutputTokens": one.max_output_tokens }))
                .collect();
            assert_eq!(to_value(&theirs), mine);
            let results: Value = requests
                .iter()
                .map(|request| match setup.answer(request) {
                    Answer::Text { text, finish } => value!({ "text": text, "finish": finish }),
                    Answer::Failed(reason) => value!({ "error": reason }),
                })
                .collect();
            let results = json(&results);
            let mut host = TestHost::new(history, &estimator);
            let mut done = engine::commit(&call, &plan, Some(&answers(&results)), &mut host).unwrap();
            done.account(&plan, &results);
            let theirs = self.ask(10, &plain, &call, chat, &[plan_json, Crossing::Plain(results)], committed).unwrap();
            assert_eq!(self.machine.store.data().made, host.made, "messages made");
            let (next, state) = (done.next.clone(), done.state.clone());
            assert_eq!(theirs, outcome(done));
            let state_json = state.clone().to_json();
            let Some(next) = next else {
                chat.state = state_json;
                return self.after(chat);
            };
            plain["state"] = to_value(&state_json);
            (plan, call.state) = (next, state);
        }
    }

    fn after(&mut self, chat: &mut Chat) {
        let options = Options::parse(&json(&chat.options)).unwrap();
        let state = SessionState::parse(&chat.state).unwrap();
        let prompt = state.pending.as_ref().map(|pending| pending.raw * 9 / 8);
        let reported = Reported { prompt, output: 40, reasoning: 0 };
        let mine = engine::after_model(&options, &state, reported, None).to_json();
        let usage = value!({ "prompt": prompt, "output": 40, "reasoning": 0 });
        let given = [json(&chat.options), chat.state.clone(), json(&usage), Json::Null].map(Crossing::Plain);
        let answer = self.machine.call(11, &given);
        let mut from = Outgoing::new(&answer);
        assert_eq!(from.plain(), Json::Int(0));
        assert_eq!(seen(from.plain()), seen(mine.clone()), "after the model");
        chat.state = mine;
    }

    fn digests(&mut self, history: &[M], estimator: &str) {
        let mut tape = Tape::default();
        history.iter().for_each(|message| tape.message(message));
        let name = Crossing::Plain(Json::Text(estimator.to_owned()));
        let none = || Crossing::Plain(Json::Null);
        let given = [name, Crossing::Words(tape.ops), Crossing::Bytes(tape.text), none(), none()];
        let answer = self.machine.call(16, &given);
        let mut from = Outgoing::new(&answer);
        assert_eq!(from.plain(), Json::Int(0));
        assert_eq!(from.words(), records(history, estimator), "records");
    }

    /// A call of the module; what it refused as code, path and advice.
    fn ask<T>(
        &mut self,
        number: u32,
        plain: &Value,
        call: &Call,
        chat: &Chat,
        more: &[Crossing],
        read: impl Fn(&mut Outgoing<'_>) -> T,
    ) -> Result<T, Value> {
        self.machine.store.data_mut().made.clear();
        let mut given: Vec<Crossing> = MEMBERS.iter().map(|name| Crossing::Plain(json(&plain[*name]))).collect();
        let system = chat.system.as_ref().map(|body| records(&[system(body)], &chat.estimator()));
        given.push(system.map_or(Crossing::Plain(Json::Null), Crossing::Words));
        given.push(Crossing::Plain(Json::Null));
        given.push(Crossing::Words(call.records.clone()));
        given.push(Crossing::Bytes(call.flags.clone()));
        given.extend_from_slice(more);
        let answer = self.machine.call(number, &given);
        let mut from = Outgoing::new(&answer);
        match from.plain() {
            Json::Int(0) => Ok(read(&mut from)),
            how => Err(if how == Json::Int(1) { to_value(&from.plain()) } else { Value::Null }),
        }
    }
}

fn told(error: Error) -> Value {
    value!({ "code": error.code.as_str(), "path": error.path, "advice": error.advice })
}

/// What the module says of a commit.
fn committed(from: &mut Outgoing<'_>) -> Value {
    let (state, report, changed, view) = (from.plain(), from.plain(), from.plain(), from.words());
    let standing = match from.next() {
        Crossing::Bytes(bytes) => value!(bytes),
        _ => Value::Null,
    };
    let next = from.plain();
    value!({
        "state": seen(state), "report": seen(report), "changed": seen(changed), "view": view,
        "standing": standing, "next": seen(next),
    })
}

/// The same of the native engine.
fn outcome(mut done: Committed) -> Value {
    let standing =
        done.standing.map(|standing| standing.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>());
    value!({
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
