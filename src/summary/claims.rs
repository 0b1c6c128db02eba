//! What a summary says the user wants, and nobody typed: a model that confuses who said what would make a rule of what the
//! assistant or a tool said.

use crate::base::words;
use crate::base::{order, sentences, text};
use crate::summary::request::{SECTIONS, WANTED};
use crate::summary::wrapping::heading;

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

/// A summary without the sentences of what the user wants that nobody typed but somebody else said. Of headings that were
/// translated the first is what is wanted.
pub fn checked(text: &str, sources: &Sources) -> String {
    let headings = || text.lines().filter_map(heading);
    let is_known = |name: &str| SECTIONS.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let translated = headings().count() == SECTIONS.len() && !headings().any(is_known);
    let mut wanted = false;
    let mut seen = 0;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if let Some(name) = heading(line) {
            wanted = if translated { seen == 0 } else { name.eq_ignore_ascii_case(WANTED) };
            seen += 1;
        } else if wanted {
            let mut all: Vec<&str> = Vec::new();
            sentences::each(line, &mut |sentence| all.push(sentence));
            let count = all.len();
            all.retain(|sentence| !sources.is_of_others(sentence));
            if all.len() < count {
                if !all.is_empty() {
                    out.push_str(&text::joined(&all, " "));
                    out.push('\n');
                }
                continue;
            }
        }
        out.push_str(line);
    }
    out.trim_end().to_owned()
}
