//! Classifies a sentence that a person typed: a requirement (a lasting rule, a bound, a wish for how things are to be),
//! a decision, or neither. In the languages people write to us, by frequent words alone; questions are none, and neither
//! are lines of logs, code and tables.

use crate::base::distinct::with_letter;
use crate::base::id_map::IdMap;
use crate::base::phrases;
use crate::base::text::{self, lower};
use crate::memory::phrases::{
    AGREEMENT, AGREEMENTS, BOUND, CANCELS, CHANGE, CJK_BOUNDS, CJK_CHANGES, CJK_DECISIONS, CJK_DEMANDS, CJK_NO_DEMAND,
    CJK_STATEMENTS, CJK_WISHES, CLAUSE_START, CONDITION, DECISION, DEMAND, INDIRECT, LEAD_IN, LEAD_INS, LISTS, MODAL,
    MORE, NEGATION, NO_CHANGE, NO_DEMAND, OBJECT_ONCE, OFTEN_ONCE, ORDER, OTHER_SUBJECT, PASSING_CONDITION, PERMISSION,
    POLITE, QUANTITY, REMARK, REPORT, SENTENCE_END, SPEAKER, STATEMENT, TELLING, UNDO, WEAK_CHANGE, WISH,
};
use crate::memory::sentences;
use core::cell::OnceCell;
use core::ops::Range;

/// What introduces a name.
const NAMING: [&str; 23] = [
    " is called ",
    " are called ",
    " is named ",
    "My name is",
    " heißt ",
    " heißen ",
    "s'appelle ",
    " se llama ",
    " si chiama ",
    " se chama ",
    " heet ",
    "nazywa się",
    "называется",
    "зовут",
    "叫",
    "名字",
    "名为",
    "名称",
    "名前",
    "という",
    "といい",
    "이름",
    "라고 합니다",
];
/// How a word ends that demands something at the end of a sentence: Turkish.
const ENDINGS: [&str; 12] =
    ["malı", "meli", "malıdır", "melidir", "masın", "mesin", "olsun", "mayın", "meyin", "malısın", "melisin", "sınlar"];

/// A shorter one ("No worries!") says nothing by itself; a longer one was not typed as one.
const SHORTEST: usize = 8;
const LONGEST: usize = 400;
/// Words of a sentence that are looked at.
const WORDS: usize = 80;

/// Words between what says of how many something is said, and its verb.
const WORDS_OF_SUBJECT: usize = 6;
/// Words that say what is to be undone, behind "undo that".
const WORDS_OF_UNDONE: usize = 2;

/// What a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentence {
    /// It requires something.
    Requires,
    /// It tells what was decided.
    Decides,
    /// It tells how something is.
    Tells,
    /// None of these.
    Other,
}

/// Whether a sentence reports a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cue {
    /// It does not.
    None,
    /// By a word that means other things as well.
    Weak,
    /// It does.
    Strong,
}

/// What is known of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is.
    pub kind: Sentence,
    /// Whether it reports a change.
    pub cue: Cue,
    /// The speaker wishes or chooses something for themselves, or agrees to what they were asked.
    pub personal: bool,
    /// It begins with a verb that asks for one thing.
    pub orders: bool,
    /// It takes back what was asked last.
    pub undoes: bool,
    /// It permits something, or lets go of a rule.
    pub permits: bool,
}

impl Reading {
    const NOTHING: Self =
        Self { kind: Sentence::Other, cue: Cue::None, personal: false, orders: false, undoes: false, permits: false };
}

/// Which of the lists hold a word or phrase: to be made once for many texts.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The lists that hold what has a hash. They are made for the first sentence that needs them: in the rounds of an agent
    /// nobody types one.
    lists: OnceCell<IdMap>,
    /// The words of the sentence that is read, with the hash of each alone; and what is known of them.
    texts: Vec<(Range<usize>, u64)>,
    words: Vec<Word>,
}

