//! Lists of phrases: how they are read, and that each file is in order.

use precis::base::phrases::{each, holds};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIST: &str = "en  made up|you|yours\n    so much\nzh  我的|你\n";

/// In the order in which a file has them.
const LANGUAGES: [&str; 19] =
    ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ms", "vi", "ru", "ar", "he", "hi", "th", "zh", "ja", "ko"];
/// Characters of a line.
const LONGEST: usize = 118;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            found.push(path);
        }
    }
}

#[test]
fn a_list_is_read_phrase_by_phrase() {
    assert_eq!(each(LIST).collect::<Vec<_>>(), ["made up", "you", "yours", "so much", "我的", "你"]);
    assert_eq!(each("").count(), 0);
}

#[test]
fn a_list_holds_whole_phrases_alone() {
    for phrase in each(LIST) {
        assert!(holds(LIST, phrase), "{phrase}");
    }
    for other in ["made", "up", "your", "ours", "much", "so", "en", "zh", "我", "的", "|", ""] {
        assert!(!holds(LIST, other), "{other}");
    }
}

#[test]
fn each_file_has_its_languages_in_order_and_no_phrase_twice() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 8, "{found:?}");
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let (mut last, mut phrases) = (None, BTreeSet::new());
        for line in text.lines() {
            let at = format!("{}: {line}", path.display());
            assert!(line.chars().count() <= LONGEST, "{at}");
            assert_eq!(line.trim_end(), line, "{at}");
            let (language, rest) = line.split_at(4);
            if language.trim().is_empty() {
                assert!(last.is_some(), "{at}");
            } else {
                let place = LANGUAGES.iter().position(|known| *known == language.trim_end());
                assert!(place.is_some() && place > last, "{at}");
                last = place;
                phrases.clear();
            }
            for phrase in rest.split('|') {
                assert!(!phrase.trim().is_empty() && phrases.insert(phrase.to_owned()), "{phrase} in {at}");
            }
        }
    }
}
