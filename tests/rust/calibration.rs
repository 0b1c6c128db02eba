//! Calibration: from raw tokens to the provider's.

use crate::support::Chat;
use crate::support::M;
use crate::support::answer;
use crate::support::assistant;
use crate::support::filler;
use crate::support::plain;
use crate::support::records;
use crate::support::tail_chat;
use crate::support::user;
use precis::base::error::Warning;
use precis::engine::Reported;
use precis::model::message::MessageRecord;
use precis::report::Outcome;
use precis::session::state::SessionState;
use precis::tokens::calibration::{Calibration, UsageReading};
use precis::tokens::{Estimator, SlopeRange};
use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

fn range(estimator: &str) -> SlopeRange {
    Estimator::parse(estimator).unwrap().slope()
}

fn bytes4() -> SlopeRange {
    range("bytes4")
}

fn learned(readings: &[(u64, u64)], range: SlopeRange) -> Calibration {
    let mut calibration = Calibration::default();
    for &(raw, reported) in readings {
        calibration.learn(UsageReading { raw, reported }, false, range, None);
    }
    calibration
}

#[test]
fn before_any_report_the_prior_slope_and_a_bound_of_a_tenth_hold() {
    let fresh = Calibration::default();
    let estimate = fresh.estimate(1_000, bytes4());
    assert_eq!((estimate.tokens, estimate.bound), (2_500, 250));
    let estimate = fresh.estimate(1_000, range("host"));
    assert_eq!((estimate.tokens, estimate.bound), (1_000, 100));
}

#[test]
fn the_slope_is_learned_from_plain_growth_alone() {
    let grown = |more: (u64, u64)| learned(&[(50_000, 50_000), more], bytes4()).grown;
    assert!(grown((51_000, 51_200)).is_some());
    // Too small an increment to learn from; far fewer, and far more, tokens than text can have.
    for more in [(50_010, 50_012), (51_000, 50_300), (51_000, 54_100)] {
        assert_eq!(grown(more), None, "{more:?}");
    }
}

#[test]
fn a_report_is_met_exactly_and_without_doubt() {
    let calibration = learned(&[(1_000, 3_210)], bytes4());
    let estimate = calibration.estimate(1_000, bytes4());
    assert_eq!((estimate.tokens, estimate.bound), (3_210, 0));
    let grown = calibration.estimate(1_100, bytes4());
    assert_eq!(grown.tokens, 3_210 + 250);
    assert_eq!(grown.bound, 25, "a tenth of what is guessed");
}

#[test]
fn a_counted_request_sets_the_slope_at_once() {
    let mut calibration = Calibration::default();
    calibration.learn(UsageReading { raw: 1_000, reported: 1_300 }, true, bytes4(), None);
    assert_eq!(calibration.slope(bytes4()), 1_300_000);
    let mut beyond = Calibration::default();
    beyond.learn(UsageReading { raw: 1_000, reported: 9_000 }, true, bytes4(), None);
    assert_eq!(beyond.slope(bytes4()), 5_000_000, "within its range");
}

#[test]
fn the_slope_is_learned_from_increments_only() {
    let calibration = learned(&[(1_000, 6_000), (2_000, 7_500)], bytes4());
    assert_eq!(calibration.slope(bytes4()), 1_500_000, "the hidden 5,000 do not count");
    assert_eq!(calibration.estimate(500, bytes4()).tokens, 7_500 - 2_250);
}

#[test]
fn small_increments_and_impossible_ratios_teach_nothing() {
    for second in [(1_020, 2_100), (2_000, 2_100), (2_000, 8_000), (900, 1_900), (1_000, 2_050)] {
        // The anchor moves anyway, unless the reading is too far off to be believed alone.
        let calibration = learned(&[(1_000, 2_000), second], bytes4());
        assert_eq!(calibration.grown, None, "{second:?}");
    }
}

#[test]
fn the_slope_stays_in_its_range_whatever_is_reported() {
    let steep = learned(&[(10_000, 30_000), (11_000, 33_500), (12_000, 37_000), (13_000, 40_500)], range("host"));
    assert_eq!(steep.slope(range("host")), 2_000_000);
    let flat = learned(&[(10_000, 20_000), (11_000, 20_450), (12_000, 20_900)], bytes4());
    assert_eq!(flat.slope(bytes4()), 1_000_000);
}

