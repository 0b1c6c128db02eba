//! What a clip and a clear may affect, and what replaces it.

use crate::support::Chat;
use crate::support::M;
use crate::support::P;
use crate::support::added;
use crate::support::answer;
use crate::support::assistant;
use crate::support::call;
use crate::support::calls;
use crate::support::end_of;
use crate::support::filler;
use crate::support::good_summary;
use crate::support::plain;
use crate::support::recorded;
use crate::support::records;
use crate::support::result;
use crate::support::says;
use crate::support::send_checked;
use crate::support::small_chat;
use crate::support::strategy_chats;
use crate::support::tail_chat;
use crate::support::tool_steps;
use crate::support::tool_turns;
use crate::support::user;
use crate::support::words;
use precis::base::markers;
use precis::model::message::Role;
use precis::report::Outcome;
use precis::session::clip::Clip;
use precis::session::edits::truncation::{DONE_CUT, cut};
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

/// F17 of docs/guarantees.md.
#[test]
fn one_giant_result_paste_or_answer_does_not_break_the_window() {
    for window in [4_000_u64, 8_000, 32_000] {
        let giant = filler(window as usize * 12);
        let result_history = [tool_turns(2, 200), vec![user("Read it."), calls(&["r"]), result("r", &giant)]].concat();
        let paste = [tool_turns(2, 200), vec![user(&giant)]].concat();
        let said = [tool_turns(2, 200), vec![user("Tell me everything."), assistant(&giant), user("Thanks. And now?")]]
            .concat();
        for (name, history) in [("result", result_history), ("paste", paste), ("answer", said)] {
            let mut chat = small_chat(window);
            let prepared = send_checked(&mut chat, &history, None);
            assert!(!prepared.view.is_empty(), "{name} {window}");
            let newest = words(prepared.view.last().unwrap());
            assert!(newest.starts_with("line 0 of") || newest.starts_with("Thanks"), "{name} {window}: {newest}");
        }
    }
}

/// A1 of the original preset.
#[test]
fn a_result_that_triggers_compaction_is_seen_by_the_model() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(3, 400);
        history.push(user("Read the log."));
        history.push(calls(&["log"]));
        history.push(result("log", &format!("START {} END", filler(60_000))));
        let prepared = send_checked(&mut chat, &history, Some(&mut good_summary));
        let newest = words(prepared.view.last().unwrap());
        assert!(newest.starts_with("START") && newest.ends_with("END"), "{strategy}: clipped in its middle");
        assert!(newest.contains("[precis: "), "{strategy}: and said so");
    }
}

/// A5 of the original preset.
#[test]
fn a_giant_request_is_cut_and_asks_for_one_summary_at_most() {
    for (strategy, mut chat) in strategy_chats(8_000) {
        let mut history = tool_turns(2, 400);
        history.push(user(&format!("Explain this: {} What is wrong with it?", filler(40_000))));
        let mut asked = Vec::new();
        let prepared = send_checked(&mut chat, &history, Some(&mut recorded(&mut asked, good_summary)));
        let newest = words(prepared.view.last().unwrap());
        assert!(newest.starts_with("Explain this:") && newest.ends_with("What is wrong with it?"), "{strategy}");
        assert!(asked.len() <= 1, "{strategy}: {}", asked.len());
    }
}

/// A compaction by hand has nothing to cover here, but the large message must still be cut.
#[test]
fn compaction_by_hand_still_clips_what_does_not_fit() {
    for (_, mut chat) in strategy_chats(8_000) {
        chat.more = json!({ "compact": true });
        let history = [user("read it"), calls(&["x"]), result("x", &filler(20_000))];
        send_checked(&mut chat, &history, Some(&mut good_summary));
    }
}

/// X01 of docs/guarantees.md.
#[test]
fn clips_end_on_character_boundaries() {
    for shift in 0..8 {
        let mut chat = small_chat(4_000);
        let text = format!("{}{}", "a".repeat(shift), "😀é漢".repeat(6_000));
        let history = [user("Read."), calls(&["r"]), result("r", &text)];
        let prepared = send_checked(&mut chat, &history, None);
        let sent = words(prepared.view.last().unwrap());
        assert!(sent.len() < text.len() && !sent.contains('\u{FFFD}'), "shift {shift}");
    }
}

/// X20 of docs/guarantees.md.
#[test]
fn where_something_was_removed_the_view_says_so() {
    let mut history = vec![user("Compare the files.")];
    history.extend(tool_steps(8, 1_500));
    let prepared = send_checked(&mut small_chat(6_000), &history, None);
    let removed = prepared.view.iter().filter(|message| words(message).contains(markers::NOTICE)).count();
    assert!(removed > 0);
    for message in prepared.view.iter().filter(|message| message.role == Role::Tool && !history.contains(message)) {
        assert!(words(message).contains("would do it again"), "{}", words(message));
    }
}

/// D06 of docs/guarantees.md.
#[test]
fn the_newest_outputs_are_the_last_to_be_cut() {
    let mut history = vec![user("Go.")];
    history.extend(tool_steps(12, 1_000));
    let prepared = send_checked(&mut small_chat(6_000), &history, None);
    assert_eq!(prepared.view.last(), history.last(), "the newest result is whole");
}

