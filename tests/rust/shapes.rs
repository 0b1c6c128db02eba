//! Every option beside every other, on chats of every shape: roles that take turns, items of reasoning, approvals, tools that
//! the provider runs, files and images, several system messages.

use crate::properties::blamed;
use crate::support::{Chat, M, P, Prepared, answer, filler, plain, records, to_value, words};
use precis::base::json::Json;
use precis::model::message::{MessageRecord, Role};
use precis::report::Outcome;
use precis::session::state::SessionState;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

/// How a provider writes what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Results are messages of their own, as in Chat Completions.
    Messages,
    /// Results stand in messages of the user, as in Anthropic's API.
    Blocks,
    /// The same, and roles take turns, as in Gemini's.
    Turns,
    /// Reasoning and calls are items of their own, as in the Responses API.
    Items,
}

/// What happens. Sizes are in thousandths of the window.
#[derive(Clone, Debug)]
enum Event {
    Asks { size: u32, media: bool },
    Answers { size: u32, thought: bool },
    Tools { batch: Vec<(u8, u32, bool, bool)>, said: bool, thought: bool },
    Executed { size: u32 },
    Approval { size: u32, approved: bool },
    System { size: u32 },
}

fn size() -> impl Strategy<Value = u32> {
    prop_oneof![5 => 1_u32..15, 4 => 15_u32..120, 1 => 120_u32..600]
}

fn event() -> impl Strategy<Value = Event> {
    let rarely = || prop::bool::weighted(0.3);
    let one = (0_u8..3, size(), rarely(), rarely());
    prop_oneof![
        6 => (size(), rarely()).prop_map(|(size, media)| Event::Asks { size, media }),
        5 => (size(), rarely()).prop_map(|(size, thought)| Event::Answers { size, thought }),
        9 => (prop::collection::vec(one, 1..4), any::<bool>(), rarely())
            .prop_map(|(batch, said, thought)| Event::Tools { batch, said, thought }),
        2 => size().prop_map(|size| Event::Executed { size }),
        2 => (size(), any::<bool>()).prop_map(|(size, approved)| Event::Approval { size, approved }),
        1 => (1_u32..60).prop_map(|size| Event::System { size }),
    ]
}

const NAMES: [&str; 3] = ["read", "look", "write"];

/// A text that begins with its number, so that each is found again.
fn text(number: usize, size: u32, window: u64) -> String {
    let bytes = (u64::from(size) * window * 4 / 1_000) as usize;
    let body = match number % 4 {
        0 => filler(bytes),
        1 => "{\"id\": 4711, \"paid\": true},\n".repeat(bytes / 29),
        2 => "12:04 ERROR no such file\n".repeat(bytes / 25),
        _ => "订单已经发货。".repeat(bytes / 21),
    };
    format!("#{number}# {body}")
}

fn image() -> P {
    P::Media { kind: 0, media_type: "image/png".into(), bytes: 900, reference: String::new() }
}

