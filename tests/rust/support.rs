//! A host for tests: messages with their text, their tape, and a chat that is played turn by turn.

use precis::base::archive::Record;
use precis::base::error::Error;
use precis::base::json::Json;
use precis::call::input::Call;
use precis::engine::{self, Committed, Reported};
use precis::ingest::content::Content;
use precis::ingest::content_reader;
use precis::ingest::host::{Host, KeptIndex, LEFT_OUT, Product, Sent};
use precis::ingest::record_writer::RecordWriter;
use precis::ladder::plan::Plan;
use precis::limits::options::Options;
use precis::model::message::{MessageRecord, Role};
use precis::report::Outcome;
use precis::report::change::Action;
use precis::session::state::SessionState;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use precis::tokens::Estimator;
use std::cell::RefCell;
use std::collections::HashMap;

/// A part of a test message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum P {
    /// No part, but who wrote the message.
    Speaker(String),
    Text(String),
    Reasoning {
        text: String,
        signed: bool,
    },
    Call {
        id: String,
        name: String,
        input: serde_json::Value,
    },
    Result {
        id: String,
        output: serde_json::Value,
        failed: bool,
    },
    /// A call that the provider executes.
    Executed {
        id: String,
        name: String,
    },
    /// A result that names its tool.
    Named {
        id: String,
        name: String,
        output: String,
    },
    Media {
        kind: u32,
        media_type: String,
        bytes: u64,
        reference: String,
    },
    Opaque,
    /// A request to approve a call.
    Asks {
        id: String,
        call: String,
    },
    /// What somebody said to it.
    Allows {
        id: String,
        approved: bool,
    },
    /// A file that is text.
    Document {
        text: String,
        name: String,
    },
}

/// A test message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct M {
    pub role: Role,
    pub parts: Vec<P>,
}

pub fn text(role: Role, text: &str) -> M {
    M { role, parts: vec![P::Text(text.to_owned())] }
}

pub fn user(body: &str) -> M {
    text(Role::User, body)
}

pub fn assistant(body: &str) -> M {
    text(Role::Assistant, body)
}

pub fn system(body: &str) -> M {
    text(Role::System, body)
}

pub fn call(id: &str, name: &str, input: serde_json::Value) -> M {
    M { role: Role::Assistant, parts: vec![P::Call { id: id.to_owned(), name: name.to_owned(), input }] }
}

pub fn calls(ids: &[&str]) -> M {
    let part =
        |id: &&str| P::Call { id: (*id).to_owned(), name: "tool".to_owned(), input: serde_json::json!({ "id": id }) };
    M { role: Role::Assistant, parts: ids.iter().map(part).collect() }
}

/// A text of this many bytes, in which no two lines are equal.
pub fn filler(bytes: usize) -> String {
    thread_local!(static WRITTEN: RefCell<(String, usize)> = RefCell::default());
    WRITTEN.with_borrow_mut(|(text, lines)| {
        while text.len() < bytes {
            text.push_str(&format!("line {lines} of the filler text\n"));
            *lines += 1;
        }
        text[..bytes].to_owned()
    })
}

/// A complete answer of a summarizer.
pub fn answer(text: &str) -> Answer {
    Answer::Text { text: text.to_owned(), finish: "stop".to_owned() }
}