#[test]
fn a_reading_far_off_waits_for_a_second_that_agrees() {
    let mut calibration = learned(&[(10_000, 20_000), (10_400, 20_800)], bytes4());
    let before = calibration.clone();
    let off = UsageReading { raw: 10_500, reported: 60_000 };
    calibration.learn(off, false, bytes4(), None);
    assert_eq!((calibration.anchor, calibration.parked), (before.anchor, Some(off)));
    assert_eq!(calibration.estimate(10_500, bytes4()), before.estimate(10_500, bytes4()), "not believed alone");
    calibration.learn(UsageReading { raw: 10_600, reported: 60_300 }, false, bytes4(), None);
    assert_eq!(calibration.anchor, Some(UsageReading { raw: 10_600, reported: 60_300 }));
    assert_eq!(calibration.parked, None);
    assert_eq!(calibration.estimate(10_600, bytes4()).tokens, 60_300);
}

#[test]
fn a_lone_outlier_is_forgotten() {
    let mut calibration = learned(&[(10_000, 20_000), (10_400, 20_800)], bytes4());
    calibration.learn(UsageReading { raw: 10_500, reported: 60_000 }, false, bytes4(), None);
    calibration.learn(UsageReading { raw: 10_600, reported: 21_200 }, false, bytes4(), None);
    assert_eq!(calibration.parked, None);
    assert_eq!(calibration.estimate(10_600, bytes4()).tokens, 21_200);
}

#[test]
fn two_outliers_that_disagree_are_not_believed() {
    let mut calibration = learned(&[(10_000, 20_000)], bytes4());
    calibration.learn(UsageReading { raw: 10_000, reported: 60_000 }, false, bytes4(), None);
    calibration.learn(UsageReading { raw: 10_000, reported: 200_000 }, false, bytes4(), None);
    assert_eq!(calibration.anchor, Some(UsageReading { raw: 10_000, reported: 20_000 }));
}

#[test]
fn a_first_report_that_cannot_be_all_waits_for_a_second_that_agrees() {
    let mut calibration = learned(&[(10_000, 3)], bytes4());
    assert_eq!((calibration.anchor, calibration.parked), (None, Some(UsageReading { raw: 10_000, reported: 3 })));
    calibration.learn(UsageReading { raw: 10_100, reported: 12_000 }, false, bytes4(), None);
    assert_eq!(calibration.anchor, Some(UsageReading { raw: 10_100, reported: 12_000 }));
    // Media that count less than estimated: the second report agrees.
    let media = learned(&[(10_000, 1_500), (10_000, 1_501)], bytes4());
    assert_eq!(media.anchor, Some(UsageReading { raw: 10_000, reported: 1_501 }));
}

#[test]
fn what_was_learned_fades_slowly() {
    let mut readings = vec![(1_000, 5_000)];
    for step in 1..=64 {
        readings.push((1_000 + step * 100, 5_000 + step * 200));
    }
    let steep = learned(&readings, bytes4());
    assert!(steep.slope(bytes4()).abs_diff(2_000_000) < 10_000, "but for rounding");
    let last = *readings.last().unwrap();
    for step in 1..=8 {
        readings.push((last.0 + step * 100, last.1 + step * 100));
    }
    let slope = learned(&readings, bytes4()).slope(bytes4());
    assert!((1_750_000..1_850_000).contains(&slope), "{slope}: eight increments of 41 remembered ones");
}

#[test]
fn the_reply_is_part_of_the_next_prompt_as_it_was_reported() {
    let mut chat = Chat::new(json!({ "contextWindow": 100_000, "tune": { "tokens": { "estimator": "bytes4" } } }));
    let mut history = vec![user(&filler(4_000))];
    chat.before_model(&history, None).unwrap();
    chat.learn(Reported { prompt: Some(1_500), output: 1_100, ..Reported::default() });
    history.push(assistant(&filler(4_000)));
    let with_reply = chat.before_model(&history, None).unwrap().committed.report.before;
    assert_eq!(with_reply.tokens, 2_600);
    history.push(user(&filler(400)));
    let with_more = chat.before_model(&history, None).unwrap().committed.report.before;
    assert_eq!(with_more.tokens, 2_600 + 250, "newer messages by the slope");
    // Another reply at the place of the reported one is not counted by the report.
    history[1] = user(&filler(4_000));
    let edited = chat.before_model(&history, None).unwrap().committed.report.before;
    assert_eq!(edited.tokens, 1_500 + 2_500 + 250);
}

