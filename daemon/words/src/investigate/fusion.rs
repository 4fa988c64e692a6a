//! Fuses rankings of different evidence into one: weighted reciprocal ranks (Cormack, Clarke and Buettcher, "Reciprocal rank fusion
//! outperforms Condorcet and individual rank learning methods", 2009).
//!
//! Scores of different kinds cannot be compared, but ranks can. An item that several kinds of evidence find
//! is likelier than one that a single kind ranks first.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The damping of the first ranks; small, because the first of a ranking says much more than the tenth.
const DAMPING: f64 = 8.0;

/// One ranking, best first, and its weight.
#[derive(Clone, Debug)]
pub struct Ranking<T> {
    /// The ranking's weight; 1 by default.
    pub weight: f64,
    /// Its items, best first.
    pub ranked: Vec<T>,
}

/// An item with its score: the sum over the rankings of weight over damped rank; the best possible is 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fused<T> {
    /// The item.
    pub item: T,
    /// The score, 0 to 1.
    pub score: f64,
}

/// Fuses rankings; items of equal score keep the order of their first appearance.
#[must_use]
pub fn fuse<T: Copy + Eq + Hash>(rankings: &[Ranking<T>]) -> Vec<Fused<T>> {
    let full: f64 = rankings.iter().filter(|one| !one.ranked.is_empty()).map(|one| one.weight).sum();
    let mut places: FxHashMap<T, usize> = FxHashMap::default();
    let mut fused: Vec<Fused<T>> = Vec::new();
    for ranking in rankings {
        for (rank, &item) in ranking.ranked.iter().enumerate() {
            let at = *places.entry(item).or_insert_with(|| {
                fused.push(Fused { item, score: 0.0 });
                fused.len() - 1
            });
            fused[at].score += ranking.weight * (DAMPING + 1.0) / (DAMPING + 1.0 + rank as f64) / full;
        }
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_rankings_find_comes_first() {
        let ranking = |weight, ranked: &[u8]| Ranking { weight, ranked: ranked.to_vec() };
        let fused = fuse(&[ranking(1.0, &[1, 2, 3]), ranking(1.0, &[2, 4]), ranking(0.5, &[])]);
        let order: Vec<u8> = fused.iter().map(|one| one.item).collect();
        assert_eq!(order, [2, 1, 4, 3]);
        assert!(fused[0].score < 1.0);
        assert_eq!(fuse(&[ranking(2.0, &[7])])[0].score, 1.0);
        assert!(fuse::<u8>(&[]).is_empty());
    }
}
