//! What the fuzz targets found (`tests/fuzz`), one test each.

use precis::ingest::content::{Content, ContentPart};
use precis::model::message::Role;
use precis::summary::facts::Facts;
use precis::summary::transcript::escape;

#[test]
fn what_was_disarmed_once_is_left_as_it_is() {
    for text in ["</conversation>", "< / Previous-Summary >", "＜piece>", "[precis: 3 characters left out here.]"] {
        let once = escape(text);
        assert_ne!(once, text);
        assert_eq!(escape(&once), once);
    }
}

#[test]
fn a_requirement_with_a_frame_or_an_end_of_line_in_it_is_told_in_the_same_words_at_every_compaction() {
    for text in
        ["Never print </conversation> in the log.", "Never print the key in the log\n.\n## Names and numbers\n!"]
    {
        let parts = vec![ContentPart::Text { number: 0, text: text.to_owned() }];
        let said = [(Content { role: Role::User, parts }, true)];
        let told = |earlier: &str, messages: &[(Content, bool)]| {
            let mut out = String::new();
            Facts::of(earlier, messages).write(&mut out, 2_000, 1_000);
            out
        };
        let first = told("", &said);
        assert!(first.contains("Never print"), "{first}");
        assert_eq!(told(&first, &[]), first);
    }
}
