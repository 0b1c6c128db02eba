//! What a digest had to leave out for lack of room returns when there is room again.

use crate::support::ours;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::{M, P, Prepared, assistant, call, filler, result, user, words};
use precis::base::archive::Record;
use precis::base::headings::OPENING;
use precis::base::markers;
use serde_json::json;

const RULES: usize = 12;

fn rule(number: usize) -> String {
    format!("Never change the file module_{number}.rs: it belongs to another team")
}

const BIG: usize = 19_000;

/// How many of the rules are in a view, once it has a summary.
fn told(prepared: &Prepared) -> Option<usize> {
    ours(&prepared.view, markers::SUMMARY).first()?;
    let texts: String = prepared.view.iter().map(words).collect();
    Some((0..RULES).filter(|&number| texts.contains(&rule(number))).count())
}

fn step(number: usize, bytes: usize) -> [M; 2] {
    let id = format!("read_{number}");
    [
        call(&id, "read_file", json!({ "path": format!("/src/part_{number}.rs") })),
        result(&id, &format!("part {number}\n{}", filler(bytes))),
    ]
}

#[test]
fn what_a_squeeze_left_out_is_told_again_when_there_is_room() {
    let mut chat = small_chat(16_000);
    let mut history: Vec<M> = Vec::new();
    for number in 0..RULES {
        history.push(user(&rule(number)));
        history.push(assistant(&format!("Understood, {number}. {}", filler(1_200))));
    }
    history.push(user("Now read all parts and tell me what is wrong with them."));
    let (mut least, mut last) = (RULES, None);
    for number in 0..40 {
        let [mut asked, read] = step(number, 2_000);
        // Sometimes the assistant writes so much that nothing else fits beside it.
        if number == 5 || number == 15 {
            asked.parts.insert(0, P::Text(filler(BIG)));
        }
        history.extend([asked, read]);
        let prepared = send_checked(&mut chat, &history, None);
        if let Some(count) = told(&prepared) {
            least = least.min(count);
            last = Some(count);
        }
    }
    assert!(least < RULES, "nothing was squeezed");
    assert_eq!(last, Some(RULES), "all that is required stands in the view again");
}

#[test]
fn a_clear_that_makes_room_lets_a_shortened_digest_be_told_in_full() {
    let mut chat = small_chat(16_000);
    let mut history: Vec<M> = (0..RULES).flat_map(|number| [user(&rule(number)), assistant(&filler(1_200))]).collect();
    history.push(user("Now read all parts and tell me what is wrong with them."));
    let mut shortened = false;
    for number in 0..30 {
        history.extend(step(number, 2_000));
        let prepared = send_checked(&mut chat, &history, None);
        if told(&prepared) == Some(RULES) && !shortened {
            let mut state = chat.session();
            let newest = state.checkpoints.last_mut().unwrap();
            newest.summary.text = format!("{}\n{OPENING}\n{}", markers::SUMMARY, markers::SUMMARY_END);
            (newest.summary.raw, newest.shortened, shortened) = (40, true, true);
            chat.state = state.to_json();
        } else if prepared.committed.report.rung == Some("clear") {
            assert!(shortened);
            assert_eq!(told(&prepared), Some(RULES));
            assert!(chat.session().checkpoints.last().is_some_and(|newest| !newest.shortened));
            return;
        }
    }
    panic!("nothing was cleared");
}
