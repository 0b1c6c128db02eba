//! Two hundred and sixty consecutive compactions with summaries that fill their limit: nothing grows, and no message is
//! unaccounted for.

use crate::support::M;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::small_chat;
use crate::support::tool_turn;
use crate::support::user;
use crate::support::words;
use precis::base::text;
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

/// About as much text as the request allows, no sentence of it twice.
fn full(request: &Request, mut number: usize, sentence: &dyn Fn(usize) -> String) -> Answer {
    let mut text = String::from("## Current state\n");
    loop {
        let next = sentence(number);
        // Most scripts take a byte and more for a quarter of a token, Chinese three for a whole one.
        let tokens = text::characters(&text) * if next.is_ascii() { 1 } else { 4 } / 4;
        if tokens >= request.max_output_tokens as usize / 2 {
            return answer(&text);
        }
        text.push_str(&next);
        number += 1;
    }
}

/// A number in words of a language: `digits` has one for each of its digits.
fn spelled(number: usize, digits: &[&str; 10]) -> String {
    number.to_string().bytes().map(|digit| digits[usize::from(digit - b'0')]).collect()
}

fn english(number: usize) -> String {
    const DIGITS: [&str; 10] =
        ["zero ", "one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine "];
    format!("Part {}was read, its {}words were counted. ", spelled(number, &DIGITS), spelled(number * 37, &DIGITS))
}

fn chinese(number: usize) -> String {
    const DIGITS: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    format!("第{}部分已经看过，内容有{}个字。", spelled(number, &DIGITS), spelled(number * 37, &DIGITS))
}

/// `memory`: a limit that is reached early.
fn run(turns: impl Fn(usize) -> Vec<M>, sentence: Option<&dyn Fn(usize) -> String>, memory: u64) {
    let mut chat = small_chat(4_000);
    chat.options["tune"]["memory"] = json!(memory);
    let (mut history, mut compactions, mut number) = (Vec::new(), 0, 0);
    let mut sizes = Vec::new();
    let (mut told, mut asked) = (String::new(), 0);
    while compactions < 260 {
        history.extend(turns(number));
        number += 1;
        let mut hear = |request: &Request| {
            told = request.prompt.clone();
            asked += 1;
            full(request, asked * 100, sentence.unwrap_or(&english))
        };
        let summarize: Option<&mut dyn FnMut(&Request) -> Answer> =
            if sentence.is_some() { Some(&mut hear) } else { None };
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
            let kept = checkpoint.stays.head.len() + checkpoint.stays.kept.len();
            let made = 1 + usize::from(checkpoint.note.is_some());
            assert_eq!(prepared.view.len(), made + kept + open.len(), "turn {number}");
        }
        if report.outcome == Outcome::Compacted {
            assert_eq!(report.rung, Some(if sentence.is_some() { "summarize" } else { "digest" }), "turn {number}");
            compactions += 1;
            let bytes = state_bytes(&state);
            assert!(bytes <= LARGEST_STATE, "{bytes} bytes after {compactions} compactions");
            sizes.push(bytes);
        }
    }
    let mean = |part: &[usize]| part.iter().sum::<usize>() / part.len();
    // By then the memory is full: after about 170 compactions in English.
    let (early, late) = (mean(&sizes[180..220]), mean(&sizes[220..260]));
    assert!(late * 100 <= early * 107, "the state grows: {early} bytes early, {late} late");
    assert!(told.len() < 40_000, "the question grows: {} bytes", told.len());
}

#[test]
fn hundreds_of_compactions_with_full_summaries() {
    run(|number| tool_turn(number, 900).to_vec(), Some(&english), 8_000);
}

#[test]
fn hundreds_of_compactions_with_full_summaries_in_chinese() {
    let turns =
        |number: usize| vec![user(&format!("第{number}个问题是什么？")), assistant(&"答案在日志里，请看。".repeat(50))];
    // A turn names little, so 8,000 bytes would be full after more than 300.
    run(turns, Some(&chinese), 4_000);
}

#[test]
fn hundreds_of_compactions_without_a_model() {
    run(|number| tool_turn(number, 900).to_vec(), None, 8_000);
}