/// All text of a message, for searching.
pub fn words(message: &M) -> String {
    let part = |part: &P| match part {
        P::Text(text) | P::Reasoning { text, .. } => text.clone(),
        P::Call { name, input, .. } => format!("{name}({input})"),
        P::Result { output, .. } => output.as_str().map_or_else(|| output.to_string(), str::to_owned),
        P::Media { reference, .. } => reference.clone(),
        P::Executed { name, .. } => name.clone(),
        P::Named { output, .. } => output.clone(),
        P::Document { text, .. } => text.clone(),
        P::Opaque | P::Speaker(_) | P::Asks { .. } | P::Allows { .. } => String::new(),
    };
    message.parts.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// Whether a view contains a text.
pub fn says(view: &[M], what: &str) -> bool {
    view.iter().any(|message| words(message).contains(what))
}

pub fn result(id: &str, output: &str) -> M {
    M { role: Role::Tool, parts: vec![P::Result { id: id.to_owned(), output: output.into(), failed: false }] }
}

/// Builds the tape of messages.
#[derive(Default)]
pub struct Tape {
    pub ops: Vec<u32>,
    pub text: Vec<u8>,
    chunk: usize,
}

impl Tape {
    /// Creates a tape that cuts strings into chunks of at most `chunk` bytes. 0 means never.
    pub fn cut(chunk: usize) -> Self {
        Self { chunk, ..Self::default() }
    }

    pub fn message(&mut self, message: &M) {
        self.ops.extend([1, message.role as u32]);
        for (number, part) in message.parts.iter().enumerate() {
            let number = number as u32;
            match part {
                P::Speaker(name) => {
                    self.ops.push(12);
                    self.string(name);
                }
                P::Text(text) => {
                    self.ops.extend([2, number]);
                    self.string(text);
                }
                P::Reasoning { text, signed } => {
                    self.ops.extend([3, u32::from(*signed) | (number + 1) << 1]);
                    self.string(text);
                }
                P::Call { id, name, input } => {
                    self.ops.extend([4, number + 1, 0]);
                    self.string(id);
                    self.string(name);
                    self.value(input);
                }
                P::Result { id, output, failed } => {
                    self.ops.extend([5, number, u32::from(*failed)]);
                    self.string(id);
                    self.string("");
                    self.value(output);
                }
                P::Media { kind, media_type, bytes, reference } => {
                    // Media inside a result have the number of the result.
                    let number = message.parts[..number as usize]
                        .iter()
                        .rposition(|part| matches!(part, P::Result { .. }))
                        .map_or(number, |result| result as u32);
                    self.ops.extend([6, *kind | (number + 1) << 4, *bytes as u32, (*bytes >> 32) as u32, 0, 0]);
                    self.string(media_type);
                    self.string(reference);
                    self.string("");
                    self.string("");
                }
                P::Executed { id, name } => {
                    self.ops.extend([4, 0, 1]);
                    self.string(id);
                    self.string(name);
                    self.ops.push(18);
                }
                P::Named { id, name, output } => {
                    self.ops.extend([5, number, 0]);
                    self.string(id);
                    self.string(name);
                    self.string(output);
                }
                P::Opaque => self.ops.extend([7, 18]),
                P::Asks { id, call } => {
                    self.ops.extend([9, number]);
                    self.string(id);
                    self.value(&serde_json::json!({ "call": call }));
                }
                P::Allows { id, approved } => {
                    self.ops.extend([10, number]);
                    self.string(id);
                    self.value(&serde_json::json!(approved));
                }
                P::Document { text, name } => {
                    self.ops.extend([13, number]);
                    self.string(text);
                    self.string(name);
                }
            }
        }
    }

    /// Adds a tool definition without a schema.
    pub fn tool(&mut self, name: &str, description: &str) {
        self.ops.push(8);
        self.string(name);
        self.string(description);
        self.ops.push(18);
    }

    pub fn string(&mut self, text: &str) {
        let mut rest = text;
        while self.chunk > 0 && rest.len() > self.chunk {
            let mut at = self.chunk;
            while !rest.is_char_boundary(at) {
                at += 1;
            }
            self.ops.extend([17, at as u32]);
            self.text.extend(&rest.as_bytes()[..at]);
            rest = &rest[at..];
        }
        self.ops.extend([16, rest.len() as u32]);
        self.text.extend(rest.as_bytes());
    }

    pub fn value(&mut self, value: &serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::Null => self.ops.push(18),
            Value::Bool(false) => self.ops.push(19),
            Value::Bool(true) => self.ops.push(20),
            Value::Number(number) => {
                let number = number.to_string();
                self.ops.extend([21, number.len() as u32]);
                self.text.extend(number.as_bytes());
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.ops.push(22);
                items.iter().for_each(|item| self.value(item));
                self.ops.push(24);
            }
            Value::Object(members) => {
                self.ops.push(23);
                for (key, value) in members {
                    self.string(key);
                    self.value(value);
                }
                self.ops.push(24);
            }
        }
    }
}

