//! What providers' errors say, what is learned from it, and that the next request is smaller.

use crate::support::Chat;
use crate::support::Prepared;
use crate::support::assistant;
use crate::support::call;
use crate::support::filler;
use crate::support::json;
use crate::support::result;
use crate::support::user;
use precis::base::error::Warning;
use precis::ladder::Move;
use precis::limits::provider_refusal::Overflow;
use precis::limits::provider_refusal::read;
use serde_json::{Value, json as value};

fn fixture(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What of recorded errors is read otherwise than expected, and how many there are.
fn misread(errors: &[Value]) -> (Vec<String>, usize) {
    let mut misread = Vec::new();
    for one in errors {
        let expected = (!one["expected"].is_null()).then(|| Overflow {
            limit: one["expected"]["limit"].as_u64(),
            input: one["expected"]["input"].as_u64(),
            prompt: one["expected"]["prompt"].as_u64(),
            least: one["expected"]["least"].as_u64(),
            reply: one["expected"]["reply"].as_u64(),
            total: one["expected"]["total"].as_u64(),
        });
        let message = one["message"].as_str().unwrap();
        let read = read(message, one["status"].as_u64());
        if read != expected {
            misread.push(format!("{}: {message}\n  {read:?} instead of {expected:?}", one["provider"]));
        }
    }
    (misread, errors.len())
}

#[test]
fn what_providers_write_is_read() {
    let (misread, _) = misread(&fixture("overflow"));
    assert!(misread.is_empty(), "{}", misread.join("\n"));
}

/// Looked up in public issues and code, each with its source, and parted before the reader was written.
#[test]
fn what_was_looked_up_is_read() {
    let all = fixture("refusals");
    for set in ["development", "held out"] {
        let part: Vec<_> = all.iter().filter(|one| one["set"] == set).cloned().collect();
        let (misread, count) = misread(&part);
        assert!(misread.is_empty(), "{set}: {} of {count}\n{}", misread.len(), misread.join("\n"));
    }
}

/// Proxies quote the error of the server behind them in their own JSON.
#[test]
fn an_error_quoted_in_json_reads_the_same() {
    for one in fixture("overflow").iter().chain(&fixture("refusals")) {
        let (message, status) = (one["message"].as_str().unwrap(), one["status"].as_u64());
        let once = Value::from(format!(" {message} ")).to_string();
        let twice = Value::from(once.clone()).to_string();
        let expected = read(message, status);
        assert_eq!(read(&once, status), expected, "{once}");
        assert_eq!(read(&twice, status), expected, "{twice}");
    }
}

/// What a limit of the rate says of tokens is not about the window, also where the words are the same.
#[test]
fn limits_of_the_rate_are_no_overflow() {
    for text in [
        "Rate limit reached: prompt is too long: 40000 tokens > 30000 maximum",
        "input length and `max_tokens` exceed context limit: 5000 + 3000 > 6000 tokens per minute",
        "Quota exceeded. This model's maximum context length is 8192 tokens per day",
    ] {
        assert_eq!(read(text, None), None, "{text}");
    }
}

/// What was reported to be misread: proxies, local servers and gateways.
#[test]
fn refusals_of_proxies_and_local_servers_are_read() {
    let says = |text: &str| {
        let Overflow { limit, prompt, .. } = read(text, Some(400)).expect(text);
        (prompt, limit)
    };
    assert_eq!(says("Your input exceeds the model's context window"), (None, None));
    let litellm = "Your request exceeds this model's maximum context length of 131072 tokens";
    assert_eq!(says(litellm), (None, Some(131_072)));
    assert_eq!(says("Cannot truncate prompt with n_keep (14109) >= n_ctx (4096)"), (Some(14_109), Some(4_096)));
    assert_eq!(says("Context size has been exceeded"), (None, None));
    let watsonx = "the number of input tokens 4098 cannot exceed the total tokens limit 4096 for this model";
    assert_eq!(says(watsonx), (Some(4_098), Some(4_096)));
}

#[test]
fn other_errors_of_the_same_words_are_no_overflow() {
    for text in [
        "HTTPSConnectionPool(host='api.anthropic.com', port=443): Max retries exceeded with url: /v1/messages",
        "rpc error: code = DeadlineExceeded desc = context deadline exceeded while reading the prompt",
        "temperature: Input should be less than or equal to 1",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
        "You have reached your monthly token limit.",
        "invalid token: the signature exceeds its lifetime",
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 164.",
        "upstream connect error or disconnect/reset before headers. reset reason: overflow",
        "fetch failed: https://example.com/errors/context-length/exceeded",
    ] {
        assert_eq!(read(text, None), None, "{text}");
    }
}

/// Numbers that contradict what the error says are not learned: the request is too long, and that is all.
#[test]
fn numbers_that_contradict_one_another_are_dropped() {
    for text in [
        "prompt is too long: 12 tokens > 40000 maximum",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 12 tokens.",
        "Model context window is 128k tokens, you requested 256k tokens",
    ] {
        assert_eq!(read(text, None), Some(Overflow::default()), "{text}");
    }
}

#[test]
fn numbers_are_whole_numbers_and_never_overflow() {
    let says = |text: &str| read(text, None).map(|said| (said.prompt, said.limit));
    assert_eq!(says("prompt is too long: 12 tokens > 1,2 maximum"), Some((None, None)));
    assert_eq!(
        says("prompt is too long: 99999999999999999999999 tokens > 10 maximum"),
        Some((Some(u64::MAX), Some(10)))
    );
    assert_eq!(says("xprompt is too long: 5 tokens > 4 maximum"), Some((None, Some(4))), "of what, nobody says");
    assert_eq!(says("prompt is too long:"), Some((None, None)));
    assert_eq!(says("PROMPT\n  IS TOO LONG:\t5 tokens > 4 maximum"), Some((Some(5), Some(4))));
    assert_eq!(says("ïnput is too löng"), None);
}

/// A chat of many turns, of about `raw` raw tokens (a quarter of its bytes).
fn turns(raw: usize) -> Vec<crate::support::M> {
    let mut messages = Vec::new();
    for turn in 0..raw / 200 {
        messages.push(user(&format!("Request {turn}. {}", filler(360))));
        messages.push(assistant(&format!("Answer {turn}. {}", filler(360))));
    }
    messages.push(user("And now?"));
    messages
}

fn chat(window: u64) -> Chat {
    Chat::new(value!({ "contextWindow": window, "maxOutputTokens": 1_000 }))
}

/// The next call, with this as the error of the one before.
fn refused(chat: &mut Chat, messages: &[crate::support::M], overflow: Value) -> Prepared {
    chat.more = value!({ "overflow": overflow });
    let prepared = chat.before_model(messages, None).unwrap();
    chat.more = value!({});
    prepared
}

fn codes(prepared: &Prepared) -> Vec<Warning> {
    prepared.committed.report.warnings.iter().map(|warning| warning.code).collect()
}

fn says(text: &str) -> Value {
    value!({ "text": text, "status": 400 })
}

#[test]
fn a_stated_limit_becomes_the_window_and_a_stated_count_the_estimate() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    let first = chat.before_model(&messages, None).unwrap();
    assert!(!first.committed.changed);
    let second = refused(&mut chat, &messages, says("prompt is too long: 41000 tokens > 32000 maximum"));
    let report = &second.committed.report;
    assert!(second.committed.changed && report.after.tokens + report.after.bound < report.after.trigger);
    assert_eq!((report.after.window, report.before.tokens), (32_000, 41_000));
    assert!(codes(&second).contains(&Warning::LearnedLimit));
    // It lasts, for this model.
    let third = chat.before_model(&messages, None).unwrap();
    assert_eq!(third.committed.report.after.window, 32_000);
    assert!(!codes(&third).contains(&Warning::LearnedLimit), "said once");
    chat.more = value!({ "model": "another" });
    assert_eq!(chat.before_model(&messages, None).unwrap().committed.report.after.window, 200_000);
}

