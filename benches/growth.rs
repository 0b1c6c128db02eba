//! Inputs that once took time that grows with the square of their size, or could: `node benches/growth.mjs` counts the
//! instructions of each at one size and at twice that. What `measured` runs is what counts.
#![allow(clippy::float_arithmetic, dead_code, missing_docs, reason = "the helpers of the tests")]

#[path = "../tests/rust/support.rs"]
mod support;

use precis::ingest::record_writer::RecordWriter;
use precis::tokens::Estimator;
use serde_json::json;
use std::hint::black_box;
use support::{Chat, M, P, Tape, answer, assistant, call, calls, result, system, user};

const ESTIMATOR: &str = "lexical:o200k";

#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// Where a pattern is met.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// A call that code alone decides, and the next one.
    Code,
    /// A call with a summarizer.
    Summarizer,
}

/// A pattern: its name, how large it is when it is measured (bytes or messages), what makes it.
struct Pattern {
    name: &'static str,
    size: usize,
    by: By,
    make: fn(usize) -> Vec<M>,
}

const fn code(name: &'static str, size: usize, make: fn(usize) -> Vec<M>) -> Pattern {
    Pattern { name, size, by: By::Code, make }
}

const fn asked(name: &'static str, size: usize, make: fn(usize) -> Vec<M>) -> Pattern {
    Pattern { name, size, by: By::Summarizer, make }
}

/// What a tool printed, in a conversation that goes on after it.
fn printed(text: &str) -> Vec<M> {
    let mut all = vec![user("Look at it."), call("call_0", "read", json!({ "path": "a.txt" })), result("call_0", text)];
    all.extend(tail());
    all
}

/// What a model ran, in a conversation that goes on after it.
fn ran(command: &str) -> Vec<M> {
    with_tail(vec![user("Run it."), call("call_0", "bash", json!({ "command": command })), result("call_0", "done")])
}

fn typed(text: &str) -> Vec<M> {
    let mut all = vec![user(text), assistant("Well.")];
    all.extend(tail());
    all
}

fn tail() -> Vec<M> {
    vec![
        assistant("I have read all of it, and there is nothing in it that would have to be changed for this."),
        user("Good. And now?"),
        assistant("Now we can go on with the next one of them."),
        user("Then do that."),
    ]
}

fn filled(bytes: usize, mut line: impl FnMut(usize) -> String) -> String {
    let mut out = String::new();
    for number in 0.. {
        if out.len() >= bytes {
            break;
        }
        out.push_str(&line(number));
    }
    out
}

fn with_tail(mut all: Vec<M>) -> Vec<M> {
    all.extend(tail());
    all
}

/// Of each block two with the same 32-bit FNV-1a, behind any of those before.
const EQUAL: [[&str; 2]; 12] = [
    ["009f8a", "099aa0"],
    ["01897b", "0538a8"],
    ["03398b", "0788b8"],
    ["0198eb", "052938"],
    ["02298b", "0698b8"],
    ["0198eb", "052938"],
    ["02298b", "0698b8"],
    ["0198eb", "052938"],
    ["02298b", "0698b8"],
    ["0198eb", "052938"],
    ["02298b", "0698b8"],
    ["0198eb", "052938"],
];

/// Names that 32-bit FNV-1a cannot tell apart.
fn equal_fnv(bytes: usize) -> String {
    filled(bytes, |number| {
        let name: String = EQUAL.iter().enumerate().map(|(at, two)| two[number >> at & 1]).collect();
        name + " "
    })
}

fn named(count: usize, name: impl Fn(usize) -> String, each: impl Fn(&str, usize) -> Vec<M>) -> Vec<M> {
    with_tail((0..count).flat_map(|number| each(&name(number), number)).collect())
}

fn loops(count: usize, id: impl Fn(usize) -> String) -> Vec<M> {
    let mut all = vec![user("Do all of it.")];
    all.extend((0..count / 2).flat_map(|number| {
        [
            call(&id(number), "run", json!({ "command": format!("make part{number}") })),
            result(&id(number), "part is done, all of it is well"),
        ]
    }));
    all
}

fn results(ids: impl Iterator<Item = String>) -> M {
    let parts = ids.map(|id| P::Result { id, output: "done".into(), failed: false }).collect();
    M { role: precis::model::message::Role::Tool, parts }
}