/// The records of messages.
pub fn records(messages: &[M], estimator: &str) -> Vec<u32> {
    let mut tape = Tape::default();
    messages.iter().for_each(|message| tape.message(message));
    let mut writer = RecordWriter::new(Estimator::parse(estimator).unwrap());
    writer.push(&tape.ops, &tape.text).unwrap();
    writer.finish().unwrap()
}

/// The items of a long test: all of them, or the first ones where a run has few cases, as after every change.
pub fn spread<T>(items: &[T], fewer: usize) -> &[T] {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    &items[..if cases.is_some_and(|cases| cases < 100) { fewer } else { items.len() }]
}

/// The indexes that a host keeps, by the messages that each is of.
pub type Indexes = HashMap<(usize, usize), Vec<u8>>;

/// A host for test messages. Like the real one, it creates user messages from texts.
pub struct TestHost<'a> {
    pub messages: &'a [M],
    pub estimator: String,
    pub made: Vec<M>,
    /// The number of messages that were read.
    pub read: usize,
    /// Where it keeps indexes. `None` if it has no room for any.
    pub indexes: Option<&'a mut Indexes>,
}

impl<'a> TestHost<'a> {
    pub fn new(messages: &'a [M], estimator: &str) -> Self {
        Self { messages, estimator: estimator.to_owned(), made: Vec::new(), read: 0, indexes: None }
    }

    fn make(&mut self, message: M) -> Product {
        let record = records(std::slice::from_ref(&message), &self.estimator);
        self.made.push(message);
        Product { record, number: self.made.len() as u32 - 1 }
    }
}

impl Host for TestHost<'_> {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        self.read += inputs.len();
        let mut tape = Tape::default();
        inputs.iter().for_each(|&input| tape.message(&self.messages[input]));
        content_reader::read(&tape.ops, &tape.text)
    }

    fn index(&mut self, from: usize, to: usize) -> Result<KeptIndex, Error> {
        let Some(indexes) = &self.indexes else { return Ok(KeptIndex::Nowhere) };
        Ok(indexes.get(&(from, to)).cloned().map_or(KeptIndex::Nothing, KeptIndex::Bytes))
    }

    fn keep_index(&mut self, from: usize, to: usize, index: &[u8]) -> Result<(), Error> {
        self.indexes.as_mut().expect("no room for an index").insert((from, to), index.to_vec());
        Ok(())
    }

    fn summary(&mut self, text: &str, _id: &str, _covers: u64) -> Result<Product, Error> {
        Ok(self.make(user(text)))
    }

    fn remade(&mut self, _input: usize, _key: &str) -> Result<Option<Product>, Error> {
        Ok(None)
    }

    fn replace(&mut self, input: usize, _key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let mut copy = self.messages[input].clone();
        let message_role = copy.role;
        let mut left_out: Vec<usize> = Vec::new();
        for (number, text) in texts {
            if number & LEFT_OUT != 0 {
                left_out.push((number - LEFT_OUT) as usize);
                continue;
            }
            match &mut copy.parts[*number as usize] {
                P::Text(body) | P::Document { text: body, .. } => *body = text.clone(),
                P::Named { output, .. } => *output = text.clone(),
                P::Result { output, .. } => {
                    *output = text.clone().into();
                    // Media inside the result are removed with it.
                    let after = *number as usize + 1;
                    while matches!(copy.parts.get(after), Some(P::Media { .. })) {
                        copy.parts.remove(after);
                    }
                }
                P::Call { input, .. } => *input = serde_json::from_str(text).unwrap(),
                medium @ P::Media { .. } => *medium = P::Text(text.clone()),
                other => panic!("{other:?} cannot be replaced"),
            }
        }
        left_out.sort_unstable();
        for number in left_out.into_iter().rev() {
            copy.parts.remove(number);
            while matches!((copy.parts.get(number), message_role), (Some(P::Media { .. }), Role::Tool)) {
                copy.parts.remove(number);
            }
        }
        Ok(self.make(copy))
    }

    fn result(&mut self, _input: usize, id: &str, _name: &str, text: &str) -> Result<Option<Product>, Error> {
        Ok(Some(self.make(result(id, text))))
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let [mut one, other] = [first, second].map(|sent| match sent {
            Sent::Input(input) => self.messages[input].clone(),
            Sent::Made(number) => self.made[number as usize].clone(),
        });
        one.parts.extend(other.parts);
        Ok(self.make(one))
    }
}

