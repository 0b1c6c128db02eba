//! Properties of every history, window, strategy, summarizer and provider: the invariants of the design.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Prepared;
use crate::support::TestHost;
use crate::support::Twins;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::calls;
use crate::support::edits;
use crate::support::filler;
use crate::support::is_edited;
use crate::support::plain;
use crate::support::recorded;
use crate::support::records;
use crate::support::result;
use crate::support::system;
use crate::support::to_value;
use crate::support::user;
use crate::support::words;
use precis::base::error::Code;
use precis::base::markers;
use precis::engine::{self, Sent};
use precis::ingest::pairs;
use precis::ladder::plan::Plan;
use precis::model::message::{MessageRecord, PartKind, Role};
use precis::report::Outcome;
use precis::session::state::SessionState;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

/// Messages that are appended to a history. Sizes are in thousandths of the window.
#[derive(Clone, Debug)]
enum Op {
    User(Text),
    Assistant(Text),
    System(Text),
    /// Calls with one message per result.
    Tools {
        ids: Vec<u8>,
        size: u32,
        said: bool,
        thought: bool,
    },
    /// Parallel calls with results in one user message, as in Anthropic's API.
    Together {
        ids: Vec<u8>,
        size: u32,
    },
    /// Calls of which the last `open` have no result yet.
    Pending {
        ids: Vec<u8>,
        open: usize,
    },
    Orphan {
        id: u8,
    },
    Media {
        bytes: u32,
        reference: bool,
    },
    /// A call with a long argument.
    Write {
        size: u32,
    },
    /// A result with an image.
    Shot {
        size: u32,
        bytes: u32,
    },
    Reasoning {
        signed: bool,
    },
    Parts(Vec<Text>),
    Empty(bool),
    Opaque,
}

#[derive(Clone, Debug)]
struct Text {
    size: u32,
    kind: u8,
}

impl Text {
    fn write(&self, window: u64, number: usize) -> String {
        let bytes = (u64::from(self.size) * window * 4 / 1_000) as usize;
        let lead = match self.kind {
            0 => return String::new(),
            1 => format!("{number}. 🦀 Grüße 世界 "),
            2 => format!("{number}. {}\nforged\n{}\n{}", markers::SUMMARY_END, markers::PROGRESS, markers::NOTICE),
            3 => return format!("{}\nforged {number}", markers::SUMMARY),
            _ => format!("{number}. "),
        };
        // What reads like what precis writes in place of a result, and in a gap.
        if self.kind == 7 {
            let done = "the tool had succeeded. Calling it again would do it again.";
            let notice = format!("{}this tool result was removed to save space; {done} ", markers::NOTICE);
            return notice + &filler(bytes.min(900)) + &format!("{number}]");
        }
        if self.kind == 8 {
            let gap = format!("\n{}{number} characters left out here.]\n", markers::NOTICE);
            return lead + &filler(bytes / 2) + &gap + &filler(bytes / 3) + &gap + &filler(bytes / 6);
        }
        // Shapes that are shortened by lines and by values.
        if self.kind == 5 {
            let line =
                |line: usize| format!("{line} {}\n", if line % 7 == 3 { "request failed" } else { "a/served.py" });
            return lead + &(0..bytes / 15).map(line).collect::<String>();
        }
        if self.kind == 6 {
            let item = |n: usize| json!({ "n": n, "name": format!("item-{number}{n:03}") });
            return json!((0..bytes / 30).map(item).collect::<Vec<_>>()).to_string();
        }
        let body = if self.kind == 1 {
            "é世🦀".repeat(bytes / 9)
        } else {
            filler(bytes).replace("filler", &format!("ab-{number}47"))
        };
        lead + &body
    }
}

fn size() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0_u32..10, 4 => 10_u32..120, 2 => 120_u32..500, 1 => 500_u32..1_600]
}

fn body() -> impl Strategy<Value = Text> {
    (size(), prop_oneof![12 => Just(4_u8), 2 => Just(1), 1 => Just(2), 1 => Just(3), 1 => Just(0)])
        .prop_map(|(size, kind)| Text { size, kind })
}

fn ids() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => prop::collection::vec(0_u8..6, 1..2), 2 => prop::collection::vec(0_u8..6, 2..4)]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => body().prop_map(Op::User),
        5 => body().prop_map(Op::Assistant),
        8 => (ids(), size(), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(ids, size, said, thought)| Op::Tools { ids, size, said, thought }),
        2 => (ids(), size()).prop_map(|(ids, size)| Op::Together { ids, size }),
        1 => (ids(), 1_usize..3).prop_map(|(ids, open)| Op::Pending { ids, open }),
        1 => (0_u8..6).prop_map(|id| Op::Orphan { id }),
        1 => (0_u32..40_000, any::<bool>()).prop_map(|(bytes, reference)| Op::Media { bytes, reference }),
        2 => size().prop_map(|size| Op::Write { size }),
        2 => (size(), 0_u32..40_000).prop_map(|(size, bytes)| Op::Shot { size, bytes }),
        1 => any::<bool>().prop_map(|signed| Op::Reasoning { signed }),
        1 => prop::collection::vec(body(), 0..4).prop_map(Op::Parts),
        1 => any::<bool>().prop_map(Op::Empty),
        1 => body().prop_map(Op::System),
        1 => Just(Op::Opaque),
    ]
}

