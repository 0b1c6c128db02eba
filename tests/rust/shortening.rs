//! How a text that is too large is cut: within its cap, keeping its structure, and with a correct count of what is
//! missing.

use crate::support::filler;
use precis::session::edits::truncation::{DONE_CUT, cut};
use precis::tokens::{self, Estimator};
use proptest::prelude::*;
use serde_json::{Value, json};

fn estimator() -> Estimator {
    Estimator::parse("bytes4").unwrap()
}

fn tokens(text: &str) -> u64 {
    tokens::of_text(&estimator(), text)
}

fn result(text: &str, cap: u64) -> String {
    cut(text, cap, DONE_CUT, &[], &estimator())
}

/// The output of a tool, as it was recorded.
fn recorded(name: &str) -> String {
    let path = format!("{}/tests/fixtures/tool-output/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The characters and lines that the notices of a text report as missing.
fn missing(text: &str) -> (usize, usize) {
    let (mut characters, mut lines) = (0, 0);
    for notice in text.split("[precis: ").skip(1) {
        let mut words = notice.split(' ');
        characters += words.next().unwrap().parse::<usize>().unwrap();
        assert_eq!(words.next(), Some("characters"), "{notice}");
        if words.next() == Some("in") {
            lines += words.next().unwrap().parse::<usize>().unwrap();
        }
    }
    (characters, lines)
}

/// The characters of the lines that are not notices, including line ends.
fn visible(text: &str) -> usize {
    text.split('\n').filter(|line| !line.starts_with("[precis: ")).map(|line| line.chars().count() + 1).sum()
}

#[test]
fn a_log_keeps_its_errors_with_what_belongs_to_them_and_both_ends() {
    let log = recorded("pod.log");
    let short = result(&log, 300);
    for kept in [
        log.lines().next().unwrap(),
        "ERROR - SSL certificate expired",
        "Traceback (most recent call last):",
        "  File \"/app/app.py\", line 141, in check_certificate_expiry",
        "ExpiredCertException: Certificate expired on 2024-08-03 17:00:08",
    ] {
        assert!(short.contains(kept), "{kept} is missing:\n{short}");
    }
    assert!(short.contains(" lines left out here. The call succeeded: making it again would do it again."), "{short}");
    assert_eq!(missing(&short).0 + visible(&short), visible(&log), "{short}");
    let total = log.split('\n').count();
    assert_eq!(missing(&short).1 + short.split('\n').filter(|line| !line.starts_with("[precis: ")).count(), total);
}

#[test]
fn a_table_keeps_its_header_and_the_rows_that_report_problems() {
    let table = recorded("pods.txt");
    let short = result(&table, 500);
    assert!(short.contains("NAMESPACE ") || short.contains("NAME "), "{short}");
    let header = table.lines().find(|line| line.starts_with("NAME")).unwrap();
    assert!(short.lines().any(|line| line == header), "{short}");
    let rows = || {
        (0..80)
            .map(|row| format!("| {row} | {} | {} |", row * 7, if row == 41 { "failed" } else { "fine" }))
            .collect::<Vec<_>>()
    };
    let markdown = format!("| n | score | state |\n|---|---:|---|\n{}\n", rows().join("\n"));
    let short = result(&markdown, 120);
    assert!(short.starts_with("| n | score | state |\n|---|---:|---|\n| 0 |"), "{short}");
    assert!(short.contains("| 41 | 287 | failed |") && short.trim_end().ends_with("| 79 | 553 | fine |"), "{short}");
    let csv: String = (0..99).map(|row| format!("{row},\"a, b\",{}\n", row % 7)).collect();
    let short = result(&format!("n,words,rest\n{csv}"), 120);
    assert!(short.starts_with("n,words,rest\n0,\"a, b\",0\n"), "{short}");
}

#[test]
fn a_diff_keeps_its_files_and_hunks() {
    let file = |name: &str| {
        let mut diff = format!("diff --git a/{name} b/{name}\nindex 12..34 100644\n--- a/{name}\n+++ b/{name}\n");
        for hunk in 0..3 {
            diff.push_str(&format!("@@ -{hunk}0,40 +{hunk}0,40 @@ fn part_{hunk}()\n"));
            diff.push_str(
                &(0..40)
                    .map(|line| format!("{}line {line}\n", if line % 9 == 0 { '+' } else { ' ' }))
                    .collect::<String>(),
            );
        }
        diff
    };
    let diff = format!("{}{}", file("one.rs"), file("two.rs"));
    let short = result(&diff, 400);
    for kept in ["diff --git a/one.rs b/one.rs", "diff --git a/two.rs b/two.rs", "fn part_0()", "fn part_2()"] {
        assert!(short.contains(kept), "{kept} is missing:\n{short}");
    }
    assert_eq!(short.matches("\n@@ ").count(), 6, "{short}");
    assert_eq!(missing(&short).0 + visible(&short), visible(&diff), "{short}");
}

#[test]
fn a_stack_trace_keeps_its_top_and_its_cause() {
    let frames = |package: &str| {
        (0..60).map(|at| format!("\tat {package}.Frame{at}.call(Frame{at}.java:{at})\n")).collect::<String>()
    };
    let trace = format!(
        "java.lang.IllegalStateException: could not start\n{}Caused by: java.io.IOException: disk full\n{}",
        frames("app"),
        frames("disk")
    );
    let short = result(&trace, 220);
    for kept in [
        "IllegalStateException: could not start",
        "app.Frame0.",
        "Caused by: java.io.IOException: disk full",
        "disk.Frame0.",
    ] {
        assert!(short.contains(kept), "{kept} is missing:\n{short}");
    }
}

#[test]
fn json_stays_json_and_says_how_many_elements_are_missing() {
    let list: Vec<Value> =
        (0..200).map(|n| json!({ "id": n, "name": format!("item {n}"), "tags": ["a", "b"] })).collect();
    let value = json!({ "total": 200, "items": list, "text": filler(6_000), "next": null });
    let short = result(&value.to_string(), 600);
    let read: Value = serde_json::from_str(&short).unwrap();
    assert_eq!((&read["total"], &read["next"]), (&json!(200), &Value::Null));
    let items = read["items"].as_array().unwrap();
    let note = items.iter().position(Value::is_string).unwrap();
    let left: usize = items[note].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(items.len() - 1 + left, 200, "{short}");
    assert_eq!((&items[0], items.last().unwrap()), (&value["items"][0], &value["items"][199]));
    assert!(read["text"].as_str().unwrap().contains(" characters left out here."), "{short}");
    assert!(short.contains("would do it again"), "{short}");
    // After another cut, the number still counts from the whole.
    let again: Value = serde_json::from_str(&result(&short, 250)).unwrap();
    let items = again["items"].as_array().unwrap();
    let note = items.iter().find_map(Value::as_str).unwrap();
    let left: usize = note.split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(items.len() - 1 + left, 200, "{again}");
}

#[test]
fn json_strings_are_cut_between_escapes() {
    let text = format!("[{{\"a\":\"{}\"}}]", "\\ud83d\\ude00\\\\\\\"\\n".repeat(300));
    for cap in 64..300 {
        let short = result(&text, cap);
        let read: Value = serde_json::from_str(&short).unwrap_or_else(|error| panic!("{error} at cap {cap}: {short}"));
        assert!(read[0]["a"].is_string());
    }
}

#[test]
fn program_text_that_speaks_of_errors_is_no_log() {
    let code: String = (0..120).map(|n| format!("    if (part{n} == null) throw new Error(\"part {n}\");\n")).collect();
    let short = result(&code, 200);
    assert_eq!(short.matches("[precis: ").count(), 1, "{short}");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        any::<f32>().prop_map(|n| json!(n)),
        "\\PC{0,40}".prop_map(Value::String),
        (1_usize..4_000).prop_map(|bytes| Value::String(filler(bytes))),
        ".{0,300}".prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 300, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            prop::collection::vec(("[a-z\"\\\\ü]{1,8}", inner), 0..12)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0_u32..999).prop_map(|n| format!("2025-01-01 INFO request {n} served")),
        1 => (0_u32..999).prop_map(|n| format!("ERROR request {n} failed")),
        1 => (0_u32..99).prop_map(|n| format!("    at module.call{n} (file.js:{n})")),
        1 => (0_u32..9).prop_map(|n| format!("+++ b/{n}.rs")),
        1 => (0_u32..9).prop_map(|n| format!("@@ -{n},3 +{n},4 @@")),
        1 => (0_u32..9).prop_map(|n| format!("| {n} | cell |")),
        1 => Just("|---|---|".to_owned()),
        1 => (0_u32..9).prop_map(|n| format!("{n},a,b")),
        1 => Just(String::new()),
        1 => "\\PC{0,80}",
        1 => (1_usize..2_000).prop_map(|bytes| "é世🦀x".repeat(bytes / 10)),
        1 => (0_u32..99).prop_map(|n| format!("[precis: {n} characters left out here.]")),
        1 => Just("[precis: not a notice".to_owned()),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        values().prop_map(|value| value.to_string()),
        values().prop_map(|value| serde_json::to_string_pretty(&value).unwrap()),
        prop::collection::vec(line(), 0..200).prop_map(|lines| lines.join("\n")),
        prop::collection::vec(line(), 0..8).prop_map(|lines| lines.join("\n").repeat(30)),
        "\\PC{0,3000}",
    ]
}

