//! `js/src/contract.ts` is written from the engine: the names that a host may pass, and those that it is given.
//! `PRECIS_RECORD=1 cargo test --test rust contract` writes it; without the variable the test says if it is stale.

use precis::base::error::{Code, Warning};
use precis::base::json::SHOWN;
use precis::contract::{
    CALL, COMPACT, CallMember, ERRORS_OF_TYPESCRIPT, FOUND, Kind, MISREAD, OPTIONS, OfFunction, WARNINGS_OF_TYPESCRIPT,
};
use precis::ladder::RungId;
use precis::limits::strategy::Strategy;
use precis::limits::{estimator, options, prices, shares, summary_options, thinking, tool_policy, wishes};
use precis::report::change::Action;
use precis::report::{Outcome, SOURCES};
use precis::session::breakdown::PARTS;
use precis::summary::verify::COMPLETE;
use std::fmt::Write;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/js/src/contract.ts");

/// The longest line of a TypeScript file.
const WIDTH: usize = 120;

const HEAD: &str = "/**
 * The names that the engine and TypeScript share. Written from the engine, never by hand:
 * `PRECIS_RECORD=1 cargo test --test rust contract`. Internal.
 */
";

#[test]
fn the_contract_of_typescript_is_the_one_of_the_engine() {
    let written = contract();
    if std::env::var_os("PRECIS_RECORD").is_some() {
        std::fs::write(PATH, &written).unwrap();
    }
    let found = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(found == written, "js/src/contract.ts is stale: PRECIS_RECORD=1 cargo test --test rust contract");
}

#[test]
fn no_name_stands_twice_in_one_table() {
    let crossing: Vec<&str> = precis::contract::crossing().map(|(name, _)| name).collect();
    let options: Vec<&str> = OPTIONS.iter().map(|member| member.name).collect();
    let call: Vec<&str> = CALL.iter().chain(&COMPACT).map(|member| member.name).collect();
    for names in [crossing, options, call] {
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
    }
}

fn contract() -> String {
    let mut out = String::from(HEAD);
    let codes = |own: &[&str], more: &[&str]| {
        let mut all: Vec<String> = own.iter().chain(more).map(|&code| code.to_owned()).collect();
        all.sort();
        all
    };
    union(
        &mut out,
        "A reason to refuse a call. Each has a heading in the documentation of errors.",
        "ErrorCode",
        &codes(Code::NAMES, &ERRORS_OF_TYPESCRIPT),
    );
    union(
        &mut out,
        "Something to know about a call that succeeded. Each has a heading in the documentation of errors.",
        "WarningCode",
        &codes(Warning::NAMES, &WARNINGS_OF_TYPESCRIPT),
    );
    union(&mut out, "A rung of the ladder, the lowest first.", "Rung", RungId::NAMES);
    union(&mut out, "What came of a call.", "Outcome", Outcome::NAMES);
    union(&mut out, "What a rung does to messages.", "Action", Action::NAMES);
    union(&mut out, "How the rule of thinking is known.", "ThinkingSource", thinking::Source::NAMES);
    union(&mut out, "What the engine's measure of a request is based on.", "Source", &SOURCES);
    list(&mut out, "What a compaction keeps, by name.", "STRATEGIES", Strategy::NAMES);
    out.push_str("\n/** The same as a union. */\nexport type Strategy = (typeof STRATEGIES)[number];\n");

    let kinds = |members: &[CallMember]| members.iter().map(|member| (member.name, member.kind)).collect::<Vec<_>>();
    let all = OPTIONS.map(|member| (member.name, member.kind));
    record(&mut out, "The options of `createCompactor`, and how each is checked.", "OPTIONS", &all);
    let functions = |what: OfFunction| OPTIONS.iter().filter(move |member| member.function == what);
    let mut marked: Vec<&str> = functions(OfFunction::True).map(|member| member.name).collect();
    marked.push("tune.tokens.estimator");
    list(&mut out, "Options at which `true` stands for a function.", "FUNCTIONS", &marked);
    let asked: Vec<&str> = functions(OfFunction::Nothing).map(|member| member.name).collect();
    list(&mut out, "Options whose functions the engine never sees.", "ASKED", &asked);
    record(&mut out, "The members of a call, and how each is checked.", "CALL", &kinds(&CALL));
    record(&mut out, "What `compact` takes as well.", "COMPACT", &kinds(&COMPACT));
    let overrides: Vec<&str> = CALL
        .iter()
        .map(|member| member.name)
        .filter(|&name| of_compaction(name) && OPTIONS.iter().any(|member| member.name == name))
        .collect();
    list(&mut out, "Options about compactions that a call may override.", "OVERRIDES", &overrides);
    let passed: Vec<&str> = CALL.iter().filter(|member| member.crosses.is_some()).map(|member| member.name).collect();
    list(&mut out, "The members of a call that the engine is given.", "PASSED", &passed);
    list(&mut out, "What the engine is given beside them.", "FOUND", &FOUND.map(|(name, _)| name));
    list(&mut out, "What the tokens of a request consist of.", "PARTS", &PARTS);
    list(&mut out, "Finish reasons of a complete answer, in lower case.", "COMPLETE", &COMPLETE);
    writeln!(out, "\n/** A history is refused if more than one in so many of its messages cannot be read. */\nexport const MISREAD = {MISREAD};")
        .unwrap();
    writeln!(out, "\n/** Characters of a wrong value that a message repeats. */\nexport const SHOWN = {SHOWN};")
        .unwrap();

    interface(&mut out, "The members of what stands within an option, by its path.", "Groups", &groups());
    interface(&mut out, "The words that an option may be, by its path.", "Words", &words());
    out
}

