//! Which language people write in: to name it to a summarizer, and to notice an answer in another one. By letters and a
//! few frequent words; where that is not clear, nothing is said.

use super::distinct::hash;
use crate::content::{Content, ContentPart};
use crate::id_map::IdMap;
use crate::prelude::*;

/// Scripts by the first and last code points of their letters, and the place of the language that they most likely stand
/// for. Kana stands before Han: Japanese has both.
const RANGES: [(u16, u16, u8); 14] = [
    (0x41, 0x5a, 0),
    (0x61, 0x7a, 0),
    (0xc0, 0x24f, 0),
    (0x370, 0x3ff, 1),
    (0x400, 0x52f, 2),
    (0x590, 0x5ff, 3),
    (0x600, 0x77f, 4),
    (0x900, 0x97f, 5),
    (0x980, 0x9ff, 6),
    (0xb80, 0xbff, 7),
    (0xe00, 0xe7f, 8),
    (0xac00, 0xd7af, 9),
    (0x3040, 0x30ff, KANA as u8),
    (0x3400, 0x9fff, HAN as u8),
];
/// Latin letters, but no language that is clear.
const LATIN: usize = 0;
const KANA: usize = 10;
const HAN: usize = 11;
/// Languages in Latin letters come after the scripts.
const SCRIPTS: usize = 12;
const ALL: usize = 20;
/// Names; those in Latin letters with frequent words that are rare in the others and in code.
const NAMES: [&str; ALL] = [
    "",
    "Greek",
    "Russian",
    "Hebrew",
    "Arabic",
    "Hindi",
    "Bengali",
    "Tamil",
    "Thai",
    "Korean",
    "Japanese",
    "Chinese",
    "English the and you that this what with how can",
    "German und der die das nicht ist ich mit ein für",
    "French les est une pas pour dans vous je des qui",
    "Spanish el los una por para está con las cómo",
    "Portuguese não uma você os em isso do na com",
    "Italian il che non per sono della questo di gli",
    "Dutch het een niet dat ik voor van naar zijn",
    "Indonesian yang dan untuk tidak ini dengan saya itu",
];
/// Letters below which nothing can be said, and words of a language that tell it.
const LEAST: usize = 24;
const WORDS: usize = 4;
/// At least as many as there are in `NAMES`.
const MOST_WORDS: usize = 100;

/// A language, or a script; none if there is too little to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Language(Option<usize>);

impl Language {
    /// The one in which people typed. Code, names and addresses are Latin in every language, so a quarter of another
    /// script is enough for that one.
    pub fn typed(messages: &[(Content, bool)]) -> Self {
        let mut all = String::new();
        for (message, _) in messages.iter().filter(|(_, typed)| *typed) {
            for part in &message.parts {
                if let ContentPart::Text { text, .. } = part {
                    all.push_str(text);
                    all.push(' ');
                }
            }
        }
        Self::of(&all, 4)
    }

    /// Whether a text may be an answer to people who write in it. Much of what is to be kept is Latin; but not all of it.
    pub fn suits(self, answer: &str) -> bool {
        let is_latin = |place: usize| place == LATIN || place >= SCRIPTS;
        let Some(own) = self.0 else { return true };
        let Some(other) = Self::of(answer, if is_latin(own) { 2 } else { 20 }).0 else { return true };
        own == other || is_latin(own) && is_latin(other) && (own == LATIN || other == LATIN)
    }

    /// Its name, if it has one.
    pub fn name(self) -> &'static str {
        self.0.and_then(|place| NAMES[place].split(' ').next()).unwrap_or_default()
    }

    /// `share`: a script counts from this part of all letters on, one in so many.
    fn of(text: &str, share: usize) -> Self {
        // How many letters of each script, and then frequent words of each language.
        let mut counts = [0; ALL];
        let mut letters = 0;
        for letter in text.chars() {
            for &(from, to, place) in &RANGES {
                if (u32::from(from)..=u32::from(to)).contains(&u32::from(letter)) {
                    counts[usize::from(place)] += 1;
                    letters += 1;
                }
            }
        }
        if letters < LEAST {
            return Self(None);
        }
        let mut places = IdMap::new(MOST_WORDS);
        for place in SCRIPTS..ALL {
            for word in NAMES[place].split(' ').skip(1) {
                places.insert(hash(word), place as u64);
            }
        }
        for word in text.split(' ') {
            if let Some(place) = places.get(hash(word)) {
                counts[place as usize] += 1;
            }
        }
        let largest = |from: usize, to: usize| {
            let mut best = from;
            for place in from..to {
                if counts[place] > counts[best] {
                    best = place;
                }
            }
            best
        };
        let script = largest(LATIN + 1, SCRIPTS);
        if (counts[script] + if script == HAN { counts[KANA] } else { 0 }) * share >= letters {
            // A sentence in Japanese has an eighth of it at least.
            return Self(Some(if script == HAN && counts[KANA] * 8 > counts[HAN] { KANA } else { script }));
        }
        let best = largest(SCRIPTS, ALL);
        let hits = counts[best];
        counts[best] = 0;
        let next = counts[SCRIPTS..].iter().max().copied().unwrap_or(0);
        Self(Some(if hits >= WORDS && hits >= next * 3 { best } else { LATIN }))
    }
}
