//! Finds what a person requires: sentences that forbid, demand or limit something, in the languages people write to us.
//! Wide on purpose: a sentence too many costs a line, one too few costs the user's trust. Questions are none.

use crate::prelude::*;
use crate::text;

/// Words that forbid, demand or limit, in languages that part words: en, de, fr, es, it, pt, nl, pl, tr, ru, ar, he, hi.
const WORDS: &str = " never must mustn't only don't dont not no cannot can't always avoid without forbidden allowed instead ensure least shouldn't required prefer nie niemals nicht nur kein keine keinen keinem keiner muss müssen darf dürfen immer ohne ausschließlich mindestens höchstens stets jamais pas seulement uniquement toujours doit doivent sans interdit aucun aucune évite évitez nunca jamás no solo sólo solamente únicamente siempre debe deben sin prohibido ningún ninguna evita evite mai non soltanto sempre deve devono senza vietato nessun nessuna não só somente apenas devem sem proibido nenhum nenhuma nooit niet alleen altijd moet moeten zonder geen nigdy tylko zawsze musi bez asla sadece değil никогда не нельзя только всегда должен должна должны должно без запрещено обязательно ни لا ولا أبدا أبداً فقط يجب ممنوع دائما دائماً بدون دون لن לא אל אסור רק חייב תמיד בלי नहीं मत केवल हमेशा कभी ";
/// Before a negation these tell of the speaker, unless it is a wish: "I do not know" requires nothing.
const SPEAKERS: &str = " i i'm im i've we it it's that that's there is was are am have has did does could would ich wir es je j'ai yo me eu io я мы ";
const WISHES: &str = " want wish need like will möchte will veux quiero quero voglio хочу ";
const NEGATIONS: &str = " don't dont not no cannot can't nicht kein keine pas no non não не ";
/// The same in languages that do not, or that append: zh, ja, ko.
const PARTS: &str = "不要 不能 不得 不可 不准 不许 不許 不用 必须 必須 只能 只要 只用 仅 僅 禁止 勿 别 別 从不 從不 永远 永遠 绝 絕 务必 務必 一定 ないで 必ず だけ のみ いけ ならない なりません 絶対 決して なければ 常に いつも 마세요 마십시오 말 지 마 절대 반드시 오직 금지 항상 안 됩 안 돼 안됩 해야";

/// How a message begins that calls off what was asked before.
const CANCELS: &str = "stop|cancel|never mind|nevermind|forget |abbr|stopp|vergiss|annule|arrête|oublie|cancela|olvida|annulla|dimentica|lascia perdere|cancele|esqueça|laat maar|отмен|забудь|стоп|取消|算了|停|不用了|キャンセル|やめて|中止|취소|그만|إلغاء|ألغ|توقف";

/// Of a long text, which may be a paste, only its ends are looked at: that many bytes of each.
const END: usize = 3_000;
/// Sentences of one text.
const MOST: usize = 16;
/// A shorter one ("No worries!") says nothing by itself.
const SHORTEST: usize = 12;
/// A longer sentence is cut around the word that makes it a rule.
const LONGEST: usize = 300;

/// Calls `each` with each sentence that requires something, the last first.
pub fn each<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    // Lengths of the words with each first byte, with the spaces around them: a search through all of them takes long.
    let mut lengths = [0_u32; 256];
    for word in [WORDS, NEGATIONS, WISHES].iter().flat_map(|words| words.split(' ')) {
        if let Some(&first) = word.as_bytes().first() {
            lengths[usize::from(first)] |= 1 << ((word.len() + 2) & 31);
        }
    }
    let mut found = 0;
    let mut end = text.len();
    let head = text::floor(text, END);
    let tail = text::ceil(text, text.len().saturating_sub(END)).max(head);
    while end > 0 && found < MOST {
        if end <= tail && end > head {
            end = head;
        }
        let start = sentence_start(text, end);
        let sentence = text::between(text, start, end).trim();
        if let Some(rule) = rule(sentence, &lengths) {
            each(rule);
            found += 1;
        }
        end = start;
    }
}

/// Whether a text calls off what was asked before it.
pub fn cancels(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(24).map(lower).collect();
    CANCELS.split('|').any(|cue| start.starts_with(cue))
}

/// Where the sentence begins that ends at `end`.
fn sentence_start(text: &str, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = end;
    let mut words = false;
    while at > 0 {
        let closes = match bytes[at - 1] {
            b'\n' => true,
            b'.' | b'!' | b'?' | b';' => bytes.get(at).is_none_or(u8::is_ascii_whitespace),
            // The last byte of a sign of three or two bytes: 。 ！ ？ ； । and ؟
            0x80..=0xbf => ["。", "！", "？", "；", "।", "؟"].iter().any(|sign| bytes[..at].ends_with(sign.as_bytes())),
            _ => false,
        };
        if closes && words {
            break;
        }
        words |= !closes;
        at -= 1;
    }
    at
}

/// The sentence if it requires something.
fn rule<'t>(sentence: &'t str, lengths: &[u32; 256]) -> Option<&'t str> {
    if ["?", "？", "؟"].iter().any(|sign| sentence.ends_with(sign)) || sentence.len() < SHORTEST {
        return None;
    }
    let (mut word, mut before) = (String::from(" "), String::new());
    let (mut told, mut wished) = (false, false);
    let mut found = None;
    for (at, char) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
        if is_letter(char) {
            word.push(lower(char));
            continue;
        }
        if word.len() > 1 && word.len() < 32 {
            word.push(' ');
            // Most words are none of them.
            if lengths[usize::from(word.as_bytes()[1])] >> (word.len() & 31) & 1 == 1 {
                let tells = is_in(NEGATIONS, &word) && is_in(SPEAKERS, &before);
                wished |= is_in(WISHES, &word);
                if is_in(WORDS, &word) && !tells || wished && told {
                    found = Some(at);
                    break;
                }
                told |= tells;
            }
        }
        before.clone_from(&word);
        word.clear();
        word.push(' ');
    }
    if found.is_none() && sentence.chars().any(|char| char >= '\u{3000}') {
        found = PARTS.split(' ').find_map(|part| text::find(sentence, part));
    }
    let at = found?;
    if sentence.len() <= LONGEST {
        return Some(sentence);
    }
    let from = text::floor(sentence, at.saturating_sub(LONGEST / 2));
    Some(text::between(sentence, from, text::floor(sentence, from + LONGEST)).trim())
}

fn is_in(words: &str, word: &str) -> bool {
    word.len() > 2 && text::find(words, word).is_some()
}

fn is_letter(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(char, '\'' | '’')
        || char >= '\u{c0}'
            && !matches!(char, '،' | '؛' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff20}')
}

/// Small letters of the alphabets that have them: the standard library's tables are large.
fn lower(char: char) -> char {
    let code = u32::from(char);
    match code {
        0x41..=0x5a | 0xc0..=0xde | 0x410..=0x42f => char::from_u32(code + 32).unwrap_or(char),
        0x2019 => '\'',
        _ => char,
    }
}
