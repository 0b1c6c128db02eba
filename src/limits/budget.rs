//! Pure arithmetic on the window: where compaction fires, what it aims at, what must never be exceeded.

use crate::base::archive::{Archive, Record};
use crate::base::error::Error;
use crate::base::millionths::times;
use crate::limits::options::{self, Options};

/// Kept free beside the reply limit: what providers add to a request between counting and answering.
const REPLY_MARGIN: u64 = 1_024;
/// Kept free when neither a reply limit nor a reserve is known: an eighth of the window, at most this.
const DEFAULT_RESERVE: u64 = 20_000;
/// A request is tight when what no edit can change takes more than this of the trigger, in millionths.
const SQUEEZED: u64 = 900_000;

/// A target of the host's lies between these parts of the room, in millionths.
const LEAST_TARGET: u64 = 50_000;
const MOST_TARGET: u64 = 900_000;

/// A part of a whole, in millionths.
pub fn share(whole: u64, millionths: u64) -> u64 {
    times(whole, millionths)
}

/// The limits that do not depend on the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Tokens the model takes.
    pub size: u64,
    /// A request at or above this is compacted.
    pub trigger: u64,
    /// No request may reach this.
    pub hard: u64,
    /// Beyond so many tokens of the conversation a compaction pays, by what tokens cost.
    pub pays: Option<u64>,
}

/// What refusals have taught of one model's limits. It holds as far as it is below what is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Estimator, family, model: the key of the calibration.
    pub key: String,
    /// Tokens the model takes.
    pub window: Option<u64>,
    /// Tokens of the prompt it takes.
    pub input: Option<u64>,
    /// A reply that was refused beside its prompt; none once a request went through.
    pub reply: Option<u64>,
    /// A reply that was sent again although it had been refused: the trigger leaves room for it.
    pub reserve: Option<u64>,
}

impl Record for Learned {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        archive.text("key", &mut self.key);
        archive.maybe_count("window", &mut self.window);
        archive.maybe_count("input", &mut self.input);
        archive.maybe_count("reply", &mut self.reply);
        archive.maybe_count("reserve", &mut self.reserve);
    }
}

impl Window {
    /// `trigger = min(window - max(reserve, maxOutputTokens + 1,024), maxInputTokens - 2 %)`,
    /// `hard = window - max(64, window / 64)`.
    ///
    /// A reply limit that would take more than half of the window counts as half: the report's `replyRoom` then says
    /// what the reply may be.
    ///
    /// # Errors
    /// When the reserve leaves no room.
    pub fn new(size: u64, options: &Options, max_output: Option<u64>) -> Result<Self, Error> {
        Self::under(size, options, max_output, &Learned::default())
    }

    /// The same with what refusals have taught: the smaller of both holds. A reserve that a learned window would not
    /// leave room for counts as half of it.
    ///
    /// # Errors
    /// When the configured reserve leaves no room in the configured window.
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

    /// Whether these unchangeable tokens leave almost no room.
    pub fn is_tight(self, fixed: u64) -> bool {
        fixed > share(self.trigger, SQUEEZED)
    }

    /// Where a compaction begins beside `fixed` unchangeable tokens: the trigger, or where it pays. A newest group that
    /// takes more than half of that is no reason to compact: it would have to be cut.
    pub fn trigger_beside(self, fixed: u64, newest: u64) -> u64 {
        let pays = self.pays.map_or(u64::MAX, |pays| fixed.saturating_add(pays.max(newest.saturating_mul(2))));
        self.trigger.min(pays)
    }

    /// The limits of a conversation whose unchangeable tokens are `fixed`, and the tokens of its newest group.
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
        Limits { window: self, limit, room, whole, target, accept, tight }
    }
}

/// The limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Where they come from.
    pub window: Window,
    /// A request is fine below this: the trigger, or the hard limit when tight.
    pub limit: u64,
    /// What the conversation may take.
    pub room: u64,
    /// What it could take if reading cost nothing.
    pub whole: u64,
    /// What a rung aims at.
    pub target: u64,
    /// What a clip or clear may end at.
    pub accept: u64,
    /// System, tools and pins alone nearly fill the window.
    pub tight: bool,
}