proptest! {
    #[test]
    fn a_cut_text_is_within_its_cap_no_longer_than_it_was_and_the_same_every_time(text in texts(), cap in 64_u64..1_500) {
        let short = result(&text, cap);
        prop_assert!(tokens(&short) <= cap, "{} tokens of {cap}: {short}", tokens(&short));
        prop_assert!(short.len() <= text.len());
        prop_assert_eq!(&result(&text, cap), &short);
        prop_assert_eq!(&result(&short, cap), &short, "cut again to the same cap");
        prop_assert!(tokens(&result(&short, cap / 2 + 32)) <= cap / 2 + 32);
    }

    #[test]
    fn what_was_json_is_json(value in values(), cap in 160_u64..1_500, pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        prop_assume!(value.is_array() || value.is_object());
        let short = result(&text, cap);
        prop_assert!(serde_json::from_str::<Value>(&short).is_ok(), "{short}");
        let again = result(&short, cap * 3 / 4 + 40);
        prop_assert!(serde_json::from_str::<Value>(&again).is_ok(), "{again}");
    }

    #[test]
    fn lines_that_are_cut_twice_are_all_accounted_for(count in 40_usize..400, seed in any::<u64>(), cap in 80_u64..600) {
        let trouble = |line: usize| (seed.rotate_left(line as u32 % 64) & 15) == 0;
        let lines: Vec<String> =
            (0..count).map(|line| format!("{line} {}", if trouble(line) { "request failed" } else { "request served" })).collect();
        let text = lines.join("\n");
        let once = result(&text, cap);
        let twice = result(&once, cap * 2 / 3 + 30);
        for short in [&once, &twice] {
            if tokens(&text) > cap {
                let (head, tail) = (short.starts_with("0 "), short.contains(&lines[count - 1]));
                prop_assert!(head && tail, "{short}");
            }
            // A cut inside a line adds a line end on either side of its notice.
            let accounted = missing(short).0 + visible(short);
            let whole = visible(&text);
            prop_assert!((whole..=whole + 2).contains(&accounted), "{accounted} of {whole}: {short}");
        }
    }
}

