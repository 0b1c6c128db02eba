//! Encoded data in texts: it is found by what it is, goes as a whole, and nothing else goes.

use precis::base::encoded::without;
use precis::session::edits::truncation;
use precis::tokens::Estimator;
use proptest::prelude::*;

/// Base64 as random as compressed data is.
fn base64(length: usize, mut seed: u64) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(LETTERS[(seed >> 58) as usize])
    };
    (0..length).map(|_| next()).collect()
}

/// Whether a piece of `data`, of more than a few letters, stands in a text.
fn holds_piece(text: &str, data: &str) -> bool {
    data.as_bytes().chunks(12).any(|piece| piece.len() == 12 && text.contains(core::str::from_utf8(piece).unwrap()))
}

fn log(lines: usize) -> String {
    (0..lines).map(|line| format!("step {line}: opened page {} and waited\n", line * 7)).collect()
}

#[test]
fn data_goes_as_a_whole_in_every_form() {
    let data = base64(3_000, 1);
    let lines = data.as_bytes().chunks(76).map(|line| core::str::from_utf8(line).unwrap()).collect::<Vec<_>>();
    let forms = [
        format!("data:image/png;base64,{data}"),
        format!("data:image/png;charset=utf-8;base64,{data}=="),
        format!("data:;base64,{data}"),
        data.clone(),
        lines.join("\n"),
        lines.join("\r\n"),
        lines.join("\\n"),
        data.replace('/', "\\/"),
        format!("data:image\\/png;base64,{}", data.replace('/', "\\/")),
        format!("data:image/png;base64,{}", data.replace('/', "%2F").replace('+', "%2B")),
    ];
    for form in forms {
        for (before, after) in [("see: ", " and so on"), ("![page](", ") is it"), ("{\"a\":\"", "\"}"), ("", "")] {
            let text = format!("{before}{form}{after}");
            let short = without(&text);
            assert!(!holds_piece(&short, &data), "{short}");
            assert!(short.starts_with(before) && short.ends_with(after), "{short}");
            assert!(short.contains("as encoded data"), "{short}");
            assert_eq!(without(&short), short);
        }
    }
}

#[test]
fn what_is_no_data_stays() {
    let path = "src/components/Button2/index-test_helper/".repeat(30);
    let texts = [
        log(200),
        "data: none, base64 is a way to write bytes".to_owned(),
        format!("data:{}", log(30)),
        "0123456789abcdef".repeat(100),
        "ACGT".repeat(500),
        "a".repeat(5_000),
        path,
        "data:image/png;base64,AAAA".to_owned(),
        "世界".repeat(1_000),
    ];
    for text in texts {
        assert_eq!(without(&text), text);
    }
}

#[test]
fn an_address_that_holds_a_drawing_goes_too() {
    let text = format!("background: url(data:image/svg+xml,{}) no-repeat", "%3Csvg%20width=%2710%27".repeat(20));
    assert_eq!(
        without(&text),
        "background: url([Here was an image (image/svg+xml, 460 bytes) as encoded data. It was taken out as a whole to \
         save space.]) no-repeat"
    );
}

#[test]
fn many_pieces_take_no_longer_than_their_text() {
    let url = format!("data:image/png;base64,{} ", base64(100, 3));
    let text = url.repeat(40_000) + &base64(2_000, 5);
    let short = without(&text);
    assert_eq!(short.matches("as encoded data").count(), 40_001);
}

proptest! {
    #[test]
    fn no_cut_goes_through_data(
        lines in 0_usize..120,
        more in 0_usize..120,
        length in 700_usize..6_000,
        seed in any::<u64>(),
        is_url in any::<bool>(),
        cap in 40_u64..2_000,
    ) {
        let data = base64(length, seed);
        let head = if is_url { "data:image/png;base64," } else { "" };
        let text = format!("{}{head}{data} {}", log(lines), log(more));
        let estimator = Estimator::parse("lexical").unwrap();
        let cut = truncation::cut(&without(&text), cap, "", &[], &estimator);
        prop_assert!(!holds_piece(&cut, &data), "{}", cut);
    }

    #[test]
    fn any_text_comes_out_whole_around_it(text in "(\\PC|[A-Za-z0-9+/=,;:\n\\\\]){0,400}", at in 0_usize..400) {
        let once = without(&text).into_owned();
        prop_assert_eq!(without(&once), once.as_str());
        let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(text.len());
        let (head, tail) = text.split_at(at);
        let held = format!("{head} data:image/png;base64,{} {tail}", base64(200, 9));
        let short = without(&held);
        prop_assert!(short.len() < held.len());
    }
}