#[test]
fn a_message_at_another_place_is_not_the_reply() {
    let mut chat = Chat::new(json!({ "contextWindow": 100_000, "tune": { "tokens": { "estimator": "bytes4" } } }));
    let mut history = vec![user(&filler(4_000)), assistant("ok"), user(&filler(400))];
    chat.before_model(&history, None).unwrap();
    chat.learn(Reported { prompt: Some(3_000), output: 900, ..Reported::default() });
    let before = chat.session().calibration;
    assert_eq!(before.reply.map(|reply| (reply.tokens, reply.raw)), Some((900, 0)));
    history.insert(0, user("another start"));
    history.push(assistant(&filler(4_000)));
    let moved = chat.before_model(&history, None).unwrap();
    assert_eq!(chat.session().calibration.reply.map(|reply| reply.raw), Some(0), "another history");
    assert!(moved.committed.report.before.tokens > 3_900);
}

#[test]
fn a_reply_that_is_covered_counts_no_more_wherever_the_history_is_loaded_from() {
    let mut chat = Chat::new(json!({
        "contextWindow": 8_000, "maxOutputTokens": 500, "tune": { "tokens": { "estimator": "bytes4" } }
    }));
    let mut history = vec![user("Begin.")];
    chat.before_model(&history, None).unwrap();
    chat.learn(Reported { prompt: Some(10), output: 900, ..Reported::default() });
    for turn in 0..20 {
        history.extend([assistant(&filler(2_000)), user(&format!("And {turn}?"))]);
    }
    chat.before_model(&history, None).unwrap();
    history.push(assistant("So it is."));
    let from = precis::engine::keep_from(&chat.session()).0 as usize;
    assert!(from > 2);
    let mut part = chat.clone();
    part.more = json!({ "offset": from });
    chat.before_model(&history, None).unwrap();
    part.before_model(&history[from..], None).unwrap();
    assert_eq!(chat.session().calibration.reply.map(|reply| (reply.tokens, reply.raw)), Some((900, 0)));
    assert_eq!(part.session(), chat.session());
}

#[test]
fn nothing_is_learned_from_zero() {
    assert_eq!(learned(&[(0, 100), (100, 0)], bytes4()), Calibration::default());
}

#[test]
fn a_new_key_drops_the_anchor() {
    let mut calibration = learned(&[(1_000, 2_000), (2_000, 4_000)], bytes4());
    calibration.key = "bytes4/1|small".into();
    assert_eq!(calibration.under("bytes4/1|small"), calibration);
    let other = calibration.under("bytes4/1|large");
    assert_eq!((other.anchor, other.parked, other.key.as_str()), (None, None, "bytes4/1|large"));
}

#[test]
fn a_change_of_the_model_starts_a_new_calibration() {
    let bytes4 = json!({ "tokens": { "estimator": "bytes4" } });
    let mut chat = Chat::new(json!({ "contextWindow": 32_000, "tune": bytes4 }));
    chat.more = json!({ "model": "small" });
    let history = [user(&filler(4_000))];
    chat.before_model(&history, None).unwrap();
    chat.after_model(1_234);
    let usage = |chat: &mut Chat| chat.before_model(&history, None).unwrap().committed.report.before;
    assert_eq!((usage(&mut chat).tokens, usage(&mut chat).reported), (1_234, true));
    chat.more = json!({ "model": "large" });
    assert_eq!((usage(&mut chat).tokens, usage(&mut chat).reported), (2_500, false));
}

#[test]
fn one_reading_counts_for_one_request() {
    let mut chat = Chat::new(json!({ "contextWindow": 32_000 }));
    let history = [user(&filler(4_000))];
    chat.before_model(&history, None).unwrap();
    chat.after_model(2_000);
    let once = chat.state.clone();
    chat.after_model(9_000);
    assert_eq!(chat.state, once, "nothing is pending any more");
    chat.before_model(&history, None).unwrap();
    chat.after_model(1);
    assert_eq!(chat.session().calibration, Chat { state: once, ..chat.clone() }.session().calibration);
}

