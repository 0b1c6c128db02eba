//! Plain data through serde: what is read equals what was written, to the bit.

use precis::base::json::Json;
use proptest::prelude::*;

/// Numbers by their bits only.
fn bits(json: &Json) -> Json {
    match json {
        Json::Fraction { bits, .. } => Json::Fraction { millionths: 0, bits: *bits },
        Json::List(items) => Json::List(items.iter().map(bits).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), bits(value))).collect())
        }
        other => other.clone(),
    }
}

fn anything() -> impl Strategy<Value = Json> {
    let whole = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let fraction = any::<f64>().prop_filter("a finite fraction", |value| value.is_finite() && value.fract() != 0.0);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (0..70_000_i64).prop_map(Json::Int),
        whole.prop_map(Json::Int),
        fraction.prop_map(|value| Json::Fraction { millionths: 0, bits: value.to_bits() }),
        any::<String>().prop_map(Json::Text),
        "[a-z\u{feff}é🙂\u{10ffff}]{0,200}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::List),
            prop::collection::vec(("[a-z_]{0,9}", inner), 0..8)
                .prop_map(|members| members.into_iter().collect::<std::collections::BTreeMap<_, _>>())
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(json in anything()) {
        let text = serde_json::to_string(&json).unwrap();
        prop_assert_eq!(bits(&serde_json::from_str(&text).unwrap()), json);
    }
}

#[test]
fn numbers_are_read_into_millionths() {
    let read = |text| serde_json::from_str::<Json>(text).unwrap();
    assert_eq!(read("0.25").millionths(), Some(250_000));
    assert_eq!(read("-0.25").millionths(), Some(-250_000));
    assert_eq!(read("3.0"), Json::Int(3));
    assert_eq!(
        read("9007199254740993.0"),
        Json::Fraction { millionths: i64::MAX, bits: 9_007_199_254_740_993_f64.to_bits() }
    );
}
