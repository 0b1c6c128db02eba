//! Overhead around the text, and media: counted by pixels, pages and seconds.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::assistant;
use crate::support::calls;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::json;
use crate::support::records;
use crate::support::result;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::tail_chat;
use crate::support::tool_turns;
use crate::support::user;
use precis::call::input::Call;
use precis::model::message::MessageRecord;
use precis::model::message::{PartKind, Role};
use precis::summary::request::Request;
use precis::tokens::{Estimator, Medium};
use proptest::prelude::*;
use serde_json::json;

const IMAGE: u32 = 0;
const PDF: u32 = 1;
const SOUND: u32 = 2;
const FILM: u32 = 3;
const FILE: u32 = 4;

fn estimator(model: &str) -> Estimator {
    Estimator::parse("lexical").unwrap().for_model(Some(model))
}

fn image(model: &str, width: u32, height: u32) -> u32 {
    estimator(model).media(&Medium { kind: IMAGE, bytes: 900_000, width, height, ..Medium::default() })
}

/// Tokens that providers reported for images of these sizes, without the text.
#[test]
fn pictures_count_as_providers_counted_them() {
    let recorded = [
        ("gpt-4o", 3_008, 2_000, 1_105),
        ("gpt-4o-mini", 128, 128, 8_500),
        ("gpt-4.1-nano", 128, 128, 39),
        ("gpt-4.1-nano", 540, 360, 501),
        ("gpt-5", 50, 50, 210),
        ("gpt-5-nano", 128, 128, 24),
        ("claude-sonnet-4-5", 128, 128, 27),
        ("claude-sonnet-4-5", 239, 178, 65),
        ("claude-sonnet-4-5", 540, 360, 263),
        ("claude-sonnet-4-5", 597, 566, 465),
        ("claude-sonnet-4-5", 1_001, 1_001, 1_298),
        ("claude-3-opus", 405, 405, 227),
        ("gemini-2.5-pro", 50, 50, 258),
        ("gemini-2.0-flash", 540, 360, 1_806),
        ("gemini-2.0-flash", 3_008, 2_000, 3_354),
        ("gemini-3-flash-preview", 597, 566, 1_089),
        ("grok-4-1-fast", 128, 128, 256),
        ("command-a-plus", 128, 128, 259),
    ];
    for (model, width, height, reported) in recorded {
        let ours = image(model, width, height);
        let off = f64::from(ours.abs_diff(reported)) / f64::from(reported);
        assert!(off <= 0.045, "{model} {width} x {height}: {ours} for {reported}");
    }
}

#[test]
fn a_picture_whose_size_is_not_known_is_a_usual_one() {
    for model in ["gpt-4o", "claude-opus-4-6", "gemini-2.5-flash", "gemini-3-pro", "qwen3-vl", "something else"] {
        let usual = image(model, 1_024, 1_024);
        assert!((258..=5_000).contains(&usual), "{model}: {usual}");
        // No header, a header of zeros, a URL, and a file id.
        assert_eq!(image(model, 0, 0), usual);
        assert_eq!(image(model, 640, 0), usual);
        let elsewhere = Medium { kind: IMAGE, reference_bytes: 40, ..Medium::default() };
        assert_eq!(estimator(model).media(&elsewhere), usual);
    }
}

#[test]
fn pages_and_seconds_count_as_they_are_known() {
    let medium = |kind, width, bytes| Medium { kind, width, bytes, ..Medium::default() };
    let count = |model: &str, medium: Medium| estimator(model).media(&medium);
    assert_eq!(count("gemini-2.5-flash", medium(PDF, 3, 18_810)), 3 * 258);
    assert_eq!(count("gemini-2.5-flash", medium(SOUND, 10, 0)), 320);
    assert_eq!(count("gemini-2.5-flash", medium(FILM, 10, 0)), 2_630);
    assert_eq!(count("claude-sonnet-4-5", medium(PDF, 1, 18_810)), 2_100);
    // Unknown sizes: counted by bytes, or as a common size.
    assert_eq!(count("gemini-2.5-flash", medium(PDF, 0, 120_000)), 3 * 258);
    assert_eq!(count("gemini-2.5-flash", medium(SOUND, 0, 32_000)), 64);
    assert_eq!(count("gemini-2.5-flash", medium(PDF, 0, 0)), 2_580);
    assert_eq!(count("gpt-4o", medium(FILE, 0, 4_000)), 1_000);
    assert_eq!(count("gpt-4o", medium(FILE, 0, 4_000_000_000)), 100_000);
    assert_eq!(count("gpt-4o", medium(FILE, 0, 0)), 1_000);
}

