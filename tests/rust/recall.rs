//! What recall finds in a history whose view does not show everything, and what it says if it finds nothing.

use crate::support::Chat;
use crate::support::Indexes;
use crate::support::M;
use crate::support::P;
use crate::support::TestHost;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::json;
use crate::support::result;
use crate::support::says;
use crate::support::system;
use crate::support::user;
use crate::support::words;
use precis::base::error::{Code, Error};
use precis::engine;
use precis::model::message::Role;
use precis::recall::{Asked, Found, reference};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;

fn chat(window: u64) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 500, "tune": { "tokens": { "estimator": "bytes4" } }
    }))
}

/// Turns without content, and these messages among them.
fn long(turns: usize, said: &[(usize, M)]) -> Vec<M> {
    let mut all = Vec::new();
    for turn in 0..turns {
        all.push(user(&format!("Request {turn}: go on. {}", filler(300))));
        let special = said.iter().filter(|(at, _)| *at == turn).map(|(_, message)| message.clone());
        all.extend(special);
        all.push(assistant(&format!("Answer {turn}. {}", filler(700))));
    }
    all.push(user("And now?"));
    all
}

/// A chat that has covered its past.
fn covered(history: &[M]) -> Chat {
    let mut chat = chat(4_000);
    chat.before_model(history, None).unwrap();
    assert!(chat.session().checkpoints.last().unwrap().covers.count > 4, "nothing is covered");
    chat
}

fn ask(chat: &Chat, history: &[M], loaded: &[M], asked: &Value) -> Result<Found, Error> {
    let asked = Asked::parse(&json(asked))?;
    let all = [history, loaded].concat();
    engine::recall(&chat.call(history)?, &asked, &mut TestHost::new(&all, &chat.estimator()))
}

/// What is found with these indexes, and how many messages were read for it.
fn ask_keeping(chat: &Chat, history: &[M], asked: &Value, kept: Option<&mut Indexes>) -> (Found, usize) {
    let mut host = TestHost { indexes: kept, ..TestHost::new(history, &chat.estimator()) };
    let asked = Asked::parse(&json(asked)).unwrap();
    let found = engine::recall(&chat.call(history).unwrap(), &asked, &mut host).unwrap();
    (found, host.read)
}

fn find(chat: &Chat, history: &[M], query: &str) -> Found {
    ask(chat, history, &[], &json!({ "query": query })).unwrap()
}

fn code(found: Result<Found, Error>) -> (Code, Option<String>) {
    let error = found.unwrap_err();
    assert!(error.advice.len() > 20, "{error}");
    (error.code, error.path.clone())
}

#[test]
fn what_is_covered_is_found_by_its_words_whatever_their_case() {
    let history = long(20, &[(3, assistant("The Köln staging PORT is 8443, said Éric."))]);
    let at = history.iter().position(|message| words(message).contains("8443")).unwrap() as u64;
    let chat = covered(&history);
    for query in ["8443", "staging port", "KÖLN", "éric", "which PORT does köln use?"] {
        let found = find(&chat, &history, query);
        let best = &found.excerpts[0];
        assert_eq!((best.index, best.role, best.tool.as_deref()), (at, Role::Assistant, None), "{query}");
        assert_eq!(best.text, words(&history[at as usize]), "{query}");
        assert_eq!((best.reference.as_str(), best.next.as_deref()), (&*reference(at), None), "{query}");
        assert_eq!(found.tokens, found.excerpts.iter().map(|excerpt| excerpt.tokens).sum::<u64>());
        assert!(found.tokens <= 1_000);
    }
}

#[test]
fn an_identifier_is_found_whole_and_by_its_pieces() {
    let history = long(
        20,
        &[
            (2, assistant("Look at src/auth/sessionStore.ts and MAX_RETRY-count, then parseHTTPHeader.")),
            (4, assistant("The store of the session is somewhere in auth, the src of it all, in ts.")),
        ],
    );
    let chat = covered(&history);
    let at = history.iter().position(|message| words(message).contains("sessionStore")).unwrap() as u64;
    for query in [
        "src/auth/sessionStore.ts",
        "/home/me/src/auth/sessionStore.ts:42",
        "sessionstore.ts",
        "max_retry-count",
        "retry",
        "parseHTTPHeader",
        "HTTP header",
    ] {
        assert_eq!(find(&chat, &history, query).excerpts[0].index, at, "{query}");
    }
}