/// The lists that hold each word and phrase, by its hash.
fn lists() -> IdMap {
    let mut lists = IdMap::new(4_000);
    let mut mark = |id, bit| {
        let known = lists.get(id).unwrap_or(0);
        lists.insert(id, known | bit);
    };
    for (bit, list) in LISTS {
        for phrase in phrases::each(list) {
            let mut id = 0;
            for char in phrase.chars() {
                if char == ' ' {
                    mark(id, MORE);
                }
                id = with_letter(id, char);
            }
            mark(id, bit);
        }
    }
    for (bit, list) in [(LEAD_IN, LEAD_INS), (AGREEMENT, AGREEMENTS)] {
        phrases::each(list).for_each(|word| mark(word.chars().fold(0, with_letter), bit));
    }
    lists
}

/// A word of a sentence, and which lists hold it or the phrase that begins with it.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    lists: u64,
    /// Words of the longest phrase that begins here.
    length: usize,
    /// A clause begins here.
    begins: bool,
    /// The sentence begins here.
    first: bool,
}

impl Words {
    /// What a sentence is.
    pub fn tell(&mut self, sentence: &str) -> Sentence {
        self.read(sentence).kind
    }

    /// All that is known of a sentence.
    pub fn read(&mut self, sentence: &str) -> Reading {
        let sentence = sentence.trim();
        if sentence.len() < SHORTEST || sentence.len() > LONGEST || sentences::is_output(sentence) {
            return Reading::NOTHING;
        }
        if sentences::asks(sentence) {
            self.find_words(sentence);
            return Reading { undoes: undoes(&self.words), ..Reading::NOTHING };
        }
        let cjk = read_cjk(sentence);
        if let Some(reading) = cjk.filter(|reading| *reading != Reading::NOTHING) {
            return reading;
        }
        self.find_words(sentence);
        let words = &self.words;
        let lists = words.iter().fold(0, |lists, word| lists | word.lists);
        let has = |bit: u64| lists & bit > 0;
        let cue = match () {
            () if words.iter().any(|word| word.lists & (CHANGE | NO_CHANGE) == CHANGE) => Cue::Strong,
            () if has(WEAK_CHANGE) && !has(NO_CHANGE) => Cue::Weak,
            () => Cue::None,
        };
        let last = sentence.trim_end_matches(|char: char| !char.is_alphanumeric());
        let ends = || last.ends_with(['ı', 'i', 'n', 'r']) && ENDINGS.iter().any(|ending| last.ends_with(ending));
        let kind = match () {
            () if has(DECISION) => Sentence::Decides,
            () if requires(words) || ends() => Sentence::Requires,
            () if has(STATEMENT) => Sentence::Tells,
            () => Sentence::Other,
        };
        let may_agree = words.first().is_some_and(|first| first.lists & AGREEMENT > 0);
        let agrees =
            || may_agree && sentence.split([' ', ',']).next().is_some_and(|first| phrases::holds(AGREEMENTS, first));
        let starts_with = |bit: u64| words.iter().any(|word| word.first && word.lists & bit > 0);
        let personal = has(WISH) || starts_with(SPEAKER) || agrees();
        let (orders, permits) = (starts_with(ORDER), has(PERMISSION));
        Reading { kind, cue, personal, orders, undoes: undoes(words), permits }
    }

