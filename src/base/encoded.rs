//! Encoded binary data inside texts: data URLs, and base64 on its own. It is found by what it is. A cut never goes through
//! it: a piece of it is of no use to anybody, so it goes as a whole and a note says what it was.
//!
//! Texts are read without it. So neither transcripts nor digests nor names hold a piece of encoded data. A message
//! that is not cut is sent as the host holds it.

use crate::base::text;
use std::borrow::Cow;

/// The bytes of the shortest data in a URL, and of the shortest base64 without one.
const LEAST_IN_URL: usize = 64;
const LEAST_ALONE: usize = 512;
/// The most bytes of a URL before its data.
const LONGEST_HEAD: usize = 200;
/// The bytes of a line of base64 in mails and in keys.
const LINES: [usize; 2] = [76, 64];

/// What media of a kind are called: 0 image, 1 PDF, 2 audio, 3 video, 4 file.
pub fn medium_name(kind: u32) -> &'static str {
    match kind {
        0 => "an image",
        1 => "a PDF",
        2 => "an audio file",
        3 => "a video",
        _ => "a file",
    }
}

/// Describes media by kind, type and size.
pub fn medium(kind: u32, media_type: &str, bytes: u64) -> String {
    let mut out = medium_name(kind).to_owned();
    let size = match bytes {
        0 => String::new(),
        1..10_000 => format!("{bytes} bytes"),
        _ => format!("{} kB", bytes / 1_000),
    };
    let facts: Vec<&str> = [media_type, &size].into_iter().filter(|fact| !fact.is_empty()).collect();
    if !facts.is_empty() {
        out.push_str(&format!(" ({})", facts.join(", ")));
    }
    out
}

/// What a note says after the name of what it stands for.
const TAKEN: &str = " as encoded data. It was taken out as a whole to save space.]";

/// Whether a text of ours holds such a note. Anybody can write one, so of any other text it says nothing.
pub fn is_noted(text: &str) -> bool {
    text::find(text, TAKEN).is_some()
}

/// The text with a note in place of each piece of encoded data.
pub fn without(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut base64 = alone(text, 0);
    loop {
        if base64.as_ref().is_some_and(|found| found.from < copied) {
            base64 = alone(text, copied);
        }
        // Base64 in a URL is a part of it.
        let end = base64.as_ref().map_or(text.len(), |found| found.from);
        let url = next_url(text, copied, end);
        let is_alone = url.is_none();
        let Some(found) = url.or_else(|| base64.take()) else { break };
        out.push_str(text::between(text, copied, found.from));
        let what = medium(found.kind(), found.media_type, found.bytes);
        out.push_str(&format!("[Here was {what}{TAKEN}"));
        copied = found.to;
        if is_alone {
            base64 = alone(text, copied);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text::between(text, copied, text.len()));
    Cow::Owned(out)
}

/// A piece of encoded data in a text.
struct Found<'t> {
    from: usize,
    to: usize,
    media_type: &'t str,
    /// The bytes of what is encoded.
    bytes: u64,
}

impl Found<'_> {
    fn kind(&self) -> u32 {
        const KINDS: [&str; 4] = ["image/", "application/pdf", "audio/", "video/"];
        let kind = KINDS.iter().position(|start| self.media_type.starts_with(start));
        kind.unwrap_or(KINDS.len()) as u32
    }
}

/// The first data URL that begins in a part of a text.
fn next_url(text: &str, from: usize, end: usize) -> Option<Found<'_>> {
    let mut at = from;
    while let Some(found) = text::find(text::between(text, at, end), "data:") {
        if let Some(url) = url(text, at + found) {
            return Some(url);
        }
        at += found + "data:".len();
    }
    None
}

/// The data URL that begins at a byte.
fn url(text: &str, from: usize) -> Option<Found<'_>> {
    let start = from + "data:".len();
    let head = text::between(text, start, text::floor(text, start + LONGEST_HEAD));
    let comma = head.find(',')?;
    let head = text::between(head, 0, comma);
    let (media_type, parameters) = head.split_once(';').unwrap_or((head, ""));
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-/".contains(&byte);
    // In JSON, a slash may be escaped.
    if !media_type.replace('\\', "").bytes().all(is_type) || parameters.contains([' ', '\n', '"']) {
        return None;
    }
    let data = start + comma + 1;
    let rest = text.as_bytes().get(data..)?;
    let is_base64 = parameters.ends_with("base64");
    let length = if is_base64 { base64_length(rest) } else { rest.iter().take_while(|byte| in_url(**byte)).count() };
    let bytes = if is_base64 { length as u64 * 3 / 4 } else { length as u64 };
    (length >= LEAST_IN_URL).then_some(Found { from, to: data + length, media_type, bytes })
}

/// Whether a byte can stand in a URL inside of a text.
fn in_url(byte: u8) -> bool {
    byte > b' ' && byte < 0x7f && !b"\"'`<>()[]{}\\".contains(&byte)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// Whether a text begins with a byte that can stand in a line of base64: one of its own, or one that escapes another.
fn may_stand(bytes: &[u8]) -> bool {
    match bytes {
        [b'\\', b'/', ..] => true,
        [b'%', high, low, ..] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [byte, ..] => is_base64(*byte),
        [] => false,
    }
}

/// How many bytes of base64 a text begins with, with the padding at its end.
fn base64_length(bytes: &[u8]) -> usize {
    let (mut at, mut line) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        // A slash may be escaped, by JSON or as in an address, and the lines of mails and keys are all equally long.
        let (step, breaks) = match byte {
            _ if is_base64(byte) => (1, false),
            b'\\' if rest.get(1) == Some(&b'/') => (2, false),
            b'%' if rest.get(1..3).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit)) => (3, false),
            b'\r' if rest.get(1) == Some(&b'\n') => (2, true),
            b'\n' => (1, true),
            b'\\' if rest.starts_with(b"\\r\\n") => (4, true),
            b'\\' if rest.starts_with(b"\\n") => (2, true),
            _ => break,
        };
        if breaks && !(LINES.contains(&line) && rest.get(step).is_some_and(|next| is_base64(*next))) {
            break;
        }
        line = if breaks { 0 } else { line + 1 };
        at += step;
    }
    at + bytes[at..].iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// The first long piece of base64 from a byte on that stands in no URL.
fn alone(text: &str, from: usize) -> Option<Found<'_>> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at + LEAST_ALONE <= bytes.len() {
        // Any piece that is long enough covers one of these bytes.
        let probe = at + LINES[1] - 1;
        if !may_stand(&bytes[probe..]) {
            at = probe + 1;
            continue;
        }
        let start = (at..probe).rev().take_while(|&place| may_stand(&bytes[place..])).last().unwrap_or(probe);
        let length = base64_length(&bytes[start..]);
        if length >= LEAST_ALONE && is_mixed(&bytes[start..start + length]) {
            return Some(Found { from: start, to: start + length, media_type: "", bytes: length as u64 * 3 / 4 });
        }
        at = (start + length).max(probe + 1);
    }
    None
}

/// Whether letters of both cases and digits are as frequent as in encoded data: not in words, paths, numbers or hex.
fn is_mixed(bytes: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count() * 20;
    let least = bytes.len();
    count(u8::is_ascii_uppercase) >= least
        && count(u8::is_ascii_lowercase) >= least
        && count(u8::is_ascii_digit) >= least
        && count(|byte| b"+/-_\\".contains(byte)) <= least * 2
}
