//! The pool: all units of which a digest is chosen, those that are remembered and those of the messages that are covered
//! now, with their words.

use crate::base::words::Class;
use crate::ingest::content::ContentPart;
use crate::memory::bundles::Bundles;
use crate::memory::names::Names;
use crate::memory::score::Signs;
use crate::memory::units::{Kind, Reader, Unit, is_point};
use crate::memory::vocabulary::Vocabulary;
use crate::memory::work::Work;
use crate::memory::{Marks, Memory, Message, amendments, bundles, echo, repeats, score, shapes, uptake};
use crate::model::message::Role;
use crate::tokens::{self, Estimator};
use std::cell::OnceCell;

/// The least points of a list that is a plan.
const PLAN: usize = 3;

/// Everything that is known when a digest is written.
#[derive(Clone, Debug)]
pub struct Pool<'t> {
    /// The units, oldest first, each text once.
    pub units: Vec<Unit<'t>>,
    /// The names that were met.
    pub names: Names,
    /// What was done.
    pub work: Work,
    /// Which messages matter.
    pub marks: Marks,
    /// The history index behind the last message.
    pub end: u64,
    /// The newest calls, by id, with their tools.
    pub calls: Vec<(String, String)>,
    /// What each unit is worth beside its words, in 1/64.
    pub merit: Vec<u64>,
    /// The newest units that amend each, or the number for none.
    pub amended_by: Vec<[u32; amendments::WAYS]>,
    /// The unit that each is chosen together with, or the number for none.
    pub partner: Vec<u32>,
    /// The number of the message of each unit.
    pub message: Vec<u32>,
    /// The number of the shape of each unit, and how many shapes there are.
    pub shape: (Vec<u32>, usize),
    vocabulary: Vocabulary,
    /// What each word of each unit is worth, one unit after the other.
    weights: Vec<u32>,
    tokens: OnceCell<Vec<u64>>,
}

impl<'t> Pool<'t> {
    /// What is remembered, and what messages add to that. Its steps are functions of their own in the module, too: an engine
    /// of JavaScript optimizes what is hot in the background, and takes more than its share of time for a large function.
    pub fn of(memory: &'t Memory, messages: &'t [Message]) -> Self {
        let mut reader = Reader::after(&memory.calls);
        let mut units: Vec<Unit<'t>> = Vec::with_capacity(memory.units.len() + 2 * messages.len());
        units.extend_from_slice(&memory.units);
        let end = messages.iter().map(|message| message.index + 1).fold(memory.upto.count, u64::max);
        let mut names = Names::of(&memory.names, end);
        let mut work = memory.work.clone();
        let mut marks = memory.marks;
        for message in messages {
            let from = units.len();
            reader.read(message, &mut units, &mut names, &mut work);
            let own = &units[from..];
            marks.read(message, own);
            if own.iter().any(|unit| matches!(unit.kind, Kind::Pasted | Kind::Code)) {
                names.pasted(message);
            }
            names.bound(message.index + 1);
        }
        let calls = reader.calls();
        repeats::drop(&mut units, memory.upto.count);
        let vocabulary = Vocabulary::of(&units);
        echo::hear(&mut units, &vocabulary, memory.upto.count);
        let weights = weights(&units, &vocabulary);
        let uptake = uptake::of(&units, &vocabulary);
        let Bundles { partner, idle } = bundles::of(&units, &vocabulary, &uptake);
        let mut amended_by = amendments::of(&units, &vocabulary);
        bundles::retried(&units, &partner, &mut amended_by);
        Self {
            names,
            work,
            marks,
            end,
            calls,
            merit: score::merits(&units, &vocabulary, &Signs { marks: &marks, uptake: &uptake, idle: &idle }, end),
            amended_by,
            partner,
            message: numbers(&units),
            shape: shapes::of(&units),
            units,
            vocabulary,
            weights,
            tokens: OnceCell::new(),
        }
    }

    /// The raw tokens of each unit.
    pub fn tokens(&self, estimator: &Estimator) -> &[u64] {
        self.tokens.get_or_init(|| {
            let mut counter = estimator.counter();
            self.units.iter().map(|unit| tokens::of_next(&mut counter, &unit.text)).collect()
        })
    }

    /// The words of a unit: the number of each and its class.
    pub fn words(&self, unit: usize) -> &[(u32, Class)] {
        self.vocabulary.words(unit)
    }

    /// What each of the words of a unit is worth in it, in 1/16 of a bit.
    pub fn weights(&self, unit: usize) -> &[u32] {
        self.weights.get(self.vocabulary.range(unit)).unwrap_or_default()
    }

    /// The rarity of each word, in 1/16 of a bit.
    pub fn rarity(&self) -> &[u32] {
        self.vocabulary.rarity()
    }

    /// The numbers of the words of a text that are known, each once.
    pub fn known(&self, text: &str) -> Vec<u32> {
        self.vocabulary.known(text)
    }
}

impl Marks {
    /// Reads which of the marks a message takes.
    #[inline(never)]
    fn read(&mut self, message: &Message, own: &[Unit<'_>]) {
        let at = message.index;
        if message.typed && !own.is_empty() {
            self.first.get_or_insert(at);
            self.last = Some(at);
        }
        if own.iter().any(|unit| matches!(unit.kind, Kind::Answer | Kind::Step)) {
            self.said = Some(at);
        }
        let plans = message.content.parts.iter().any(|part| match part {
            ContentPart::Text { text, .. } => text.lines().filter(|line| is_point(line)).take(PLAN).count() == PLAN,
            _ => false,
        });
        if plans && message.content.role == Role::Assistant {
            self.plan = Some(at);
        }
    }
}

/// What each word of each unit is worth, one unit after the other.
fn weights(units: &[Unit<'_>], vocabulary: &Vocabulary) -> Vec<u32> {
    let rarity = vocabulary.rarity();
    let mut all = Vec::with_capacity(vocabulary.range(units.len().saturating_sub(1)).end);
    for (number, unit) in units.iter().enumerate() {
        let weight = |&(word, class): &(u32, Class)| score::word(rarity[word as usize], class, unit.kind) as u32;
        all.extend(vocabulary.words(number).iter().map(weight));
    }
    all
}

/// The number of the message of each unit.
fn numbers(units: &[Unit<'_>]) -> Vec<u32> {
    let mut number = 0;
    let mut last = units.first().map(|unit| unit.at);
    let numbered = units.iter().map(|unit| {
        number += u32::from(last.replace(unit.at) != Some(unit.at));
        number
    });
    numbered.collect()
}
