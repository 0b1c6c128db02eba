//! What is revoked, changed or renamed: a later sentence takes the place of the one that it contradicts.

use crate::base::distinct::hash;
use crate::base::phrases;
use crate::base::text::{self, lower};
use crate::memory::cjk::{Script, script};
use crate::memory::phrases::{LANGUAGES, PROHIBITIONS, TOPICLESS_STEMS};
use crate::memory::rules::{Cue, Reading, Sentence};
use crate::memory::{Entry, Memory, in_force};
use core::cell::OnceCell;

/// Lets a sentence take the place of the entry that it contradicts, if there is one: what that said. A request
/// contradicts only what it nearly repeats.
pub(super) fn supersede(
    memory: &mut Memory,
    (sentence, who): (&str, &Option<String>),
    at: u64,
    reading: Reading,
) -> Option<String> {
    if reading.undoes {
        return undo(memory, who, at);
    }
    let demands = reading.kind == Sentence::Requires;
    let decides = reading.kind == Sentence::Decides;
    let cued = reading.cue != Cue::None;
    if !cued && !demands && !decides {
        return None;
    }
    let about = Topic::of(sentence);
    let mut best: Option<(usize, &mut Entry)> = None;
    let asked = memory.tasks.iter_mut().filter(|task| task.text.len() < SHORT);
    let lifts = reading.permits || demands || decides;
    let rules = memory.required.iter_mut().map(|rule| (rule, !lifts, false));
    let others = memory.decided.iter_mut().chain(&mut memory.told).map(|entry| (entry, false, false));
    for (entry, may_forbid, is_task) in rules.chain(others).chain(asked.map(|task| (task, false, true))) {
        // What another person wants stands beside it.
        if !in_force(entry) || entry.at > at || entry.text == sentence || entry.who != *who {
            continue;
        }
        let other = &**entry.topic.get_or_insert_with(|| Box::new(Topic::of(&entry.text)));
        let shared = (other.signature & about.signature).count_ones();
        if shared == 0 || !cued && !decides && shared < 2 || may_forbid && other.forbids(&entry.text) {
            continue;
        }
        let common = about.common(other);
        // That both are called something says nothing, unless nothing else is said: "it is called b now".
        let all_naming = about.words.len() > BARE_NAME && about.shared(other).all(|word| NAMING.contains(&word));
        if all_naming {
            continue;
        }
        // What is demanded of another file or symbol is another demand.
        let elsewhere = !about.names.is_empty()
            && !other.names.is_empty()
            && !about.names.iter().any(|name| other.names.contains(name));
        if demands && elsewhere {
            continue;
        }
        let beside = is_task && asks_beside(reading, common, &about, other);
        let enough = !beside
            && (contradicts(reading.cue, common, &about, (other, is_task || reading.orders))
                || decides && !reading.personal && !entry.passing && is_other_choice(common, &about, other));
        if enough && best.as_ref().is_none_or(|(most, _)| common >= *most) {
            best = Some((common, entry));
        }
    }
    let (_, entry) = best?;
    entry.until = Some(at);
    Some(text::start(&entry.text, 160))
}

/// Takes back what this speaker said last, and no rule that stands from before the newest request: what that was.
fn undo(memory: &mut Memory, who: &Option<String>, at: u64) -> Option<String> {
    let newest = memory.tasks.iter().map(|task| task.at).filter(|&asked| asked < at).max().unwrap_or(0);
    let said = memory.required.iter_mut().chain(&mut memory.decided).chain(&mut memory.tasks);
    let recent = said.filter(|entry| in_force(entry) && entry.who == *who && (newest..at).contains(&entry.at));
    let entry = recent.max_by_key(|entry| entry.at)?;
    entry.until = Some(at);
    Some(text::start(&entry.text, 160))
}

/// Whether a choice is another one in the same matter: "use spaces for indentation" after "use tabs for indentation".
fn is_other_choice(common: usize, about: &Topic, other: &Topic) -> bool {
    common > 0 && about.size() == other.size() && about.size() == common + 1 && about.size() <= BRIEF_IF_WEAK
}

