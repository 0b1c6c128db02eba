//! Converts raw tokens into estimates and limits.

use crate::limits::budget::Window;
use crate::report::Usage;
use crate::session::breakdown::TokenBreakdown;
use crate::session::history::History;
use crate::session::view::View;
use crate::tokens::SlopeRange;
use crate::tokens::calibration::Calibration;

/// What a call measures its views with.
#[derive(Clone, Copy)]
pub(crate) struct Measure<'a> {
    pub(crate) calibration: &'a Calibration,
    pub(crate) range: SlopeRange,
    pub(crate) window: Window,
    /// The raw tokens outside the messages: all, those of the system prompt, and those of the tools.
    pub(crate) beside: u64,
    pub(crate) system: u64,
    pub(crate) tools: u64,
}

impl Measure<'_> {
    /// The estimated tokens that no edit of the messages can change.
    pub(crate) fn fixed(&self, view: &View) -> u64 {
        // What the provider counts beyond our slope is not part of the messages either.
        let whole = self.calibration.estimate(view.raw() + self.beside, self.range).tokens;
        whole.saturating_sub(self.calibration.scale(view.raw() - view.fixed(), self.range))
    }

    pub(crate) fn usage(&self, view: &View, history: &History<'_>) -> Usage {
        let estimate = self.calibration.estimate(view.raw() + self.beside, self.range);
        let usage = self.usage_of(view, history, estimate.tokens, &|raw| self.calibration.scale(raw, self.range));
        let trigger = self.window.trigger_beside(self.fixed(view), 0);
        Usage { bound: estimate.bound, trigger, reported: self.calibration.anchor.is_some(), ..usage }
    }

    /// The usage of a view with `tokens` in total. `scale` converts the raw tokens of its parts.
    pub(crate) fn usage_of(
        &self,
        view: &View,
        history: &History<'_>,
        tokens: u64,
        scale: &dyn Fn(u64) -> u64,
    ) -> Usage {
        let raw = view.raw() + self.beside;
        let of = view.breakdown(history);
        let parts = TokenBreakdown {
            system: 0,
            tools: scale(self.tools),
            user: scale(of.user),
            assistant: scale(of.assistant),
            results: scale(of.results),
            media: scale(of.media),
            summary: scale(of.summary),
        };
        // Tokens that no known part explains are added by the provider. One or two are due to rounding.
        let mut parts = parts.adding_up_to(tokens);
        if self.system + of.system == 0 && parts.system < 8 {
            parts.user += core::mem::take(&mut parts.system);
        }
        Usage { tokens, raw, bound: 0, window: self.window.size, trigger: self.window.trigger, reported: false, parts }
    }
}
