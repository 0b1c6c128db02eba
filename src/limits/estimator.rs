//! The estimator that the host names (`tune.tokens`): a rule, and the tokenizer family whose weights it uses.

use crate::base::json::{Fields, Json, misfit};
use crate::base::text;
use crate::limits::names::{Group, unknown};
use crate::tokens::family::Family;

/// `tune.tokens`.
pub const TOKENS: Group = Group { names: &["family", "estimator", "overhead"], example: "{ family: \"o200k\" }" };

/// The estimators that a host may name.
pub const NAMES: [&str; 2] = ["lexical", "bytes4"];

/// The name of the estimator, as [`Estimator::parse`](crate::tokens::Estimator::parse) reads it.
pub(super) fn name(tokens: Fields<'_>, of_preset: bool) -> String {
    let family = match tokens.raw("family") {
        Json::Null => "",
        Json::Text(family) => family,
        other => {
            tokens.faults.note(misfit(tokens.code, "tune.tokens.family", "the name of a tokenizer family", other));
            ""
        }
    };
    let rule = match tokens.raw("estimator") {
        // The preset's numbers are those of the system that it reproduces.
        Json::Null if of_preset => "bytes4",
        Json::Null => "lexical",
        Json::Bool(true) => "host",
        Json::Text(name) if name != "host" => {
            if !NAMES.contains(&name.as_str()) {
                unknown(tokens, "estimator", name, &NAMES, "estimator");
            }
            name
        }
        other => {
            tokens.faults.note(misfit(
                tokens.code,
                "tune.tokens.estimator",
                "the name of an estimator or a function",
                other,
            ));
            ""
        }
    };
    if rule == "lexical" && !family.is_empty() && !Family::NAMES.contains(&family) {
        match Family::of_model(family) {
            Some(known) => tokens.wrong(
                "family",
                &format!(
                    "\"{family}\" is a model, not a tokenizer family; its family is \"{}\". Known: {}.",
                    known.name(),
                    text::joined(Family::NAMES, ", ")
                ),
            ),
            None => unknown(tokens, "family", family, Family::NAMES, "tokenizer family"),
        }
    }
    if family.is_empty() { rule.to_owned() } else { format!("{rule}:{family}") }
}
