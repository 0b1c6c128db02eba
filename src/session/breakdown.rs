//! The tokens in the window, by kind of content.

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