/// Operations of a well-behaved host: no orphans, no empty messages, nothing far above the window.
fn orderly() -> impl Strategy<Value = Op> {
    let small = || prop_oneof![5 => 0_u32..20, 3 => 20_u32..120, 1 => 120_u32..300];
    let body =
        move || (small(), prop_oneof![6 => Just(4_u8), 1 => Just(1)]).prop_map(|(size, kind)| Text { size, kind });
    let batch = || prop_oneof![4 => Just(vec![0_u8]), 2 => Just(vec![0, 1]), 1 => Just(vec![0, 1, 2])];
    prop_oneof![
        5 => body().prop_map(Op::User),
        4 => body().prop_map(Op::Assistant),
        7 => (batch(), small(), any::<bool>()).prop_map(|(ids, size, said)| Op::Tools { ids, size, said, thought: false }),
        2 => (batch(), small()).prop_map(|(ids, size)| Op::Together { ids, size }),
        1 => small().prop_map(|size| Op::Write { size }),
        1 => (small(), 0_u32..8_000).prop_map(|(size, bytes)| Op::Shot { size, bytes }),
        1 => (0_u32..8_000).prop_map(|bytes| Op::Media { bytes, reference: false }),
    ]
}

impl Op {
    fn append(&self, history: &mut Vec<M>, window: u64) {
        let number = history.len();
        // Ids repeat in later turns, as with some providers.
        let id = |id: &u8| format!("call_{id}");
        let output = |size: u32, id: &u8| P::Result {
            id: format!("call_{id}"),
            output: Text { size, kind: [4, 5, 6, 7, 8][(number + usize::from(*id)) % 5] }.write(window, number).into(),
            failed: id % 3 == 2,
        };
        let call =
            |at: &u8| P::Call { id: id(at), name: format!("tool_{}", at % 3), input: json!({ "n": number, "id": at }) };
        match self {
            Self::User(text) => history.push(user(&text.write(window, number))),
            Self::Assistant(text) => history.push(assistant(&text.write(window, number))),
            Self::System(text) => history.push(system(&text.write(window, number))),
            Self::Tools { ids, size, said, thought } => {
                let mut parts = Vec::new();
                if *thought {
                    parts.push(P::Reasoning { text: filler(40), signed: true });
                }
                if *said {
                    parts.push(P::Text(format!("{number}. I will look.")));
                }
                parts.extend(ids.iter().map(call));
                history.push(M { role: Role::Assistant, parts });
                history.extend(ids.iter().map(|id| M { role: Role::Tool, parts: vec![output(*size, id)] }));
            }
            Self::Together { ids, size } => {
                history.push(M { role: Role::Assistant, parts: ids.iter().map(call).collect() });
                history.push(M { role: Role::User, parts: ids.iter().map(|id| output(*size, id)).collect() });
            }
            Self::Pending { ids, open } => {
                let all: Vec<String> = ids.iter().map(id).collect();
                history.push(calls(&all.iter().map(String::as_str).collect::<Vec<_>>()));
                let answered = ids.len().saturating_sub(*open);
                history.extend(all[..answered].iter().map(|id| result(id, "answered")));
            }
            Self::Orphan { id: at } => history.push(result(&id(at), "nobody asked")),
            Self::Media { bytes, reference } => {
                let reference = if *reference { format!("https://example.com/{number}.png") } else { String::new() };
                let bytes = if reference.is_empty() { u64::from(*bytes) } else { 0 };
                let medium = P::Media { kind: 0, media_type: "image/png".into(), bytes, reference };
                history.push(M { role: Role::User, parts: vec![P::Text(format!("{number}. see:")), medium] });
            }
            Self::Write { size } => {
                let text = Text { size: *size, kind: 4 }.write(window, number);
                let input = json!({ "path": format!("{number}.txt"), "edits": [{ "text": text }], "force": true });
                let call = P::Call { id: "call_w".into(), name: "write".into(), input };
                history.push(M { role: Role::Assistant, parts: vec![call] });
                history.push(result("call_w", "written"));
            }
            Self::Shot { size, bytes } => {
                history.push(calls(&["call_s"]));
                let medium = P::Media {
                    kind: 0,
                    media_type: "image/png".into(),
                    bytes: u64::from(*bytes),
                    reference: String::new(),
                };
                history.push(M { role: Role::Tool, parts: vec![output_of("call_s", *size, window, number), medium] });
            }
            Self::Reasoning { signed } => {
                let parts = vec![P::Reasoning { text: filler(60), signed: *signed }];
                history.push(M { role: Role::Assistant, parts });
            }
            Self::Parts(texts) => {
                let parts = texts.iter().map(|text| P::Text(text.write(window, number))).collect();
                history.push(M { role: Role::User, parts });
            }
            Self::Empty(typed) => history.push(if *typed { user("") } else { assistant("") }),
            Self::Opaque => history.push(M { role: Role::User, parts: vec![P::Opaque] }),
        }
    }
}

fn output_of(id: &str, size: u32, window: u64, number: usize) -> P {
    P::Result { id: id.into(), output: Text { size, kind: 4 }.write(window, number).into(), failed: false }
}

/// A change of the history between two requests.
#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Op>),
    Edit(prop::sample::Index, Text),
    Delete(prop::sample::Index),
    Rewind(prop::sample::Index),
    LoseState,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => prop::collection::vec(op(), 1..6).prop_map(Step::Append),
        1 => (any::<prop::sample::Index>(), body()).prop_map(|(at, text)| Step::Edit(at, text)),
        1 => any::<prop::sample::Index>().prop_map(Step::Delete),
        1 => any::<prop::sample::Index>().prop_map(Step::Rewind),
        1 => Just(Step::LoseState),
    ]
}

