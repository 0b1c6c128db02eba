//! Words and sentences of any script.

use precis::base::sentences;
use precis::base::words::{Class, of};

fn split(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    sentences::each(text, &mut |sentence| all.push(sentence));
    all
}

/// The classes of the words of a text, the most frequent kind of each once.
fn classes(text: &str) -> Vec<Class> {
    let mut all: Vec<Class> = of(text).into_iter().map(|(_, class)| class).collect();
    all.sort();
    all
}

/// Whether two texts have a word in common.
fn share(one: &str, other: &str) -> bool {
    let other: Vec<u64> = of(other).into_iter().map(|(word, _)| word).collect();
    of(one).into_iter().any(|(word, _)| other.contains(&word))
}

#[test]
fn sentences_end_where_they_end_in_each_script() {
    assert_eq!(
        split("It is on 14. June. Call Dr. Li, e.g. at 3 p.m. today! OK?"),
        ["It is on 14. June.", "Call Dr. Li, e.g. at 3 p.m. today!", "OK?"]
    );
    assert_eq!(split("不去香格里拉。海拔太高！真的？"), ["不去香格里拉。", "海拔太高！", "真的？"]);
    assert_eq!(split("هل تأتي؟ نعم. غدا"), ["هل تأتي؟", "نعم.", "غدا"]);
    assert_eq!(split("यह ठीक है। चलो।"), ["यह ठीक है।", "चलो।"]);
    assert_eq!(split("one\n\n  two  \n---\nthree"), ["one", "two", "three"]);
    assert_eq!(split("1. First. 2. Second."), ["1. First.", "2. Second."]);
    assert_eq!(split("He said \"no.\" Then he left."), ["He said \"no.\"", "Then he left."]);
}

#[test]
fn a_long_text_without_ends_is_cut_at_its_spaces() {
    let thai = "สวัสดีค่ะ ชื่อนภาค่ะ เปิดร้านขายเทียนหอม ".repeat(30);
    let parts = split(&thai);
    assert!(parts.len() > 4 && parts.iter().all(|part| part.len() < 900), "{parts:?}");
    assert_eq!(split(&"word ".repeat(400)).len(), 1);
}

#[test]
fn words_are_compared_without_case_and_by_their_stem() {
    assert!(share("Requirement", "requirements"));
    assert!(share("Straße", "STRASSE") || !share("Straße", "Weg"));
    assert!(share("πόλις", "ΠΌΛΙΣ"));
    assert!(share("in src/userName.ts", "userName"), "a part of a path");
    assert!(share("云南旅行", "去云南"));
    assert!(!share("port 8443", "gate 8444x"));
}

#[test]
fn what_has_to_be_repeated_exactly_is_strong() {
    for strong in ["v1.2.3", "getUser", "HTTP", "a_b", "ada@example.com"] {
        assert!(classes(strong).contains(&Class::Strong), "{strong}");
    }
    for number in ["8443", "$54.04", "2,400"] {
        assert!(classes(number).contains(&Class::Number), "{number}");
    }
    for compound in ["billing-core", "--no-verify", "Verrät-er", "écris-le-moi"] {
        let all = classes(compound);
        assert!(all.contains(&Class::Compound) && !all.contains(&Class::Strong), "{compound}: {all:?}");
    }
    for strong in ["K7-BREIZ", "we met Aix-en-Provence", "run-30417", "a-b/c-d"] {
        assert!(classes(strong).contains(&Class::Strong), "{strong}");
    }
    assert_eq!(classes("plain words"), [Class::Plain, Class::Plain]);
    assert_eq!(classes("we met Paco"), [Class::Plain, Class::Plain, Class::Proper]);
    assert_eq!(classes("It is. Then"), [Class::Plain, Class::Plain, Class::Plain]);
    assert_eq!(classes("云南行"), [Class::Pair, Class::Pair]);
    assert_eq!(classes("🎉 — …"), []);
}

#[test]
fn a_value_is_the_same_word_whatever_it_is_given_to() {
    for (given, value) in
        [("vat.FI=25.5", "25.5"), ("run=run-30417", "run-30417"), ("--host=db.example.org", "db.example.org")]
    {
        let value = of(value)[0];
        assert!(of(given).contains(&value), "{given}");
    }
}
