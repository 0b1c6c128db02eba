//! What a ranker of the host says about passages, fused with how well their words match.

use super::lend::lent;
use super::ranked::Ranked;
use crate::base::order;

/// What each of both rankings gives its best passage.
const FULL: u64 = 1 << 16;

/// How well passages match by their words and by what the ranker says of them: both by their most, and added. What the
/// ranker says counts by its square between its least and its most, and a passage lends of it to those beside it, as it
/// does of its words. `words`: of each passage its place among all and how well its words match. Of a passage that the
/// ranker has said nothing of, or all of which say the same, only the words count.
pub fn fused(words: &[(u64, u64)], ranked: &Ranked) -> Vec<u64> {
    let said = match ranked.dimensions {
        0 => ranked.numbers.iter().map(|&score| i64::from(score)).collect(),
        dimensions => cosines(&ranked.numbers, dimensions),
    };
    let (low, high) = (said.iter().min().copied().unwrap_or(0), said.iter().max().copied().unwrap_or(0));
    let range = high.abs_diff(low).max(1);
    let square = |at: usize| said.get(at).map_or(0, |said| said.abs_diff(low) * FULL / range).pow(2) / FULL;
    let mut by_place: Vec<(u64, usize)> = words.iter().enumerate().map(|(at, &(place, _))| (place, at)).collect();
    order::by_key(&mut by_place, |&(place, _)| place.into());
    let placed: Vec<(u64, u64)> = by_place.iter().map(|&(place, at)| (place, square(at))).collect();
    let mut said = vec![0; words.len()];
    for (said_there, (_, at)) in lent(&placed).into_iter().zip(by_place) {
        said[at] = said_there;
    }
    let most = words.iter().map(|&(_, score)| score).max().unwrap_or(0).max(1);
    let most_said = said.iter().copied().max().unwrap_or(0).max(1);
    let both = words.iter().zip(&said);
    both.map(|(&(_, score), &said)| said * FULL / most_said + score / 256 * FULL / (most / 256).max(1)).collect()
}

/// The cosines of the angles between the first vector and each of the others, in 2^16ths.
fn cosines(numbers: &[i32], dimensions: usize) -> Vec<i64> {
    let mut vectors = numbers.chunks_exact(dimensions);
    let query = vectors.next().unwrap_or(&[]);
    let own = length(query);
    vectors.map(|vector| (product(query, vector) << 16) / (own * length(vector)).max(1)).collect()
}

fn product(one: &[i32], other: &[i32]) -> i64 {
    one.iter().zip(other).map(|(&one, &other)| i64::from(one) * i64::from(other)).sum()
}

fn length(vector: &[i32]) -> i64 {
    product(vector, vector).isqrt()
}