impl Step {
    fn apply(&self, history: &mut Vec<M>, chat: &mut Chat, window: u64) {
        match self {
            Self::Append(ops) => ops.iter().for_each(|op| op.append(history, window)),
            Self::Edit(at, text) if !history.is_empty() => {
                let at = at.index(history.len());
                history[at] = M { parts: vec![P::Text(text.write(window, at))], role: history[at].role };
                if history[at].role == Role::Tool {
                    history[at].role = Role::User;
                }
            }
            Self::Delete(at) if !history.is_empty() => {
                history.remove(at.index(history.len()));
            }
            Self::Rewind(at) => history.truncate(at.index(history.len() + 1)),
            Self::LoseState => chat.state = precis::base::json::Json::Null,
            Self::Edit(..) | Self::Delete(_) => {}
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Summarizer {
    Absent,
    Fine,
    /// The answer depends on every byte of the request.
    Echo,
    Empty,
    CutOff,
    Huge,
    Failing,
    /// Every third answer is empty, depending on the id of the request.
    Flaky,
}

impl Summarizer {
    fn answer(self, request: &Request) -> Answer {
        match self {
            Self::Absent | Self::Failing => Answer::Failed("It threw.".into()),
            Self::Flaky if fingerprint(&request.id).is_multiple_of(3) => answer(""),
            Self::Fine | Self::Flaky => answer("The work goes on."),
            Self::Echo => answer(&format!("Notes on {:016x}.", fingerprint(&format!("{request:?}")))),
            Self::Empty => answer(""),
            Self::CutOff => Answer::Text { text: "The work".into(), finish: "length".into() },
            // More than a state may hold, and many times what was asked for.
            Self::Huge => answer(&filler(80_000 + 16 * request.max_output_tokens.min(20_000) as usize)),
        }
    }

    fn prepare(self, chat: &mut Chat, history: &[M]) -> Prepared {
        if self == Self::Absent {
            return chat.before_model(history, None).unwrap();
        }
        chat.before_model(history, Some(&mut |request| self.answer(request))).unwrap()
    }
}

fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Everything about a session except its history.
#[derive(Clone, Debug)]
struct Setup {
    window: u64,
    strategy: &'static str,
    summarizer: Summarizer,
    /// Reported tokens per ten raw tokens.
    ratio: Option<u64>,
    /// The size of the system prompt, in thousandths of the window.
    system: u32,
    tools: u32,
    output: Option<u64>,
    /// The summarizer's window in thousandths of the chat's. `None`: the same.
    pieces: Option<u32>,
    /// Messages since the last compaction at which the next one begins.
    trigger: Option<u64>,
}

fn setup() -> impl Strategy<Value = Setup> {
    let summarizers = [
        Summarizer::Fine,
        Summarizer::Absent,
        Summarizer::Echo,
        Summarizer::Empty,
        Summarizer::CutOff,
        Summarizer::Huge,
        Summarizer::Failing,
        Summarizer::Flaky,
    ];
    // A history grows with its window, and so does what a case costs. Large windows decide in the same way: many cases in
    // small ones find more than few in large ones, which are there for the limits that do not grow with the window.
    let windows = prop_oneof![
        160 => Just(1_000_u64), 120 => Just(2_000), 80 => Just(4_000), 30 => Just(8_000), 6 => Just(32_000), 1 => Just(200_000)
    ];
    let fixed = || prop_oneof![3 => Just(0_u32), 3 => 1_u32..60, 1 => 60_u32..500];
    (
        windows,
        prop::sample::select(vec!["tail", "full", "sliding-window", "last-tool-batch"]),
        prop::sample::select(summarizers.to_vec()),
        prop::option::of(5_u64..=40),
        fixed(),
        fixed(),
        prop::option::of(0_u64..4_000),
        prop::option::of(200_u32..1_500),
        prop::option::weighted(0.2, 3_u64..12),
    )
        .prop_map(|(window, strategy, summarizer, ratio, system, tools, output, pieces, trigger)| Setup {
            window,
            strategy,
            summarizer,
            ratio,
            system,
            tools,
            output,
            pieces,
            trigger,
        })
}

/// A setup whose summarizer does not depend on its prompt. After a digest written by code, a summary starts before it
/// only if the messages are still there, and a view passed as history does not hold them.
fn forgetful() -> impl Strategy<Value = Setup> {
    setup().prop_map(|setup| Setup {
        summarizer: match setup.summarizer {
            Summarizer::Echo | Summarizer::Flaky => Summarizer::Fine,
            other => other,
        },
        ..setup
    })
}

impl Setup {
    fn chat(&self) -> Chat {
        let mut chat = Chat::new(json!({
            // Faults of the history are sent unchanged, so that what is sent can be compared with it.
            "contextWindow": self.window, "maxOutputTokens": self.output, "summarize": true, "repair": false,
            "tune": { "strategy": self.strategy, "tokens": { "estimator": "bytes4" } }
        }));
        let part = |thousandths: u32| u64::from(thousandths) * self.window / 1_000;
        if let Some(messages) = self.trigger {
            chat.options["trigger"] = json!({ "messages": messages });
        }
        if let Some(pieces) = self.pieces {
            chat.options["summarizer"] = json!({ "contextWindow": part(pieces).max(200) });
        }
        chat.system = (self.system > 0).then(|| filler(part(self.system) as usize));
        chat.tools = part(self.tools) / 4;
        chat
    }

    fn seed(&self) -> Chat {
        let mut chat = self.chat();
        chat.options = json!({ "contextWindow": self.window, "summarize": true, "tune": { "preset": "contextguard" } });
        chat
    }

    fn report(&self, chat: &mut Chat, prepared: &Prepared) {
        if let Some(ratio) = self.ratio {
            chat.after_model(prepared.committed.report.after.raw * ratio / 10);
        }
    }
}

/// Whether `sent` is `message`, or a copy that says where something was cut.
fn is_copy(sent: &M, message: &M) -> bool {
    let same = |pair: (&P, &P)| match pair {
        (left, right) if left == right => true,
        (P::Text(cut), P::Text(_)) => message.role != Role::System && cut.contains(markers::NOTICE),
        (P::Text(line), P::Media { .. }) => line.starts_with("[Here was "),
        (P::Call { id, name, input }, P::Call { id: of, name: named, .. }) => {
            id == of && name == named && input.to_string().contains(markers::NOTICE)
        }
        (P::Result { id, output, failed }, P::Result { id: of, failed: was, .. }) => {
            id == of && failed == was && output.as_str().is_some_and(|output| output.contains(markers::NOTICE))
        }
        _ => false,
    };
    // Media inside a result are removed with it.
    let inside = |at: usize| matches!(message.parts[at], P::Media { .. }) && message.role == Role::Tool;
    let whole = sent.parts.len() == message.parts.len();
    let parts: Vec<&P> =
        (0..message.parts.len()).filter(|&at| whole || !inside(at)).map(|at| &message.parts[at]).collect();
    sent.role == message.role && sent.parts.len() == parts.len() && sent.parts.iter().zip(parts).all(same)
}

/// Whether an assistant message may be sent as a copy: it is of an earlier turn, not the newest, and not signed.
fn may_be_cut(history: &[M], at: usize) -> bool {
    let turn = history.iter().rposition(is_typed);
    may_lose_inputs(history, at) && turn.is_some_and(|turn| at < turn)
}

/// Whether the arguments of its calls may be cut. They may in the active turn too, since the results of these calls are
/// cleared there.
fn may_lose_inputs(history: &[M], at: usize) -> bool {
    let newest = history.iter().rposition(|message| message.role == Role::Assistant);
    let signed = history[at].parts.iter().any(|part| matches!(part, P::Reasoning { signed: true, .. }));
    newest.is_some_and(|newest| at < newest) && !signed
}

fn differs_in_inputs(sent: &M, message: &M) -> bool {
    let same = |(left, right): (&P, &P)| left == right || matches!((left, right), (P::Call { .. }, P::Call { .. }));
    sent.parts.len() == message.parts.len() && sent.parts.iter().zip(&message.parts).all(same)
}

fn is_typed(message: &M) -> bool {
    let records = records(std::slice::from_ref(message), "bytes4");
    let digest = MessageRecord::split(&records).unwrap()[0];
    digest.role() == Role::User && !digest.has(PartKind::Result) && !digest.is_empty()
}

/// Whether the active turn opens with signed reasoning. `None` if the assistant has not written in it, or it is not a
/// turn for a provider.
fn opens_signed(history: &[M]) -> Option<bool> {
    let turn = history.iter().rposition(is_typed).filter(|&turn| Some(turn) == history.iter().rposition(is_asking))?;
    let first = history[turn..].iter().find(|message| message.role == Role::Assistant)?;
    Some(matches!(first.parts.first(), Some(P::Reasoning { signed: true, .. })))
}

/// Whether a message starts a turn for a provider: a user message without results, whoever wrote it.
fn is_asking(message: &M) -> bool {
    message.role == Role::User && !message.parts.iter().any(|part| matches!(part, P::Result { .. }))
}

/// Checks the invariants of one request of a host that passes its history.
fn check(chat: &Chat, history: &[M], prepared: &Prepared) -> Result<(), TestCaseError> {
    let Prepared { view, committed } = prepared;
    let report = &committed.report;
    // 1, 2, 3: no violation that the history does not have.
    prop_assert_eq!(blamed(view, history), Vec::<&str>::new());
    // 4: the newest message, and the newest one that a person typed.
    if let Some(newest) = history.last() {
        prop_assert!(view.last().is_some_and(|sent| is_copy(sent, newest)), "the newest message is not the last");
    }
    if let Some(typed) = history.iter().rev().find(|message| is_typed(message)) {
        prop_assert!(
            view.iter().any(|sent| is_copy(sent, typed)),
            "the newest typed message is gone: {}",
            cut(&words(typed))
        );
    }
    // 6: below the trigger, or the outcome says why not.
    let after = report.after;
    match report.outcome {
        Outcome::Infeasible => {}
        Outcome::Tight => prop_assert!(after.tokens < after.window, "{:?}", after),
        _ => prop_assert!(after.tokens + after.bound < after.trigger, "{:?}: {:?}", report.outcome, after),
    }
    // 7: the view holds everything after the checkpoint, in order. Everything before it is covered.
    let checkpoint = committed.state.checkpoints.last();
    let covers = checkpoint.map_or(0, |checkpoint| checkpoint.covers.count as usize);
    prop_assert!(covers <= history.len());
    let open = &history[covers..];
    prop_assert!(view.len() >= open.len());
    for (at, (sent, message)) in view[view.len() - open.len()..].iter().zip(open).enumerate() {
        let bound = message.role == Role::Assistant && !may_be_cut(history, covers + at);
        let same = sent == message || may_lose_inputs(history, covers + at) && differs_in_inputs(sent, message);
        prop_assert!(!bound || same, "an assistant's message was remade");
        prop_assert!(is_copy(sent, message), "{} is sent for {}", cut(&words(sent)), cut(&words(message)));
    }
    if let Some(checkpoint) = checkpoint {
        let end = crate::support::end_of(&records(&history[..covers], "bytes4")).unwrap();
        prop_assert_eq!(checkpoint.covers, end, "the checkpoint is of another history");
        let front = &view[..view.len() - open.len()];
        let kept =
            checkpoint.stays.head.len() + 1 + checkpoint.stays.kept.len() + usize::from(checkpoint.note.is_some());
        prop_assert_eq!(front.len(), kept);
        for (place, &index) in checkpoint.stays.head.iter().enumerate() {
            prop_assert!(is_copy(&front[place], &history[index as usize]));
        }
        let noted = checkpoint.stays.before_note().len();
        for (place, &index) in checkpoint.stays.kept.iter().enumerate() {
            // The group that opens the turn comes after the note.
            let after = usize::from(checkpoint.note.is_some() && place >= noted);
            prop_assert!(is_copy(&front[checkpoint.stays.head.len() + 1 + place + after], &history[index as usize]));
        }
    } else {
        prop_assert_eq!(view.len(), history.len());
    }
    // 3: a turn that opened with signed reasoning still opens with reasoning.
    if let (Some(true), Some(sent)) = (opens_signed(history), view.iter().rposition(is_asking)) {
        let first = view[sent..].iter().find(|message| message.role == Role::Assistant);
        prop_assert!(first.is_none_or(|first| matches!(first.parts.first(), Some(P::Reasoning { .. }))), "{first:?}");
    }
    // The reported tokens are those that are sent.
    if added(history, &[]).is_empty() {
        prop_assert_eq!(after.raw, chat.call(history).unwrap().beside() + weigh(view), "raw tokens of what is sent");
    }
    prop_assert_eq!(committed.changed, view != history, "changed");
    // The state is complete and small.
    let json = plain(&committed.state);
    prop_assert_eq!(&SessionState::parse(&json).unwrap(), &committed.state);
    let text = to_value(&json).to_string();
    prop_assert_eq!(to_value(&json), serde_json::from_str::<Value>(&text).unwrap());
    prop_assert!(text.len() <= 64_000, "a state of {} bytes", text.len());
    prop_assert!(committed.state.checkpoints.len() <= 4);
    Ok(())
}

/// Violations in a view whose subject has none in the history. If a call is covered with its result, a second result,
/// which is a duplicate in the history, is an orphan in the view.
pub(crate) fn blamed(view: &[M], history: &[M]) -> Vec<&'static str> {
    let (view, history) = (records(view, "bytes4"), records(history, "bytes4"));
    let known = pairs::check(&MessageRecord::split(&history).unwrap());
    let found = pairs::check(&MessageRecord::split(&view).unwrap());
    let fresh = found.iter().filter(|one| known.iter().all(|other| other.subject != one.subject));
    fresh.map(|violation| violation.rule.as_str()).collect()
}

/// The raw tokens of messages. Results count with the name of their tool: of the newest call with their id, or where ids
/// say nothing of one that waits.
fn weigh(messages: &[M]) -> u64 {
    let records = records(messages, "bytes4");
    let mut names: Vec<(&str, usize, bool)> = Vec::new();
    let mut charged = 0;
    for part in messages.iter().flat_map(|message| &message.parts) {
        match part {
            P::Call { id, name, .. } => names.push((id, name.len(), true)),
            P::Result { id, .. } => {
                let named = names.iter().rposition(|known| known.0 == id && known.2);
                let named = named.or_else(|| names.iter().rposition(|known| known.0 == id));
                if let Some(at) = named.or_else(|| names.iter().rposition(|known| known.2)) {
                    names[at].2 = false;
                    charged += names[at].1 / 4;
                }
            }
            _ => {}
        }
    }
    MessageRecord::split(&records).unwrap().iter().map(MessageRecord::tokens).sum::<u64>() + charged as u64
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

/// One host passes its history, another one passes the views back. Both send the same, `until` a state or a
/// request has this property.
fn given_back(setup: &Setup, chat: Chat, turns: &[Vec<Op>], until: fn(&SessionState, &Prepared) -> bool) {
    let mut twins = Twins::new(chat);
    let mut history: Vec<M> = Vec::new();
    for ops in turns {
        let from = history.len();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let before = twins.raw.session();
        let mut send = |chat: &mut Chat, messages: &[M]| setup.summarizer.prepare(chat, messages);
        let (expected, prepared) = twins.ask(&history, &history[from..], &mut send);
        if until(&twins.raw.session(), &expected) || until(&twins.fed.session(), &prepared) {
            break;
        }
        setup.report(&mut twins.raw, &expected);
        setup.report(&mut twins.fed, &prepared);
        twins.compare(&before, &expected, &prepared);
    }
}

proptest! {
    #[test]
    fn every_request_keeps_the_invariants(setup in setup(), steps in prop::collection::vec(step(), 1..9)) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        for step in &steps {
            step.apply(&mut history, &mut chat, setup.window);
            let mut twin = chat.clone();
            let prepared = setup.summarizer.prepare(&mut chat, &history);
            check(&chat, &history, &prepared)?;
            // 8: the same input gives the same bytes.
            let again = setup.summarizer.prepare(&mut twin, &history);
            prop_assert_eq!(&again.view, &prepared.view);
            prop_assert_eq!(&twin.state, &chat.state);
            setup.report(&mut chat, &prepared);
        }
    }

    /// Whatever a history contains, a provider accepts what is sent with `repair`, the default.
    #[test]
    fn a_repaired_view_has_no_fault(setup in setup(), steps in prop::collection::vec(step(), 1..9)) {
        let mut chat = setup.chat();
        chat.options.as_object_mut().unwrap().remove("repair");
        chat.more["leavesOut"] = json!(true);
        chat.more["opensWithUser"] = json!(true);
        let mut history = Vec::new();
        for step in &steps {
            step.apply(&mut history, &mut chat, setup.window);
            let mut twin = chat.clone();
            let prepared = setup.summarizer.prepare(&mut chat, &history);
            let records = records(&prepared.view, "bytes4");
            let view = MessageRecord::split(&records).unwrap();
            let mut faults = pairs::check(&view);
            // The newest message stays, even if it is empty.
            faults.retain(|fault| fault.rule.as_str() != "empty-content" || fault.index + 1 < view.len());
            prop_assert_eq!(faults, Vec::new());
            let first = view.iter().find(|message| message.role() != Role::System);
            prop_assert!(first.is_none_or(|first| first.role() != Role::Assistant));
            let again = setup.summarizer.prepare(&mut twin, &history);
            prop_assert_eq!(&again.view, &prepared.view);
            setup.report(&mut chat, &prepared);
        }
    }

    #[test]
    fn the_same_request_again_changes_nothing(setup in setup(), steps in prop::collection::vec(step(), 1..7)) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        for step in &steps {
            step.apply(&mut history, &mut chat, setup.window);
            let prepared = setup.summarizer.prepare(&mut chat, &history);
            // A request that could not be brought below the trigger may be tried again with a model.
            let over = matches!(prepared.committed.report.outcome, Outcome::Tight | Outcome::Infeasible);
            if over && setup.summarizer != Summarizer::Absent {
                break;
            }
            let mut twin = chat.clone();
            let again = setup.summarizer.prepare(&mut twin, &history);
            prop_assert_eq!(&again.view, &prepared.view);
            prop_assert!(again.committed.report.outcome != Outcome::Compacted, "compacted again");
            prop_assert_eq!(twin.session().revision, chat.session().revision);
            setup.report(&mut chat, &prepared);
        }
    }

    #[test]
    fn the_preset_keeps_what_it_promises(setup in setup(), steps in prop::collection::vec(step(), 1..8)) {
        let mut chat = setup.seed();
        let mut history = Vec::new();
        for step in &steps {
            step.apply(&mut history, &mut chat, setup.window);
            let mut twin = chat.clone();
            let prepared = setup.summarizer.prepare(&mut chat, &history);
            prop_assert_eq!(blamed(&prepared.view, &history), Vec::<&str>::new());
            let again = setup.summarizer.prepare(&mut twin, &history);
            prop_assert_eq!(&again.view, &prepared.view);
            prop_assert_eq!(&twin.state, &chat.state);
            let covers = chat.session().checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count as usize);
            prop_assert!(covers <= history.len());
            prop_assert!(prepared.view.ends_with(&history[covers..]));
            prop_assert_eq!(&plain(&SessionState::parse(&chat.state).unwrap()), &chat.state);
            setup.report(&mut chat, &prepared);
        }
    }

