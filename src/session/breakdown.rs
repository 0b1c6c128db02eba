//! The tokens in the window, by kind of content.

use crate::base::millionths;

/// The tokens of a request by kind of content: raw tokens of a view, or estimated tokens in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenBreakdown {
    /// Instructions, and what the provider adds by itself.
    pub system: u64,
    /// Tool definitions.
    pub tools: u64,
    /// What users wrote.
    pub user: u64,
    /// What the model wrote.
    pub assistant: u64,
    /// Tool results.
    pub results: u64,
    /// Images, documents, audio, video and other files.
    pub media: u64,
    /// Messages that precis wrote.
    pub summary: u64,
}

/// The names of the kinds in reports, in the order of [`TokenBreakdown::counts`].
pub const PARTS: [&str; 7] = ["system", "tools", "user", "assistant", "toolResults", "media", "summary"];

impl TokenBreakdown {
    /// The tokens of each kind, in the order of [`PARTS`].
    pub const fn counts(self) -> [u64; PARTS.len()] {
        [self.system, self.tools, self.user, self.assistant, self.results, self.media, self.summary]
    }

    /// Makes the parts add up to `whole`. What they leave is added by the provider. Where they come to more, each is smaller by
    /// the same share, and what rounding leaves goes to the largest.
    pub(crate) fn adding_up_to(mut self, whole: u64) -> Self {
        let sum = self.tools + self.user + self.assistant + self.results + self.media + self.summary;
        self.system = whole.saturating_sub(sum);
        if sum <= whole {
            return self;
        }
        let shrink = |part: u64| millionths::scale(part, whole, sum);
        let mut parts = Self {
            system: 0,
            tools: shrink(self.tools),
            user: shrink(self.user),
            assistant: shrink(self.assistant),
            results: shrink(self.results),
            media: shrink(self.media),
            summary: shrink(self.summary),
        };
        let Self { tools, user, assistant, results, media, summary, .. } = parts;
        let rest = whole.saturating_sub(tools + user + assistant + results + media + summary);
        let all = [
            &mut parts.tools,
            &mut parts.user,
            &mut parts.assistant,
            &mut parts.results,
            &mut parts.media,
            &mut parts.summary,
        ];
        if let Some(largest) = all.into_iter().max() {
            *largest += rest;
        }
        parts
    }
}
