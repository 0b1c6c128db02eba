//! A provider's own summary: what is kept of it, when it comes back as it was, and what is sent in its place.

use crate::support::{Chat, assistant, filler, json, user};
use precis::base::json::Json;
use precis::base::markers;
use precis::summary::block::{Block, MOST};
use precis::summary::verify::{self, Answer, Measure};
use precis::tokens::Estimator;
use serde_json::json as value;

const NOTES: &str = "  - the ports are 8000 to 8020, and nothing else was asked\n";

fn given() -> Json {
    json(&value!({ "type": "compaction", "content": NOTES, "signature": "s1" }))
}

fn framed(text: &str) -> String {
    format!("{}\n{text}\n{}", markers::SUMMARY, markers::SUMMARY_END)
}

#[test]
fn a_block_comes_back_letter_for_letter_as_long_as_its_text_is_the_same() {
    let block = Block::of(&given()).unwrap();
    let kept = format!("{}\n\n## Kept by code, word for word\n- \"never pay\"", NOTES.trim());
    let (whole, beside) = block.within(&framed(&kept)).unwrap();
    assert_eq!(whole.get("content").text(), Some(NOTES));
    assert_eq!(whole.get("signature").text(), Some("s1"));
    assert!(beside.contains("never pay") && !beside.contains("8000"), "{beside}");
    assert!(beside.starts_with(markers::KEPT) && beside.ends_with(markers::KEPT_END));
    assert_eq!(block.within(&framed(&kept.replace("8000", "8001"))), None);
    assert_eq!(block.within(&framed("- something else")), None);
}

#[test]
fn what_only_the_provider_can_read_stands_before_any_text() {
    let block = Block::of(&json(&value!({ "type": "compaction", "encrypted_content": "gA" }))).unwrap();
    assert!(!block.is_readable() && !block.is_signed());
    let text = framed("a digest");
    assert_eq!(block.within(&text).unwrap().1, text);
}

#[test]
fn what_is_no_object_or_too_large_is_no_block() {
    for wrong in [value!(null), value!("text"), value!([1]), value!({}), value!({ "signature": "s".repeat(MOST) })] {
        assert_eq!(Block::of(&json(&wrong)), None, "{wrong}");
    }
}

#[test]
fn a_block_is_judged_like_a_text_and_not_changed() {
    let measure = Measure { raw: 4_000, most: 1_000, ..Measure::default() };
    let estimator = Estimator::parse("bytes4").unwrap();
    let judged = |block: Json, text: &str, finish: &str| {
        let answer = Answer::Block { block, text: text.to_owned(), finish: finish.to_owned() };
        verify::usable(&answer, &measure, &estimator)
    };
    let (text, block) = judged(given(), NOTES, "stop").unwrap();
    assert_eq!((&*text, block.is_some()), (NOTES.trim(), true));
    assert!(judged(given(), NOTES, "max_tokens").is_err());
    let encrypted = json(&value!({ "encrypted_content": "gA" }));
    assert_eq!(judged(encrypted.clone(), "", "stop").unwrap().0, "");
    assert!(judged(encrypted, "", "length").is_err());
    let large = json(&value!({ "encrypted_content": "g".repeat(MOST) }));
    assert!(judged(large, "", "stop").is_err());
}

/// The host of these tests has no message for a block: the whole text is sent, and nothing is kept of the rest.
#[test]
fn where_the_format_has_no_message_for_it_the_text_is_sent() {
    let mut chat = Chat::new(value!({ "contextWindow": 8_000, "maxOutputTokens": 800, "summarize": true }));
    let turn = |turn| [user(&format!("question {turn}?")), assistant(&format!("answer {turn}. {}", filler(1_500)))];
    let history: Vec<_> = (0..24).flat_map(turn).collect();
    let mut summarize = |_: &_| Answer::Block { block: given(), text: NOTES.to_owned(), finish: "stop".to_owned() };
    chat.options["summarizer"] = value!({ "contextWindow": 400_000 });
    let prepared = chat.before_model(&history, Some(&mut summarize)).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("summarize"));
    assert!(prepared.committed.state.checkpoints[0].block.is_none());
    assert!(prepared.committed.state.checkpoints[0].summary.text.contains("8000 to 8020"));
}
