//! The estimator without a vocabulary: golden counts, chunks, families, and text that is not prose.

use precis::tokens::family::Family;
use precis::tokens::lexical::Lexer;
use precis::tokens::{Estimator, of_text};
use proptest::prelude::*;
use serde_json::Value;

fn estimator(family: &str) -> Estimator {
    Estimator::parse(&format!("lexical:{family}")).unwrap()
}

fn count(family: &str, text: &str) -> u64 {
    of_text(&estimator(family), text)
}

/// The same file is checked by the TypeScript suite, in every runtime.
#[test]
fn texts_count_the_same_here_as_in_every_runtime() {
    let file = std::fs::read_to_string("tests/fixtures/tokens.json").unwrap();
    let golden: Vec<Value> = serde_json::from_str(&file).unwrap();
    assert!(golden.len() > 50);
    for entry in golden {
        let text = entry["text"].as_str().unwrap().repeat(entry["times"].as_u64().unwrap_or(1) as usize);
        for family in Family::NAMES {
            assert_eq!(count(family, &text), entry[family].as_u64().unwrap(), "{family}: {}", entry["text"]);
        }
    }
}

#[test]
fn the_family_is_derived_from_the_model() {
    let cases = [
        ("claude-sonnet-4-5", "claude"),
        ("us.anthropic.Claude-3-haiku-v1:0", "claude"),
        ("gemini-2.5-pro", "gemini"),
        ("google/gemma-3-27b-it", "gemini"),
        ("gpt-4o-mini", "o200k"),
        ("gpt-4.1", "o200k"),
        ("openai/gpt-5-nano", "o200k"),
        ("gpt-oss-120b", "o200k"),
        ("o3", "o200k"),
        ("openai/o4-mini", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
    ];
    for (model, family) in cases {
        assert_eq!(Family::of_model(model).map(Family::name), Some(family), "{model}");
    }
    for model in ["", "llama-3.3-70b", "qwen3", "deepseek-chat", "mistral-large", "turbo3", "foo1"] {
        assert_eq!(Family::of_model(model), None, "{model}");
    }
}

#[test]
fn an_unknown_model_counts_like_the_newest_and_is_trusted_less() {
    let unknown = Estimator::parse("lexical").unwrap().for_model(Some("llama-3.3-70b"));
    let text = "What is counted for a model that no rule knows?";
    assert_eq!(of_text(&unknown, text), count("o200k", text));
    assert!(unknown.slope().bound > estimator("o200k").slope().bound);
    assert_ne!(unknown.key(), estimator("o200k").key());
    // A family that was named is not derived from the model.
    assert_eq!(estimator("gemini").for_model(Some("claude-opus-4-5")).family, "gemini");
    assert!(Estimator::parse("lexical:nobody").is_err());
}

#[test]
fn nothing_costs_nothing_and_everything_else_costs_something() {
    for family in Family::NAMES {
        assert_eq!(count(family, ""), 0);
        for code in (1..0x3000).chain([0xfeff, 0xfffd, 0xffff, 0x1_0000, 0x1_f600, 0x2_0000, 0x10_ffff]) {
            let Some(character) = char::from_u32(code) else { continue };
            assert!(count(family, &character.to_string()) >= 1, "{family} {code:x}");
        }
    }
}

#[test]
fn a_text_repeated_a_thousand_times_costs_about_a_thousand_times_as_much() {
    for unit in ["word ", "日", "😀", "\u{301}", "=", "\n", " ", "a", "1", "é", "%a", "\u{1b}[0m"] {
        let (small, large) = (count("o200k", &unit.repeat(1_000)), count("o200k", &unit.repeat(1_000_000)));
        assert!(large >= small * 100 && large <= small * 1_100, "{unit:?}: {small} {large}");
    }
}

proptest! {
    #[test]
    fn where_a_text_is_cut_into_chunks_makes_no_difference(
        text in prop_oneof![any::<String>(), "[a-zA-Z0-9' \\n.,(){}=éа日😀-]{0,200}"],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| {
            let mut at = cut.index(text.len() + 1);
            while !text.is_char_boundary(at) { at -= 1; }
            at
        }).collect();
        at.push(text.len());
        at.sort_unstable();
        let mut counter = estimator("o200k").counter();
        let mut from = 0;
        for to in at {
            counter.feed(&text[from..to]);
            from = to;
        }
        prop_assert_eq!(counter.take(), count("o200k", &text));
        // The counter is empty after `take`.
        prop_assert_eq!(counter.take(), 0);
        counter.feed("again");
        prop_assert_eq!(counter.take(), count("o200k", "again"));
    }

    #[test]
    fn a_run_at_a_time_counts_as_character_by_character(
        pieces in prop::collection::vec(
            prop_oneof![
                "[a-z]{1,12}", "[A-Z]{0,4}[a-z]{0,45}", " ", " {1,70}|[ \n\t\r]{1,12}", "[0-9]{1,9}",
                "'(s|t|re|ve|ll|d|m|S|LL|r|v|x)?", "[!-/:-@\\[-`{-~]{1,20}", "={1,40}", "\u{1}|\u{7f}|é|日|😀|\u{301}",
            ],
            0..40,
        ),
        family in prop::sample::select(Family::NAMES),
    ) {
        let text = pieces.concat();
        let lexer = || Lexer::new(Family::parse(family).unwrap());
        let (mut quick, mut slow) = (lexer(), lexer());
        // A piece is never read as a run before its end is known.
        for character in text.chars() {
            slow.feed(character.encode_utf8(&mut [0; 4]), false);
        }
        let counted = slow.take();
        quick.feed(&text, false);
        prop_assert_eq!(quick.take(), counted, "{:?}", text);
        // After enough text, words are cached. A repeated word still costs the same.
        quick.feed(&"we have said that before ".repeat(50), false);
        quick.take();
        for last in [false, true] {
            quick.feed(&text, last);
            prop_assert_eq!(quick.take(), counted, "{:?}", text);
        }
    }

    #[test]
    fn no_text_costs_more_than_a_few_tokens_a_byte(text in any::<String>()) {
        prop_assert!(count("claude", &text) <= 4 * text.len() as u64);
    }
}
