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

/// The first line of the message with which `git commit` is called: behind `-m`, in quotation marks or by `cat <<EOF`.
pub(super) fn message(arguments: &str) -> Option<&str> {
    const FLAGS: [&str; 4] = [" -m ", " -am ", " --message=", " --message "];
    let from = FLAGS.iter().find_map(|flag| text::find(arguments, flag).map(|at| at + flag.len()))?;
    let mut message = text::between(arguments, from, arguments.len());
    let mut line = message.lines().next()?;
    if text::find(line, "<<").is_some() {
        message = text::between(message, line.len() + 1, message.len());
        line = message.lines().next()?;
    }
    for quote in ["\"", "'"] {
        if let Some(rest) = line.strip_prefix(quote) {
            line = text::between(rest, 0, text::find(rest, quote).unwrap_or(rest.len()));
        }
    }
    Some(line.trim()).filter(|line| !line.is_empty())
}

/// How a command begins that only prepares another one.
const PREPARE: [&str; 6] = ["cd ", "pwd && ", "git add ", "mkdir ", "source ", "export "];

/// Whether a program, with its subcommand, only prepares what another one does.
pub(super) fn only_prepares(program: &str) -> bool {
    PREPARE.iter().any(|start| program.starts_with(start) || program == start.trim_end())
}

/// Where what a command does begins, behind what only prepares it.
fn prepared(command: &str) -> usize {
    let mut from = 0;
    let prepares = |rest: &str| PREPARE.iter().any(|start| rest.starts_with(start));
    while prepares(text::between(command, from, command.len()).trim_start()) {
        let rest = text::between(command, from, command.len()).trim_start();
        let start = command.len() - rest.len();
        let end = text::find(rest, "\n").unwrap_or(rest.len());
        match text::find(text::between(rest, 0, end), "&& ") {
            Some(at) => from = start + at + 3,
            None if end < rest.len() => from = start + end + 1,
            None => break,
        }
    }
    from
}

/// Where in a command the program stands, behind what only says how it runs: a variable, a limit of time.
fn unwrapped(command: &str, mut from: usize) -> usize {
    const WRAPPERS: [&str; 6] = ["timeout", "sudo", "time", "env", "npx", "nice"];
    let mut wrapped = false;
    loop {
        let rest = text::between(command, from, command.len());
        let Some(end) = text::find(rest, " ") else { return from };
        let word = text::between(rest, 0, end);
        let sets = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let is_of_wrapper = wrapped && (word.starts_with('-') || is_number(word));
        if !sets && !is_of_wrapper && !WRAPPERS.contains(&word) {
            return from;
        }
        wrapped = true;
        from += end + 1;
    }
}

/// A command without what only says how much of its output is shown.
pub(super) fn unpaged(mut command: &str) -> &str {
    const JOINED: [&str; 2] = ["2>&1", "2>/dev/null"];
    let pages = |last: &str| {
        let mut words = last.trim_start().split(' ');
        matches!(words.next(), Some("head" | "tail")) && words.all(|word| word == "-n" || is_number(word))
    };
    loop {
        command = command.trim_end();
        if let Some(before) = JOINED.iter().find_map(|joined| command.strip_suffix(joined)) {
            command = before;
        } else if let Some((before, _)) =
            command.rsplit_once('|').filter(|(before, last)| !before.ends_with('|') && pages(last))
        {
            command = before;
        } else {
            return command;
        }
    }
}

/// Whether a word is a number, as a flag or a time may be written.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', 'n']).trim_end_matches(['s', 'm', 'h']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where in a command the program that it runs stands, with its subcommand.
pub(super) fn program(command: &str) -> (usize, usize) {
    /// What leads to a program instead of being a subcommand.
    const LEADS: [&str; 3] = [" run", " -m", " exec"];
    let from = unwrapped(command, prepared(command));
    let bytes = command.as_bytes();
    let (mut end, mut words) = (from, 0);
    for at in from..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'\n');
        if byte == b' ' || byte == b'\n' {
            let leads = LEADS.contains(&text::between(command, end, at));
            (end, words) = (at, words + usize::from(!leads));
        }
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b':');
        if words > 1 || !plain {
            break;
        }
    }
    (from, end)
}