#[test]
fn a_limit_above_the_configured_window_does_not_raise_it() {
    let messages = turns(20_000);
    let mut chat = chat(60_000);
    chat.before_model(&messages, None).unwrap();
    let second = refused(&mut chat, &messages, says("prompt is too long: 70000 tokens > 65536 maximum"));
    let report = &second.committed.report;
    assert_eq!((report.after.window, report.before.tokens), (60_000, 70_000));
    assert!(report.after.tokens + report.after.bound < report.after.trigger);
    assert!(!codes(&second).contains(&Warning::LearnedLimit));
}

#[test]
fn a_limit_on_the_prompt_alone_leaves_the_window_to_the_reply() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    chat.before_model(&messages, None).unwrap();
    let second = refused(&mut chat, &messages, says("prompt token count of 41000 exceeds the limit of 30000"));
    let report = &second.committed.report;
    assert_eq!((report.after.window, report.after.trigger), (200_000, 29_400));
    assert!(second.committed.changed && report.after.tokens + report.after.bound < 29_400);
    assert!(report.after.reply_room() > 150_000);
}

#[test]
fn without_numbers_each_refusal_lands_lower_than_the_one_before() {
    for words in [value!(true), says("Input is too long for requested model."), says("context_length_exceeded")] {
        let messages = turns(20_000);
        let mut chat = chat(200_000);
        let first = chat.before_model(&messages, None).unwrap();
        let (mut window, mut sent) = (200_000, first.committed.report.after.raw);
        for step in 0..40 {
            let next = refused(&mut chat, &messages, words.clone());
            let after = next.committed.report.after;
            assert!(after.window <= window, "{words} {step}");
            let infeasible = next.committed.report.outcome.as_str() == "infeasible";
            assert!(after.raw < sent || infeasible, "{words} {step}: {} after {sent}", after.raw);
            assert!(infeasible || after.window < window, "{words} {step}");
            assert_eq!(next.view.last(), messages.last(), "{words} {step}");
            (window, sent) = (after.window, after.raw.min(sent));
            if infeasible {
                break;
            }
        }
        assert!(sent < first.committed.report.after.raw / 3, "{words}: {sent}");
    }
}