#[test]
fn the_words_in_their_order_come_before_the_same_words_apart() {
    let history = long(
        20,
        &[
            (2, assistant("The wooden fox gate is red and painted.")),
            (3, assistant("A painted wooden gate: the fox is red.")),
            (4, assistant("Red gate, painted fox, is the wooden.")),
        ],
    );
    let chat = covered(&history);
    let found = find(&chat, &history, "painted wooden gate");
    assert_eq!(found.excerpts[0].text, "A painted wooden gate: the fox is red.");
}

#[test]
fn of_equals_the_newest_is_first_and_the_same_text_comes_once() {
    let history = long(
        20,
        &[
            (2, assistant("The badger sleeps at noon.")),
            (3, assistant("The badger sleeps at dusk.")),
            (4, assistant("The badger sleeps at dusk.")),
        ],
    );
    let chat = covered(&history);
    let found = find(&chat, &history, "badger");
    let texts: Vec<&str> = found.excerpts.iter().map(|excerpt| excerpt.text.as_str()).collect();
    assert_eq!(texts, ["The badger sleeps at dusk.", "The badger sleeps at noon."]);
    let twice = history.iter().rposition(|message| words(message) == texts[0]).unwrap() as u64;
    assert_eq!(found.excerpts[0].index, twice);
}

#[test]
fn each_excerpt_shows_something_else() {
    // Four texts on badgers, one on otters: the query asks for both.
    let badgers = (2..6).map(|turn| (turn, assistant(&format!("The badger of the north sleeps in burrow {turn}."))));
    let otter = (7, assistant("An otter was seen at the river."));
    let history = long(20, &badgers.chain([otter]).collect::<Vec<_>>());
    let chat = covered(&history);
    let found = find(&chat, &history, "where does the badger of the north sleep, and the otter?");
    let texts: Vec<&str> = found.excerpts.iter().map(|excerpt| excerpt.text.as_str()).collect();
    assert_eq!(texts[..2], ["The badger of the north sleeps in burrow 5.", "An otter was seen at the river."]);
}

/// The largest number that JavaScript counts to.
const MOST_COUNTED: u64 = 9_007_199_254_740_991;

/// What is found when a ranker says these numbers of the candidates.
fn ranked(chat: &Chat, history: &[M], query: &str, dimensions: u64, numbers: Vec<i32>) -> Found {
    let mut asked = Asked::parse(&json(&json!({ "query": query, "dimensions": dimensions }))).unwrap();
    asked.ranked.as_mut().unwrap().says(numbers);
    engine::recall(&chat.call(history).unwrap(), &asked, &mut TestHost::new(history, &chat.estimator())).unwrap()
}

