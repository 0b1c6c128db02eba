//! What a provider's error says: every number of it stands in the error, and how it is written changes nothing.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::limits::provider_refusal::{Overflow, read};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Piece {
    Free(String),
    Number(u64, u8),
    /// A recorded message, from one of its words to another.
    Recorded(u8, u8, u8),
}

#[derive(Arbitrary, Debug)]
struct Input {
    pieces: Vec<Piece>,
    status: Option<u16>,
}

static RECORDED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all: Vec<serde_json::Value> = serde_json::from_str(include_str!("../../fixtures/overflow.json")).unwrap();
    all.iter().filter_map(|one| one["message"].as_str().map(str::to_owned)).collect()
});

fuzz_target!(|input: Input| precis_fuzz::soon(|| check(&input)));

fn check(input: &Input) {
    let mut text = String::new();
    for piece in &input.pieces {
        match piece {
            Piece::Free(free) => text.push_str(free),
            Piece::Number(number, form) => text.push_str(&written(*number, *form)),
            Piece::Recorded(at, from, to) => {
                let words: Vec<&str> = RECORDED[usize::from(*at) % RECORDED.len()].split(' ').collect();
                let from = usize::from(*from) % words.len();
                let to = from + usize::from(*to) % (words.len() - from + 1);
                text.push_str(&words[from..to].join(" "));
                text.push(' ');
            }
        }
    }
    let status = input.status.map(u64::from);
    let found = read(&text, status);
    if matches!(status, Some(401 | 402 | 403 | 404 | 408 | 429)) {
        return assert_eq!(found, None);
    }
    // In capitals an escape of JSON is none.
    if !has_words_by_capitals(text.as_bytes()) && !text.contains('\\') {
        assert_eq!(read(&text.to_ascii_uppercase(), status), found, "capitals: {text:?}");
    }
    assert_eq!(read(&text.replace(' ', " \n\t "), status), found, "more space: {text:?}");
    // What JSON has no short form for becomes letters; what is long is cut elsewhere.
    if text.len() < 4_000 && !text.contains(|one: char| one.is_control() && !matches!(one, '\n' | '\r' | '\t')) {
        let once = serde_json::Value::from(format!(" {text} ")).to_string();
        assert_eq!(read(&once, status), found, "in JSON");
        assert_eq!(read(&serde_json::Value::from(once).to_string(), status), found, "in JSON in JSON");
    }
    let Some(Overflow { limit, input, prompt, least, reply, total }) = found else { return };
    // A quotation mark can be JSON's, within a number, or part one from the next.
    let unquoted = text.replace(['"', '\'', '`', '\\'], "");
    let numbers = [numbers(&text), numbers(&unquoted)].concat();
    for value in [limit, input, least, reply, total].into_iter().flatten() {
        assert!(numbers.contains(&value), "{value} stands nowhere in {text:?}: {numbers:?}");
    }
    if let Some(prompt) = prompt {
        let rest = total.zip(reply).map(|(total, reply)| total.saturating_sub(reply));
        assert!(numbers.contains(&prompt) || rest == Some(prompt), "{prompt} stands nowhere in {text:?}");
    }
}

/// `ContextWindow` and `HTTPError` are words only as they are written.
fn has_words_by_capitals(text: &[u8]) -> bool {
    let is_camel = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let ends_capitals = |three: &[u8]| three[..2].iter().all(u8::is_ascii_uppercase) && three[2].is_ascii_lowercase();
    text.windows(2).any(is_camel) || text.windows(3).any(ends_capitals)
}

fn written(number: u64, form: u8) -> String {
    let plain = number.to_string();
    let part = match form % 3 {
        0 => return plain,
        1 => ',',
        _ => '_',
    };
    let digits = plain.len();
    let mut out = String::new();
    for (at, digit) in plain.chars().enumerate() {
        if at > 0 && (digits - at).is_multiple_of(3) {
            out.push(part);
        }
        out.push(digit);
    }
    out
}

/// All numbers that can be read in a text, with and without separators of thousands.
fn numbers(text: &str) -> Vec<u64> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut value = 0_u64;
        while at < bytes.len() {
            let group = matches!(bytes[at], b',' | b'_')
                && bytes.get(at + 1..at + 4).is_some_and(|three| three.iter().all(u8::is_ascii_digit));
            if group {
                at += 1;
            } else if !bytes[at].is_ascii_digit() {
                break;
            }
            value = value.saturating_mul(10).saturating_add(u64::from(bytes[at] - b'0'));
            at += 1;
        }
        all.push(value);
    }
    all
}