/// Whether a sentence that has so many words in common with an earlier request asks for something beside it, instead of
/// calling it off.
fn asks_beside(reading: Reading, common: usize, about: &Topic, other: &Topic) -> bool {
    let few = about.size().min(other.size()).max(1);
    reading.kind == Sentence::Other && reading.cue != Cue::Strong && (common < 2 || common * 2 < few)
}

/// Whether a sentence that has so many words in common with an earlier one is about the same, so that what it reports or
/// demands takes the place of that.
fn contradicts(cue: Cue, common: usize, about: &Topic, (other, is_asked): (&Topic, bool)) -> bool {
    let (few, many) = (about.size().min(other.size()).max(1), about.size().max(other.size()));
    // Whoever gives a number another value says the new one.
    let drops_number = cue != Cue::Strong && !other.numbers.is_empty() && about.numbers.is_empty();
    let adds_number = cue == Cue::Weak && other.numbers.is_empty() && !about.numbers.is_empty();
    let is_brief = |most: usize| many <= most;
    let (enough, alone) = match cue {
        Cue::Strong => (common * 3 >= few, is_brief(BRIEF)),
        // A word that may mean something else reports a change of what it repeats: of most that was said before, or of
        // the one file or symbol that was.
        Cue::Weak if is_brief(BRIEF_IF_WEAK) || is_brief(BRIEF) && !is_asked && about.shares_name(other) => {
            (common * 3 >= few, true)
        }
        Cue::Weak => (common * 2 >= other.size(), false),
        // Without such a word only the same sentence with other values contradicts.
        Cue::None => (common * 4 >= few * 3 && about.numbers != other.numbers, false),
    };
    enough && !drops_number && !adds_number && (common > 1 || alone && common == 1)
}

/// A sentence in small letters, its words parted by one space each.
fn padded(sentence: &str) -> String {
    let mut out = String::from(" ");
    for char in sentence.chars().map(lower) {
        if char.is_ascii_punctuation() && !matches!(char, '\'' | '-' | '_' | '.' | '/') || char.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(char);
        }
    }
    out.push(' ');
    out
}

/// Words by which a name is given, as they are stemmed.
const NAMING: [&str; 10] = ["calle", "named", "renam", "heißt", "appel", "llama", "chiam", "chama", "nazyw", "назыв"];
/// Words of a sentence that gives a name and not of what.
const BARE_NAME: usize = 2;

/// Words of sentences so short that one in common shows that they are about the same.
const BRIEF: usize = 6;
/// The same where the word that reports a change may mean something else.
const BRIEF_IF_WEAK: usize = 4;

/// What a sentence is about. An entry keeps its own, because every new rule is compared with all that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Topic {
    /// The beginnings of its words that say something, each once; pairs of letters where a script writes no spaces.
    words: Vec<String>,
    /// The hash of each: most words of two sentences differ, and numbers are compared faster.
    hashes: Vec<u64>,
    /// How many of them are such pairs.
    pairs: usize,
    /// Its files, symbols and other names.
    names: Vec<String>,
    /// The beginnings of the parts of these that are words.
    parts: Vec<String>,
    /// Its numbers.
    numbers: Vec<String>,
    /// A bit for each of its words, and of the parts of its names: topics that share none have no word in common.
    signature: u64,
    /// Whether it forbids something, once that was asked for.
    forbids: OnceCell<bool>,
}

/// A request that is no longer says one thing, and may be said otherwise later.
const SHORT: usize = 120;
/// Letters of a word that are compared.
const STEM: usize = 5;
/// Stands for the name of any language.
const LANGUAGE: &str = "<language>";

/// What is compared of a word.
fn stem(word: &str) -> String {
    if word.bytes().any(|byte| matches!(byte, b'_' | b'/' | b'.')) {
        return word.to_owned();
    }
    singular(word).chars().take(STEM).collect()
}

/// A word without the sign of the plural.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(rest) if rest.len() > 3 && !rest.ends_with('s') => rest,
        _ => word,
    }
}

/// The parts of a name that are words.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['/', '_', '.']).filter(|part| part.len() > 3)
}