/// Converts JSON to plain data.
pub fn json(value: &serde_json::Value) -> Json {
    use serde_json::Value;
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Number(number) => match number.as_i64() {
            Some(int) => Json::Int(int),
            None => precis::wasm::plain::number(number.as_f64().unwrap()),
        },
        Value::String(text) => Json::Text(text.clone()),
        Value::Array(items) => Json::List(items.iter().map(json).collect()),
        Value::Object(members) => Json::Object(members.iter().map(|(key, value)| (key.clone(), json(value))).collect()),
    }
}

/// Converts plain data to JSON.
pub fn to_value(json: &Json) -> serde_json::Value {
    use serde_json::Value;
    match json {
        Json::Null | Json::NotANumber => Value::Null,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Int(int) => (*int).into(),
        Json::Fraction { millionths, bits: 0 } => (*millionths as f64 / 1e6).into(),
        Json::Fraction { bits, .. } => f64::from_bits(*bits).into(),
        Json::Text(text) => Value::String(text.clone()),
        Json::List(items) => Value::Array(items.iter().map(to_value).collect()),
        Json::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), to_value(value))).collect())
        }
    }
}

/// Converts a record to plain data.
pub fn plain<T: Record + Clone>(record: &T) -> Json {
    record.clone().to_json()
}

/// What is sent, and the result of the commit.
#[derive(Clone)]
pub struct Prepared {
    pub view: Vec<M>,
    pub committed: Committed,
}

/// A compactor over test messages.
#[derive(Clone)]
pub struct Chat {
    /// The options as the host would write them, including `contextWindow`.
    pub options: serde_json::Value,
    pub system: Option<String>,
    /// The raw tokens of tool definitions (bytes4).
    pub tools: u64,
    pub state: Json,
    pub typed: Option<bool>,
    /// The indices of input messages that the host pins.
    pub pinned: Vec<usize>,
    /// More members of the call.
    pub more: serde_json::Value,
}

pub type Summarizer<'s> = &'s mut dyn FnMut(&Request) -> Answer;

impl Chat {
    pub fn new(options: serde_json::Value) -> Self {
        Self {
            options,
            system: None,
            tools: 0,
            state: Json::Null,
            typed: None,
            pinned: Vec::new(),
            more: serde_json::json!({}),
        }
    }

    pub fn estimator(&self) -> String {
        self.named_estimator().unwrap()
    }

    fn named_estimator(&self) -> Result<String, Error> {
        let estimator = Options::parse(&json(&self.options))?.estimator;
        Ok(estimator.key().split('/').next().unwrap().to_owned())
    }

