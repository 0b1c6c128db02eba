//! Token prices: when a compaction saves money, and the cost of a request in a report.

use crate::support::{Chat, assistant, call, filler, result, user};
use precis::base::error::Code;
use precis::limits::options::Options;
use precis::limits::prices::Prices;
use serde_json::{Value, json};

fn chat(window: u64, prices: &Value) -> Chat {
    Chat::new(json!({
        "contextWindow": window, "maxOutputTokens": 1_000,
        "tune": { "prices": prices, "tokens": { "estimator": "bytes4" } }
    }))
}

const fn of(input: u64, cached_read: u64, cache_write: u64, output: u64) -> Prices {
    Prices { input, cached_read, cache_write, output }
}

/// The room of a request in a window, from where compaction starts. Nothing is fixed.
fn trigger(window: u64, prices: &Value) -> u64 {
    let mut chat = chat(window, prices);
    chat.before_model(&[user("Hello.")], None).unwrap().committed.report.after.trigger
}

#[test]
fn the_headroom_is_where_reading_and_compacting_cost_least() {
    // The cost of a session with this headroom, added up request by request.
    let paid = |headroom: u64| {
        let (base, growth, requests) = (7_000_u64, 700_u64, 20_000);
        let (mut view, mut cost) = (base, 0_u64);
        for _ in 0..requests {
            cost += view / 10;
            view += growth;
            if view > base + headroom {
                cost += base * 115 / 100;
                view = base;
            }
        }
        cost
    };
    let room = of(1_000_000, 100_000, 1_250_000, 5_000_000).room(false).unwrap();
    let chosen = paid(room - 7_000);
    let cheapest = (1..60).map(|step| paid(step * 700)).min().unwrap();
    assert!(chosen * 100 <= cheapest * 103, "{room}: {chosen} against {cheapest}");
}

#[test]
fn only_proportions_decide_and_what_costs_more_comes_later() {
    let dollars = of(3_000_000, 300_000, 3_750_000, 15_000_000);
    let usual = of(1_000_000, 100_000, 1_250_000, 5_000_000);
    assert_eq!(dollars.room(true), usual.room(true));
    // A model that summarizes makes a compaction more expensive, and so do expensive cache writes.
    assert!(usual.room(true) > usual.room(false));
    assert!(of(1_000_000, 100_000, 2_000_000, 5_000_000).room(false) > usual.room(false));
    // If reading is free, a request is never too large. Without a cache, reading little more costs much.
    assert_eq!(of(1_000_000, 0, 1_250_000, 5_000_000).room(true), None);
    assert_eq!(of(1_000_000, 1_000_000, 1_000_000, 5_000_000).room(false), Some(10_500));
    // Nothing overflows.
    let most = 1_000_000_000_000;
    assert!(of(most, 1, most, most).room(true).is_some());
    assert_eq!(of(0, 0, most, 0).request(u64::MAX, 0), u64::MAX);
}

#[test]
fn large_windows_are_compacted_where_it_pays_and_small_ones_where_they_must() {
    let paying = trigger(1_000_000, &json!({}));
    assert!((15_000..40_000).contains(&paying), "{paying}");
    // Above the size at which a compaction pays, the window makes no difference.
    assert_eq!(trigger(200_000, &json!({})), paying);
    // Below it, prices make no difference.
    assert_eq!(trigger(10_000, &json!({})), trigger(10_000, &Value::Null));
    assert_eq!(trigger(200_000, &json!({ "cachedRead": 0 })), trigger(200_000, &Value::Null));
}

#[test]
fn a_newest_group_above_what_pays_is_not_cut() {
    let mut chat = chat(200_000, &json!({}));
    let history = [user("Read it."), call("1", "read", json!({})), result("1", &filler(240_000))];
    let prepared = chat.before_model(&history, None).unwrap();
    assert_eq!(prepared.committed.report.rung, Some("pass"));
    assert_eq!(prepared.view, history);
}

#[test]
fn requests_stay_below_the_size_that_pays_and_the_report_has_their_cost() {
    let mut chat = chat(200_000, &json!({ "input": 3, "cachedRead": 0.3, "cacheWrite": 3.75, "output": 15 }));
    let mut history = vec![user("Do what has to be done.")];
    let (mut paid, mut saved) = (0, 0);
    for number in 0..120 {
        let id = number.to_string();
        history.extend([call(&id, "read", json!({ "number": number })), result(&id, &filler(2_800))]);
        let report = chat.before_model(&history, None).unwrap().committed.report;
        assert!(report.after.tokens + report.after.bound < report.after.trigger, "{number}: {report:?}");
        assert!(report.after.trigger < 40_000);
        let cost = report.cost.unwrap();
        // The first request is written to the cache. Later ones read what was sent before at a tenth of the price.
        if number == 0 {
            assert_eq!(cost.request, report.after.tokens * 15 / 4);
        } else if report.rung == Some("pass") {
            assert!(cost.request < report.after.tokens * 15 / 4, "{cost:?} of {}", report.after.tokens);
        }
        assert!(cost.request >= report.after.tokens * 3 / 10);
        assert!(cost.without >= (report.after.tokens + report.saved) * 3 / 10);
        paid += cost.request;
        saved += cost.without;
        history.push(assistant("Done."));
    }
    assert!(paid < saved, "{paid} against {saved}");
}

#[test]
fn without_prices_no_cost_is_reported() {
    let mut plain = chat(200_000, &Value::Null);
    let report = plain.before_model(&[user("Hello.")], None).unwrap().committed.report;
    assert_eq!(report.cost, None);
    assert!(report.to_json().get("cost").is_null());
}

#[test]
fn wrong_prices_are_refused_by_their_path() {
    for (prices, path) in [
        (json!({ "input": -1 }), "tune.prices.input"),
        (json!({ "cachedRead": "cheap" }), "tune.prices.cachedRead"),
        (json!({ "output": 1e12 }), "tune.prices.output"),
        (json!({ "cached": 0.1 }), "tune.prices"),
        (json!([1, 2]), "tune.prices"),
    ] {
        let options = crate::support::json(&json!({ "contextWindow": 200_000, "tune": { "prices": prices } }));
        let error = Options::parse(&options).unwrap_err();
        assert!(error.path.as_deref().is_some_and(|told| told.starts_with(path)), "{prices}: {error:?}");
        assert!(matches!(error.code, Code::InvalidOption | Code::UnknownOption), "{error:?}");
    }
}