impl Event {
    /// Its messages; none if the provider has no form for it.
    fn messages(&self, shape: Shape, window: u64, number: usize) -> Vec<M> {
        let message = |role, parts| M { role, parts };
        let thought = |is: bool, signed: bool| {
            let text = format!("thought {number}");
            is.then_some(P::Reasoning { text, signed }).into_iter().collect::<Vec<_>>()
        };
        let user = |parts| message(Role::User, parts);
        let assistant = |parts| message(Role::Assistant, parts);
        match self {
            Self::Asks { size, media } => {
                let mut parts = vec![P::Text(text(number, *size, window))];
                if *media {
                    parts.push(P::Document {
                        text: format!("A file. {}", text(number, size / 2, window)),
                        name: "a.txt".into(),
                    });
                    parts.push(image());
                }
                vec![user(parts)]
            }
            Self::Answers { size, thought: thinks } => {
                let said = P::Text(text(number, *size, window));
                if shape == Shape::Items && *thinks {
                    return vec![assistant(thought(true, false)), assistant(vec![said])];
                }
                let mut parts = thought(*thinks, shape == Shape::Blocks);
                parts.push(said);
                vec![assistant(parts)]
            }
            Self::Tools { batch, said, thought: thinks } => {
                let id = |at: usize| format!("call_{number}_{at}");
                let mut parts = thought(*thinks, shape == Shape::Blocks);
                if *said {
                    parts.push(P::Text(format!("I look. #{number}#")));
                }
                let call = |(at, one): (usize, &(u8, u32, bool, bool))| P::Call {
                    id: id(at),
                    name: NAMES[usize::from(one.0)].into(),
                    input: json!({ "path": format!("src/{number}-{at}.ts") }),
                };
                parts.extend(batch.iter().enumerate().map(call));
                let result = |(at, &(_, size, failed, shot)): (usize, &(u8, u32, bool, bool))| {
                    let name = format!("{SECRET}{number}x{at}.key");
                    let output = format!("{name} is in {}\n{name}", text(number, size, window)).into();
                    let mut parts = vec![P::Result { id: id(at), output, failed }];
                    if shot && shape != Shape::Blocks && shape != Shape::Turns {
                        parts.push(image());
                    }
                    parts
                };
                let results: Vec<Vec<P>> = batch.iter().enumerate().map(result).collect();
                match shape {
                    Shape::Blocks | Shape::Turns => vec![assistant(parts), user(results.concat())],
                    Shape::Items => {
                        let items = parts.into_iter().map(|part| assistant(vec![part]));
                        items.chain(results.into_iter().map(|parts| message(Role::Tool, parts))).collect()
                    }
                    Shape::Messages => {
                        let results = results.into_iter().map(|parts| message(Role::Tool, parts));
                        std::iter::once(assistant(parts)).chain(results).collect()
                    }
                }
            }
            Self::Executed { size } if shape != Shape::Messages => {
                let id = format!("srv_{number}");
                let output = text(number, *size, window);
                vec![assistant(vec![
                    P::Executed { id: id.clone(), name: "web_search".into() },
                    P::Named { id, name: "web_search".into(), output },
                    P::Text(format!("It is there. #{number}#")),
                ])]
            }
            Self::Approval { size, approved } if shape == Shape::Messages => {
                let (id, asked) = (format!("call_{number}"), format!("ok_{number}"));
                let output = if *approved { text(number, *size, window) } else { "The user does not allow it.".into() };
                let call = P::Call { id: id.clone(), name: "write".into(), input: json!({ "path": "a.txt" }) };
                vec![
                    assistant(vec![call, P::Asks { id: asked.clone(), call: id.clone() }]),
                    message(
                        Role::Tool,
                        vec![
                            P::Allows { id: asked, approved: *approved },
                            P::Result { id, output: output.into(), failed: !approved },
                        ],
                    ),
                ]
            }
            Self::System { size } if shape == Shape::Messages || shape == Shape::Items => {
                vec![message(Role::System, vec![P::Text(text(number, *size, window))])]
            }
            Self::Executed { .. } | Self::Approval { .. } | Self::System { .. } => Vec::new(),
        }
    }
}

/// Everything about a chat but what happens in it.
#[derive(Clone, Debug)]
struct Setup {
    shape: Shape,
    window: u64,
    summarizes: bool,
    /// Members of the options and of each call.
    options: Value,
    call: Value,
    pins: Option<usize>,
}

