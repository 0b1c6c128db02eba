//! Searching in texts finds what the standard library finds, whichever way it goes; and how texts begin.

use precis::base::text;
use proptest::prelude::*;

proptest! {
    /// Few different letters, so that much of what is looked for stands there in part; longer ones are searched for with
    /// preparation.
    #[test]
    fn what_is_found_is_the_first(whole in "[ab é]{0,200}", what in "[ab é]{0,6}", often in 1_usize..12) {
        let what = what.repeat(often);
        let wanted = whole.find(&what).filter(|_| !what.is_empty());
        prop_assert_eq!(text::find(&whole, &what), wanted);
        let holds = format!("{whole}{what}{whole}");
        prop_assert_eq!(text::find(&holds, &what), holds.find(&what).filter(|_| !what.is_empty()));
    }
}

#[test]
fn letters_become_small() {
    let lower = |text: &str| text.chars().map(text::lower).collect::<String>();
    assert_eq!(lower("ABC ÀÞ ŻŞŁ ΑΏ ЖЁ Ұ Ẁ Ａ × ’ 日本"), "abc àþ żşł αώ жё ұ ẁ ａ × ' 日本");
    // Each letter is one letter again, so that places in the text stay what they are.
    assert_eq!(lower("İSTANBUL"), "istanbul");
}

#[test]
fn a_text_begins_with_one_of_several() {
    static STARTS: text::Starts<3> = text::Starts::new(["def ", "//", "是"]);
    assert!(["def f", "// no", "//", "是的"].iter().all(|line| STARTS.begin(line)));
    assert!(!["", "d", "define", "/ /", " //", "不是"].iter().any(|line| STARTS.begin(line)));
}
