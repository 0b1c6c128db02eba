//! Media that leave the view: what is said in their place.

use crate::content::ContentPart;
use crate::markers;
use crate::message::Part;
use crate::prelude::*;
use crate::text;

/// The text part that stands for a medium. It does not begin like a text of ours: what a person sent stays theirs.
pub fn replaced(medium: &ContentPart) -> ContentPart {
    let number = if let ContentPart::Media { number, .. } = medium { *number } else { 0 };
    let text =
        text!["[Here was ", named(medium), ". It was taken out to save space; ask for it again if you need it.]"];
    ContentPart::Text { number, text }
}

/// What a result says of the media that leave it with its text; nothing where there are none.
pub fn notice(inner: &[(Part, ContentPart)]) -> String {
    let media: Vec<&ContentPart> =
        inner.iter().map(|(_, body)| body).filter(|body| matches!(body, ContentPart::Media { .. })).collect();
    let Some(first) = media.first() else { return String::new() };
    let more = if media.len() > 1 { text![" and ", media.len() - 1, " more"] } else { String::new() };
    text!["\n", markers::NOTICE, named(first), more, " taken out here to save space.]"]
}

/// A part's text as it is given to a format's `replace`.
pub fn text_of(part: &ContentPart) -> String {
    match part {
        ContentPart::Text { text, .. } => text.clone(),
        ContentPart::Result { output, .. } => output.to_text(),
        ContentPart::Call { input, .. } => {
            let mut json = String::new();
            input.write_json(&mut json);
            json
        }
        _ => String::new(),
    }
}

/// Bytes of a name or address that are shown.
const NAME_BYTES: usize = 60;

fn named(medium: &ContentPart) -> String {
    let ContentPart::Media { kind, media_type, reference, bytes, name, .. } = medium else { return String::new() };
    let what = ["an image", "a PDF", "a sound", "a film", "a file"].get(*kind as usize).copied().unwrap_or("a file");
    let size = match bytes {
        0 => String::new(),
        1..10_000 => text![bytes, " bytes"],
        _ => text![bytes / 1_000, " kB"],
    };
    let about: Vec<String> = [media_type.as_str(), name, reference, &size]
        .iter()
        .filter(|fact| !fact.is_empty())
        .map(|fact| text::start(fact, NAME_BYTES))
        .collect();
    text![what, " (", about.join(", "), ")"]
}