/// Every runtime reads the same rows (tests/js/suite/media.test.mjs).
#[test]
fn golden_values() {
    let rows: Vec<(String, u32, u64, u32, u32, u32)> =
        serde_json::from_str(include_str!("../fixtures/media.json")).unwrap();
    assert!(rows.len() > 200);
    for (model, kind, bytes, width, height, expected) in rows {
        let reference_bytes = if bytes == 0 { 21 } else { 0 };
        let medium = Medium { kind, bytes, width, height, reference_bytes, ..Medium::default() };
        assert_eq!(estimator(&model).media(&medium), expected, "{model} {medium:?}");
    }
}

#[test]
fn the_preset_s_rule_counts_media_by_their_bytes_and_nothing_around() {
    let seed = Estimator::parse("bytes4").unwrap().for_model(Some("gpt-4o"));
    assert_eq!(
        seed.media(&Medium { bytes: 4_000, type_bytes: 9, width: 128, height: 128, ..Medium::default() }),
        1_002
    );
    assert_eq!((seed.message_overhead(Role::User), seed.part_overhead(PartKind::Call)), (0, 0));
    assert_eq!((seed.request_overhead(), seed.tools(100)), (0, 100));
}

#[test]
fn overhead_around_the_text_depends_on_the_model() {
    let around = |model: &str| {
        let estimator = estimator(model);
        (
            estimator.request_overhead(),
            estimator.message_overhead(Role::User),
            estimator.part_overhead(PartKind::Result),
            estimator.tools(100),
        )
    };
    assert_eq!(around("gpt-4o-2024-08-06"), (3, 4, 6, 72));
    assert_eq!(around("openai/gpt-5.4"), (2, 4, 6, 72));
    assert_eq!(around("us.anthropic.claude-haiku-4-5-20251001-v1:0"), (4, 3, 31, 505 + 116));
    assert_eq!(around("Claude-3-5-Sonnet"), (4, 3, 31, 262 + 143));
    assert_eq!(around("deepseek/deepseek-chat"), (3, 4, 25, 310));
    assert_eq!(around("an-unknown-model"), around("gpt-4o"));
    assert_eq!(around("euro3"), around("gpt-4o"), "o3 counts at the start of a word");
    assert_eq!(estimator("gpt-4o").tools(0), 0, "no tools, nothing around them");
    assert_eq!(estimator("gpt-4o").message_overhead(Role::Tool), 0, "a result is charged itself");
}

#[test]
fn a_family_without_a_model_determines_the_provider() {
    let claude = Estimator::parse("lexical:claude").unwrap();
    assert_eq!(claude.part_overhead(PartKind::Call), 31);
    let named = claude.clone().for_model(Some("my-proxy"));
    assert_eq!((named.family.as_str(), named.part_overhead(PartKind::Call)), ("claude", 31));
    for name in ["lexical", "lexical:gemini", "host", "host:x@y", "bytes4:a"] {
        let estimator = Estimator::parse(name).unwrap().for_model(Some("claude-3-opus"));
        assert_eq!(Estimator::parse(&estimator.name()).unwrap(), estimator, "{name}");
    }
    assert!(Estimator::parse("lexical@z").unwrap().message_overhead(Role::User) > 0);
}

#[test]
fn the_overhead_of_the_host_s_own_is_counted_once() {
    let call = |overhead: u64| {
        let options =
            json!({ "contextWindow": 9_000, "tune": { "tokens": { "estimator": "lexical", "overhead": overhead } } });
        let call = json!({ "options": options, "window": 9_000, "model": "gpt-4o" });
        Call::parse(&json(&call), Vec::new(), Vec::new(), None, None).unwrap().beside()
    };
    assert_eq!((call(0), call(500)), (3, 503));
}