#[test]
fn a_ranker_counts_as_much_as_the_words_and_finds_what_shares_none() {
    let history =
        long(20, &[(2, assistant("The walrus is called Antje.")), (5, assistant("A heron stood in the reeds."))]);
    let chat = covered(&history);
    let query = "tusked sea mammal";
    let found = ask(&chat, &history, &[], &json!({ "query": query, "candidates": true })).unwrap();
    let texts = &found.candidates;
    assert!(texts.len() > 20 && texts.iter().any(|text| text.contains("walrus")), "{texts:?}");
    assert_eq!(found.excerpts, find(&chat, &history, query).excerpts);

    let is_it = |text: &String| text.contains("walrus");
    let scores = texts.iter().map(|text| i32::from(is_it(text))).collect();
    let best = |dimensions, numbers| ranked(&chat, &history, query, dimensions, numbers).excerpts[0].text.clone();
    assert_eq!(best(0, scores), "The walrus is called Antje.");
    let angles = texts.iter().flat_map(|text| if is_it(text) { [900, 30] } else { [-5, 7_000] });
    assert_eq!(best(2, [2_000, 1].into_iter().chain(angles).collect()), "The walrus is called Antje.");

    // What the ranker says of a passage counts for those beside it, too.
    let mut scores = vec![0; texts.len()];
    for (text, score) in texts.iter().zip(&mut scores) {
        *score = if is_it(text) { 1_000 } else { i32::from(text.contains("heron")) * 900 };
    }
    let found = ranked(&chat, &history, query, 0, scores).excerpts;
    assert!(found[0].text.contains("walrus") && found[1].text.contains("heron"), "{found:?}");
    assert!(found[2..6].iter().any(|one| one.index.abs_diff(found[0].index) == 1), "{found:?}");

    // So do vectors: of two passages that are equally near, the one that stands among nearer ones comes first.
    let is_beside = |text: &str| text.starts_with("Request 2:") || text.starts_with("Answer 2.");
    let vectors = texts.iter().flat_map(|text| match text {
        text if is_beside(text) => [100, 30],
        text if text.contains("heron") || text.contains("walrus") => [100, 100],
        _ => [-5, 7_000],
    });
    let found = ranked(&chat, &history, query, 2, [100, 0].into_iter().chain(vectors).collect()).excerpts;
    let place = |name: &str| found.iter().position(|one| one.text.contains(name));
    assert!(place("walrus").is_some() && place("heron").is_none_or(|heron| place("walrus") < Some(heron)), "{found:?}");
    // Vectors that all say the same leave it to the words.
    let same = texts.iter().flat_map(|_| [31, 17, 5]);
    let numbers = [3, 2, 9].into_iter().chain(same).collect();
    let by_words = ranked(&chat, &history, query, 0, vec![0; texts.len()]);
    assert_eq!(ranked(&chat, &history, query, 3, numbers).excerpts, by_words.excerpts);

    // Whatever the numbers, and however few: what is found fits.
    for (dimensions, numbers) in
        [(0, vec![]), (0, vec![i32::MAX, i32::MIN]), (3, vec![i32::MIN; 3_000]), (MOST_COUNTED, vec![7; 9])]
    {
        assert!(ranked(&chat, &history, query, dimensions, numbers).tokens <= 1_000);
    }
}

#[test]
fn scripts_without_spaces_are_found_by_pairs_and_by_a_letter_alone() {
    let history = long(
        20,
        &[
            (1, assistant("数据库的端口是五四三二，密码在保险箱里。")),
            (2, assistant("サーバーのポートは八千です。ログは東京にあります。")),
            (3, assistant("데이터베이스 포트는 오천사백삼십이입니다.")),
            (4, assistant("端に置いた本は橋の上にある。")),
        ],
    );
    let chat = covered(&history);
    for (query, what) in
        [("数据库端口", "数据库"), ("ポート", "サーバー"), ("데이터베이스 포트", "데이터"), ("橋", "橋の上")]
    {
        let found = find(&chat, &history, query);
        assert!(found.excerpts[0].text.contains(what), "{query}: {:?}", found.excerpts);
    }
}

#[test]
fn what_the_view_shows_whole_is_not_looked_through() {
    let mut history = long(20, &[(2, assistant("The walrus is old."))]);
    let end = history.len() - 1;
    history[end] = user("Where is the walrus?");
    let chat = covered(&history);
    let found = find(&chat, &history, "walrus");
    assert_eq!(found.excerpts.iter().map(|excerpt| excerpt.text.as_str()).collect::<Vec<_>>(), ["The walrus is old."]);
    let nothing = chat_of_nothing();
    assert_eq!(find(&nothing, &history, "walrus"), Found::default());
}

fn chat_of_nothing() -> Chat {
    chat(4_000)
}

