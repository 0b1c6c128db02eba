//! What a shell command does: the program that it runs, and the file that it writes without an editor.

use crate::base::text::{self, Starts};
use crate::memory::script::{self, Joint, parts, sets, word, words};

/// The files that a command writes.
pub(super) struct Written<'c> {
    /// By what: `cat >`, `appended to`, `sed -i`.
    pub how: &'static str,
    /// One of them, unless it is `sed -i`.
    pub files: Vec<&'c str>,
    /// What is put there, or what is changed in it.
    pub text: &'c str,
    /// What the command does afterwards.
    pub rest: String,
}

/// Returns the files that a command writes: by a here-document, or with `sed -i`. `start`: where it is [`prepared`].
pub(super) fn written(command: &str, start: usize) -> Option<Written<'_>> {
    let command = text::between(command, start, command.len()).trim();
    by_heredoc(command).or_else(|| by_sed(command))
}

/// Returns the file that is written by `cat > FILE <<EOF` or `tee FILE <<EOF`.
fn by_heredoc(command: &str) -> Option<Written<'_>> {
    let (line, body) = command.split_once('\n')?;
    let delimiter = script::heredoc_delimiter(line).filter(|_| line.starts_with("cat ") || line.starts_with("tee "))?;
    let mut simple = parts(line);
    let own = simple.next()?.text;
    // What only runs if the text could not be written does not tell what was done.
    let next = simple.next().filter(|next| next.joint != Joint::Or);
    let behind = next.map_or("", |next| text::between(line, next.at, line.len()).trim_end());
    if script::piped(own).is_some_and(|next| !["tee", "sudo tee"].iter().any(|tee| next.trim().starts_with(tee))) {
        return None;
    }
    let mut words = own.split_whitespace();
    let target = words.find(|word| word.starts_with('>') || *word == "tee")?;
    let file = match target.trim_start_matches('>') {
        "" | "tee" => words.find(|word| !word.starts_with('-'))?,
        file => file,
    };
    let how = if appends(own) { "appended to" } else { "cat >" };
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == delimiter {
            let rest = format!("{behind}\n{}", text::between(body, end + line.len(), body.len()));
            let text = text::between(body, 0, end);
            return Some(Written { how, files: vec![file], text, rest: rest.trim().to_owned() });
        }
        end += line.len();
    }
    None
}

/// Whether a text is put behind what stands in a file already.
fn appends(line: &str) -> bool {
    line.split_whitespace().any(|word| word.starts_with(">>") || matches!(word, "-a" | "--append"))
}

/// Returns the files that are changed by `sed -i … FILE`, if that is all that the command does.
fn by_sed(command: &str) -> Option<Written<'_>> {
    let says = command.strip_prefix("sed -i ")?;
    if parts(command).nth(1).is_some() || script::piped(command).is_some() {
        return None;
    }
    let mut all = words(says).take_while(|word| !script::is_redirect(word));
    let (mut text, mut files) = ("", Vec::new());
    let mut scripts = 0;
    while let Some(word) = all.next() {
        if matches!(word, "-e" | "--expression") {
            let script = all.next()?;
            text = if scripts == 0 { script } else { text };
            scripts += 1;
        } else if word.starts_with('-') || matches!(word, "''" | "\"\"") {
            continue;
        } else if scripts == 0 {
            (text, scripts) = (word, 1);
        } else {
            files.push(word);
        }
    }
    let is_file = |file: &&str| !file.contains(['\'', '"', '*', '|', ';', '$', '`']) && file.contains(['.', '/']);
    (!files.is_empty() && files.iter().all(is_file)).then(|| Written {
        how: "sed -i",
        files,
        text,
        rest: String::new(),
    })
}

/// Returns the first line of the message with which `git commit` is called: behind `-m`, in quotation marks or by
/// `cat <<EOF`.
pub(super) fn message(arguments: &str) -> Option<String> {
    const FLAGS: [&str; 4] = [" -m ", " -am ", " --message=", " --message "];
    let from = FLAGS.iter().find_map(|flag| text::find(arguments, flag).map(|at| at + flag.len()))?;
    let message = text::between(arguments, from, arguments.len());
    let mut line = message.lines().next()?;
    if text::find(line, "<<").is_some() && text::find(line, "$(").is_some() {
        line = message.lines().nth(1)?;
    }
    let quote = ['"', '\''].into_iter().find(|quote| line.starts_with(*quote));
    if let Some(quote) = quote {
        let quoted = text::between(message, 0, word(message)).trim_matches(quote);
        line = quoted.lines().next()?;
    }
    Some(line.trim().replace("\\\"", "\"")).filter(|line| !line.is_empty())
}

/// How a command begins that only prepares another one.
const PREPARE: [&str; 8] = ["cd ", "git add ", "mkdir ", "source ", ". ", "export ", "set ", "sleep "];
/// The same, and how one begins that only decides whether others run.
static LEADING: Starts<12> = Starts::new([
    "cd ", "git add ", "mkdir ", "source ", ". ", "export ", "set ", "sleep ", "for ", "[ ", "[[ ", "test ",
]);
/// What stands before those.
const INSIDE: [&str; 9] = ["do ", "then ", "else ", "{ ", "( ", "if ", "while ", "until ", "! "];

