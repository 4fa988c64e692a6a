//! Makes choices that a seed determines, the same on every machine.

/// The state of the generator: a linear congruential one, of whose state the upper bits are used (Knuth's constants for
/// MMIX).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.below(2);
        random
    }

    /// Returns a number from 0 to `end`, exclusive.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    /// Returns one of several.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns a list of several, each chosen at random, joined by commas.
    pub(crate) fn list_of(&mut self, count: usize, all: &[&str]) -> String {
        (0..count).map(|_| self.one_of(all)).collect::<Vec<_>>().join(", ")
    }

    /// Returns true once in `often` calls, on average.
    pub(crate) fn once_in(&mut self, often: usize) -> bool {
        self.below(often) == 0
    }
}