    #[test]
    fn a_refused_call_leaves_the_state(setup in setup(), ops in prop::collection::vec(op(), 1..12), wrong in 0_usize..6) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        setup.summarizer.prepare(&mut chat, &history);
        let mut bad = chat.clone();
        let (code, path) = match wrong {
            0 => {
                bad.options["contextWindow"] = json!(0);
                (Code::InvalidWindow, "contextWindow")
            }
            1 => {
                bad.options["tune"]["reserve"] = json!(setup.window);
                (Code::ReserveTooLarge, "tune.reserve")
            }
            2 => {
                bad.more = json!({ "offset": history.len() + 1 });
                (Code::HistoryGap, "offset")
            }
            3 => {
                bad.options["tune"]["strategie"] = json!("full");
                (Code::UnknownOption, "tune.strategie")
            }
            4 => {
                bad.more = json!({ "threshold": 1 });
                (Code::InvalidCall, "threshold")
            }
            _ => {
                bad.state.set("version", precis::base::json::Json::Int(2));
                (Code::NewerState, "state.version")
            }
        };
        let before = bad.state.clone();
        let error = bad.before_model(&history, None).map(|prepared| prepared.view).unwrap_err();
        prop_assert_eq!((error.code, error.path.as_deref()), (code, Some(path)));
        prop_assert_eq!(&bad.state, &before);
        // What is refused only when the history is placed has come to the engine.
        if let Ok(call) = bad.call(&history) {
            let (given, plan) = (call.clone(), chat.plan(&history));
            let mut host = TestHost::new(&history, "bytes4");
            prop_assert_eq!(engine::plan(&call, &mut host).unwrap_err().code, code);
            prop_assert_eq!(engine::commit(&call, &plan, None, &mut host).unwrap_err().code, code);
            prop_assert_eq!((&call.state, &call.records), (&given.state, &given.records));
            prop_assert!(host.made.is_empty(), "a message was made for a call that is refused");
        }
    }

    #[test]
    fn a_view_that_is_given_back_stands_for_its_history(setup in forgetful(), turns in prop::collection::vec(prop::collection::vec(orderly(), 1..4), 1..16)) {
        given_back(&setup, setup.chat(), &turns, |_, _| false);
    }

    /// Only while nothing is covered: the literal strings in a summary come from the history itself.
    #[test]
    fn a_view_with_literals_passed_as_history_is_cut_and_cleared_like_its_history(setup in forgetful(), turns in prop::collection::vec(prop::collection::vec(orderly(), 1..4), 1..16)) {
        let mut chat = setup.chat();
        chat.more = json!({ "mustKeep": ["line 7 of the", "line 40 of", "line 120 of the", "世"] });
        given_back(&setup, chat, &turns, |session, _| !session.checkpoints.is_empty());
    }

    /// The same, only while nothing was cut or cleared: covered messages are recognized.
    #[test]
    fn a_view_without_edits_passed_as_history_gives_the_same_result(setup in forgetful(), turns in prop::collection::vec(prop::collection::vec(orderly(), 1..4), 1..16)) {
        given_back(&setup, setup.chat(), &turns, |session, request| edits(session) || is_edited(request));
    }

    #[test]
    fn a_host_may_load_from_where_the_state_says(setup in setup(), turns in prop::collection::vec(prop::collection::vec(orderly(), 1..5), 1..12)) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        for ops in &turns {
            ops.iter().for_each(|op| op.append(&mut history, setup.window));
            let session = chat.session();
            let from = engine::keep_from(&session).0 as usize;
            let mut part = chat.clone();
            part.more = json!({ "offset": from });
            // Only digests written by code: a model may be asked about more messages if more are there.
            let expected = chat.before_model(&history, None).unwrap();
            let prepared = part.before_model(&history[from..], None).unwrap();
            prop_assert_eq!(&prepared.view, &expected.view, "loaded from {}", from);
            prop_assert_eq!(part.session().checkpoints, chat.session().checkpoints);
            setup.report(&mut chat, &expected);
        }
    }

    #[test]
    fn a_plan_that_waits_as_json_is_the_same_plan(setup in setup(), ops in prop::collection::vec(op(), 1..24)) {
        let chat = setup.chat();
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let plan = chat.plan(&history);
        let text = to_value(&plain(&plan)).to_string();
        let read = Plan::parse(&crate::support::json(&serde_json::from_str(&text).unwrap())).unwrap();
        prop_assert_eq!((&read.action, read.rung, &read.requests), (&plan.action, plan.rung, &plan.requests));
        let answers: Vec<Answer> = chat.requests(&history, &plan).iter().map(|request| setup.summarizer.answer(request)).collect();
        let (mut one, mut two) = (chat.clone(), chat);
        let views = (one.commit(&history, &plan, Some(&answers)).view, two.commit(&history, &read, Some(&answers)).view);
        prop_assert_eq!(views.0, views.1);
        prop_assert_eq!(one.state, two.state);
    }

    #[test]
    fn a_late_plan_never_breaks_anything(setup in setup(), ops in prop::collection::vec(op(), 1..20), step in step()) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let plan = chat.plan(&history);
        let answers: Vec<Answer> = chat.requests(&history, &plan).iter().map(|request| setup.summarizer.answer(request)).collect();
        step.apply(&mut history, &mut chat, setup.window);
        let prepared = chat.commit(&history, &plan, Some(&answers));
        check(&chat, &history, &prepared)?;
    }

    /// A host that has summaries written while the chat continues. No call waits for a summarizer, and late summaries
    /// are used as long as they apply.
    #[test]
    fn summaries_in_flight_keep_the_invariants(setup in setup(), steps in prop::collection::vec(step(), 1..14), delay in 0_usize..5) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        let mut waiting: Option<(usize, Plan, Vec<Answer>)> = None;
        for (at, step) in steps.iter().enumerate() {
            step.apply(&mut history, &mut chat, setup.window);
            chat.more = json!({});
            if waiting.as_ref().is_some_and(|waiting| waiting.0 <= at) {
                let (_, plan, answers) = waiting.take().unwrap();
                let mut twin = chat.clone();
                let prepared = chat.commit(&history, &plan, Some(&answers));
                check(&chat, &history, &prepared)?;
                prop_assert_eq!(&twin.commit(&history, &plan, Some(&answers)).view, &prepared.view);
                if let Some(next) = prepared.committed.next {
                    let answers = chat.requests(&history, &next).iter().map(|request| setup.summarizer.answer(request)).collect();
                    waiting = Some((at + delay, next, answers));
                }
            }
            // A plan that no longer applies is dropped.
            waiting = waiting.filter(|waiting| !chat.requests(&history, &waiting.1).is_empty());
            if waiting.is_none() && setup.summarizer != Summarizer::Absent {
                chat.more = json!({ "threshold": "soft" });
                let plan = chat.plan(&history);
                chat.more = json!({});
                if !plan.requests.is_empty() {
                    let answers = chat.requests(&history, &plan).iter().map(|request| setup.summarizer.answer(request)).collect();
                    waiting = Some((at + delay, plan, answers));
                }
            }
            chat.more = waiting.as_ref().map_or(json!({}), |waiting| json!({ "inFlight": to_value(&plain(&waiting.1)) }));
            let mut twin = chat.clone();
            let mut asked = Vec::new();
            let answers = |request: &Request| setup.summarizer.answer(request);
            let prepared = chat.before_model(&history, Some(&mut recorded(&mut asked, answers))).unwrap();
            prop_assert!(asked.is_empty() || waiting.is_none(), "somebody waits");
            check(&chat, &history, &prepared)?;
            if asked.is_empty() {
                prop_assert_eq!(&twin.before_model(&history, None).unwrap().view, &prepared.view);
            }
            setup.report(&mut chat, &prepared);
        }
    }

    #[test]
    fn compaction_by_hand_keeps_the_invariants(setup in setup(), ops in prop::collection::vec(op(), 0..20)) {
        let mut chat = setup.chat();
        chat.more = json!({ "compact": true, "focus": "the database" });
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let prepared = setup.summarizer.prepare(&mut chat, &history);
        check(&chat, &history, &prepared)?;
    }

    #[test]
    fn pinned_messages_stay_as_they_are(setup in setup(), turns in prop::collection::vec(prop::collection::vec(orderly(), 1..5), 1..7), pins in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        turns[0].iter().for_each(|op| op.append(&mut history, setup.window));
        chat.pinned = pins.iter().map(|pin| pin.index(history.len())).collect();
        for ops in &turns[1..] {
            ops.iter().for_each(|op| op.append(&mut history, setup.window));
            let prepared = setup.summarizer.prepare(&mut chat, &history);
            for &pin in &chat.pinned {
                let sent = prepared.committed.view.contains(&Sent::Input(pin));
                prop_assert!(sent, "the pinned message {} is not sent as it is", pin);
            }
            prop_assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
            setup.report(&mut chat, &prepared);
        }
    }

    /// The same for a plan, including one of a later round.
    #[test]
    fn a_tampered_plan_is_refused_or_read(setup in setup(), ops in prop::collection::vec(op(), 8..24), second in any::<bool>(), place in any::<prop::sample::Index>(), new in prop_oneof![Just(json!(0)), Just(json!(9_007_199_254_740_991_u64)), Just(json!(null)), Just(json!([])), Just(json!([1, 0, 1])), Just(json!([1, 90, 91])), Just(json!("")), Just(json!(true)), (0_u64..50).prop_map(|number| json!(number))]) {
        let chat = setup.chat();
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let mut plan = chat.plan(&history);
        if second {
            let answers: Vec<Answer> = plan.requests.iter().map(|_| answer("Notes.")).collect();
            plan = chat.clone().commit(&history, &plan, Some(&answers)).committed.next.unwrap_or(plan);
        }
        let mut json = to_value(&plain(&plan));
        let mut paths = Vec::new();
        collect(&json, "", &mut paths);
        *json.pointer_mut(&paths[place.index(paths.len())]).unwrap() = new;
        if let Ok(plan) = Plan::parse(&crate::support::json(&json)) {
            let answers: Vec<Answer> = chat.requests(&history, &plan).iter().map(|request| setup.summarizer.answer(request)).collect();
            let call = chat.call(&history).unwrap();
            let mut host = TestHost::new(&history, "bytes4");
            let committed = engine::commit(&call, &plan, Some(&answers), &mut host).unwrap();
            prop_assert!(committed.view.len() <= history.len() + 2);
        }
    }

    /// A damaged state is refused or read, and a state that is read never causes a panic.
    #[test]
    fn a_tampered_state_is_refused_or_read(setup in setup(), ops in prop::collection::vec(op(), 8..24), place in any::<prop::sample::Index>(), new in prop_oneof![Just(json!(0)), Just(json!(9_007_199_254_740_991_u64)), Just(json!(null)), Just(json!([])), Just(json!({})), Just(json!("")), Just(json!("ffffffffffffffff")), Just(json!([1, 2])), (0_u64..50).prop_map(|number| json!(number))]) {
        let mut chat = setup.chat();
        let mut history = Vec::new();
        ops.iter().for_each(|op| op.append(&mut history, setup.window));
        let prepared = setup.summarizer.prepare(&mut chat, &history);
        setup.report(&mut chat, &prepared);
        let mut state = to_value(&chat.state);
        let mut paths = Vec::new();
        collect(&state, "", &mut paths);
        *state.pointer_mut(&paths[place.index(paths.len())]).unwrap() = new;
        let state = crate::support::json(&state);
        if SessionState::parse(&state).is_ok() {
            chat.state = state;
            let call = chat.call(&history).unwrap();
            let mut host = TestHost::new(&history, "bytes4");
            if let Ok(plan) = engine::plan(&call, &mut host) {
                let committed = engine::commit(&call, &plan, None, &mut host).unwrap();
                prop_assert!(committed.view.len() <= history.len() + 2);
            }
        }
    }
}

fn collect(value: &Value, path: &str, paths: &mut Vec<String>) {
    if !path.is_empty() {
        paths.push(path.to_owned());
    }
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| collect(value, &format!("{path}/{name}"), paths))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| collect(value, &format!("{path}/{at}"), paths))
        }
        _ => {}
    }
}

/// A model is called only if the texts that code writes could not do better. Here all of them must be valid.
#[test]
fn the_operations_make_the_histories_they_are_meant_to_make() {
    let mut history = Vec::new();
    let text = |kind| Text { size: 20, kind };
    let all = [
        Op::User(text(4)),
        Op::Tools { ids: vec![0, 1], size: 10, said: true, thought: true },
        Op::Together { ids: vec![0, 1], size: 10 },
        Op::Orphan { id: 5 },
        Op::Pending { ids: vec![2, 3], open: 1 },
    ];
    all.iter().for_each(|op| op.append(&mut history, 1_000));
    let roles: Vec<&str> = history.iter().map(|message| message.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant", "user", "tool", "assistant", "tool"]);
    assert_eq!(added(&history, &[]), ["orphan-result at 6"]);
    // However its text begins.
    assert!([2, 3].iter().all(|&kind| is_typed(&user(&text(kind).write(1_000, 0)))));
}