/// A provider that counts less than the initial slope assumes: what a compaction leaves is still counted.
#[test]
fn an_estimate_below_the_anchor_is_never_less_than_its_part_of_it() {
    let calibration = learned(&[(10_000, 10_500)], bytes4());
    let estimate = calibration.estimate(2_000, bytes4());
    assert!(estimate.tokens + estimate.bound >= 2_100, "{estimate:?} for 2,000 raw tokens at a ratio of 1.05");
}

#[test]
fn a_compacted_request_is_not_taken_for_nothing() {
    // The provider counts 1.05 times our raw tokens and the initial slope is 2.5, so the intercept must not become
    // negative.
    let mut chat = Chat::new(json!({ "contextWindow": 32_000, "maxOutputTokens": 1_000 }));
    let mut history = Vec::new();
    for turn in 0..8 {
        history.push(user(&filler(4_000)));
        history.push(assistant(&format!("{turn} {}", filler(4_000))));
    }
    history.push(user("next"));
    let first = chat.before_model(&history, Some(&mut |_| answer("sum"))).unwrap();
    let raw = first.committed.report.after.raw;
    chat.after_model(raw * 105 / 100);
    chat.more = json!({ "compact": true });
    history.push(assistant("done"));
    history.push(user("next"));
    let compacted = chat.before_model(&history, Some(&mut |_| answer("sum"))).unwrap();
    let after = compacted.committed.report.after;
    assert!(after.tokens + after.bound >= after.raw, "{} + {} for {} raw tokens", after.tokens, after.bound, after.raw);
    assert!(compacted.committed.report.after.reply_room() <= 32_000 - after.raw);
}

/// A window of 20,000 tokens, and a chat whose newest request has about 1,900.
fn short_chat() -> (Chat, Vec<M>) {
    let mut chat = Chat::new(json!({ "contextWindow": 20_000, "maxOutputTokens": 1_000 }));
    let history: Vec<M> =
        (0..10).flat_map(|_| [user(&filler(280)), assistant(&filler(280))]).chain([user("go on")]).collect();
    let first = chat.before_model(&history, None).unwrap().committed.report;
    assert!((1_200..3_000).contains(&first.after.tokens), "{}", first.after.tokens);
    (chat, history)
}

fn doubts(report: &precis::report::Report) -> bool {
    report.warnings.iter().any(|notice| notice.code == Warning::UsageDoubted)
}

#[test]
fn a_first_report_above_the_window_is_not_believed_and_the_next_report_says_so() {
    let (mut chat, mut history) = short_chat();
    let plain = chat.session();
    for _ in 0..4 {
        chat.after_model(60_000);
        history.extend([assistant("done"), user("and now?")]);
        let next = chat.before_model(&history, None).unwrap().committed;
        assert_eq!(next.report.outcome, Outcome::Unchanged, "{}", next.report.reason);
        assert!(doubts(&next.report), "{:?}", next.report.warnings);
    }
    assert_eq!(chat.session().checkpoints, plain.checkpoints);
    let own = chat.before_model(&history, None).unwrap().committed.report.after.tokens;
    chat.after_model(own + 40);
    let right = chat.before_model(&history, None).unwrap().committed.report;
    assert_eq!((right.after.tokens, doubts(&right)), (own + 40, false), "the first right one is believed");
}

#[test]
fn a_first_report_that_would_fill_the_window_waits_for_a_second_that_agrees() {
    let (mut chat, mut history) = short_chat();
    chat.after_model(15_000);
    history.extend([assistant("done"), user("and now?")]);
    let next = chat.before_model(&history, None).unwrap().committed.report;
    assert_eq!((next.outcome, doubts(&next)), (Outcome::Unchanged, true));
    chat.after_model(15_020);
    let agreed = chat.before_model(&history, None).unwrap().committed.report;
    assert_eq!((agreed.before.tokens, doubts(&agreed)), (15_020, false), "tools that the host did not pass");
    // A surplus of a system prompt and a few tools is believed at once.
    let (mut chat, history) = short_chat();
    let own = chat.before_model(&history, None).unwrap().committed.report.after.tokens;
    chat.after_model(own + 2_000);
    assert_eq!(chat.before_model(&history, None).unwrap().committed.report.after.tokens, own + 2_000);
}

