//! A chat to be played: what is configured, what is appended to the history, what happens to it between requests.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::Prepared;
use crate::support::answer;
use crate::support::filler;
use crate::texts::Text;
use arbitrary::Arbitrary;
use precis::base::error::Error;
use precis::model::message::Role;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

/// Everything about a session but its history.
#[derive(Arbitrary, Clone, Debug)]
pub struct Setup {
    window: u8,
    strategy: u8,
    output: Option<u16>,
    system: u8,
    tools: u8,
    pieces: Option<u16>,
    lexical: bool,
    strict: bool,
    soft: bool,
    keep: Option<Text>,
    /// Reported tokens for ten raw ones.
    ratio: Option<u8>,
    pub summarizer: Summarizer,
}

/// What the host's summarizer does.
#[derive(Arbitrary, Clone, Debug)]
pub enum Summarizer {
    Absent,
    Fine,
    Echo,
    Fails,
    CutOff,
    Says(Text),
}

const WINDOWS: [u64; 8] = [400, 1_000, 1_500, 2_000, 3_000, 4_000, 8_000, 16_000];
const STRATEGIES: [&str; 4] = ["tail", "full", "sliding-window", "last-tool-batch"];
/// Bytes of one text: much more than the smallest windows, and little enough for a thousand chats a second.
const MOST: usize = 24_000;

impl Setup {
    pub fn window(&self) -> u64 {
        WINDOWS[usize::from(self.window) % WINDOWS.len()]
    }

    pub fn chat(&self) -> Chat {
        let window = self.window();
        let mut chat = Chat::new(json!({
            "contextWindow": window,
            "maxOutputTokens": self.output.map(|output| u64::from(output) % (window / 2)),
            "tune": {
                "strategy": STRATEGIES[usize::from(self.strategy) % STRATEGIES.len()],
                "tokens": { "estimator": if self.lexical { "lexical" } else { "bytes4" } }
            }
        }));
        if !matches!(self.summarizer, Summarizer::Absent) {
            chat.options["summarize"] = json!(true);
        }
        if let Some(pieces) = self.pieces {
            chat.options["summarizer"] = json!({ "contextWindow": u64::from(pieces).max(200) });
        }
        let part = |share: u8| u64::from(share) * window / 600;
        chat.system = (self.system > 0).then(|| filler(part(self.system) as usize));
        chat.tools = part(self.tools) / 4;
        if self.strict {
            chat.more["strict"] = json!(true);
        }
        if self.soft {
            chat.more["threshold"] = json!("soft");
        }
        if let Some(keep) = &self.keep {
            chat.more["mustKeep"] = json!([keep.write(60)]);
        }
        chat
    }

    pub fn answer(&self, request: &Request) -> Answer {
        match &self.summarizer {
            Summarizer::Absent | Summarizer::Fails => Answer::Failed("It threw.".into()),
            Summarizer::Fine => answer("The work goes on."),
            Summarizer::Echo => answer(&request.prompt),
            Summarizer::CutOff => Answer::Text { text: "The work".into(), finish: "length".into() },
            Summarizer::Says(text) => answer(&text.write(4_000)),
        }
    }

    /// One request; what was sent is reported as the setup says.
    pub fn request(&self, chat: &mut Chat, history: &[M]) -> Result<Prepared, Error> {
        let mut summarize = |request: &Request| self.answer(request);
        let asks = !matches!(self.summarizer, Summarizer::Absent);
        chat.before_model(history, if asks { Some(&mut summarize) } else { None })
    }

    pub fn report(&self, chat: &mut Chat, prepared: &Prepared) {
        if let Some(ratio) = self.ratio {
            chat.after_model(prepared.committed.report.after.raw * u64::from(ratio) / 10);
        }
    }
}

/// Something that is appended to a history, or done to it.
#[derive(Arbitrary, Clone, Debug)]
pub enum Op {
    User(Text),
    Assistant(Text),
    System(Text),
    /// Calls, answered one message each or all in one of the user's, in order or the other way round.
    Tools {
        ids: Vec<u8>,
        output: Text,
        said: Option<Text>,
        thought: Option<bool>,
        together: bool,
        turned: bool,
    },
    Pending {
        ids: Vec<u8>,
        open: u8,
    },
    Orphan(u8),
    /// A result inside the assistant's own message.
    Inside {
        id: u8,
        output: Text,
    },
    Media {
        bytes: u16,
        reference: bool,
        inside: bool,
    },
    Write(Text),
    Json(crate::texts::Tree),
    Thought(bool),
    Parts(Vec<Text>),
    Empty(bool),
    Opaque,
    Edit(u8, Text),
    Delete(u8),
    Rewind(u8),
    LoseState,
    Ask,
}

