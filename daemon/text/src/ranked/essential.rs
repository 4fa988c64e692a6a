//! Tells which words of a question a document needs one of to be among the best.
//!
//! Words of little worth cannot by themselves lift a document to the score that the best have reached, unless they are in
//! its name. Such words are nonessential: their posting lists, which are often the longest, are not walked, except that of
//! names. They are only looked into at documents that have an essential word, or a word in the name. As that score grows,
//! more words become nonessential. The algorithm is MaxScore (Turtle and Flood, "Query evaluation: strategies and
//! optimizations", 1995).

use std::ops::Add;

/// Bounds what words are worth to a document from above.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordBounds {
    /// The sum of what each posting would be worth alone. Counts saturate together, so the words are worth no more.
    pub(super) most: f32,
    /// The worth of the counted words or more, but for rounding.
    pub(super) had: f32,
}

impl Add for WordBounds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { most: self.most + other.most, had: self.had + other.had }
    }
}

/// The words of a question in the order in which they become nonessential: those that are worth least come first. Usually
/// these are the most frequent ones.
pub(super) struct WordOrder {
    order: Vec<usize>,
    /// The place of each word in the order.
    places: Vec<usize>,
    /// The bounds of the first words of the order together, for each number of words from none to all.
    sums: Vec<WordBounds>,
}

impl WordOrder {
    /// Orders words by the most that each can be worth.
    pub(super) fn new(words: &[WordBounds]) -> Self {
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by(|a, b| words[*a].most.total_cmp(&words[*b].most));
        let mut places = vec![0; words.len()];
        let mut sums = vec![WordBounds::default()];
        for (place, word) in order.iter().enumerate() {
            places[*word] = place;
            sums.push(sums[place] + words[*word]);
        }
        Self { order, places, sums }
    }

    /// Returns the number of nonessential words: a document that has no others, and none in its name, is below `least`, by
    /// `highest_score`.
    pub(super) fn nonessential_count(&self, least: f32, highest_score: impl Fn(WordBounds) -> f32) -> usize {
        self.sums.partition_point(|sum| highest_score(*sum) < least).saturating_sub(1)
    }

    /// Returns true if the word is not among the first `nonessential` ones.
    pub(super) fn is_essential(&self, word: usize, nonessential: usize) -> bool {
        self.places[word] >= nonessential
    }

    /// Yields the first `nonessential` words, the last of them first, each with the bounds of itself and of the words that
    /// are still to come.
    pub(super) fn nonessential_words(
        &self,
        nonessential: usize,
    ) -> impl Iterator<Item = (usize, WordBounds)> {
        self.order.iter().copied().zip(self.sums[1..].iter().copied()).take(nonessential).rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_nonessential_from_the_cheapest_on() {
        let words = [(4.0, 2.0), (9.0, 0.0), (2.0, 1.0)].map(|(most, had)| WordBounds { most, had });
        let order = WordOrder::new(&words);
        let nonessential = |least| {
            let count = order.nonessential_count(least, |bounds| bounds.most);
            let words: Vec<(usize, f32)> =
                order.nonessential_words(count).map(|(word, sum)| (word, sum.most)).collect();
            assert!(
                (0..3).all(|word| order.is_essential(word, count) != words.iter().any(|(w, _)| *w == word))
            );
            words
        };
        assert_eq!(nonessential(0.0), []);
        assert_eq!(nonessential(2.0), [], "the cheapest word alone is worth as much");
        assert_eq!(nonessential(6.0), [(2, 2.0)]);
        assert_eq!(nonessential(6.5), [(0, 6.0), (2, 2.0)]);
    }
}