fn setup() -> impl Strategy<Value = Setup> {
    let shape = prop::sample::select(vec![Shape::Messages, Shape::Blocks, Shape::Turns, Shape::Items]);
    let window = prop_oneof![12 => prop::sample::select(vec![1_500_u64, 3_000]), 4 => Just(6_000), 1 => Just(16_000)];
    let one = |values: Vec<Value>| prop::sample::select(values);
    let maybe = |name: &'static str, values: Vec<Value>| {
        prop::option::weighted(0.35, prop::sample::select(values)).prop_map(move |value| (name, value))
    };
    let policy = (
        prop::option::of(one(vec![json!(1), json!(2), json!("always")])),
        prop::option::of(one(vec![json!("clear"), json!("keep")])),
        prop::option::of(one(vec![json!(64), json!(200)])),
    )
        .prop_map(|(keep, inputs, clip)| {
            let members = [("keep", keep), ("inputs", inputs), ("clip", clip)];
            members
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                .collect::<serde_json::Map<_, _>>()
        });
    let policies = prop::collection::btree_map(prop::sample::select(NAMES.to_vec()), policy, 0..3);
    let options = (
        one(vec![json!("tail"), json!("tail"), json!("full"), json!("sliding-window")]),
        maybe("prices", vec![json!({}), json!({ "input": 3, "cachedRead": 0.3 })]),
        maybe("summary", vec![json!({ "frame": { "before": "<memory>", "after": "</memory>\nGo on from here." } })]),
        prop::option::weighted(0.35, policies),
    )
        .prop_map(|(strategy, (_, prices), (_, summary), policies)| {
            let mut options = json!({ "tune": { "strategy": strategy, "tokens": { "estimator": "bytes4" } } });
            if let Some(prices) = prices {
                options["tune"]["prices"] = prices;
            }
            if let Some(summary) = summary {
                options["summary"] = summary;
            }
            if let Some(policies) = policies {
                options["toolPolicy"] = policies
                    .into_iter()
                    .map(|(name, policy)| (name.to_owned(), json!(policy)))
                    .collect::<serde_json::Map<_, _>>()
                    .into();
            }
            options
        });
    let trigger =
        vec![json!(0.6), json!(0.8), json!({ "messages": 4 }), json!({ "messages": 6 }), json!({ "messages": 9 })];
    let keep = vec![
        json!({ "turns": 1 }),
        json!({ "turns": 2, "results": 1 }),
        json!({ "messages": 4 }),
        json!({ "turns": 3, "messages": 6, "results": 3 }),
        json!({ "results": 2 }),
    ];
    let call = (
        maybe("keep", keep),
        maybe("trigger", trigger),
        maybe("target", vec![json!(0.3), json!(0.5), json!({ "share": 0.4 })]),
        maybe("recall", vec![json!(true)]),
        maybe("mustKeep", vec![json!(["src/0-0.ts", "#2#"])]),
        maybe("reasoning", vec![json!("drop-old")]),
        maybe("systemMessages", vec![json!("drop-old")]),
        maybe("prefer", vec![json!("clear"), json!("summarize")]),
    )
        .prop_map(|(keep, trigger, target, recall, must_keep, reasoning, system, prefer)| {
            let mut call = json!({});
            // As messages the two would have to be of one kind.
            let target = (target.0, target.1.filter(|_| !trigger.1.as_ref().is_some_and(Value::is_object)));
            for (name, value) in [keep, trigger, target, recall, must_keep, reasoning, system, prefer] {
                if let Some(value) = value {
                    call[name] = value;
                }
            }
            call
        });
    (shape, window, any::<bool>(), options, call, prop::option::weighted(0.35, 3_usize..10)).prop_map(
        |(shape, window, summarizes, options, call, pins)| Setup { shape, window, summarizes, options, call, pins },
    )
}

impl Setup {
    fn chat(&self) -> Chat {
        let mut options = self.options.clone();
        options["contextWindow"] = json!(self.window);
        options["maxOutputTokens"] = json!(self.window / 8);
        if self.summarizes {
            options["summarize"] = json!(true);
        }
        let mut chat = Chat::new(options);
        chat.more = self.call.clone();
        chat.more["leavesOut"] = json!(true);
        if self.shape == Shape::Turns {
            chat.more["strict"] = json!(true);
            chat.more["opensWithUser"] = json!(true);
        }
        chat
    }

    fn pinned(&self, count: usize) -> Vec<usize> {
        self.pins.map_or_else(Vec::new, |every| (0..count).filter(|index| index % every == 1).collect())
    }

    fn send(&self, chat: &mut Chat, history: &[M]) -> Prepared {
        self.send_pinning(chat, history, self.pinned(history.len()))
    }

