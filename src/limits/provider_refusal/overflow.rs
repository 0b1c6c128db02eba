//! What an error says of the size of a request.

/// What an error says about a request that is too long, in the provider's tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    /// The limit of prompt and reply together.
    pub limit: Option<u64>,
    /// The limit of the prompt alone.
    pub input: Option<u64>,
    /// The size of the prompt.
    pub prompt: Option<u64>,
    /// A lower bound of the size of the prompt: some servers stop counting above the limit.
    pub least: Option<u64>,
    /// The reply limit of the request.
    pub reply: Option<u64>,
    /// The size of prompt and reply together.
    pub total: Option<u64>,
}
