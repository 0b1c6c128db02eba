//! Words of scripts that put no blanks between them: what stands between the characters that only join others may be a
//! name, and costs little to tell.

use crate::base::text;

/// Characters of the longest stretch that is told.
const LONGEST: usize = 10;

/// What a character belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Han,
    Katakana,
    Hangul,
}

/// Characters of Chinese that stand in most sentences and in few names: pronouns, particles, prepositions, measure words,
/// and the verbs of asking and answering.
const COMMON: &str = "的了着过是我你您他她它们这那哪谁什么怎样为在有没不无也都就才还又再和与跟或但而且所以因如果吗呢吧啊呀哦嗯哈很太更最非常挺比较把被给让叫向往从到去来回说讲问答看听吃住玩找想要会能可应该需将请谢帮先后及等个位些点次种条间里边面下多少几每各另只已经一二两三四五六七八九十家好客气重新选择营业小时推荐";

fn script(letter: char) -> Option<Script> {
    match letter {
        '\u{3400}'..='\u{9fff}' | '々' => Some(Script::Han),
        '\u{30a1}'..='\u{30fa}' | 'ー' => Some(Script::Katakana),
        '\u{ac00}'..='\u{d7a3}' => Some(Script::Hangul),
        _ => None,
    }
}

/// Whether a text may hold such words: most hold none.
pub fn is_in(text: &str) -> bool {
    text.bytes().any(|byte| (0xe3..=0xed).contains(&byte))
}

/// Calls `each` with the stretches of Han, katakana and hangul that may be names.
pub fn each<'t>(whole: &'t str, each: &mut dyn FnMut(&'t str)) {
    let (mut from, mut letters, mut before) = (0, 0, None);
    let mut end = |from: usize, to: usize, letters: usize| {
        if (2..=LONGEST).contains(&letters) {
            each(text::between(whole, from, to));
        }
    };
    for (at, letter) in whole.char_indices() {
        let now = script(letter).filter(|&script| script != Script::Han || !COMMON.contains(letter));
        if now != before {
            end(from, at, letters);
            (from, letters, before) = (at, 0, now);
        }
        letters += usize::from(now.is_some());
    }
    end(from, whole.len(), letters);
}