    fn send_pinning(&self, chat: &mut Chat, history: &[M], pinned: Vec<usize>) -> Prepared {
        chat.pinned = pinned;
        let mut summarize = |request: &precis::summary::request::Request| {
            answer(&format!("- notes of the {} bytes that were covered so far", format!("{request:?}").len()))
        };
        let prepared = chat.before_model(history, self.summarizes.then_some(&mut summarize)).unwrap();
        if TRACED.get() {
            let brief = |message: &M| format!("{:?} {:.60}", message.role, format!("{:?}", message.parts));
            let all = |messages: &[M]| messages.iter().map(brief).collect::<Vec<_>>().join("\n    ");
            let report = &prepared.committed.report;
            println!(
                "given\n    {}\nsent ({:?}, {:?})\n    {}",
                all(history),
                report.outcome,
                report.rung,
                all(&prepared.view)
            );
        }
        prepared
    }

    /// Appends messages. Where roles take turns, those that would stand beside one of their own role are left out.
    fn append(&self, history: &mut Vec<M>, more: Vec<M>) {
        let is_model = |message: &M| message.role == Role::Assistant;
        if self.shape == Shape::Turns
            && let (Some(last), Some(first)) = (history.last(), more.first())
            && is_model(last) == is_model(first)
        {
            return;
        }
        history.extend(more);
    }
}

thread_local! {
    /// Whether requests are printed: those of the smallest chat that fails.
    static TRACED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether all of a message but its reasoning stands in another.
fn holds(sent: &M, message: &M) -> bool {
    message.parts.iter().all(|part| matches!(part, P::Reasoning { .. }) || sent.parts.contains(part))
}

fn check(
    setup: &Setup,
    chat: &Chat,
    history: &[M],
    Prepared { view, committed }: &Prepared,
) -> Result<(), TestCaseError> {
    let report = &committed.report;
    let after = report.after;
    prop_assert_eq!(blamed(view, history), Vec::<&str>::new());
    if report.outcome != Outcome::Infeasible {
        prop_assert!(after.tokens < after.window, "{:?}", after);
    }
    let json = plain(&committed.state);
    prop_assert_eq!(&SessionState::parse(&json).unwrap(), &committed.state);
    let bytes = to_value(&json).to_string().len();
    prop_assert!(bytes <= 64_000, "a state of {} bytes", bytes);
    if setup.shape == Shape::Turns {
        let of = |message: &M| if message.role == Role::Assistant { Role::Assistant } else { Role::User };
        for pair in view.windows(2) {
            prop_assert!(of(&pair[0]) != of(&pair[1]), "roles take turns: {}", words(&pair[1]));
        }
    }
    let warned = |start: &str| report.warnings.iter().any(|warning| warning.code.as_str().starts_with(start));
    if !matches!(report.outcome, Outcome::Tight | Outcome::Infeasible) {
        for &index in &chat.pinned {
            let stands = view.iter().any(|sent| holds(sent, &history[index]));
            prop_assert!(stands || warned("pin"), "pinned message {} is gone", index);
        }
    }
    let says = |what: &str| view.iter().any(|message| words(message).contains(what));
    let spare = after.tokens + after.bound + 100 < after.trigger;
    // What a rewind makes room for waits: to put it back alone would cost the whole prompt cache.
    let is_new = report.outcome != Outcome::Reused;
    if setup.options.get("summary").is_some() && says(precis::base::markers::SUMMARY) && spare && is_new {
        prop_assert!(says("Go on from here."), "no frame at {:?}", after);
    }
    // The newest message is the last one, and the newest request is there.
    let newest = history.last().unwrap();
    prop_assert!(view.last().is_some_and(|last| last.role == newest.role));
    // No message is sent twice.
    let digests = records(history, "bytes4");
    let _ = MessageRecord::split(&digests).unwrap();
    for message in history {
        let sent = view.iter().filter(|sent| *sent == message).count();
        let held = history.iter().filter(|other| *other == message).count();
        prop_assert!(sent <= held, "sent twice: {}", words(message));
    }
    Ok(())
}

/// What happens between two requests, beside what is said.
#[derive(Clone, Debug)]
enum Between {
    Nothing,
    /// A result is replaced in the history: it held a secret.
    Redacts(prop::sample::Index),
    /// The newest messages are taken back.
    Rewinds(prop::sample::Index),
}

fn between() -> impl Strategy<Value = Between> {
    prop_oneof![
        14 => Just(Between::Nothing),
        1 => any::<prop::sample::Index>().prop_map(Between::Redacts),
        1 => any::<prop::sample::Index>().prop_map(Between::Rewinds),
    ]
}

impl Between {
    /// Applies it. Returns what must be nowhere from now on.
    fn apply(&self, shape: Shape, history: &mut Vec<M>) -> Vec<String> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Rewinds(at) => {
                let mut from = at.index(history.len() + 1);
                // Where roles take turns, a host goes back to what a person said.
                let is_asked = |message: &M| message.role == Role::User && matches!(message.parts[0], P::Text(_));
                while shape == Shape::Turns && from < history.len() && !is_asked(&history[from]) {
                    from -= 1;
                }
                let gone = history.split_off(from);
                gone.iter().flat_map(|message| &message.parts).filter_map(secret).collect()
            }
            Self::Redacts(at) => {
                let parts = history.iter_mut().flat_map(|message| &mut message.parts);
                let mut all: Vec<(String, &mut P)> = parts.filter_map(|part| Some((secret(part)?, part))).collect();
                if all.is_empty() {
                    return Vec::new();
                }
                let (secret, part) = all.swap_remove(at.index(all.len()));
                if let P::Result { output, .. } = part {
                    *output = "redacted".into();
                }
                vec![secret]
            }
        }
    }
}

