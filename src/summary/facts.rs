//! Facts: what has to be repeated exactly or is worth nothing, and what the user requires. Found by code, in the text
//! itself; nobody is asked. They ride at the end of every summary, whoever wrote it, and are read from there again at
//! the next compaction: so they survive any number of them, and a view that is given back carries them along.
//!
//! Names and numbers come from anywhere. What is required comes only from text a person typed: what a tool printed or a
//! model said is never a rule.

use super::distinct::Distinct;
use super::{rules, scan, transcript};
use crate::content::{Content, ContentPart, Value};
use crate::markers::NOTICE;
use crate::message::Role;
use crate::prelude::*;
use crate::text;

/// Heads what the user requires, one sentence an entry, in their words.
pub const RULES: &str = "## Required by the user";
/// Heads names and numbers.
pub const FACTS: &str = "## Names and numbers";
/// How the lines of names and numbers begin, most important first: what a person typed, what a call used, what was named in
/// other texts, what a tool printed.
const LINES: [&str; 4] = ["- Typed: ", "- In use: ", "- Named: ", "- Seen: "];
/// Bytes of a text above which it was pasted: what is in it counts as named.
const PASTED: usize = 4_000;
/// Of their bytes, what is free for all others when names that a person typed are told, in percent: these stay until the end,
/// and become ever more.
const OTHERS_SHARE: usize = 50;
/// Of its bytes, what requirements may take while others need the rest, in percent.
pub const RULES_SHARE: usize = 50;
/// Bytes that a line should have before any are kept free for others.
const LINE: usize = 64;
/// Bytes that a requirement keeps at least; of more than so have room the newest are told.
const LEAST_RULE: usize = 32;
/// No fact is longer.
const LONGEST: usize = 200;

/// Bytes of numbers that tools printed, the newest, behind which no more are looked for: no summary holds as many facts.
const ENOUGH: usize = 40_000;

/// A name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact<'t> {
    /// As it stands in the text.
    pub text: &'t str,
    /// Where it was met last: an index into the messages, none if an earlier summary told it.
    pub source: Option<usize>,
    /// Who said it there.
    pub role: Role,
    /// The line it belongs to: 0 typed by a person, 1 used by a call, 2 named in another text, 3 printed by a tool.
    pub line: usize,
    /// In how many texts it was met.
    pub seen: u32,
}

/// The last of the ranks that are told.
const LAST_RANK: usize = 7;

impl Fact<'_> {
    /// What was typed; then names before numbers: what was used, then named, then printed more than once, then once. Short
    /// numbers that only a tool printed are mostly those of lines: they are not told.
    fn rank(&self) -> usize {
        match (self.line, scan::is_weak(self.text)) {
            (3, false) => 3 + usize::from(self.seen < 2),
            (3, true) if self.text.bytes().all(|byte| byte.is_ascii_digit()) => LAST_RANK + 1,
            (line, weak) => line + 4 * usize::from(weak && line > 0),
        }
    }
}

/// What is known of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Facts<'t> {
    /// What the user requires, oldest first, each with the index of its message (none: told by an earlier summary).
    pub rules: Vec<(&'t str, Option<usize>)>,
    /// Names and numbers, the newest first.
    pub found: Vec<Fact<'t>>,
    /// Bytes of those among them that come last: numbers that a tool printed.
    printed: usize,
}

/// Splits a summary in what somebody wrote and the facts at its end.
pub fn split(summary: &str) -> (&str, &str) {
    let at = [RULES, FACTS].iter().filter_map(|heading| heading_at(summary, heading)).min().unwrap_or(summary.len());
    (text::between(summary, 0, at).trim_end(), text::between(summary, at, summary.len()))
}

/// A summary with the facts of what it covers at its end: those of `earlier`, the facts of the summary before it, and those
/// of the messages. For `bytes` and `rules`, and what it answers, see [`Facts::write`].
pub fn append(summary: &mut String, earlier: &str, messages: &[(Content, bool)], bytes: usize, rules: usize) -> bool {
    // Only what we write ourselves may stand under these headings.
    for heading in [RULES, FACTS] {
        while let Some(at) = heading_at(summary, heading) {
            summary.insert(at, '#');
        }
    }
    let facts = Facts::of(earlier, messages);
    facts.write(summary, bytes, rules)
}

