//! What a host may pass: the members of the options and of a call, and the codes that TypeScript raises by itself. The
//! names stand here once. The engine reads them from here, and `js/src/contract.ts` is written from here:
//! `PRECIS_RECORD=1 cargo test --test rust contract`.
//!
//! Names within one option (`tune`, `summarizer`, …) stand where that option is parsed; the same file has them as types.

use crate::base::error::Code;

/// How TypeScript checks a value before the engine sees it. `js/src/members.ts` has a check for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not at all: the engine checks it.
    Any,
    /// The id of a chat.
    Chat,
    /// A function.
    Function,
    /// A list of functions, or one function.
    Functions,
    /// An abort signal.
    Signal,
    /// A string.
    Text,
    /// The context window, or a function that returns it.
    Window,
}

/// What the engine is given of an option that is a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfFunction {
    /// It may not be one.
    Refused,
    /// `true`.
    True,
    /// Nothing: it is asked for each call, and the engine is given what it returns.
    Nothing,
}

/// A member of the options of `createCompactor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionMember {
    /// Its name.
    pub name: &'static str,
    /// How TypeScript checks it.
    pub kind: Kind,
    /// What stands for it if it is a function.
    pub function: OfFunction,
    /// A preset decides it, so the two cannot be combined.
    pub of_preset: bool,
}

/// A member of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallMember {
    /// Its name.
    pub name: &'static str,
    /// How TypeScript checks it.
    pub kind: Kind,
    /// The code of errors about a value that cannot cross. `None` if TypeScript reads the member, and the engine never
    /// sees it.
    pub crosses: Option<Code>,
}

/// The options of `createCompactor`.
pub const OPTIONS: [OptionMember; 19] = [
    option("format", Kind::Any),
    option("contextWindow", Kind::Window).function(OfFunction::True),
    option("maxOutputTokens", Kind::Any),
    option("summary", Kind::Any),
    option("summarizer", Kind::Any),
    option("summaryRequest", Kind::Any).of_preset(),
    option("repair", Kind::Any),
    option("toolPolicy", Kind::Any).function(OfFunction::True).of_preset(),
    option("trigger", Kind::Any).function(OfFunction::Nothing).of_preset(),
    option("target", Kind::Any).of_preset(),
    option("keep", Kind::Any).of_preset(),
    option("prefer", Kind::Any).of_preset(),
    option("reasoning", Kind::Any).of_preset(),
    option("systemMessages", Kind::Any).of_preset(),
    option("thinking", Kind::Any).of_preset(),
    option("tune", Kind::Any),
    option("summarize", Kind::Functions).function(OfFunction::True),
    option("countTokens", Kind::Function).function(OfFunction::Nothing),
    option("onEvent", Kind::Function).function(OfFunction::True),
];

/// The members of a call. Where an option has the same name, the call overrides it.
pub const CALL: [CallMember; 28] = [
    member("messages", Kind::Any),
    member("state", Kind::Any).crosses(Code::InvalidState),
    member("offset", Kind::Any).crosses(Code::InvalidCall),
    member("maxOutputTokens", Kind::Any).crosses(Code::InvalidCall),
    member("system", Kind::Any),
    member("tools", Kind::Any),
    member("schemas", Kind::Any),
    member("mustKeep", Kind::Any).crosses(Code::InvalidCall),
    member("todos", Kind::Any).crosses(Code::InvalidCall),
    member("toolPolicy", Kind::Any).crosses(Code::InvalidCall),
    member("trigger", Kind::Any).crosses(Code::InvalidCall),
    member("target", Kind::Any).crosses(Code::InvalidCall),
    member("keep", Kind::Any).crosses(Code::InvalidCall),
    member("prefer", Kind::Any).crosses(Code::InvalidCall),
    member("reasoning", Kind::Any).crosses(Code::InvalidCall),
    member("systemMessages", Kind::Any).crosses(Code::InvalidCall),
    member("thinking", Kind::Any).crosses(Code::InvalidCall),
    member("threshold", Kind::Any).crosses(Code::InvalidCall),
    member("inFlight", Kind::Any).crosses(Code::InvalidPlan),
    member("overflow", Kind::Any).crosses(Code::InvalidCall),
    member("recall", Kind::Any).crosses(Code::InvalidCall),
    member("providerCompacts", Kind::Any).crosses(Code::InvalidCall),
    member("chat", Kind::Chat).crosses(Code::InvalidCall),
    member("model", Kind::Text).crosses(Code::InvalidCall),
    member("pin", Kind::Function),
    member("isTyped", Kind::Function),
    member("signal", Kind::Signal),
    member("onEvent", Kind::Function),
];

/// The members of a call that `compact` takes as well.
pub const COMPACT: [CallMember; 2] =
    [member("focus", Kind::Any).crosses(Code::InvalidCall), member("focusBy", Kind::Any).crosses(Code::InvalidCall)];

/// What TypeScript finds out for a call and passes beside its members, each with the code of errors about it.
pub const FOUND: [(&str, Code); 16] = [
    ("options", Code::InvalidOption),
    ("window", Code::InvalidWindow),
    ("uncountedTools", Code::InvalidCall),
    ("asksPolicies", Code::InvalidCall),
    ("compact", Code::InvalidCall),
    ("ids", Code::InvalidCall),
    ("unreadable", Code::InvalidCall),
    ("counterFailed", Code::InvalidCall),
    ("strict", Code::InvalidCall),
    ("opensWithUser", Code::InvalidCall),
    ("continues", Code::InvalidCall),
    ("takesEmpty", Code::InvalidCall),
    ("leavesOut", Code::InvalidCall),
    ("signsFreely", Code::InvalidCall),
    ("before", Code::InvalidCall),
    ("asking", Code::InvalidCall),
];

/// Everything that crosses the boundary as plain data in a call, each with the code of errors about it.
pub fn crossing() -> impl Iterator<Item = (&'static str, Code)> {
    let members = CALL.into_iter().chain(COMPACT).filter_map(|member| Some((member.name, member.crosses?)));
    FOUND.into_iter().chain(members)
}

/// A history is refused if more than one in so many of its messages cannot be read by its format. Pages without an engine
/// refuse it, too.
pub const MISREAD: u64 = 2;

/// Errors that TypeScript raises before or around the engine.
pub const ERRORS_OF_TYPESCRIPT: [&str; 13] = [
    "engine-load",
    "engine-trap",
    "format-answer",
    "message-hole",
    "messages-not-array",
    "needs-engine",
    "no-chat-id",
    "other-chat",
    "run-in-use",
    "seal-broken",
    "too-deep",
    "unreadable-value",
    "wrong-format",
];

/// Warnings of the adapter for the AI SDK.
pub const WARNINGS_OF_TYPESCRIPT: [&str; 1] = ["store-failed"];

const fn option(name: &'static str, kind: Kind) -> OptionMember {
    OptionMember { name, kind, function: OfFunction::Refused, of_preset: false }
}

impl OptionMember {
    const fn function(self, function: OfFunction) -> Self {
        Self { function, ..self }
    }

    const fn of_preset(self) -> Self {
        Self { of_preset: true, ..self }
    }
}

const fn member(name: &'static str, kind: Kind) -> CallMember {
    CallMember { name, kind, crosses: None }
}

impl CallMember {
    const fn crosses(self, code: Code) -> Self {
        Self { crosses: Some(code), ..self }
    }
}
