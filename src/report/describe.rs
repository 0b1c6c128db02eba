//! Describes a plan or a report in a few sentences for people.

use crate::base::error::{Code, Error};
use crate::base::json::Json;
use crate::base::text;

/// The most runs of messages that are listed. For more, only the number of messages is given.
const RUNS: usize = 3;

/// Describes a plan or a report.
///
/// # Errors
///
/// If it is neither.
pub fn describe(given: &Json) -> Result<String, Error> {
    let planned = given.get("report").members().is_some();
    let report = if planned { given.get("report") } else { given };
    let reason = report.get("reason").text();
    let (Some(reason), Some(tokens)) = (reason, report.get("after").get("tokens").count()) else {
        return Err(Error::at(
            Code::InvalidPlan,
            "plan",
            "Expected a plan, as `plan` returns it, or a report, as `beforeModel` and `commit` return it.",
        ));
    };
    let mut sentences = vec![reason.to_owned()];
    let lists =
        if planned { ["covers", "clears", "clips"].map(|name| given.get(name)) } else { [report.get("changes"); 3] };
    let lists = if planned { &lists[..] } else { &lists[..1] };
    for change in lists.iter().flat_map(|list| list.list().unwrap_or_default()) {
        sentences.push(sentence(change));
    }
    if planned {
        sentences.extend(asked(given));
        let changes = sentences.len() > 1;
        if changes && report.get("after").get("tokens") != report.get("before").get("tokens") {
            sentences.push(format!("The request will then have about {tokens} tokens."));
        }
    }
    let saved = report.get("saved").count().unwrap_or(0);
    if saved > 0 {
        sentences.push(format!("Without compaction it would have about {saved} more."));
    }
    Ok(text::joined(&sentences.iter().map(String::as_str).collect::<Vec<_>>(), " "))
}

/// Describes one change.
fn sentence(change: &Json) -> String {
    let number = |name: &str| change.get(name).count().unwrap_or(0);
    let (count, tokens, after) = (number("count"), number("tokens"), number("after"));
    let rung = change.get("rung").text().unwrap_or_default();
    let who = messages(count, change.get("messages"));
    match change.get("action").text() {
        Some("cover") if count == 0 => {
            format!("The earlier summary of about {tokens} tokens is replaced by one of about {after} ({rung}).")
        }
        Some("cover") => format!(
            "A summary of about {after} tokens replaces {who} and any earlier summary, about {tokens} tokens in total ({rung})."
        ),
        Some("clear") if rung == "drop-reasoning" => {
            format!("Old reasoning in {who} is left out: about {after} tokens instead of {tokens} ({rung}).")
        }
        Some("clear") => format!(
            "Old tool results in {who} are replaced by placeholders: about {after} tokens instead of {tokens} ({rung})."
        ),
        _ => format!("Long texts in {who} are cut: about {after} tokens instead of {tokens} ({rung})."),
    }
}

/// The number of messages, and which ones if they are few runs.
fn messages(count: u64, runs: &Json) -> String {
    let runs = runs.list().unwrap_or_default();
    let noun = if count == 1 { "message" } else { "messages" };
    if runs.is_empty() || runs.len() > RUNS {
        return format!("{count} {noun}");
    }
    let end = |run: &Json, name: &str| run.get(name).count().unwrap_or(0);
    let run = |run: &Json| match (end(run, "from"), end(run, "to").saturating_sub(1)) {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from} to {to}"),
    };
    let named: Vec<String> = runs.iter().map(run).collect();
    let named = text::joined(&named.iter().map(String::as_str).collect::<Vec<_>>(), ", ");
    format!("{count} {noun} ({named})")
}

/// How often a plan calls a summarizer.
fn asked(plan: &Json) -> Option<String> {
    let requests = plan.get("requests").list().map_or(0, <[Json]>::len) as u64;
    let total = plan.get("total").count().unwrap_or(requests).max(requests);
    match (requests, total) {
        (0, _) => None,
        (1, 1) => Some("The summarizer is called once.".to_owned()),
        _ => Some(format!("The summarizer is called up to {total} times, {requests} of them in the first round.")),
    }
}