/// The names in a text, each once, in their order; the rest is not looked through once they take `most` bytes.
pub fn names(text: &str, most: usize) -> Vec<&str> {
    let mut names = Distinct::default();
    let mut bytes = 0;
    for line in text.split('\n') {
        if bytes >= most {
            break;
        }
        scan::each(line, &mut |name| {
            // A notice may stand inside JSON.
            if !scan::is_weak(name) && !name.contains('\\') && names.number(name).1 {
                bytes += name.len();
            }
        });
    }
    names.all
}

/// Of these names those that are not among the names of `told`, within about `bytes`.
pub fn missing(names: &[&str], told: &str, bytes: usize) -> String {
    let mut out = String::new();
    let mut known = Distinct::default();
    scan::each(told, &mut |name| {
        known.number(name);
    });
    for name in names {
        if out.len() + name.len() < bytes && known.number(name).1 {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(name);
        }
    }
    out
}

/// Where a line that is this heading begins.
fn heading_at(summary: &str, heading: &str) -> Option<usize> {
    if summary.starts_with(heading) {
        return Some(0);
    }
    text::find(summary, &text!["\n", heading]).map(|at| at + 1)
}

impl<'t> Facts<'t> {
    /// The facts of messages, merged with those that an earlier summary told.
    pub fn of(earlier: &'t str, messages: &'t [(Content, bool)]) -> Self {
        let mut facts = Self::default();
        let mut words = rules::Words::default();
        let mut known = Distinct::default();
        // The newest first: what comes first is the newest mention.
        for (source, (message, typed)) in messages.iter().enumerate().rev() {
            let named = if message.role == Role::Tool { 3 } else { 2 };
            for part in message.parts.iter().rev() {
                let mut add = |whole: &'t str, line| {
                    scan::each(whole, &mut |text| {
                        // How much a notice of ours stands for is no fact.
                        let at = text.as_ptr() as usize - whole.as_ptr() as usize;
                        if !text::between(whole, 0, at).ends_with(NOTICE) {
                            let fact = Fact { text, source: Some(source), role: message.role, line, seen: 1 };
                            facts.add(&mut known, fact);
                        }
                    })
                };
                match part {
                    ContentPart::Text { text, .. } => add(text, if *typed && text.len() < PASTED { 0 } else { named }),
                    ContentPart::Call { input, .. } => leaves(input, &mut |text| add(text, 1)),
                    ContentPart::Result { output, .. } => leaves(output, &mut |text| add(text, 3)),
                    ContentPart::Media { reference, .. } => add(reference, named),
                    ContentPart::Reasoning | ContentPart::Opaque => {}
                }
                if let (ContentPart::Text { text, .. }, true) = (part, *typed) {
                    words.rules(text, &mut |rule| facts.rules.push((rule, Some(source))));
                }
            }
        }
        // Met from the newest on; told from the oldest on.
        facts.rules.reverse();
        let met = core::mem::take(&mut facts.rules);
        let mut inside = false;
        for line in earlier.lines() {
            if line.starts_with("## ") {
                inside = line == RULES;
            } else if let Some(rule) = line.strip_prefix("- ").filter(|_| inside) {
                facts.rules.push((rule, None));
            } else if let Some((at, list)) =
                LINES.iter().enumerate().find_map(|(at, start)| Some((at, line.strip_prefix(start)?)))
            {
                // No name holds a comma before a space.
                for text in list.split(' ') {
                    let text = text.strip_suffix(',').unwrap_or(text);
                    facts.add(&mut known, Fact { text, source: None, role: Role::Assistant, line: at, seen: 1 });
                }
            }
        }
        facts.rules.extend(met);
        facts
    }

    fn add(&mut self, known: &mut Distinct<'t>, fact: Fact<'t>) {
        let printed = fact.line + 1 == LINES.len();
        if fact.text.len() > LONGEST
            || fact.text.is_empty()
            || printed && self.printed > ENOUGH && scan::is_weak(fact.text)
        {
            return;
        }
        let (number, new) = known.number(fact.text);
        if new {
            if printed && scan::is_weak(fact.text) {
                self.printed += fact.text.len();
            }
            self.found.push(fact);
            return;
        }
        let before = &mut self.found[number];
        before.line = before.line.min(fact.line);
        before.seen += u32::from(before.source != fact.source);
    }

    /// About how many bytes all of them take: requirements, and the rest.
    pub fn bytes(&self) -> (usize, usize) {
        let rules = self.rules.iter().map(|(rule, _)| rule.len() + 3);
        let found = self.found.iter().filter(|fact| fact.rank() <= LAST_RANK).map(|fact| fact.text.len() + 2);
        let found = found.sum::<usize>();
        (rules.sum::<usize>() + RULES.len() + 2, found + if found > 0 { FACTS.len() + 58 } else { 0 })
    }

    /// Appends them within about `bytes`, the most important first; requirements within `rules` of these, or within what the
    /// others leave. Whether some requirement is not told whole.
    pub fn write(&self, out: &mut String, bytes: usize, rules: usize) -> bool {
        let start = out.len();
        let most = rules.max(bytes.saturating_sub(self.bytes().1)).saturating_sub(RULES.len() + 2);
        let mut rules: Vec<&str> = Vec::new();
        for (rule, _) in &self.rules {
            if !rules.contains(rule) {
                rules.push(rule);
            }
        }
        let gone = rules.len().saturating_sub(most / LEAST_RULE);
        let rules = rules.get(gone..).unwrap_or_default();
        let lengths: Vec<usize> = rules.iter().map(|rule| rule.len() + 3).collect();
        let cap = text::level(&lengths, most);
        if !rules.is_empty() {
            out.push_str("\n\n");
            out.push_str(RULES);
        }
        for rule in rules {
            out.push_str("\n- ");
            out.push_str(&text::start(&transcript::escape(rule), cap.saturating_sub(6)));
        }
        let mut room = bytes.saturating_sub(out.len() - start + FACTS.len() + 2);
        let ranks: Vec<usize> = self.found.iter().map(Fact::rank).collect();
        // What stays free while those that were typed are told.
        let others = self.found.iter().zip(&ranks).filter(|(_, rank)| **rank > 0);
        let mut free = others
            .map(|(fact, _)| fact.text.len() + 2)
            .sum::<usize>()
            .min(room.saturating_sub(LINE) * OTHERS_SHARE / 100);
        let mut lists = LINES.map(str::to_owned);
        for rank in 0..=LAST_RANK {
            for (fact, _) in self.found.iter().zip(&ranks).filter(|(_, at)| **at == rank) {
                let list = &mut lists[fact.line];
                let first = list.len() == LINES[fact.line].len();
                let cost = fact.text.len() + if first { list.len() + 1 } else { 2 };
                if cost + free > room {
                    continue;
                }
                room -= cost;
                if !first {
                    list.push_str(", ");
                }
                list.push_str(fact.text);
            }
            free = 0;
        }
        let mut headed = false;
        for (list, start) in lists.iter().zip(LINES) {
            if list.len() > start.len() {
                if !headed {
                    out.push_str("\n\n");
                    out.push_str(FACTS);
                    headed = true;
                }
                out.push('\n');
                out.push_str(list);
            }
        }
        gone > 0 || cap < usize::MAX
    }
}

/// All texts and numbers inside a value.
fn leaves<'v>(value: &'v Value, each: &mut dyn FnMut(&'v str)) {
    match value {
        Value::Text(text) | Value::Number(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, each)),
        Value::Object(members) => members.iter().for_each(|(_, item)| leaves(item, each)),
        Value::Null | Value::Bool(_) | Value::Binary(_) => {}
    }
}
