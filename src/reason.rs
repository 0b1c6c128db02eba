//! Reports say why in a sentence.

use crate::prelude::*;
use crate::report::Usage;

pub(crate) fn passed(usage: &Usage) -> String {
    text!["The request of about ", usage.tokens, " tokens is below the trigger of ", usage.trigger, "."]
}

pub(crate) fn why(usage: &Usage, limit: u64, asked: bool) -> String {
    if asked {
        return text!["Compaction was asked for at about ", usage.tokens, " tokens."];
    }
    if usage.tokens + usage.bound < limit {
        return text![
            "The strategy compacts at this number of messages; the request had about ",
            usage.tokens,
            " tokens."
        ];
    }
    text![
        "The request of about ",
        usage.tokens,
        " tokens (up to ",
        usage.bound,
        " more) reached the trigger of ",
        limit,
        "."
    ]
}

pub(crate) fn infeasible(usage: &Usage) -> String {
    let parts = usage.parts;
    text![
        "Even the smallest legal view of about ",
        usage.tokens,
        " tokens does not fit the window of ",
        usage.window,
        ": system and what the provider adds ",
        parts.system,
        ", tools ",
        parts.tools,
        ", user ",
        parts.user,
        ", assistant ",
        parts.assistant,
        ", tool results ",
        parts.results,
        ", media ",
        parts.media,
        ", summary ",
        parts.summary,
        ". Shorten the largest of them or use a larger window."
    ]
}