/// The name in a result that stands nowhere else.
fn secret(part: &P) -> Option<String> {
    let P::Result { output, .. } = part else { return None };
    let (name, _) = output.as_str()?.split_once(' ')?;
    name.starts_with(SECRET).then(|| name.to_owned())
}

/// How the names begin that results hold.
const SECRET: &str = "/srv/secret_";

/// What one chat is: how it is set up, and what happens in it before each request.
type Case = (Setup, Vec<(Between, Vec<Event>)>);

fn case() -> impl Strategy<Value = Case> {
    (setup(), prop::collection::vec((between(), prop::collection::vec(event(), 1..8)), 1..6))
}

/// A host that passes back what was sent in place of its history.
struct Fed {
    chat: Chat,
    given: Vec<M>,
}

impl Fed {
    /// Sends what it has, and the same again as if that had failed. `wanted`: what it pins. Returns the number of requests.
    fn send(&mut self, setup: &Setup, wanted: &[M]) -> Result<u64, TestCaseError> {
        let is_thought = |message: &M| message.parts.iter().all(|part| matches!(part, P::Reasoning { .. }));
        let is_wanted = |message: &M| wanted.iter().any(|wanted| !is_thought(wanted) && holds(message, wanted));
        let pinned: Vec<usize> = (0..self.given.len()).filter(|&at| is_wanted(&self.given[at])).collect();
        let mut twin = self.chat.clone();
        let prepared = setup.send_pinning(&mut self.chat, &self.given, pinned.clone());
        prop_assert_eq!(blamed(&prepared.view, &self.given), Vec::<&str>::new());
        prop_assert_eq!(&prepared.committed.report.diverged, &None, "a view of ours is not known");
        let same = setup.send_pinning(&mut twin, &self.given, pinned.clone());
        prop_assert_eq!(&same.view, &prepared.view, "the same call with a view twice");
        let mut requests = 2;
        if !is_tight(&prepared) {
            let again = setup.send_pinning(&mut self.chat.clone(), &self.given, pinned);
            prop_assert_eq!(&again.view, &prepared.view, "the request with a view again");
            requests += 1;
        }
        self.given = prepared.view;
        Ok(requests)
    }
}

fn is_tight(prepared: &Prepared) -> bool {
    matches!(prepared.committed.report.outcome, Outcome::Tight | Outcome::Infeasible)
}