/// D17 of docs/guarantees.md.
#[test]
fn no_text_is_ever_emptied() {
    let mut history = vec![user("Read."), calls(&["r"]), result("r", &filler(50_000))];
    history.extend(tool_steps(10, 2_000));
    let prepared = send_checked(&mut small_chat(4_000), &history, None);
    for message in &prepared.view {
        for part in &message.parts {
            let empty = match part {
                P::Text(text) => text.is_empty(),
                P::Result { output, .. } => output.as_str() == Some(""),
                _ => false,
            };
            assert!(!empty, "{message:?}");
        }
    }
}

/// D20 of docs/guarantees.md.
#[test]
fn one_giant_response_is_cut_whatever_the_number_of_calls() {
    for number in 1..=7 {
        let mut history = vec![user("Read.")];
        history.extend(tool_steps(number, 20));
        history.extend([calls(&["giant"]), result("giant", &filler(60_000))]);
        let prepared = send_checked(&mut small_chat(4_000), &history, None);
        let newest = words(prepared.view.last().unwrap());
        assert!(newest.starts_with("line 0") && newest.contains(markers::NOTICE), "{number} calls before it");
    }
}

#[test]
fn a_part_as_large_as_the_cap_of_a_clip_stays_whole() {
    let mut chat = tail_chat();
    let mut history = vec![user("Read."), calls(&["call_0"]), result("call_0", &filler(40_000)), assistant("Read.")];
    history.push(user("Again."));
    chat.before_model(&history, None).unwrap();
    let cap = chat.session().clips[0].cap as usize;
    // Within the reach of the clip. The result is replaced by another one, which changes no hash.
    history[2] = result("call_0", &filler(cap * 4));
    let view = chat.before_model(&history, None).unwrap().view;
    assert_eq!(view[2], history[2]);
    history[2] = result("call_0", &filler(cap * 4 + 4));
    let view = chat.before_model(&history, None).unwrap().view;
    assert!(words(&view[2]).contains("left out"), "{}", words(&view[2]));
}

#[test]
fn what_is_cut_to_fit_is_cut_once_and_no_more_than_needed() {
    let mut chat = tail_chat();
    // The last assistant message is not cut. With it, the target is out of reach, but the trigger is not.
    let history = [user(&filler(30_000)), assistant(&filler(7_200))];
    let report = chat.before_model(&history, Some(&mut |_| answer("Notes."))).unwrap().committed.report;
    let after = report.after.tokens + report.after.bound;
    let trigger = report.after.trigger;
    assert!(report.after.bound > 0 && after < trigger && after > trigger * 9 / 10, "{report:?}");
    assert_eq!(chat.session().clips.len(), 1);
}

#[test]
fn a_pinned_part_is_no_part_of_what_a_cut_gains() {
    let mut chat = tail_chat();
    chat.pinned = vec![1];
    // Larger than the cap of the other one.
    let history = [user("Write it."), assistant(&filler(6_000)), user(&filler(30_000)), assistant("Done.")];
    let prepared = chat.before_model(&history, None).unwrap();
    assert!(chat.session().clips[0].cap < 1_000, "{:?}", chat.session().clips);
    let after = prepared.committed.report.after;
    assert!(after.tokens + after.bound < after.trigger, "{after:?}");
    assert!(prepared.view.contains(&history[1]));
    assert_eq!(chat.session().clips.len(), 1, "the first cut was enough");
}

#[test]
fn what_a_person_wrote_is_cut_last() {
    let mut chat = tail_chat();
    let history = [
        user(&filler(3_900)),
        assistant("Let me look."),
        user("Do."),
        calls(&["call_0"]),
        result("call_0", &filler(6_000)),
        assistant("Read."),
        user("Go on."),
    ];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("clip"));
    assert_eq!(prepared.view[0], history[0]);
    assert_ne!(prepared.view[4], history[4]);
}

#[test]
fn a_cut_ends_within_its_cap_whatever_a_byte_counts() {
    use precis::tokens::{Estimator, of_text};
    for text in ["4711 0815 ", "订单已经发货", "🦀🐙", "naïve façade ", "{[()]}"] {
        let mut chat = tail_chat();
        chat.options["tune"]["tokens"]["estimator"] = json!("lexical");
        let giant = result("call_0", &text.repeat(60_000 / text.len()));
        let history = [user("Read."), calls(&["call_0"]), giant, assistant("Read."), user("Go on.")];
        let view = chat.before_model(&history, None).unwrap().view;
        let cap = chat.session().clips[0].cap;
        let tokens = of_text(&Estimator::parse("lexical").unwrap(), &words(&view[2]));
        assert!(tokens > 0 && tokens <= cap, "{text}: {tokens} of {cap}");
    }
}

#[test]
fn only_the_newest_cuts_are_remembered() {
    let mut state = precis::session::state::SessionState::default();
    for cap in 1..30 {
        let up_to = precis::model::message::Position { count: cap, chain: cap };
        state.clip(Clip { up_to, cap, ..Default::default() });
    }
    assert_eq!(state.clips.iter().map(|clip| clip.cap).collect::<Vec<_>>(), (6..30).collect::<Vec<_>>());
}