    pub fn call(&self, messages: &[M]) -> Result<Call, Error> {
        let estimator = self.named_estimator()?;
        let mut plain = self.more.clone();
        plain["options"] = self.options.clone();
        plain["window"] = self.options["contextWindow"].clone();
        plain["state"] = to_value(&self.state);
        let system = self.system.as_ref().map(|body| records(&[system(body)], &estimator));
        let tools = (self.tools > 0).then(|| {
            let mut tape = Tape::default();
            tape.ops.extend([1, 0]);
            tape.tool("", &"x".repeat(4 * self.tools as usize));
            let mut writer = RecordWriter::new(Estimator::parse(&estimator).unwrap());
            writer.push(&tape.ops, &tape.text).unwrap();
            writer.finish().unwrap()
        });
        let flag = match self.typed {
            None => 0,
            Some(false) => 2,
            Some(true) => 6,
        };
        let flags = (0..messages.len()).map(|input| flag | u8::from(self.pinned.contains(&input))).collect();
        Call::parse(&json(&plain), records(messages, &estimator), flags, system.as_deref(), tools.as_deref())
    }

    /// Decides, calls the summarizer and commits as often as needed. Stores the state.
    pub fn before_model(&mut self, messages: &[M], summarize: Option<Summarizer<'_>>) -> Result<Prepared, Error> {
        let mut call = self.call(messages)?;
        call.asking = true;
        let estimator = self.estimator();
        let mut plan = engine::plan(&call, &mut TestHost::new(messages, &estimator))?;
        let mut summarize = summarize;
        loop {
            let answers: Option<Vec<Answer>> = match &mut summarize {
                Some(summarize) if !plan.requests.is_empty() => {
                    let requests = engine::requests(&call, &plan, &mut TestHost::new(messages, &estimator))?;
                    Some(requests.iter().map(&mut **summarize).collect())
                }
                _ => None,
            };
            let mut host = TestHost::new(messages, &estimator);
            let committed = engine::commit(&call, &plan, answers.as_deref(), &mut host)?;
            if let (Some(next), true) = (&committed.next, summarize.is_some()) {
                plan = next.clone();
                call.state = committed.state;
                continue;
            }
            self.state = committed.state.clone().to_json();
            return Ok(Prepared { view: sent(messages, &host.made, &committed), committed });
        }
    }

    pub fn after_model(&mut self, prompt: u64) {
        self.learn(Reported { prompt: Some(prompt), ..Reported::default() });
    }

    pub fn learn(&mut self, usage: Reported) {
        let options = Options::parse(&json(&self.options)).unwrap();
        let state = SessionState::parse(&self.state).unwrap();
        self.state = engine::after_model(&options, &state, usage, None).to_json();
    }

    /// Applies a plan that was made earlier. Stores the state.
    pub fn commit(&mut self, messages: &[M], plan: &Plan, answers: Option<&[Answer]>) -> Prepared {
        let call = self.call(messages).unwrap();
        let mut host = TestHost::new(messages, &self.estimator());
        let committed = engine::commit(&call, plan, answers, &mut host).unwrap();
        self.state = plain(&committed.state);
        Prepared { view: sent(messages, &host.made, &committed), committed }
    }

    /// The requests of a plan to a summarizer.
    pub fn requests(&self, messages: &[M], plan: &Plan) -> Vec<Request> {
        let mut host = TestHost::new(messages, &self.estimator());
        engine::requests(&self.call(messages).unwrap(), plan, &mut host).unwrap()
    }

    /// The parsed state.
    pub fn session(&self) -> SessionState {
        SessionState::parse(&self.state).unwrap()
    }

    pub fn plan(&self, messages: &[M]) -> Plan {
        engine::plan(&self.call(messages).unwrap(), &mut TestHost::new(messages, &self.estimator())).unwrap()
    }
}

fn sent(messages: &[M], made: &[M], committed: &Committed) -> Vec<M> {
    let pick = |sent: &Sent| match *sent {
        Sent::Input(input) => messages[input].clone(),
        Sent::Made(number) => made[number as usize].clone(),
    };
    committed.view.iter().map(pick).collect()
}

/// The violations of `view` that `history` does not have.
pub fn added(view: &[M], history: &[M]) -> Vec<String> {
    let (view, history) = (records(view, "bytes4"), records(history, "bytes4"));
    let found =
        precis::ingest::pairs::added(&MessageRecord::split(&view).unwrap(), &MessageRecord::split(&history).unwrap());
    found.into_iter().map(|violation| format!("{} at {}", violation.rule.as_str(), violation.index)).collect()
}