#[test]
fn a_slope_learned_on_little_text_is_not_trusted_for_much_text_of_another_kind() {
    let mut chat = Chat::new(json!({ "contextWindow": 200_000, "maxOutputTokens": 1_000 }));
    chat.more = json!({ "system": 1 });
    let mut history = vec![user(&filler(12_000))];
    let first = chat.before_model(&history, None).unwrap().committed.report.after.raw;
    chat.after_model(first * 53 / 100);
    history.extend([assistant("I see."), user(&filler(300_000))]);
    let pasted = chat.before_model(&history, None).unwrap().committed.report.before;
    assert!(
        pasted.tokens + pasted.bound + first >= pasted.raw,
        "{} + {} for {} raw tokens",
        pasted.tokens,
        pasted.bound,
        pasted.raw
    );
}

/// What a server that truncates silently reports: what it has kept.
fn truncated(steps: impl IntoIterator<Item = (u64, u64)>) -> (Calibration, Vec<bool>) {
    let mut calibration = Calibration::default();
    let believed = steps
        .into_iter()
        .map(|(raw, reported)| calibration.learn(UsageReading { raw, reported }, true, range("host"), Some(128_000)));
    let believed = believed.collect();
    (calibration, believed)
}

#[test]
fn reports_that_stand_still_while_the_request_grows_are_doubted() {
    let (calibration, believed) = truncated((0..30).map(|step| (4_000 + step * 1_000, 2_050)));
    assert!(believed.iter().take(5).any(|believed| !believed), "doubted after a few requests: {believed:?}");
    assert_eq!((calibration.anchor, calibration.whole), (None, None), "nothing of them is kept");
    assert_eq!(calibration.estimate(33_000, range("host")).tokens, 33_000, "the estimate follows the text");
    assert_eq!(calibration.doubtful(128_000), Some(2_050), "the next report of a call says so");
    let slow = truncated((0..120).map(|step| (4_000 + step * 250, 2_050))).0;
    assert_eq!(slow.estimate(33_000, range("host")).tokens, 33_000, "in small steps as well");
}

#[test]
fn reports_that_shrink_while_the_request_grows_are_doubted() {
    let (calibration, believed) = truncated((0..20).map(|step| (10_000 + step * 900, 10_000 - step * 300)));
    assert!(believed[0] && !believed[19], "{believed:?}");
    assert!(calibration.estimate(27_000, range("host")).tokens >= 25_000);
}

/// Whole messages are dropped, so what is kept goes up and down.
#[test]
fn a_ceiling_is_found_below_reports_that_vary() {
    let noise = [0, 130, 40, 170, 90, 10, 150, 60];
    let (calibration, _) = truncated((0..40).map(|step| (4_000 + step * 700, 1_880 + noise[step as usize % 8])));
    assert!(calibration.estimate(30_000, range("host")).tokens >= 28_000, "{calibration:?}");
}

#[test]
fn a_server_that_counts_again_is_believed_again() {
    let (mut calibration, _) = truncated((0..30).map(|step| (4_000 + step * 1_000, 2_050)));
    // A short request that fits its window, and later a larger window.
    let learn = |calibration: &mut Calibration, raw, reported| {
        calibration.learn(UsageReading { raw, reported }, true, range("host"), Some(128_000))
    };
    assert!(learn(&mut calibration, 1_500, 1_490));
    assert!(!learn(&mut calibration, 6_000, 2_050), "the window is as small as before");
    assert!(learn(&mut calibration, 6_500, 6_480));
    assert_eq!((calibration.standstill, calibration.anchor.unwrap().reported), (None, 6_480));
}

#[test]
fn what_a_tool_prompt_adds_and_what_media_cost_less_is_no_standstill() {
    // 20,000 tokens that the host did not pass.
    let hidden = (0..40).map(|step| (1_000 + step * 300, 21_000 + step * 290));
    assert!(truncated(hidden).1.iter().skip(2).all(|believed| *believed));
    // Images that cost a sixth of their estimate.
    let images = (0..40).map(|step| (2_000 + step * 1_500, 2_000 + step * 258));
    assert_eq!(truncated(images).0.standstill.and_then(|known| known.most), None);
}