/// A host keeps to what providers allow; a history at fault is only held to what it was before.
impl Op {
    pub fn apply(&self, history: &mut Vec<M>, chat: &mut Chat) {
        let number = history.len();
        let id = |id: u8| format!("call_{}", id % 6);
        let text = |text: &Text| {
            let text = text.write(MOST);
            if text.trim().is_empty() { format!("{number}.") } else { text }
        };
        let one = |role, parts| M { role, parts };
        let said = |role, body: &Text| one(role, vec![P::Text(text(body))]);
        match self {
            Self::User(body) => history.push(said(Role::User, body)),
            Self::Assistant(body) => history.push(said(Role::Assistant, body)),
            Self::System(body) => history.push(said(Role::System, body)),
            Self::Tools { ids, output, said, thought, together, turned } => {
                let mut ids: Vec<u8> = ids.iter().take(4).map(|id| id % 6).collect();
                ids.sort_unstable();
                ids.dedup();
                if ids.is_empty() {
                    ids.push(0);
                }
                let mut parts = Vec::new();
                parts.extend(thought.map(|signed| P::Reasoning { text: filler(40), signed }));
                parts.extend(said.as_ref().map(|said| P::Text(text(said))));
                parts.extend(ids.iter().map(|&at| P::Call {
                    id: id(at),
                    name: format!("tool_{}", at % 3),
                    input: json!({ "n": number, "id": at }),
                }));
                history.push(one(Role::Assistant, parts));
                if *turned {
                    ids.reverse();
                }
                let output = text(output);
                let results =
                    ids.iter().map(|&at| P::Result { id: id(at), output: output.clone().into(), failed: at % 3 == 2 });
                if *together {
                    history.push(one(Role::User, results.collect()));
                } else {
                    history.extend(results.map(|result| one(Role::Tool, vec![result])));
                }
            }
            Self::Pending { ids, open } => {
                let mut ids: Vec<String> = ids.iter().take(4).map(|&at| id(at)).collect();
                ids.sort_unstable();
                ids.dedup();
                if ids.is_empty() {
                    ids.push("call_0".into());
                }
                history.push(crate::support::calls(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
                let answered = ids.len().saturating_sub(1 + usize::from(*open) % 3);
                history.extend(ids[..answered].iter().map(|id| crate::support::result(id, "answered")));
            }
            Self::Orphan(at) => history.push(crate::support::result(&id(*at), "nobody asked")),
            Self::Inside { id: at, output } => history.push(one(
                Role::Assistant,
                vec![
                    P::Call { id: id(*at), name: "search".into(), input: json!({ "q": number }) },
                    P::Result { id: id(*at), output: text(output).into(), failed: false },
                    P::Text(format!("{number}. Found it.")),
                ],
            )),
            Self::Media { bytes, reference, inside } => {
                let reference = if *reference { format!("https://example.com/{number}.png") } else { String::new() };
                let bytes = if reference.is_empty() { u64::from(*bytes) } else { 0 };
                let medium = P::Media { kind: 0, media_type: "image/png".into(), bytes, reference };
                if *inside {
                    history.push(crate::support::calls(&["call_s"]));
                    let result = P::Result { id: "call_s".into(), output: "shot".into(), failed: false };
                    history.push(one(Role::Tool, vec![result, medium]));
                } else {
                    history.push(one(Role::User, vec![P::Text(format!("{number}. see:")), medium]));
                }
            }
            Self::Write(body) => {
                let input =
                    json!({ "path": format!("{number}.txt"), "edits": [{ "text": text(body) }], "force": true });
                history.push(crate::support::call("call_w", "write", input));
                history.push(crate::support::result("call_w", "written"));
            }
            Self::Json(tree) => {
                history.push(crate::support::call("call_j", "query", json!({ "n": number })));
                let output = tree.value(6);
                history.push(one(Role::Tool, vec![P::Result { id: "call_j".into(), output, failed: false }]));
            }
            Self::Thought(signed) => {
                let thought = P::Reasoning { text: filler(60), signed: *signed };
                history.push(one(Role::Assistant, vec![thought, P::Text(format!("{number}. Done."))]));
            }
            Self::Parts(texts) => {
                let parts: Vec<P> = texts.iter().take(4).map(|body| P::Text(text(body))).collect();
                history
                    .push(one(Role::User, if parts.is_empty() { vec![P::Text(format!("{number}?"))] } else { parts }));
            }
            Self::Empty(typed) => {
                let role = if *typed { Role::User } else { Role::Assistant };
                history.push(crate::support::text(role, ""));
            }
            Self::Opaque => history.push(one(Role::User, vec![P::Opaque])),
            Self::Edit(at, body) => {
                if let Some(message) = pick(history, *at) {
                    let role = if message.role == Role::Tool { Role::User } else { message.role };
                    *message = said(role, body);
                }
            }
            Self::Delete(at) => {
                if !history.is_empty() {
                    history.remove(usize::from(*at) % history.len());
                }
            }
            Self::Rewind(at) => history.truncate(usize::from(*at) % (history.len() + 1)),
            Self::LoseState => chat.state = precis::base::json::Json::Null,
            Self::Ask => {}
        }
    }

    /// Whether a host would send a request now.
    pub fn asks(&self) -> bool {
        matches!(self, Self::Ask | Self::User(_) | Self::LoseState | Self::Rewind(_))
    }
}

fn pick(history: &mut [M], at: u8) -> Option<&mut M> {
    let count = history.len().max(1);
    history.get_mut(usize::from(at) % count)
}
