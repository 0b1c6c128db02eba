//! Thinking that is bound to what was sent before it: no block is ever sent behind anything else, and none goes that is
//! still valid. A provider that remembers every request judges.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Prepared;
use crate::support::added;
use crate::support::answer;
use crate::support::filler;
use crate::support::result;
use crate::support::user;
use precis::engine::Reported;
use precis::limits::thinking::of_model;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::sent::{MOST_STALE, is_stale, leave_out};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a block of thinking was produced behind.
#[derive(Clone, Debug, PartialEq)]
struct Origin {
    prefix: String,
    /// The block before it, as it was sent.
    predecessor: Option<String>,
}

/// The part of a provider that binds thinking. It shares nothing with the engine: it keeps every prefix as text.
#[derive(Clone, Debug, Default)]
struct Provider {
    origins: BTreeMap<String, Origin>,
    /// The blocks of the last request, and those that answered it.
    sent: Vec<String>,
    count: usize,
}

fn thoughts(message: &M) -> impl Iterator<Item = &String> {
    message.parts.iter().filter_map(|part| match part {
        P::Reasoning { text, signed: true } => Some(text),
        _ => None,
    })
}

/// A request before a message as the provider hashes it: without thinking.
fn prefix(system: &str, view: &[M]) -> String {
    let bare = |message: &M| {
        let parts = message.parts.iter().filter(|part| !matches!(part, P::Reasoning { .. }));
        (message.role, parts.cloned().collect::<Vec<P>>())
    };
    // A message that holds nothing but thinking is nothing without it.
    let all: Vec<_> = view.iter().map(bare).filter(|(_, parts)| !parts.is_empty()).collect();
    format!("{system}\n{all:?}")
}

impl Provider {
    /// The first block that would be refused.
    fn refuses(&self, system: &str, view: &[M]) -> Option<String> {
        let mut before: Option<&String> = None;
        for (at, message) in view.iter().enumerate() {
            for thought in thoughts(message) {
                let origin = &self.origins[thought];
                if origin.prefix != prefix(system, &view[..at]) {
                    return Some(format!("{thought} is bound to a different conversation"));
                }
                if before.is_some() && origin.predecessor.as_ref() != before {
                    return Some(format!("{thought} followed {:?}, not {before:?}", origin.predecessor));
                }
                before = Some(thought);
            }
        }
        None
    }

    /// Answers a request: returns the thinking of the reply.
    fn answer(&mut self, system: &str, view: &[M]) -> String {
        self.count += 1;
        let thought = format!("thought {}: {}", self.count, filler(60));
        self.sent = view.iter().flat_map(thoughts).cloned().collect();
        let predecessor = self.sent.last().cloned();
        self.origins.insert(thought.clone(), Origin { prefix: prefix(system, view), predecessor });
        self.sent.push(thought.clone());
        thought
    }

    /// A block of the last request or its reply that is missing from this one although it would be valid.
    fn misses(&self, system: &str, history: &[M], view: &[M]) -> Option<String> {
        let present: Vec<&String> = view.iter().flat_map(thoughts).collect();
        let gone = self.sent.iter().filter(|thought| !present.contains(thought));
        for thought in gone {
            // Found by its own call: everything else of it is still sent.
            let own = history.iter().find(|message| thoughts(message).any(|one| one == thought))?;
            let rest: Vec<&P> = own.parts.iter().filter(|part| !matches!(part, P::Reasoning { .. })).collect();
            let at = view.iter().position(|message| {
                !rest.is_empty() && message.role == Role::Assistant && message.parts.iter().collect::<Vec<_>>() == rest
            });
            if at.is_some_and(|at| self.origins[thought].prefix == prefix(system, &view[..at])) {
                return Some(thought.clone());
            }
        }
        None
    }
}

const MODEL: &str = "claude-fable-5-2";

fn chat(window: u64) -> Chat {
    let mut chat = Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": window / 20, "summarize": true,
        "tune": { "tokens": { "estimator": "bytes4" } }
    }));
    chat.more = json!({ "leavesOut": true, "model": MODEL });
    chat.system = Some("You help.".into());
    chat.tools = 1;
    chat
}

