//! The arithmetic of the window, over a grid of limits.

use crate::support::json;
use precis::base::error::Code;
use precis::limits::budget::{Window, share};
use precis::limits::options::Options;
use proptest::prelude::*;

fn options(value: serde_json::Value) -> Options {
    Options::parse(&json(&value)).unwrap()
}

fn plain() -> Options {
    options(serde_json::json!({}))
}

const WINDOWS: [u64; 18] = [
    2, 3, 10, 64, 65, 66, 100, 500, 1_000, 4_000, 8_000, 16_385, 32_000, 128_000, 160_000, 200_000, 1_000_000,
    10_000_000,
];
const OUTPUTS: [Option<u64>; 8] =
    [None, Some(0), Some(1), Some(1_000), Some(8_000), Some(64_000), Some(200_000), Some(9_007_199_254_740_991)];

#[test]
fn the_trigger_lies_above_nothing_and_below_the_window_on_the_whole_grid() {
    for window in WINDOWS {
        for output in OUTPUTS {
            for reserve in [None, Some(0), Some(window / 2), Some(window - 1)] {
                for input in [None, Some(1), Some(window / 2), Some(window * 2)] {
                    let options = options(serde_json::json!({
                        "maxOutputTokens": output, "tune": { "reserve": reserve, "maxInputTokens": input }
                    }));
                    let limits = Window::new(window, &options, None).unwrap();
                    let place = format!("{window} {output:?} {reserve:?} {input:?}: {limits:?}");
                    assert!(0 < limits.trigger && limits.trigger <= limits.hard && limits.hard < window, "{place}");
                    if let Some(reserve) = reserve {
                        assert!(limits.trigger <= (window - reserve).max(1), "{place}");
                    }
                    if let Some(input) = input.filter(|&input| input > 0) {
                        assert!(limits.trigger <= input.max(1), "{place}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_trigger_is_what_the_design_says() {
    let trigger = |window, options: &Options, output| Window::new(window, options, output).unwrap().trigger;
    assert_eq!(trigger(200_000, &plain(), Some(8_000)), 200_000 - 8_000 - 1_024);
    let both = options(serde_json::json!({ "maxOutputTokens": 8_000, "tune": { "reserve": 30_000 } }));
    assert_eq!(trigger(200_000, &both, None), 170_000, "the larger of reserve and reply");
    assert_eq!(trigger(200_000, &both, Some(64_000)), 200_000 - 65_024, "the call's own limit wins");
    let input = options(serde_json::json!({ "maxOutputTokens": 8_000, "tune": { "maxInputTokens": 100_000 } }));
    assert_eq!(trigger(200_000, &input, None), 98_000, "2 % below the limit on the input");
    assert_eq!(Window::new(64_000, &plain(), None).unwrap().hard, 63_000);
    assert_eq!(Window::new(1_000, &plain(), None).unwrap().hard, 936);
}

#[test]
fn a_reply_limit_of_the_window_or_more_leaves_half_of_it() {
    for output in [8_000, 7_999, 1_000_000, u64::MAX] {
        assert_eq!(Window::new(8_000, &plain(), Some(output)).unwrap().trigger, 4_000, "{output}");
    }
}

#[test]
fn a_reserve_that_leaves_nothing_is_refused() {
    for reserve in [8_000, 8_001, 1_000_000] {
        let options = options(serde_json::json!({ "tune": { "reserve": reserve } }));
        assert_eq!(Window::new(8_000, &options, None).unwrap_err().code, Code::ReserveTooLarge);
    }
}

proptest! {
    #[test]
    fn a_larger_window_never_has_a_lower_trigger(window in 2_u64..3_000_000, more in 0_u64..100_000, output in prop::option::of(0_u64..200_000)) {
        let (small, large) = (Window::new(window, &plain(), output).unwrap(), Window::new(window + more, &plain(), output).unwrap());
        prop_assert!(small.trigger <= large.trigger, "{:?} {:?}", small, large);
        prop_assert!(small.hard <= large.hard);
    }

    #[test]
    fn a_larger_reply_or_reserve_never_raises_the_trigger(window in 2_u64..3_000_000, output in 0_u64..200_000, more in 0_u64..200_000) {
        let trigger = |output| Window::new(window, &plain(), Some(output)).unwrap().trigger;
        prop_assert!(trigger(output + more) <= trigger(output));
        let reserved = |reserve| Window::new(window, &options(serde_json::json!({ "tune": { "reserve": reserve } })), None).unwrap().trigger;
        let (less, much) = (output.min(window - 1), (output + more).min(window - 1));
        prop_assert!(reserved(much) <= reserved(less));
    }

    #[test]
    fn target_accept_and_limit_stand_in_order(window in 2_u64..3_000_000, fixed in 0_u64..4_000_000, output in prop::option::of(0_u64..200_000)) {
        let options = plain();
        let limits = Window::new(window, &options, output).unwrap().limits(fixed, 0, &options);
        prop_assert_eq!(limits.tight, fixed > share(limits.window.trigger, 900_000));
        prop_assert_eq!(limits.limit, if limits.tight { limits.window.hard } else { limits.window.trigger });
        prop_assert_eq!(limits.room, limits.limit.saturating_sub(fixed));
        prop_assert!(limits.target >= fixed && limits.accept >= limits.target);
        if fixed <= limits.limit {
            prop_assert!(limits.accept <= limits.limit);
        }
    }

    #[test]
    fn a_share_is_a_part_of_the_whole(whole in any::<u64>(), part in 0_u64..=1_000_000) {
        prop_assert!(share(whole, part) <= whole);
        prop_assert_eq!(share(whole, 1_000_000), whole);
    }
}
