//! The call that an assistant without tools writes into its words: in tags, as a block of code for a shell, or as a
//! command of the agent that it works in.

use crate::base::text;
use crate::ingest::content::Value;
use crate::memory::{names, work};

/// A call that ends what an assistant said.
pub(super) struct Written<'t> {
    /// What was said before it.
    pub said: &'t str,
    pub name: &'t str,
    pub input: Value,
    /// It hands in the work.
    pub ends: bool,
}

/// The most parameters of a call that are read.
const PARAMETERS: usize = 32;

impl<'t> Written<'t> {
    /// The call at the end of what was said.
    pub fn of(said: &'t str) -> Option<Self> {
        Self::tagged(said).or_else(|| Self::in_block(said))
    }

    /// The answer that the call gives, if it ends the work with one.
    pub fn answer(&self) -> Option<&str> {
        if !work::finishes(self.name) || self.name == "submit" {
            return None;
        }
        let mut answer = "";
        names::leaves(&self.input, &mut |text| answer = if text.len() > answer.len() { text } else { answer });
        Some(answer).filter(|answer| !answer.is_empty())
    }

    /// `<function=NAME>`, then `<parameter=NAME>…</parameter>` for each. The end may be missing where it stops the model.
    fn tagged(said: &'t str) -> Option<Self> {
        const OPEN: &str = "<function=";
        const PARAMETER: &str = "<parameter=";
        let start = said.rfind(OPEN)?;
        let (name, body) = text::between(said, start + OPEN.len(), said.len()).split_once('>')?;
        let body = body.trim_end();
        let (mut rest, is_closed) = match body.strip_suffix("</function>") {
            Some(body) => (body, true),
            None => (body, false),
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_word) {
            return None;
        }
        let mut members = Vec::new();
        while let Some(parameter) = rest.trim_start().strip_prefix(PARAMETER).filter(|_| members.len() < PARAMETERS) {
            let (key, behind) = parameter.split_once('>')?;
            let (value, next) = behind.split_once("</parameter>").unwrap_or((behind, ""));
            members.push((key.to_owned(), Value::Text(value.trim_matches('\n').to_owned())));
            rest = next;
        }
        let is_call = rest.trim().is_empty() && (is_closed || !members.is_empty());
        let said = text::between(said, 0, start).trim();
        is_call.then(|| Self { said, name, input: Value::Object(members), ends: work::finishes(name) })
    }

    /// The last block of code, if that is for a shell.
    fn in_block(said: &'t str) -> Option<Self> {
        const SHELLS: [&str; 6] = ["", "sh", "bash", "zsh", "shell", "console"];
        /// How mini-swe-agent is told that the work is done.
        const HANDED_IN: &str = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";
        let end = said.trim_end().strip_suffix("```")?;
        let from = end.rfind("```")?;
        let block = text::between(end, from + 3, end.len());
        let (language, body) = block.split_once('\n').unwrap_or(("", block));
        let body = body.trim();
        if body.is_empty() || !SHELLS.iter().any(|shell| language.trim().eq_ignore_ascii_case(shell)) {
            return None;
        }
        let said = text::between(end, 0, from).trim();
        let (name, input) = own(body).unwrap_or_else(|| ("bash", object([("command", body)])));
        Some(Self { said, name, input, ends: work::finishes(name) || body.starts_with(HANDED_IN) })
    }
}

/// A command of SWE-agent's shell, which no program runs: its name, and what it is given.
fn own(body: &str) -> Option<(&str, Value)> {
    const COMMANDS: [&str; 9] =
        ["create", "find_file", "goto", "open", "scroll_down", "scroll_up", "search_dir", "search_file", "submit"];
    if let Some((lines, written)) = body.strip_prefix("edit ").and_then(|rest| rest.split_once('\n')) {
        let written = written.trim_end().strip_suffix("end_of_edit")?;
        let (first, last) = lines.trim().split_once(':')?;
        (text::whole(first).is_some() && text::whole(last).is_some()).then_some(())?;
        return Some(("edit", object([("line", lines), ("replacement_text", written)])));
    }
    let (name, given) = body.split_once(' ').unwrap_or((body, ""));
    let is_own = COMMANDS.contains(&name) && !body.contains(['\n', '|', ';', '&']);
    is_own.then(|| (name, Value::Text(given.trim().to_owned())))
}

/// Texts by their names.
pub(super) fn object<const N: usize>(members: [(&str, &str); N]) -> Value {
    Value::Object(members.map(|(key, text)| (key.to_owned(), Value::Text(text.to_owned()))).to_vec())
}
