//! Cutting a text: within its cap, no longer than it was, the same every time; JSON stays JSON.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::base::text;
use precis::session::edits::truncation::{DONE_CUT, cut};
use precis::shorten::Shape;
use precis::tokens::{self, Estimator};
use precis_fuzz::texts::Text;

#[derive(Arbitrary, Debug)]
struct Input {
    body: Text,
    cap: u16,
    lexical: bool,
    kind: u8,
    keep: Vec<Text>,
    lengths: Vec<u16>,
    budget: u16,
}

fuzz_target!(|input: Input| precis_fuzz::soon(|| check(&input)));

fn check(input: &Input) {
    let body = input.body.write(65_536);
    let estimator = Estimator::parse(if input.lexical { "lexical" } else { "bytes4" }).unwrap();
    let advice = [DONE_CUT, ""][usize::from(input.kind) % 2];
    let keep: Vec<String> =
        input.keep.iter().take(3).map(|text| text.write(80)).filter(|text| !text.is_empty()).collect();
    let cap = 64 + u64::from(input.cap) % 4_000;
    let size = |text: &str| tokens::of_text(&estimator, text);

    let short = cut(&body, cap, advice, &keep, &estimator);
    assert!(size(&short) <= cap, "{} tokens of {cap}: {short}", size(&short));
    assert!(short.len() <= body.len(), "{} bytes of {}: {short}", short.len(), body.len());
    assert_eq!(cut(&body, cap, advice, &keep, &estimator), short);
    assert_eq!(cut(&short, cap, advice, &keep, &estimator), short, "cut again to the same cap");
    if size(&body) <= cap {
        assert_eq!(short, body);
    }
    let smaller = cap / 2 + 32;
    assert!(size(&cut(&short, smaller, advice, &keep, &estimator)) <= smaller);
    json_stays_json(&body, &short, cap);

    for bytes in [0, 1, usize::from(input.cap) % 300, usize::from(input.cap)] {
        let start = text::start(&body, bytes);
        assert!(start.len() <= bytes + "…".len() || start.len() == body.trim().len());
        let ends = text::ends(&body, bytes);
        assert!(ends.len() <= bytes.max("…".len()) || bytes == 0, "{} bytes of {bytes}: {ends}", ends.len());
        Shape::of(&body).within(bytes, "");
    }
    let lengths: Vec<usize> = input.lengths.iter().map(|&length| usize::from(length)).collect();
    let level = text::level(&lengths, usize::from(input.budget));
    let sum = |cap: usize| lengths.iter().map(|&length| length.min(cap)).sum::<usize>();
    assert!(
        sum(level) <= usize::from(input.budget) && (level == usize::MAX || sum(level + 1) > usize::from(input.budget))
    );
}

fn json_stays_json(body: &str, short: &str, cap: u64) {
    let structured = body.starts_with(['{', '[']) && cap >= 160;
    if structured && serde_json::from_str::<serde_json::Value>(body).is_ok() {
        assert!(serde_json::from_str::<serde_json::Value>(short).is_ok(), "no JSON any more: {short}");
    }
}
