//! Finds JSON that a person pasted without a frame around it: objects and lists of objects.

use crate::base::text;
use std::borrow::Cow;

/// The most bytes of JSON that a person types in a sentence.
pub const LONGEST_TYPED: usize = 200;

/// Where JSON starts between two bytes of a text: an object with a quoted key, or a list of such objects.
pub fn start(text: &str, from: usize, until: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let may_start = |byte: &u8| matches!(byte, b'{' | b'[');
    let mut from = from;
    while let Some(at) = bytes[from..until].iter().position(may_start).map(|next| from + next) {
        let opens = |byte: &&u8| may_start(byte) || byte.is_ascii_whitespace();
        let key = at + bytes[at..].iter().take_while(opens).count();
        if text::between(text, at, key).trim_end().ends_with('{') && has_key(text::between(text, key, text.len())) {
            return Some(at);
        }
        from = key.min(until);
    }
    None
}

/// Whether a text starts with a quoted key and a colon.
fn has_key(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('"') else { return false };
    let key = rest.split(['"', '\n']).next().unwrap_or_default();
    let behind = text::between(rest, key.len(), rest.len()).strip_prefix('"');
    behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
}

/// The end of the JSON that starts at a byte: behind the bracket that closes it. `None` if nothing does.
pub fn end(text: &str, from: usize) -> Option<usize> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_quoted,
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// A text in which long JSON is cut to its first `bytes`.
pub fn shortened(text: &str, bytes: usize) -> Cow<'_, str> {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(from) = start(text, at, text.len()) {
        let Some(end) = end(text, from) else { break };
        out.push_str(text::between(text, at, from));
        let json = text::between(text, from, end);
        out.push_str(&if json.len() > LONGEST_TYPED { text::start(json, bytes) } else { json.to_owned() });
        at = end;
    }
    if at == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text::between(text, at, text.len()));
    Cow::Owned(out)
}
