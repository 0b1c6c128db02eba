//! Quoting what others wrote among texts of ours: escaped, so that nothing in it ends its frame or passes for one of ours.

use crate::base::{markers, text};

/// Makes a quotation harmless: escaped, and its further lines marked, so that none passes for a line of ours.
pub fn quote(text: &str) -> String {
    with_breaks(&escape(text), "\n| ")
}

/// A quotation in one line.
pub fn one_line(text: &str) -> String {
    with_breaks(&escape(text), " ")
}

/// A text with this in the place of each end of a line, whatever character ends it.
pub fn with_breaks(text: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    while let Some((at, next)) = line_end(text, copied) {
        // Of the two characters that end a line on some systems the second stands for nothing.
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

/// What could end the frame of the material, after `<` or `</`, in letters of either case.
const FRAMES: [&str; 4] = ["conversation", "previous-summary", "piece", "todo-list"];
/// A text in which no marker of ours stands.
pub fn without_markers(text: &str) -> String {
    disarmed(text, false)
}

/// Takes the power from everything that could end the frame or pass for a text of ours, by changing how it begins.
pub fn escape(text: &str) -> String {
    disarmed(text, true)
}

/// `frames`: what could end the frame of the material is changed as well.
fn disarmed(text: &str, frames: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut from) = (0, 0);
    // Most texts hold none of these bytes, which begin all that is looked for: bytes are faster to look at than characters.
    let may_begin = |byte: &u8| matches!(byte, b'<' | b'[' | 0xef);
    while let Some(at) = text.as_bytes()[from..].iter().position(may_begin).map(|next| from + next) {
        let Some(char) = text::between(text, at, text.len()).chars().next() else { break };
        from = at + char.len_utf8();
        let rest = || text::between(text, at + char.len_utf8(), text.len());
        let harmless = match char {
            // What begins with a backslash has been changed before: at every compaction it stays as it is.
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

/// Whether what stands behind `<` begins a tag of this name: slashes and what nobody sees may stand before it, and what
/// nobody sees inside it.
fn names(text: &str, name: &str) -> bool {
    let mut letters = text.chars().skip_while(|&char| is_unseen(char) || matches!(char, '/' | '\\' | '／' | '∕' | '⁄'));
    name.chars()
        .all(|wanted| letters.find(|&char| !is_unseen(char)).is_some_and(|char| char.eq_ignore_ascii_case(&wanted)))
}

/// Where the line ends that a place in a text belongs to, and where the next one begins; none in the last line.
pub fn line_end(text: &str, from: usize) -> Option<(usize, usize)> {
    // The bytes that such a character begins with.
    let may_end = |byte: &u8| matches!(byte, b'\n'..=b'\r' | 0x1c..=0x1e | 0xc2 | 0xe2);
    let mut at = from;
    loop {
        at += text.as_bytes()[at..].iter().position(may_end)?;
        let char = text::between(text, at, text.len()).chars().next()?;
        let next = at + char.len_utf8();
        if ends_line(char) {
            return Some((at, next));
        }
        at = next;
    }
}

/// Whether a line of a text ends with this character, whatever the system it was written on.
pub fn ends_line(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is one that nobody sees: a space of any width, a control character, a mark of direction.
pub fn is_unseen(char: char) -> bool {
    char.is_whitespace()
        || char.is_control()
        || matches!(char, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
