//! What a clip and a clear may affect, and what replaces it.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::added;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::end_of;
use crate::support::filler;
use crate::support::plain;
use crate::support::records;
use crate::support::result;
use crate::support::says;
use crate::support::user;
use crate::support::words;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::edits::truncation::{DONE_CUT, cut};
use precis::session::state::Clip;
use precis::tokens::{Estimator, of_text};
use serde_json::json;

fn chat(window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

fn picture(kind: u32, media_type: &str, bytes: u64) -> P {
    P::Media { kind, media_type: media_type.into(), bytes, reference: String::new() }
}

#[test]
fn a_long_argument_of_an_earlier_turn_is_cut_and_its_input_keeps_its_members() {
    let input = json!({ "path": "a.txt", "edits": [{ "at": 7, "text": filler(30_000) }], "force": true });
    let history = [
        user("Write it."),
        call("w", "write", input.clone()),
        result("w", "written"),
        assistant("Done."),
        user("And now?"),
    ];
    let prepared = chat(8_000).before_model(&history, None).unwrap();
    let P::Call { input: cut, name, id } = &prepared.view[1].parts[0] else { panic!("{:?}", prepared.view) };
    assert_eq!((id.as_str(), name.as_str()), ("w", "write"));
    assert_eq!((&cut["path"], &cut["force"], &cut["edits"][0]["at"]), (&input["path"], &input["force"], &json!(7)));
    let text = cut["edits"][0]["text"].as_str().unwrap();
    assert!(text.len() < 12_000 && text.contains(" characters left out here.]"), "{} bytes", text.len());
    assert!(filler(30_000).starts_with(text.split('\n').next().unwrap()));
    assert_eq!(prepared.committed.report.rung, Some("clip"));
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
}

#[test]
fn what_the_assistant_said_in_the_active_turn_is_never_cut() {
    let write = || call("w", "write", json!({ "text": filler(20_000) }));
    let history = [user("Write it."), write(), result("w", "written"), assistant(&filler(8_000))];
    let view = chat(4_000).before_model(&history, None).unwrap().view;
    assert!(!view.iter().any(|message| message.role == Role::Assistant && words(message).contains("[precis: ")));
    assert_eq!(view.last(), history.last());
}

#[test]
fn an_assistants_message_that_is_signed_or_the_newest_is_never_cut() {
    let thought = P::Reasoning { text: "hm".into(), signed: true };
    let signed = M { role: Role::Assistant, parts: vec![thought, P::Text(filler(20_000))] };
    let history = [user("One?"), signed.clone(), user("Two?"), assistant(&filler(9_000)), user("Three?")];
    for message in chat(16_000).before_model(&history, None).unwrap().view {
        assert!(message.role != Role::Assistant || history.contains(&message), "{}", words(&message));
    }
}

#[test]
fn a_long_answer_of_an_earlier_turn_is_cut_before_a_summarizer_is_called() {
    let history = [user("One?"), assistant(&filler(30_000)), user("Two?"), assistant("Short."), user("Three?")];
    let prepared = chat(8_000).before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clip"));
    assert!(words(&prepared.view[1]).contains("characters left out here.]"));
    assert!(!words(&prepared.view[1]).contains("do not repeat"), "no tool said this");
}

#[test]
fn a_document_that_alone_is_too_large_is_described_in_its_place() {
    let pdf = picture(1, "application/pdf", 500_000);
    let history = [M { role: Role::User, parts: vec![pdf, P::Text("What does it say?".into())] }];
    let prepared = chat(20_000).before_model(&history, None).unwrap();
    assert!(prepared.committed.report.outcome != Outcome::Infeasible, "{:?}", prepared.committed.report);
    let text = words(&prepared.view[0]);
    assert!(text.contains("a PDF (application/pdf, 500 kB)") && text.ends_with("What does it say?"), "{text}");
}

#[test]
fn a_message_of_media_alone_never_becomes_empty() {
    let album = M { role: Role::User, parts: (0..9).map(|_| picture(0, "image/png", 40_000)).collect() };
    let history = [album.clone(), assistant("Nice."), album, assistant("Nice again."), user("Which was best?")];
    let prepared = chat(20_000).before_model(&history, None).unwrap();
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
    assert!(says(&prepared.view, "an image (image/png, 40 kB)"));
}

#[test]
fn old_pictures_are_cleared_like_old_results_and_those_of_the_active_turn_stay() {
    let asks = |text: &str| M { role: Role::User, parts: vec![P::Text(text.into()), picture(0, "image/png", 9_000)] };
    let mut history = Vec::new();
    for turn in 0..7 {
        history.extend([asks(&format!("question {turn}")), assistant(&format!("answer {turn}"))]);
    }
    let newest = asks("the last question");
    history.push(newest.clone());
    let mut chat = chat(20_000);
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"));
    assert_eq!(prepared.view.last(), Some(&newest));
    assert!(words(&prepared.view[0]).starts_with("question 0\n[Here was an image (image/png, 9000 bytes)."));
    // The message that was active then is not cleared by that state once it is old.
    history.extend([assistant("the last answer"), user("thanks")]);
    assert!(chat.before_model(&history, None).unwrap().view.contains(&newest));
}

#[test]
fn pictures_inside_a_result_go_with_it_and_are_named_when_only_they_go() {
    let shot = |id: &str| {
        let output = P::Result { id: id.into(), output: filler(400).into(), failed: false };
        [calls(&[id]), M { role: Role::Tool, parts: vec![output, picture(0, "image/png", 90_000)] }]
    };
    let mut history = vec![user("Look.")];
    history.extend(shot("a"));
    history.extend([assistant("Seen."), user("Again."), assistant("No need."), user("Well.")]);
    let prepared = chat(20_000).before_model(&history, None).unwrap();
    assert_eq!(prepared.view[2].parts.len(), 1);
    let text = words(&prepared.view[2]);
    assert!(text.contains("[precis: "), "{text}");
    assert_eq!(added(&prepared.view, &history), Vec::<String>::new());
}

#[test]
fn media_are_charged_as_they_are_sent() {
    let history = [M { role: Role::User, parts: vec![P::Text("see:".into()), picture(1, "application/pdf", 500_000)] }];
    let report = chat(20_000).before_model(&history, None).unwrap().committed.report;
    assert_eq!(report.after.parts.media, 0, "{:?}", report.after);
}

#[test]
fn equal_copies_are_matched_to_their_own_originals_in_a_view_passed_as_history() {
    let long = |middle: &str| json!({ "text": format!("{}{middle}{}", filler(15_000), filler(15_000)) });
    let turn =
        |middle| [user("Write it."), call("w", "write", long(middle)), result("w", "written"), assistant("Done.")];
    let history = [&turn("here")[..], &turn("gone")[..], &[user("And now?")]].concat();
    let (mut raw, mut fed) = (chat(8_000), chat(8_000));
    let given = raw.before_model(&history, None).unwrap().view;
    fed.before_model(&history, None).unwrap();
    assert_eq!(given[1], given[5]);

    let more = [assistant("Yes."), user("Then?")];
    raw.before_model(&[&history[..], &more].concat(), None).unwrap();
    fed.before_model(&[&given[..], &more].concat(), None).unwrap();
    assert_eq!(fed.session(), raw.session());
}

#[test]
fn results_of_calls_that_failed_are_cleared_first() {
    let turn = |id: &str, failed: bool| {
        let mut result = result(id, &filler(8_000));
        if let P::Result { failed: flag, .. } = &mut result.parts[0] {
            *flag = failed;
        }
        [user(&format!("Try {id}.")), call(id, "run", json!({ "id": id })), result, assistant("Hm.")]
    };
    let kept = |view: &[M]| -> Vec<bool> {
        let output = |message: &M| match &message.parts[0] {
            P::Result { output, .. } => Some(output.as_str().unwrap().len() > 5_000),
            _ => None,
        };
        view.iter().filter_map(output).collect()
    };
    let mut chat = chat(18_000);
    let mut history = [turn("a", true), turn("b", false), turn("c", true), turn("d", false)].concat();
    history.push(user("And now?"));
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clear"));
    assert_eq!(kept(&prepared.view), [false, true, false, true]);

    // They stay so, and a view passed as history gives the same result. Later the others follow.
    let mut fed = chat.clone();
    let more = [assistant("So."), user("Again.")];
    let again = chat.before_model(&[&history[..], &more].concat(), None).unwrap();
    assert_eq!(again.view[..history.len()], prepared.view[..]);
    let given = fed.before_model(&[&prepared.view[..], &more].concat(), None).unwrap();
    assert_eq!((given.view, fed.session()), (again.view, chat.session()));
    history.extend(more);
    history.extend([&turn("e", false)[..], &turn("f", false)[..], &turn("g", false)[..], &[user("Last.")]].concat());
    let later = kept(&chat.before_model(&history, None).unwrap().view);
    assert!(later.starts_with(&[false, false, false, false]), "{later:?}");
}

/// The result of a booking system, with names that are needed later.
fn booking(id: &str, flights: [&str; 3]) -> String {
    let flight = |number: &&str| {
        json!({ "flight_number": number, "origin": "Newark", "destination": "Chicago O'Hare", "cabin": "economy",
            "departs": "in the morning", "arrives": "around noon" })
    };
    json!({
        "reservation_id": id, "user": "a frequent traveller", "trip": "round trip", "notes": filler(160),
        "flights": flights.iter().map(flight).collect::<Vec<_>>(), "status": "open"
    })
    .to_string()
}

#[test]
fn a_cut_result_names_what_is_left_out() {
    let text = booking("QKRY03", ["HAT056", "HAT138", "HAT202"]);
    let estimator = Estimator::parse("bytes4").unwrap();
    for cap in [100, 120, 150] {
        let short = cut(&text, cap, DONE_CUT, &[], &estimator);
        assert!(of_text(&estimator, &short) <= cap, "{short}");
        assert!(serde_json::from_str::<serde_json::Value>(&short).is_ok(), "{short}");
        for name in ["HAT056", "HAT138", "HAT202"] {
            assert!(short.contains(name), "{name}: {short}");
        }
    }
}

/// Clips and then clears the results, or the other way round. The names are kept, and a view passed as history gives
/// the same result as its history.
#[test]
fn names_survive_a_cut_and_a_clear_in_either_order() {
    let flights = ["HAT056", "HAT138", "HAT202"];
    let history = || {
        let mut history = vec![user("Look at my bookings.")];
        for id in ["call_0", "call_1", "call_2"] {
            history.extend([calls(&[id]), result(id, &booking("QKRY03", flights)), assistant("I see.")]);
        }
        history.push(user("And now?"));
        history
    };
    let end = end_of(&records(&history(), "bytes4")).unwrap();
    for order in [["clip", "clear"], ["clear", "clip"]] {
        let mut raw = chat(100_000);
        let mut given = history();
        for edit in order {
            assert_eq!(raw.clone().before_model(&given, None).unwrap().view, given, "{order:?} before {edit}");
            let mut state = raw.session();
            if edit == "clip" {
                let cleared = state.cleared.map_or(0, |cleared| cleared.count);
                state.clip(Clip { up_to: end, cap: 120, cleared, ..Clip::default() });
            } else {
                state.cleared = Some(end);
            }
            raw.state = plain(&state);
            given = raw.before_model(&history(), None).unwrap().view;
            for message in given.iter().filter(|message| message.role == Role::Tool) {
                let text = words(message);
                assert!(text.contains("[precis"), "{text}");
                assert!(flights.iter().all(|flight| text.contains(flight)), "{order:?} after {edit}: {text}");
            }
        }
        assert_eq!(raw.before_model(&given, None).unwrap().view, given, "{order:?}");
        assert_eq!(raw.before_model(&history(), None).unwrap().view, given, "{order:?}");
    }
}