    /// Finds the words of a sentence, and the lists that hold them.
    fn find_words(&mut self, sentence: &str) {
        let Self { lists: known, texts, words } = self;
        let known = known.get_or_init(lists);
        texts.clear();
        words.clear();
        let (mut from, mut begins, mut first) = (None, true, true);
        let mut id = 0;
        for (at, char) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
            if is_letter(char) {
                from.get_or_insert(at);
                id = with_letter(id, lower(char));
                continue;
            }
            if let Some(start) = from.take() {
                words.push(Word { begins, first, length: 1, lists: 0 });
                let prepares = (begins || first) && known.get(id).is_some_and(|lists| lists & LEAD_IN > 0);
                (begins, first) = (begins && prepares, first && prepares);
                texts.push((start..at, id));
                id = 0;
                if words.len() > WORDS {
                    break;
                }
            }
            begins |= matches!(char, ',' | ':' | ';' | '(' | '—' | '–' | '،' | '.' | '!');
        }
        for (at, word) in words.iter_mut().enumerate() {
            let mut id = 0;
            for (next, (place, alone)) in texts.iter().enumerate().skip(at) {
                let text = || text::between(sentence, place.start, place.end);
                id = if next == at { *alone } else { small(with_letter(id, ' '), text()) };
                let lists = known.get(id).unwrap_or(0);
                if lists & !MORE > 0 {
                    word.lists |= lists & !MORE;
                    if lists & !(MORE | LEAD_IN | AGREEMENT) > 0 {
                        word.length = next + 1 - at;
                    }
                }
                if lists & MORE == 0 {
                    break;
                }
            }
        }
    }
}

/// What is known of a sentence with letters of Chinese, Japanese or Korean.
fn read_cjk(sentence: &str) -> Option<Reading> {
    // Emoji and signs begin with the same bytes.
    if !sentence.bytes().any(|byte| byte >= 0xe3) || !sentence.chars().any(is_cjk) {
        return None;
    }
    let has = |parts: &'static str| phrases::each(parts).any(|part| text::find(sentence, part).is_some());
    let requires = has(CJK_DEMANDS) || has(CJK_WISHES) && has(CJK_BOUNDS);
    let kind = match (has(CJK_DECISIONS), requires && !has(CJK_NO_DEMAND)) {
        (_, true) => Sentence::Requires,
        (true, _) => Sentence::Decides,
        _ if has(CJK_STATEMENTS) => Sentence::Tells,
        _ => Sentence::Other,
    };
    let ends_changed = || sentence.trim_end_matches(['。', '！', '!', '.']).ends_with('了');
    let cue = match () {
        () if has(CJK_CHANGES) => Cue::Strong,
        () if ends_changed() => Cue::Weak,
        () => Cue::None,
    };
    Some(Reading { kind, cue, personal: !has(CJK_DEMANDS) && requires, ..Reading::NOTHING })
}

/// Whether words in a row require something.
fn requires(words: &[Word]) -> bool {
    if words.iter().any(|word| word.lists & NO_DEMAND > 0) {
        return false;
    }
    // Behind the words of a wish; behind a condition that may hold often, and one that does once; in an indirect question.
    let (mut wished, mut conditional, mut passing, mut indirect) = (None, false, false, false);
    let says_how = words.iter().any(|word| word.first && word.lists & (TELLING | CLAUSE_START) > 0);
    let mut reported = 0;
    for (at, word) in words.iter().enumerate() {
        reported = report(words, at).unwrap_or(reported);
        if at < reported {
            continue;
        }
        let before = at.checked_sub(1).map_or(0, |before| words[before].lists);
        let behind = words.get(at + word.length);
        let lists = word.lists;
        indirect = (indirect && !word.begins) || lists & INDIRECT > 0;
        let asks = indirect && lists & MODAL > 0;
        if lists & DEMAND > 0 && !asks && before & SPEAKER == 0 && (lists & MODAL > 0 || before & OTHER_SUBJECT == 0) {
            return true;
        }
        if word.begins && lists & CONDITION > 0 {
            let is_passing = (lists | behind.map_or(0, |next| next.lists)) & PASSING_CONDITION > 0;
            (passing, conditional) = (passing || is_passing, conditional || !is_passing);
        } else if word.begins && (conditional && lists & ORDER > 0 || says_how && contrasts(*word, behind)) {
            // "If a test fails, stop": an order is one for each time. "Say b, not c" says how.
            return true;
        }
        let is_step = passing && lists & ORDER > 0;
        if !is_step && starts_demand(*word, behind) {
            return true;
        }
        let bounds = lists & BOUND > 0 && wished.is_some_and(|behind| at >= behind);
        if lists & SENTENCE_END > 0 && at + word.length == words.len() || bounds {
            return true;
        }
        if lists & WISH > 0 {
            wished = wished.or(Some(at + word.length));
        }
    }
    false
}