/// Plays one chat. Returns the number of requests.
fn play((setup, chat): &Case) -> Result<u64, TestCaseError> {
    let (mut history, mut number, mut requests) = (Vec::new(), 0, 0);
    let mut own = setup.chat();
    let mut fed = Some(Fed { chat: setup.chat(), given: Vec::new() });
    // Parts that cannot be left out, and media behind results, whose numbers are theirs here: nothing tells what of a merged
    // message is whose.
    let is_unclear = |event: &Event| matches!(event, Event::Executed { .. } | Event::Asks { media: true, .. });
    let is_unclear = setup.shape == Shape::Turns && chat.iter().flat_map(|(_, events)| events).any(is_unclear);
    if is_unclear {
        fed = None;
    }
    let mut secrets = Vec::new();
    for (between, events) in chat {
        if !matches!(between, Between::Nothing) {
            fed = None;
        }
        secrets.extend(between.apply(setup.shape, &mut history));
        let held = history.len();
        let asks = Event::Asks { size: 4, media: false };
        for event in std::iter::once(&asks).chain(events) {
            setup.append(&mut history, event.messages(setup.shape, setup.window, number));
            number += 1;
        }
        let mut twin = own.clone();
        let prepared = setup.send(&mut own, &history);
        check(setup, &own, &history, &prepared)?;
        let same = setup.send(&mut twin, &history);
        prop_assert_eq!(&same.view, &prepared.view, "the same call twice");
        prop_assert_eq!(&twin.state, &own.state);
        requests += 2;
        if !is_tight(&prepared) {
            let again = setup.send(&mut own.clone(), &history);
            requests += 1;
            prop_assert_eq!(&again.view, &prepared.view, "the request again");
            prop_assert!(again.committed.report.outcome != Outcome::Compacted, "compacted again");
        }
        prop_assert!(own.state != Json::Null);
        for secret in &secrets {
            let state = to_value(&own.state).to_string();
            prop_assert!(!state.contains(secret), "what was redacted is in the state: {}", secret);
            prop_assert!(!crate::support::says(&prepared.view, secret), "what was redacted is sent: {}", secret);
        }
        if let Some(fed) = &mut fed {
            fed.given.extend_from_slice(&history[held..]);
            let wanted: Vec<M> = own.pinned.iter().map(|&index| history[index].clone()).collect();
            requests += fed.send(setup, &wanted)?;
        }
    }
    Ok(requests)
}

/// Plays chats until there were so many requests, each thousand by a seed of its own. A failure names the seed and the
/// smallest chat that shows it.
fn play_until(least: u64, first: u64) -> u64 {
    let requests = std::cell::Cell::new(0);
    let mut seed = first;
    while requests.get() < least {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let played = runner.run(&case(), |case| {
            // The rest of a thousand is not needed.
            if requests.get() < least {
                requests.set(requests.get() + play(&case)?);
            }
            Ok(())
        });
        if let Err(error) = played {
            if let TestError::Fail(_, case) = &error {
                TRACED.set(true);
                let _ = play(case);
            }
            panic!("PRECIS_SHAPES_SEED={seed}, after {} requests: {error}", requests.get());
        }
        seed += 1;
    }
    requests.get()
}

fn of_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Chats whose view was taken for one of another compaction when it was passed back: the other had only left out its note, or
/// said the same of more messages.
fn mistaken() -> [Case; 3] {
    let chat = |shape, window, pins, call: Value, said: Vec<Vec<Event>>| {
        let options = json!({ "tune": { "strategy": "tail", "tokens": { "estimator": "bytes4" } } });
        let setup = Setup { shape, window, summarizes: false, options, call, pins };
        (setup, said.into_iter().map(|events| (Between::Nothing, events)).collect())
    };
    let tools = |sizes: &[u32], shot: &[bool], thought: bool| {
        let one = |(&size, &shot): (&u32, &bool)| (0, size, false, shot);
        Event::Tools { batch: sizes.iter().zip(shot).map(one).collect(), said: false, thought }
    };
    let answers = |size| Event::Answers { size, thought: false };
    let asks = |media| Event::Asks { size: 1, media };
    let two = |size, other, thought| tools(&[size, other], &[false; 2], thought);
    [
        chat(
            Shape::Turns,
            3_000,
            Some(8),
            json!({ "keep": { "results": 1, "turns": 2 }, "trigger": { "messages": 4 } }),
            vec![
                vec![two(102, 3, false)],
                vec![tools(&[1], &[false], false), tools(&[139], &[false], false), answers(1), answers(1)],
                vec![two(14, 4, true)],
            ],
        ),
        chat(
            Shape::Messages,
            1_500,
            None,
            json!({ "keep": { "turns": 1 }, "recall": true }),
            vec![
                vec![answers(63), tools(&[1], &[true], false)],
                vec![asks(true), asks(false), tools(&[42, 25, 5], &[false, false, true], false)],
            ],
        ),
        chat(
            Shape::Blocks,
            1_500,
            Some(9),
            json!({ "keep": { "results": 1, "turns": 2 } }),
            vec![
                vec![
                    two(1, 1, false),
                    asks(false),
                    asks(false),
                    asks(true),
                    tools(&[1], &[false], false),
                    two(1, 1, false),
                    answers(112),
                ],
                vec![asks(true), Event::Executed { size: 1 }],
                vec![Event::Approval { size: 1, approved: false }],
            ],
        ),
    ]
}

