//! Codes are stable, unique and consistently spelled, and errors carry them.

use crate::support::Chat;
use crate::support::json;
use crate::support::user;
use precis::base::error::{Code, Error, Warning};
use precis::base::json::Json;
use precis::limits::options::Options;
use std::collections::BTreeSet;

fn well_formed(code: &str) -> bool {
    !code.is_empty()
        && code.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

#[test]
fn every_code_is_unique_among_errors_and_warnings() {
    let codes = Code::ALL.iter().map(|code| code.as_str());
    let all: Vec<&str> = codes.chain(Warning::ALL.iter().map(|code| code.as_str())).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    for code in all {
        assert!(well_formed(code), "{code}");
    }
}

#[test]
fn an_error_has_a_code_a_path_and_advice() {
    let error = Error::at(Code::InvalidState, "state.version", "Load another.");
    assert_eq!(error.to_string(), "invalid-state at state.version: Load another.");
    let error = Error::new(Code::Boundary, "Build again.");
    assert_eq!(error.to_string(), "boundary-mismatch: Build again.");
    assert_eq!((error.code, error.path.as_deref()), (Code::Boundary, None));
}

/// Expects that a call is refused with this code and path.
fn refused(options: &serde_json::Value, more: serde_json::Value, code: Code, path: &str) {
    let mut chat = Chat::new(serde_json::json!({ "contextWindow": 8_000 }));
    chat.before_model(&[user("hello")], None).unwrap();
    let before = chat.state.clone();
    let parsed = Options::parse(&json(options)).err();
    let mut error = parsed;
    if error.is_none() {
        chat.options = options.clone();
        chat.more = more;
        error = chat.before_model(&[user("hello")], None).err();
    }
    let error = error.unwrap_or_else(|| panic!("{options} is accepted"));
    assert_eq!((error.code, error.path.as_deref()), (code, Some(path)), "{options}: {error}");
    assert!(error.advice.len() > 20, "{error}");
    assert_eq!(chat.state, before, "a refusal changes nothing");
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    use serde_json::json;
    let none = || json!({});
    let window = 8_000;
    for wrong in [json!(0), json!(-1), json!(1.5), json!("8000"), json!(null), json!([])] {
        refused(&json!({ "contextWindow": wrong }), none(), Code::InvalidWindow, "contextWindow");
    }
    let tune = |tune: serde_json::Value| json!({ "contextWindow": window, "tune": tune });
    refused(&tune(json!({ "reserve": 8_000 })), none(), Code::ReserveTooLarge, "tune.reserve");
    refused(&tune(json!({ "reserve": -1 })), none(), Code::InvalidOption, "tune.reserve");
    refused(&tune(json!({ "strategy": "slide" })), none(), Code::InvalidOption, "tune.strategy");
    refused(&tune(json!({ "preset": "other" })), none(), Code::InvalidOption, "tune.preset");
    refused(
        &tune(json!({ "preset": "contextguard", "strategy": "full" })),
        none(),
        Code::PresetWithStrategy,
        "tune.strategy",
    );
    refused(&tune(json!({ "shares": { "tail": 0.9 } })), none(), Code::InvalidOption, "tune.shares.tail");
    refused(&tune(json!({ "shares": { "tale": 0.1 } })), none(), Code::UnknownOption, "tune.shares.tale");
    refused(&tune(json!({ "tokens": { "estimator": "byte4" } })), none(), Code::InvalidOption, "tune.tokens.estimator");
    refused(&json!({ "contextWindow": window, "contextWindo": 1 }), none(), Code::UnknownOption, "contextWindo");
    refused(
        &json!({ "contextWindow": window, "summarizer": { "contextWindow": 0 } }),
        none(),
        Code::InvalidOption,
        "summarizer.contextWindow",
    );
    let fine = json!({ "contextWindow": window });
    refused(&fine, json!({ "offset": 3 }), Code::HistoryGap, "offset");
    refused(&fine, json!({ "todos": [{ "status": "done" }] }), Code::InvalidCall, "todos[0].content");
    refused(&fine, json!({ "mustKeep": ["a", 5] }), Code::InvalidCall, "mustKeep[1]");
    refused(&fine, json!({ "threshold": "hard" }), Code::InvalidCall, "threshold");
    refused(&fine, json!({ "maxOutputTokens": "many" }), Code::InvalidCall, "maxOutputTokens");
}

#[test]
fn the_nearest_name_is_advised() {
    let error = Options::parse(&json(&serde_json::json!({ "tune": { "strategie": "full" } }))).unwrap_err();
    assert_eq!(error.code, Code::UnknownOption);
    assert!(error.advice.contains("\"strategy\""), "{}", error.advice);
    let error = Options::parse(&json(&serde_json::json!({ "tune": { "strategy": "sliding" } }))).unwrap_err();
    assert!(error.advice.contains("\"sliding-window\""), "{}", error.advice);
}

#[test]
fn a_window_that_is_no_number_is_refused() {
    assert_eq!(precis::limits::options::window(&Json::NotANumber).unwrap_err().code, Code::InvalidWindow);
}

#[test]
fn a_name_is_advised_only_if_one_is_near() {
    let said =
        |name| precis::limits::names::unknown_name(name, &["state", "maxOutputTokens", "tune", "chat"], "member");
    for (name, nearest) in [("sate", "state"), ("maxTokens", "maxOutputTokens"), ("chatId", "chat"), ("STATE", "state")]
    {
        assert!(said(name).contains(&format!("Did you mean \"{nearest}\"?")), "{}", said(name));
    }
    for name in ["model", "focus", "x", ""] {
        assert!(!said(name).contains("Did you mean"), "{}", said(name));
    }
}

#[test]
fn options_are_checked_when_a_compactor_is_created() {
    let refused = |options| precis::limits::options::validate(&json(&options)).unwrap_err();
    let window = refused(serde_json::json!({ "contextWindow": "32k" }));
    assert_eq!((window.code, window.path.as_deref()), (Code::InvalidWindow, Some("contextWindow")));
    let reply = refused(serde_json::json!({ "contextWindow": 8_000, "maxOutputTokens": 8_000 }));
    assert_eq!((reply.code, reply.path.as_deref()), (Code::InvalidOption, Some("maxOutputTokens")));
    assert!(reply.advice.contains("8000 tokens"), "{}", reply.advice);
    let of_the_model = serde_json::json!({ "contextWindow": true, "maxOutputTokens": 8_000 });
    assert!(precis::limits::options::validate(&json(&of_the_model)).is_ok());
}

#[test]
fn a_number_or_flag_in_quotes_is_recognised_only_if_it_would_fit() {
    use serde_json::json;
    let advice = |options: serde_json::Value| {
        let mut given = options;
        given["contextWindow"] = json!(8_000);
        Options::parse(&json(&given)).unwrap_err().advice.clone()
    };
    let limit = |text: &str| advice(json!({ "maxOutputTokens": text }));
    for (text, meant) in [("500", "500"), (" 1_000 ", "1000"), ("2k", "2000"), ("1.5K", "1500"), ("3.0", "3")] {
        assert!(limit(text).ends_with(&format!(" Did you mean {meant}?")), "{}", limit(text));
    }
    for text in ["", ".", "k", "-5", "0.5", "1.2.3", "many", "true", "99999999999999999999", "1.1234567"] {
        assert!(!limit(text).contains("Did you mean"), "{text:?}: {}", limit(text));
    }
    let share = |text: &str| advice(json!({ "tune": { "shares": { "tail": text } } }));
    assert!(share(".25").ends_with(" Did you mean 0.25?"), "{}", share(".25"));
    assert!(!share("0.9").contains("Did you mean"), "{}", share("0.9"));
    let flag = |text: &str| advice(json!({ "repair": text }));
    assert!(flag("False").ends_with(" Did you mean false?"), "{}", flag("False"));
    assert!(!flag("1").contains("Did you mean"), "{}", flag("1"));
}
