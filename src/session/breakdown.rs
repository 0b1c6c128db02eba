//! What fills the window, by kind.

/// Tokens of a request by what they are spent on: raw ones of a view, estimated ones in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenBreakdown {
    /// Instructions, and what the provider adds unseen.
    pub system: u64,
    /// Tool definitions.
    pub tools: u64,
    /// What users wrote.
    pub user: u64,
    /// What the model wrote.
    pub assistant: u64,
    /// What tools returned.
    pub results: u64,
    /// Images, documents, files.
    pub media: u64,
    /// Messages of ours.
    pub summary: u64,
}
