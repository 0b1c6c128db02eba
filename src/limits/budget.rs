//! The arithmetic of the context window: when compaction starts, what it aims at, and what no request may exceed.

use crate::base::archive::{Archive, Record};
use crate::base::error::Error;
use crate::base::millionths::times;
use crate::limits::options::{self, Options};
use crate::limits::thinking_refusal::Complaint;

/// Tokens kept free in addition to the reply limit, for what providers add to a request after counting it.
const REPLY_MARGIN: u64 = 1_024;
/// The reserve if neither a reply limit nor a reserve is known is an eighth of the window, but at most this.
const DEFAULT_RESERVE: u64 = 20_000;
/// A request is tight if its fixed tokens exceed this share of the trigger, in millionths.
const SQUEEZED: u64 = 900_000;

/// The bounds of a target set by the host, as shares of the room in millionths.
const LEAST_TARGET: u64 = 50_000;
const MOST_TARGET: u64 = 900_000;

/// A share of a whole, in millionths.
pub fn share(whole: u64, millionths: u64) -> u64 {
    times(whole, millionths)
}

/// The limits that are independent of the conversation, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The context window of the model.
    pub size: u64,
    /// A request of this size or more is compacted.
    pub trigger: u64,
    /// Every request must stay below this.
    pub hard: u64,
    /// The size of the conversation above which compacting saves money, if prices are known.
    pub pays: Option<u64>,
}

/// Limits of one model that refusals revealed. They apply only where they are below the configured limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The estimator, family and model: the same key as that of the calibration.
    pub key: String,
    /// The context window, in tokens.
    pub window: Option<u64>,
    /// The limit of the prompt, in tokens.
    pub input: Option<u64>,
    /// A reply limit that was refused together with its prompt. Cleared once a request succeeds.
    pub reply: Option<u64>,
    /// A reply limit that was sent again after its refusal. The trigger leaves room for it.
    pub reserve: Option<u64>,
    /// What it demands of reasoning, by the name of the [`Complaint`] that revealed it.
    pub thinking: Option<Complaint>,
}

impl Record for Learned {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("key", &mut self.key);
        archive.maybe_count("window", &mut self.window);
        archive.maybe_count("input", &mut self.input);
        archive.maybe_count("reply", &mut self.reply);
        archive.maybe_count("reserve", &mut self.reserve);
        let mut thinking = self.thinking.filter(|_| !archive.reads()).map(|complaint| complaint.as_str().to_owned());
        archive.maybe_text("thinking", &mut thinking);
        if let Some(name) = thinking {
            self.thinking = Complaint::named(&name);
            if self.thinking.is_none() {
                archive.reject("thinking");
            }
        }
    }
}

impl Window {
    /// Computes `trigger = min(window - max(reserve, maxOutputTokens + 1,024), maxInputTokens - 2 %)` and `hard =
    /// window - max(64, window / 64)`.
    ///
    /// A reply limit above half of the window counts as half of it. The report's `replyRoom` then says how long the
    /// reply may be.
    ///
    /// # Errors
    ///
    /// If the reserve leaves no room in the window.
    pub fn new(size: u64, options: &Options, max_output: Option<u64>) -> Result<Self, Error> {
        Self::under(size, options, max_output, &Learned::default())
    }

    /// Like [`new`](Self::new), but with limits that refusals revealed: the smaller limit applies. A reserve that
    /// leaves no room in the learned window counts as half of that window.
    ///
    /// # Errors
    ///
    /// If the configured reserve leaves no room in the configured window.
    pub fn under(
        configured: u64,
        options: &Options,
        max_output: Option<u64>,
        learned: &Learned,
    ) -> Result<Self, Error> {
        options::room(configured, options.reserve.unwrap_or(0))?;
        let least = |own: Option<u64>, other: Option<u64>| own.into_iter().chain(other).min();
        let size = least(Some(configured), learned.window).unwrap_or(configured).max(1);
        let reply = max_output
            .or(options.max_output)
            .max(learned.reserve)
            .map(|limit| limit.saturating_add(REPLY_MARGIN).min(size / 2));
        let mut reserve = match (options.reserve, reply) {
            (None, None) => (size / 8).min(DEFAULT_RESERVE),
            (reserve, reply) => reserve.unwrap_or(0).max(reply.unwrap_or(0)),
        };
        if size < configured {
            reserve = reserve.min(size / 2);
        }
        let hard = size.saturating_sub((size / 64).max(64)).max(1);
        let mut trigger = size - reserve;
        if let Some(limit) = least(options.max_input, learned.input) {
            trigger = trigger.min(limit - limit / 50);
        }
        if let Some(own) = options.wishes.trigger.and_then(|trigger| trigger.tokens(size)) {
            trigger = trigger.min(own);
        }
        let pays =
            options.prices.filter(|_| options.preset.is_none()).and_then(|prices| prices.room(options.summarize));
        Ok(Self { size, trigger: trigger.clamp(1, hard), hard, pays })
    }

    /// Whether these fixed tokens leave almost no room.
    pub fn is_tight(self, fixed: u64) -> bool {
        fixed > share(self.trigger, SQUEEZED)
    }

    /// Where compaction starts if `fixed` tokens cannot change: at the trigger, or earlier if that saves money. A
    /// newest group above half of the latter does not start one, because it would have to be cut.
    pub fn trigger_beside(self, fixed: u64, newest: u64) -> u64 {
        let pays = self.pays.map_or(u64::MAX, |pays| fixed.saturating_add(pays.max(newest.saturating_mul(2))));
        self.trigger.min(pays)
    }

    /// The limits of a conversation with `fixed` tokens that cannot change and `newest` tokens in its newest group.
    pub fn limits(self, fixed: u64, newest: u64, options: &Options) -> Limits {
        let tight = self.is_tight(fixed);
        let whole = if tight { self.hard } else { self.trigger }.saturating_sub(fixed);
        let limit = if tight { self.hard } else { self.trigger_beside(fixed, newest) };
        let room = limit.saturating_sub(fixed);
        let shares = &options.shares;
        let aimed = fixed.saturating_add(share(room, shares.target));
        let own = options.wishes.target.and_then(|target| target.tokens(self.size));
        let (least, most) = (share(room, LEAST_TARGET), share(room, MOST_TARGET));
        let target = own.map_or(aimed, |own| own.clamp(fixed.saturating_add(least), fixed.saturating_add(most)));
        let accept = target + share(limit.saturating_sub(target), shares.accept);
        Limits { window: self, limit, room, whole, target, aims: own.is_some(), accept, tight }
    }
}

/// The limits of one request, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The limits they are derived from.
    pub window: Window,
    /// A request must stay below this: the trigger, or the hard limit if tight.
    pub limit: u64,
    /// The room for the conversation.
    pub room: u64,
    /// The room for the conversation if prices did not matter.
    pub whole: u64,
    /// The size that a rung aims at.
    pub target: u64,
    /// Whether the host set that size.
    pub aims: bool,
    /// The size at which a clip or clear may stop.
    pub accept: u64,
    /// Whether the system prompt, tools and pins alone nearly fill the window.
    pub tight: bool,
}