/// Whether a program, with its subcommand, only prepares what another one does.
pub(super) fn only_prepares(program: &str) -> bool {
    PREPARE.iter().any(|start| program.starts_with(start) || program == start.trim_end())
}

/// Whether a simple command does nothing that one would look for if another one follows it.
pub(super) fn leads(part: &str) -> bool {
    const WORDS: [&str; 10] = ["do", "then", "else", "done", "fi", "}", "pwd", "true", "break", "continue"];
    const SAYS: [&str; 3] = ["echo ", "printf ", "exit "];
    WORDS.contains(&part)
        || LEADING.begin(part)
        || SAYS.iter().any(|start| part.starts_with(start)) && !part.contains('>')
        || words(part).find(|word| !sets(word)).is_none_or(|word| word == "read")
}

/// A simple command without the word that says when it runs.
pub(super) fn inside(mut part: &str) -> &str {
    while let Some(rest) = INSIDE.iter().find_map(|start| part.strip_prefix(start)) {
        part = rest.trim_start();
    }
    part
}

/// Where what a command does begins, behind what only prepares it. If nothing else stands in it, that is the first command
/// whose output a variable has.
pub(super) fn prepared(command: &str) -> usize {
    const TAKES: &str = "=$(";
    let (mut start, mut taken) = (0, None);
    for simple in parts(command) {
        let part = inside(simple.text);
        let at = simple.at + simple.text.len() - part.len();
        if !leads(part) {
            return at;
        }
        if !matches!(part, "done" | "fi" | "true" | "break") {
            start = at;
        }
        let is_set = sets(text::between(part, 0, word(part)));
        let takes = text::find(part, TAKES).filter(|_| is_set);
        taken = taken.or(takes.map(|found| at + found + TAKES.len()));
    }
    taken.unwrap_or(start)
}

/// Where in a command the program stands, behind what only says how it runs: a variable, a limit of time.
pub(super) fn unwrapped(command: &str, mut from: usize) -> usize {
    const WRAPPERS: [&str; 6] = ["timeout", "sudo", "time", "env", "npx", "nice"];
    let mut wrapped = false;
    loop {
        let rest = text::between(command, from, command.len());
        let end = word(rest);
        let word = text::between(rest, 0, end);
        let is_of_wrapper = wrapped && (word.starts_with('-') || is_number(word));
        if end == rest.len() || !sets(word) && !is_of_wrapper && !WRAPPERS.contains(&word) {
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

/// Programs whose flags may stand before the subcommand, and the flags of them that have a value behind them.
const WITH_FLAGS: [&str; 8] = ["git", "gh", "npm", "pnpm", "yarn", "cargo", "docker", "kubectl"];
const VALUED: [&str; 8] = ["-C", "-c", "-R", "--repo", "--prefix", "--filter", "--context", "--namespace"];

/// Bytes of a text up to what is no flag.
fn flags(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = text::between(text, at, text.len());
        let start = at + rest.len() - rest.trim_start_matches(' ').len();
        let rest = text::between(text, start, text.len());
        let flag = text::between(rest, 0, word(rest));
        if !flag.starts_with('-') {
            return at;
        }
        at = start + flag.len();
        if VALUED.contains(&flag) {
            let value = text::between(text, at, text.len());
            let space = value.len() - value.trim_start_matches(' ').len();
            at += space + word(text::between(value, space, value.len()));
        }
    }
}

/// The program that a command runs, with its subcommand, and where in the command that ends. `start`: where it is
/// [`prepared`].
pub(super) fn program(command: &str, start: usize) -> (String, usize) {
    /// What leads to a program instead of being a subcommand.
    const LEADS: [&str; 3] = [" run", " -m", " exec"];
    let start = unwrapped(command, start);
    let first = start + word(text::between(command, start, command.len()));
    let name = text::between(command, start, first);
    let mut out = String::new();
    let mut from = start;
    let rest = text::between(command, first, command.len());
    let skipped = if WITH_FLAGS.contains(&name) { flags(rest) } else { 0 };
    if skipped > 0 {
        out.push_str(name);
        from = first + skipped;
    }
    let bytes = command.as_bytes();
    let named = usize::from(skipped > 0);
    let (mut end, mut words) = (from, named);
    for at in from + named..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or(b'\n');
        if matches!(byte, b' ' | b'\n' | b')' | b';') {
            let is_group = name == "gh"
                && words == 1
                && end == from.max(first)
                && bytes.get(at + 1).is_none_or(|next| *next != b'-');
            let leads = is_group || LEADS.contains(&text::between(command, end, at));
            (end, words) = (at, words + usize::from(!leads));
        }
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b':');
        if words > 1 || !plain {
            break;
        }
    }
    out.push_str(text::between(command, from, end));
    (out, end)
}