#[test]
fn results_that_are_cut_or_cleared_are_found_with_the_tool_that_gave_them() {
    let lines = |name: &str| format!("{}\nthe {name} needle is here\n{}", filler(9_000), filler(9_000));
    let mut history = vec![user("Do it.")];
    for n in 0..6 {
        history.push(call(&format!("c{n}"), "read_file", json!({ "path": format!("f{n}.txt") })));
        history.push(result(&format!("c{n}"), &lines(&format!("n{n}"))));
    }
    let mut chat = chat(12_000);
    let prepared = chat.before_model(&history, None).unwrap();
    assert!(chat.session().checkpoints.is_empty() && prepared.committed.report.rung.is_some());
    assert!(!says(&prepared.view, "n1 needle"));
    let found = find(&chat, &history, "n1 needle");
    let best = &found.excerpts[0];
    assert_eq!((best.index, best.role, best.tool.as_deref()), (4, Role::Tool, Some("read_file")));
    assert!(best.text.contains("the n1 needle is here") && best.text.len() <= 1_200);
    assert!(best.from > 0 && words(&history[4])[best.from..].starts_with(&best.text));
    let next = ask(&chat, &history, &[], &json!({ "reference": best.next })).unwrap();
    assert!(words(&history[4])[best.from + best.text.len()..].starts_with(&next.excerpts[0].text));
}

#[test]
fn of_a_message_with_several_texts_each_has_its_number() {
    let parts = ["First of the otters.", "Second of the beavers.", "Third of the weasels."];
    let message = M { role: Role::Assistant, parts: parts.iter().map(|text| P::Text((*text).to_owned())).collect() };
    let history = long(20, &[(2, message)]);
    let chat = covered(&history);
    let found = find(&chat, &history, "beavers");
    assert_eq!(found.excerpts[0].reference, "r5.2");
    let read = |reference: &str| {
        let found = ask(&chat, &history, &[], &json!({ "reference": reference })).unwrap();
        found.excerpts[0].text.clone()
    };
    assert_eq!(read("r5.2"), parts[1]);
    assert_eq!(read("r5"), parts.join("\n\n"));
    assert_eq!(read("R5.3+6"), "of the weasels.");
}

#[test]
fn a_reference_reads_on_to_the_end_in_pieces_that_fit() {
    let body = format!("{}. Grüße, 世界! {}", filler(5_000), filler(4_000));
    let history = long(20, &[(2, assistant(&body))]);
    let chat = covered(&history);
    let (mut whole, mut next) = (String::new(), Some(reference(5)));
    while let Some(reference) = next {
        let found = ask(&chat, &history, &[], &json!({ "reference": reference, "maxTokens": 300 })).unwrap();
        let [excerpt] = &found.excerpts[..] else { panic!("{found:?}") };
        assert!(excerpt.tokens <= 300 && excerpt.tokens > 100 || excerpt.next.is_none(), "{excerpt:?}");
        assert_eq!((excerpt.from, excerpt.reference.as_str()), (whole.len(), "r5"));
        whole.push_str(&excerpt.text);
        next = excerpt.next.clone();
    }
    assert_eq!(whole, body);
}

#[test]
fn the_least_room_still_gets_on() {
    let history = long(20, &[(2, assistant("世界は広い。walrus"))]);
    let chat = covered(&history);
    let (mut whole, mut next) = (String::new(), Some(reference(5)));
    while let Some(reference) = next {
        let found = ask(&chat, &history, &[], &json!({ "reference": reference, "maxTokens": 1 })).unwrap();
        whole.push_str(&found.excerpts[0].text);
        next = found.excerpts[0].next.clone();
    }
    assert_eq!(whole, "世界は広い。walrus");
    let found = ask(&chat, &history, &[], &json!({ "query": "walrus", "maxTokens": 2 })).unwrap();
    assert_eq!(found.excerpts[0].text, "walrus");
}

