//! What is looked for: the words of a query, the grams of each, and what each of these weighs.

use super::words::{self, Kind};

/// Distinct words of a query that count, and the grams and pairs of them all.
const MOST_WORDS: usize = 64;
const MOST_TERMS: usize = 512;
/// Slots of the table of terms: enough that most lookups end at once.
const SLOTS: usize = 2 * MOST_TERMS;
/// Words of 64 bits that have one for each fold.
const FOLDS: usize = (1 << 16) / 64;
/// A slot without a term.
const EMPTY: u16 = u16::MAX;

/// A word has about as many grams as letters: what weighs as much as a word, of text that has no grams.
const GRAM: u64 = 2;
const PAIR: u64 = 3 * GRAM;
/// An identifier weighs as much as three words.
const WHOLE: u64 = 9 * GRAM;

/// What a word of a text means for a query, in 16 bits: a term by its number, or a word of the query by its place in the
/// row and this mark. A word that the query lacks breaks a run of such words.
pub type Effect = u16;
const IN_ROW: Effect = 1 << 15;
const BREAK: Effect = Effect::MAX;

/// What is looked for.
#[derive(Debug)]
pub struct Query {
    /// Hash and weight of each distinct gram, pair and identifier.
    pub terms: Vec<(u64, u64)>,
    /// The words in their order.
    pub row: Vec<u64>,
    /// A bit for each fold of a hash that is looked for.
    folds: Box<[u64; FOLDS]>,
    /// The terms of each word, one word after another, and where each word ends.
    of_words: Vec<u16>,
    ends: Vec<usize>,
    slots: Vec<u16>,
    /// How many distinct words were read.
    distinct: usize,
}

impl Query {
    /// The words of a text; only so many distinct ones count.
    pub fn of(text: &str) -> Self {
        let mut query = Self {
            terms: Vec::new(),
            row: Vec::new(),
            folds: Box::new([0; FOLDS]),
            of_words: Vec::new(),
            ends: Vec::new(),
            slots: vec![EMPTY; SLOTS],
            distinct: 0,
        };
        words::each(text, false, &mut |hash, kind, _| query.add(hash, kind));
        query.of_words.truncate(query.start());
        for hash in query.terms.iter().map(|term| term.0).chain(query.row.iter().copied()) {
            let fold = usize::from(words::fold(hash));
            query.folds[fold / 64] |= 1 << (fold % 64);
        }
        query
    }

    /// Whether a hash with this fold may be looked for.
    pub fn may_have(&self, fold: u16) -> bool {
        self.folds[usize::from(fold) / 64] >> (fold % 64) & 1 > 0
    }

    /// Adds what something that was met in a text means.
    pub fn effects(&self, hash: u64, kind: Kind, all: &mut Vec<Effect>) {
        if matches!(kind, Kind::Word | Kind::Pair | Kind::Alone) {
            match self.row.iter().position(|&other| other == hash) {
                Some(place) => all.push(IN_ROW | place as Effect),
                None if all.last() == Some(&BREAK) => {}
                None => all.push(BREAK),
            }
        }
        if !matches!(kind, Kind::Alone | Kind::End)
            && let Some(term) = self.find(hash)
        {
            all.push(term as Effect);
        }
    }

    /// Where in a text the first word of the query begins, or else the first term.
    pub fn first_in(&self, text: &str, escaped: bool) -> Option<usize> {
        let (mut word, mut term) = (None, None);
        let mut effects = Vec::new();
        words::each(text, escaped, &mut |hash, kind, at| {
            effects.clear();
            self.effects(hash, kind, &mut effects);
            for &effect in effects.iter().filter(|&&effect| effect != BREAK) {
                (if effect < IN_ROW { &mut term } else { &mut word }).get_or_insert(at);
            }
        });
        word.or(term)
    }

