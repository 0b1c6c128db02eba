//! The digest summary: what code can say of a conversation without a model. What was asked, what was done, what was
//! answered last. Bounded, and the same for the same messages.

use super::{Source, transcript};
use crate::content::{Content, ContentPart};
use crate::message::Role;
use crate::prelude::*;
use crate::text;

const OPENING: &str =
    "This part of the conversation was condensed by code, without a model: quotations are exact, but much is left out.";
const BEFORE: &str = "## Before that";
const ASKED: &str = "## What the user asked for, in order";
const DONE: &str = "## What was done with tools";
const SAID: &str = "## What the assistant said last";
/// How many messages that section quotes.
const SAID_LAST: usize = 3;

/// The digest of a source within about `bytes`. A previous digest is merged section by section; any other previous
/// summary is quoted.
pub fn write(source: &Source<'_>, bytes: usize) -> String {
    let previous = source.previous.unwrap_or_default();
    let merged = previous.starts_with(OPENING);
    let old = |heading: &str| if merged { section(previous, heading) } else { Vec::new() };
    let mut asked = old(ASKED);
    asked.extend(requests(source.messages));
    let said = last_words(source.messages);
    let before = if merged {
        old(BEFORE)
    } else if previous.is_empty() {
        Vec::new()
    } else {
        vec![format!("- {}", previous.trim().replace('\n', "\n| "))]
    };
    // Shares of the budget, in percent; what one section leaves goes to the next.
    let sections = [
        (BEFORE, before, 30),
        (ASKED, asked, 35),
        (DONE, tools(old(DONE), source.messages), 20),
        (SAID, if said.is_empty() { old(SAID) } else { said }, 45),
    ];
    let mut out = String::from(OPENING);
    let mut rest = bytes.saturating_sub(out.len());
    let mut weight: usize = sections.iter().filter(|section| !section.1.is_empty()).map(|section| section.2).sum();
    for (heading, lines, share) in sections.into_iter().filter(|section| !section.1.is_empty()) {
        let budget = rest * share / weight.max(1);
        weight -= share;
        let body = fit(lines, budget.saturating_sub(heading.len() + 2));
        if body.is_empty() {
            continue;
        }
        rest = rest.saturating_sub(heading.len() + 2 + body.len());
        out.push_str("\n\n");
        out.push_str(heading);
        out.push('\n');
        out.push_str(body.trim_end());
    }
    out
}