/// Whether a clause that begins with a word demands something by that.
fn starts_demand(word: Word, behind: Option<&Word>) -> bool {
    let lists = word.lists;
    // A bare negation begins a demand only where the sentence begins; "each time" begins a condition.
    let opens = word.begins && lists & (CLAUSE_START | CONDITION) == CLAUSE_START;
    if !opens || lists & NEGATION > 0 && !word.first {
        return false;
    }
    let answers =
        word.length == 1 && lists & NEGATION > 0 && behind.is_none_or(|next| next.begins || next.lists & REMARK > 0);
    !answers && (lists & OFTEN_ONCE == 0 || behind.is_none_or(|next| next.lists & OBJECT_ONCE == 0))
}

/// Whether a clause behind an order says how it is not meant: no remark ("no problem"), and nothing that has a verb.
fn contrasts(word: Word, behind: Option<&Word>) -> bool {
    let is_bare = !word.first && word.lists & NEGATION > 0 && word.length == 1;
    is_bare && behind.is_some_and(|next| !next.begins && next.lists & (REMARK | OTHER_SUBJECT) == 0)
}

/// Where a clause that begins with a word reports how all or none of something is ("every test fails"): its verb.
fn report(words: &[Word], at: usize) -> Option<usize> {
    let word = words[at];
    if !word.begins || word.lists & QUANTITY == 0 {
        return None;
    }
    let from = at + word.length;
    for (place, next) in words.iter().enumerate().skip(from).take(WORDS_OF_SUBJECT) {
        if next.lists & REPORT > 0 && !next.begins {
            return Some(place);
        }
        // "All users see": the one that it is about may stand right behind, but nobody else.
        let ends = next.lists & (CONDITION | DEMAND | MODAL) > 0 || place > from && next.lists & OTHER_SUBJECT > 0;
        if next.begins || ends {
            return None;
        }
    }
    None
}

/// Whether a sentence takes back what was asked last: by a clause of few words that asks for that and nothing else.
fn undoes(words: &[Word]) -> bool {
    let Some(at) = words.iter().position(|word| word.lists & UNDO > 0) else { return false };
    let (leads, rest) = (&words[..at], &words[at + words[at].length..]);
    let start = words[..=at].iter().rposition(|word| word.begins).unwrap_or(0);
    let asks = leads[start..].iter().all(|word| word.lists & (LEAD_IN | POLITE | AGREEMENT) > 0);
    let more = rest.iter().take_while(|word| !word.begins && word.lists & LEAD_IN == 0).count();
    asks && more <= WORDS_OF_UNDONE && words.iter().all(|word| word.lists & CONDITION == 0)
}

/// Whether a sentence tells how something is called.
pub(super) fn names_something(sentence: &str) -> bool {
    NAMING.iter().any(|part| text::find(sentence, part).is_some())
}

/// The hash of a word and another one in small letters.
fn small(word: u64, more: &str) -> u64 {
    more.chars().map(lower).fold(word, with_letter)
}

/// Whether a text calls off what was asked before it.
pub fn cancels(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(24).map(lower).collect();
    phrases::each(CANCELS).any(|cue| start.starts_with(cue))
}

fn is_letter(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(char, '\'' | '’')
        || char >= '\u{c0}'
            && !matches!(char, '،' | '؛' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff20}')
            // Emoji, and what varies them.
            && !matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// A letter of Chinese, Japanese or Korean.
pub(super) const fn is_cjk(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
