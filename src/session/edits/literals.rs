//! The literal strings that the host wants kept, as a notice names those of them that a cut or a clear would lose.
//!
//! A notice names them before other names, in up to 200 bytes within the cap, and without quotation marks,
//! backslashes, closing brackets and line ends, which would break the notice or the JSON around it. Arguments of calls
//! have no notice. What is lost all the same is reported (`must-keep-lost`). In a view that is given back the notice
//! holds the string, so the copy is cut and cleared like its history.

use crate::base::text;

/// The most bytes of literal strings in a notice.
pub(super) const MOST_LITERALS: usize = 200;

/// The literal strings to keep that occur in `text` and not in `shown`, as many as fit into `bytes`.
pub(super) fn missing(text: &str, shown: &str, bytes: usize, keep: &[String]) -> String {
    let mut out = String::new();
    for literal in keep {
        let holds = |text: &str| text::find(text, literal).is_some();
        if out.len() + literal.len() < bytes
            // Excludes strings that cannot be part of a notice or of JSON.
            && !literal.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\' | b']'))
            && holds(text)
            && !holds(shown)
            && !holds(&out)
        {
            append(&mut out, literal);
        }
    }
    out
}

/// Appends an item to a list.
pub(super) fn append(list: &mut String, more: &str) {
    if !list.is_empty() && !more.is_empty() {
        list.push_str(", ");
    }
    list.push_str(more);
}