/// The end of a history with these records.
pub fn end_of(records: &[u32]) -> Option<precis::model::message::Position> {
    let start = precis::model::message::Position::START;
    Some(MessageRecord::split(records)?.iter().fold(start, |position, digest| position.after(digest.hash())))
}

/// Two hosts with the same chat: one passes its history, the other one passes back the views that it got.
///
/// Both send the same. Only when something is covered after an edit, code knows less from a view, and may write another
/// text about it. From then on the second host goes on with the state and the view of the first.
#[derive(Clone)]
pub struct Twins {
    pub raw: Chat,
    pub fed: Chat,
    /// What the second host holds.
    pub given: Vec<M>,
    /// Whether something was cut or cleared.
    edited: bool,
}

/// Whether a state cuts or clears anything.
pub fn edits(state: &SessionState) -> bool {
    !state.clips.is_empty() || state.cleared.is_some()
}

/// Whether something was cut or cleared for a request, also if it was covered with the same request.
pub fn is_edited(prepared: &Prepared) -> bool {
    prepared.committed.report.changes.iter().any(|change| !matches!(change.action, Action::Cover))
}

impl Twins {
    pub fn new(raw: Chat) -> Self {
        // A tool's policy cuts without a trace in the state.
        let edited = !raw.options["toolPolicy"].is_null();
        Self { fed: raw.clone(), raw, given: Vec::new(), edited }
    }

    /// Sends a history of which the last messages are `new`, in both ways, and [compares](Self::compare). Returns both
    /// requests.
    pub fn send(
        &mut self,
        history: &[M],
        new: &[M],
        send: &mut dyn FnMut(&mut Chat, &[M]) -> Prepared,
    ) -> (Prepared, Prepared) {
        let before = self.raw.session();
        let (expected, prepared) = self.ask(history, new, send);
        self.compare(&before, &expected, &prepared);
        (expected, prepared)
    }

    /// The same without comparing.
    pub fn ask(
        &mut self,
        history: &[M],
        new: &[M],
        send: &mut dyn FnMut(&mut Chat, &[M]) -> Prepared,
    ) -> (Prepared, Prepared) {
        self.given.extend_from_slice(new);
        (send(&mut self.raw, history), send(&mut self.fed, &self.given))
    }

    /// Panics if the requests differ although nothing was covered since the state `before`, or nothing edited until then,
    /// and if a view that was passed back was not recognized.
    pub fn compare(&mut self, before: &SessionState, expected: &Prepared, prepared: &Prepared) {
        let after = self.raw.session();
        self.edited |= edits(before) || edits(&after) || [expected, prepared].into_iter().any(is_edited);
        assert_eq!(prepared.committed.report.diverged, None);
        let covered = [&after, &self.fed.session()].iter().any(|state| state.checkpoints != before.checkpoints);
        if self.edited && covered {
            self.fed = self.raw.clone();
            self.given.clone_from(&expected.view);
        } else {
            if !self.edited {
                assert_eq!(self.fed.session().memory, after.memory);
            }
            assert!(prepared.view == expected.view, "{:?}\ninstead of\n{:?}", prepared.view, expected.view);
            self.given.clone_from(&prepared.view);
        }
    }
}

/// The strategies that a test of one of them tries.
pub const STRATEGIES: [&str; 3] = ["full", "sliding-window", "tail"];

/// A usable summary of any chat of a test.
pub const GOOD_SUMMARY: &str = "The user works through questions about the files; nothing is open.";

/// An answer that can stand as a summary of anything.
pub fn good_summary(_: &Request) -> Answer {
    answer(GOOD_SUMMARY)
}