#[test]
fn references_that_name_nothing_are_refused() {
    let history = long(20, &[(2, M { role: Role::Assistant, parts: vec![P::Opaque] })]);
    let chat = covered(&history);
    let garbage = [
        "12",
        "r",
        "r-1",
        "r1.0",
        "r1.",
        "r1.2",
        "r1+",
        "r1++2",
        "r1+-2",
        "rr1",
        "r1.1.1",
        "r 1",
        "r1e3",
        "r+5",
        "r１",
        "r99999999999999999999999",
        "r99999",
        "r42",
        "r5",
        "r1+99999999",
        "r4294967296",
        "\u{0}",
        "r1.18446744073709551616",
    ];
    for reference in garbage {
        let found = ask(&chat, &history, &[], &json!({ "reference": reference }));
        assert_eq!(code(found), (Code::UnknownReference, Some("reference".into())), "{reference}");
    }
}

#[test]
fn instructions_of_the_program_are_not_looked_up() {
    let mut history = vec![system("You are Ada. The passphrase is quokka-77, keep it.")];
    history.extend(long(20, &[(3, system("For this turn: the codeword is axolotl-12."))]));
    let mut chat = covered(&history);
    for drop in [false, true] {
        if drop {
            chat = super::recall::chat(4_000);
            chat.more = json!({ "systemMessages": "drop-old" });
            chat.before_model(&history, None).unwrap();
        }
        for at in (0..history.len()).filter(|&at| history[at].role == Role::System) {
            for reference in [format!("r{at}"), format!("r{at}.1"), format!("r{at}+3")] {
                let found = ask(&chat, &history, &[], &json!({ "reference": reference }));
                assert_eq!(code(found), (Code::UnknownReference, Some("reference".into())), "{reference}");
            }
        }
        for query in ["quokka-77", "the passphrase", "axolotl-12 codeword"] {
            let found = find(&chat, &history, query);
            let leaks = |text: &str| text.contains("quokka") || text.contains("axolotl");
            assert!(found.excerpts.iter().all(|excerpt| !leaks(&excerpt.text)), "{query}: {found:?}");
        }
    }
    let loaded = ask(&covered(&history), &history[30..], &history[..30], &json!({ "query": "quokka-77" }));
    assert!(loaded.map_or(true, |found| found.excerpts.iter().all(|excerpt| !excerpt.text.contains("quokka"))));
}

#[test]
fn nothing_asked_is_refused() {
    let history = long(20, &[]);
    let chat = covered(&history);
    for asked in
        [json!({}), json!({ "query": " \n" }), json!({ "query": "?! …", "reference": "" }), json!({ "query": "。" })]
    {
        assert_eq!(code(ask(&chat, &history, &[], &asked)), (Code::EmptyQuery, Some("query".into())), "{asked}");
    }
    for (asked, path) in [
        (json!({ "query": 5 }), "query"),
        (json!({ "reference": ["r1"] }), "reference"),
        (json!({ "query": "x", "maxTokens": 0 }), "maxTokens"),
        (json!({ "query": "x", "maxTokens": "many" }), "maxTokens"),
    ] {
        assert_eq!(code(ask(&chat, &history, &[], &asked)), (Code::InvalidCall, Some(path.into())), "{asked}");
    }
}

#[test]
fn of_a_long_query_the_first_words_count() {
    let history = long(20, &[(2, assistant("The walrus is old."))]);
    let chat = covered(&history);
    let mut query = String::from("walrus");
    (0..200_000).for_each(|n| query.push_str(&format!(" w{n}")));
    assert_eq!(find(&chat, &history, &query).excerpts[0].text, "The walrus is old.");
    let giant = "x".repeat(1 << 20);
    assert_eq!(find(&chat, &history, &giant), Found::default());
}

