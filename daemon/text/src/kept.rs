//! Caches recently compiled patterns.
//!
//! Callers search again with the same pattern: for the lines after the count, for the next folder. A pattern
//! with two engines (see [`crate::ascii`]) takes milliseconds to compile when a text is not ASCII; so the
//! cache has the last few of them, with their programs and without the search caches. Other patterns compile
//! in a fraction of a millisecond and are not cached.

use std::sync::{Mutex, PoisonError};

/// Most cached patterns.
const MOST: usize = 8;
/// Most ranges in their large classes together; a range takes some 60 bytes in each of three programs.
const MOST_RANGES: usize = 1 << 16;

/// A few values by their pattern, the most recently used last.
#[derive(Debug)]
pub(crate) struct CachedPatterns<T>(Mutex<Vec<CachedPattern<T>>>);

#[derive(Debug)]
struct CachedPattern<T> {
    pattern: String,
    ranges: usize,
    value: T,
}

impl<T: Clone> CachedPatterns<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn get(&self, pattern: &str) -> Option<T> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|entry| entry.pattern == pattern)?;
        let entry = entries.remove(at);
        let value = entry.value.clone();
        entries.push(entry);
        Some(value)
    }

    /// Caches `value` unless it alone is too large, and drops the oldest values for it.
    pub(crate) fn insert_value(&self, pattern: &str, ranges: usize, value: T) {
        if ranges > MOST_RANGES {
            return;
        }
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.pattern != pattern);
        let mut all: usize = ranges + entries.iter().map(|entry| entry.ranges).sum::<usize>();
        while all > MOST_RANGES || entries.len() >= MOST {
            all -= entries.remove(0).ranges;
        }
        entries.push(CachedPattern { pattern: pattern.to_owned(), ranges, value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled_cache() -> CachedPatterns<usize> {
        let kept = CachedPatterns::new();
        (0..MOST).for_each(|at| kept.insert_value(&at.to_string(), 1, at));
        kept
    }

    #[test]
    fn the_one_not_asked_for_longest_goes() {
        let kept = filled_cache();
        assert_eq!(kept.get("0"), Some(0));
        kept.insert_value("new", 1, 100);
        assert_eq!((kept.get("0"), kept.get("1"), kept.get("new")), (Some(0), None, Some(100)));
    }

    #[test]
    fn large_ones_take_the_room_of_several() {
        let kept = filled_cache();
        kept.insert_value("large", MOST_RANGES - 1, 100);
        assert_eq!((kept.get("6"), kept.get("7"), kept.get("large")), (None, Some(7), Some(100)));
        kept.insert_value("huge", MOST_RANGES + 1, 200);
        assert_eq!((kept.get("huge"), kept.get("large")), (None, Some(100)));
    }
}