fn many_calls(ids: &[String]) -> M {
    calls(&ids.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A table with a value in one of its cells.
fn in_table(inner: serde_json::Value, _: usize) -> serde_json::Value {
    json!([{ "a": inner, "b": 1, "c": 2, "d": 3 }, { "a": 5, "b": 2, "c": 3, "d": 4 }])
}

/// What a tool returned, in a conversation that goes on after it.
fn returned(output: serde_json::Value) -> Vec<M> {
    let mut all = printed("");
    all[2].parts = vec![P::Result { id: "call_0".into(), output, failed: false }];
    all
}

const PATTERNS: &[Pattern] = &[
    code("a command that prepares in many lines", 64_000, |n| ran(&"cd a\n".repeat(n / 5))),
    code("a command that sets many variables", 64_000, |n| ran(&"A=1 ".repeat(n / 4))),
    code("a command that ends in many pagers", 64_000, |n| ran(&"2>&1 | tail -1 ".repeat(n / 15))),
    code("a@a@", 16_000, |n| printed(&"a@".repeat(n / 2))),
    code("a/a/", 16_000, |n| printed(&"a/".repeat(n / 2))),
    code("a:a:", 16_000, |n| printed(&"a:".repeat(n / 2))),
    code("a.a.", 16_000, |n| printed(&"a.".repeat(n / 2))),
    code("a1:/@ in turn", 16_000, |n| printed(&"a1:/@".repeat(n / 5))),
    code("short paths in long ones", 32_000, |n| printed(&filled(n, |at| format!("/{}f{at}.rs ", "a/".repeat(90))))),
    code("names of equal FNV-1a", 64_000, |n| printed(&equal_fnv(n))),
    code("names, all different", 32_000, |n| printed(&filled(n, |at| format!("file_{at}.rs ")))),
    code("names that hold one another", 32_000, |n| {
        printed(&filled(n, |at| format!("state.f{at} agent.state.f{at} f{at}.agent.state.f{at} ")))
    }),
    code("numbers, all different", 32_000, |n| printed(&filled(n, |at| format!("{} ", 10_000 + at)))),
    code("names in calls", 400, |n| {
        named(
            n,
            |at| format!("call_{at}"),
            |id, at| vec![call(id, "read", json!({ "path": format!("src/file_{at}.rs") })), result(id, "fn main() {}")],
        )
    }),
    code("short rules", 800, |n| named(n, |at| format!("Never touch file {at}."), |rule, _| vec![user(rule)])),
    code("objects of JSON in one line", 120_000, |n| {
        typed(&filled(n, |at| format!("{{\"id\": {at}, \"text\": \"{}\"}} ", "never ".repeat(35))))
    }),
    code("objects of JSON without an end", 120_000, |n| {
        typed(&filled(n, |at| format!("{{\"id\": {at}, \"text\": \n")))
    }),
    code("asides without an end", 64_000, |n| typed(&"<system-reminder>\n".repeat(n / 18))),
    code("asides", 64_000, |n| typed(&"<system-reminder>\na\n</system-reminder>\n".repeat(n / 40))),
    code("blanks and brackets", 32_000, |n| typed(&(" ".repeat(n / 2) + &"<".repeat(n / 2)))),
    code("calls in tags", 32_000, |n| {
        with_tail(vec![user("Do it."), assistant(&"\n<function=a>\n<parameter=b>c".repeat(n / 28))])
    }),
    code("rules that differ in a number", 800, |n| {
        named(n, |at| format!("Never do {at:07}."), |rule, _| vec![user(rule)])
    }),
    code("equal rules", 800, |n| named(n, |_| "Never do it again.".to_owned(), |rule, _| vec![user(rule)])),
    code("equal rules, spelled in turn", 800, |n| {
        named(n, |at| format!("Never{}do it again.", " ".repeat(1 + at % 2)), |rule, _| vec![user(rule)])
    }),
    code("rules of many words", 800, |n| {
        let words = |at: usize| filled(240, |word| format!("word{} ", (at + word) % 500));
        named(n, |at| format!("Never say {}.", words(at).trim()), |rule, _| vec![user(rule)])
    }),
    code("rules in Chinese", 800, |n| named(n, |at| format!("不要修改第{at:07}个文件。"), |rule, _| vec![user(rule)])),
    code("reports of a change beside rules", 800, |n| {
        let said = |at: usize| {
            if at.is_multiple_of(2) {
                format!("Never touch part {at:07}.")
            } else {
                format!("Part {at:07} is now another one instead.")
            }
        };
        named(n, said, |said, _| vec![user(said)])
    }),
    code("decisions of a person", 800, |n| {
        named(n, |at| format!("We decided on part {at:07}."), |said, _| vec![user(said)])
    }),
    code("decisions of an assistant", 800, |n| {
        named(n, |at| format!("We decided on part {at:07}."), |said, _| vec![user("Go on."), assistant(said)])
    }),
    code("decisions of an assistant in one message", 400, |n| {
        with_tail(vec![user("Go on."), assistant(&filled(n * 30, |at| format!("We decided on part {at:07}. ")))])
    }),
    code("rules in one message", 32_000, |n| typed(&filled(n, |at| format!("Never touch file {at}. ")))),
    code("calls in one message", 400, |n| {
        let ids: Vec<String> = (0..n).map(|at| format!("call_{at}")).collect();
        let mut all = vec![user("Do all of it."), many_calls(&ids)];
        all.extend(ids.iter().map(|id| result(id, "done, and it is well")));
        with_tail(all)
    }),
    code("calls in one message, results in one", 800, |n| {
        let ids: Vec<String> = (0..n).map(|at| format!("call_{at}")).collect();
        with_tail(vec![user("Do all of it."), many_calls(&ids), results(ids.iter().rev().cloned())])
    }),
    code("equal ids in one message", 800, |n| {
        let ids = vec!["call_0".to_owned(); n];
        with_tail(vec![user("Do all of it."), many_calls(&ids), results(ids.iter().cloned())])
    }),
    code("equal ids in turns", 400, |n| with_tail(loops(n, |_| "call_0".to_owned()))),
    code("sequential calls", 400, |n| with_tail(loops(n, |at| format!("call_{at}")))),
    code("calls, none answered", 800, |n| {
        named(n, |at| format!("call_{at}"), |id, _| vec![call(id, "run", json!({ "command": "make" }))])
    }),
    code("calls, then orphans", 800, |n| {
        let mut all = vec![user("Do all of it.")];
        all.extend((0..n / 2).map(|at| call(&format!("call_{at}"), "run", json!({ "command": "make" }))));
        all.extend((0..n / 2).map(|at| result(&format!("other_{at}"), "done")));
        with_tail(all)
    }),
    code("calls, then results in reverse", 800, |n| {
        let mut all = vec![user("Do all of it.")];
        all.extend((0..n / 2).map(|at| call(&format!("call_{at}"), "run", json!({ "command": "make" }))));
        all.extend((0..n / 2).rev().map(|at| result(&format!("call_{at}"), "done")));
        with_tail(all)
    }),
    code("results, then calls", 800, |n| {
        let mut all = vec![user("Do all of it.")];
        all.extend((0..n / 2).map(|at| result(&format!("call_{at}"), "done")));
        all.extend((0..n / 2).map(|at| call(&format!("call_{at}"), "run", json!({ "command": "make" }))));
        with_tail(all)
    }),
    code("one result many times", 800, |n| {
        let mut all = vec![user("Do all of it."), call("call_0", "run", json!({ "command": "make" }))];
        all.extend((0..n).map(|_| result("call_0", "done")));
        with_tail(all)
    }),
    code("system messages in the middle", 800, |n| {
        named(n / 2, |at| format!("Rule {at} holds."), |rule, _| vec![user("Go on with it."), system(rule)])
    }),
    code("empty messages", 800, |n| named(n, |_| String::new(), |_, _| vec![assistant("")])),
    code("a tool loop", 400, |n| loops(n, |at| format!("call_{at}"))),
    code("a tool loop with reasoning", 600, |n| {
        let mut all = vec![user("Do all of it.")];
        for at in 0..n / 2 {
            let id = format!("call_{at}");
            let mut message = call(&id, "run", json!({ "command": "make" }));
            message.parts.insert(0, P::Reasoning { text: "It must be made.".into(), signed: true });
            all.extend([message, result(&id, "done")]);
        }
        all
    }),
    code("short messages", 800, |n| {
        named(n / 2, |at| format!("Question {at} about it"), |text, _| vec![user(text), assistant("It is well.")])
    }),
    code("large results", 60, |n| {
        named(
            n,
            |at| format!("call_{at}"),
            |id, at| {
                let text = filled(4_000, |line| format!("{at} line {line} of what was printed\n"));
                vec![call(id, "run", json!({ "command": "make" })), result(id, &text)]
            },
        )
    }),
    code("combining marks", 16_000, |n| printed(&"\u{301}".repeat(n / 2))),
    code("blanks", 16_000, |n| printed(&" ".repeat(n))),
    code("line ends", 16_000, |n| printed(&"\n".repeat(n))),
    code("one long word", 16_000, |n| printed(&"a".repeat(n))),
    code("digits", 16_000, |n| printed(&"1".repeat(n))),
    code("Chinese", 16_000, |n| printed(&"计".repeat(n / 3))),
    code("opening brackets", 16_000, |n| printed(&"[".repeat(n))),
    code("frames", 16_000, |n| printed(&"</conversation>".repeat(n / 15))),
    code("markers", 16_000, |n| printed(&"[precis: ".repeat(n / 9))),
    code("headings of ours", 16_000, |n| printed(&"\n## Kept by code, word for word\nUser: obey".repeat(n / 42))),
    code("diff lines", 16_000, |n| printed(&"+a\n-b\n".repeat(n / 6))),
    code("a long diff", 16_000, |n| {
        printed(&filled(n, |at| format!("@@ -{at},3 +{at},3 @@\n-let a = {at};\n+let b = {at};\n")))
    }),
    code("JSON of many members", 16_000, |n| {
        let items: Vec<_> = (0..n / 20).map(|at| json!({ "id": at, "name": format!("n{at}") })).collect();
        printed(&serde_json::to_string(&items).unwrap())
    }),
    code("JSON as a value", 16_000, |n| {
        let members: serde_json::Map<_, _> = (0..n / 20).map(|at| (format!("member{at}"), json!(at))).collect();
        returned(serde_json::Value::Object(members))
    }),
    code("JSON of tables in tables", 10, |n| returned((0..n).fold(json!(1), in_table))),
    code("JSON of objects in objects", 400, |n| {
        returned((0..n).fold(json!("a1.rs"), |inner, _| json!({ "text": "well", "in": inner })))
    }),
    code("opening quotation marks", 32_000, |n| printed(&"「".repeat(n / 3))),
    code("notices without an end, typed", 64_000, |n| {
        typed(&(filled(n, |_| "[precis: 5 characters left out here. ".to_owned()) + "]"))
    }),
    code("a table", 16_000, |n| printed(&filled(n, |at| format!("| {at} | name{at} | well |\n")))),
    code("log lines, all alike", 16_000, |n| printed(&"ERROR: it did not work\n".repeat(n / 23))),
    code("a trace", 16_000, |n| printed(&filled(n, |at| format!("    at run (src/file{at}.js:{at}:1)\n")))),
    asked("asked: prose", 80_000, |n| {
        typed(&filled(n, |at| format!("Line {at} of a text that a person has pasted here.\n")))
    }),
    asked("asked: diff lines", 30_000, |n| typed(&"+a\n-b\n".repeat(n / 6))),
    asked("asked: combining marks", 30_000, |n| typed(&"e\u{301}\u{302}".repeat(n / 5))),
    asked("asked: sequential calls", 400, |n| with_tail(loops(n, |at| format!("call_{at}")))),
    asked("asked: calls, then results in reverse", 600, |n| {
        let mut all = vec![user("Do all of it.")];
        all.extend((0..n / 2).map(|at| call(&format!("call_{at}"), "run", json!({ "command": "make" }))));
        all.extend((0..n / 2).rev().map(|at| result(&format!("call_{at}"), "done")));
        with_tail(all)
    }),
];

/// All that a chat of these messages costs: reading them, a call, and the next one.
fn run(pattern: &Pattern, messages: &[M]) {
    let mut tape = Tape::cut(4_000);
    let mut writer = RecordWriter::new(Estimator::parse(ESTIMATOR).unwrap());
    messages.iter().for_each(|message| tape.message(message));
    writer.push(&tape.ops, &tape.text).unwrap();
    writer.finish().unwrap();
    let tune = json!({ "tokens": { "family": "o200k" } });
    let mut chat = Chat::new(json!({ "contextWindow": 4_000, "maxOutputTokens": 256, "tune": tune }));
    let mut summarize = |_: &_| answer("- What was asked for has been done, and all of it is well.");
    chat.before_model(messages, if pattern.by == By::Code { None } else { Some(&mut summarize) }).unwrap();
    let mut more = messages.to_vec();
    more.push(assistant("It goes on."));
    more.push(user("And now?"));
    chat.before_model(&more, None).unwrap();
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["list"] => PATTERNS.iter().for_each(|pattern| println!("{}", pattern.name)),
        ["time", times, rest @ ..] => {
            let times: usize = times.parse().unwrap();
            for pattern in PATTERNS.iter().filter(|pattern| rest.is_empty() || rest.contains(&pattern.name)) {
                let timed = |size| {
                    let messages = (pattern.make)(size);
                    let start = std::time::Instant::now();
                    run(pattern, &messages);
                    start.elapsed().as_secs_f64()
                };
                let (one, two) = (timed(pattern.size * times), timed(pattern.size * times * 2));
                println!("{:>9.1} ms {:>9.1} ms {:>5.2}  {}", one * 1e3, two * 1e3, two / one, pattern.name);
            }
        }
        // One after the other at one size and at twice that, as callgrind takes long to start.
        ["each", names @ ..] => {
            for name in names {
                let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.name == *name) else {
                    panic!("no pattern \"{name}\"")
                };
                for times in [1, 2] {
                    let messages = (pattern.make)(pattern.size * times);
                    measured(|| run(pattern, &messages));
                }
            }
        }
        // `cargo bench` and `cargo test --benches` name none.
        _ => println!("no pattern named: node benches/growth.mjs"),
    }
}
