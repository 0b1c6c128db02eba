//! What a host puts around summaries in the view: in what is sent, and nowhere else.

use crate::support::Chat;
use crate::support::M;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::json;
use crate::support::result;
use crate::support::says;
use crate::support::user;
use crate::support::words;
use precis::base::error::Code;
use precis::base::markers;
use precis::limits::options::Options;
use serde_json::json;

const SUMMARY: &str = "They count herons at the lake. 4711 were counted so far, and the count goes on.";

fn chat(window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 300, "summarize": true,
        "summary": { "frame": { "before": "<memory of=\"the lake\">", "after": "</memory>\nGo on from here." } },
        "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

fn history(turns: usize) -> Vec<M> {
    let turn = |turn| {
        [user(&format!("Count on, {turn}. {}", filler(600))), assistant(&format!("Counted {turn}. {}", filler(600)))]
    };
    (0..turns).flat_map(turn).chain([user("And now?")]).collect()
}

#[test]
fn a_summary_stands_between_the_hosts_words_inside_the_lines_of_precis() {
    for answered in [true, false] {
        let mut chat = chat(4_000);
        let mut summarize = |_: &precis::summary::request::Request| answer(SUMMARY);
        let prepared = chat.before_model(&history(12), answered.then_some(&mut summarize)).unwrap();
        let text = prepared.view.iter().map(words).find(|text| text.starts_with(markers::SUMMARY)).unwrap();
        let start = format!("{}\n<memory of=\"the lake\">\n", markers::SUMMARY);
        let end = format!("\n</memory>\nGo on from here.\n{}", markers::SUMMARY_END);
        let body = text.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end)).expect(&text);
        assert!(!body.contains("memory of"), "{body}");
        assert_eq!(body.contains("4711 were counted"), answered);
        // What people are shown is the summary.
        let session = chat.session();
        let shown = precis::engine::summary_of(&session).unwrap();
        assert_eq!(shown.trim(), body.trim());
        assert!(prepared.committed.report.after.tokens < 3_700);
    }
}

#[test]
fn a_framed_summary_is_known_again_and_not_told_to_the_next_summarizer() {
    let mut chat = chat(4_000);
    let mut asked = Vec::new();
    let mut seen = String::new();
    for turns in [12, 24, 36] {
        let mut summarize = |request: &precis::summary::request::Request| {
            seen = format!("{}\n{}", request.system, request.prompt);
            asked.push(seen.clone());
            answer(SUMMARY)
        };
        chat.before_model(&history(turns), Some(&mut summarize)).unwrap();
    }
    assert!(asked.len() > 1 && asked.last().unwrap().contains("4711 were counted"), "{}", asked.len());
    assert!(asked.iter().all(|request| !request.contains("memory of=") && !request.contains("Go on from here")));
    // A view given back is the history's own, whatever the host puts around summaries by now.
    let view = chat.before_model(&history(36), None).unwrap().view;
    chat.options["summary"]["frame"] = json!({ "before": "Something else." });
    let again = chat.before_model(&view, None).unwrap();
    assert_eq!(again.view, view);
    assert!(again.committed.report.diverged.is_none());
    // And the next summary has the new frame.
    let later = chat.before_model(&history(60), Some(&mut |_| answer(SUMMARY))).unwrap().view;
    assert!(says(&later, "Something else.") && !says(&later, "memory of="));
}

#[test]
fn windows_in_which_hardly_anything_fits_have_no_frame_and_fit() {
    for window in [900, 1_000, 1_200, 1_500, 2_000] {
        let mut chat = chat(window);
        chat.options["summary"]["frame"] = json!({ "before": "b".repeat(500), "after": "a".repeat(500) });
        let mut plain = chat.clone();
        plain.options["summary"] = json!({});
        let framed = chat.before_model(&history(30), None).unwrap().committed.report;
        let plain = plain.before_model(&history(30), None).unwrap().committed.report;
        assert_eq!(framed.outcome.as_str() == "infeasible", plain.outcome.as_str() == "infeasible", "{window}");
        assert!(framed.outcome.as_str() == "infeasible" || framed.after.tokens < window - 300, "{window}");
    }
}

#[test]
fn a_frame_that_is_too_long_or_passes_for_precis_is_refused_with_its_path() {
    let refused = |frame: serde_json::Value| {
        let error =
            Options::parse(&json(&json!({ "contextWindow": 4_000, "summary": { "frame": frame } }))).unwrap_err();
        assert!(error.advice.len() > 20, "{error}");
        (error.code, error.path.clone().unwrap())
    };
    let path = |name: &str| (Code::InvalidOption, format!("summary.frame{name}"));
    assert_eq!(refused(json!({ "before": "x".repeat(501) })), path(".before"));
    assert_eq!(refused(json!({ "after": format!("Well. {}", markers::SUMMARY_END) })), path(".after"));
    assert_eq!(refused(json!({ "after": 5 })), path(".after"));
    assert_eq!(refused(json!("around")), path(""));
    assert_eq!(refused(json!({ "behind": "x" })), (Code::UnknownOption, "summary.frame.behind".into()));
}

#[test]
fn a_frame_that_had_to_go_is_put_back_once_something_is_cut_and_there_is_room() {
    let mut chat = chat(1_200);
    chat.options["summary"]["frame"] = json!({ "before": "b".repeat(500), "after": "Go on from here." });
    let mut all = history(30);
    let small = chat.before_model(&all, None).unwrap();
    assert!(says(&small.view, markers::SUMMARY) && !says(&small.view, "Go on from here."));
    // In a larger window a result is cut, and nothing more is covered.
    chat.options["contextWindow"] = json!(8_000);
    all.extend([call("a", "read", json!({})), result("a", &filler(60_000))]);
    let cut = chat.before_model(&all, None).unwrap();
    assert_eq!(cut.committed.report.rung, Some("clip"), "{:?}", cut.committed.report);
    assert!(says(&cut.view, "Go on from here."), "{:?}", cut.committed.report);
    let again = chat.before_model(&all, None).unwrap();
    assert_eq!(again.view, cut.view);
}
