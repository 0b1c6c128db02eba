//! What the host wants of compactions apart from hard limits: when they start, what they aim at, what they keep, and
//! what they remove first.

use crate::base::json::{Fields, Json, misfit, misfit_of};
use crate::base::millionths::times;
use crate::limits::names::Group;

/// The size of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Estimated tokens.
    Tokens(u64),
    /// A share of the context window, in millionths.
    Share(u64),
    /// Messages since the last compaction.
    Messages(u64),
}

impl Size {
    /// The size in tokens, for a context window of `window` tokens. `None` if it is in messages.
    pub fn tokens(self, window: u64) -> Option<u64> {
        match self {
            Self::Tokens(tokens) => Some(tokens),
            Self::Share(share) => Some(times(window, share)),
            Self::Messages(_) => None,
        }
    }

    /// The size in messages, if that is its unit.
    pub const fn messages(self) -> Option<u64> {
        if let Self::Messages(messages) = self { Some(messages) } else { None }
    }
}

/// What a compaction keeps whole, as far as it fits. The largest of these ranges applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The number of newest turns. A turn is a message typed by a person, and everything up to the next one.
    pub turns: Option<u64>,
    /// The number of newest messages.
    pub messages: Option<u64>,
    /// The number of newest tool results.
    pub results: Option<u64>,
}

/// What the host wants of compactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// When they start. They always start where a request no longer fits.
    pub trigger: Option<Size>,
    /// The size they aim at.
    pub target: Option<Size>,
    /// What they keep whole.
    pub keep: Option<Keep>,
    /// Whether to summarize before clearing old results.
    pub summarize_first: Option<bool>,
    /// Whether old reasoning that is not signed is left out before anything else goes.
    pub drops_reasoning: Option<bool>,
    /// Whether a compaction covers system messages that stand among the others, but for the newest.
    pub drops_system: Option<bool>,
    /// Whether signed reasoning is bound to what was sent before it. Usually the model's id decides.
    pub binds_thinking: Option<bool>,
}

/// A size, of which one member is given.
pub const SIZE: Group = Group { names: &["tokens", "share", "messages"], example: "{ tokens: 100_000 }" };

/// `keep`.
pub const KEEP: Group = Group { names: &["turns", "messages", "results"], example: "{ turns: 2 }" };

/// What goes first.
pub const PREFER: [&str; 2] = ["clear", "summarize"];

/// What happens to old reasoning.
pub const REASONING: [&str; 2] = ["keep", "drop-old"];

/// What happens to system messages among the others.
pub const SYSTEM_MESSAGES: [&str; 2] = ["keep", "drop-old"];

/// Whether signed reasoning is bound to what was sent before it.
pub const THINKING: [&str; 2] = ["free", "bound"];

const MILLION: u64 = 1_000_000;

impl Wishes {
    /// Parses them from the options or from a call.
    pub(crate) fn parse(outer: Fields<'_>) -> Self {
        let trigger = size(outer, "trigger");
        let target = size(outer, "target");
        match (trigger, target) {
            (Some(Size::Tokens(begins)), Some(Size::Tokens(aims)))
            | (Some(Size::Share(begins)), Some(Size::Share(aims)))
                if aims >= begins =>
            {
                outer.wrong(
                    "target",
                    "Expected less than `trigger`: a compaction that aims at the size where it starts would never end.",
                );
            }
            _ => {}
        }
        let summarize_first = either(outer, "prefer", PREFER);
        let drops_reasoning = either(outer, "reasoning", REASONING);
        let drops_system = either(outer, "systemMessages", SYSTEM_MESSAGES);
        let binds_thinking = either(outer, "thinking", THINKING);
        Self { trigger, target, keep: keep(outer), summarize_first, drops_reasoning, drops_system, binds_thinking }
    }

    /// Overrides these wishes with those of a call.
    #[must_use]
    pub(crate) fn under(self, call: Self) -> Self {
        Self {
            trigger: call.trigger.or(self.trigger),
            target: call.target.or(self.target),
            keep: call.keep.or(self.keep),
            summarize_first: call.summarize_first.or(self.summarize_first),
            drops_reasoning: call.drops_reasoning.or(self.drops_reasoning),
            drops_system: call.drops_system.or(self.drops_system),
            binds_thinking: call.binds_thinking.or(self.binds_thinking),
        }
    }

    /// The number of messages since the last compaction at which a new one starts.
    pub fn fires_at(&self) -> Option<u64> {
        self.trigger.and_then(Size::messages)
    }

    /// The most messages a compaction leaves in addition to the summary, if messages are counted.
    pub fn most_messages(&self) -> Option<u64> {
        let half = self.fires_at().map(|messages| messages / 2);
        self.target.and_then(Size::messages).or(half)
    }
}

fn size(outer: Fields<'_>, name: &'static str) -> Option<Size> {
    let given = outer.raw(name);
    if given.is_null() {
        return None;
    }
    if let Json::Object(members) = given {
        let inner = SIZE.fields(given, name, outer);
        let some = members.iter().filter(|(_, value)| !value.is_null()).count();
        if some == 1 {
            let share = inner.raw("share");
            if !share.is_null() {
                return of_share(outer, &format!("{name}.share"), share);
            }
            let above = |name: &str| inner.some_tokens(name);
            return above("tokens").map(Size::Tokens).or_else(|| {
                let messages = inner.count("messages");
                if messages == Some(0) {
                    inner.wrong("messages", "Expected at least one message.");
                }
                messages.map(Size::Messages)
            });
        }
    } else if given.millionths().is_some() {
        return of_share(outer, name, given);
    }
    outer.faults.note(misfit_of(
        outer.code,
        name,
        "a share of the context window between 0 and 1, or one of { tokens }, { share } and { messages }",
        given,
        &|given| share_in(given).is_some(),
    ));
    None
}

fn share_in(given: &Json) -> Option<u64> {
    let share = given.millionths().and_then(|share| u64::try_from(share).ok());
    share.filter(|share| (1_000..=MILLION).contains(share))
}

fn of_share(outer: Fields<'_>, path: &str, given: &Json) -> Option<Size> {
    let share = share_in(given);
    if share.is_none() {
        outer.faults.note(misfit_of(
            outer.code,
            path,
            "a share of the context window from 0.001 to 1 (tokens are given as { tokens: 100_000 })",
            given,
            &|given| share_in(given).is_some(),
        ));
    }
    share.map(Size::Share)
}

fn keep(outer: Fields<'_>) -> Option<Keep> {
    if outer.raw("keep").is_null() {
        return None;
    }
    let keep = KEEP.inside(outer, "keep", "keep");
    let parsed = Keep { turns: keep.count("turns"), messages: keep.count("messages"), results: keep.count("results") };
    (parsed != Keep::default()).then_some(parsed)
}

/// Whether a member says the second of two words.
fn either(outer: Fields<'_>, name: &str, words: [&str; 2]) -> Option<bool> {
    match outer.raw(name) {
        Json::Null => None,
        Json::Text(word) if word == words[0] => Some(false),
        Json::Text(word) if word == words[1] => Some(true),
        other => {
            outer.faults.note(misfit(outer.code, name, &format!("\"{}\" or \"{}\"", words[0], words[1]), other));
            None
        }
    }
}