#[test]
fn a_refusal_with_numbers_again_and_again_ends() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    let mut sent = chat.before_model(&messages, None).unwrap().committed.report.after.raw;
    for step in 0..10 {
        // A provider that counts four times as much as is expected, whatever it is sent.
        let text = format!("prompt is too long: {} tokens > 32000 maximum", (sent * 4).max(32_001));
        let next = refused(&mut chat, &messages, says(&text));
        let report = &next.committed.report;
        assert!(report.after.raw < sent || report.outcome.as_str() == "infeasible", "{step}");
        sent = report.after.raw;
        if sent * 4 < 32_000 {
            return assert!(step < 3, "{step}");
        }
    }
    panic!("never below");
}

#[test]
fn a_reply_that_is_too_long_needs_no_compaction() {
    let messages = turns(20_000);
    let mut chat = Chat::new(value!({ "contextWindow": 60_000 }));
    let first = chat.before_model(&messages, None).unwrap();
    assert!(!first.committed.changed);
    let text = "input length and `max_tokens` exceed context limit: 41000 + 32000 > 60000, decrease input length or `max_tokens` and try again";
    let second = refused(&mut chat, &messages, says(text));
    assert!(!second.committed.changed, "the prompt fits beside a shorter reply");
    assert_eq!(second.committed.report.after.reply_room(), 19_000);
    // The host sends the same reply limit again: now there is room for it.
    let third = refused(&mut chat, &messages, says(text));
    let report = &third.committed.report;
    assert!(third.committed.changed);
    assert!(report.after.reply_room() >= 30_000, "{}", report.after.reply_room());
    assert!(report.after.raw < second.committed.report.after.raw);
}

#[test]
fn a_reply_heeded_once_may_be_refused_again_later() {
    let messages = turns(20_000);
    let mut chat = Chat::new(value!({ "contextWindow": 60_000 }));
    chat.before_model(&messages, None).unwrap();
    let text = "exceed context limit: 41000 + 32000 > 60000";
    refused(&mut chat, &messages, says(text));
    chat.after_model(41_000);
    assert_eq!(chat.session().learned[0].reply, None);
    chat.before_model(&messages, None).unwrap();
    assert!(!refused(&mut chat, &messages, says(text)).committed.changed);
}

#[test]
fn a_prompt_that_went_through_raises_what_was_learned() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    chat.before_model(&messages, None).unwrap();
    refused(&mut chat, &messages, says("prompt is too long: 41000 tokens > 32000 maximum"));
    chat.after_model(35_000);
    assert_eq!(chat.session().learned[0].window, Some(32_000), "a report far off is not believed alone");
    chat.before_model(&messages, None).unwrap();
    chat.after_model(35_000);
    assert_eq!(chat.session().learned[0].window, Some(35_000));
    chat.before_model(&messages, None).unwrap();
    chat.after_model(20_000);
    assert_eq!(chat.session().learned[0].window, Some(35_000));
}

