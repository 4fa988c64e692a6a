//! Which pairs of neighbouring letters occur in which blocks of texts: a bit-sliced signature file (Faloutsos and
//! Christodoulakis 1984), exact rather than hashed, since names are made of few different letters.
//!
//! Blocks and not texts, because a bit for each text and pair would take four times the memory of the texts. The bits of a pair lie
//! side by side over all blocks, so a query reads as many rows as it has pairs and nothing else.

use std::ops::Range;

/// Texts in a block.
pub(super) const BLOCK: usize = 32;

/// Kinds of bytes told apart: letters, digits, the underscore, everything else.
const KINDS: usize = 38;

/// The signatures of appended texts.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    texts: usize,
    /// Words in a row; a power of two, or none.
    stride: usize,
    /// A row for each pair, a bit for each block.
    rows: Vec<u64>,
}

impl Pairs {
    /// Notes the pairs of the next text, which is lower case.
    pub(super) fn push(&mut self, text: &str) {
        let block = self.texts / BLOCK;
        self.texts += 1;
        if block / 64 >= self.stride {
            self.widen();
        }
        for pair in pairs(text) {
            self.rows[pair * self.stride + block / 64] |= 1 << (block % 64);
        }
    }

    /// Runs of blocks that have every pair of `needle`; `None` when it has no pair.
    pub(super) fn blocks_with(&self, needle: &str) -> Option<Vec<Range<usize>>> {
        let mut wanted: Vec<usize> = pairs(needle).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let (first, others) = wanted.split_first()?;
        let mut common = self.row(*first).to_vec();
        for pair in others {
            common.iter_mut().zip(self.row(*pair)).for_each(|(word, other)| *word &= other);
        }
        Some(runs(&common))
    }

    fn row(&self, pair: usize) -> &[u64] {
        let used = self.texts.div_ceil(BLOCK * 64);
        self.rows.get(pair * self.stride..pair * self.stride + used).unwrap_or(&[])
    }

    fn widen(&mut self) {
        let stride = (self.stride * 2).max(1);
        let mut rows = vec![0; KINDS * KINDS * stride];
        for pair in 0..KINDS * KINDS {
            let old = &self.rows[pair * self.stride..(pair + 1) * self.stride];
            rows[pair * stride..pair * stride + self.stride].copy_from_slice(old);
        }
        (self.rows, self.stride) = (rows, stride);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.rows.capacity() * 8
    }
}

/// The numbers of a text's pairs, in order, with repetitions.
fn pairs(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.as_bytes().windows(2).map(|pair| kind(pair[0]) * KINDS + kind(pair[1]))
}

fn kind(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => usize::from(byte - b'a'),
        b'0'..=b'9' => 26 + usize::from(byte - b'0'),
        b'_' => 36,
        _ => 37,
    }
}

/// The runs of ones.
fn runs(words: &[u64]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let ones = (left >> first).trailing_ones() as usize;
            let start = at * 64 + first;
            match runs.last_mut().filter(|run| run.end == start) {
                Some(run) => run.end = start + ones,
                None => runs.push(start..start + ones),
            }
            left = if first + ones == 64 { 0 } else { left & (u64::MAX << (first + ones)) };
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cross_words() {
        assert_eq!(runs(&[0b0110, u64::MAX, 1]), [1..3, 64..129]);
        assert_eq!(runs(&[u64::MAX, 0, u64::MAX]), [0..64, 128..192]);
        assert!(runs(&[0, 0]).is_empty());
    }

    #[test]
    fn growing_keeps_what_was_noted() {
        let mut pairs = Pairs::default();
        for at in 0..BLOCK * 64 * 5 {
            pairs.push(if at == 40 || at == BLOCK * 64 * 4 { "ab" } else { "cd" });
        }
        assert_eq!(pairs.blocks_with("ab"), Some(vec![1..2, 256..257]));
        assert_eq!(pairs.blocks_with("abcd"), Some(vec![]));
        assert_eq!(pairs.blocks_with("a"), None);
    }
}
