//! What of a message is searched.

use crate::base::text;
use crate::ingest::content::{Content, ContentPart, Value};
use crate::model::message::Role;

/// A text of a message.
pub struct Text {
    /// As it is searched and quoted.
    pub text: String,
    /// A backslash in it escapes.
    pub escaped: bool,
    /// Which part of the message it is.
    pub at: usize,
}

/// The texts of a message, in their order: what was said, what tools were called with and answered. The instructions of the
/// program are no part of the conversation: what a tool returns is often shown to the user.
pub fn of(content: &Content) -> Vec<Text> {
    let mut texts = Vec::new();
    if content.role == Role::System {
        return texts;
    }
    for (at, part) in content.parts.iter().enumerate().filter(|(_, part)| part.is_readable()) {
        let (text, structured) = match part {
            ContentPart::Text { text, .. } | ContentPart::Document { text, .. } | ContentPart::Compaction { text } => {
                (text.clone(), false)
            }
            ContentPart::Call { name, input, .. } => (text::joined(&[name, &input.to_text()], " "), true),
            ContentPart::Result { output, .. } => (output.to_text().into_owned(), !matches!(output, Value::Text(_))),
            _ => continue,
        };
        let escaped = structured || text.starts_with('{') || text.starts_with('[');
        texts.push(Text { text, escaped, at });
    }
    texts
}