/// A summarizer that answers as `answers` does, and adds each request to `asked`.
pub fn recorded<'r>(
    asked: &'r mut Vec<Request>,
    mut answers: impl FnMut(&Request) -> Answer + 'r,
) -> impl FnMut(&Request) -> Answer + 'r {
    move |request| {
        asked.push(request.clone());
        answers(request)
    }
}

/// A chat that counts a quarter of the bytes as tokens, times 2.5 until usage is reported.
pub fn small_chat(window: u64) -> Chat {
    Chat::new(serde_json::json!({
        "contextWindow": window, "maxOutputTokens": 500, "summarize": true,
        "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

/// The same with a strategy, and a summarizer that reads any past at once.
pub fn strategy_chat(strategy: &str, window: u64) -> Chat {
    let mut chat = small_chat(window);
    chat.options["summarizer"] = serde_json::json!({ "contextWindow": 64_000 });
    chat.options["tune"]["strategy"] = strategy.into();
    chat
}

/// A chat of each strategy, with the strategy's name.
pub fn strategy_chats(window: u64) -> impl Iterator<Item = (&'static str, Chat)> {
    STRATEGIES.into_iter().map(move |strategy| (strategy, strategy_chat(strategy, window)))
}

/// A chat with a window of 8,000 tokens and the strategy `tail`.
pub fn tail_chat() -> Chat {
    let mut chat = small_chat(8_000);
    chat.options["tune"]["strategy"] = "tail".into();
    chat
}

/// A question, a call with its result, and a long answer. Clearing results alone does not make enough room.
pub fn tool_turn(number: usize, bytes: usize) -> [M; 4] {
    let id = format!("call_{number}");
    [
        user(&format!("question {number}?")),
        call(&id, "read_file", serde_json::json!({ "path": format!("/src/file_{number}.rs") })),
        result(&id, &format!("content {number}: {}", filler(bytes / 8))),
        assistant(&format!("answer {number}. {}", filler(bytes))),
    ]
}

pub fn tool_turns(count: usize, bytes: usize) -> Vec<M> {
    (0..count).flat_map(|number| tool_turn(number, bytes)).collect()
}

/// Turns of a question and a long answer.
pub fn plain_turns(numbers: core::ops::Range<usize>) -> Vec<M> {
    let turn =
        |turn: usize| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
    numbers.flat_map(turn).collect()
}

/// A call in the active turn, with its result.
pub fn tool_step(number: usize, bytes: usize) -> [M; 2] {
    let id = format!("step_{number}");
    let output = format!("step {number} done\n{}", filler(bytes));
    [call(&id, "edit", serde_json::json!({ "step": number })), result(&id, &output)]
}

pub fn tool_steps(count: usize, bytes: usize) -> Vec<M> {
    (0..count).flat_map(|number| tool_step(number, bytes)).collect()
}

/// A call with text before it, and its result.
pub fn spoken_step(number: usize, said: usize, output: &str) -> [M; 2] {
    let id = format!("step_{number}");
    let mut message = call(&id, "edit", serde_json::json!({ "step": number }));
    message.parts.insert(0, P::Text(format!("Step {number}. {}", filler(said))));
    [message, result(&id, output)]
}

/// Makes one request, and checks that it is valid and fits.
pub fn send_checked(chat: &mut Chat, history: &[M], summarize: Option<Summarizer<'_>>) -> Prepared {
    let prepared = chat.before_model(history, summarize).unwrap();
    let report = &prepared.committed.report;
    assert_eq!(added(&prepared.view, history), Vec::<String>::new());
    assert!(matches!(report.outcome, Outcome::Unchanged | Outcome::Reused | Outcome::Compacted), "{report:?}");
    assert!(report.after.tokens + report.after.bound < report.after.trigger, "{report:?}");
    prepared
}

/// The messages of a view that we wrote and that begin with a marker.
pub fn ours<'v>(view: &'v [M], marker: &str) -> Vec<&'v M> {
    view.iter().filter(|message| message.role == Role::User && words(message).starts_with(marker)).collect()
}