/// One request of a conversation that a provider answers.
struct Session {
    chat: Chat,
    provider: Provider,
    history: Vec<M>,
    number: usize,
}

impl Session {
    fn new(window: u64) -> Self {
        Self { chat: chat(window), provider: Provider::default(), history: Vec::new(), number: 0 }
    }

    fn system(&self) -> String {
        format!("{:?} {}", self.chat.system, self.chat.tools)
    }

    /// Sends, and is answered with thinking and a call, whose result has so many bytes, or with a text.
    fn send(&mut self, summarizes: bool, bytes: Option<usize>) -> Result<Prepared, TestCaseError> {
        let mut write = |_: &_| answer("The work goes on.");
        let prepared = self.chat.before_model(&self.history, summarizes.then_some(&mut write as _)).unwrap();
        let system = self.system();
        prop_assert_eq!(self.provider.refuses(&system, &prepared.view), None);
        prop_assert_eq!(self.provider.misses(&system, &self.history, &prepared.view), None, "it was still valid");
        prop_assert_eq!(added(&prepared.view, &self.history), Vec::<String>::new());
        let text = self.provider.answer(&system, &prepared.view);
        self.number += 1;
        let thought = P::Reasoning { text, signed: true };
        let id = format!("call_{}", self.number);
        let then = match bytes {
            Some(_) => P::Call { id: id.clone(), name: "read".into(), input: json!({ "n": self.number }) },
            None => P::Text(format!("Answer {}.", self.number)),
        };
        self.history.push(M { role: Role::Assistant, parts: vec![thought, then] });
        if let Some(bytes) = bytes {
            self.history.push(result(&id, &format!("{} {}", self.number, filler(bytes))));
        }
        Ok(prepared)
    }
}

/// What happens between two requests.
#[derive(Clone, Debug)]
enum Event {
    /// The person writes so many bytes.
    Writes(usize),
    /// The host rewrites the output of a tool, or a text.
    Rewrites(prop::sample::Index),
    Rewinds(prop::sample::Index),
    Pins(prop::sample::Index),
    Unpins,
    /// The tool's results are cut to this from now on.
    Cuts(Option<u64>),
    ChangesSystem(u8),
    ChangesTools(u8),
    CompactsNow,
    Reports,
    LosesState,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (20_usize..900).prop_map(Event::Writes),
        2 => any::<prop::sample::Index>().prop_map(Event::Rewrites),
        2 => any::<prop::sample::Index>().prop_map(Event::Rewinds),
        2 => any::<prop::sample::Index>().prop_map(Event::Pins),
        1 => Just(Event::Unpins),
        1 => prop::option::of(64_u64..200).prop_map(Event::Cuts),
        1 => (0_u8..3).prop_map(Event::ChangesSystem),
        1 => (0_u8..3).prop_map(Event::ChangesTools),
        2 => Just(Event::CompactsNow),
        3 => Just(Event::Reports),
        1 => Just(Event::LosesState),
    ];
    prop::collection::vec(event, 0..2)
}