impl Topic {
    fn of(sentence: &str) -> Self {
        let mut topic = Self::default();
        for word in padded(sentence).split(' ') {
            let word = word.trim_matches(['.', '\'', '-', '/']);
            if word.is_empty() {
                continue;
            }
            if word.chars().any(|char| char >= '\u{3000}') {
                topic.add_pairs(word);
            } else if word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'/' | b'.')) {
                // A file or a symbol is what it is about, a number is not.
                if word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                    topic.add(word.to_owned());
                    topic.names.push(word.to_owned());
                    topic.parts.extend(parts(word).map(stem));
                } else {
                    topic.numbers.push(word.to_owned());
                }
            } else {
                if phrases::holds(LANGUAGES, word) {
                    topic.add(LANGUAGE.to_owned());
                }
                let beginning: String = word.chars().take(STEM).collect();
                let stem = stem(word);
                if text::characters(&stem) > 3 && !phrases::holds(TOPICLESS_STEMS, &beginning) {
                    topic.add(stem);
                }
            }
        }
        let words = topic.words.iter().map(|word| hash(&stem(word)));
        let hashes = words.chain(topic.parts.iter().map(|part| hash(part)));
        topic.signature = hashes.fold(0, |bits, hash| bits | 1 << (hash >> 40 & 63));
        topic
    }

    /// Whether the rule that it is about forbids something: that holds until it is permitted, whatever is reported about
    /// the same thing.
    fn forbids(&self, rule: &str) -> bool {
        *self.forbids.get_or_init(|| {
            let words = padded(rule.trim_end_matches('.'));
            phrases::each(PROHIBITIONS).any(|phrase| text::find(&words, &format!(" {phrase} ")).is_some())
        })
    }

    /// Adds a word unless it says nothing. Whether it was new.
    fn add(&mut self, word: String) -> bool {
        let hash = hash(&word);
        let is_new = !self.has(hash, &word) && !phrases::holds(TOPICLESS_STEMS, &word);
        if is_new {
            self.hashes.push(hash);
            self.words.push(word);
        }
        is_new
    }

    /// Adds the pairs of letters of a script that writes no spaces. Korean writes them and appends what changes a word: its
    /// words count by how they begin.
    fn add_pairs(&mut self, word: &str) {
        let letters: Vec<_> =
            word.chars().filter(|char| !char.is_ascii_digit()).map(|char| (char, script(char))).collect();
        for (at, pair) in letters.windows(2).enumerate() {
            let &[(first, Some(of)), (second, Some(_))] = pair else { continue };
            let is_korean = of == Script::Hangul;
            let is_inside = is_korean && at > 0 && letters[at - 1].1 == Some(Script::Hangul);
            if !is_inside && self.add([first, second].iter().collect()) && !is_korean {
                self.pairs += 1;
            }
        }
    }

    /// Whether a word with this hash is one of its own.
    fn has(&self, hash: u64, word: &str) -> bool {
        self.hashes.iter().zip(&self.words).any(|(known, text)| *known == hash && text == word)
    }

    /// About how many words it has: two letters are a word as often as they are parts of two.
    fn size(&self) -> usize {
        self.words.len() - self.pairs / 2
    }

    /// Its words that the other one has as well, or has a name of.
    fn shared(&self, other: &Self) -> impl Iterator<Item = &str> {
        let names = |word: &str| parts(word).map(stem).any(|part| other.has(hash(&part), &part));
        let shares = move |(word, hash): &(&String, &u64)| {
            other.has(**hash, word) || other.parts.contains(word) || self.names.contains(word) && names(word)
        };
        self.words.iter().zip(&self.hashes).filter(shares).map(|(word, _)| word.as_str())
    }

    /// How many words and numbers both have.
    fn common(&self, other: &Self) -> usize {
        let number = |number: &&String| number.len() > 1 && other.numbers.contains(number);
        self.shared(other).count() + usize::from(self.numbers.iter().any(|one| number(&one)))
    }

    /// Whether both are about a file or symbol.
    fn shares_name(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.contains(name))
    }
}