/// Ollama with a window of 2,048 tokens, and a chat that goes on.
#[test]
fn the_meter_follows_the_estimate_where_a_server_truncates_silently() {
    let mut chat = Chat::new(json!({ "contextWindow": 128_000, "maxOutputTokens": 1_000 }));
    let mut history = vec![user(&filler(14_000))];
    let mut doubted = None;
    for step in 0..30 {
        let report = chat.before_model(&history, None).unwrap().committed.report;
        if doubts(&report) {
            doubted.get_or_insert(step);
            assert!(report.after.tokens >= report.after.raw, "{} for {}", report.after.tokens, report.after.raw);
        }
        chat.after_model(2_050);
        history.extend([assistant(&filler(1_600)), user(&filler(1_600))]);
    }
    let last = chat.before_model(&history, None).unwrap().committed.report;
    assert!(doubted.is_some_and(|step| step <= 4), "{doubted:?}");
    assert!(doubts(&last) && last.after.tokens > 20_000, "{}", last.after.tokens);
}

/// Usage of zero, as servers report that do not count.
#[test]
fn usage_of_zero_leaves_the_estimate_as_it_is() {
    let (mut chat, history) = short_chat();
    let own = chat.before_model(&history, None).unwrap().committed.report;
    for _ in 0..3 {
        chat.after_model(0);
        let next = chat.before_model(&history, None).unwrap().committed.report;
        assert_eq!((next.after.tokens, doubts(&next)), (own.after.tokens, false));
    }
}

fn readings() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((1_u64..300_000, 1_u64..900_000), 0..12)
}

