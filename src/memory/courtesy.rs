//! What a person says out of courtesy alone: thanks and greetings ask for nothing and change nothing.

use crate::base::distinct::with_letter;
use crate::base::id_map::IdMap;
use crate::base::phrases;
use crate::base::text::{self, lower};
use crate::memory::phrases::{COURTESIES, COURTESY_FILLERS};
use crate::memory::rules::is_cjk;
use core::cell::OnceCell;

/// Thanks in Chinese, Japanese and Korean, and words that stand beside them.
const COURTESY_PARTS: [&str; 9] = ["谢谢", "謝謝", "多谢", "谢啦", "ありがとう", "감사", "고마", "고맙", "再见"];
const BESIDE_PARTS: [&str; 26] = [
    "非常",
    "好的",
    "好吧",
    "收到",
    "知道",
    "明白",
    "没有",
    "问题",
    "帮助",
    "你们",
    "您的",
    "ございます",
    "ございました",
    "합니다",
    "워요",
    "습니다",
    "我的",
    "好",
    "你",
    "您",
    "我",
    "了",
    "啊",
    "啦",
    "哦",
    "嗯",
];
/// Bytes of a longer text, which asks for something.
const LONGEST: usize = 80;

/// The words of courtesy: to be made once for many texts.
#[derive(Default)]
pub(super) struct Courtesies {
    /// By its hash whether a word is a courtesy, or only stands beside one. Made for the first text that needs it.
    words: OnceCell<IdMap>,
}

/// The words of courtesy, by their hash, and those that stand beside one.
fn words() -> IdMap {
    let mut words = IdMap::new(200);
    for (list, is_courtesy) in [(COURTESY_FILLERS, 0), (COURTESIES, 1)] {
        phrases::each(list).for_each(|word| words.insert(word.chars().fold(0, with_letter), is_courtesy));
    }
    words
}

impl Courtesies {
    /// Whether a text is nothing but thanks or a greeting.
    pub fn are_all(&self, text: &str) -> bool {
        if text.len() > LONGEST {
            return false;
        }
        let (mut word, mut is_courteous) = (0, false);
        for char in text.chars().map(lower).chain([' ']) {
            if is_cjk(char) {
                return is_all_parts(text);
            }
            if char.is_ascii_alphanumeric() || char == '\'' || char >= '\u{a0}' && !is_sign(char) {
                word = with_letter(word, char);
            } else if word != 0 {
                // Most texts end here, with their first word.
                let Some(is_courtesy) = self.words.get_or_init(words).get(word) else { return false };
                is_courteous |= is_courtesy == 1;
                word = 0;
            }
        }
        is_courteous
    }
}

/// An emoji or another sign that stands beside words.
const fn is_sign(char: char) -> bool {
    matches!(char, '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a text in Chinese, Japanese or Korean is made of such parts alone.
fn is_all_parts(text: &str) -> bool {
    let (mut rest, mut is_courteous) = (text, false);
    while let Some(char) = rest.chars().next() {
        let part = |parts: &[&'static str]| parts.iter().find(|part| rest.starts_with(**part)).map(|part| part.len());
        let courtesy = part(&COURTESY_PARTS);
        is_courteous |= courtesy.is_some();
        let mark = (char.is_ascii_punctuation() || is_mark(char) || is_sign(char)).then(|| char.len_utf8());
        let Some(length) = courtesy.or_else(|| part(&BESIDE_PARTS)).or(mark) else { return false };
        rest = text::between(rest, length, rest.len());
    }
    is_courteous
}

/// Marks of Chinese and Japanese.
fn is_mark(char: char) -> bool {
    matches!(char, ' ' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '～')
}
