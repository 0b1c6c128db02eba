//! Which sentences count as requirements, and what supersedes them. The sentences are labelled by hand:
//! `tests/fixtures/requirements`.

use precis::ingest::content::{Content, ContentPart};
use precis::memory::Memory;
use precis::memory::absorb::{Message, Recollection};
use precis::model::message::Role;
use serde_json::Value;

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/requirements/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("the fixture is there")).expect("it is JSON")
}

fn typed(index: u64, text: &str) -> Message {
    let parts = vec![ContentPart::Text { number: 1, text: text.to_owned() }];
    Message { index, content: Content { role: Role::User, speaker: String::new(), parts }, typed: true }
}

fn remembered(texts: &[&str]) -> Memory {
    let messages: Vec<Message> = (0..).zip(texts).map(|(index, text)| typed(index, text)).collect();
    Recollection::of(&Memory::default(), &messages).memory
}

/// Whether a sentence is among the requirements.
fn is_required(memory: &Memory, sentence: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|char| char.is_alphanumeric()).collect::<String>();
    let wanted = plain(sentence);
    memory.required.iter().any(|entry| {
        let found = plain(&entry.text);
        !found.is_empty() && (wanted.contains(&found) || found.contains(&wanted))
    })
}

#[test]
fn nine_of_ten_requirements_are_found_and_nine_of_ten_found_are_some() {
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    let mut faults = Vec::new();
    let fixture = fixture("sentences");
    for one in fixture["sentences"].as_array().expect("sentences") {
        let text = one["text"].as_str().expect("text");
        let message = one["message"].as_str().unwrap_or(text);
        let found = is_required(&remembered(&[message]), text);
        match (found, one["requires"] == true) {
            (true, true) => right += 1,
            (true, false) => wrong += 1,
            (false, true) => missed += 1,
            (false, false) => continue,
        }
        if found != (one["requires"] == true) {
            faults.push(format!(
                "{} {} {}: {text}",
                if found { "FOUND " } else { "MISSED" },
                one["language"],
                one["source"]
            ));
        }
    }
    let (precision, recall) = (right * 100 / (right + wrong), right * 100 / (right + missed));
    if std::env::var("PRECIS_SHOW").is_ok() {
        println!("{}", faults.join("\n"));
        println!("precision {precision} recall {recall}");
    }
    assert!(precision >= 90 && recall >= 90, "precision {precision} %, recall {recall} %\n{}", faults.join("\n"));
}

#[test]
fn what_is_revoked_changed_or_renamed_is_not_asserted_any_more() {
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    let mut faults = Vec::new();
    let fixture = fixture("revocations");
    let dialogues = fixture["dialogues"].as_array().or_else(|| fixture["revocations"].as_array()).expect("dialogues");
    for one in dialogues {
        let (earlier, later) = (one["earlier"].as_str().expect("earlier"), one["later"].as_str().expect("later"));
        let memory = remembered(&[earlier, later]);
        let all = || memory.required.iter().chain(&memory.decided).chain(&memory.told).chain(&memory.tasks);
        let asserted = all().any(|entry| entry.at == 0 && entry.until.is_none());
        let superseded = !asserted;
        match (superseded, one["relation"] != "none") {
            (true, true) => right += 1,
            (true, false) => wrong += 1,
            (false, true) => missed += 1,
            (false, false) => continue,
        }
        if superseded != (one["relation"] != "none") {
            faults.push(format!(
                "{} {}: {earlier} / {later}",
                if superseded { "FOUND " } else { "MISSED" },
                one["relation"]
            ));
        }
    }
    let (precision, recall) = (right * 100 / (right + wrong).max(1), right * 100 / (right + missed));
    if std::env::var("PRECIS_SHOW").is_ok() {
        println!("{}", faults.join("\n"));
        println!("precision {precision} recall {recall}");
    }
    assert!(precision >= 90 && recall >= 80, "precision {precision} %, recall {recall} %\n{}", faults.join("\n"));
}

#[test]
fn a_sentence_that_begins_like_a_statement_of_a_program_is_one_of_the_users() {
    for sentence in [
        "from now on answer in one sentence only",
        "return only the ids, without names",
        "import lines must be sorted",
        "class names must be singular",
        "+1 555 0100 must be called first",
    ] {
        assert!(is_required(&remembered(&[sentence]), sentence), "{sentence}");
    }
    for line in [
        "from must import never",
        "import never_again",
        "return must_be_set;",
        "class Never(Base):",
        "def always(only):",
        "+ 12 - You must never see this as a rule",
    ] {
        assert!(!is_required(&remembered(&[&format!("Why does it fail?\n{line}")]), line), "{line}");
    }
}

#[test]
fn the_month_of_may_and_what_is_so_for_now_report_no_change() {
    for (earlier, later) in [
        ("The flight to Lisbon leaves on May 21.", "The flight on May 21 has a stop in Porto."),
        ("My reservation number is K7QZPM.", "I don't have the reservation with me right now."),
    ] {
        let memory = remembered(&[earlier, later]);
        let all = memory.required.iter().chain(&memory.decided).chain(&memory.told).chain(&memory.tasks);
        assert!(all.clone().all(|entry| entry.until.is_none()), "{:?}", all.collect::<Vec<_>>());
    }
}