proptest! {
    /// Some SDKs report a running total over all requests.
    #[test]
    fn totals_over_several_requests_never_compact_a_short_chat(
        sizes in prop::collection::vec(200_usize..4_000, 10..30),
        from in 0_usize..3,
    ) {
        let mut chat = Chat::new(json!({ "contextWindow": 40_000, "maxOutputTokens": 1_000 }));
        let (mut history, mut total) = (vec![user("begin")], 0);
        for (step, size) in sizes.into_iter().enumerate() {
            let report = chat.before_model(&history, None).unwrap().committed.report;
            let own = report.after.raw;
            if own > 12_000 { break; }
            prop_assert_eq!(report.outcome, Outcome::Unchanged, "step {}: {} for {}", step, report.after.tokens, own);
            total += own;
            chat.after_model(if step < from { own } else { total });
            history.extend([assistant(&filler(size / 2)), user(&filler(size))]);
        }
    }

    #[test]
    fn no_report_above_the_window_changes_an_estimate(
        readings in readings(), raw in 1_u64..300_000, window in 1_000_u64..500_000, above in 1_u64..900_000, asked in 1_u64..500_000,
    ) {
        let mut calibration = learned(&readings, range("host"));
        let before = calibration.clone();
        for _ in 0..3 {
            let believed = calibration.learn(UsageReading { raw, reported: window + above }, true, range("host"), Some(window));
            prop_assert!(!believed);
        }
        prop_assert_eq!(calibration.estimate(asked, range("host")), before.estimate(asked, range("host")));
    }

    #[test]
    fn the_bound_covers_one_token_for_each_raw_one_of_more_than_was_learned_on(
        raw in 100_u64..50_000, slope in 500_000_u64..1_000_000, more in 0_u64..200_000,
    ) {
        let mut calibration = Calibration::default();
        calibration.learn(UsageReading { raw, reported: raw * slope / 1_000_000 }, true, range("host"), None);
        let estimate = calibration.estimate(2 * raw + more, range("host"));
        prop_assert!(estimate.tokens + estimate.bound + 4 >= calibration.anchor.unwrap().reported + raw + more, "{:?}", estimate);
        // In proportion: a tenth of what was learned on adds a tenth of the difference.
        let little = calibration.estimate(raw + raw / 10, range("host"));
        prop_assert!(little.bound <= raw / 10 / 4 + 2, "{:?}", little);
    }

    #[test]
    fn slope_and_bound_stay_in_their_ranges(readings in readings(), counted in any::<bool>(), raw in 1_u64..500_000) {
        for range in [bytes4(), range("host")] {
            let mut calibration = Calibration::default();
            for &(raw, reported) in &readings {
                calibration.learn(UsageReading { raw, reported }, counted, range, None);
                let slope = calibration.slope(range);
                prop_assert!((range.least..=range.most).contains(&slope), "{}", slope);
            }
            let estimate = calibration.estimate(raw, range);
            let guessed = calibration.anchor.map_or(calibration.scale(raw, range), |anchor| {
                calibration.scale(raw, range).abs_diff(calibration.scale(anchor.raw, range))
            });
            // More is possible only if the new text differs from what the slope was learned on.
            let most = guessed.div_ceil(4).max(raw.saturating_sub(calibration.scale(raw, range)));
            prop_assert!(estimate.bound >= guessed / 100 && estimate.bound <= most, "{:?} {}", estimate, guessed);
        }
    }

    #[test]
    fn after_a_believed_report_the_estimate_is_exact(readings in readings(), raw in 1_u64..300_000, reported in 1_u64..900_000) {
        let mut calibration = learned(&readings, bytes4());
        calibration.learn(UsageReading { raw, reported }, false, bytes4(), None);
        if calibration.anchor == Some(UsageReading { raw, reported }) {
            prop_assert_eq!(calibration.estimate(raw, bytes4()).tokens, reported);
        } else {
            prop_assert_eq!(calibration.parked, Some(UsageReading { raw, reported }));
        }
    }

    /// `fixed` is never below 0: a part of a request counts at least its share of the reported total.
    #[test]
    fn fixed_tokens_are_never_negative(readings in readings(), counted in any::<bool>(), tenths in 0_u64..=10) {
        let mut calibration = Calibration::default();
        for (raw, reported) in readings {
            calibration.learn(UsageReading { raw, reported }, counted, bytes4(), None);
        }
        if let Some(anchor) = calibration.anchor {
            let raw = anchor.raw * tenths / 10;
            let part = (u128::from(anchor.reported) * u128::from(raw) / u128::from(anchor.raw)) as u64;
            let estimate = calibration.estimate(raw, bytes4());
            prop_assert!(estimate.tokens + estimate.bound + 1 >= part, "{:?} for {} of {:?}", estimate, raw, anchor);
        }
    }

    #[test]
    fn an_estimate_never_falls_when_more_is_sent(readings in readings(), raw in 0_u64..300_000, more in 0_u64..10_000) {
        let calibration = learned(&readings, bytes4());
        prop_assert!(calibration.estimate(raw, bytes4()).tokens <= calibration.estimate(raw + more, bytes4()).tokens);
    }

    #[test]
    fn a_calibration_survives_json(readings in readings(), counted in any::<bool>()) {
        let mut calibration = Calibration::default();
        for (raw, reported) in readings {
            calibration.learn(UsageReading { raw, reported }, counted, bytes4(), None);
        }
        let state = SessionState { calibration: calibration.clone(), ..SessionState::default() };
        prop_assert_eq!(&SessionState::parse(&plain(&state)).unwrap().calibration, &calibration);
        prop_assert!(calibration.errors.len() <= 20);
    }

    #[test]
    fn raw_for_is_the_inverse_of_the_estimate(readings in readings(), raw in 0_u64..300_000, tokens in 0_u64..900_000) {
        let calibration = learned(&readings, bytes4());
        let found = calibration.raw_for(tokens, raw, bytes4());
        if found > 1 && found != raw {
            prop_assert!(calibration.estimate(found, bytes4()).tokens <= tokens.max(1), "{} {}", found, tokens);
        }
    }

    #[test]
    fn the_parts_of_a_usage_add_up_to_its_tokens(
        sizes in prop::collection::vec((0_usize..3_000, 0_usize..3_000), 1..6),
        percents in prop::collection::vec(45_u64..220, 1..6),
        with_system in any::<bool>(),
    ) {
        let mut chat = Chat::new(json!({ "contextWindow": 200_000 }));
        chat.system = with_system.then(|| filler(400));
        let mut messages = Vec::new();
        for (turn, (asked, said)) in sizes.into_iter().enumerate() {
            messages.push(user(&filler(asked)));
            let report = chat.before_model(&messages, None).unwrap().committed.report;
            for usage in [report.before, report.after] {
                let parts = usage.parts;
                let sum = parts.system + parts.tools + parts.user + parts.assistant + parts.results + parts.media + parts.summary;
                prop_assert_eq!(sum, usage.tokens, "{:?}", usage);
            }
            chat.after_model(report.after.raw * percents[turn % percents.len()] / 100);
            messages.push(assistant(&filler(said)));
        }
    }
}

