//! Errors as values: a stable code, the place in the input, and a sentence saying what to do.

use core::fmt;
use core::ops::Deref;

/// Why a call was refused. A refusal changes nothing: state and history are as they were.
///
/// `code` is stable and part of the public contract (one heading each in `docs/errors.md`), `path` names the offending
/// member of the call (`tune.shares.tail`, `messages[3]`), `advice` tells the caller what to do about it.
///
/// Boxed: a result that is one word wide keeps the engine small, and errors are rare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// What an [`Error`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Stable identifier, for programs.
    pub code: Code,
    /// Where in the input, if one place can be named.
    pub path: Option<String>,
    /// What to do, for people.
    pub advice: String,
}

impl Deref for Error {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl Error {
    /// An error at a place in the input.
    pub fn at(code: Code, path: impl AsRef<str>, advice: impl AsRef<str>) -> Self {
        Self::boxed(code, Some(path.as_ref()), advice.as_ref())
    }

    /// An error that concerns the call as a whole.
    pub fn new(code: Code, advice: impl AsRef<str>) -> Self {
        Self::boxed(code, None, advice.as_ref())
    }

    #[inline(never)]
    #[cold]
    fn boxed(code: Code, path: Option<&str>, advice: &str) -> Self {
        Self(Box::new(Details { code, path: path.map(str::to_owned), advice: advice.to_owned() }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{} at {path}: {}", self.code.as_str(), self.advice),
            None => write!(f, "{}: {}", self.code.as_str(), self.advice),
        }
    }
}

impl core::error::Error for Error {}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$each])* $variant,)+ }

        impl $name {
            /// Every code, for documentation and tests.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it appears in JavaScript.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

codes! {
    /// What can be refused.
    Code {
        /// An option that does not exist; the advice names the nearest one.
        UnknownOption = "unknown-option",
        /// An option of the wrong type or out of its range.
        InvalidOption = "invalid-option",
        /// The context window is unknown, zero, negative, or no number.
        InvalidWindow = "invalid-window",
        /// The reserve leaves no room in the window.
        ReserveTooLarge = "reserve-too-large",
        /// A `preset` was given together with a `strategy`.
        PresetWithStrategy = "preset-with-strategy",
        /// `state` is not a state of this library.
        InvalidState = "invalid-state",
        /// `state` was written by a newer, incompatible version.
        NewerState = "newer-state",
        /// `plan` is not a plan of this library.
        InvalidPlan = "invalid-plan",
        /// A member of the call has the wrong type.
        InvalidCall = "invalid-call",
        /// Recall was asked for nothing.
        EmptyQuery = "empty-query",
        /// A reference names no text of the history.
        UnknownReference = "unknown-reference",
        /// The host did not load messages that the state needs.
        HistoryGap = "history-gap",
        /// The bytes that crossed the boundary are malformed: glue and engine do not belong together.
        Boundary = "boundary-mismatch",
    }
}

codes! {
    /// What is worth telling although the call went through.
    Warning {
        /// The given history starts with a view of ours: send views, store histories.
        IsAView = "is-a-view",
        /// No reply limit is known: the provider's default may not fit beside the prompt.
        NoReplyLimit = "no-reply-limit",
        /// The window is so small that thousands of tokens may have been meant.
        SmallWindow = "small-window",
        /// Tools whose schema could not be read and counted.
        UncountedTools = "uncounted-tools",
        /// Messages that the format could not read were carried through whole.
        Opaque = "opaque-content",
        /// The plan no longer matches the history or the state; it was made anew.
        StalePlan = "stale-plan",
        /// A tool result without its call was in the history.
        OrphanResult = "orphan-result",
        /// A tool call without its result, before newer messages.
        UnansweredCall = "unanswered-call",
        /// A call id used twice while still open, or answered twice.
        DuplicateId = "duplicate-id",
        /// The answer to a request for approval that is not in the history.
        OrphanApproval = "orphan-approval",
        /// A provider's own summary is in no view, and nothing tells what it said.
        CompactionLost = "compaction-lost",
        /// A provider's own summary says nothing, and is left out of the view.
        EmptyCompaction = "empty-compaction",
        /// The history begins with a message of the assistant's, which the provider refuses.
        AssistantFirst = "assistant-first",
        /// A message without content was in the history.
        EmptyMessage = "empty-message",
        /// The summarizer failed or its answer was not usable; a digest took its place.
        SummaryFailed = "summary-failed",
        /// The past needs more calls of the summarizer than are allowed; the oldest part was digested by code.
        SummaryLimited = "summary-limited",
        /// System and tools alone nearly fill the window.
        Tight = "tight",
        /// The host's token counter failed; a quarter of the bytes was counted.
        CounterFailed = "counter-failed",
        /// A string of `mustKeep` that the history holds is not in the view.
        MustKeepLost = "must-keep-lost",
        /// What the host wants kept whole did not fit.
        KeepLost = "keep-lost",
        /// What a person requires or asked for is cut in a summary.
        RequirementsCut = "requirements-cut",
        /// The error given as `overflow` is not about the size of the request.
        NotAnOverflow = "not-an-overflow",
        /// Usage that cannot be of the request it was reported for is not believed.
        UsageDoubted = "usage-doubted",
        /// A refusal has taught a smaller limit than the configured one.
        LearnedLimit = "learned-limit",
    }
}