/// A chat of which two views hold the same joined message, with a result that is cut in one of them alone.
fn cut_in_one_of_two_views() -> Case {
    let options = json!({
        "toolPolicy": { "write": { "keep": 1 } },
        "tune": { "strategy": "tail", "tokens": { "estimator": "bytes4" } }
    });
    let (shape, window, call) = (Shape::Turns, 3_000, json!({}));
    let setup = Setup { shape, window, summarizes: false, options, call, pins: None };
    let tools = |batch: &[(u8, u32)], said| {
        let batch = batch.iter().map(|&(name, size)| (name, size, false, false)).collect();
        Event::Tools { batch, said, thought: false }
    };
    let answers = |size| Event::Answers { size, thought: false };
    let asks = Event::Asks { size: 1, media: false };
    let said = vec![
        vec![tools(&[(0, 97), (0, 10), (2, 3)], false)],
        // The last two have no form here; what is said then is of another kind.
        vec![tools(&[(0, 1)], false), answers(5), Event::Approval { size: 1, approved: false }, answers(1)],
        vec![asks.clone(), tools(&[(0, 3), (0, 34)], true), asks, tools(&[(0, 4)], false)],
        vec![tools(&[(0, 1), (0, 5)], false)],
    ];
    (setup, said.into_iter().map(|events| (Between::Nothing, events)).collect())
}

/// A chat whose view begins with two joined messages of many pieces: a summary between pins, and what stays beside it.
fn between_two_pins() -> Case {
    let options = json!({ "tune": { "strategy": "tail", "tokens": { "estimator": "bytes4" } } });
    let (shape, window, call) = (Shape::Turns, 1_500, json!({}));
    let setup = Setup { shape, window, summarizes: false, options, call, pins: Some(8) };
    let tools = |sizes: &[u32], said, thought| {
        let batch = sizes.iter().map(|&size| (0, size, false, false)).collect();
        Event::Tools { batch, said, thought }
    };
    let said = vec![
        vec![Event::Answers { size: 20, thought: true }],
        vec![
            tools(&[1], false, false),
            tools(&[1], false, false),
            tools(&[120], true, false),
            tools(&[113, 17], true, true),
            Event::Answers { size: 1, thought: false },
        ],
        vec![Event::Approval { size: 1, approved: false }],
    ];
    (setup, said.into_iter().map(|events| (Between::Nothing, events)).collect())
}

#[test]
fn a_joined_message_is_known_in_each_view_that_holds_it() {
    for case in [cut_in_one_of_two_views(), between_two_pins()] {
        play(&case).unwrap();
    }
}

#[test]
fn a_view_is_known_by_what_follows_where_several_compactions_begin_alike() {
    for case in mistaken() {
        play(&case).unwrap();
    }
}

/// Requests for each case of a property.
const PER_CASE: u64 = 20;

#[test]
fn whatever_the_options_and_the_shape_what_is_sent_is_sound_and_the_same_again() {
    let cases = of_environment("PROPTEST_CASES").unwrap_or(256);
    let clock = || std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
    play_until(cases * PER_CASE, of_environment("PROPTEST_RNG_SEED").unwrap_or_else(clock));
}

#[test]
#[ignore = "hours; PRECIS_SHAPES says how many requests, PRECIS_SHAPES_SEED where to begin"]
fn as_many_requests_as_are_asked_for() {
    let least = of_environment("PRECIS_SHAPES").unwrap_or(2_000_000);
    let first = of_environment("PRECIS_SHAPES_SEED").unwrap_or(0);
    println!("{} requests", play_until(least, first));
}
