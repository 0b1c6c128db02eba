//! Transcripts, notes and digests: nothing in them ends its frame or passes for a line of ours, pieces leave nothing out.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::base::quoting::escape;
use precis::ingest::content::{Content, ContentPart, Value};
use precis::memory::digest::Source;
use precis::memory::pool::Pool;
use precis::memory::progress::Steps;
use precis::memory::{Memory, Message};
use precis::model::message::Role;
use precis::summary::verify::{Answer, Measure, judge};
use precis::summary::{chunk, transcript};
use precis::tokens::{self, Estimator};
use precis_fuzz::texts::{MARKERS, Text};

#[derive(Arbitrary, Debug)]
struct Input {
    said: Vec<(u8, Text)>,
    names: Vec<Text>,
    budget: u16,
    previous: Option<Text>,
    answer: Text,
    lexical: bool,
}

fuzz_target!(|input: Input| precis_fuzz::soon(|| check(&input)));

fn check(input: &Input) {
    let estimator = Estimator::parse(if input.lexical { "lexical" } else { "bytes4" }).unwrap();
    let name = |at: usize| input.names.get(at).map_or_else(|| "tool".to_owned(), |name| name.write(60));
    let messages: Vec<(Content, bool)> = input
        .said
        .iter()
        .take(10)
        .enumerate()
        .map(|(at, (who, body))| message(*who, body.write(12_000), name(at), at))
        .collect();
    let mut lines = transcript::lines(&messages, &estimator);
    let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    for text in &texts {
        harmless(text);
        assert!(text.split('\n').skip(1).all(|line| line.starts_with("| ")), "a line that nobody said: {text}");
        assert_eq!(escape(text), *text, "escaped twice");
    }
    let budget = 64 + usize::from(input.budget) % 8_000;
    harmless(&transcript::render(&lines, budget));

    let ends = chunk::pieces(&mut lines, budget, &estimator);
    assert!(!ends.is_empty() && *ends.last().unwrap() == lines.len() && ends.windows(2).all(|pair| pair[0] < pair[1]));
    let mut joined: Vec<String> = Vec::new();
    for line in &lines {
        match (line.text.strip_prefix("(goes on) "), joined.last_mut()) {
            (Some(rest), Some(text)) => text.push_str(rest),
            _ => joined.push(line.text.clone()),
        }
    }
    assert_eq!(joined.concat(), texts.concat(), "left out between the pieces");
    let groups = chunk::groups(&lines, budget);
    assert!(groups.iter().flat_map(|&(from, to)| from..to).eq(0..lines.len()));

    let previous = input.previous.as_ref().map(|text| text.write(4_000));
    let one =
        |(index, (content, typed)): (u64, &(Content, bool))| Message { index, content: content.clone(), typed: *typed };
    let said: Vec<Message> = (0..).zip(&messages).map(one).collect();
    let nothing = Memory::default();
    let known = Pool::of(&nothing, &said);
    let summary = previous.as_deref().unwrap_or_default();
    let (todos, references, turn) = (&[], None, None);
    let source = Source { known: &known, summary, todos, visible: &|_| false, references, turn, estimator: &estimator };
    let room = 100 + u64::from(input.budget) % 5_000;
    let size = |text: &str| tokens::of_text(&estimator, text);
    let (written, _) = source.digest(room, false);
    assert!(size(&written) <= room + room / 8 + 60, "a digest of {} for {room}", size(&written));
    assert_eq!(source.digest(room, false).0, written);
    let source = Source { turn: Some(0), ..source };
    let steps = if input.lexical { Steps::Follow } else { Steps::Precede };
    if let Some(note) = source.progress(room, steps) {
        assert!(size(&note) <= room + 60, "a note of {} for {room}", size(&note));
        assert_eq!(source.progress(room, steps).as_ref(), Some(&note));
        // Its own first line is ours.
        harmless(note.split_once('\n').map_or("", |(_, rest)| rest));
    }

    let answer = Answer::Text { text: input.answer.write(8_000), finish: "stop".into() };
    let measure = Measure { prompt: &texts.concat(), raw: 2_000, most: 1_000, ..Measure::default() };
    if let Ok(text) = judge(&answer, &measure, &estimator) {
        assert!(!text.is_empty() && precis::tokens::of_text(&estimator, &text) <= 1_000);
    }
}

fn message(who: u8, text: String, name: String, at: usize) -> (Content, bool) {
    let id = format!("call_{}", at / 2);
    let (role, part) = match who % 5 {
        0 => (Role::User, ContentPart::Text { number: 0, text }),
        1 => (Role::Assistant, ContentPart::Text { number: 0, text }),
        2 => (Role::Assistant, ContentPart::Call { number: 0, id, name, input: Value::Text(text) }),
        3 => {
            (Role::Tool, ContentPart::Result { number: 0, id, output: Value::Text(text), failed: at.is_multiple_of(3) })
        }
        _ => {
            let (media_type, reference) = (name, text);
            (
                Role::User,
                ContentPart::Media { number: 0, kind: 0, media_type, reference, bytes: 9, name: String::new() },
            )
        }
    };
    (Content { role, speaker: String::new(), parts: vec![part], taken: Vec::new() }, role == Role::User)
}

/// Nothing in a quotation ends the frame it stands in, or begins a text of ours.
fn harmless(text: &str) {
    for marker in &MARKERS[..7] {
        assert!(!text.contains(marker), "{marker} in {text}");
    }
    let lower = text.to_ascii_lowercase();
    for frame in ["conversation", "previous-summary", "piece", "todo-list"] {
        for tag in [format!("<{frame}"), format!("</{frame}")] {
            assert!(!lower.contains(&tag), "{tag} in {text}");
        }
    }
}