#[test]
fn an_error_about_something_else_changes_nothing_but_is_told() {
    for one in fixture("overflow").iter().filter(|one| one["expected"].is_null()) {
        let messages = turns(2_000);
        let mut with = chat(200_000);
        let mut without = with.clone();
        with.before_model(&messages, None).unwrap();
        without.before_model(&messages, None).unwrap();
        let told = refused(&mut with, &messages, value!({ "text": one["message"], "status": one["status"] }));
        without.before_model(&messages, None).unwrap();
        assert!(codes(&told).contains(&Warning::NotAnOverflow), "{one}");
        assert!(!told.committed.changed, "{one}");
        assert_eq!(with.state, without.state, "{one}");
    }
}

#[test]
fn a_refusal_without_a_state_is_about_the_history_itself() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    let prepared = refused(&mut chat, &messages, value!(true));
    assert!(prepared.committed.changed);
    assert!(prepared.committed.report.after.window < 60_000);
}

#[test]
fn planning_in_steps_learns_what_one_call_learns() {
    let messages = turns(20_000);
    let mut chat = chat(200_000);
    chat.before_model(&messages, None).unwrap();
    chat.more = value!({ "overflow": { "text": "prompt is too long: 41000 tokens > 32000 maximum", "status": 400 } });
    let mut steps = chat.clone();
    let whole = chat.before_model(&messages, None).unwrap();
    let plan = steps.plan(&messages);
    let committed = steps.commit(&messages, &plan, None);
    assert_eq!(committed.view, whole.view);
    assert_eq!(steps.state, chat.state);
}

/// The preview once came from a call that had not learned from the refusal.
#[test]
fn a_plan_about_a_refused_request_shows_the_report_of_its_commit() {
    let mut messages = turns(400);
    messages.push(call("a", "read", value!({ "path": "x" })));
    messages.push(result("a", &filler(80_000)));
    let mut chat = chat(200_000);
    chat.before_model(&messages, None).unwrap();
    chat.more = value!({ "overflow": says("Range of input length should be [1, 12000]") });
    let plan = chat.plan(&messages);
    assert!(plan.requests.is_empty() && plan.action != Move::Pass);
    assert_eq!(plan.preview.report, chat.commit(&messages, &plan, None).committed.report.to_json());
}

#[test]
fn a_wild_count_is_not_believed() {
    let messages = turns(2_000);
    let mut chat = chat(200_000);
    chat.before_model(&messages, None).unwrap();
    let next = refused(&mut chat, &messages, says("prompt is too long: 18446744073709551615 tokens > 100000 maximum"));
    assert!(next.committed.report.before.tokens < 20_000);
    assert!(next.committed.report.after.raw < next.committed.report.before.raw);
}

#[test]
fn a_newest_result_that_is_too_large_is_cut_when_it_is_refused() {
    let mut messages = turns(400);
    messages.push(call("a", "read", value!({ "path": "x" })));
    messages.push(result("a", &filler(80_000)));
    let mut chat = chat(200_000);
    let first = chat.before_model(&messages, None).unwrap();
    let next = refused(&mut chat, &messages, says("Range of input length should be [1, 12000]"));
    assert!(next.committed.report.after.raw < first.committed.report.after.raw);
    assert!(next.committed.report.after.tokens < 12_000, "{}", next.committed.report.reason);
}

#[test]
fn a_learned_window_smaller_than_the_reserve_is_no_error() {
    let messages = turns(20_000);
    let mut chat = Chat::new(value!({ "contextWindow": 200_000, "tune": { "reserve": 50_000 } }));
    chat.before_model(&messages, None).unwrap();
    let next = refused(&mut chat, &messages, says("prompt is too long: 41000 tokens > 20000 maximum"));
    assert_eq!((next.committed.report.after.window, next.committed.report.after.trigger), (20_000, 10_000));
    assert!(json(&chat.options).get("tune").get("reserve").count() == Some(50_000));
}

#[test]
fn an_error_in_capitals_says_the_same() {
    for text in ["\u{46f}tokens (2516) exceed context window of", "context window of 2048 exceeded by 2516 tokens"] {
        let found = read(text, Some(400));
        assert_eq!(read(&text.to_ascii_uppercase(), Some(400)), found, "{text}");
    }
}
