//! The headings of a digest and its sections. Several modules recognize sections by them.

/// The first line of a digest.
pub const OPENING: &str = "Condensed by code, without a model: quotations are exact, much is left out.";
/// Separates a summary written by a model from what code adds to it.
pub const KEPT: &str = "## Kept by code, word for word";
/// The heading of what the user asked for.
pub const TASKS: &str = "## Asked, in order";
/// The heading of the earlier summary written by a model.
pub const BEFORE: &str = "## Before";
/// The heading of the user's requirements: one sentence per entry, in the user's words.
pub const RULES: &str = "## Required by the user";
/// The heading of decisions.
pub const DECIDED: &str = "## Decided";
/// The heading of facts that the user stated.
pub const TOLD: &str = "## Told by the user";
/// The heading of the state of the work.
pub const WORK: &str = "## State of the work";
/// The heading of open tasks and next steps.
pub const NEXT: &str = "## Open, and next";
/// The heading of records that tools returned.
pub const RECORDS: &str = "## Records that tools returned";
/// The heading of names and numbers.
pub const NAMES: &str = "## Names and numbers";
/// The starts of the lines of names and numbers, by who mentioned them.
pub const LINES: [&str; 4] = ["- Typed: ", "- In use: ", "- Named: ", "- Seen: "];