#[test]
fn a_prompt_that_is_a_sum_or_lacks_what_was_cached_is_not_learned_from() {
    for preset in [json!({}), json!({ "preset": "contextguard" })] {
        let mut sent = Chat::new(json!({ "contextWindow": 100_000, "tune": preset }));
        sent.before_model(&[user(&filler(4_000))], None).unwrap();
        let learned = |usage| {
            let mut chat = sent.clone();
            chat.learn(usage);
            chat.session()
        };
        let whole = Reported { prompt: Some(1_500), output: 50, ..Reported::default() };
        let nothing = learned(Reported::default());
        assert!(learned(whole) != nothing);
        assert_eq!(learned(Reported { cached: Some(1_500), ..whole }), learned(whole));
        for usage in [
            Reported { aggregated: true, ..whole },
            Reported { cached: Some(1_501), ..whole },
            Reported { prompt: Some(0), ..whole },
            Reported { prompt: None, ..whole },
        ] {
            assert_eq!(learned(usage), nothing, "{usage:?}");
        }
    }
}

/// D08 and D10 of docs/guarantees.md.
#[test]
fn text_beyond_ascii_is_counted_by_its_bytes_without_a_cliff() {
    let tokens = |chars: usize| {
        let records = records(&[user(&"한".repeat(chars))], "bytes4");
        MessageRecord::split(&records).unwrap()[0].tokens()
    };
    assert!(tokens(200_000) >= 100_000, "Chinese, Japanese and Korean are not a quarter of a token a character");
    let (below, above) = (tokens(99_999), tokens(100_001));
    assert!(above > below && above - below < 10, "{below} {above}");
}

#[test]
fn usage_of_another_request_is_not_believed() {
    let mut chat = tail_chat();
    let report = chat.before_model(&[user("Hello.")], None).unwrap().committed.report;
    let before = chat.session();
    let options = precis::limits::options::Options::parse(&crate::support::json(&chat.options)).unwrap();
    let usage = || Reported { prompt: Some(400), ..Default::default() };
    let other = precis::engine::after_model(&options, &before, usage(), Some("another"));
    assert_eq!(other, before);
    let own = precis::engine::after_model(&options, &before, usage(), Some(&report.request));
    assert_ne!(own, before);
}

#[test]
fn a_count_of_doubted_readings_reads_back() {
    for (parked, doubted) in [(Value::Null, json!(9)), (json!({ "raw": 65, "reported": 1657 }), json!(0))] {
        let mut state =
            json!({ "version": 1, "revision": 1, "calibration": { "key": "bytes4/1|", "doubted": doubted } });
        if parked != Value::Null {
            state["calibration"]["parked"] = parked;
        }
        let read = SessionState::parse(&crate::support::json(&state)).unwrap();
        assert_eq!(SessionState::parse(&plain(&read)), Ok(read));
    }
}

#[test]
fn usage_of_an_unknown_shape_is_reported_until_one_is_read_and_changes_nothing_else() {
    let (mut chat, history) = short_chat();
    let says = |chat: &mut Chat| {
        let report = chat.before_model(&history, None).unwrap().committed.report;
        report.warnings.iter().any(|notice| notice.code == Warning::UsageUnread)
    };
    let (unknown, known) = (Some(true), Some(false));
    // Nothing, an unknown shape, nothing again, a known one without a count.
    for (unread, expected) in [(None, false), (unknown, true), (None, true), (known, false)] {
        let estimated = chat.before_model(&history, None).unwrap().committed.report.after;
        chat.learn(Reported { unread, ..Reported::default() });
        assert_eq!(says(&mut chat), expected, "{unread:?}");
        assert_eq!(chat.before_model(&history, None).unwrap().committed.report.after, estimated, "{unread:?}");
    }
    chat.learn(Reported { unread: unknown, ..Reported::default() });
    assert!(says(&mut chat));
    chat.learn(Reported { prompt: Some(2_000), unread: known, ..Reported::default() });
    assert!(!says(&mut chat));
}