#[test]
fn json_with_keys_or_numbers_longer_than_its_cap_stays_json() {
    let estimator = Estimator::parse("lexical").unwrap();
    let long = "\u{f}key".repeat(900);
    let digits = "1234567890".repeat(300);
    for value in [
        json!({ "a": 1, long.clone(): true, "z": 2 }),
        json!({ long.clone(): { long.clone(): null }, "z": "text ".repeat(900) }),
        json!([{ long.clone(): 1 }, { long: 2 }]),
    ] {
        let short = cut(&value.to_string(), 170, DONE_CUT, &[], &estimator);
        assert!(tokens::of_text(&estimator, &short) <= 170, "{short}");
        serde_json::from_str::<Value>(&short).unwrap_or_else(|error| panic!("{error}: {short}"));
    }
    let short = cut(&format!(r#"{{"n":{digits},"end":"quoted \""}}"#), 170, "", &[], &estimator);
    assert_eq!(serde_json::from_str::<Value>(&short).unwrap()["end"], "quoted \"");
}

#[test]
fn a_text_of_control_characters_is_not_cut_to_a_longer_one() {
    for estimator in ["lexical", "bytes4"].map(|name| Estimator::parse(name).unwrap()) {
        for body in ["\u{0}".repeat(140), format!("b_1234 {}", "\u{b}\u{0}".repeat(66)), "\u{1}\u{2a9}".repeat(47)] {
            let short = cut(&body, 64, DONE_CUT, &[], &estimator);
            assert!(tokens::of_text(&estimator, &short) <= 64 && short.len() <= body.len(), "{short}");
        }
    }
}
