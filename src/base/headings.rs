//! How a digest and its sections begin: what is told apart by them is read in more than one place.

/// The first line of a digest.
pub const OPENING: &str = "Condensed by code, without a model: quotations are exact, much is left out.";
/// Stands between a summary by a model and what code keeps beside it.
pub const KEPT: &str = "## Kept by code, word for word";
/// Heads what was asked.
pub const TASKS: &str = "## Asked, in order";
/// Heads the summary by a model that came before.
pub const BEFORE: &str = "## Before";
/// Heads what the user requires, one sentence an entry, in their words.
pub const RULES: &str = "## Required by the user";
/// Heads decisions.
pub const DECIDED: &str = "## Decided";
/// Heads what the user told.
pub const TOLD: &str = "## Told by the user";
/// Heads the state of the work.
pub const WORK: &str = "## State of the work";
/// Heads what is open and comes next.
pub const NEXT: &str = "## Open, and next";
/// Heads what tools returned.
pub const RECORDS: &str = "## Records that tools returned";
/// Heads names and numbers.
pub const NAMES: &str = "## Names and numbers";
/// How the lines of names and numbers begin, by who said them.
pub const LINES: [&str; 4] = ["- Typed: ", "- In use: ", "- Named: ", "- Seen: "];
