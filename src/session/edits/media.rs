//! The texts that replace media in a view.

use crate::base::encoded::medium_name;
use crate::base::{markers, quoting, text};
use crate::ingest::content::ContentPart;
use crate::model::message::Part;

/// The text part that replaces media. It does not begin with one of our markers, so what a person sent remains theirs.
pub fn replaced(medium: &ContentPart) -> ContentPart {
    let number = if let ContentPart::Media { number, .. } = medium { *number } else { 0 };
    let text =
        format!("[Here was {}. It was taken out to save space; ask for it again if you need it.]", named(medium));
    ContentPart::Text { number, text }
}

/// The note in a result about media that are removed with its text. Empty if there are none.
pub fn notice(inner: &[(Part, ContentPart)]) -> String {
    let media: Vec<&ContentPart> =
        inner.iter().map(|(_, body)| body).filter(|body| matches!(body, ContentPart::Media { .. })).collect();
    let Some(first) = media.first() else { return String::new() };
    let more = if media.len() > 1 { format!(" and {} more", media.len() - 1) } else { String::new() };
    format!("\n{}{}{more} taken out here to save space.]", markers::NOTICE, named(first))
}

/// The text of a part as it is passed to a format's `replace`.
pub fn text_of(part: &ContentPart) -> String {
    match part {
        ContentPart::Text { text, .. } | ContentPart::Document { text, .. } => text.clone(),
        ContentPart::Result { output, .. } => output.to_text().into_owned(),
        ContentPart::Call { input, .. } => {
            let mut json = String::new();
            input.write_json(&mut json);
            json
        }
        _ => String::new(),
    }
}

/// The most bytes of a name or address that are shown.
const NAME_BYTES: usize = 60;

fn named(medium: &ContentPart) -> String {
    let ContentPart::Media { kind, media_type, reference, bytes, name, .. } = medium else { return String::new() };
    let size = match bytes {
        0 => String::new(),
        1..10_000 => format!("{bytes} bytes"),
        _ => format!("{} kB", bytes / 1_000),
    };
    let mut about = String::new();
    for fact in [media_type.as_str(), name, reference, &size] {
        if !fact.is_empty() {
            if !about.is_empty() {
                about.push_str(", ");
            }
            about.push_str(&quoting::in_brackets(&text::start(fact, NAME_BYTES)));
        }
    }
    format!("{} ({about})", medium_name(*kind))
}
