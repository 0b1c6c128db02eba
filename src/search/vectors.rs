//! How near the vectors of passages are to that of a query.

/// The length to which vectors are brought before they are added.
const UNIT: i64 = 1 << 15;

/// What a vector counts in its own passage, in the one beside it and in the one behind that.
const PARTS: [i64; REACH + 1] = [8, 2, 1];
/// How far from a passage others count.
const REACH: usize = 2;

/// The cosines of the angles between the first vector and those of the passages, in 2^16ths. What a passage means depends
/// on what was said around it: its vector is added to a quarter of those beside it and an eighth of those behind these.
/// `by_place`: the place of each passage in the conversation and its number, in the order of places.
pub fn cosines(numbers: &[i32], dimensions: usize, by_place: &[(u64, usize)]) -> Vec<i64> {
    let mut vectors = numbers.chunks_exact(dimensions);
    let query: Vec<i64> = unit(vectors.next().unwrap_or(&[]));
    let units: Vec<Vec<i64>> = vectors.take(by_place.len()).map(unit).collect();
    let mut cosines = vec![0; units.len()];
    let own = length(&query);
    for (at, &(place, number)) in by_place.iter().enumerate() {
        let Some(cosine) = cosines.get_mut(number) else { continue };
        let mut sum = vec![0; dimensions];
        for &(other, beside) in &by_place[at.saturating_sub(REACH)..by_place.len().min(at + REACH + 1)] {
            let part = PARTS.get(place.abs_diff(other) as usize).copied().unwrap_or(0);
            for (sum, number) in sum.iter_mut().zip(units.get(beside).into_iter().flatten()) {
                *sum += part * number;
            }
        }
        *cosine = (product(&query, &sum) << 16) / (own * length(&sum)).max(1);
    }
    let (least, most) = (cosines.iter().min().copied(), cosines.iter().max().copied());
    // Rounding alone makes a difference of one, and what is ranked by it would count in full.
    if most <= least.map(|least| least + 1) {
        cosines.fill(0);
    }
    cosines
}

fn unit(vector: &[i32]) -> Vec<i64> {
    let vector: Vec<i64> = vector.iter().map(|&number| number.into()).collect();
    let length = length(&vector).max(1);
    vector.iter().map(|number| number * UNIT / length).collect()
}

fn product(one: &[i64], other: &[i64]) -> i64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn length(vector: &[i64]) -> i64 {
    product(vector, vector).isqrt()
}
