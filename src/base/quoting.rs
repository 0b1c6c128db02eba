//! Quotes other people's text inside our own. It is escaped so that it can neither close its frame nor pass for ours.
//!
//! A quotation is one line behind a label of ours, so it can neither begin a line nor end the frame. The label of a
//! speaker (`speaker_label`) shows letters, digits and `_-.'@+#` of the name on one line, at most 64 bytes, and
//! nobody's name is one of our labels.

use crate::base::{markers, text};

/// Escapes a quotation and marks its further lines, so that none of them passes for one of ours.
pub fn quote(text: &str) -> String {
    with_breaks(&escape(text), "\n| ")
}

/// Escapes a quotation and joins its lines into one.
pub fn one_line(text: &str) -> String {
    with_breaks(&escape(text), " ")
}

/// Joins the lines of a text that stands between square brackets of ours, which it cannot close.
pub fn in_brackets(text: &str) -> String {
    one_line(text).replace(']', ")")
}

/// The most bytes of the name of a speaker or of a tool in a text of ours.
const LONGEST_LABEL: usize = 64;

/// The name of a speaker as our texts show it: its letters, digits and what else names are made of, on one line. So it can
/// neither close a frame, nor begin a line, nor end the label that it stands in. Empty if nothing of it is left.
pub fn speaker_label(name: &str) -> String {
    label(name, &[])
}

/// The name of a tool as our texts show it: what providers allow in one, and so nothing that ends what stands around it.
pub fn tool_label(name: &str) -> String {
    let label = label(name, &[':', '/', '$']);
    if label.is_empty() { "a tool".to_owned() } else { label }
}

/// What of a name is a letter, a digit, or a mark that stands in names; any other runs are a space.
fn label(name: &str, marks: &[char]) -> String {
    let mut label = String::new();
    for char in name.chars() {
        let plain =
            char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '\'' | '@' | '+' | '#') || marks.contains(&char);
        if plain {
            label.push(char);
        } else if !label.is_empty() && !label.ends_with(' ') {
            label.push(' ');
        }
        if label.len() >= LONGEST_LABEL {
            break;
        }
    }
    text::between(&label, 0, text::floor(&label, LONGEST_LABEL)).trim_end().to_owned()
}

/// Does the same as [`one_line`] to a text in place. Most names need nothing done.
pub fn make_one_line(text: &mut String) {
    if may_break(text) {
        *text = one_line(text);
    }
}

/// Whether a text has a byte with which a line ending, a marker or an escape begins.
pub fn may_break(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, 0..b' ' | b'[' | b'\\' | b'<' | 0xc2 | 0xe2 | 0xef))
}

/// Replaces every line ending, of any system, by `end`.
pub fn with_breaks(text: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    while let Some((at, next)) = line_end(text, copied) {
        // In `\r\n`, only the first character is replaced.
        let is_second = at == copied && at > 0 && text.as_bytes()[at] == b'\n' && text.as_bytes()[at - 1] == b'\r';
        out.push_str(text::between(text, copied, at));
        if !is_second {
            out.push_str(end);
        }
        copied = next;
    }
    out.push_str(text::between(text, copied, text.len()));
    out
}

/// Tags, after `<` or `</` and in any letter case, that could close the frame around the text.
const FRAMES: [&str; 5] = ["conversation", "previous-summary", "piece", "todo-list", "focus"];
/// Returns the text with all markers of ours defused.
pub fn without_markers(text: &str) -> String {
    disarmed(text, false)
}

/// Defuses everything that could close the frame or pass for a text of ours, by changing its first character.
pub fn escape(text: &str) -> String {
    disarmed(text, true)
}

/// Defuses markers and, if `frames` is set, also the tags of [`FRAMES`].
fn disarmed(text: &str, frames: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut from) = (0, 0);
    // Most texts hold none of these bytes, one of which begins everything that is searched for. Searching bytes is
    // faster than decoding characters.
    while let Some(at) = memchr::memchr3(b'<', b'[', 0xef, &text.as_bytes()[from..]).map(|next| from + next) {
        let Some(char) = text::between(text, at, text.len()).chars().next() else { break };
        from = at + char.len_utf8();
        let rest = || text::between(text, at + char.len_utf8(), text.len());
        let harmless = match char {
            // A backslash shows that this was escaped before. Escaping it again at every compaction would let it grow.
            '<' if rest().starts_with('\\') => continue,
            '<' | '＜' | '﹤' if frames && FRAMES.iter().any(|name| names(rest(), name)) => "<\\",
            '[' if markers::begins(text::between(text, at, text.len())) => "(",
            _ => continue,
        };
        out.push_str(text::between(text, copied, at));
        out.push_str(harmless);
        copied = at + char.len_utf8();
    }
    out.push_str(text::between(text, copied, text.len()));
    out
}

/// Whether the text after a `<` begins a tag with this name. Slashes and invisible characters may precede the name, and
/// invisible characters may be inside it.
fn names(text: &str, name: &str) -> bool {
    let mut letters = text.chars().skip_while(|&char| is_unseen(char) || matches!(char, '/' | '\\' | '／' | '∕' | '⁄'));
    name.chars()
        .all(|wanted| letters.find(|&char| !is_unseen(char)).is_some_and(|char| char.eq_ignore_ascii_case(&wanted)))
}

/// Returns where the line that contains `from` ends and where the next line begins, or `None` in the last line.
pub fn line_end(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        at += text.as_bytes()[at..].iter().position(|byte| MAY_END[usize::from(*byte)])?;
        let char = text::between(text, at, text.len()).chars().next()?;
        let next = at + char.len_utf8();
        if ends_line(char) {
            return Some((at, next));
        }
        at = next;
    }
}

/// Which bytes begin a character that ends a line.
const MAY_END: [bool; 256] = {
    let mut may_end = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        may_end[byte] = matches!(byte, 0x0a..=0x0d | 0x1c..=0x1e | 0xc2 | 0xe2);
        byte += 1;
    }
    may_end
};

/// Whether this character ends a line, on any system.
pub fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is invisible: a space of any width, a control character, or a directional mark.
pub fn is_unseen(char: char) -> bool {
    char.is_whitespace()
        || char.is_control()
        || matches!(char, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
