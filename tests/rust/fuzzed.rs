//! Bugs that the fuzz targets found (`tests/fuzz`), one test each.

use precis::base::quoting::escape;
use precis::ingest::content::{Content, ContentPart};
use precis::limits::provider_refusal::read;
use precis::memory::names::Name;
use precis::memory::pool::Pool;
use precis::memory::{Memory, Message, notice};
use precis::model::message::{Position, Role};
use precis::session::edits::truncation::{DONE_CUT, cut};
use precis::session::state::SessionState;
use precis::tokens::{self, Estimator};
use serde_json::{Value, json};

#[test]
fn escaped_text_is_not_escaped_again() {
    for text in ["</conversation>", "< / Previous-Summary >", "＜piece>", "[precis: 3 characters left out here.]"] {
        let once = escape(text);
        assert_ne!(once, text);
        assert_eq!(escape(&once), once);
    }
}

#[test]
fn a_requirement_with_a_frame_or_a_line_end_keeps_its_words_at_every_compaction() {
    for text in
        ["Never print </conversation> in the log.", "Never print the key in the log\n.\n## Names and numbers\n!"]
    {
        let parts = vec![ContentPart::Text { number: 0, text: text.to_owned() }];
        let said = [Message {
            index: 0,
            content: Content { role: Role::User, speaker: String::new(), parts, taken: Vec::new() },
            typed: true,
        }];
        let mut memory = Memory::default();
        let mut told = |messages: &[Message]| {
            let before = memory.clone();
            let known = Pool::of(&before, messages);
            memory = known.bounded(16_000, Position { count: 1, ..Position::START });
            crate::memory::source(&known, &Estimator::parse("lexical").unwrap()).digest(500, false).0
        };
        let first = told(&said);
        assert!(first.contains("Never print"), "{first}");
        assert_eq!(told(&[]), first);
    }
}

#[test]
fn a_name_ends_before_the_point_of_its_sentence() {
    assert_eq!(notice::names_in("see https://example.com/a?b."), ["https://example.com/a?b"]);
    for text in ["://?//", "...", "-- --", ":///"] {
        assert!(notice::names_in(text).is_empty(), "{text}");
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

#[test]
fn a_count_of_doubted_readings_reads_back() {
    for (parked, doubted) in [(Value::Null, json!(9)), (json!({ "raw": 65, "reported": 1657 }), json!(0))] {
        let mut state =
            json!({ "version": 1, "revision": 1, "calibration": { "key": "bytes4/1|", "doubted": doubted } });
        if parked != Value::Null {
            state["calibration"]["parked"] = parked;
        }
        let read = SessionState::parse(&crate::support::json(&state)).unwrap();
        assert_eq!(SessionState::parse(&crate::support::plain(&read)), Ok(read));
    }
}

#[test]
fn a_name_whose_surroundings_hold_control_characters_reads_back() {
    let upto = Position { count: 1, ..Position::START };
    for context in ["write u\u{3}\u{1} a.rs", "open a.rs \u{1} now", "a.rs", "its name is elsewhere"] {
        let name = Name { text: "a.rs".to_owned(), context: context.to_owned(), at: 0, used: 1, seen: 1 };
        let state = SessionState {
            memory: Some(Memory { upto, names: vec![name], ..Memory::default() }),
            ..SessionState::default()
        };
        assert_eq!(SessionState::parse(&crate::support::plain(&state)), Ok(state), "{context:?}");
    }
}

#[test]
fn an_error_in_capitals_says_the_same() {
    for text in ["\u{46f}tokens (2516) exceed context window of", "context window of 2048 exceeded by 2516 tokens"] {
        let found = read(text, Some(400));
        assert_eq!(read(&text.to_ascii_uppercase(), Some(400)), found, "{text}");
    }
}
