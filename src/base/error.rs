//! Errors as values: a stable code, the place in the input, and a sentence that tells the user what to do.

use crate::base::named::named;
use core::fmt;
use core::ops::Deref;

/// The reason why a call was refused. A refused call changes nothing: state and history stay as they were.
///
/// `code` is stable and part of the public contract; each code has a heading in `docs/errors.md`. `path` names the
/// offending member of the call, such as `tune.shares.tail` or `messages[3]`. `advice` tells the caller what to do
/// about it.
///
/// The details are boxed so that a `Result` stays one word wide: errors are rare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// The content of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// A stable identifier, for programs.
    pub code: Code,
    /// The place in the input, if the error is about a single place.
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
    /// Creates an error about one place in the input.
    pub fn at(code: Code, path: impl AsRef<str>, advice: impl AsRef<str>) -> Self {
        Self::boxed(code, Some(path.as_ref()), advice.as_ref())
    }

    /// Creates an error about the call as a whole.
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

named! {
    /// A reason to refuse a call.
    Code {
        /// An option that does not exist. The advice names the closest existing one.
        UnknownOption = "unknown-option",
        /// An option with the wrong type or out of range.
        InvalidOption = "invalid-option",
        /// The context window is unknown, not positive, or not a number.
        InvalidWindow = "invalid-window",
        /// The reserve leaves no room in the window.
        ReserveTooLarge = "reserve-too-large",
        /// Both a `preset` and a `strategy` were given.
        PresetWithStrategy = "preset-with-strategy",
        /// `state` was not written by this library, or is damaged.
        InvalidState = "invalid-state",
        /// `state` was written by a newer, incompatible version.
        NewerState = "newer-state",
        /// `plan` was not written by this library, or is damaged.
        InvalidPlan = "invalid-plan",
        /// A member of the call has the wrong type.
        InvalidCall = "invalid-call",
        /// `recall` was called without a query and without a reference.
        EmptyQuery = "empty-query",
        /// A reference does not name a text of the history.
        UnknownReference = "unknown-reference",
        /// The host did not load messages that the state needs.
        HistoryGap = "history-gap",
        /// The values that crossed the boundary are malformed: the JavaScript and the engine are of different builds.
        Boundary = "boundary-mismatch",
    }
}

named! {
    /// Something that the caller should know although the call succeeded.
    Warning {
        /// The history starts with a view that precis made. Views are for sending; histories are for storing.
        IsAView = "is-a-view",
        /// No reply limit is known, so the provider's default may not fit together with the prompt.
        NoReplyLimit = "no-reply-limit",
        /// The reply limit is more than what is kept free for the reply.
        ReplyLimitTooLarge = "reply-limit-too-large",
        /// The window is so small that it may have been meant in thousands of tokens.
        SmallWindow = "small-window",
        /// The schema of some tools could not be read, so they were not counted.
        UncountedTools = "uncounted-tools",
        /// Messages that the format could not read were passed through unchanged.
        Opaque = "opaque-content",
        /// What tools had returned was changed in the history, so what was taken from it was written again.
        OutputsChanged = "outputs-changed",
        /// The plan no longer matches the history or the state, so a new one was made.
        StalePlan = "stale-plan",
        /// The history holds a tool result without its tool call.
        OrphanResult = "orphan-result",
        /// The history holds a tool call without its result, followed by newer messages.
        UnansweredCall = "unanswered-call",
        /// A call id was used again while its call was open, or a call has two results.
        DuplicateId = "duplicate-id",
        /// The history holds a response to an approval request, but not the request.
        OrphanApproval = "orphan-approval",
        /// The view does not hold the provider's own summary, and its text is not known.
        CompactionLost = "compaction-lost",
        /// The provider's own summary is empty and was left out of the view.
        EmptyCompaction = "empty-compaction",
        /// The provider compacts the chat itself, so nothing was compacted.
        ProviderCompaction = "provider-compaction",
        /// The history begins with an assistant message, which the provider refuses.
        AssistantFirst = "assistant-first",
        /// The history holds a message without content.
        EmptyMessage = "empty-message",
        /// The summarizer failed or returned an unusable text, and a digest took its place.
        SummaryFailed = "summary-failed",
        /// The history needs more summarizer calls than allowed, so code digested its oldest part.
        SummaryLimited = "summary-limited",
        /// The system prompt and tools alone nearly fill the window.
        Tight = "tight",
        /// The host's token counter failed; a quarter of the bytes was used as the count.
        CounterFailed = "counter-failed",
        /// The history holds a string of `mustKeep`, but the view does not.
        MustKeepLost = "must-keep-lost",
        /// Content that the host wants kept whole did not fit.
        KeepLost = "keep-lost",
        /// Requirements or requests of the user were cut in a summary.
        RequirementsCut = "requirements-cut",
        /// The error given as `overflow` is not about the size of the request.
        NotAnOverflow = "not-an-overflow",
        /// The reported usage cannot belong to the request it was reported for, and was ignored.
        UsageDoubted = "usage-doubted",
        /// Nothing could be read from the newest usage that was given, so nothing was learned.
        UsageUnread = "usage-unread",
        /// A refusal revealed a limit below the configured one.
        LearnedLimit = "learned-limit",
    }
}