/// The entries of a section of an earlier digest: each begins with a dash, and may run over lines.
fn section(digest: &str, heading: &str) -> Vec<String> {
    let Some(start) = text::find(digest, &format!("\n{heading}\n")) else { return Vec::new() };
    let body = text::between(digest, start + heading.len() + 2, digest.len());
    let end = [BEFORE, ASKED, DONE, SAID]
        .iter()
        .filter_map(|next| text::find(body, &format!("\n{next}\n")))
        .min()
        .unwrap_or(body.len());
    let mut entries: Vec<String> = Vec::new();
    for line in text::between(body, 0, end).trim().lines() {
        match entries.last_mut() {
            Some(entry) if !line.starts_with("- ") && !line.starts_with(LEFT_OUT) => {
                entry.push('\n');
                entry.push_str(line);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// How the line begins that stands for entries without room.
const LEFT_OUT: &str = "(… ";

/// Lines within a budget: all of them, cut, if each can keep something; else the first one and the newest.
fn fit(lines: Vec<String>, budget: usize) -> String {
    const LEAST: usize = 60;
    let room = (budget / LEAST).max(1);
    let earlier: usize =
        lines.iter().filter_map(|line| line.strip_prefix(LEFT_OUT)?.split(' ').next()?.parse::<usize>().ok()).sum();
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.starts_with(LEFT_OUT)).collect();
    let total = lines.len();
    let chosen: Vec<String> = if total > room && total > 1 {
        let newest = room.saturating_sub(1);
        let mut chosen = vec![lines[0].clone()];
        chosen.extend(lines[total - newest.min(total - 1)..].iter().cloned());
        chosen
    } else {
        lines
    };
    let lengths: Vec<usize> = chosen.iter().map(|line| line.len() + 1).collect();
    let cap = text::level(&lengths, budget);
    let mut out = String::new();
    for (index, line) in chosen.iter().enumerate() {
        if index == 1 && chosen.len() < total + earlier {
            out.push_str(&format!("{LEFT_OUT}{} more …)\n", total + earlier - chosen.len()));
        }
        out.push_str(&text::ends(line, cap.saturating_sub(1)));
        out.push('\n');
    }
    out
}

fn requests(messages: &[(Content, bool)]) -> Vec<String> {
    let mut all = Vec::new();
    for (message, _) in messages.iter().filter(|(_, typed)| *typed) {
        let mut line = String::from("-");
        for part in &message.parts {
            match part {
                ContentPart::Text { text, .. } if !text.trim().is_empty() => {
                    line.push(' ');
                    line.push_str(&transcript::quote(text.trim()));
                }
                ContentPart::Media { kind, media_type, reference, .. } => {
                    line.push_str(&format!(" [{}]", transcript::medium(*kind, media_type, reference)))
                }
                _ => {}
            }
        }
        if line.len() > 1 {
            all.push(line);
        }
    }
    all
}

/// How one tool was used.
struct Usage {
    name: String,
    calls: usize,
    failures: usize,
    last: String,
}

fn tools(earlier: Vec<String>, messages: &[(Content, bool)]) -> Vec<String> {
    let mut used: Vec<Usage> = earlier.iter().filter_map(|line| parse_usage(line)).collect();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for part in messages.iter().flat_map(|(message, _)| &message.parts) {
        match part {
            ContentPart::Call { id, name, input, .. } => {
                names.push((id, name));
                let last = transcript::escape(&text::ends(&input.to_text(), 160)).replace('\n', " ");
                match used.iter_mut().find(|usage| usage.name == *name) {
                    Some(usage) => {
                        usage.calls += 1;
                        usage.last = last;
                    }
                    None => used.push(Usage { name: name.clone(), calls: 1, failures: 0, last }),
                }
            }
            ContentPart::Result { id, failed: true, .. } => {
                if let Some(usage) = names
                    .iter()
                    .rev()
                    .find(|known| known.0 == id)
                    .and_then(|known| used.iter_mut().find(|usage| usage.name == known.1))
                {
                    usage.failures += 1;
                }
            }
            _ => {}
        }
    }
    used.into_iter()
        .map(|usage| {
            format!("- {}: {} calls, {} failed, last with {}", usage.name, usage.calls, usage.failures, usage.last)
        })
        .collect()
}

/// Reads a line that [`tools`] wrote, if it was not cut in the middle.
fn parse_usage(line: &str) -> Option<Usage> {
    const MIDDLE: &str = " failed, last with ";
    let line = line.strip_prefix("- ")?;
    let middle = text::find(line, MIDDLE)?;
    let (head, failures) = text::between(line, 0, middle).rsplit_once(' ')?;
    let (name, calls) = head.strip_suffix(" calls,")?.rsplit_once(' ')?;
    let (name, last) = (name.strip_suffix(':')?, text::between(line, middle + MIDDLE.len(), line.len()));
    Some(Usage {
        name: name.to_owned(),
        calls: calls.parse().ok()?,
        failures: failures.parse().ok()?,
        last: last.to_owned(),
    })
}

fn last_words(messages: &[(Content, bool)]) -> Vec<String> {
    let mut newest = Vec::new();
    for (message, _) in messages.iter().rev().filter(|(message, _)| message.role == Role::Assistant) {
        let mut words = Vec::new();
        for part in &message.parts {
            match part {
                ContentPart::Text { text, .. } if !text.trim().is_empty() => words.push(text.trim()),
                _ => {}
            }
        }
        if !words.is_empty() && newest.len() < SAID_LAST {
            newest.push(format!("- {}", transcript::quote(&words.join("\n"))));
        }
    }
    newest.reverse();
    newest
}