proptest! {
    /// Whatever a header says, the count is at least one, is limited, and does not panic.
    #[test]
    fn every_medium_has_a_bounded_size(
        kind in 0_u32..8,
        bytes in prop_oneof![Just(0), any::<u64>(), 0_u64..10_000_000],
        width in prop_oneof![Just(0), Just(1), Just(100_000), any::<u32>(), 0_u32..5_000],
        height in prop_oneof![Just(0), Just(1), Just(100_000), any::<u32>(), 0_u32..5_000],
        model in prop::sample::select(vec!["gpt-4o", "gpt-4o-mini", "o4-mini", "claude-opus-4-8", "claude-3", "gemini-2.5", "gemini-3", "grok", "qwen", "mistral", ""]),
    ) {
        let medium = Medium { kind, bytes, width, height, ..Medium::default() };
        let tokens = estimator(model).media(&medium);
        prop_assert!(tokens >= 1);
        if kind == IMAGE {
            prop_assert!(tokens <= 60_000, "{} {:?}", tokens, medium);
        }
    }
}

/// F21 of docs/guarantees.md.
#[test]
fn images_are_named_to_a_summary_and_never_sent_twice() {
    let image = |number: usize| M {
        role: Role::User,
        parts: vec![
            P::Text(format!("picture {number}")),
            P::Media { kind: 0, media_type: "image/png".into(), bytes: 200_000, reference: String::new() },
        ],
    };
    let mut history = Vec::new();
    let mut chat = small_chat(16_000);
    for number in 0..12 {
        history.extend([image(number), assistant(&filler(2_500))]);
        let view = chat.before_model(
            &history,
            Some(&mut |request: &Request| {
                assert!(request.prompt.contains("image/png"), "{}", request.prompt);
                good_summary(request)
            }),
        );
        let view = view.unwrap().view;
        for number in 0..=number {
            let same = view.iter().filter(|message| **message == image(number)).count();
            assert!(same <= 1, "picture {number} is sent {same} times");
        }
    }
}

/// D14 of docs/guarantees.md.
#[test]
fn a_window_of_nothing_is_refused_and_an_image_is_never_nothing() {
    for window in [json!(0), json!(null), json!(-1)] {
        let chat = Chat::new(json!({ "contextWindow": window }));
        assert!(chat.call(&[user("Hello.")]).is_err(), "{window}");
    }
    let image =
        P::Media { kind: 0, media_type: "image/png".into(), bytes: 0, reference: "https://example.com/a.png".into() };
    let records = records(&[M { role: Role::User, parts: vec![image] }], "bytes4");
    assert!(MessageRecord::split(&records).unwrap()[0].tokens() > 0);
}

/// D21 of docs/guarantees.md.
#[test]
fn a_request_that_stays_keeps_its_image() {
    let image = P::Media { kind: 0, media_type: "image/png".into(), bytes: 20_000, reference: String::new() };
    let mut history = tool_turns(12, 1_500);
    history.push(M { role: Role::User, parts: vec![P::Text("What is this?".into()), image] });
    let prepared = send_checked(&mut small_chat(16_000), &history, Some(&mut good_summary));
    assert_eq!(prepared.view.last(), history.last());
}

#[test]
fn what_a_person_attached_stays_while_results_of_the_turn_are_cleared() {
    let mut chat = tail_chat();
    let image = P::Media { kind: 0, media_type: "image/png".into(), bytes: 600, reference: String::new() };
    let asked = M { role: Role::User, parts: vec![P::Text("What is this?".into()), image] };
    let mut history = vec![asked.clone()];
    let mut cleared = false;
    for step in 0..12 {
        history.extend([calls(&["call_0"]), result("call_0", &filler(900)), assistant(&format!("step {step}"))]);
        let prepared = chat.before_model(&history, None).unwrap();
        cleared |= prepared.committed.report.rung == Some("clear");
        if chat.session().checkpoints.is_empty() {
            assert!(prepared.view.contains(&asked), "step {step}");
        }
    }
    assert!(cleared, "nothing was cleared");
}