#[test]
fn what_the_host_did_not_load_is_missing_until_it_is_loaded() {
    let history = long(20, &[(2, assistant("The walrus is old."))]);
    let mut chat = covered(&history);
    let from = chat.session().checkpoints.last().unwrap().from;
    assert!(from > 6);
    let (earlier, later) = history.split_at(from as usize);
    chat.more = json!({ "offset": from });
    let found = find(&chat, later, "walrus");
    assert_eq!(found, Found { missing: Some((0, from)), ..Found::default() });
    let found = ask(&chat, later, &[], &json!({ "reference": "r5" })).unwrap();
    assert_eq!(found, Found { missing: Some((5, 6)), ..Found::default() });

    let all = json!({ "query": "walrus", "from": 0, "count": from });
    let found = ask(&chat, later, earlier, &all).unwrap();
    assert_eq!((found.excerpts[0].index, found.missing), (5, None));
    assert_eq!(found, find(&covered(&history), &history, "walrus"));
    let one = json!({ "reference": "r5", "from": 5, "count": 1 });
    let found = ask(&chat, later, &history[5..6], &one).unwrap();
    assert_eq!((found.excerpts[0].text.as_str(), found.missing), ("The walrus is old.", None));
    let some = json!({ "query": "walrus", "from": 0, "count": 3 });
    let found = ask(&chat, later, &history[..3], &some).unwrap();
    assert_eq!(found, Found { missing: Some((3, from)), ..Found::default() });
}

#[test]
fn of_a_view_that_was_given_back_what_it_covers_is_missing() {
    let history = long(20, &[(2, assistant("The walrus is old."))]);
    let mut chat = chat(4_000);
    let view = chat.before_model(&history, None).unwrap().view;
    let covers = chat.session().checkpoints.last().unwrap().covers.count;
    let found = find(&chat, &view, "walrus");
    assert_eq!((found.excerpts, found.missing), (Vec::new(), Some((0, covers))));
    let last = ask(&chat, &view, &[], &json!({ "reference": reference(history.len() as u64 - 1) })).unwrap();
    assert_eq!(last.excerpts[0].text, "And now?");
}

#[test]
fn a_state_of_another_chat_covers_nothing() {
    let chat = covered(&long(20, &[]));
    let other = vec![user("The walrus is old."), assistant("So it is.")];
    assert_eq!(find(&chat, &other, "walrus"), Found::default());
    assert_eq!(find(&chat, &[], "walrus"), Found::default());
    let said = [assistant("The walrus is old.")];
    assert_eq!(find(&chat_of_nothing(), &said, "walrus"), Found::default());
}

#[test]
fn words_in_json_are_not_glued_to_its_escapes() {
    let history = long(
        20,
        &[
            (2, call("c", "run", json!({ "cmd": "cat log\nnorth\twest" }))),
            (
                2,
                M {
                    role: Role::Tool,
                    parts: vec![P::Result {
                        id: "c".into(),
                        output: json!({ "out": "line\nneedle C:\\temp" }),
                        failed: false,
                    }],
                },
            ),
        ],
    );
    let chat = covered(&history);
    for (query, index) in [("needle", 6), ("temp", 6), ("north", 5), ("west", 5)] {
        let found = find(&chat, &history, query);
        assert_eq!((found.excerpts[0].index, found.excerpts[0].tool.as_deref()), (index, Some("run")), "{query}");
    }
}

#[test]
fn what_was_recalled_is_no_source_where_only_its_result_is_cleared() {
    let read = |id: &str, text: &str| [call(id, "read", json!({ "path": id })), result(id, text)];
    let mut history = vec![user("Read all of it.")];
    history.extend(read("a", &format!("The walrus is called Antje. {}", filler(3_000))));
    history.push(call("b", "recall", json!({ "query": "walrus" })));
    history.push(result("b", &format!("[r2: message 2]\nThe walrus is called Antje. {}", filler(3_000))));
    (0..6).for_each(|at| history.extend(read(&format!("c{at}"), &filler(3_000))));
    let mut chat = chat(10_000);
    chat.before_model(&history, None).unwrap();
    let session = chat.session();
    assert!(session.checkpoints.is_empty() && session.cleared.is_some_and(|cleared| cleared.count > 4), "{session:?}");
    let indices: Vec<u64> = find(&chat, &history, "walrus Antje").excerpts.iter().map(|one| one.index).collect();
    assert_eq!(indices, [2]);
}

