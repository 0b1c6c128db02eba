//! Reports say why in a sentence.

use crate::prelude::*;
use crate::report::Usage;

pub(crate) fn passed(usage: &Usage) -> String {
    format!("The request of about {} tokens is below the trigger of {}.", usage.tokens, usage.trigger)
}

pub(crate) fn why(usage: &Usage, limit: u64, asked: bool) -> String {
    if asked {
        return format!("Compaction was asked for at about {} tokens.", usage.tokens);
    }
    if usage.tokens + usage.bound < limit {
        return format!(
            "The strategy compacts at this number of messages; the request had about {} tokens.",
            usage.tokens
        );
    }
    format!("The request of about {} tokens (up to {} more) reached the trigger of {limit}.", usage.tokens, usage.bound)
}

pub(crate) fn infeasible(usage: &Usage) -> String {
    let parts = usage.parts;
    format!(
        "Even the smallest legal view of about {} tokens does not fit the window of {}: system and what the provider adds {}, tools {}, user {}, assistant {}, tool results {}, media {}, summary {}. Shorten the largest of them or use a larger window.",
        usage.tokens,
        usage.window,
        parts.system,
        parts.tools,
        parts.user,
        parts.assistant,
        parts.results,
        parts.media,
        parts.summary
    )
}