    /// There is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn add(&mut self, hash: u64, kind: Kind) {
        if self.distinct == MOST_WORDS {
            return;
        }
        match kind {
            Kind::Letter | Kind::End => {}
            Kind::Gram => self.term(hash, GRAM),
            Kind::Word => self.word(hash),
            Kind::Whole => {
                self.term(hash, WHOLE);
                self.end();
            }
            Kind::Pair | Kind::Alone => {
                self.term(hash, if kind == Kind::Pair { PAIR } else { PAIR / 2 });
                self.word(hash);
            }
        }
    }

    /// A term of the word that is being read.
    fn term(&mut self, hash: u64, weight: u64) {
        let known = self.find(hash);
        if known.is_none() && self.terms.len() == MOST_TERMS {
            return;
        }
        let term = known.unwrap_or_else(|| {
            let slot = self.slot(hash);
            self.slots[slot] = self.terms.len() as u16;
            self.terms.push((hash, weight));
            self.terms.len() - 1
        });
        if !self.of_words[self.start()..].contains(&(term as u16)) {
            self.of_words.push(term as u16);
        }
    }

    /// Where the terms of the word that is being read begin.
    fn start(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The word is read.
    fn word(&mut self, hash: u64) {
        if self.row.contains(&hash) {
            self.of_words.truncate(self.start());
        } else {
            self.distinct += 1;
            self.end();
        }
        if self.row.len() < MOST_WORDS {
            self.row.push(hash);
        }
    }

    fn end(&mut self) {
        self.ends.push(self.of_words.len());
    }

    /// The term with a hash.
    fn find(&self, hash: u64) -> Option<usize> {
        Some(self.slots[self.slot(hash)]).filter(|&term| term != EMPTY).map(usize::from)
    }

    /// The slot of a term, or the one where it belongs.
    fn slot(&self, hash: u64) -> usize {
        let mut slot = (hash ^ hash >> 32) as usize % SLOTS;
        while self.slots[slot] != EMPTY && self.terms[usize::from(self.slots[slot])].0 != hash {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// Whether a text that has each term so often has a word of the query, or half of its grams.
    pub fn is_in(&self, often: &[u8]) -> bool {
        let mut from = 0;
        self.ends.iter().any(|&end| {
            let terms = &self.of_words[from..end];
            from = end;
            let here = terms.iter().filter(|&&term| often[usize::from(term)] > 0).count();
            here > 0 && 2 * here >= terms.len()
        })
    }
}

/// What the words of an index mean for a query.
#[derive(Debug)]
pub struct Effects {
    /// By the number of a word: one more than its place in `meanings`, 0 for most words, which mean nothing.
    of: Vec<u32>,
    meanings: Vec<Meaning>,
    effects: Vec<Effect>,
}

/// What a word means: where its effects begin and end, and whether a run of words goes on or begins with it.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    from: usize,
    to: usize,
    is_on_run: bool,
}

impl Effects {
    /// None yet, of so many words.
    pub fn new(words: usize) -> Self {
        Self { of: vec![0; words], meanings: Vec::new(), effects: Vec::new() }
    }

    /// Sets those of the word with a number.
    pub fn set(&mut self, number: usize, own: &[Effect]) {
        let from = self.effects.len();
        let is_on_run = own.iter().any(|&effect| is_on_run(effect) && effect != BREAK);
        // Any other word breaks a run by standing there.
        self.effects.extend(own.iter().filter(|&&effect| is_on_run || effect != BREAK));
        let to = self.effects.len();
        if to > from {
            self.meanings.push(Meaning { from, to, is_on_run });
            self.of[number] = self.meanings.len() as u32;
        }
    }
}

const fn is_on_run(effect: Effect) -> bool {
    effect >= IN_ROW
}

/// How well a passage fits a query, as its words are met.
#[derive(Debug, Default)]
pub struct Meeting {
    /// How often each term stands in it, at most 255 times.
    pub often: Vec<u8>,
    /// The terms that stand in it, as they were met: few of all there are.
    pub met: Vec<u16>,
    /// The longest run of words that the query has in the same order.
    pub longest: usize,
    /// Where in the query the words that are met begin, and the place of the next one.
    run: Option<(usize, usize)>,
}

impl Meeting {
    /// Begins a passage.
    pub fn begin(&mut self, query: &Query) {
        self.often.resize(query.terms.len(), 0);
        for term in self.met.drain(..) {
            self.often[usize::from(term)] = 0;
        }
        self.longest = 0;
        self.run = None;
    }

    /// Takes in the next words.
    pub fn meet(&mut self, query: &Query, effects: &[Effect]) {
        for &effect in effects {
            if is_on_run(effect) {
                self.follow(query, effect);
                continue;
            }
            let often = &mut self.often[usize::from(effect)];
            if *often == 0 {
                self.met.push(effect);
            }
            *often = often.saturating_add(1);
        }
    }

    /// Takes in all words of a passage by their numbers in an index, each in two bytes.
    // Its callers are compiled for size.
    #[inline(never)]
    pub fn meet_all(&mut self, query: &Query, numbers: &[u8], effects: &Effects) {
        // Where a word has to stand for the run to go on.
        let mut next = 0;
        // Nine of ten words mean nothing: this loop is most of a search.
        for (at, &number) in numbers.as_chunks().0.iter().enumerate() {
            let of = effects.of.get(usize::from(u16::from_le_bytes(number)));
            let Some(word) = of.and_then(|&of| (of as usize).checked_sub(1)) else { continue };
            let Meaning { from, to, is_on_run } = effects.meanings[word];
            if is_on_run {
                if at != next {
                    self.run = None;
                }
                next = at + 1;
            }
            self.meet(query, &effects.effects[from..to]);
        }
    }

    fn follow(&mut self, query: &Query, effect: Effect) {
        if effect == BREAK {
            self.run = None;
            return;
        }
        let place = usize::from(effect - IN_ROW);
        let goes_on = self.run.filter(|&(_, next)| query.row.get(next) == Some(&query.row[place]));
        let (start, next) = goes_on.unwrap_or((place, place));
        self.run = Some((start, next + 1));
        self.longest = self.longest.max(next + 1 - start);
    }
}
