//! What the documentation promises to name, it names: every code has its heading, every heading its code, and the tests
//! it speaks of exist.

use precis::base::error::{Code, Warning};
use precis::contract::{ERRORS_OF_TYPESCRIPT, WARNINGS_OF_TYPESCRIPT};
use std::collections::BTreeSet;

fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The codes that `docs/errors.md` has under this heading, each a heading of its own.
fn documented(heading: &str) -> BTreeSet<String> {
    let text = file("docs/errors.md");
    let lines = text
        .lines()
        .skip_while(|line| *line != format!("## {heading}"))
        .skip(1)
        .take_while(|line| !line.starts_with("## "));
    let codes: Vec<String> =
        lines.filter_map(|line| Some(line.strip_prefix("### `")?.strip_suffix('`')?.to_owned())).collect();
    let unique: BTreeSet<String> = codes.iter().cloned().collect();
    assert_eq!(unique.len(), codes.len(), "a code has two headings: {codes:?}");
    unique
}

fn errors() -> BTreeSet<String> {
    Code::ALL.iter().map(|code| code.as_str()).chain(ERRORS_OF_TYPESCRIPT).map(str::to_owned).collect()
}

fn warnings() -> BTreeSet<String> {
    Warning::ALL.iter().map(|code| code.as_str()).chain(WARNINGS_OF_TYPESCRIPT).map(str::to_owned).collect()
}

#[test]
fn every_error_has_its_heading_and_every_heading_its_error() {
    assert_eq!(documented("Errors"), errors());
}

#[test]
fn every_warning_has_its_heading_and_every_heading_its_warning() {
    assert_eq!(documented("Warnings"), warnings());
}

/// The numbers in comments above tests that end with `origin`: `/// D09 and D15 of docs/guarantees.md.` has two.
fn numbers(origin: &str) -> BTreeSet<String> {
    let folder = format!("{}/tests/rust", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let files = files.map(|path| std::fs::read_to_string(path).unwrap());
    let comments = |text: String| -> Vec<String> {
        let lines = text.lines().zip(text.lines().skip(1));
        let above = lines.filter(|(_, next)| next.starts_with("#[test]") || next.starts_with("///"));
        let numbers = above.filter_map(|(line, _)| line.strip_prefix("/// ")?.strip_suffix(origin)).map(str::to_owned);
        numbers.collect()
    };
    files.flat_map(comments).flat_map(|line| line.split(" and ").filter_map(as_number).collect::<Vec<_>>()).collect()
}

/// A capital letter and digits.
fn as_number(word: &str) -> Option<String> {
    let digits = word.strip_prefix(|letter: char| letter.is_ascii_uppercase())?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.to_owned())
}

#[test]
fn each_failure_and_flaw_of_other_engines_that_is_listed_has_its_test() {
    let text = file("docs/guarantees.md");
    let listed: BTreeSet<String> = text.split(|char: char| !char.is_alphanumeric()).filter_map(as_number).collect();
    let failures = numbers(" of docs/guarantees.md.");
    assert!(failures.len() > 55, "{failures:?}");
    let of_two_digits: BTreeSet<String> = listed.iter().filter(|number| number.len() == 3).cloned().collect();
    assert_eq!(of_two_digits, failures);
    let preset = file("src/engine/presets/contextguard/mod.rs");
    let listed: BTreeSet<String> = preset.split(|char: char| !char.is_alphanumeric()).filter_map(as_number).collect();
    let flaws = numbers(" of the original preset.");
    assert!(flaws.len() > 15 && flaws.is_subset(&listed), "{:?}", flaws.difference(&listed));
}

#[test]
fn codes_of_typescript_are_raised_there_and_not_by_the_engine() {
    let engine: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let sources: String = [
        "compactor",
        "boundary/engine",
        "call-host",
        "load/failure",
        "messages",
        "rough",
        "loading",
        "shapes",
        "boundary/value",
        "boundary/deep-json",
        "ai-sdk/given",
        "ai-sdk/session",
        "seal",
    ]
    .iter()
    .map(|name| file(&format!("js/src/{name}.ts")))
    .collect();
    for code in ERRORS_OF_TYPESCRIPT {
        assert!(!engine.contains(&code), "{code} is raised by the engine as well");
        assert!(sources.contains(&format!("\"{code}\"")), "{code} is raised nowhere");
    }
    let adapter = file("js/src/ai-sdk/store.ts");
    for code in WARNINGS_OF_TYPESCRIPT {
        assert!(Warning::ALL.iter().all(|warning| warning.as_str() != code), "{code} is told by the engine as well");
        assert!(adapter.contains(&format!("\"{code}\"")), "{code} is told nowhere");
    }
}

/// Agents by name: how each of them writes belongs to the readers of recorded transcripts, `js/src/cli/transcripts`.
const AGENTS: [&str; 6] = ["aider", "swe-agent", "openhands", "mini-swe-agent", "claude code", "cline"];

#[test]
fn nothing_in_the_engine_names_an_agent() {
    fn visit(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
            let is_word = |at: usize, name: &str| {
                let letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
                !letter(text[..at].chars().next_back()) && !letter(text[at + name.len()..].chars().next())
            };
            for name in AGENTS {
                if text.match_indices(name).any(|(at, _)| is_word(at, name)) {
                    found.push(format!("{name} in {}", path.display()));
                }
            }
        }
    }
    let mut found = Vec::new();
    visit(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert_eq!(found, Vec::<String>::new());
}
