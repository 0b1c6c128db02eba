//! Starts the report of a call, with warnings about settings, reported usage and messages.

use crate::base::error::Warning;
use crate::call::context::Work;
use crate::call::left_out;
use crate::call::repair;
use crate::ingest::pairs::{MessageRule, Violation};
use crate::limits::provider_refusal::Refusal;
use crate::model::message::MessageRecord;
use crate::report::{Notice, Report, Usage};

/// A window below this many tokens was probably meant in thousands.
const SMALL: u64 = 1_000;
/// The most faults of a history that are reported one by one.
const FAULTS: usize = 8;

/// The warnings, in the order in which they are reported.
#[derive(Default)]
struct Notices(Vec<Notice>);

impl Notices {
    fn add(&mut self, code: Warning, path: Option<String>, advice: &str) {
        self.0.push(Notice { code, path, advice: advice.to_owned() });
    }
}

impl Work<'_> {
    pub(crate) fn report(&self, before: Usage) -> Report {
        let mut notices = Notices::default();
        self.warn_of_limits(&mut notices);
        self.warn_of_provider(&mut notices);
        self.warn_of_counting(&mut notices);
        self.warn_of_faults(&mut notices);
        self.warn_of_compactions(&mut notices);
        self.warn_of_start(&mut notices);
        let (thinking, provider) = self.thinking();
        Report {
            thinking,
            provider,
            before,
            after: before,
            diverged: self.history.diverged.clone(),
            request: self.request_id(),
            keep_from: self.state.checkpoints.last().map_or(0, |checkpoint| checkpoint.from),
            warnings: notices.0,
            ..Report::default()
        }
    }

    /// Warns of a view passed as history, and of missing or unlikely limits.
    fn warn_of_limits(&self, notices: &mut Notices) {
        if self.history.is_view() {
            notices.add(
                Warning::IsAView,
                Some("messages".to_owned()),
                "These messages begin with a view that precis made. It was recognised, but store the history itself: a view is only for sending.",
            );
        }
        if self.history.outputs_changed.is_some() {
            notices.add(
                Warning::OutputsChanged,
                Some("messages".to_owned()),
                "Results of tools were changed in what was compacted. Everything that had been taken from them was dropped, and code wrote again what stands for these messages.",
            );
        }
        if self.call.max_output.is_none() && self.call.state.pending.is_none() {
            notices.add(
                Warning::NoReplyLimit,
                Some("maxOutputTokens".to_owned()),
                "No reply limit is known, so the provider's default applies and may not fit beside the prompt. Send the smaller of your limit and `report.replyRoom`.",
            );
        }
        let free = self.window.size - self.window.trigger;
        let reply = self.call.max_output.filter(|&reply| reply > free && self.call.options.preset.is_none());
        if let Some(reply) = reply.filter(|_| self.call.state.pending.is_none()) {
            notices.add(
                Warning::ReplyLimitTooLarge,
                Some("maxOutputTokens".to_owned()),
                &format!(
                    "A reply limit of {reply} tokens is more than half of the window: {free} are kept free for the reply. Send the smaller of your limit and `report.replyRoom`."
                ),
            );
        }
        if self.call.window < SMALL && self.call.state.pending.is_none() && self.call.options.preset.is_none() {
            notices.add(
                Warning::SmallWindow,
                Some("contextWindow".to_owned()),
                &format!(
                    "A context window of {} tokens holds only a few sentences. Windows are in tokens: did you mean {},000?",
                    self.call.window, self.call.window
                ),
            );
        }
    }

    /// Warns of a refusal or usage that is implausible or reveals a wrong setting.
    fn warn_of_provider(&self, notices: &mut Notices) {
        if self.call.refusal == Some(Refusal::Other) {
            notices.add(
                Warning::NotAnOverflow,
                Some("overflow".to_owned()),
                "This error does not say that the request was too long, so nothing was compacted. If the request was too long, pass `overflow: true`.",
            );
        }
        if self.call.provider_compacts {
            notices.add(
                Warning::ProviderCompaction,
                Some("providerCompacts".to_owned()),
                "The provider's own compaction is configured, so precis compacts nothing. Use one of the two.",
            );
        }
        if self.call.refusal.is_some() && self.window.size < self.call.window {
            notices.add(
                Warning::LearnedLimit,
                Some("contextWindow".to_owned()),
                "The provider accepts less than the configured context window. The lower limit is stored in the state. Correct `contextWindow`.",
            );
        }
        if self.call.state.unread && self.call.options.preset.is_none() {
            notices.add(
                Warning::UsageUnread,
                Some("usage".to_owned()),
                "No count of prompt tokens could be read from the usage given to `afterModel`, so nothing was learned. Pass the provider's usage as it is, or a count of your own as `{ prompt_tokens: 1234 }`. Pass undefined if there is none.",
            );
        }
        if let Some(reported) =
            self.calibration.doubtful(self.call.window).filter(|_| self.call.options.preset.is_none())
        {
            notices.add(
                Warning::UsageDoubted,
                Some("usage".to_owned()),
                &format!(
                    "Reported usage of {reported} prompt tokens was ignored: it is above the context window of {} or far from the estimate of the request, and no second report agrees with it, or reports stand still while the requests grow, as those of a server that truncates silently do. Pass the usage of a single request to `afterModel`, not a total over several, and check `contextWindow`.",
                    self.call.window
                ),
            );
        }
    }

    /// Warns of content that is not counted, or only by its size.
    fn warn_of_counting(&self, notices: &mut Notices) {
        if self.call.uncounted_tools > 0 {
            notices.add(
                Warning::UncountedTools,
                Some("tools".to_owned()),
                "Some tools have a schema that is not plain JSON Schema. They are not counted until the provider reports usage.",
            );
        }
        if self.call.counter_failed {
            notices.add(
                Warning::CounterFailed,
                Some("tune.tokens.estimator".to_owned()),
                "Your token counter threw, or did not return a number, for some texts. They were counted as a quarter of their bytes.",
            );
        }
        if self.call.unreadable > 0 {
            notices.add(
                Warning::Opaque,
                Some("messages".to_owned()),
                "The format could not read some messages. They are passed through unchanged, and counted by their size as JSON.",
            );
        }
    }

    /// Warns of messages that providers would refuse.
    fn warn_of_faults(&self, notices: &mut Notices) {
        let covered = self.history.active.map_or(0, |active| self.state.checkpoints[active].covers.count);
        // The call or request of a covered message may not have been loaded.
        let loaded = |violation: &&Violation| {
            self.history.first() == 0 || self.history.index_of(violation.index).is_none_or(|index| index >= covered)
        };
        for violation in self.faults.iter().filter(loaded).take(FAULTS) {
            let code = match violation.rule {
                MessageRule::OrphanResult => Warning::OrphanResult,
                MessageRule::UnansweredCall => Warning::UnansweredCall,
                MessageRule::DuplicateId | MessageRule::DuplicateResult => Warning::DuplicateId,
                MessageRule::EmptyContent => Warning::EmptyMessage,
                MessageRule::OrphanApproval => Warning::OrphanApproval,
                MessageRule::Alternation => continue,
            };
            let done = match code {
                Warning::OrphanApproval if self.call.options.preset.is_none() => " It is never sent.",
                _ if left_out::repairs(self.call) => " It is repaired in the view.",
                _ => " It is sent as it is, because `repair` is off.",
            };
            notices.add(
                code,
                Some(format!("messages[{}]", self.call.passed(violation.index))),
                &format!("{}{done}", violation.rule.complaint()),
            );
        }
    }

    /// Warns of the provider's own summaries that cannot be sent.
    fn warn_of_compactions(&self, notices: &mut Notices) {
        let empty =
            |message: &MessageRecord<'_>| message.compacts() && message.parts().any(|part| part.is_empty_compaction());
        if self.call.options.preset.is_none()
            && let Some(input) = self.history.messages.iter().position(empty)
        {
            notices.add(
                Warning::EmptyCompaction,
                Some(format!("messages[{}]", self.call.passed(input))),
                "The provider's own summary in this message is empty. The provider would refuse it, so it is left out.",
            );
        }
        if let Some(input) = self.lost_compaction() {
            notices.add(
                Warning::CompactionLost,
                Some(format!("messages[{}]", self.call.passed(input))),
                "Only the provider can read its own summary in this message, and a compaction in this state covers it, so its content is no longer sent. Start again with `state: null` if the history still holds the messages before it.",
            );
        }
    }

    /// Warns of a history that begins with an assistant message.
    fn warn_of_start(&self, notices: &mut Notices) {
        if let Some(first) = repair::assistant_first(self.call, &self.history) {
            let done = if left_out::repairs(self.call) {
                " In the view, a message that says so comes before it."
            } else {
                " It is sent as it is, because `repair` is off."
            };
            notices.add(
                Warning::AssistantFirst,
                Some(format!("messages[{}]", self.call.passed(first))),
                &format!("The history begins with an assistant message, which providers of this format refuse.{done}"),
            );
        }
    }

    /// The newest of the provider's own summaries if only the provider can read it, and a checkpoint covers it without
    /// keeping it.
    fn lost_compaction(&self) -> Option<usize> {
        let compaction = self.history.compaction.filter(|compaction| !compaction.readable)?;
        let active = &self.state.checkpoints[self.history.active?];
        let index = self.history.index_of(compaction.input)?;
        (index < active.covers.count && !active.stays.heads(index)).then_some(compaction.input)
    }
}
