//! The progress note: written by code when a cut lies inside the active turn. It follows the user's message and says
//! what has been done about it, so that nothing is done twice.

use crate::content::{Content, ContentPart};
use crate::markers;
use crate::prelude::*;
use crate::summary::transcript;
use crate::text;

/// Calls listed one by one; of earlier ones only the number is told.
const LISTED: usize = 24;
/// Bytes of an output that no edit ever touches.
const SHORT_OUTPUT: usize = 150;
const SKIPPED: &str = " earlier tool calls, see the summary";

/// The note on the covered part of the active turn, in about `bytes` at most. `earlier` is the note of the same turn
/// that this one continues.
pub fn write(earlier: Option<&str>, turn: &[Content], bytes: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut skipped = 0;
    for line in earlier.unwrap_or_default().lines() {
        match line.strip_prefix("- ").and_then(|line| line.strip_suffix(SKIPPED)) {
            Some(count) => skipped += count.parse::<usize>().unwrap_or(0),
            None if line.starts_with("- ") => lines.push(line.to_owned()),
            None => {}
        }
    }
    let line_bytes = (bytes / LISTED).clamp(60, 400);
    // Ids may come again: a result belongs to the newest call with its id.
    let mut calls: Vec<(&str, String, String)> = Vec::new();
    for part in turn.iter().flat_map(|message| &message.parts) {
        match part {
            ContentPart::Call { id, name, input, .. } => {
                let call = text!["- ", name, "(", text::ends(&input.to_text(), line_bytes / 2), ")"];
                calls.push((id, call, "no result".to_owned()));
            }
            ContentPart::Result { id, output, failed, .. } => {
                if let Some(call) = calls.iter_mut().rev().find(|call| call.0 == id) {
                    call.2 = outcome(&output.to_text(), *failed, line_bytes / 3);
                }
            }
            _ => {}
        }
    }
    for (_, call, outcome) in calls {
        lines.push(transcript::escape(&text![call, " → ", outcome]).replace('\n', " "));
    }
    let mut out = text![markers::PROGRESS, ": what has been done about it so far. Already done, do not repeat.]"];
    let mut room = bytes.saturating_sub(out.len());
    let fitting = lines.iter().rev().take(LISTED).take_while(|line| {
        let fits = line.len() < room;
        room = room.saturating_sub(line.len() + 1);
        fits
    });
    let shown = fitting.count();
    skipped += lines.len() - shown;
    if skipped > 0 {
        out.push_str(&text!["\n- ", skipped, SKIPPED]);
    }
    for line in &lines[lines.len() - shown..] {
        out.push('\n');
        out.push_str(line);
    }
    let said = turn.iter().rev().find_map(|message| {
        message.parts.iter().rev().find_map(|part| match part {
            ContentPart::Text { text, .. }
                if message.role == crate::message::Role::Assistant && !text.trim().is_empty() =>
            {
                Some(text)
            }
            _ => None,
        })
    });
    if let Some(said) = said {
        let said = text::ends(&transcript::escape(said), line_bytes * 2).replace('\n', " ");
        out.push_str(&text!["\nThe assistant's last words on it: ", said]);
    }
    out
}

fn outcome(output: &str, failed: bool, bytes: usize) -> String {
    let word = if failed { "failed" } else { "ok" };
    // Longer outputs may be cut or cleared in a view that is given back; a note must read the same then.
    if output.len() > SHORT_OUTPUT || output.starts_with(markers::NOTICE) {
        return word.to_owned();
    }
    text![word, ": ", text::first_line(output, bytes)]
}
