//! Two hundred and sixty consecutive compactions with summaries that fill their limit: nothing grows, and no message is
//! unaccounted for.

use crate::failures::chat;
use crate::failures::turn;
use crate::support::M;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::user;
use crate::support::words;
use precis::report::Outcome;
use precis::session::state::SessionState;
use precis::summary::request::Request;
use precis::summary::verify::Answer;
use serde_json::json;

/// The design limits a state to 64 kB of JSON.
const LARGEST_STATE: usize = 64 * 1024;

fn state_bytes(state: &SessionState) -> usize {
    crate::support::to_value(&crate::support::plain(state)).to_string().len()
}

/// As many words, or characters in scripts without spaces, as the request allows.
fn full(request: &Request, word: &str) -> Answer {
    let bytes = request.max_output_tokens as usize * 4;
    let mut text = String::from("## Current state\n");
    while text.len() + word.len() < bytes {
        text.push_str(word);
    }
    answer(&text)
}

/// `memory`: a limit that is reached early.
fn run(turns: impl Fn(usize) -> Vec<M>, word: Option<&str>, memory: u64) {
    let mut chat = chat(4_000);
    chat.options["tune"]["memory"] = json!(memory);
    let (mut history, mut compactions, mut number) = (Vec::new(), 0, 0);
    let mut sizes = Vec::new();
    let mut told = String::new();
    while compactions < 260 {
        history.extend(turns(number));
        number += 1;
        let mut hear = |request: &Request| {
            told = request.prompt.clone();
            full(request, word.unwrap_or_default())
        };
        let summarize: Option<&mut dyn FnMut(&Request) -> Answer> = if word.is_some() { Some(&mut hear) } else { None };
        let prepared = chat.before_model(&history, summarize).unwrap();
        let report = &prepared.committed.report;
        assert!(report.after.tokens + report.after.bound < report.after.trigger, "turn {number}: {report:?}");
        assert_eq!(added(&prepared.view, &history), Vec::<String>::new(), "turn {number}");
        // Each message is in the view or covered. Uncovered messages follow in order after the covered ones that are
        // kept.
        let state = chat.session();
        let covers = state.checkpoints.last().map_or(0, |checkpoint| checkpoint.covers.count as usize);
        let open = &history[covers..];
        let tail = &prepared.view[prepared.view.len() - open.len()..];
        for (sent, message) in tail.iter().zip(open) {
            let name: String = words(message).chars().take(8).collect();
            assert!(
                sent.role == message.role && words(sent).starts_with(&name) || words(sent).starts_with("[precis"),
                "turn {number}"
            );
        }
        if let Some(checkpoint) = state.checkpoints.last() {
            let kept = checkpoint.head.len() + checkpoint.kept.len();
            let made = 1 + usize::from(checkpoint.note.is_some());
            assert_eq!(prepared.view.len(), made + kept + open.len(), "turn {number}");
        }
        if report.outcome == Outcome::Compacted {
            compactions += 1;
            let bytes = state_bytes(&state);
            assert!(bytes <= LARGEST_STATE, "{bytes} bytes after {compactions} compactions");
            sizes.push(bytes);
        }
    }
    let mean = |part: &[usize]| part.iter().sum::<usize>() / part.len();
    // By then the memory is nearly full: after about 170 compactions in English.
    let (early, late) = (mean(&sizes[180..220]), mean(&sizes[220..260]));
    assert!(late * 100 <= early * 110, "the state grows: {early} bytes early, {late} late");
    assert!(told.len() < 40_000, "the question grows: {} bytes", told.len());
}

#[test]
fn hundreds_of_compactions_with_full_summaries() {
    run(|number| turn(number, 900).to_vec(), Some("word "), 8_000);
}

#[test]
fn hundreds_of_compactions_with_full_summaries_in_chinese() {
    let turns =
        |number: usize| vec![user(&format!("第{number}个问题是什么？")), assistant(&"答案在日志里，请看。".repeat(50))];
    // A turn names little, so 8,000 bytes would be full after more than 300.
    run(turns, Some("摘要里的话"), 4_000);
}

#[test]
fn hundreds_of_compactions_without_a_model() {
    run(|number| turn(number, 900).to_vec(), None, 8_000);
}
