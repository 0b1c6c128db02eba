//! What a ranker of the host says about passages, fused with how well their words match.

use super::Ranked;

/// What each of both rankings gives its best passage.
const FULL: u64 = 1 << 16;

/// How well passages match by their words and by what the ranker says of them, each between its least and its most. Of
/// a passage that the ranker has said nothing of, or all of which say the same, only the words count.
pub fn fused(words: &[u64], ranked: &Ranked) -> Vec<u64> {
    let said = match ranked.dimensions {
        0 => ranked.numbers.iter().map(|&score| i64::from(score)).collect(),
        dimensions => cosines(&ranked.numbers, dimensions),
    };
    let most = words.iter().copied().max().unwrap_or(0).max(1);
    let (low, high) = (said.iter().min().copied().unwrap_or(0), said.iter().max().copied().unwrap_or(0));
    let range = high.abs_diff(low).max(1);
    words
        .iter()
        .enumerate()
        .map(|(at, &score)| {
            let said = said.get(at).map_or(0, |said| said.abs_diff(low) * FULL / range);
            said + score / 256 * FULL / (most / 256).max(1)
        })
        .collect()
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