impl Session {
    /// Whether what follows can be known only by the messages: a state that is lost has forgotten what was sent.
    fn happens(&mut self, event: &Event) {
        match event {
            Event::Writes(bytes) => {
                self.number += 1;
                self.history.push(user(&format!("Request {}: {}", self.number, filler(*bytes))));
            }
            Event::Rewrites(at) if !self.history.is_empty() => {
                let at = at.index(self.history.len());
                match self.history[at].parts.last_mut() {
                    Some(P::Result { output, .. }) => *output = format!("rewritten {}", self.number).into(),
                    Some(P::Text(text)) => text.push_str(" (edited)"),
                    _ => {}
                }
            }
            Event::Rewinds(at) if !self.history.is_empty() => {
                // To before a request of the person.
                let at = at.index(self.history.len());
                let asked = self.history[..at].iter().rposition(|message| message.role == Role::User);
                self.history.truncate(asked.unwrap_or(0));
                self.chat.pinned.clear();
            }
            Event::Pins(at) if !self.history.is_empty() => self.chat.pinned.push(at.index(self.history.len())),
            Event::Unpins => self.chat.pinned.clear(),
            Event::Cuts(cap) => {
                self.chat.options["toolPolicy"] = cap.map_or(Value::Null, |cap| json!({ "read": { "clip": cap } }))
            }
            Event::ChangesSystem(which) => self.chat.system = Some(format!("You help, {which}.")),
            Event::ChangesTools(which) => self.chat.tools = u64::from(*which) + 1,
            Event::CompactsNow => self.chat.more["compact"] = json!(true),
            Event::Reports => self.chat.learn(Reported { prompt: Some(300), ..Reported::default() }),
            Event::LosesState => {
                // Without it nobody can know what was sent, so the host begins a new conversation.
                self.chat.state = precis::base::json::Json::Null;
                self.history.clear();
                self.chat.pinned.clear();
            }
            _ => {}
        }
        if self.history.is_empty() {
            self.history.push(user("Begin."));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Whatever happens between requests: edits of the engine and of the host, pins, policies, rewinds, other tools.
    #[test]
    fn no_block_is_sent_behind_another_prefix_and_none_goes_needlessly(
        window in prop::sample::select(vec![600_u64, 1_200, 3_000]),
        steps in prop::collection::vec((events(), any::<bool>(), prop::option::weighted(0.8, 0_usize..1_500)), 1..40),
    ) {
        let mut session = Session::new(window);
        session.history.push(user("Begin."));
        for (events, summarizes, bytes) in steps {
            events.iter().for_each(|event| session.happens(event));
            if session.history.last().is_some_and(|last| last.role == Role::Assistant) {
                session.history.push(user("Go on."));
            }
            session.send(summarizes, bytes)?;
            session.chat.more["compact"] = Value::Null;
            let state = session.chat.session();
            prop_assert!(state.stale.len() <= 16 && state.sent.is_none_or(|sent| sent.marks.len() <= 24));
        }
    }
}

#[test]
fn a_cut_takes_the_thinking_behind_it_and_leaves_what_comes_before_and_after() {
    let mut session = Session::new(12_000);
    session.history.push(user("Begin."));
    for _ in 0..6 {
        session.send(false, Some(400)).unwrap();
    }
    // This one makes the request too large: it is cut when it is first sent, and costs nothing.
    session.send(false, Some(40_000)).unwrap();
    let prepared = session.send(false, Some(100)).unwrap();
    assert_eq!(prepared.committed.report.outcome, Outcome::Compacted);
    assert_eq!(prepared.view.iter().flat_map(thoughts).count(), 7);
    assert!(prepared.committed.report.thinking.is_none());
    // The host rewrites an old result.
    session.history[6] = result("call_3", "something else");
    let prepared = session.send(false, Some(100)).unwrap();
    let report = &prepared.committed.report;
    assert_eq!(prepared.view.iter().flat_map(thoughts).count(), 3, "{:?}", report.thinking);
    let thinking = report.thinking.as_ref().unwrap();
    assert_eq!((thinking.bound, thinking.source.as_str()), (true, "model"));
    assert_eq!(thinking.left_out.iter().map(|gap| (gap.from, gap.to)).collect::<Vec<_>>(), [(7, 17)]);
    assert!(report.provider.is_some());
    assert!(report.first_changed.is_some_and(|at| at <= 7), "the cache ends there");
    let state = session.chat.session();
    // Putting it back would break what came after.
    let before = session.provider.sent.last().cloned();
    session.history[6] = result("call_3", &format!("3 {}", filler(400)));
    let prepared = session.send(false, Some(100)).unwrap();
    let left: Vec<_> = prepared.view.iter().flat_map(thoughts).collect();
    assert!(left.len() == 3 && !left.contains(&before.as_ref().unwrap()), "{left:?}");
    assert!(session.chat.session().revision > state.revision);
}

const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
const MISSING: &str = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.";

fn sent_thoughts(prepared: &Prepared) -> usize {
    prepared.view.iter().flat_map(thoughts).count()
}

/// A session of four rounds with a model, whose next request is refused.
fn refused(model: &str, error: &str) -> (Session, Prepared) {
    let mut session = Session::new(12_000);
    session.chat.more["model"] = json!(model);
    session.history.push(user("Begin."));
    for _ in 0..4 {
        session.send(false, Some(100)).unwrap();
    }
    let sent = session.chat.before_model(&session.history, None).unwrap();
    assert_eq!(sent_thoughts(&sent), 4);
    session.chat.more["overflow"] = json!({ "text": error, "status": 400 });
    let again = session.chat.before_model(&session.history, None).unwrap();
    session.chat.more["overflow"] = Value::Null;
    (session, again)
}

#[test]
fn a_refusal_of_bound_thinking_is_believed_whatever_the_table_says_and_remembered() {
    // The table says that its thinking is free, and so does the host.
    for host in [None, Some("free")] {
        let (mut session, again) = refused("claude-opus-5", BOUND);
        session.chat.more["thinking"] = host.map_or(Value::Null, |host| json!(host));
        assert_eq!(sent_thoughts(&again), 0);
        let thinking = again.committed.report.thinking.as_ref().unwrap();
        assert_eq!((thinking.bound, thinking.source.as_str(), thinking.left_out.len()), (true, "learned", 1));
        assert!(again.committed.report.provider.is_some());
        assert!(again.committed.report.warnings.iter().all(|one| one.code.as_str() != "not-an-overflow"));
        // What is produced from then on stays, and the rest never comes back, although this server would take it.
        session.provider.sent.clear();
        session.send(false, Some(100)).unwrap();
        assert_eq!(sent_thoughts(&session.chat.before_model(&session.history, None).unwrap()), 1);
        // A second refusal leaves out that, too; a third one finds nothing more and changes nothing.
        for _ in 0..2 {
            session.chat.more["overflow"] = json!({ "text": BOUND, "status": 400 });
            let again = session.chat.before_model(&session.history, None).unwrap();
            assert_eq!(sent_thoughts(&again), 0);
        }
    }
}

#[test]
fn a_damaged_signature_is_left_out_on_any_model() {
    for model in ["claude-sonnet-4-5", "claude-opus-5", "claude-fable-5-2", "my-proxy"] {
        let (_, again) = refused(model, "messages.3.content.0: Invalid `signature` in `thinking` block");
        assert_eq!(sent_thoughts(&again), 0, "{model}");
    }
}

#[test]
fn thinking_without_a_signature_goes_with_the_first_refusal() {
    let (mut session, _) = refused("claude-opus-5", BOUND);
    let unsigned = P::Reasoning { text: "copied".into(), signed: false };
    session.history.push(M { role: Role::Assistant, parts: vec![unsigned, P::Text("Well.".into())] });
    session.history.push(user("Go on."));
    session.chat.before_model(&session.history, None).unwrap();
    session.chat.more["overflow"] =
        json!({ "text": "messages.9.content.0: Invalid `signature` in `thinking` block", "status": 400 });
    let again = session.chat.before_model(&session.history, None).unwrap();
    assert!(again.view.iter().all(|message| message.parts.iter().all(|part| !matches!(part, P::Reasoning { .. }))));
}

#[test]
fn where_an_open_round_must_keep_its_thinking_it_comes_back() {
    // Nothing is known of this model, so the thinking behind a changed prefix goes.
    let mut session = Session::new(12_000);
    session.chat.more["model"] = json!("my-proxy");
    session.history.push(user("Begin."));
    for _ in 0..4 {
        session.send(false, Some(100)).unwrap();
    }
    session.chat.system = Some("You help, but otherwise.".into());
    assert_eq!(sent_thoughts(&session.chat.before_model(&session.history, None).unwrap()), 0);
    session.chat.more["overflow"] = json!({ "text": MISSING, "status": 400 });
    let again = session.chat.before_model(&session.history, None).unwrap();
    assert_eq!(sent_thoughts(&again), 4);
    let thinking = again.committed.report.thinking.as_ref().unwrap();
    assert_eq!((thinking.bound, thinking.source.as_str(), thinking.left_out.len()), (false, "learned", 0));
    assert!(again.committed.report.provider.is_none());
}

#[test]
fn thinking_that_is_free_stays_behind_whatever_changes_unless_the_host_says_otherwise() {
    for (model, host, left) in [
        ("claude-sonnet-4-5", None, 4),
        ("claude-opus-5", None, 4),
        ("gemini-3-pro", None, 4),
        ("claude-fable-5-2", Some("free"), 4),
        ("claude-opus-5", Some("bound"), 0),
        // The open round keeps it even then.
        ("claude-sonnet-4-5", Some("bound"), 4),
        ("claude-fable-5-2", None, 0),
    ] {
        let mut session = Session::new(12_000);
        session.chat.more["model"] = json!(model);
        session.chat.more["thinking"] = host.map_or(Value::Null, |host| json!(host));
        session.history.push(user("Begin."));
        for _ in 0..4 {
            session.send(false, Some(100)).unwrap();
        }
        session.chat.system = Some("You help, but otherwise.".into());
        let prepared = session.chat.before_model(&session.history, None).unwrap();
        assert_eq!(sent_thoughts(&prepared), left, "{model} {host:?}");
        assert_eq!(prepared.committed.report.thinking.is_some(), left == 0, "{model} {host:?}");
    }
}

#[test]
fn old_turns_of_a_round_that_keeps_its_thinking_lose_theirs() {
    let mut session = Session::new(12_000);
    session.chat.more = json!({ "leavesOut": true, "model": "claude-sonnet-4-5", "thinking": "bound" });
    session.history.push(user("Begin."));
    session.send(false, Some(100)).unwrap();
    session.send(false, None).unwrap();
    session.history.push(user("Go on."));
    session.send(false, Some(100)).unwrap();
    session.chat.system = Some("You help, but otherwise.".into());
    let prepared = session.chat.before_model(&session.history, None).unwrap();
    assert_eq!(prepared.view.iter().map(|one| thoughts(one).count()).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn a_message_of_nothing_but_stale_thinking_goes_as_a_whole() {
    let mut session = Session::new(12_000);
    session.history.push(user("Begin."));
    session.send(false, Some(100)).unwrap();
    let prepared = session.chat.before_model(&session.history, None).unwrap();
    let text = session.provider.answer(&session.system(), &prepared.view);
    session.history.push(M { role: Role::Assistant, parts: vec![P::Reasoning { text, signed: true }] });
    session.history.push(user("You said nothing."));
    session.chat.system = Some("You help, but otherwise.".into());
    let prepared = session.chat.before_model(&session.history, None).unwrap();
    assert_eq!((prepared.view.len(), sent_thoughts(&prepared)), (4, 0));
}

#[test]
fn what_is_remembered_does_not_grow_with_the_history() {
    let mut session = Session::new(200_000);
    session.history.push(user("Begin."));
    for number in 0..120 {
        // With too many gaps, the oldest thinking goes without need.
        session.provider.sent.clear();
        session.send(false, Some(20)).unwrap();
        if number % 4 == 3 {
            // Each change leaves a gap; what was produced since the last one stays.
            let last = session.history.len() - 1;
            session.history[last - 2] = result(&format!("call_{}", session.number - 1), "rewritten");
        }
    }
    let state = session.chat.session();
    let sent = state.sent.unwrap();
    assert!(state.stale.len() <= 16 && sent.marks.len() <= 24, "{} {}", state.stale.len(), sent.marks.len());
}

#[test]
fn what_a_model_demands_follows_from_its_id_whoever_spells_it() {
    let rule = |id: &str| {
        of_model(id).map(|demands| match (demands.bound, demands.round, demands.beside_calls) {
            (true, false, false) => "bound",
            (false, true, false) => "round",
            (false, false, true) => "beside-calls",
            (false, false, false) => "free",
            _ => "?",
        })
    };
    let table = [
        (
            "bound",
            "claude-fable-5-2 claude-fable-5.2 anthropic/claude-fable-5.2 claude-fable-5-1 claude-mythos-5-1 claude-mythos-5-2 Claude-Opus-5-5",
        ),
        (
            "bound",
            "claude-opus-5-5 claude-opus-5-5-20260922 claude-opus-5-5@20260922 us.anthropic.claude-opus-5-5-20260922-v1:0 global.anthropic.claude-sonnet-5-5-v1:0",
        ),
        (
            "bound",
            "claude-sonnet-5-5-20260928 claude-haiku-5-5 anthropic/claude-haiku-5.5:thinking vertex/claude-opus-5-5@latest claude-fable-6 claude-opus-6-1 claude-saga-1",
        ),
        (
            "bound",
            "claude claude-latest claude-opus-latest arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5-20260922-v1:0",
        ),
        (
            "free",
            "claude-fable-5 claude-mythos-5 claude-opus-5 claude-opus-5-20260501 claude-sonnet-5 claude-opus-4-7 claude-opus-4-8 anthropic/claude-opus-4.8",
        ),
        (
            "round",
            "claude-sonnet-4-5 claude-sonnet-4-5-20250929 claude-opus-4-5 claude-haiku-4-5 claude-sonnet-4-20250514 claude-opus-4-1-20250805 claude-opus-4-6 claude-sonnet-4-6",
        ),
        (
            "round",
            "claude-3-7-sonnet-20250219 claude-3-5-sonnet-v2@20241022 anthropic.claude-v2:1 claude-instant-1.2 eu.anthropic.claude-sonnet-4-20250514-v1:0",
        ),
        (
            "beside-calls",
            "deepseek-v4 deepseek/deepseek-chat kimi-k2-thinking moonshotai/kimi-k3 MiMo-V2 glm-5 z-ai/glm-4.7 minimax-m3 MiniMax-M2",
        ),
        (
            "free",
            "gemini-3-pro google/gemini-3.5-flash gpt-6 openai/gpt-5.6-codex o3 grok-4.7 mistral-large-latest qwen3-max",
        ),
    ];
    for (expected, ids) in table {
        for id in ids.split(' ') {
            assert_eq!(rule(id), Some(expected), "{id}");
        }
    }
    for id in ["", "my-model", "o365", "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"] {
        assert_eq!(rule(id), None, "{id}");
    }
}

#[test]
fn a_call_made_twice_leaves_a_message_with_signed_thinking() {
    let call = |n: u64| P::Call { id: "call_a".into(), name: "read".into(), input: json!({ "n": n }) };
    let thought = |text: &str| P::Reasoning { text: text.into(), signed: true };
    let mut session = Session::new(12_000);
    let parts = vec![thought("one"), call(1), thought("two"), call(1)];
    session.history =
        vec![user("Begin."), M { role: Role::Assistant, parts }, result("call_a", "once"), user("Go on.")];
    let view = session.chat.before_model(&session.history, None).unwrap().view;
    // No message ends with thinking.
    assert_eq!(view[1].parts, [thought("one"), call(1)]);
    assert_eq!(view[2..], session.history[2..]);
}

proptest! {
    /// Whatever is left out, in whatever order, is in the list once, and nothing else is.
    #[test]
    fn what_is_left_out_is_the_union_of_all(spans in prop::collection::vec((0_u64..40, 1_u64..10), 1..MOST_STALE)) {
        let (mut stale, mut expected) = (Vec::new(), [false; 64]);
        for (from, length) in spans {
            leave_out(&mut stale, from, from + length);
            expected[from as usize..(from + length) as usize].fill(true);
            prop_assert!(stale.windows(2).all(|two| two[0].to < two[1].from), "{stale:?}");
        }
        for (index, expected) in (0..).zip(expected) {
            prop_assert_eq!(is_stale(&stale, index), expected, "{} of {:?}", index, stale);
        }
    }
}