/// An override is about compactions, where other members of both are about the request.
fn of_compaction(name: &str) -> bool {
    OPTIONS.iter().any(|member| member.name == name && member.of_preset)
}

fn groups() -> Vec<(&'static str, Vec<&'static str>)> {
    [
        ("tune", options::TUNE),
        ("tune.tokens", estimator::TOKENS),
        ("tune.shares", shares::GROUP),
        ("tune.prices", prices::GROUP),
        ("summarizer", summary_options::SUMMARIZER),
        ("summary", summary_options::SUMMARY),
        ("summary.frame", summary_options::FRAME),
        ("toolPolicy", tool_policy::POLICY),
        ("keep", wishes::KEEP),
        ("trigger", wishes::SIZE),
    ]
    .map(|(path, group)| (path, group.names.to_vec()))
    .to_vec()
}

fn words() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("prefer", wishes::PREFER.to_vec()),
        ("reasoning", wishes::REASONING.to_vec()),
        ("systemMessages", wishes::SYSTEM_MESSAGES.to_vec()),
        ("thinking", wishes::THINKING.to_vec()),
        ("summaryRequest", options::SUMMARY_REQUESTS.to_vec()),
        ("tune.tokens.estimator", estimator::NAMES.to_vec()),
    ]
}

fn quoted<T: AsRef<str>>(names: &[T]) -> Vec<String> {
    names.iter().map(|name| format!("\"{}\"", name.as_ref())).collect()
}

fn union<T: AsRef<str>>(out: &mut String, doc: &str, name: &str, members: &[T]) {
    let members = quoted(members);
    let line = format!("export type {name} = {};", members.join(" | "));
    let text =
        if line.len() <= WIDTH { line } else { format!("export type {name} =\n  | {};", members.join("\n  | ")) };
    writeln!(out, "\n/** {doc} */\n{text}").unwrap();
}

fn interface(out: &mut String, doc: &str, name: &str, members: &[(&str, Vec<&str>)]) {
    writeln!(out, "\n/** {doc} */\nexport interface {name} {{").unwrap();
    for (path, names) in members {
        let name = if path.contains('.') { format!("\"{path}\"") } else { (*path).to_owned() };
        let line = format!("  readonly {name}: {};", quoted(names).join(" | "));
        if line.len() <= WIDTH {
            writeln!(out, "{line}").unwrap();
        } else {
            writeln!(out, "  readonly {name}:\n    | {};", quoted(names).join("\n    | ")).unwrap();
        }
    }
    out.push_str("}\n");
}

fn list<T: AsRef<str>>(out: &mut String, doc: &str, name: &str, members: &[T]) {
    let members = quoted(members);
    let line = format!("export const {name} = [{}] as const;", members.join(", "));
    let text = if line.len() <= WIDTH {
        line
    } else {
        format!("export const {name} = [\n  {},\n] as const;", members.join(",\n  "))
    };
    writeln!(out, "\n/** {doc} */\n{text}").unwrap();
}

fn record(out: &mut String, doc: &str, name: &str, members: &[(&str, Kind)]) {
    writeln!(out, "\n/** {doc} */\nexport const {name} = {{").unwrap();
    for (name, kind) in members {
        let kind = match kind {
            Kind::Any => "any",
            Kind::Chat => "chat",
            Kind::Function => "function",
            Kind::Functions => "functions",
            Kind::Signal => "signal",
            Kind::Text => "text",
            Kind::Window => "window",
        };
        writeln!(out, "  {name}: \"{kind}\",").unwrap();
    }
    out.push_str("} as const;\n");
}