#[test]
fn an_id_that_a_recall_had_is_another_call_in_the_next_turn() {
    let history = long(
        20,
        &[
            (2, call("call_0", "recall", json!({ "query": "walrus" }))),
            (2, result("call_0", "The otter is old.")),
            (3, call("call_0", "read", json!({ "path": "zoo.txt" }))),
            (3, result("call_0", "The walrus is called Antje.")),
            (4, call("call_0", "recall", json!({ "reference": "r9" }))),
            (4, result("call_0", "Antje, the walrus.")),
            (5, call("call_1", "recall", json!({ "topic": "a host's own tool" }))),
            (5, result("call_1", "The otter is young.")),
        ],
    );
    let chat = covered(&history);
    let texts = |query| -> Vec<String> {
        find(&chat, &history, query).excerpts.iter().map(|excerpt| excerpt.text.clone()).collect()
    };
    assert_eq!(texts("walrus Antje"), ["The walrus is called Antje."]);
    assert_eq!(texts("otter"), ["The otter is young."]);
}

#[test]
fn an_excerpt_that_is_cut_begins_with_the_first_letter_of_what_was_looked_for() {
    let history = long(20, &[(2, assistant(&format!("{}海象住在这里。", "云".repeat(120))))]);
    let chat = covered(&history);
    let found = ask(&chat, &history, &[], &json!({ "query": "海象", "maxTokens": 6 })).unwrap();
    assert!(found.excerpts[0].text.starts_with("海象"), "{:?}", found.excerpts[0].text);
}

#[test]
fn a_greek_word_is_found_whatever_its_case_and_wherever_its_sigma_stands() {
    let said = "Ο Έλληνας είπε: ΟΔΟΣ ΆΡΗ, Ώρα εννέα, ο δρόμος.";
    let history = long(20, &[(2, assistant(said)), (3, assistant("Μια πόλη, ένα ποτάμι."))]);
    let chat = covered(&history);
    for query in ["έλληνας", "ΈΛΛΗΝΑΣ", "οδος", "οδοσ", "άρη", "ώρα", "ΔΡΌΜΟΣ"] {
        let found = find(&chat, &history, query);
        assert_eq!(found.excerpts.first().map(|excerpt| &*excerpt.text), Some(said), "{query}");
    }
    // No piece of a word: what is behind a sigma does not begin another.
    assert_eq!(find(&chat, &history, "ας"), Found::default());
}

#[test]
fn a_later_search_reads_what_it_returns_and_nothing_else() {
    let mut said: Vec<(usize, M)> = (0..150).map(|at| (at, assistant(&format!("{at}: {}", filler(2_000))))).collect();
    said.push((70, call("c", "read", json!({ "path": "zoo.txt" }))));
    said.push((70, result("c", "The walrus is called Antje.")));
    let mut history = long(150, &said);
    let chat = covered(&history);
    let (asked, mut kept) = (json!({ "query": "walrus Antje" }), HashMap::new());
    let (first, read) = ask_keeping(&chat, &history, &asked, Some(&mut kept));
    assert!(read > 400 && kept.len() > 3, "{read} messages, {} indexes", kept.len());
    let (second, read) = ask_keeping(&chat, &history, &asked, Some(&mut kept));
    assert_eq!((&second, first.excerpts[0].tool.as_deref()), (&first, Some("read")));
    assert!(read < 8, "{read} messages");
    // One more message makes the last index be made again.
    history.push(assistant("So it is."));
    let (_, read) = ask_keeping(&chat, &history, &asked, Some(&mut kept));
    assert!(read < 150, "{read} messages");
}

