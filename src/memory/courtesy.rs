//! What a person says out of courtesy alone: thanks and greetings ask for nothing and change nothing.

use crate::base::text::{self, lower};

/// Thanks and greetings, in languages that part words.
const COURTESIES: &str = "thanks|thank|thx|hi|hello|hey|yo|bye|goodbye|cheers|danke|dank|hallo|tschüss|merci|bonjour|salut|gracias|hola|adiós|grazie|ciao|obrigado|obrigada|olá|bedankt|hoi|dziękuję|dzięki|cześć|teşekkürler|teşekkür|merhaba|спасибо|привет|شكرا|شكراً|مرحبا|תודה|שלום|धन्यवाद|नमस्ते";
/// Words that stand beside them.
const BESIDE: &str = "you|so|much|very|a|lot|again|great|perfect|awesome|cool|nice|wonderful|ok|okay|there|good|morning|evening|afternoon|day|have|one|too|for|your|all|the|help|assistance|that|that's|is|was|i|needed|need|no|and|schön|sehr|vielen|guten|tag|morgen|beaucoup|muchas|mil|mille|muito|veel|bardzo|çok|ederim|большое|вам|جزيلا|רבה|बहुत";
/// The same in Chinese, Japanese and Korean.
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

/// Whether a text is nothing but thanks or a greeting.
pub(super) fn is_all(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    if text.chars().any(|char| char >= '\u{3000}') {
        return is_all_parts(text);
    }
    let small: String = text.chars().map(lower).collect();
    let mut words = small.split(|char: char| !char.is_alphanumeric() && char != '\'').filter(|word| !word.is_empty());
    let is_in = |list: &str, word: &str| list.split('|').any(|one| one == word);
    let mut is_courteous = false;
    let plain = words.all(|word| {
        let is_courtesy = is_in(COURTESIES, word);
        is_courteous |= is_courtesy;
        is_courtesy || is_in(BESIDE, word)
    });
    plain && is_courteous
}

fn is_all_parts(text: &str) -> bool {
    let mut rest = text.to_owned();
    let mut is_courteous = false;
    for part in COURTESY_PARTS {
        is_courteous |= text::find(&rest, part).is_some();
        rest = rest.replace(part, "");
    }
    if !is_courteous {
        return false;
    }
    for part in BESIDE_PARTS {
        rest = rest.replace(part, "");
    }
    !rest.chars().any(char::is_alphanumeric)
}
