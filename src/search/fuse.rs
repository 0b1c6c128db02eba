//! What a ranker of the host says about passages, fused with how well their words match.

use super::lend::lent;
use super::ranked::Ranked;
use super::vectors::cosines;
use crate::base::order;

/// What each of both rankings gives its best passage.
const FULL: u64 = 1 << 16;

/// How well passages match by their words and by what the ranker says of them: both by their most, and added. What the
/// ranker says counts by its square between its least and its most, and for the passages beside it, too: a score is lent as
/// words are, vectors are added up. `words`: of each passage its place among all and how well its words match. Of a passage
/// that the ranker has said nothing of, or all of which say the same, only the words count.
pub fn fused(words: &[(u64, u64)], ranked: &Ranked) -> Vec<u64> {
    let mut by_place: Vec<(u64, usize)> = words.iter().enumerate().map(|(at, &(place, _))| (place, at)).collect();
    order::by_key(&mut by_place, |&(place, _)| place.into());
    let said = match ranked.dimensions {
        0 => {
            let scores: Vec<i64> = ranked.numbers.iter().map(|&score| score.into()).collect();
            let own = squares(&scores);
            let own_of = |at: usize| own.get(at).copied().unwrap_or(0);
            let placed: Vec<(u64, u64)> = by_place.iter().map(|&(place, at)| (place, own_of(at))).collect();
            let mut said = vec![0; words.len()];
            for (whole, (_, at)) in lent(&placed).into_iter().zip(by_place) {
                said[at] = whole;
            }
            said
        }
        dimensions => squares(&cosines(&ranked.numbers, dimensions, &by_place)),
    };
    let most = words.iter().map(|&(_, score)| score).max().unwrap_or(0).max(1);
    let most_said = said.iter().copied().max().unwrap_or(0).max(1);
    let said = said.into_iter().map(|said| said * FULL / most_said).chain(core::iter::repeat(0));
    words.iter().zip(said).map(|(&(_, score), said)| said + score / 256 * FULL / (most / 256).max(1)).collect()
}

/// The squares of numbers between the least and the most of them.
fn squares(numbers: &[i64]) -> Vec<u64> {
    let (low, high) = (numbers.iter().min().copied().unwrap_or(0), numbers.iter().max().copied().unwrap_or(0));
    let range = high.abs_diff(low).max(1);
    numbers.iter().map(|number| (number.abs_diff(low) * FULL / range).pow(2) / FULL).collect()
}
