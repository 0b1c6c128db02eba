//! What a shell command does: the program that it runs, and the file that it writes without an editor.

use crate::base::text;

/// A file that a command writes.
pub(super) struct Written<'c> {
    /// By what: `cat >`, `sed -i`.
    pub how: &'static str,
    pub file: &'c str,
    /// What is put there, or what is changed in it.
    pub text: &'c str,
    /// What the command does afterwards.
    pub rest: &'c str,
}

/// The file that a command writes: by a text in the command itself, or with `sed -i`.
pub(super) fn written(command: &str) -> Option<Written<'_>> {
    let command = text::between(command, prepared(command), command.len()).trim();
    by_text(command).or_else(|| by_sed(command))
}

/// A file that is written by `cat > FILE <<EOF` or `tee FILE <<EOF`.
fn by_text(command: &str) -> Option<Written<'_>> {
    let (line, body) = command.split_once('\n')?;
    let (_, mark) = line.split_once("<<").filter(|_| line.starts_with("cat ") || line.starts_with("tee "))?;
    let mark = mark.trim_start_matches('-').split_whitespace().next()?.trim_matches(['\'', '"']);
    let mut words = line.split_whitespace();
    let target = words.find(|word| word.starts_with('>') || *word == "tee")?;
    let file = match target.trim_start_matches('>') {
        "" | "tee" => words.find(|word| !word.starts_with('-'))?,
        file => file,
    };
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == mark {
            let (text, rest) = (text::between(body, 0, end), text::between(body, end + line.len(), body.len()));
            return Some(Written { how: "cat >", file, text, rest: rest.trim() });
        }
        end += line.len();
    }
    None
}

/// A file that is changed by `sed -i … FILE`, if that is all that the command does.
fn by_sed(command: &str) -> Option<Written<'_>> {
    let says = command.strip_prefix("sed -i ").filter(|says| !says.contains('\n'))?;
    let (text, file) = says.rsplit_once(' ')?;
    let is_file = !file.contains(['\'', '"', '*', '|', ';']) && file.contains(['.', '/']);
    let is_all = text::find(text, " && ").is_none() && text::find(text, " | ").is_none();
    (is_file && is_all).then_some(Written { how: "sed -i", file, text, rest: "" })
}

/// Where what a command does begins, behind what only prepares it.
fn prepared(command: &str) -> usize {
    const PREPARE: [&str; 4] = ["cd ", "pwd && ", "git add ", "mkdir "];
    let mut from = 0;
    let prepares = |rest: &str| PREPARE.iter().any(|start| rest.starts_with(start));
    while prepares(text::between(command, from, command.len()).trim_start()) {
        let rest = text::between(command, from, command.len());
        let next = text::find(rest, "&& ").map(|at| at + 3).or_else(|| text::find(rest, "\n").map(|at| at + 1));
        let Some(next) = next else { break };
        from += next;
    }
    from
}

/// Where in a command the program that it runs stands, with its subcommand.
pub(super) fn program(command: &str) -> (usize, usize) {
    let from = prepared(command);
    let bytes = command.as_bytes();
    let (mut end, mut words) = (from, 0);
    for at in from..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'\n');
        if byte == b' ' || byte == b'\n' {
            let run = text::between(command, end, at) == " run";
            (end, words) = (at, words + usize::from(!run));
        }
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b':');
        if words > 1 || !plain {
            break;
        }
    }
    (from, end)
}
