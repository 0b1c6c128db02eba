//! How a digest and its facts begin: what is told apart by them is read in more than one place.

/// The first line of a digest.
pub(super) const OPENING: &str = "Condensed by code, without a model: quotations are exact, much is left out.";
/// Heads what the user requires, one sentence an entry, in their words.
pub const RULES: &str = "## Required by the user";
/// Heads names and numbers.
pub const FACTS: &str = "## Names and numbers";
