//! What a ranker of the host said.

/// The largest number that a ranker's vectors have.
const LARGEST: i32 = 32_767;

/// What a ranker of the host said of the candidates, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// 0 if each has a score, or the dimensions of the vectors: that of the query, then one for each.
    pub dimensions: usize,
    /// Scores, or vectors one after another.
    pub(super) numbers: Vec<i32>,
}

impl Ranked {
    /// A ranker that gives so many numbers for each text, and has not been asked yet.
    pub const fn new(dimensions: usize) -> Self {
        Self { dimensions, numbers: Vec::new() }
    }

    /// With these numbers, each at most 32,767 from zero.
    pub fn says(&mut self, numbers: Vec<i32>) {
        self.numbers = numbers.into_iter().map(|number| number.clamp(-LARGEST, LARGEST)).collect();
    }
}