#[test]
fn what_is_too_large_or_has_too_many_words_for_an_index_is_read_each_time() {
    let many = (0..40_000).map(|at| format!("w{at} x{at}")).collect::<Vec<_>>().join(" ");
    let few = format!("The walrus is called Antje. {}", filler(400_000));
    let history = long(20, &[(2, assistant(&few)), (4, assistant(&many))]);
    let chat = covered(&history);
    for (query, index) in [("walrus Antje", 5), ("w39999 x39999", 10)] {
        let (asked, mut kept) = (json!({ "query": query }), HashMap::new());
        let (first, _) = ask_keeping(&chat, &history, &asked, Some(&mut kept));
        assert_eq!(first.excerpts[0].index, index, "{query}");
        assert_eq!(ask_keeping(&chat, &history, &asked, Some(&mut kept)).0, first);
        assert_eq!(ask_keeping(&chat, &history, &asked, None).0, first);
    }
}

#[test]
fn an_index_that_is_damaged_is_none() {
    let history = long(20, &[(2, assistant("The walrus is called Antje."))]);
    let chat = covered(&history);
    let (asked, mut kept) = (json!({ "query": "walrus Antje" }), HashMap::new());
    let (found, _) = ask_keeping(&chat, &history, &asked, Some(&mut kept));
    for cut in [0, 3, 24, 100] {
        let mut kept = kept.clone();
        kept.values_mut().for_each(|bytes| bytes.truncate(cut));
        assert_eq!(ask_keeping(&chat, &history, &asked, Some(&mut kept)).0, found);
    }
}

proptest! {
    #[test]
    fn an_index_finds_what_reading_finds(
        said in prop::collection::vec("[a-cA-CäößσςΣ世界가나 ./_\\-\\\\\"\n0-2’]{0,700}", 1..24),
        queries in prop::collection::vec("[a-cA-Cäσ世界가 ./_\\-0-2]{1,40}", 1..4),
        structured in any::<bool>(),
        room in 1_u64..2_000,
    ) {
        let said: Vec<(usize, M)> = said.iter().enumerate().flat_map(|(at, text)| {
            let id = format!("c{at}");
            let output = if structured { json!({ "out": text }) } else { json!(text) };
            let result = M { role: Role::Tool, parts: vec![P::Result { id: id.clone(), output, failed: false }] };
            [(at, assistant(text)), (at, call(&id, "run", json!({ "command": text }))), (at, result)]
        }).collect();
        let history = long(24, &said);
        let chat = covered(&history);
        let mut kept = HashMap::new();
        for query in queries {
            let asked = json!({ "query": query, "maxTokens": room });
            if ask(&chat, &history, &[], &asked).is_err() {
                continue;
            }
            let (read, _) = ask_keeping(&chat, &history, &asked, None);
            prop_assert_eq!(&ask_keeping(&chat, &history, &asked, Some(&mut kept)).0, &read);
            prop_assert_eq!(&ask_keeping(&chat, &history, &asked, Some(&mut kept)).0, &read);
        }
    }

    #[test]
    fn excerpts_fit_stand_in_the_history_and_come_out_the_same(
        said in prop::collection::vec("[a-zA-ZäöÜ世界가나다 ./_\\-\\\\\"\n0-9]{0,400}", 1..12),
        query in "[a-zA-Zä世界가 ./_\\-0-9]{0,60}",
        room in 1_u64..600,
    ) {
        let said: Vec<(usize, M)> = said.iter().enumerate().map(|(at, text)| (at, assistant(text))).collect();
        let history = long(20, &said);
        let chat = covered(&history);
        let asked = json!({ "query": query, "maxTokens": room });
        match ask(&chat, &history, &[], &asked) {
            Err(error) => prop_assert_eq!(error.code, Code::EmptyQuery),
            Ok(found) => {
                prop_assert_eq!(&found, &ask(&chat, &history, &[], &asked).unwrap());
                let cut = found.excerpts.len() == 1;
                prop_assert!(found.tokens <= room || cut && found.excerpts[0].text.chars().count() == 1);
                for excerpt in &found.excerpts {
                    let whole = words(&history[excerpt.index as usize]);
                    prop_assert!(whole[excerpt.from..].starts_with(&excerpt.text));
                    prop_assert!(!excerpt.text.is_empty());
                    prop_assert_eq!(excerpt.next.is_some(), excerpt.from + excerpt.text.len() < whole.len());
                }
            }
        }
    }
}
