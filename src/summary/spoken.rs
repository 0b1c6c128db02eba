//! What an answer says: without what the model thinks aloud, and of one that marks its summary only that.

use crate::base::text;

/// Tags around what a model thinks aloud.
const THOUGHTS: [&str; 4] = ["think", "thinking", "analysis", "reasoning"];
/// The tag around what it has to say, if it thinks so.
const SAID: &str = "summary";
/// The tag in HTML before a summary that is only a heading.
const FOLD: &str = "<details>";

/// What an answer says: without what the model thinks aloud, and of one that marks its summary only what is in that.
pub fn spoken(text: &str) -> String {
    let text = without_thoughts(text);
    let text = text.trim();
    let marked = line_starts(text).find_map(|at| {
        let from = at + opened(text::between(text, at, text.len()), SAID)?;
        // A heading that can be opened is no frame.
        let before = text::between(text, 0, at).trim_end();
        let opener = text::between(before, before.len().saturating_sub(FOLD.len()), before.len());
        (!opener.eq_ignore_ascii_case(FOLD)).then_some(from)
    });
    let Some(from) = marked else { return text.to_owned() };
    let inside = text::between(text, from, text.len());
    let Some((to, end)) = closings(inside, SAID).last() else { return inside.trim().to_owned() };
    // What is said after it is a closing word, unless there is more of it than inside.
    let kept = if inside.len() - end > to { text } else { text::between(inside, 0, to) };
    kept.trim().to_owned()
}

/// A text without what a model thinks aloud. Of an answer that begins with a thought which never ends nothing is left.
fn without_thoughts(text: &str) -> String {
    let mut out = String::new();
    let mut copied = 0;
    // Tags that are closed nowhere in what is left.
    let mut never = [false; THOUGHTS.len()];
    for at in line_starts(text) {
        // Behind a thought that another line of it is in.
        if at < copied {
            continue;
        }
        let mut from = at;
        // One may follow the other on the same line.
        while let Some(end) = thought(text::between(text, from, text.len()), &mut never) {
            from += end;
            from += text::between(text, from, text.len()).bytes().take_while(u8::is_ascii_whitespace).count();
        }
        let begins = || text::between(text, 0, at).trim().is_empty();
        let never_ends = THOUGHTS.iter().any(|name| opened(text::between(text, from, text.len()), name).is_some());
        if never_ends && begins() {
            return String::new();
        }
        if from > at {
            out.push_str(text::between(text, copied, at));
            copied = from;
        }
    }
    out.push_str(text::between(text, copied, text.len()));
    out
}

/// Where the thought ends that a text begins with.
fn thought(text: &str, never: &mut [bool]) -> Option<usize> {
    THOUGHTS.iter().zip(never).filter(|(_, never)| !**never).find_map(|(name, never)| {
        let from = opened(text, name)?;
        let close = closings(text::between(text, from, text.len()), name).next();
        *never = close.is_none();
        Some(from + close?.1)
    })
}

/// Where the lines of a text begin, behind their spaces.
fn line_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    starts.map(|(start, line)| start + line.len() - line.trim_start().len())
}

/// Where the tag of this name ends that a text begins with, in letters of either case, with attributes or without.
fn opened(text: &str, name: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let (start, rest) = rest.split_at_checked(name.len())?;
    if !start.eq_ignore_ascii_case(name) || !rest.starts_with(['>', ' ', '\t', '\n', '\r']) {
        return None;
    }
    let end = rest.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    Some(1 + name.len() + end + 1)
}

/// Bytes of a tag's attributes.
const LONGEST_TAG: usize = 200;

/// Where the closing tags of a name begin and end.
fn closings<'t>(text: &'t str, name: &str) -> impl Iterator<Item = (usize, usize)> + use<'t> {
    let close = format!("</{name}");
    let bytes = text.as_bytes();
    let places = (0..bytes.len()).filter(move |&at| {
        bytes[at] == b'<'
            && bytes.get(at..at + close.len()).is_some_and(|start| start.eq_ignore_ascii_case(close.as_bytes()))
    });
    let length = name.len() + 2;
    places.filter_map(move |at| {
        let after = bytes.get(at + length..)?;
        let end = after.iter().take(LONGEST_TAG).position(|&byte| byte == b'>')?;
        let blank = after[..end].iter().all(u8::is_ascii_whitespace);
        blank.then_some((at, at + length + end + 1))
    })
}
