//! What is revoked, changed or renamed: a later sentence takes the place of the one that it contradicts.

use crate::base::distinct::hash;
use crate::base::text::{self, lower};
use crate::memory::rules::{Cue, Reading, Sentence};
use crate::memory::{Entry, Memory, in_force};

/// Words that say nothing of what a sentence is about, as they are stemmed.
const EMPTY: &str = " ahora тепер with have that this from they must never alway shoul shall please only about after before there their these those will would could been being does doing don't every each when what which where while also just more than some then them your into than over under nicht keine immer werde haben sind eine einen einer muss dürfe darf sollt bitte heute alle pour dans avec vous nous doit toujo jamai cette les des para como esta debe siemp nunca todos pero sono dell della sempr deve tutti voor niet alle moet altij nooit worde тольк всегд никог долже нужно можно ";

/// Lets a sentence take the place of the entry that it contradicts, if there is one: what that said. A request
/// contradicts only what it nearly repeats.
pub(super) fn supersede(
    memory: &mut Memory,
    sentence: &str,
    at: u64,
    Reading { kind, cue, .. }: Reading,
) -> Option<String> {
    let demands = kind == Sentence::Requires;
    let strong = cue == Cue::Strong;
    let cued = cue != Cue::None;
    if !cued && !demands {
        return None;
    }
    let about = Topic::of(sentence);
    let signature = about.signature();
    let mut best: Option<(usize, &mut Entry)> = None;
    let asked = memory.tasks.iter_mut().filter(|task| task.text.len() < SHORT);
    let others = memory.required.iter_mut().chain(&mut memory.decided).chain(&mut memory.told);
    for (entry, is_task) in others.map(|entry| (entry, false)).chain(asked.map(|task| (task, true))) {
        if !in_force(entry) || entry.at > at || entry.text == sentence {
            continue;
        }
        if entry.topic == 0 {
            entry.topic = Topic::of(&entry.text).signature();
        }
        let shared = u64::from((entry.topic & signature).count_ones());
        if shared == 0 || !cued && shared < 2 {
            continue;
        }
        let other = Topic::of(&entry.text);
        let common = about.common(&other);
        // That both are called something says nothing, unless nothing else is said: "it is called b now".
        let all_naming = about.words.len() > BARE_NAME && about.shared(&other).all(|word| NAMING.contains(&word));
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
        let (few, many) = (about.words.len().min(other.words.len()).max(1), about.words.len().max(other.words.len()));
        // Without a word that reports a change, only the same sentence with other values contradicts.
        let asks = kind == Sentence::Other && !strong && (common < 2 || common * 2 < few);
        let enough = if asks && is_task {
            false
        } else if cued {
            common * 3 >= few && common > 0 && (common > 1 || many <= BRIEF)
        } else {
            common * 4 >= few * 3 && common > 1 && about.numbers != other.numbers
        };
        if enough && best.as_ref().is_none_or(|(most, _)| common >= *most) {
            best = Some((common, entry));
        }
    }
    let (_, entry) = best?;
    entry.until = Some(at);
    Some(text::start(&entry.text, 160))
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

/// What a sentence is about.
struct Topic {
    /// The beginnings of its words that say something, each once.
    words: Vec<String>,
    /// Its files, symbols and other names.
    names: Vec<String>,
    /// Its numbers.
    numbers: Vec<String>,
}

/// A request that is no longer says one thing, and may be said otherwise later.
const SHORT: usize = 120;
/// Letters of a word that are compared.
const STEM: usize = 5;

impl Topic {
    fn of(sentence: &str) -> Self {
        let (mut words, mut names, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for word in padded(sentence).split(' ') {
            let word = word.trim_matches(['.', '\'', '-', '/']);
            if word.is_empty() {
                continue;
            }
            if word.chars().any(|char| char >= '\u{3000}') {
                let chars: Vec<char> = word.chars().filter(|char| !char.is_ascii_digit()).collect();
                chars.windows(2).for_each(|pair| add(&mut words, pair.iter().collect()));
            } else if word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'/' | b'.')) {
                // A file or a symbol is what it is about, a number is not.
                if word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                    add(&mut words, word.to_owned());
                    names.push(word.to_owned());
                } else {
                    numbers.push(word.to_owned());
                }
            } else {
                let stem: String = word.chars().take(STEM).collect();
                if text::characters(&stem) > 3 && text::find(EMPTY, &format!(" {stem} ")).is_none() {
                    add(&mut words, stem);
                }
            }
        }
        Self { words, names, numbers }
    }

    /// A bit for each of its words: topics that share none have no word in common.
    fn signature(&self) -> u64 {
        self.words.iter().fold(0, |bits, word| bits | 1 << (hash(word) >> 40 & 63))
    }

    /// The words that both have.
    fn shared(&self, other: &Self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| other.words.contains(word)).map(String::as_str)
    }

    /// How many words both have.
    fn common(&self, other: &Self) -> usize {
        self.shared(other).count()
    }
}

fn add(words: &mut Vec<String>, word: String) {
    if !words.contains(&word) {
        words.push(word);
    }
}
