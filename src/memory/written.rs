//! The calls that an assistant without tools writes into its words: in tags, as a block of code for a shell, or as a
//! command of the agent that it works in.

use crate::base::text;
use crate::ingest::content::Value;
use crate::memory::{script, work};

/// The calls that end what an assistant said.
pub(super) struct Written<'t> {
    /// What was said before them.
    pub said: &'t str,
    pub calls: Vec<Call<'t>>,
    /// The work is handed in.
    pub ends: bool,
}

/// A call.
pub(super) struct Call<'t> {
    pub name: &'t str,
    pub input: Value,
}

/// The most calls of one message, and parameters of one call, that are read.
const CALLS: usize = 32;
const PARAMETERS: usize = 32;

impl<'t> Written<'t> {
    /// The calls at the end of what was said.
    pub fn of(said: &'t str) -> Option<Self> {
        Self::tagged(said).or_else(|| Self::in_block(said))
    }

    /// The answer that a call gives which ends the work.
    pub fn answer(&self) -> Option<&str> {
        self.calls.iter().find_map(|call| work::answer(call.name, &call.input))
    }

    /// Calls in tags, nothing between and behind them.
    fn tagged(said: &'t str) -> Option<Self> {
        const AROUND: [&str; 2] = ["<tool_call>", "</tool_call>"];
        let start = if said.starts_with(OPEN) { 0 } else { text::find(said, LINE_OPEN)? + 1 };
        let before = text::between(said, 0, start).trim();
        let mut rest = text::between(said, start, said.len());
        let mut calls = Vec::new();
        loop {
            rest = rest.trim();
            while let Some(next) = AROUND.iter().find_map(|tag| rest.strip_prefix(tag)) {
                rest = next.trim_start();
            }
            if rest.is_empty() || calls.len() == CALLS {
                break;
            }
            let (call, behind) = Call::tagged(rest)?;
            calls.push(call);
            rest = behind;
        }
        let said = before.strip_suffix(AROUND[0]).unwrap_or(before).trim_end();
        let ends = calls.iter().any(|call| work::finishes(call.name));
        Some(Self { said, calls, ends })
    }

    /// The last block of code, if that is for a shell.
    fn in_block(said: &'t str) -> Option<Self> {
        const SHELLS: [&str; 6] = ["", "sh", "bash", "zsh", "shell", "console"];
        let end = said.trim_end().strip_suffix("```")?;
        let from = end.rfind("```")?;
        let block = text::between(end, from + 3, end.len());
        let (language, body) = block.split_once('\n').unwrap_or(("", block));
        let body = body.trim();
        if body.is_empty() || !SHELLS.iter().any(|shell| language.trim().eq_ignore_ascii_case(shell)) {
            return None;
        }
        let said = text::between(end, 0, from).trim();
        let call =
            Call::of_swe_agent(body).unwrap_or_else(|| Call { name: "bash", input: object([("command", body)]) });
        let ends = work::finishes(call.name) || hands_in(body);
        Some(Self { said, calls: vec![call], ends })
    }
}

/// How a call in tags begins, and how at the start of a line.
const OPEN: &str = "<function=";
const LINE_OPEN: &str = "\n<function=";

impl<'t> Call<'t> {
    /// `<function=NAME>`, then `<parameter=NAME>…</parameter>` for each, and what stands behind it. The last tags may be
    /// missing, because they stop the model.
    fn tagged(text: &'t str) -> Option<(Self, &'t str)> {
        const PARAMETER: &str = "<parameter=";
        let (name, mut rest) = text.strip_prefix(OPEN)?.split_once('>').filter(|(name, _)| is_word(name))?;
        let mut members = Vec::new();
        while let Some(parameter) = rest.trim_start().strip_prefix(PARAMETER).filter(|_| members.len() < PARAMETERS) {
            let (key, behind) = parameter.split_once('>').filter(|(key, _)| is_word(key))?;
            let (value, next) = behind.split_once("</parameter>").unwrap_or((behind, ""));
            members.push((key.to_owned(), Value::Text(value.trim_matches('\n').to_owned())));
            rest = next;
        }
        let rest = rest.trim_start();
        let behind = rest.strip_prefix("</function>").or(Some(rest).filter(|rest| rest.is_empty()))?;
        Some((Self { name, input: Value::Object(members) }, behind))
    }

    /// A command of SWE-agent's own shell, which no program runs.
    fn of_swe_agent(body: &'t str) -> Option<Self> {
        const COMMANDS: [&str; 9] =
            ["create", "find_file", "goto", "open", "scroll_down", "scroll_up", "search_dir", "search_file", "submit"];
        if let Some((lines, text)) = body.strip_prefix("edit ").and_then(|rest| rest.split_once('\n')) {
            let text = text.trim_end().strip_suffix("end_of_edit")?;
            let (first, last) = lines.trim().split_once(':')?;
            let are_numbers = text::whole(first).is_some() && text::whole(last).is_some();
            let input = || object([("line", lines), ("replacement_text", text)]);
            return are_numbers.then(|| Self { name: "edit", input: input() });
        }
        let (name, given) = body.split_once(' ').unwrap_or((body, ""));
        let is_alone = script::parts(body).nth(1).is_none() && script::piped(body).is_none() && !body.contains('\n');
        let is_own = COMMANDS.contains(&name) && is_alone;
        is_own.then(|| Self { name, input: Value::Text(given.trim().to_owned()) })
    }
}

/// Whether a command hands in the work of mini-swe-agent.
fn hands_in(command: &str) -> bool {
    text::find(command, HANDED_IN).is_some() && text::find(command, "echo ").is_some()
}

/// What mini-swe-agent looks for in what is printed.
const HANDED_IN: &str = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Texts by their names.
pub(super) fn object<const N: usize>(members: [(&str, &str); N]) -> Value {
    Value::Object(members.map(|(key, text)| (key.to_owned(), Value::Text(text.to_owned()))).to_vec())
}
