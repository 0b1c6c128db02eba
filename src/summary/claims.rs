//! What a summary says the user wants, and nobody typed: a model that confuses who said what would make a rule of what the
//! assistant or a tool said.

use crate::base::order;
use crate::base::words;
use crate::summary::request::WANTED;
use crate::summary::wrapping::is_structure;

/// Of a point's words in percent: what the user typed of them at least, or else what others said of them at most.
const TYPED: usize = 25;
const OTHERS: usize = 60;
/// The least words of a point that is judged.
const LEAST: usize = 4;

/// The words of the material, sorted: those that a person typed, and all others.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    typed: Vec<u64>,
    others: Vec<u64>,
}

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, text: &str, typed: bool) {
        let list = if typed { &mut self.typed } else { &mut self.others };
        words::each(text, &mut |word, _| list.push(word));
    }

    /// Brings the words in order.
    pub fn sort(&mut self) {
        for list in [&mut self.typed, &mut self.others] {
            order::numbers(list);
            list.dedup();
        }
    }

    /// Whether a point was not typed, and was said by somebody else.
    fn is_of_others(&self, point: &str) -> bool {
        let all = words::of(point);
        let holds = |list: &[u64]| all.iter().filter(|(word, _)| list.binary_search(word).is_ok()).count() * 100;
        all.len() >= LEAST && holds(&self.typed) < all.len() * TYPED && holds(&self.others) >= all.len() * OTHERS
    }
}

/// A summary without the points of what the user wants that nobody typed but somebody else said.
pub fn checked(text: &str, sources: &Sources) -> String {
    let mut wanted = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(heading) = line.trim().strip_prefix('#') {
            wanted = heading.trim_start_matches(['#', ' ']) == WANTED;
        } else if wanted && is_structure(line) && sources.is_of_others(line) {
            continue;
        }
        out.push_str(line);
    }
    out.trim_end().to_owned()
}
