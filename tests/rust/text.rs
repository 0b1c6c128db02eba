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
fn letters_become_small_as_the_standard_library_says() {
    let single = |char: char| {
        let mut lower = char.to_lowercase();
        lower.next().filter(|_| lower.next().is_none())
    };
    for char in ('\0'..='\u{58f}').chain('\u{1e00}'..='\u{1eff}').chain('\u{ff21}'..='\u{ff5a}') {
        match char {
            'İ' => assert_eq!(text::lower(char), 'ı'),
            // Coptic letters, those that only dictionaries write, and those whose small letter stands elsewhere.
            'ẞ' | '\u{370}'..='\u{37f}' | '\u{3cf}'..='\u{3ff}' | '\u{180}'..='\u{24f}' => {}
            _ => assert_eq!(Some(text::lower(char)), single(char), "{char} {:x}", u32::from(char)),
        }
    }
    assert_eq!((text::lower('’'), text::lower('Ｑ'), text::lower('×')), ('\'', 'ｑ', '×'));
}

#[test]
fn a_text_begins_with_one_of_several() {
    static STARTS: text::Starts<3> = text::Starts::new(["def ", "//", "是"]);
    assert!(["def f", "// no", "//", "是的"].iter().all(|line| STARTS.begin(line)));
    assert!(!["", "d", "define", "/ /", " //", "不是"].iter().any(|line| STARTS.begin(line)));
}
